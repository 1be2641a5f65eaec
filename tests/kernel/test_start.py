"""Integrations that start from given values instead of the model's own."""

import numpy as np
import pytest
from parfit.kernel.gear import Gear
from parfit.kernel.trapezoid import Trapezoid

from parfit import Model

MODEL = Model.from_text("par a=2, b=.5\nx'=-a*x*y\ny'=a*x*y-b*y\nx(0)=1\ny(0)=b\ndone")
SYSTEM = MODEL.compiled((0, 1)).system
TIMES = np.linspace(0.0, 2.0, 21)


def trapezoid(system, times, eps):
    return Trapezoid(system, times, None, 0)


def gear(system, times, eps):
    return Gear(system, times, None, 0, times[-1:], np.ones(2), "bdf", eps, 0.0, np.inf, 10_000)


def run(integrate, times, **start):
    return integrate(SYSTEM, times, 1e-9)(MODEL.values, True, **start)


@pytest.mark.parametrize(("integrate", "tolerance"), [(trapezoid, 1e-12), (gear, 1e-6)])
def test_an_integration_can_be_continued(integrate, tolerance):
    """From the middle, with the values and sensitivities reached there, the second half is the same."""
    y, s, _ = run(integrate, TIMES)
    y_rest, s_rest, end = run(integrate, TIMES[10:], y_start=y[10], s_start=s[10])
    assert end[0] == 0
    assert y_rest == pytest.approx(y[10:], rel=tolerance)
    assert s_rest == pytest.approx(s[10:], rel=10 * tolerance, abs=tolerance)


@pytest.mark.parametrize("integrate", [trapezoid, gear])
@pytest.mark.parametrize("start", [{"y_start": [1.0]}, {"s_start": np.zeros((2, 1))}])
def test_values_that_do_not_fit_are_refused(integrate, start):
    with pytest.raises(ValueError, match="reshape"):
        run(integrate, TIMES, **start)


@pytest.mark.parametrize("integrate", [trapezoid, gear])
def test_initial_values_that_are_replaced_need_not_exist(integrate):
    """y(0) = ln(-1) does no harm to somebody who brings values of his own."""
    model = Model.from_text("par a=-1, b=1\nx'=-x\ny'=-y\nx(0)=1\ny(0)=ln(a)\ndone")
    system = model.compiled((0, 1)).system
    start = {"y_start": [1.0, 2.0], "s_start": np.zeros((2, 2))}
    y, _, end = integrate(system, TIMES, 1e-6)(model.values, True, **start)
    decay = (0.95 / 1.05) ** 20 if integrate is trapezoid else np.exp(-2.0)  # what the rule makes of exp(-2)
    assert end[0] == 0
    assert y[-1] == pytest.approx([decay, 2 * decay], rel=1e-5)
