"""Smoothed observations of the thesis' problems for the tests of curve fitting, and differences of any problem."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from parfit import Curve, Model, Observations, Simulator
from parfit.data.loading import read_data
from parfit.data.observations import make_observations
from parfit.estimation.curves.guessing import guessed_curve
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Result
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.curves import least_squares
from parfit.model.language.reader import read_model

MODELS = Path(__file__).parent.parent / "models"
TIGHT = bounded.Settings(tol=1e-13, max_evaluations=2000)

EQUILIBRIUM = """
par p1=-.1, p2=-1, p3=2.4, p4=.1
y1'=p1*y1^3+p2*y1^2+p3*y1-y2
y2'=p4*y1
init y1=1.5, y2=1
done
"""
LOTKA_VOLTERRA = """
par p1=.15, p2=.03, p3=.8, p4=.1
y1'=p1*y1-p2*y1*y2
y2'=-p3*y2+p4*y1*y2
init y1=12, y2=2
done
"""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """A model, its sample times with the initial time, curves through its observations, and starting parameters."""

    model: Model
    times: np.ndarray
    curves: dict[str, Curve]
    observations: Observations
    start: tuple[float, ...]

    def parameters(self, start=None, **more) -> ParameterMap:
        return ParameterMap(self.model.parameters, np.array(self.start if start is None else start, float), **more)

    def only(self, *names):
        """The same with these variables alone observed."""
        seen = [self.observations.names.index(name) for name in names]
        observations = make_observations(self.observations.times, names, self.observations.values[:, seen])
        return replace(self, curves={name: self.curves[name] for name in names}, observations=observations)

    def fit(self, start) -> tuple[np.ndarray, float]:
        """The direct fit that follows a curve fit, by the trapezoidal rule."""
        parameters = self.parameters(start)
        return minimum(TrajectoryFit(Simulator(self.model, self.times), parameters, self.observations), parameters)

    def marquardt(self, start) -> Result:
        """The same as the thesis did it."""
        problem = TrajectoryFit(Simulator(self.model, self.times), self.parameters(start), self.observations)
        return marquardt.minimize(problem, np.array(start))


def smoothed(model, times, values, joints, kind, start) -> Smoothed:
    """Smoothing leaves the initial time out; residuals have it among their times."""
    names = list(joints)
    data = make_observations(times, names, np.array(values))
    curves = {n: least_squares(times, data.values[:, k], joints[n], kind) for k, n in enumerate(names)}
    return Smoothed(model, data.sample_times(model.t0), curves, data, start)


@cache
def enzyme() -> Smoothed:
    """The stiff problem (3.2.9) with Table 3.2.1."""
    model = read_model(MODELS / "enzyme.ode")
    data = read_data(MODELS / "enzyme.csv", model)
    joints = {"y1": [10], "y2": [0.0007, 0.0014, 0.0016, 15]}
    return smoothed(model, data.times, data.values, joints, "hermite", (50.0, 5.0, 0.5))


@cache
def equilibrium(sd: float = 0.0, seed: int = 0) -> Smoothed:
    """The change of equilibrium (3.2.11), with normal errors added to exact observations."""
    times, values = exact_equilibrium()
    values = values + sd * np.random.default_rng(seed).standard_normal(values.shape)
    exact = {"y1": [2, 4, 6, 7, 8, 9, 10, 12, 14, 18], "y2": [3, 8, 15]}
    joints = exact if sd == 0.0 else {"y1": [6, 7, 9, 14], "y2": [6, 12]}
    return smoothed(equilibrium_model(), times, values, joints, "hermite", (0.0, 0.0, 0.0, 0.0))


@cache
def exact_equilibrium() -> tuple[np.ndarray, np.ndarray]:
    def g(t, y):
        return [-0.1 * y[0] ** 3 - y[0] ** 2 + 2.4 * y[0] - y[1], 0.1 * y[0]]

    times = np.arange(1, 41) / 2
    return times, solved(g, [1.5, 1.0], times)


@cache
def equilibrium_model() -> Model:
    return Model.from_text(EQUILIBRIUM, "equilibrium")


@cache
def predator_prey() -> Smoothed:
    """Problem 4.2.1, starting from the parameters of 4.2.2."""
    model = read_model(MODELS / "predator-prey.ode")
    data = read_data(MODELS / "predator-prey.csv", model)
    joints = {"y1": [4, 8], "y2": [7, 10.5]}
    return smoothed(model, data.times, data.values, joints, "spline", (0.5, 0.1, 5.0, 1.0, 0.15, 0.01))


@cache
def lotka_volterra(second: bool = False) -> Smoothed:
    """The examples of section 3.4, observed in y1 alone."""
    times = np.arange(1, 26) / 2 if second else np.arange(1.0, 21.0)
    joints = {"y1": [1.25, 2.5, 5, 9] if second else [2, 3, 5, 9, 16]}

    def g(t, y):
        return [0.15 * y[0] - 0.03 * y[0] * y[1], -0.8 * y[1] + 0.1 * y[0] * y[1]]

    model = Model.from_text(LOTKA_VOLTERRA, "lotka-volterra")
    return smoothed(model, times, solved(g, [12.0, 2.0], times)[:, :1], joints, "spline", (1.0, 1.0, 1.0, 1.0))


# Guesses at y2 in problem 4.4.1 (Figure 4.4.1, page 108).
GUESSES = {
    "a": ([0, 2.5, 7, 10, 12.5], [8, 1.5, 6.5, 4.5, 5]),
    "b": ([0, 2.5, 8.75, 12.5], [8, 3, 5, 4]),
    "c": ([0, 5, 8.75, 12.5], [8, 3, 5, 4]),
}


def guess(name: str) -> Curve:
    return guessed_curve(*GUESSES[name])


def solved(g, start, times) -> np.ndarray:
    """An accurate solution that owes nothing to the program, (n_times, n)."""
    found = solve_ivp(g, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    assert found.success
    return found.y.T


def minimum(problem, parameters) -> tuple[np.ndarray, float]:
    """Unscaled parameters at a minimum, and F there."""
    found = bounded.minimize(problem, parameters.point, TIGHT)
    return parameters.expand(found.p), found.evaluation.sum_of_squares


def differences(problem, active) -> np.ndarray:
    """The Jacobian by central differences, extrapolated once."""
    columns = []
    for k, value in enumerate(active):
        step = 1e-3 * (abs(value) or 1.0)
        slopes = []
        for h in (step, step / 2):
            ends = [np.array(active, dtype=float) for _ in range(2)]
            ends[0][k] -= h
            ends[1][k] += h
            low, high = (problem.evaluate(end) for end in ends)
            assert low.status
            assert high.status
            slopes.append((high.residuals - low.residuals) / (2 * h))
        columns.append((4 * slopes[1] - slopes[0]) / 3)
    return np.stack(columns, axis=1)


def check_jacobian(problem, active, rel=1e-6) -> None:
    found = problem.evaluate(np.array(active, dtype=float))
    assert found.status, str(found.status)
    expected = differences(problem, active)
    assert np.abs(expected).max(axis=0).min() > 0, "every parameter counts"
    assert np.all(np.abs(found.jac - expected) <= rel * np.abs(expected).max(axis=0))
