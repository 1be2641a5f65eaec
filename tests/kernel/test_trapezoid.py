"""The trapezoidal rule against an implementation of its own, and its sensitivities against differences."""

from functools import partial

import numpy as np
import pytest
from discrete import differences, trapezoidal
from memory import spoil_memory
from problems import ENZYME_TIMES, PROBLEMS, Problem

from parfit import Method, Model
from parfit import Simulator as AnySimulator

Simulator = partial(AnySimulator, method=Method("trapezoid"))
BY_NAME = {problem.name: problem for problem in PROBLEMS}


def _driven(t, y, p):
    return [-p[0] * y[0] + p[1] * np.sin(p[2] * t) * y[1], p[3] * np.cos(t) - y[1] ** 3 + t * y[0]]


def _logistic(t, y, p):
    return [p[0] * y[0] * (1 - y[0] / (p[1] + t))]


DRIVEN = Problem(
    "driven",
    "par a=1.3, b=.7, w=2, c=.4, start=.5\nx'=-a*x+b*sin(w*t)*y\ny'=c*cos(t)-y^3+t*x\n"
    "x(0)=start\ny(0)=start^2*a\ndone",
    0.2 * np.arange(1, 21),
    False,
    (1.3, 0.7, 2.0, 0.4, 0.5),
    _driven,
    lambda p: [p[4], p[4] ** 2 * p[0]],
)
LOGISTIC = Problem(
    "logistic with growing capacity",
    "par r=.8, k=10, a=.3\ny'=r*y*(1-y/(k+t))\ny(0)=a\ndone",
    np.array([0.3, 0.5, 1.1, 1.7, 2.9, 3.0, 5.0, 8.0, 8.5, 12.0]),
    False,
    (0.8, 10.0, 0.3),
    _logistic,
    lambda p: [p[2]],
)
NAMES = ("decay", "oscillator over ten periods", "Lotka-Volterra", "predator-prey", "enzyme", "HIRES")
CASES = [BY_NAME[name] for name in NAMES] + [DRIVEN, LOGISTIC]
of_each = pytest.mark.parametrize("problem", CASES, ids=lambda problem: problem.name)


@of_each
def test_states_are_those_of_an_independent_implementation(problem):
    run = Simulator(problem.model, problem.times)()
    expected = trapezoidal(problem, problem.p)
    assert run.status
    assert run.y.shape == expected.shape
    assert np.all(np.abs(run.y - expected) <= 1e-10 * np.abs(expected).max(axis=0))


@of_each
def test_sensitivities_are_the_derivative_of_the_discrete_solution(problem):
    run = Simulator(problem.model, problem.times)(sensitivities=True)
    expected = differences(problem)
    largest = np.abs(expected).max(axis=0)
    assert run.s.shape == expected.shape
    assert np.all(np.abs(run.s - expected) <= 1e-7 * largest)
    # A parameter without any influence in the differences has exactly none.
    assert np.all(run.s[:, largest == 0] == 0)


@of_each
def test_asking_for_sensitivities_changes_not_one_bit_of_the_states(problem):
    simulator = Simulator(problem.model, problem.times)
    assert np.array_equal(simulator(sensitivities=True).y, simulator().y)


@of_each
def test_sensitivities_by_some_parameters_are_columns_of_those_by_all(problem):
    chosen = (len(problem.p) - 1, 0)
    some = Simulator(problem.model, problem.times, active=chosen)(sensitivities=True)
    everything = Simulator(problem.model, problem.times)(sensitivities=True)
    assert some.s == pytest.approx(everything.s[:, :, list(chosen)], rel=1e-9, abs=1e-300)
    assert np.array_equal(some.y, everything.y)


def condition_numbers() -> tuple[float, float]:
    """Of the matrix of sensitivities by the parameters, and by their logarithms."""
    model = Model.from_text(
        "par p1=1000, p2=.99, p3=.01\ny1'=-(1-y2)*y1+p2*y2\ny2'=p1*((1-y2)*y1-(p2+p3)*y2)\ny1(0)=1\ny2(0)=0\ndone"
    )
    s = Simulator(model, ENZYME_TIMES)(sensitivities=True).s.reshape(-1, 3)
    return float(np.linalg.cond(s)), float(np.linalg.cond(s * model.values))


def test_condition_numbers_of_the_stiff_example():
    """Thesis, end of section 1.3: approximately 59600, and 4.4 with logarithms of all parameters."""
    plain, logarithmic = condition_numbers()
    assert plain == pytest.approx(59614.5, rel=1e-5)  # independent computation of the same rule
    assert logarithmic == pytest.approx(4.41263, rel=1e-5)
    assert plain == pytest.approx(59600, rel=1e-3)
    assert logarithmic == pytest.approx(4.4, rel=5e-3)


def test_work_on_linear_equations():
    """g at the start; then, on each step, once for the check of Newton's method and once at the end."""
    problem = BY_NAME["decay"]
    n = len(problem.times)
    plain = Simulator(problem.model, problem.times)().counts
    with_sensitivities = Simulator(problem.model, problem.times)(sensitivities=True).counts
    assert plain.steps == with_sensitivities.steps == n
    assert plain.evaluations <= 1 + 2 * n
    assert with_sensitivities.evaluations <= 1 + 2 * n
    assert with_sensitivities.factorizations <= 1 + 2 * n


@of_each
def test_work_on_any_equations(problem):
    """Newton's method converges quadratically: at most four corrections on average, and one evaluation to end."""
    n = len(problem.times)
    assert Simulator(problem.model, problem.times)().counts.evaluations <= 1 + 5 * n
    assert Simulator(problem.model, problem.times)(sensitivities=True).counts.evaluations <= 1 + 5 * n


@of_each
@pytest.mark.parametrize("sensitivities", [False, True])
def test_repeated_times_repeat_the_solution(problem, sensitivities):
    times = np.concatenate(([0.0], problem.times))
    once = Simulator(problem.model, times)(sensitivities=sensitivities)
    simulator = Simulator(problem.model, np.repeat(times, 3))
    spoil_memory()
    thrice = simulator(sensitivities=sensitivities)
    assert thrice.status, str(thrice.status)
    for first in range(3):
        assert np.all(np.abs(thrice.y[first::3] - once.y) <= 1e-10 * np.abs(once.y).max(axis=0))
        if sensitivities:
            assert np.all(np.abs(thrice.s[first::3] - once.s) <= 1e-8 * np.abs(once.s).max(axis=0))


def test_only_the_initial_time_needs_one_evaluation():
    run = Simulator(DRIVEN.model, [0.0])(sensitivities=True)
    assert run.status
    assert run.y == pytest.approx(np.array([[0.5, 0.25 * 1.3]]), rel=1e-15)
    assert run.s[0] == pytest.approx(np.array([[0, 0, 0, 0, 1], [0.25, 0, 0, 0, 1.3]]), rel=1e-15)
    assert run.counts.evaluations == 1


def test_parameters_can_be_given_at_the_call():
    simulator = Simulator(DRIVEN.model, DRIVEN.times)
    p = (1.1, 0.9, 1.5, 0.3, 0.7)
    expected = trapezoidal(DRIVEN, p)
    assert simulator(p).y == pytest.approx(expected, rel=1e-9)
    assert np.array_equal(simulator(p).y, simulator(p).y)
    assert not np.array_equal(simulator(p).y, simulator().y)


def test_the_limits_of_gears_method_mean_nothing_to_the_trapezoidal_rule():
    plain = Simulator(DRIVEN.model, DRIVEN.times)()
    limited = Simulator(DRIVEN.model, DRIVEN.times, method=Method("trapezoid", "adams", 1e-8, 1e-3, 1e-2, 1))()
    assert np.array_equal(plain.y, limited.y)


def test_second_order():
    """Halving the steps divides the error by four."""
    problem = BY_NAME["decay"]
    exact = 3 * np.exp(-0.7 * 2.0)
    errors = [Simulator(problem.model, np.linspace(0, 2, n + 1))().y[-1, 0] - exact for n in (20, 40)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize("tiny", [1e-14, 1e-9, 5.5e-17])
@pytest.mark.parametrize("driven", ["", "+0*sin(t)"])
def test_a_tiny_step_does_not_spoil_the_next_ones(tiny, driven):
    """What the rule makes of x' = -k x: each step multiplies by (1 - k h/2) / (1 + k h/2)."""
    model = Model.from_text(f"par k=1\nx'=-k*x{driven}\nx(0)=1")
    times = np.array([0.1, 0.3, 0.3 + tiny, 0.9, 1.5])
    run = Simulator(model, times)(sensitivities=True)
    steps = np.diff(times, prepend=0.0)
    expected = np.cumprod((1 - steps / 2) / (1 + steps / 2))
    assert run.y[:, 0] == pytest.approx(expected, rel=1e-12)
    slopes = -np.cumsum(steps / (1 - steps**2 / 4)) * expected
    assert run.s[:, 0, 0] == pytest.approx(slopes, rel=1e-10)


@pytest.mark.parametrize("drive", [0.0, 1.0], ids=["autonomous", "driven"])
def test_a_large_dense_matrix_is_factored_little_more_than_once_a_step(drive):
    """x_i' = k_i (mean - x_i) - x_i^3 / 10 + drive sin t: the discrete equations hold, and so do their derivatives."""
    n, times = 24, np.linspace(0.0, 5.0, 51)
    mean = "+".join(f"x{i}" for i in range(n))
    lines = [f"par k{i}={1 + i / n:.17g}\nx{i}'=k{i}*(mean-x{i})-x{i}^3/10" for i in range(n)]
    lines = [f"{line}+{drive}*sin(t)\ninit x{i}={i / n:.17g}" for i, line in enumerate(lines)]
    model = Model.from_text("\n".join([f"mean=({mean})/{n}", *lines]))
    simulator = Simulator(model, times)
    assert simulator.compiled.system.solver == "dense"
    run = simulator(sensitivities=True)
    k, y = 1 + np.arange(n) / n, run.y
    rates = k * (y.mean(axis=1, keepdims=True) - y) - y**3 / 10 + drive * np.sin(times)[:, None]
    assert np.abs(np.diff(y, axis=0) - 0.05 * (rates[1:] + rates[:-1])).max() < 1e-10
    s = np.zeros((n, n))
    for a, b, found in zip(y[:-1], y[1:], run.s[1:], strict=True):
        g_y = [k[:, None] / n - np.diag(k + 0.3 * each**2) for each in (a, b)]
        right = s + 0.05 * (g_y[0] @ s + np.diag(a.mean() - a) + np.diag(b.mean() - b))
        s = np.linalg.solve(np.eye(n) - 0.05 * g_y[1], right)
        assert np.abs(found - s).max() < 1e-10
    assert run.counts.factorizations < 1.3 * times.size
