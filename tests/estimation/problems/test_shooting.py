"""Multiple shooting: its problem against differences and another integration, PEIDE's problems, and a hopeless start.

Report: B. van Domselaar & P. W. Hemker, 1975 ("PEIDE"), sections 5, 6 and 8, appendices I and II.
"""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from conversation import data_of, model_of
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

from parfit.data.observations import make_observations
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.parameters import Scaling
from parfit.estimation.problem import Ending
from parfit.estimation.problems.restarting import restarts_at
from parfit.estimation.problems.shooting import shooting_problem
from parfit.estimation.problems.trajectory_fit import Compared, TrajectoryFit
from parfit.estimation.strategies.breakpoints import MOST, chosen_times, possible_times
from parfit.estimation.strategies.shooting_sequence import LOOSEST, by_marquardt, solve_in_stages, tolerances
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Options
from parfit.simulation.method import Method
from parfit.text.shooting import condition_number

TRAPEZOID = OF_1977
GEAR = Options(method=Method("gear", "bdf", eps=1e-8))
ACCURATE = Options(method=Method("gear", "bdf", eps=1e-10))

LOTKA = "par a=1,b=1,c=1,d=1\nx'=a*x-b*x*y\ny'=d*x*y-c*y\ninit x=2,y=1\naux both=x+y\n@ total=10\ndone"
LOTKA_TIMES = np.arange(0.5, 10.25, 0.5)
FITZHUGH = "par a=.2,b=.2,c=3\nV'=c*(V-V^3/3+R)\nR'=-(V-a+b*R)/c\ninit V=-1,R=1\n@ total=20\ndone"


def environment(model, data, options=GEAR, logarithms=False, values=None, frozen=()):
    env = Environment.of(model, data).with_options(options).with_frozen(frozen)
    if logarithms:
        env = env.with_scaling(dict.fromkeys(model.parameters, Scaling.LOGARITHM))
    return env if values is None else env.with_values(values)


def bundled(data, options=GEAR, logarithms=False, **more):
    model = "escep" if data.startswith("escep") else data
    return environment(model_of(model), data_of(data, model), options, logarithms, **more)


def times_of(env, subscripts):
    """Break points by their subscripts, from 1."""
    return [float(np.unique(env.observations.times)[k - 1]) for k in subscripts]


def problem_of(env, times):
    return shooting_problem(env.problem(), restarts_at(times, env.model, env.observations), env.sizes)


def shot_of(env, times, settings=None, **more):
    restarts = restarts_at(times, env.model, env.observations)
    return solve_in_stages(env.problem(), restarts, settings or Settings(max_errors=20), env.sizes, **more)


def fitted(env, shot):
    return env.parameters.expand(shot.last.result.p)


# ---- the problem


def lotka(_, y, p=(1.0, 1.0, 1.0, 1.0)):
    return p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]


def lotka_data(names=("x", "y"), times=LOTKA_TIMES, weights=None):
    """With errors of .02; `both` is x + y."""
    y = solve_ivp(lotka, (0, times[-1]), (2, 1), "DOP853", times, rtol=1e-10, atol=1e-12).y.T
    y = y + 0.02 * np.random.default_rng(3).standard_normal(y.shape)
    columns = {"x": y[:, 0], "y": y[:, 1], "both": y.sum(axis=1)}
    return make_observations(times, names, np.stack([columns[name] for name in names], axis=1), weights)


def lotka_environment(names=("x", "y"), options=GEAR, **more):
    return environment(Model.from_text(LOTKA, "lotka"), lotka_data(names), options, **more)


def lotka_optimum(columns=slice(None)):
    """By scipy, from the true parameters."""
    values = lotka_data().values[:, columns]

    def residuals(p):
        found = solve_ivp(lotka, (0, 10), (2, 1), "DOP853", LOTKA_TIMES, args=(p,), rtol=1e-10, atol=1e-12)
        return (found.y.T[:, columns] - values).ravel()

    best = least_squares(residuals, np.ones(4), xtol=1e-12, ftol=1e-12, gtol=1e-12)
    return best.x, 2 * best.cost


CASES = {
    "both observed": lambda options: (bundled("barnes", options), (3, 6)),
    "one observed, t0 not 0": lambda options: (bundled("heart", options), (4, 8, 12)),
    "logarithms, stiff": lambda options: (bundled("escep-b", options, logarithms=True), (11, 17, 19)),
    "initial values of parameters": lambda options: (bundled("exponentials", options), (5, 10)),
    "a frozen parameter": lambda options: (bundled("bard", options, frozen=["p2", "p5"]), (3,)),
    "an aux quantity": lambda options: (lotka_environment(("x", "both"), options), (4, 9, 14)),
}


@pytest.mark.parametrize("options", [TRAPEZOID, ACCURATE], ids=["trapezoid", "gear"])
@pytest.mark.parametrize("case", CASES)
def test_derivatives_against_differences(case, options):
    env, subscripts = CASES[case](options)
    problem = problem_of(env, times_of(env, subscripts)).reweighted(4, problem_start(env, subscripts))
    p = problem.parameters.point
    found = problem.evaluate(p)
    assert found.usable
    sizes = 1e-4 * np.where(np.abs(p) > 0, np.abs(p), 1.0)
    for k, size in enumerate(sizes):
        central = []
        for h in (size, size / 2):
            step = h * np.eye(p.size)[k]
            central.append((problem.evaluate(p + step).residuals - problem.evaluate(p - step).residuals) / (2 * h))
        expected = (4 * central[1] - central[0]) / 3
        assert found.jac[:, k] == pytest.approx(expected, rel=1e-4, abs=2e-5 * np.abs(expected).max() + 1e-9)


def problem_start(env, subscripts):
    """Somewhat away from the observations at break points, which makes gaps."""
    start = problem_of(env, times_of(env, subscripts)).parameters.point.copy()
    start[len(env.parameters.active) :] *= 1.03
    return start


def test_residuals_against_another_integration_of_every_segment():
    env = lotka_environment(values=(1.2, 0.8, 1.1, 0.9), options=ACCURATE)
    times = [2.0, 6.0]
    problem = problem_of(env, times).reweighted(9, problem_start(env, (4, 12)))
    p, data = problem.parameters.point, env.observations
    begin, y, rows, gaps = 0.0, np.array([2.0, 1.0]), [], []
    for k, end in enumerate([*times, 10.0]):
        inside = data.times[(data.times > begin) & (data.times <= end)]
        run = solve_ivp(lotka, (begin, end), y, "DOP853", inside, args=(env.values,), rtol=1e-11, atol=1e-13).y.T
        rows.append(run)
        if k < len(times):
            begin, y = end, p[4 + 2 * k : 6 + 2 * k]
            gaps.append(run[-1] - y)
    expected = np.concatenate([(np.concatenate(rows) - data.values).ravel(), 9 * np.concatenate(gaps)])
    found = problem.evaluate(p)
    assert found.residuals == pytest.approx(expected, abs=1e-7)
    assert problem.gaps(found) == pytest.approx([np.abs(gap).max() for gap in gaps], abs=1e-7)


@pytest.mark.parametrize("options", [TRAPEZOID, GEAR], ids=["trapezoid", "gear"])
@pytest.mark.parametrize("data", ["barnes", "escep-a", "heart"])
def test_without_break_points_it_is_the_direct_problem(data, options):
    env = bundled(data, options, logarithms=data == "escep-a")
    direct = env.problem().evaluate(env.parameters.point)
    found = problem_of(env, []).evaluate(env.parameters.point)
    assert found.residuals.tolist() == direct.residuals.tolist()
    assert found.jac.tolist() == direct.jac.tolist()


def test_no_break_points_is_marquardts_method():
    env = bundled("barnes")
    direct = env.problem()
    size = float(np.sum(direct.evaluate(env.parameters.point).jac ** 2))
    expected = marquardt.minimize(direct, env.parameters.point, Settings(0.01 * size, atol=1e-15))
    shot = shot_of(env, [], Settings(0.01, atol=1e-15))
    assert shot.last.result.p.tolist() == expected.p.tolist()
    assert shot.n_integrations == expected.n_evaluations
    assert [(stage.weight, stage.times) for stage in shot.stages] == [(0, ())]


def test_without_gaps_the_solution_is_the_one_without_break_points():
    env = bundled("barnes", ACCURATE)
    run = env.problem().evaluate(env.parameters.point).trajectory
    times = times_of(env, (3, 6))
    values = [run.y[np.searchsorted(run.times, time), k] for time in times for k in (0, 1)]
    problem = problem_of(env, times)
    found = problem.evaluate(np.append(env.parameters.point, values))
    assert problem.gaps(found) == pytest.approx([0, 0], abs=1e-8)
    assert found.residuals[:-4] == pytest.approx(env.problem().evaluate(env.parameters.point).residuals, abs=1e-7)


def test_a_solution_has_a_gap_at_every_break_point():
    env = bundled("barnes")
    problem = problem_of(env, [1.5, 3.0])
    run = problem.evaluate(problem.parameters.point).trajectory
    for time, value in ((1.5, 1.1), (3.0, 0.5)):  # y1 as observed
        before, gap, after = np.flatnonzero(run.times == time)
        assert np.isfinite(run.y[before]).all()
        assert np.isnan(run.y[gap]).all()
        assert run.y[after, 0] == value
    assert np.isnan(run.y).any(axis=1).sum() == 2


def test_a_failure_in_a_segment_is_the_status():
    env = lotka_environment(values=(1, -6, 1, 6))
    problem = problem_of(env, [1.0, 2.0])
    found = problem.evaluate(problem.parameters.point)
    assert not found.usable
    assert not found.status
    assert found.status.time < 1.0


# ---- what begins anew


def test_missing_observations_are_interpolated_and_replicates_averaged():
    nan = np.nan
    values = [[1.0, nan], [2.0, 5.0], [4.0, nan], [6.0, nan], [nan, 9.0], [8.0, nan]]
    data = make_observations([1.0, 2.0, 3.0, 3.0, 4.0, 5.0], ["x", "y"], values, np.array([[1.0, 1.0]] * 5 + [[3, 3]]))
    model = Model.from_text(LOTKA, "lotka")
    found = restarts_at([3.0, 2.0, 4.0], model, data)
    assert [(each.time, each.state, each.value, each.weight, each.observed) for each in found] == [
        (2.0, 0, 2.0, 1.0, True),
        (2.0, 1, 5.0, 1.0, True),
        (3.0, 0, 5.0, 1.0, True),
        (3.0, 1, 7.0, 1.0, False),
        (4.0, 0, 6.5, 2.0, False),
        (4.0, 1, 9.0, 1.0, True),
    ]
    assert [each.state for each in restarts_at([1.0], model, data)] == [0], "y was not observed before"


def test_an_observation_that_does_not_count_is_none():
    data = make_observations([1.0, 2.0, 3.0], ["x"], [[1.0], [100.0], [3.0]], [[1.0], [0.0], [1.0]])
    [found] = restarts_at([2.0], Model.from_text(LOTKA, "lotka"), data)
    assert (found.value, found.observed) == (2.0, False)


def test_an_aux_quantity_does_not_begin_anew():
    env = lotka_environment(("x", "both"))
    assert {each.state for each in restarts_at([2.0], env.model, env.observations)} == {0}


def test_gaps_weigh_as_observations_do():
    env = lotka_environment()
    data = replace(env.observations, weights=np.tile([10.0, 0.5], (20, 1)))
    weighted = environment(env.model, data)
    plain, other = (problem_of(each, [3.0]) for each in (env, weighted))
    p = problem_start(env, (6,))
    assert other.evaluate(p).residuals[-2:] == pytest.approx(plain.evaluate(p).residuals[-2:] * [10.0, 0.5], rel=1e-6)


# ---- break points that the program chooses


def test_a_solution_that_stays_with_the_data_is_not_broken():
    assert chosen_times(lotka_environment().problem()) == []


def test_break_points_are_where_the_solution_leaves_the_data():
    """Half a standard deviation away; the first of them by an independent integration."""
    env = lotka_environment(values=(1.0, 1.0, 1.0, 0.6))
    values = env.observations.values
    run = solve_ivp(lotka, (0, 10), (2, 1), "DOP853", LOTKA_TIMES, args=(env.values,), rtol=1e-10, atol=1e-12).y.T
    left = np.flatnonzero((np.abs(run - values) > 0.5 * values.std(axis=0)).any(axis=1))[0]
    found = chosen_times(env.problem(), env.sizes)
    assert found[0] == LOTKA_TIMES[left]
    assert set(found) <= set(possible_times(env.problem()))


def test_a_solution_that_cannot_be_continued_is_broken_before():
    env = lotka_environment(values=(1, -0.6, 1, 1))
    assert chosen_times(env.problem(), env.sizes)[0] == 0.5


def test_there_are_not_too_many_break_points():
    times = np.arange(0.05, 10.01, 0.05)
    env = environment(Model.from_text(LOTKA, "lotka"), lotka_data(times=times), values=(30, 0.1, -20, 1))
    found = chosen_times(env.problem(), env.sizes)
    assert MOST <= len(found) < MOST + 5, "a few more are necessary"
    assert found == sorted(set(found))
    assert len(possible_times(env.problem())) == 199


def test_neither_the_initial_nor_the_last_time_is_a_break_point():
    data = make_observations([0.0, 1.0, 2.0], ["x"], [[2.0], [3.0], [4.0]])
    env = environment(Model.from_text(LOTKA, "lotka"), data)
    assert possible_times(env.problem()).tolist() == [1.0]


# ---- the sequence of problems


def test_tolerances_are_those_of_the_appendix():
    """Page 25: epsilon(M_i) = epsilon(M_i-1) (epsilon' / F)^(1/4) M_i, with data B's numbers and norms for F."""
    first, last = 1.331071, 1e-4
    found = tolerances(first, Settings(rtol=last, atol=last**2))
    factor = (last / first) ** 0.25
    assert [each.weight for each in found] == [1, 4, 9, 16]
    expected = [first * factor, first * factor**2 * 4, first * factor**3 * 36, first * factor**4 * 576]
    assert [each.gap for each in found] == pytest.approx(expected)
    assert [each.relative for each in found] == pytest.approx([min(each, LOOSEST) for each in expected])


def noted(seen):
    """A minimizer that notes what it is given."""

    def minimize(problem, map_, settings, weight, times):
        result = by_marquardt(problem, map_, settings, weight, times)
        seen.append((weight, tuple(times), settings, result))
        return result

    return minimize


def test_every_problem_begins_where_the_last_one_ended():
    env, seen = lotka_environment(values=(1, -0.6, 1, 1)), []
    shot = shot_of(env, list(LOTKA_TIMES[:-1]), minimize=noted(seen))
    assert [weight for weight, *_ in seen] == [1, 4, 9, 16, 0]
    breaks = [set(times) for _, times, *_ in seen]
    assert all(later <= sooner for sooner, later in pairwise(breaks))
    assert breaks[0] == set(LOTKA_TIMES[:-1])
    assert breaks[-1] == set()
    for (*_, before), (_, _, settings, _) in pairwise(seen):
        assert settings.relative == before.lam, "appendix I: lambda is adjusted to the last value used"
    assert [stage.gap for stage in shot.stages] == sorted((stage.gap for stage in shot.stages), reverse=True)
    assert seen[-1][2].rtol == Settings().rtol


def test_needless_break_points_are_dropped_at_once():
    """Gear's problem begins so near that its gaps are smaller than the tolerance."""
    env = bundled("gear")
    shot = shot_of(env, times_of(env, (2, 3)), Settings(1e-4, 1e-4, 1e-6))
    assert shot.needless == tuple(times_of(env, (2, 3)))
    assert [stage.weight for stage in shot.stages] == [0]


def test_a_break_point_without_which_nothing_can_be_integrated_stays():
    """Tolerances so loose that every gap is none."""
    env = lotka_environment(values=(1, -0.6, 1, 1))
    shot = shot_of(env, list(LOTKA_TIMES[:-1]), Settings(0.01, 1e-3, 1e12, max_iterations=1))
    assert len(shot.needless) == 19
    assert len(shot.stages[0].times) == 19


def test_all_integrations_are_counted(monkeypatch):
    env, n = bundled("escep-b", logarithms=True), 0

    def counting(evaluated):
        def counted(self, active):
            nonlocal n
            n += 1
            return evaluated(self, active)

        return counted

    for problem in (Compared, TrajectoryFit):
        monkeypatch.setattr(problem, "_evaluated", counting(problem._evaluated))
    shot = shot_of(env, times_of(env, (17, 19, 21)))
    assert shot.n_integrations == n
    assert sum(stage.n_integrations for stage in shot.stages) == n


def test_the_last_improvement():
    env, norms = bundled("barnes"), []

    def minimize(problem, map_, settings, weight, times):
        norms[:] = [np.sqrt(problem.evaluate(map_.point).sum_of_squares)]

        def accepted(trial):
            if trial.accepted:
                norms.append(np.sqrt(trial.evaluation.sum_of_squares))

        return marquardt.minimize(problem, map_.point, settings, map_, accepted)

    shot = shot_of(env, times_of(env, (3, 5, 7)), Settings(0.01, 1e-3, 1e-4), minimize=minimize)
    assert shot.last.improvement == pytest.approx(norms[-2] - norms[-1])


def test_an_interrupted_problem_interrupts_all():
    env = bundled("barnes")

    def minimize(problem, map_, settings, weight, times):
        return replace(by_marquardt(problem, map_, settings, weight, times), ending=Ending.INTERRUPTED)

    with pytest.raises(KeyboardInterrupt):
        shot_of(env, times_of(env, (3, 5, 7)), minimize=minimize)


def test_it_stops_where_no_segment_can_be_integrated():
    shot = shot_of(lotka_environment(values=(1, -6, 1, 6)), [1.0, 2.0])
    assert [stage.result.ending for stage in shot.stages] == [Ending.START]
    assert shot.stages[0].times == (1.0, 2.0)
    assert shot.first == np.inf


def test_bounds_hold():
    env = bundled("barnes")
    free = fitted(env, shot_of(env, [1.5, 3.0]))
    bounded = env.with_bounds(np.full(3, -np.inf), [np.inf, 2.0, np.inf])
    values = fitted(env, shot_of(bounded, [1.5, 3.0]))
    assert free[1] > 2.05
    assert values[1] <= 2.0
    assert values[1] == pytest.approx(2.0, rel=1e-9)


# ---- PEIDE's problems


class Published(NamedTuple):
    """A problem, its minimum, and the evaluations: as measured here, of which no more than one more is allowed."""

    data: str
    p: tuple[float, ...]
    total: float
    n: int
    breaks: tuple[int, ...] = ()
    lam: float = 1e-2
    rtol: float = 1e-4
    atol: float = 1e-8  # of the sum of squares: PEIDE's is its root
    logarithms: bool = False
    rel: float = 1e-3


ESCEP, STEADY = (1000, 0.99, 0.01), (1600, 0.99, 0.01)
BELLMAN, ROUGH = (4.57043e-6, 2.78448e-4), {"rtol": 1e-3, "atol": 1e-2, "rel": 5e-3}
GEARS = (0.79506, 0.84476, 0.89212, 0.93923)
BARNES = (0.860941, 2.079029, 1.814944)
HEART = (0.27264, 2.65313, 0.36619, 0.20766)
SUMS = (-3, -20, 2, -1, 1)
PUBLISHED = [
    Published("escep-a", ESCEP, 3.663e-8, 7, logarithms=True),
    Published("escep-a", ESCEP, 3.663e-8, 11, (17, 19, 21), logarithms=True),
    Published("escep-b", ESCEP, 1.410e-4**2, 10, logarithms=True),
    Published("escep-b", ESCEP, 1.410e-4**2, 12, (17, 19, 21), logarithms=True),
    Published("escep-c", ESCEP, 1.27e-8, 7, logarithms=True),
    Published("escep-c", ESCEP, 1.27e-8, 11, (9, 10, 11), logarithms=True),
    Published("escep-d", STEADY, 1.183e-8, 9, logarithms=True),
    Published("escep-d", STEADY, 1.183e-8, 12, (6, 8, 10), logarithms=True),
    Published("bellman", BELLMAN, 22.03094, 13, (), 1e-2, **ROUGH),
    Published("bellman", BELLMAN, 22.03094, 11, (), 1e-3, **ROUGH),
    Published("bellman", BELLMAN, 22.03094, 9, (), 1e-4, **ROUGH),
    Published("bellman", BELLMAN, 22.03094, 17, (6, 9), 1e-2, **ROUGH),
    Published("bellman", BELLMAN, 22.03094, 15, (6, 9), 1e-3, **ROUGH),
    Published("bellman", BELLMAN, 22.03094, 13, (6, 9), 1e-4, **ROUGH),
    Published("bellman", BELLMAN, 22.03094, 5, (), 1e-2, **ROUGH, logarithms=True),
    Published("gear", GEARS, 2.40e-7, 3, (), 1e-4, atol=1e-6, rel=5e-3),
    Published("gear", GEARS, 2.40e-7, 4, (2, 3), 1e-4, atol=1e-6, rel=5e-3),
    Published("barnes", BARNES, 0.1644614, 7, (), 1e-2, 1e-3, 1e-4),
    Published("barnes", BARNES, 0.1644614, 9, (3, 5, 7), 1e-2, 1e-3, 1e-4),
    Published("exponentials", SUMS, 8.70e-9, 8, (), 1e-4),
    Published("exponentials", SUMS, 8.70e-9, 10, (2, 4), 1e-4),
    Published("heart", HEART, 4034.84, 9, (), 0.1, **ROUGH),
    Published("heart", HEART, 4034.84, 13, (5, 10, 15), 0.1, **ROUGH),
]


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda c: f"{c.data}{'-log' * c.logarithms}-{c.lam:g}-{len(c.breaks)}")
def test_peides_problems(case):
    """The report's starts, tolerances (assumed but for data B) and lambdas: the minima, and the evaluations.

    PEIDE, tables 8.1 and 8.2 and the text of section 8, without and with break points, and ours beside them.
    Break points are known only for data B, whose print (appendix II) says 12 where the table says 11.

    | problem          | PEIDE 0 | ours | PEIDE 2 or 3 | ours |
    |------------------|---------|------|--------------|------|
    | 1 ESCEP A        | 9       | 7    | 11           | 11   |
    | 1 ESCEP B        | 13      | 10   | 11 (12)      | 12   |
    | 1 ESCEP C        | 9       | 7    | 12           | 11   |
    | 1 ESCEP D        | 12      | 9    | 11           | 12   |
    | 1 ESCEP E        | 5, bad  | 99   | 7, bad       | 79   |
    | 2 Bellman 1E-2   | 20      | 13   | 18           | 17   |
    | 2 Bellman 1E-3   | 16      | 11   | 15           | 15   |
    | 2 Bellman 1E-4   | 13      | 9    | 11           | 13   |
    | 2 Bellman, logs  | 4       | 5    |              |      |
    | 3 Gear           | 3       | 3    | 4            | 4    |
    | 4 Barnes         | 6       | 7    | 7            | 9    |
    | 5 exponentials   | 10      | 8    | 10           | 10   |
    | 6 heart          | 15      | 9    | 16           | 13   |
    """
    env = bundled(case.data, logarithms=case.logarithms)
    settings = Settings(case.lam, case.rtol, case.atol, max_iterations=100, max_errors=20)
    shot = shot_of(env, times_of(env, case.breaks), settings)
    assert shot.last.result.ending is Ending.CONVERGED
    assert shot.last.result.evaluation.sum_of_squares == pytest.approx(
        case.total, rel=5e-2 if case.total < 1e-6 else 1e-4
    )
    if case.data != "exponentials" or not case.breaks:
        assert fitted(env, shot) == pytest.approx(case.p, rel=case.rel)
    assert shot.n_integrations <= case.n + 1
    if case.breaks:
        assert len(shot.stages) > 1 or shot.needless


@pytest.mark.parametrize(("breaks", "n"), [((), 110), ((4, 8, 11), 90)])
def test_data_e_are_fitted_better_than_in_the_report(breaks, n):
    """Table 8.1: 5 and 7 evaluations to 997.15, .470, .526 with F = .4E-5, "not consistent"; a narrow valley."""
    env = bundled("escep-e", logarithms=True)
    shot = shot_of(env, times_of(env, breaks), Settings(0.01, 1e-4, 1e-8, max_iterations=100, max_errors=20))
    assert shot.last.result.evaluation.sum_of_squares < 0.4e-5
    assert shot.n_integrations <= n
    assert fitted(env, shot)[0] == pytest.approx(1000, rel=5e-3)


def test_the_print_of_data_b():
    """Appendix II: first norm 1.331071, last .1430776E-3 (computed 1.410E-4), 12 integrations.

    Its condition number 258.3 belongs to its covariance matrix, after integrations that exceeded the error bound
    37 times; an accurate one is 373.5, here from differences.
    """
    env = bundled("escep-b", logarithms=True)
    shot = shot_of(env, times_of(env, (17, 19, 21)), Settings(0.01, 1e-4, 1e-8, max_errors=20))
    assert np.sqrt(shot.first) == pytest.approx(1.331071, rel=2e-6)
    found = shot.last.result
    assert np.sqrt(found.evaluation.sum_of_squares) == pytest.approx(1.410e-4, rel=1e-3)
    assert shot.n_integrations == 12
    direct, steps = env.problem(), 1e-4 * np.eye(3)
    columns = [(direct.evaluate(found.p + h).residuals - direct.evaluate(found.p - h).residuals) / 2e-4 for h in steps]
    eigenvalues = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    assert condition_number(found.evaluation.jac) == pytest.approx(eigenvalues[-1] / eigenvalues[0], rel=1e-2)


def test_a_matrix_without_full_rank_has_no_condition_number():
    assert condition_number(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])) == np.inf


# ---- starts from which nothing else leads home


@pytest.mark.parametrize("values", [(1, -0.6, 1, 1), (1, -0.5, 1, 1), (1, -0.6, 0.5, 1.2), (2, -0.3, 0.5, 0.9)])
def test_a_solution_that_ends_before_the_second_observation(values):
    """Lotka and Volterra's equations with the wrong sign: both grow without bound before t = 1."""
    env = lotka_environment(values=values)
    direct = env.problem()
    assert 0.5 < direct.evaluate(env.parameters.point).status.time < 1.0
    assert marquardt.minimize(direct, env.parameters.point).ending is Ending.START
    shot = shot_of(env, chosen_times(direct, env.sizes))
    p, total = lotka_optimum()
    assert fitted(env, shot) == pytest.approx(p, rel=1e-4)
    assert shot.last.result.evaluation.sum_of_squares == pytest.approx(total, rel=1e-6)
    assert shot.n_integrations <= 25


def fitzhugh(_, y, p):
    return p[2] * (y[0] - y[0] ** 3 / 3 + y[1]), -(y[0] - p[0] + p[1] * y[1]) / p[2]


@pytest.mark.parametrize("names", [("V", "R"), ("V",)])
def test_fitzhugh_and_nagumos_equations_from_far_away(names):
    """True parameters .2, .2, 3; from 1, -1, 1 the states grow beyond all measure. With V alone nothing else helps."""
    true, times = (0.2, 0.2, 3.0), np.arange(0.25, 20.1, 0.25)
    y = solve_ivp(fitzhugh, (0, 20), (-1, 1), "DOP853", times, args=(true,), rtol=1e-10, atol=1e-12).y.T
    data = make_observations(times, names, y[:, : len(names)])
    env = environment(Model.from_text(FITZHUGH, "fitzhugh"), data, values=(1, -1, 1))
    direct, settings = env.problem(), Settings(0.01, 1e-6, 1e-15, max_iterations=100, max_errors=20)
    assert direct.evaluate(env.parameters.point).sum_of_squares > 1e6
    shot, alone = shot_of(env, chosen_times(direct, env.sizes), settings), shot_of(env, [], settings)
    assert fitted(env, shot) == pytest.approx(true, rel=1e-4)
    assert shot.n_integrations <= 45
    assert shot.n_integrations < alone.n_integrations
    if "R" not in names:
        assert alone.last.result.evaluation.sum_of_squares > 10


@pytest.mark.parametrize(
    ("data", "values", "n"),
    [
        ("predator-prey", (0.5, 0.1, 5, 1, 0.15, 0.01), 80),  # from problem 4.2.2's parameters
        ("predator-prey-2", (1, 0.1, 3, 1, 0.2, 0.15), 420),  # from problem 4.2.3's
        ("predator-prey-3", (0.5, 0.1, 5, 1, 0.15, 0.01), 110),  # from problem 4.2.2's
    ],
)
def test_where_the_thesis_ends_in_local_minima(data, values, n):
    """Benson 1977, Table 4.3.1, column FIT: L, L, and C only with a larger lambda. Here all end at the true values."""
    true = {
        "predator-prey": (1, 0.1, 3, 1, 0.1, 0.15),
        "predator-prey-2": (0.5, 0.1, 5, 1, 0.15, 0.01),
        "predator-prey-3": (1, 0.1, 3, 1, 0.2, 0.15),
    }[data]
    env = bundled(data, values=values)
    times = chosen_times(env.problem(), env.sizes)
    shot = shot_of(env, times, Settings(max_iterations=100, max_errors=20))
    assert fitted(env, shot) == pytest.approx(true, rel=1e-4)
    assert shot.n_integrations <= n
