"""Statistics of Hemker's problems against his tables, and against values computed without this program.

Hemker 1972: odeparest, Mathematical Centre report MR 134/72. Van Domselaar & Hemker 1975: report NW 18/75.
"""

from functools import cache
from math import sqrt

import numpy as np
import pytest
from conversation import data_of, model_of
from regression import problem_of, study_of
from scipy.optimize import least_squares

from parfit.estimation.parameters import Scaling


@cache
def published(model, data, logs=False, percentile=99):
    """The statistics at the optimum of one of Hemker's problems, found by scipy."""
    problem = problem_of(model_of(model), data_of(data, model))
    map_ = problem.parameters
    scaling = (Scaling.LOGARITHM,) * len(map_.names)
    # Logarithms lead to the optimum from everywhere; the statistics are then those of the parameters themselves.
    if all(map_.full > 0):
        problem = problem_of(model_of(model), problem.observations, scaling=scaling)
    evaluate = problem.evaluate
    found = least_squares(
        lambda p: evaluate(p).residuals,
        problem.parameters.point,
        lambda p: evaluate(p).jac,
        x_scale="jac",
        xtol=1e-12,
        ftol=1e-14,
        gtol=1e-14,
        max_nfev=500,
    )
    values = problem.parameters.expand(found.x)
    kept = {"scaling": scaling} if logs else {}
    return study_of(model_of(model), problem.observations, percentile, values=values, **kept)


@pytest.mark.parametrize(
    ("model", "data", "logs", "values", "total", "widths"),
    [
        # Print (van Domselaar & Hemker 1975, section 8, problem 2): .45e-5, .27e-3; .54e-6, .19e-3; 22.0
        ("bellman", "bellman", False, (4.57043e-6, 2.78448e-4), 22.03094, (5.860e-7, 2.0397e-4)),
        # Problem 4: .86, 2.07, 1.81; .19, .35, .38; .164
        ("barnes", "barnes", False, (0.860941, 2.079029, 1.814944), 0.1644614, (0.2191, 0.3622, 0.3787)),
        # Problem 1, data B: .32e-3, .25e-3 (its own covariance says .17e-3), .23e-2
        ("escep", "escep-b", True, (999.9, 0.990005, 0.0099971), 1.410e-4**2, (3.354e-4, 1.677e-4, 2.306e-3)),
    ],
)
def test_published_intervals(model, data, logs, values, total, widths):
    found = published(model, data, logs)
    np.testing.assert_allclose(found.parameters.full, values, rtol=3e-5)
    assert found.statistics.sum_of_squares == pytest.approx(total, rel=1e-3)
    np.testing.assert_allclose(found.statistics.intervals.joint, widths, rtol=7e-4)
    assert found.standing.minimal


def test_published_covariance_of_the_escep_problem():
    """Report of 1975, appendix I: data B in logarithms, its last norm .1430776e-3 against 1.410e-4 here.

    The printed variance of log p3, .2546e-6, contradicts the interval .23e-2 of section 8, which is right.
    """
    found = published("escep", "escep-b", True).statistics
    ours = found.intervals.covariance
    np.testing.assert_allclose(ours[:2, :2][np.triu_indices(2)], [0.6949857e-8, 0.1407628e-8, 0.1922119e-8], rtol=0.1)
    assert ours[2, 2] == pytest.approx(0.23e-2**2 / (3 * 4.94), rel=0.02)
    printed = (0.3851320, -0.2170393, -0.6392889)
    np.testing.assert_allclose(found.determination.correlation[np.tril_indices(3, -1)], printed, rtol=0.01)


@pytest.mark.parametrize(
    ("data", "f_value", "residue", "conditional", "joint", "correlation", "lengths"),
    [
        # Hemker 1972, section 6.1, tests 1 and 2, last iteration. Its derivative by p3 is about 22 % too large for a
        # cause unknown, so that what belongs to p3 is compared loosely.
        (
            "escep-a",
            4.28,
            0.57579e-7,
            (0.25607, 0.10540e-3, 0.37908e-5),
            (0.27126, 0.11175e-3, 0.37948e-5),
            (0.32962,),
            (0.37908e-5, 0.10551e-3, 0.27126),
        ),
        (
            "escep-b",
            4.94,
            0.40737e-7,
            (0.30329, 0.12604e-3, 0.15439e-4),
            (0.32990, 0.17410e-3, 0.20122e-4),
            (0.39160, -0.22146, -0.64056),
            (0.15394e-4, 0.16065e-3, 0.32990),
        ),
    ],
)
def test_tables_of_the_escep_problem(data, f_value, residue, conditional, joint, correlation, lengths):
    """The printed intervals belong to the estimated residue (EST ERROR in lines 371, 373, 387 of the listing)."""
    found = published("escep", data).statistics
    estimated = {"escep-a": 0.39239e-7, "escep-b": 0.22182e-7}[data]
    assert found.sum_of_squares < residue
    n_free = found.n_observations - 3
    scale = sqrt(3 * f_value * estimated / n_free) / found.intervals.radius
    for ours, printed, tolerance in (
        (found.intervals.conditional, conditional, (0.08, 0.08, 0.25)),
        (found.intervals.joint, joint, (0.08, 0.08, 0.25)),
        (found.intervals.lengths, lengths, (0.25, 0.08, 0.08)),
    ):
        assert (np.abs(scale * ours / np.array(printed) - 1) < np.array(tolerance)).all(), (scale * ours, printed)
    matrix = found.determination.correlation[np.tril_indices(3, -1)]
    np.testing.assert_allclose(matrix[: len(correlation)], correlation, rtol=0.03)


def test_tables_of_gears_problem():
    """Hemker 1972, section 6.3, last iteration; its F is given as 6.68 and its estimated residue used."""
    found = published("gear", "gear").statistics
    scale = sqrt(4 * 6.68 * 0.22372e-6 / 4) / found.intervals.radius
    parts = found.intervals
    np.testing.assert_allclose(scale * parts.conditional, (0.33630e-2, 0.29853e-2, 0.48538e-2, 0.59251e-2), rtol=0.04)
    np.testing.assert_allclose(scale * parts.joint, (0.22231e-1, 0.19927e-1, 0.39679e-1, 0.48069e-1), rtol=0.04)
    np.testing.assert_allclose(scale * parts.lengths, (0.21588e-2, 0.42503e-2, 0.27026e-1, 0.63429e-1), rtol=0.04)
    correlation = found.determination.correlation[np.tril_indices(4, -1)]
    # The lost exponents of the print are 0; three entries of its first column have lost more.
    np.testing.assert_allclose(correlation[[0, 2, 4, 5]], (0.98649, -0.38753, -0.36690, 0.99088), rtol=0.03)
    axes = [
        (-0.62932, 0.71268, 0.24003, -0.19606),
        (0.22108, -0.21815, 0.73575, -0.60184),
        (0.72729, 0.65077, 0.12218, 0.18064),
        (-0.16167, -0.14495, 0.62139, 0.75281),
    ]
    np.testing.assert_allclose(parts.axes, axes, atol=0.01)
    # (A'A)^-1 is printed as the covariance matrix.
    inverse = found.determination.inverse
    np.testing.assert_allclose(np.diag(inverse), (330.71, 265.70, 1053.5, 1546.1), rtol=0.09)
