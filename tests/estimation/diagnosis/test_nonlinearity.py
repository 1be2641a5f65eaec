"""F on the boundary of the confidence region, against what can be worked out by hand."""

from math import exp, sqrt

import numpy as np
import pytest
from regression import study_of
from scipy.optimize import minimize_scalar
from scipy.stats import f

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.nonlinearity import check_linearity
from parfit.estimation.diagnosis.statistics import statistics
from parfit.model.model import Model
from parfit.text.diagnosis.verdicts import linearity


def test_rises_on_the_boundary_are_compared_with_the_linear_theory():
    """One parameter, residuals exp(p) - 1 and -.1 ... constant: F can be worked out by hand."""
    rest = np.array([0.1, -0.1, 0.1])

    def cost(p):
        return (exp(p[0]) - 1.0) ** 2 + float(rest @ rest)

    jac = np.array([[1.0], [0.0], [0.0], [0.0]])
    found = statistics(np.array([0.0, *rest]), jac, 95, 1e-10)
    points = check_linearity(cost, np.zeros(1), np.zeros(1), found)
    radius = sqrt(f.ppf(0.95, 1, 3) * 0.03 / 3)
    assert [point.sign for point in points] == [1, -1]
    assert points[0].factor == pytest.approx((exp(radius) - 1) ** 2 / radius**2)
    assert points[1].factor == pytest.approx((exp(-radius) - 1) ** 2 / radius**2)


def test_curvature_and_failure_on_the_boundary_are_told():
    # Three observations of exp(k t) leave k so vague that exp(k t) is anything but linear.
    model = Model.from_text("par k=1\ny'=k*y\ninit y=1\ndone")
    data = make_observations([1.0, 2.0], ["y"], [[3.5], [6.9]])
    best = minimize_scalar(lambda k: (exp(k) - 3.5) ** 2 + (exp(2 * k) - 6.9) ** 2, (0.9, 1.0)).x
    found = study_of(model, data, 99, values=[best])
    assert found.statistics.is_centred
    text = " ".join(linearity(found))
    assert "axis 1 + (k +" in text
    assert "times more than by the linear theory" in text
    failing = Model.from_text("par k=1\ny'=-1/sqrt(k-.9)\ninit y=1/(1-k/2)\ndone")
    data = make_observations([0.0, 1e-4], ["y"], [[1.5], [2.5]])
    found = study_of(failing, data, 99, values=[1.0])
    assert "cannot be integrated" in " ".join(linearity(found))
    assert found.boundary[1].failed
