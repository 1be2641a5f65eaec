"""The vocabulary of pictures."""

from dataclasses import replace

import numpy as np
import pytest
from conversation import data_of, model_of
from drawn import at
from scipy.integrate import solve_ivp

from parfit.data.observations import make_observations
from parfit.pictures import series
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Options

OPTIONS = {"accurate": Options(), "1977": OF_1977}


def environment(options="accurate", **more):
    data = data_of("predator-prey")
    data = make_observations(data.times, data.names, data.values, **more)
    return Environment.of(model_of("predator-prey"), data, options=OPTIONS[options])


def exact(p, times):
    def rates(t, y):
        eaten = y[0] * y[1] / (1 + p[4] * y[0])
        return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten]

    return solve_ivp(rates, (0, times[-1]), [2, 8], "DOP853", times, rtol=1e-11, atol=1e-12).y


def test_a_solution_is_a_smooth_curve_of_the_equations():
    env = environment()
    run = env.simulator()(env.values)
    lines = series.solution(env, run, ["y1", "y2"])
    for line, y in zip(lines, exact(env.values, lines[0].x), strict=True):
        np.testing.assert_allclose(line.y, y, rtol=1e-4)
        assert np.diff(line.x).max() <= 12.5 / 300
        assert np.diff(line.x).min() > 1e-3, "no two are the same but for rounding"
        at(line, env.samples.times)
    assert [(line.label, line.variable, line.number) for line in lines] == [("y1", "y1", 0), ("y2", "y2", 1)]


def test_it_is_integrated_once_for_all_pictures_of_a_solution(monkeypatch):
    env = environment()
    run = env.simulator()(env.values)
    assert run.fine is run.fine
    before = run.held
    run.put_away()
    assert run.held < before / 10, "and can be put away with the solution"


def test_the_trapezoidal_rule_shows_its_own_points():
    env = environment("1977")
    run = env.simulator()(env.values)
    (line,) = series.solution(env, run, ["y1"])
    np.testing.assert_array_equal(line.x, env.samples.times)
    np.testing.assert_array_equal(line.y, run.y[:, 0])


def test_where_the_smooth_curve_cannot_be_had_the_solution_itself_is_shown():
    env = environment()
    simulator = env.simulator()
    run = simulator(env.values)
    few = replace(env.options.method, max_steps=run.counts.steps)
    limited = replace(env, options=replace(env.options, method=few)).simulator()
    run = limited(env.values)
    fails = limited.finer(env.values)
    assert run.status
    assert run.fine is (run if not fails.status else run.fine)
    assert np.isfinite(run.fine.y).all()


def test_observations_have_error_bars_where_standard_deviations_were_given():
    sds = np.full((25, 2), np.nan)
    sds[::2, 0] = 0.25
    first, second = series.observed(environment(sds=sds))
    np.testing.assert_array_equal(first.errors, sds[:, 0])
    assert (first.label, first.kind, first.variable, first.what) == ("y1 observed", "points", "y1", "observed")
    assert np.isnan(second.errors).all()
    assert all(each.errors is None for each in series.observed(environment()))


@pytest.mark.parametrize("is_log", [False, True])
def test_bars_go_one_standard_deviation_to_either_side(is_log):
    sds = np.full((25, 2), 0.25)
    sds[1] = np.nan
    sds[2] = 1e3
    points = series.observed(environment(sds=sds))[0]
    (bars,) = points.bars(is_log)
    lower, upper, gap = bars.y.reshape(-1, 3).T
    assert np.isnan(gap).all()
    np.testing.assert_allclose((lower + upper)[3:] / 2, points.y[3:])
    np.testing.assert_allclose((upper - lower)[3:], 0.5)
    assert np.isnan(lower[1])
    assert lower[2] == (points.y[2] if is_log else points.y[2] - 1e3), "a logarithm has no zero"


def test_a_part_of_a_solution_is_integrated_for_itself():
    env = environment()
    run = env.simulator()(env.values)
    lines = [line.between(3.0, 3.1) for line in series.solution(env, run, ["y1", "y2"])]
    for line, y in zip(lines, exact(env.values, np.append(lines[0].x, 12.5))[:, :-1], strict=True):
        assert (line.x[0], line.x[-1], line.x.size) == (3.0, 3.1, 600)
        np.testing.assert_allclose(line.y, y, rtol=1e-4)
    beyond = series.solution(env, run, ["y1"])[0].between(-5.0, 20.0)
    assert (beyond.x[0], beyond.x[-1]) == (0.0, 20.0), "from the initial time on, and beyond the observations"
    np.testing.assert_allclose(beyond.y[[0, -1]], exact(env.values, beyond.x)[0][[0, -1]], rtol=1e-3)


def test_the_trapezoidal_rule_and_points_have_no_more_to_show():
    env = environment("1977")
    run = env.simulator()(env.values)
    (line,) = series.solution(env, run, ["y1"])
    np.testing.assert_array_equal(line.between(3.0, 3.1).x, env.samples.times)
    (points,) = series.observed(env, ["y1"])
    assert points.between(3.0, 3.1) is points
