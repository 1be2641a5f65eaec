"""Profiles against published ones: Taxol on spheroids of glioma cells, four doses, five parameters.

M. C. Eisenberg and H. V. Jain, "A confidence building exercise in data and identifiability", Journal of Theoretical
Biology 431 (2017) 63-78; data of A. J. A. Terzis et al., British Journal of Cancer 75 (1997) 1744. The limits are
those that others found for it (LikelihoodProfiler.jl): where chi-square with 5 degrees of freedom has its 95 % above F
at the published values of the parameters, which is a little above the minimum.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from parfit.data.observations import make_observations
from parfit.estimation.parameters import Scaling
from parfit.estimation.profiles.profile import Finding, profiled
from parfit.estimation.profiles.target import ParameterTarget
from parfit.estimation.profiles.threshold import threshold
from parfit.estimation.strategies.fit import fit
from parfit.model.model import Model
from parfit.session.environment import Environment

DOSES = (5, 10, 40, 100)  # ng/ml
VOLUMES = np.array(
    [
        [0.009, 0.047, 0.089, 0.149, 0.198, 0.219],
        [0.009, 0.043, 0.077, 0.093, 0.109, 0.128],
        [0.009, 0.025, 0.047, 0.054, 0.076, 0.085],
        [0.009, 0.025, 0.026, 0.028, 0.029, 0.031],
    ]
)
ERRORS = np.array(
    [
        [0.006, 0.013, 0.010, 0.011, 0.013, 0.010],
        [0.006, 0.012, 0.013, 0.012, 0.014, 0.012],
        [0.005, 0.010, 0.010, 0.011, 0.010, 0.010],
        [0.006, 0.010, 0.009, 0.008, 0.011, 0.011],
    ]
)
TIMES = np.arange(0.0, 16.0, 3.0)  # days
MEANS = VOLUMES.mean(axis=1)
CELLS = 1091.0  # thousands of cells in a cubic millimetre
PUBLISHED = {"a0": (6.615, 17.36), "ka": (4.924, 10.781), "kd": (49.237, np.inf)}


def taxol():
    """Proliferating, resting and arrested cells under each dose, in one model."""
    lines = ["par a0=8.317, ka=8.0959, r0=.0582, d0=1.3307, kd=119.1363", "number k=1051.5, lam=9.5722", "v=1.3907*k"]
    for j, (dose, mean) in enumerate(zip(DOSES, (CELLS * MEANS).tolist(), strict=True), 1):
        lines += [
            f"n{j}=p{j}+q{j}+r{j}",
            f"turn{j}=20*q{j}*(k-n{j})^10/(v^10+(k-n{j})^10)",
            f"stop{j}=a0*{dose}^3/(ka^3+{dose}^3)*p{j}",
            f"p{j}'=-lam*p{j}+turn{j}-stop{j}+r0*r{j}",
            f"q{j}'=2*lam*p{j}-turn{j}",
            f"r{j}'=stop{j}-d0*{dose}^4/(kd^4+{dose}^4)*r{j}-r0*r{j}",
            f"init p{j}=7.27, q{j}=2.549, r{j}=0",
            f"aux c{j}=n{j}/{mean!r}",
        ]
    sd = float((ERRORS / MEANS[:, np.newaxis]).mean())
    values, sds = (VOLUMES / MEANS[:, np.newaxis]).T, np.full((6, 4), sd)
    data = make_observations(TIMES, [f"c{j}" for j in range(1, 5)], values, 1.0 / sds, sds)
    model = Model.from_text("\n".join([*lines, "done"]), "taxol")
    return Environment.of(model, data).with_scaling(dict.fromkeys(model.parameters, Scaling.LOGARITHM))


def test_the_taxol_study():
    start = taxol()
    env = fit(start).env
    before, total = (each.problem().evaluate(each.parameters.point).sum_of_squares for each in (start, env))
    assert total <= before
    limit = threshold(95.0, total, 19, True, 5)
    assert limit.rise == pytest.approx(chi2.ppf(0.95, 5))
    limit = replace(limit, rise=limit.rise + before - total)
    for name, ends in PUBLISHED.items():
        k = env.model.parameters.index(name)
        found = profiled(env.problem(), env.parameters, ParameterTarget(env.parameters, k), limit)
        assert found.limits == pytest.approx(ends, rel=1e-3), name
        assert found.finding is (Finding.DETERMINED if np.isfinite(ends[1]) else Finding.LOWER_ONLY)
