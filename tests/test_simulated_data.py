"""Data of the case book that were simulated without random error are the exact solutions, by another method."""

import numpy as np
import pytest
from conversation import data_of, model_of
from scipy.integrate import solve_ivp


def equilibrium(_, y):
    """Thesis, equations (3.2.11) at (-.1, -1, 2.4, .1)."""
    return -0.1 * y[0] ** 3 - y[0] ** 2 + 2.4 * y[0] - y[1], 0.1 * y[0]


def lotka_volterra(_, y):
    """Thesis, section 3.4 at (.15, .03, .8, .1)."""
    return 0.15 * y[0] - 0.03 * y[0] * y[1], -0.8 * y[1] + 0.1 * y[0] * y[1]


@pytest.mark.parametrize(
    ("model", "data", "rates", "start", "times"),
    [
        ("equilibrium", "equilibrium", equilibrium, (1.5, 1), np.arange(1, 41) / 2),  # .5(.5)20
        ("lotka-volterra", "lotka-volterra", lotka_volterra, (12, 2), np.arange(1.0, 21)),  # 1(1)20
        ("lotka-volterra", "lotka-volterra-2", lotka_volterra, (12, 2), np.arange(1, 26) / 2),  # .5(.5)12.5
    ],
)
def test_they_are_exact(model, data, rates, start, times):
    observed = data_of(data, model)
    assert observed.times.tolist() == times.tolist()
    exact = solve_ivp(rates, (0, times[-1]), start, "LSODA", times, rtol=1e-13, atol=1e-15).y.T
    columns = [model_of(model).states.index(name) for name in observed.names]
    assert observed.values == pytest.approx(exact[:, columns], rel=6e-10)  # ten figures
