"""Networks of reactions, whose matrices are sparse, against scipy; and rows that must be exchanged."""

import random

import numpy as np
import pytest
from benchmarks.networks import Network
from scipy.integrate import solve_ivp
from scipy.stats import poisson

from parfit import Method, Model, Simulator
from parfit.model.calculus.elimination import plan

TIMES = np.linspace(0.5, 6.0, 12)


def solved(network, method="LSODA"):
    """States and their derivatives by the factors of the rates, from equations written with numpy."""
    n, m = network.n, network.n_parameters
    start = np.concatenate((network.start, np.zeros(n * m)))
    run = solve_ivp(network.with_derivatives, (0, TIMES[-1]), start, method, TIMES, rtol=1e-10, atol=1e-13)
    return run.y[:n].T, run.y[n:].T.reshape(TIMES.size, n, m)


@pytest.mark.parametrize("formulas", ["adams", "bdf", "auto"])
def test_a_network(formulas):
    network = Network(90, n_parameters=3, seed=5)
    simulator = Simulator(network.model, TIMES, Method("gear", formulas, 1e-9, h_min=0.0))
    assert simulator.compiled.system.solver == "sparse"
    run = simulator(sensitivities=True)
    y, s = solved(network)
    assert np.abs(run.y - y).max() < 1e-6 * np.abs(y).max()
    assert np.abs(run.s - s).max() < 1e-5 * np.abs(s).max()


def test_a_stiff_network():
    network = Network(90, n_parameters=3, seed=5, spread=3.0)
    run = Simulator(network.model, TIMES, Method(eps=1e-9))()
    rates = solve_ivp(
        lambda t, y: network.rates(y, network.factors),
        (0, TIMES[-1]),
        network.start,
        "LSODA",
        TIMES,
        rtol=1e-10,
        atol=1e-13,
    )
    assert np.abs(run.y - rates.y.T).max() < 1e-6 * np.abs(rates.y).max()


def test_the_trapezoidal_rule():
    """The discrete equations hold at every point, and their derivatives agree with differences."""
    network, times = Network(90, n_parameters=3, seed=5), np.linspace(0.05, 1.0, 20)
    simulator = Simulator(network.model, times, Method("trapezoid"))
    run = simulator(sensitivities=True)
    y = np.vstack((network.start, run.y))
    rates = np.array([network.rates(row, network.factors) for row in y])
    steps = np.diff(y, axis=0) - 0.025 * (rates[1:] + rates[:-1])
    assert np.abs(steps).max() < 1e-9
    for k, name in enumerate(network.model.parameters):
        up, down = (simulator({name: 1 + d}).y for d in (1e-5, -1e-5))
        assert np.abs((up - down) / 2e-5 - run.s[:, :, k]).max() < 1e-7


def test_rows_are_exchanged_where_they_must_be():
    """x' = a x on a sparse star: at steps h = 1/(l a) a pivot vanishes, in whatever units the states are."""
    lines = ["par a=1", "x0'=a*x0-x1", "x1'=x0-a*x1", "init x0=1"]
    lines += [f"x{i}'=x0-{i}*x{i}*x{(i * 7) % 60 + 2}" for i in range(2, 62)]
    model = Model.from_text("\n".join(lines))
    simulator = Simulator(model, np.array([1.0, 2.0, 4.0]), Method("trapezoid"))
    assert simulator.compiled.system.solver == "sparse"
    run = simulator(sensitivities=True)  # of length 2 is the last step: 1 - h/2 a = 0 exactly
    assert run.status, str(run.status)
    rates = np.array([[1.0, -1.0], [1.0, -1.0]])
    y = np.array([1.0, 0.0])
    for h, found in zip([1.0, 1.0, 2.0], run.y[:, :2], strict=True):
        y = np.linalg.solve(np.eye(2) - h / 2 * rates, (np.eye(2) + h / 2 * rates) @ y)
        assert np.allclose(found, y, rtol=1e-12)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_of_single_states_do_not_matter(unit):
    network = Network(90, n_parameters=3, seed=5)
    other = network.in_units(7, unit)
    one = Simulator(network.model, TIMES, Method(eps=1e-8))(sensitivities=True)
    two = Simulator(other, TIMES, Method(eps=1e-8))(sensitivities=True)
    sizes = np.where(np.arange(90) == 7, unit, 1.0)
    assert np.abs(two.y / sizes - one.y).max() < 1e-7 * np.abs(one.y).max()
    assert np.abs(two.s / sizes[:, None] - one.s).max() < 1e-6 * np.abs(one.s).max()
    assert two.counts.steps == pytest.approx(one.counts.steps, rel=0.1)


def test_a_larger_network_is_solved_by_iteration():
    network = Network(300, n_parameters=3, seed=5)
    simulator = Simulator(network.model, TIMES, Method(eps=1e-9))
    assert simulator.compiled.system.iterates
    run = simulator(sensitivities=True)
    y, s = solved(network, "DOP853")
    assert np.abs(run.y - y).max() < 1e-8 * np.abs(y).max()
    assert np.abs(run.s - s).max() < 1e-7 * np.abs(s).max()
    assert run.counts.factorizations < 0.2 * run.counts.steps


def test_sensitivities_do_not_change_the_states_of_a_larger_network():
    network = Network(300, n_parameters=3, seed=5)
    simulator = Simulator(network.model, TIMES, Method())
    assert np.array_equal(simulator().y, simulator(sensitivities=True).y)


@pytest.mark.parametrize("damping", [1e2, 1e5])
def test_incomplete_factors_that_do_not_serve_are_completed(damping):
    """x' = K (p cos(t + phase) - x): where strong rotations hold the states together incomplete factors are useless.

    From where it starts x = p Re(X exp(it)), iX = K (exp(i phase) - X), and so is its derivative by p.
    """
    n, rng = 300, np.random.default_rng(1)
    rates = damping * np.eye(n)
    for i in range(n):
        for j in rng.choice(n, 2, replace=False):
            if i != j:
                rates[i, j] = 3.0 * damping * rng.normal()
                rates[j, i] = -rates[i, j]
    found = np.linalg.solve(1j * np.eye(n) + rates, rates @ np.exp(1j * np.arange(n)))
    lines = ["par p=2"]
    for i, row in enumerate(rates):
        terms = (f"({row[j]:.17g})*(p*cos(t+{j})-x{j})" for j in np.flatnonzero(row))
        lines += [f"x{i}'={'+'.join(terms)}", f"init x{i}=p*({found[i].real:.17g})"]
    model = Model.from_text("\n".join(lines))
    assert plan(n, model.derivation.dynamics.by_state).outline is not None
    run = Simulator(model, np.arange(1.0, 4.0), Method(eps=1e-8))(sensitivities=True)
    assert run.status, str(run.status)
    exact = (found * np.exp(1j * np.arange(1.0, 4.0)[:, None])).real
    assert np.abs(run.y - 2 * exact).max() < 1e-7
    assert np.abs(run.s[:, :, 0] - exact).max() < 1e-7


@pytest.mark.parametrize("formulas", ["adams", "bdf", "auto"])
def test_a_solution_that_ends_ends_an_integration_with_incomplete_factors(formulas):
    """Near a pole the corrector fails with incomplete factors and with complete ones."""
    n, rng = 110, random.Random(114)
    ring = rng.sample(range(n), n)
    before, after = np.roll(ring, 1), np.roll(ring, -1)
    start = [rng.choice([0.0, float(f"{rng.uniform(0.1, 3):.3g}")]) for _ in range(n)]
    lines = [
        f"x{i}'=3*(x{a}-2*x{b}+x{c})-98*x{b}^2" for i, (a, b, c) in enumerate(zip(before, ring, after, strict=True))
    ]
    model = Model.from_text("\n".join([*lines, *(f"init x{i}={value}" for i, value in enumerate(start))]))
    run = Simulator(model, [0.005, 100.0], Method(formula=formulas, eps=1e-6))()

    def rates(_, x):
        return 3 * (x[before] - 2 * x[ring] + x[after]) - 98 * x[ring] ** 2

    def left(_, x):
        return 1e9 - np.abs(x).max()

    left.terminal = True
    peer = solve_ivp(rates, (0, 100), start, "DOP853", [0.005], events=left, rtol=1e-9, atol=1e-12)
    assert np.abs(run.y[0] - peer.y[:, 0]).max() < 1e-4 * np.abs(peer.y).max()
    assert np.isnan(run.y[1]).all()
    assert run.status.time == pytest.approx(peer.t_events[0][0], rel=1e-4)


@pytest.mark.parametrize("formulas", ["adams", "bdf", "auto"])
def test_what_is_at_the_end_of_a_long_chain_may_be_smaller_than_numbers_are(formulas):
    """Of what begins in the first of 600 states, the share in state i is that of a Poisson distribution."""
    n, times = 600, np.array([0.5, 5.0, 20.0])
    lines = ["par k=1", "x0'=-k*x0", "init x0=1", *(f"x{i}'=k*(x{i - 1}-x{i})" for i in range(1, n))]
    run = Simulator(Model.from_text("\n".join(lines)), times, Method(formula=formulas, eps=1e-7))(sensitivities=True)
    assert run.status, str(run.status)
    share = poisson.pmf(np.arange(n), times[:, None])
    before = np.pad(share, ((0, 0), (1, 0)))[:, :-1]
    assert np.abs(run.y - share).max() < 1e-6
    assert np.abs(run.s[:, :, 0] - times[:, None] * (before - share)).max() < 1e-5


def test_sensitivities_of_states_that_stay_at_zero():
    """They have no size that errors could be compared with. A copy of the same linear equations starts at 1."""
    n, rng = 150, np.random.default_rng(2)
    terms = {(copy, i): [] for copy in "xz" for i in range(n)}
    for rate in np.exp(rng.normal(size=4 * n)):
        a, c = rng.choice(n, 2, replace=False)
        for copy in "xz":
            terms[copy, a].append(f"-{rate:.17g}*{copy}{a}")
            terms[copy, c].append(f"+{rate:.17g}*{copy}{a}")
    rows = [f"{copy}{i}'={''.join(each) or 0}" for (copy, i), each in terms.items()]
    model = Model.from_text("\n".join(["par a=0,b=1", *rows, "init x0=b,z0=a"]))
    simulator = Simulator(model, TIMES, Method(eps=1e-9))
    assert simulator.compiled.system.iterates
    run = simulator(sensitivities=True)
    assert not run.y[:, n:].any()
    assert np.abs(run.s[:, n:, 0] - run.y[:, :n]).max() < 1e-7
    assert np.abs(run.s[:, :n, 1] - run.y[:, :n]).max() < 1e-7


def test_work_of_networks_grows_little_faster_than_they_do():
    """Entries of the factors that usually serve, from 250 to 1000 states, and factorizations of a run."""
    small, large = Network(250), Network(1000)
    few, many = (plan(each.n, each.model.derivation.dynamics.by_state).outline[1].size for each in (small, large))
    assert many < 4**1.2 * few
    counts = Simulator(large.model, TIMES, Method())(sensitivities=True).counts
    assert counts.factorizations < 0.25 * counts.steps
