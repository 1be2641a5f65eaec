"""Profiles against closed forms: a straight line, its predictions, an exponential with its
factor solved for, and every way in which a side can end."""

import numpy as np
import pytest
from scipy.optimize import brentq, least_squares, lsq_linear
from scipy.stats import chi2, f
from scipy.stats import t as student

from parfit.data.observations import make_observations
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.profiles import constrained
from parfit.estimation.profiles.constrained import Held
from parfit.estimation.profiles.profile import Finding, profiled
from parfit.estimation.profiles.target import ParameterTarget, QuantityTarget, reach
from parfit.estimation.profiles.threshold import threshold
from parfit.estimation.profiles.walk import BetterPointError, End
from parfit.estimation.strategies.reliability.settling import settled
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
LINE = "par a=1, b=2\ny'=b\ninit y=a\ndone"
DECAY = "par a=2, k=.5\ny'=-k*y\ninit y=a\ndone"
NOISE = np.array([0.05, -0.08, 0.03, 0.06, -0.04, -0.02, 0.07, -0.05])
TIMES = np.arange(8.0)
DECAYED = 2.0 * np.exp(-0.5 * TIMES) + NOISE


def fitted(text, times, values, scale=None, bounds=None, frozen=()):
    """An environment at its minimum, integrated so closely that closed forms can be compared with."""
    data = make_observations(times, ["y"], np.reshape(values, (-1, 1)))
    env = Environment.of(Model.from_text(text), data, options=Options(method=Method(eps=1e-11)))
    names = env.model.parameters
    if scale:
        env = env.with_scaling(scale)
    if bounds:
        lower, upper = (np.array([bounds.get(name, (-np.inf, np.inf))[k] for name in names]) for k in (0, 1))
        env = env.with_bounds(lower, upper)
    env = env.with_frozen(frozen)
    problem = env.problem()
    found = bounded.minimize(problem, env.parameters.point, bounded.Settings(1e-13), env.parameters.active_bounds)
    return env.with_values(env.parameters.expand(found.p))


def made(env, name, level=95.0):
    problem, map_ = env.problem(), env.parameters
    at = problem.evaluate(map_.point)
    limit = threshold(level, at.sum_of_squares, at.residuals.size - len(map_.active), False)
    k = [map_.names[j] for j in map_.active].index(name)
    return profiled(problem, map_, ParameterTarget(map_, k), limit)


def line_of(x, y):
    """Estimates, their covariance and the variance of the errors, by the normal equations."""
    design = np.column_stack((np.ones_like(x), x))
    estimate, squares, *_ = np.linalg.lstsq(design, y)
    variance = float(squares[0]) / (x.size - 2)
    return estimate, variance * np.linalg.inv(design.T @ design), variance


@pytest.mark.parametrize("level", [50.0, 95.0, 99.5])
def test_the_profiles_of_a_straight_line_are_the_linear_theory(level):
    estimate, cov, _ = line_of(X, Y)
    factor = student.ppf(0.5 + level / 200.0, X.size - 2)
    env = fitted(LINE, X, Y)
    for k, name in enumerate("ab"):
        found = made(env, name, level)
        half = factor * np.sqrt(cov[k, k])
        assert found.limits == pytest.approx((estimate[k] - half, estimate[k] + half), abs=2e-5 * half)
        assert found.finding is Finding.DETERMINED
        assert found.skewness == pytest.approx(1.0, abs=1e-4)
        assert found.rises == pytest.approx(found.parabola, abs=1e-4)


def test_the_prediction_of_a_straight_line():
    estimate, cov, _ = line_of(X, Y)
    env = fitted(LINE, X, Y)
    times = np.unique([*env.samples.times, 12.0])
    problem = env.problem()
    wider = env.with_samples(type(env.samples)(times)).problem()
    at = problem.evaluate(env.parameters.point)
    limit = threshold(95.0, at.sum_of_squares, X.size - 2, False)
    found = profiled(wider, env.parameters, QuantityTarget(env.parameters, "y", times.size - 1, "y at 12"), limit)
    row = np.array([1.0, 12.0])
    half = student.ppf(0.975, X.size - 2) * np.sqrt(row @ cov @ row)
    assert found.limits == pytest.approx((row @ estimate - half, row @ estimate + half), abs=2e-5 * half)


def test_limits_of_an_exponential_with_its_factor_solved_for():
    """With k held the factor is a linear problem, so that F is a function of k alone."""

    def total(k):
        basis = np.exp(-k * TIMES)
        return float(np.sum((basis * (basis @ DECAYED) / (basis @ basis) - DECAYED) ** 2))

    env = fitted(DECAY, TIMES, DECAYED)
    k = float(env.values[1])
    limit = total(k) * (1.0 + f.ppf(0.95, 1, TIMES.size - 2) / (TIMES.size - 2))
    ends = brentq(lambda x: total(x) - limit, 0.01, k), brentq(lambda x: total(x) - limit, k, 5.0)
    for scaling in Scaling:
        found = made(fitted(DECAY, TIMES, DECAYED, {"k": scaling}), "k")
        assert found.limits == pytest.approx(ends, rel=2e-5)
        assert found.lower.end is found.upper.end is End.LIMIT
    assert found.skewness > 1.02  # which the linear theory does not see


def test_points_lie_on_the_profile_and_are_as_far_apart_as_they_should():
    found = made(fitted(DECAY, TIMES, DECAYED), "k")

    def solved(k):
        basis = np.exp(-k * TIMES)
        best = (basis @ DECAYED) / (basis @ basis)
        return best, float(np.sum((basis * best - DECAYED) ** 2))

    least = solved(found.best)[1]
    for value, rise, parameters in zip(found.values, found.rises, found.parameters, strict=True):
        best, total = solved(value)
        assert parameters[0] == pytest.approx(best, rel=2e-3)
        assert rise == pytest.approx((total - least) / found.threshold.rise, abs=2e-3)
    assert np.diff(np.sort(found.rises)).max() < 0.35
    assert 12 <= found.values.size <= 24


def test_known_errors_are_chi_square_and_others_are_f():
    assert threshold(95.0, 7.0, 10, True).rise == pytest.approx(chi2.ppf(0.95, 1))
    assert threshold(95.0, 7.0, 10, True, 3).rise == pytest.approx(chi2.ppf(0.95, 3))
    assert threshold(95.0, 7.0, 10, False).rise == pytest.approx(0.7 * student.ppf(0.975, 10) ** 2)
    assert threshold(90.0, 7.0, 10, False, 3).rise == pytest.approx(0.7 * 3 * f.ppf(0.9, 3, 10))


@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
def test_units_do_not_matter(factor):
    """The same problem with the data, and so the factor of the exponential, in other units."""
    env = fitted(DECAY.replace("a=2", f"a={2 * factor!r}"), TIMES, factor * DECAYED)
    one = made(fitted(DECAY, TIMES, DECAYED), "a")
    assert np.array(made(env, "a").limits) == pytest.approx(factor * np.array(one.limits), rel=1e-5)


# ---- how a side can end


def test_a_product_leaves_its_factors_open():
    scale = {"k": Scaling.LOGARITHM, "c": Scaling.LOGARITHM}
    env = fitted(DECAY.replace("-k*y", "-k*c*y").replace("k=.5", "k=.5, c=1"), TIMES, DECAYED, scale)
    found = made(env, "k")
    assert (found.lower.end, found.upper.end) == (End.OPEN, End.OPEN)
    assert found.limits == (-np.inf, np.inf)
    assert found.finding is Finding.NOT_DETERMINED
    assert np.abs(found.rises).max() < 1e-3
    product = found.parameters[:, 1] * found.parameters[:, 2]
    assert product == pytest.approx(np.full(product.size, product[0]), rel=1e-3)
    assert found.n_evaluations < 60


def test_a_saturating_parameter_has_one_limit_only():
    """y = 1 - exp(-k t) has come to rest before the first observation, however large k is."""
    times = np.arange(1.0, 9.0)

    def total(k):
        return float(np.sum((np.exp(-k * times) - NOISE) ** 2))

    env = fitted("par k=4\ny'=k*(1-y)\ninit y=0\ndone", times, 1.0 - NOISE, {"k": Scaling.LOGARITHM})
    found = made(env, "k")
    assert found.upper.end is End.OPEN
    assert found.finding is Finding.LOWER_ONLY
    limit = total(found.best) * (1.0 + f.ppf(0.95, 1, 7) / 7.0)
    assert total(1e9) < limit
    assert found.limits[0] == pytest.approx(brentq(lambda k: total(k) - limit, 0.3, found.best), rel=1e-4)


def test_a_bound_of_its_own_ends_a_side():
    env = fitted(DECAY, TIMES, DECAYED, bounds={"k": (0.45, np.inf)})
    found = made(env, "k")
    assert found.lower.end is End.BOUND
    assert found.values[0] == 0.45
    assert found.rises[0] < 1.0
    assert found.finding is Finding.UPPER_ONLY


@pytest.mark.parametrize(("part", "end"), [(0.985, End.BOUND), (1.015, End.LIMIT)])
def test_a_bound_just_before_the_limit_is_no_limit(part, end):
    """F of a straight line rises with the square of the distance, by such a part of its limit up to the bound."""
    estimate, cov, _ = line_of(X, Y)
    half = student.ppf(0.975, X.size - 2) * np.sqrt(cov[1, 1])
    high = estimate[1] + half * np.sqrt(part)
    found = made(fitted(LINE, X, Y, bounds={"b": (-np.inf, high)}), "b")
    assert found.upper.end is end
    assert found.values[-1] == pytest.approx(min(high, estimate[1] + half), abs=1e-4 * half)
    assert found.rises[-1] == pytest.approx(min(part, 1.0), abs=1e-3)


def test_the_bound_of_another_is_told_and_moves_the_limit():
    free = made(fitted(DECAY, TIMES, DECAYED), "k")
    least = float(fitted(DECAY, TIMES, DECAYED).values[0]) - 0.03
    held = made(fitted(DECAY, TIMES, DECAYED, bounds={"a": (least, np.inf)}), "k")
    assert held.lower.end is End.LIMIT
    assert held.pressed(0) == ("a",)
    assert held.pressed(1) == ()
    assert held.parameters[0, 0] == pytest.approx(least)
    assert free.limits[0] < held.limits[0] < held.best
    assert held.limits[1] == pytest.approx(free.limits[1], rel=1e-5)

    def total(k):
        return float(np.sum((least * np.exp(-k * TIMES) - DECAYED) ** 2))

    best = fitted(DECAY, TIMES, DECAYED)
    limit = best.problem().evaluate(best.parameters.point).sum_of_squares + held.threshold.rise
    assert held.limits[0] == pytest.approx(brentq(lambda k: total(k) - limit, 0.2, held.best), rel=1e-4)


def test_where_nothing_can_be_integrated_a_side_ends_with_the_reason():
    env = fitted("par k=.5\ny'=sqrt(.52-k)-.1\ninit y=0\ndone", TIMES, (np.sqrt(0.02) - 0.1) * TIMES + 20 * NOISE)
    found = made(env, "k")
    assert found.upper.end is End.FAILED
    assert "not a finite number" in str(found.upper.status)
    assert found.values[-1] <= 0.52
    assert found.limits[1] == np.inf


def test_a_better_minimum_is_seen():
    """F has minima near -1 and 1, and the one near -1 is the lower; the ridge between is below the limit."""
    text = "par p=.9\ny'=0\ninit y=(p^2-1)^2+.2*p\ndone"
    env = fitted(text, TIMES, -0.3 + 40.0 * NOISE)
    assert env.values[0] > 0.5
    with pytest.raises(BetterPointError) as better:
        made(env, "p")
    assert better.value.place.p[0] < 0.0


def test_how_far_one_looks_has_no_units():
    assert reach(2.0, np.inf) == 1e4 * 2.0
    assert reach(0.0, 3.0) == 30.0
    assert reach(1e-6, 1.0) == 10.0


# ---- what it costs


def test_profiles_cost_less_than_half_of_fits_at_the_same_points(tour):
    """Six parameters, two states, 50 observations."""
    env = tour
    mine = theirs = 0
    for k, name in enumerate(env.model.parameters):
        found = made(env, name)
        mine += found.n_evaluations
        assert found.finding is Finding.DETERMINED
        for value in found.values:
            full = env.values.copy()
            full[k] = value
            held = env.with_values(full).with_frozen([name])
            start = held.parameters.point
            theirs += bounded.minimize(held.problem(), start, bounded.Settings(1e-6)).n_evaluations
    assert mine <= 0.5 * theirs
    assert mine <= 250


@pytest.fixture(scope="module")
def tour():
    import parfit

    values = {"p1": 0.4945, "p2": 0.0992, "p3": 5.017, "p4": 1.0, "p5": 0.1494, "p6": 0.009841}
    problem = parfit.load("models/tour.ode", "models/tour.csv").with_values(values)
    return problem.fit().environment


def test_a_tangent_is_the_change_of_the_others(tour):
    """-(Jo'Jo)^-1 Jo'Jk, by the normal equations."""
    problem, map_ = tour.problem(), tour.parameters
    held = Held(problem, map_, ParameterTarget(map_, 2))
    place = held.place(map_.point)
    direction, pressed, slope, curvature = held.tangent(place)
    jac = place.evaluation.jac
    others = [0, 1, 3, 4, 5]
    expected = -np.linalg.lstsq(jac[:, others], jac[:, 2])[0]
    assert direction[others] == pytest.approx(expected, rel=1e-6)
    assert direction[2] == pytest.approx(1.0)
    assert curvature == pytest.approx(1.0 / np.linalg.inv(jac.T @ jac)[2, 2], rel=1e-6)
    assert abs(slope) < 1e-3 * np.sqrt(curvature * place.total)
    assert pressed == ()


def test_a_problem_made_by_hand_can_be_profiled():
    env = fitted(LINE, X, Y)
    again = TrajectoryFit(env.simulator(), env.parameters, env.observations)
    limit = threshold(95.0, again.evaluate(env.parameters.point).sum_of_squares, X.size - 2, False)
    assert profiled(again, env.parameters, ParameterTarget(env.parameters, 0), limit).limits == made(env, "a").limits


def test_a_refit_that_was_cut_short_is_no_point(monkeypatch):
    env = fitted(DECAY, TIMES, DECAYED)
    map_ = env.parameters
    held = Held(env.problem(), map_, ParameterTarget(map_, 0))
    best = held.place(map_.point)
    assert held.refitted(best, 1.1 * best.value) is not None
    monkeypatch.setattr(constrained, "REFIT", bounded.Settings(max_evaluations=2))
    assert held.refitted(best, 1.1 * best.value) is None


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_within_bounds_each_point_is_that_of_bounded_linear_least_squares(k):
    """A cubic whose coefficients are at bounds at the minimum, or come to them: each point against scipy's BVLS."""
    t = np.linspace(0.0, 2.0, 12)
    y = 1.0 + 2.0 * t - 1.5 * t**2 + 0.4 * t**3 + 0.1 * np.cos(9.0 * t)
    sds = np.full((12, 1), 0.2)
    model = Model.from_text("par a=1, b=1.8, c=-1, d=.3\ny'=b+2*c*t+3*d*t^2\ninit y=a\ndone")
    data = make_observations(t, ["y"], y[:, np.newaxis], 1.0 / sds, sds)
    low, high = np.array([0.9, -5.0, -1.1, -5.0]), np.array([1.3, 1.9, 5.0, 0.4])
    env = Environment.of(model, data, options=Options(method=Method(eps=1e-11))).with_bounds(low, high)
    design = np.vander(t, 4, increasing=True) / 0.2
    best = lsq_linear(design, y / 0.2, (low, high), method="bvls")
    env = env.with_values(best.x)
    limit = threshold(95.0, 2.0 * best.cost, 8, True)
    found = profiled(env.problem(), env.parameters, ParameterTarget(env.parameters, k), limit)
    others = np.arange(4) != k
    for value, rise in zip(found.values, found.rises, strict=True):
        right = y / 0.2 - design[:, k] * value
        exact = lsq_linear(design[:, others], right, (low[others], high[others]), method="bvls")
        assert rise * limit.rise == pytest.approx(2.0 * (exact.cost - best.cost), abs=2e-3 * limit.rise)


def test_a_time_at_which_something_jumps_is_limited_by_the_observations_next_to_it():
    """Between two observations its effect is made up for; beyond them F is too large, as scipy's fits say."""
    t = np.arange(13.0)
    noise = 0.1 * np.cos(7.0 * t)

    def curve(p, time):
        return 5.0 * np.exp(-p[0] * t) + np.where(t >= time, p[1] * np.exp(-p[0] * (t - time)), 0.0)

    y = curve((0.3, 2.0), 4.4) + noise
    sds = np.full((13, 1), 0.1)
    model = Model.from_text("par k=.3, td=4.4, d=2\nx'=-k*x\ninit x=5\nglobal 1 {t-td} {x=x+d}\ndone")
    env = Environment.of(model, make_observations(t, ["x"], y[:, np.newaxis], 1.0 / sds, sds))
    found = settled(env).env
    limit = threshold(95.0, 1.0, 10, True)
    side = profiled(found.problem(), found.parameters, ParameterTarget(found.parameters, 1), limit)
    assert (side.lower.end, side.upper.end) == (End.JUMP, End.JUMP)
    assert side.limits == pytest.approx((4.0, 5.0), abs=1e-3)
    assert side.finding is Finding.DETERMINED

    def total(time):
        return 2.0 * least_squares(lambda p: (curve(p, time) - y) / 0.1, [0.3, 2.0]).cost

    assert max(total(4.01), total(4.99)) - total(4.4) < limit.rise < min(total(3.99), total(5.01)) - total(4.4)
