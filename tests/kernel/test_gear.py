"""Gear's method against reference solutions: accuracy of states and sensitivities, and work next to LSODA."""

from functools import cache

import numpy as np
import pytest
from problems import PROBLEMS, Problem
from references import integrate, reference
from scipy.integrate import solve_ivp

from parfit import Method, Model, Simulator, Trajectory

TOLERANCES = (1e-4, 1e-6, 1e-8)
STATE_BOUND, SENSITIVITY_BOUND = 200, 1000  # times EPS
WORK_BOUND = 1.5  # times the evaluations of LSODA

RUNS = [(problem, formula) for problem in PROBLEMS for formula in ("bdf", "auto")]
RUNS += [(problem, "adams") for problem in PROBLEMS if not problem.stiff]
WORK_RUNS = [(problem, "auto") for problem in PROBLEMS]
WORK_RUNS += [(problem, "bdf" if problem.stiff else "adams") for problem in PROBLEMS]


def of_each(runs):
    return pytest.mark.parametrize(
        ("problem", "formula"), runs, ids=[f"{problem.name}, {formula}" for problem, formula in runs]
    )


@cache
def run(problem: Problem, formula: str, eps: float, sensitivities: bool) -> Trajectory:
    method = Method("gear", formula, eps=eps, h_min=0.0, h_max=np.inf)
    trajectory = Simulator(problem.model, problem.times, method)(sensitivities=sensitivities)
    assert trajectory.status, str(trajectory.status)
    return trajectory


def largest_error(problem: Problem, y: np.ndarray) -> float:
    """Relative to the largest |y_i| of the whole solution."""
    exact = reference(problem)
    return float(np.max(np.abs(y - exact.y) / exact.y_largest))


@of_each(RUNS)
@pytest.mark.parametrize("eps", TOLERANCES)
def test_the_global_error_is_a_modest_multiple_of_eps(problem, formula, eps):
    assert largest_error(problem, run(problem, formula, eps, False).y) <= STATE_BOUND * eps


@of_each(RUNS)
@pytest.mark.parametrize("eps", TOLERANCES)
def test_sensitivities_are_nearly_as_accurate_although_they_are_not_controlled(problem, formula, eps):
    exact = reference(problem)
    error = np.abs(run(problem, formula, eps, True).s - exact.s)
    assert np.all(error <= SENSITIVITY_BOUND * eps * exact.s_largest)


@of_each(RUNS)
@pytest.mark.parametrize("eps", TOLERANCES)
def test_asking_for_sensitivities_changes_not_one_bit_of_the_states(problem, formula, eps):
    with_them, without = run(problem, formula, eps, True), run(problem, formula, eps, False)
    assert np.array_equal(with_them.y, without.y)
    assert with_them.counts.steps == without.counts.steps


@cache
def lsoda_runs(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Errors and evaluations of scipy's LSODA: only runs than which none is both cheaper and more accurate.

    It knows the size of every state in advance, and makes its Jacobian from differences, as it does for everybody.
    """
    exact, p = reference(problem), np.array(problem.p)
    found = []
    for fraction in (1.0, 0.01):
        for rtol in 10.0 ** np.arange(-2, -11.01, -1 / 3):
            solution = solve_ivp(
                lambda t, y: problem.rhs(t, y.tolist(), problem.p),
                (0.0, problem.times[-1]),
                np.array(problem.initial(p), dtype=float),
                method="LSODA",
                t_eval=np.asarray(problem.times),
                rtol=rtol,
                atol=fraction * rtol * exact.y_largest,
            )
            if solution.success:
                found.append((largest_error(problem, solution.y.T), solution.nfev))
    best: list[tuple[float, int]] = []
    for error, evaluations in sorted(found):
        if not best or evaluations < best[-1][1]:
            best.append((error, evaluations))
    errors, evaluations = zip(*best, strict=True)
    return np.array(errors), np.array(evaluations)


def lsoda_evaluations(problem: Problem, error: float) -> float:
    """What LSODA needs for this error, interpolated between runs on logarithmic scales."""
    errors, evaluations = lsoda_runs(problem)
    return float(np.exp(np.interp(np.log(error), np.log(errors), np.log(evaluations))))


@of_each(WORK_RUNS)
@pytest.mark.parametrize("eps", TOLERANCES)
def test_work_is_at_most_half_as_much_again_as_that_of_lsoda(problem, formula, eps):
    ours = run(problem, formula, eps, False)
    assert ours.counts.evaluations <= WORK_BOUND * lsoda_evaluations(problem, largest_error(problem, ours.y))


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.stiff], ids=lambda p: p.name)
@pytest.mark.parametrize("eps", TOLERANCES)
def test_stiff_equations_are_found_to_be_stiff_and_others_are_not(problem, eps):
    assert 0 < run(problem, "auto", eps, False).stiff_time < problem.times[-1]
    assert run(problem, "bdf", eps, False).stiff_time is None
    assert all(run(other, "auto", eps, False).stiff_time is None for other in PROBLEMS if not other.stiff)


def test_finding_the_sizes_of_states_that_start_at_zero_is_counted_as_work():
    """z never moves, so that its size makes no other difference."""
    model = Model.from_text("par k=1\nx'=-k*x\nz'=0\nx(0)=1\nz(0)=0\ndone")
    method = Method("gear", eps=1e-6, h_min=0.0)
    unknown, known = Simulator(model, [1.0, 2.0], method)(), Simulator(model, [1.0, 2.0], method, scale=[0, 1])()
    assert np.array_equal(unknown.y, known.y)
    assert known.counts.evaluations < unknown.counts.evaluations < 2 * known.counts.evaluations


# The references themselves.


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_model_text_and_plain_functions_are_the_same_problem(problem):
    model, p = problem.model, np.array(problem.p)
    assert np.array_equal(model.values, p)
    assert np.array_equal(Simulator(model, [0.0])(p).y[0], np.array(problem.initial(p), dtype=float))


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.published], ids=lambda p: p.name)
def test_references_end_at_the_published_values(problem):
    assert reference(problem).y[-1] == pytest.approx(problem.published, rel=1e-10)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_references_do_not_depend_on_their_tolerance(problem):
    exact, finer = reference(problem), integrate(problem, tolerance=1e-10)
    assert np.all(np.abs(exact.y - finer.y) <= 5e-11 * exact.y_largest)
    assert np.all(np.abs(exact.s - finer.s) <= 1e-10 * exact.s_largest)


def test_references_of_decay_and_oscillation_are_exact():
    decay, oscillation = reference(PROBLEMS[0]), reference(PROBLEMS[1])
    (k, a), t = PROBLEMS[0].p, np.asarray(PROBLEMS[0].times)
    assert decay.y[:, 0] == pytest.approx(a * np.exp(-k * t), rel=1e-13)
    assert decay.s[:, 0, 0] == pytest.approx(-t * a * np.exp(-k * t), rel=1e-13)
    assert decay.s[:, 0, 1] == pytest.approx(np.exp(-k * t), rel=1e-13)
    w, t = PROBLEMS[1].p[0], np.asarray(PROBLEMS[1].times)
    assert oscillation.y[:, 0] == pytest.approx(np.cos(w * t), abs=1e-12)
    assert oscillation.s[:, 0, 0] == pytest.approx(-t * np.sin(w * t), abs=1e-11)
    assert oscillation.s[:, 1, 1] == pytest.approx(-w * np.sin(w * t), abs=1e-12)
    assert oscillation.s[:, 0, 2] == pytest.approx(np.sin(w * t) / w, abs=1e-12)


@pytest.mark.parametrize("problem", PROBLEMS[2:4], ids=lambda p: p.name)
def test_references_agree_with_differences_of_another_integrator(problem):
    """DOP853 of scipy at its tightest, differenced by each parameter."""
    exact = reference(problem)

    def solution(p):
        y0 = np.array(problem.initial(p), dtype=float)
        options = {"method": "DOP853", "t_eval": np.asarray(problem.times), "rtol": 3e-14, "atol": 1e-15}
        return solve_ivp(lambda t, y: problem.rhs(t, y, p), (0, problem.times[-1]), y0, **options).y.T

    assert np.all(np.abs(solution(problem.p) - exact.y) <= 1e-11 * exact.y_largest)
    for j, value in enumerate(problem.p):
        step = 1e-3 * (value or 1.0)
        central = []
        for d in (step, step / 2):
            low, high = (solution([*problem.p[:j], value + e, *problem.p[j + 1 :]]) for e in (-d, d))
            central.append((high - low) / (2 * d))
        difference = (4 * central[1] - central[0]) / 3  # what is left of the error is of the order step^4
        assert np.all(np.abs(difference - exact.s[:, :, j]) <= 1e-7 * exact.s_largest[:, j])
