"""Structure is found and used: by the solver, by the tapes, and by what is left out. Counts, never seconds."""

from functools import cache

import numpy as np
import pytest
from benchmarks.cases import chain, chain_text, heart, predator_prey
from scipy.integrate import solve_ivp

from parfit import Method, Model, Simulator
from parfit.model.calculus.elimination import plan

N = 24
TIGHT = Method("gear", "bdf", 1e-10, h_min=0.0)
# The largest error of a tight run that is held to be agreement, next to the largest value of a state, and of a
# sensitivity of that state. (Gear's EPS is an error per step; the sensitivities are not error controlled.)
AGREES_Y, AGREES_S = 200 * TIGHT.eps, 1000 * TIGHT.eps


def every(model):
    return tuple(range(len(model.parameters)))


def system_of(model):
    return model.compiled(every(model)).system


def shuffled_order(n):
    return np.random.default_rng(3).permutation(n)


@cache
def chain_model(n):
    return Model.from_text(chain_text(n), f"chain of {n}")


@cache
def shuffled_model():
    return Model.from_text(chain_text(N, shuffled_order(N)), "shuffled chain")


@cache
def coupled_model():
    """x_i' = k_i (mean - x_i) - x_i^3 / 10: every equation sees every state."""
    mean = "+".join(f"x{i}" for i in range(1, N + 1))
    lines = [
        f"par k{i}={1 + i / N:.17g}\nx{i}'=k{i}*(mean-x{i})-x{i}^3/10\ninit x{i}={i / N}" for i in range(1, N + 1)
    ]
    return Model.from_text("\n".join([f"mean=({mean})/{N}", *lines]), "coupled")


def coupled_equations(t, z):
    k = 1 + np.arange(1, N + 1) / N
    y, s = z[:N], z[N:].reshape(N, N)
    g_y = k[:, None] / N - np.diag(k + 0.3 * y**2)
    return np.concatenate((k * (y.mean() - y) - y**3 / 10, (g_y @ s + np.diag(y.mean() - y)).ravel()))


def solution(equations, start, times):
    """y and dy/dp by an explicit method that has nothing in common with ours."""
    run = solve_ivp(equations, (0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-13)
    return run.y[:N].T, run.y[N:].T.reshape(len(times), N, N)


@pytest.mark.parametrize("n", [17, 24, 100])
def test_a_chain_is_sparse(n):
    assert system_of(chain_model(n)).solver == "sparse"


def test_a_shuffled_chain_is_put_in_order():
    """Nothing is filled: each state is eliminated when no other sees it any more, or the other way round."""
    model = shuffled_model()
    assert system_of(model).solver == "sparse"
    found = plan(N, model.derivation.dynamics.by_state)
    assert found.fill is not None
    assert found.fill[1].size == 2 * N - 1


def test_what_is_coupled_is_dense():
    assert system_of(coupled_model()).solver == "dense"


@pytest.mark.parametrize("n", [2, 7])
def test_few_states_are_small(n):
    assert system_of(chain_model(n)).solver == "small"


def test_ten_states_with_few_entries_are_sparse():
    assert system_of(chain_model(10)).solver == "sparse"


def agree(run, y, s):
    assert run.status, str(run.status)
    largest_s = np.abs(s).max(axis=(0, 2))
    assert (np.abs(run.y - y).max(axis=0) <= AGREES_Y * np.abs(y).max(axis=0)).all()
    assert (np.abs(run.s - s).max(axis=(0, 2)) <= AGREES_S * largest_s).all()


def test_the_banded_solution_is_right():
    problem = chain(N)
    y, s = solution(problem.equations, problem.start, problem.times)
    agree(Simulator(problem.model, problem.times, TIGHT)(sensitivities=True), y, s)


def test_the_reordered_solution_is_right():
    problem, order = chain(N), shuffled_order(N)
    y, s = solution(problem.equations, problem.start, problem.times)
    model = shuffled_model()
    assert model.states == tuple(f"x{i + 1}" for i in order)
    agree(Simulator(model, problem.times, TIGHT)(sensitivities=True), y[:, order], s[:, order])


def test_the_dense_solution_is_right():
    times = np.linspace(0.2, 5.0, 25)
    start = np.concatenate((np.arange(1, N + 1) / N, np.zeros(N * N)))
    y, s = solution(coupled_equations, start, times)
    agree(Simulator(coupled_model(), times, TIGHT)(sensitivities=True), y, s)


def test_the_trapezoidal_rule_does_not_depend_on_the_order():
    """The same discrete equations, solved to rounding."""
    times, order = np.linspace(0.4, 10.0, 25), shuffled_order(N)
    straight = Simulator(chain_model(N), times)(sensitivities=True)
    shuffled = Simulator(shuffled_model(), times)(sensitivities=True)
    assert np.allclose(shuffled.y, straight.y[:, order], rtol=1e-11, atol=1e-13)
    assert np.allclose(shuffled.s, straight.s[:, order], rtol=1e-9, atol=1e-12)


def test_instructions_of_chains_grow_in_proportion():
    counts = {n: np.array(system_of(chain_model(n)).dynamics.n_instructions) for n in (10, 20, 40, 80)}
    step = counts[20] - counts[10]
    assert (counts[40] - counts[20] == 2 * step).all()
    assert (counts[80] - counts[40] == 4 * step).all()
    assert counts[80].sum() <= 15 * 80  # a state: reciprocal, share, inflow, outflow, and their derivatives


def test_three_hundred_states_are_differentiated():
    model = chain_model(300)
    assert (len(model.states), len(model.parameters)) == (300, 300)
    derivation = model.derivation
    assert len(derivation.dynamics.by_state) == 599
    assert len(derivation.dynamics.by_parameter) == 599
    system = model.compiled(every(model)).system
    assert system.solver == "sparse"
    assert sum(system.dynamics.n_instructions) <= 15 * 300


@pytest.mark.parametrize(
    "method",
    [Method("trapezoid"), Method("gear", "bdf", 1e-6), Method("gear", "auto", 1e-6)],
    ids=["trapezoid", "bdf", "auto"],
)
@pytest.mark.parametrize("make", [predator_prey, heart, lambda: chain(N)], ids=["predator-prey", "heart", "chain"])
def test_frozen_parameters_cost_nothing(make, method):
    problem = make()
    m = problem.p.size
    active = (m - 1, 1)
    full = Simulator(problem.model, problem.times, method)
    some = Simulator(problem.model, problem.times, method, active=active)
    run_full, run_some = full(sensitivities=True), some(sensitivities=True)
    assert run_some.active == active
    assert run_some.s.shape == (problem.times.size, problem.n_states, 2)
    assert np.array_equal(run_some.y, run_full.y)
    expected = run_full.s[:, :, list(active)]
    assert np.allclose(run_some.s, expected, rtol=1e-12, atol=1e-13 * np.abs(expected).max())
    *shared_full, by_parameter_full = full.compiled.system.dynamics.n_instructions
    *shared_some, by_parameter_some = some.compiled.system.dynamics.n_instructions
    assert by_parameter_some < by_parameter_full
    assert sum(shared_some) <= sum(shared_full)


def test_no_active_parameter_leaves_no_instruction():
    none = chain_model(N).compiled(()).system.dynamics.n_instructions
    assert none[-1] == 0
    run = Simulator(chain_model(N), [1.0], active=())(sensitivities=True)
    assert run.s.shape == (1, N, 0)


@pytest.mark.parametrize("formula", ["bdf", "adams", "auto"])
@pytest.mark.parametrize("sensitivities", [False, True])
def test_work_does_not_depend_on_the_number_of_times(formula, sensitivities):
    problem = predator_prey()
    method = Method("gear", formula, 1e-6)
    runs = []
    for count in (26, 126, 12501):
        times = np.linspace(0.0, 12.5, count)[1:]
        # The first time after the start limits the first step: it is the same for all.
        times = np.concatenate(([1e-4], times))
        runs.append(Simulator(problem.model, times, method)(sensitivities=sensitivities))
    assert runs[0].counts == runs[1].counts == runs[2].counts
    assert np.array_equal(runs[0].y[-1], runs[2].y[-1])
