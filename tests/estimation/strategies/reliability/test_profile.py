"""Profiles of what is named, of ratios against Fieller's limits, and the minimum they belong to."""

import json

import numpy as np
import pytest
from crews import AT_ONCE, NOBODY, Memory
from scipy.optimize import lsq_linear
from scipy.stats import chi2, f
from scipy.stats import t as student

from parfit.data.observations import make_observations
from parfit.data.stacking import added
from parfit.errors import CommandError, StateError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.profiles.walk import End
from parfit.estimation.strategies.parallel import threads
from parfit.estimation.strategies.reliability.profile import profile
from parfit.estimation.strategies.reliability.settling import settled
from parfit.estimation.strategies.reliability.wanted import (
    MOST_BESIDE,
    Request,
    Wanted,
    beside,
    complete,
    read,
    read_wanted,
)
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import MANUAL, Method
from parfit.simulation.simulator import Simulator

X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
LINE = "par a=1, b=2\ny'=b\ninit y=a\ndone"
CLOSELY = Method(eps=1e-11)
NAMED = ((1.0, "low.csv"), (1.5, "high.csv"))


def environment(text=LINE, times=X, values=Y, method=CLOSELY, **more):
    data = make_observations(times, ["y"], np.reshape(values, (-1, 1)), **more)
    return Environment.of(Model.from_text(text), data, options=Options(method=method))


def line():
    design = np.column_stack((np.ones_like(X), X))
    estimate, squares, *_ = np.linalg.lstsq(design, Y)
    return estimate, float(squares[0]) / (X.size - 2), np.linalg.inv(design.T @ design)


def test_every_active_parameter_is_profiled_from_the_minimum():
    found = profile(environment().with_frozen(["a"]), Request())
    assert [each.name for each in found.profiles] == ["b"]
    found = profile(environment(), Request())
    assert [each.name for each in found.profiles] == ["a", "b"]
    assert found.is_moved
    assert found.env.values == pytest.approx(line()[0], rel=1e-7)
    assert found.env.profiles == found.profiles
    assert not profile(found.env, Request()).is_moved


def test_the_ratio_of_two_parameters_has_the_limits_of_fieller():
    """Where (a - r b)^2 is t^2 s^2 times its variance (E. C. Fieller 1954)."""
    (a, b), variance, inverse = line()
    square = variance * student.ppf(0.975, X.size - 2) ** 2
    v11, v12, v22 = square * inverse[0, 0], square * inverse[0, 1], square * inverse[1, 1]
    ends = np.sort(np.roots([b * b - v22, -2.0 * (a * b - v12), a * a - v11]))
    found = profile(environment(), Request(wanted=read_wanted("a/b"))).profiles[0]
    assert found.name == "a/b"
    assert found.limits == pytest.approx(ends, rel=1e-5)


def test_a_prediction_between_and_beyond_the_observations():
    estimate, variance, inverse = line()
    for time in (4.0, 20.0):
        row = np.array([1.0, time])
        half = student.ppf(0.975, X.size - 2) * np.sqrt(variance * row @ inverse @ row)
        found = profile(environment(), Request(wanted=(Wanted("y", time),))).profiles[0]
        assert found.name == f"y at {time:g}"
        assert found.limits == pytest.approx((row @ estimate - half, row @ estimate + half), abs=1e-4 * half)


def test_standard_deviations_of_the_data_make_it_chi_square():
    sds = np.full((X.size, 1), 0.2)
    env = environment(weights=1.0 / sds, sds=sds)
    found = profile(env, Request(wanted=(Wanted("b"),)))
    assert found.threshold.is_known
    half = np.sqrt(chi2.ppf(0.95, 1) * 0.04 * line()[2][1, 1])
    estimate = line()[0][1]
    assert found.profiles[0].limits == pytest.approx((estimate - half, estimate + half), abs=1e-4 * half)


def test_joint_limits_are_those_of_the_region():
    estimate, variance, inverse = line()
    found = profile(environment(), Request(joint=True))
    half = np.sqrt(2.0 * f.ppf(0.95, 2, X.size - 2) * variance * np.diag(inverse))
    assert [each.limits[1] for each in found.profiles] == pytest.approx(estimate + half, rel=1e-5)


def test_a_better_minimum_is_adopted():
    text = "par p=.9\ny'=0\ninit y=(p^2-1)^2+.2*p\ndone"
    noise = np.array([2.0, -3.2, 1.2, 2.4, -1.6, -0.8])
    env = environment(text, values=-0.3 + noise)
    found = profile(env, Request())
    assert found.is_moved
    assert found.env.values[0] < -0.9
    assert found.profiles[0].best == found.env.values[0]
    assert found.env.sum_of_squares == pytest.approx(found.total)


def test_profiles_gather_as_long_as_nothing_changes():
    env = profile(environment(), Request(wanted=(Wanted("b"),))).env
    env = profile(env, Request(wanted=(Wanted("a"),))).env
    assert [each.name for each in env.profiles] == ["b", "a"]
    assert [each.name for each in profile(env, Request(90.0, (Wanted("a"),))).env.profiles] == ["a"]
    assert env.with_values([1.0, 2.0]).profiles == ()


def test_ctrl_c_keeps_what_is_finished():
    def tell(part):
        if part > 0.6:
            raise KeyboardInterrupt

    found = profile(environment(), Request(), tell, crew=AT_ONCE)
    assert found.is_interrupted
    assert [each.name for each in found.profiles] == ["a"]
    assert found.request.written() == "PROFILE 95 a"

    def at_once(part):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        profile(environment(), Request(), at_once, crew=AT_ONCE)


def test_a_line_is_read_and_written():
    for written in ("PROFILE 95 a", "PROFILE 99.5 a*b y AT 24", 'PROFILE 90 "a * b" JOINT', "PROFILE 50"):
        assert read(written.removeprefix("PROFILE")).written() == written
    assert read("") == Request()
    assert read("a b") == Request(wanted=(Wanted("a"), Wanted("b")))
    assert read("99% joint") == Request(99.0, (), True)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0", "is no level"),
        ("100", "is no level"),
        ("-5", "is no level"),
        ("95 nothing", "unknown name"),
        ("95 a*", "a*"),
        ("95 a 3", "more than"),
        ("95 2+2", "is a number"),
        ("95 y", "changes with time"),
        ("95 AT 3", "AT needs"),
        ("95 y AT", "AT needs"),
        ("95 y AT soon", "AT needs"),
        ("95 y AT -1", "before the model begins"),
        ("95 b", "frozen"),
    ],
)
def test_what_cannot_be_profiled_is_refused(line, reason):
    with pytest.raises(CommandError, match=None) as error:
        profile(environment().with_frozen(["b"]), read(line))
    assert reason in error.value.told


def test_other_refusals():
    with pytest.raises(CommandError, match="trapezoidal rule"):
        profile(environment(method=MANUAL), Request(wanted=(Wanted("y", 4.0),)))
    exact = environment(values=1.0 + 2.0 * X)
    with pytest.raises(StateError, match="exact"):
        profile(exact, Request())
    with pytest.raises(StateError, match="degrees of freedom"):
        profile(environment(times=X[:2], values=Y[:2]), Request())
    with pytest.raises(StateError, match="HUBER"):
        profile(environment().with_loss("HUBER"), Request())


def test_a_beyond_of_the_last_time_goes_by_the_trapezoidal_rule_too():
    found = profile(environment(method=MANUAL), Request(wanted=(Wanted("y", 20.0),))).profiles[0]
    assert found.upper.end is End.LIMIT


def test_what_the_integration_cannot_tell_apart_is_not_counted_as_determined():
    """A and s are seen only as their product: limits, degrees of freedom and work are those with A frozen."""
    text = "par k1=.8, k2=.3, A=5, s=2\nx'=-k1*x\ny'=k1*x-k2*y\ninit x=A, y=0\naux z=s*y\ndone"
    times = np.linspace(0.5, 10.0, 20)
    noise = 1.0 + 0.02 * np.random.default_rng(0).standard_normal(20)
    values = 16.0 * (np.exp(-0.3 * times) - np.exp(-0.8 * times)) * noise
    data = make_observations(times, ["z"], values.reshape(-1, 1))
    env = Environment.of(Model.from_text(text), data)
    whole = profile(env, Request(wanted=tuple(map(Wanted, ("k1", "A", "s")))))
    part = profile(env.with_frozen(["A"]), Request(wanted=(Wanted("k1"),)))
    assert whole.threshold.n_free == part.threshold.n_free == 17
    k1, *others = whole.profiles
    assert k1.limits == pytest.approx(part.profiles[0].limits, rel=1e-4)
    assert k1.n_evaluations <= 2 * part.n_evaluations
    for each in others:
        assert [side.end for side in (each.lower, each.upper)] == [End.OPEN, End.OPEN]
        assert each.n_evaluations < 200


def test_a_name_stands_for_all_experiments():
    model = Model.from_text("par a=1, b=2\nlocal b\ny'=b\ninit y=a\ndone")
    low, high = (make_observations(X, ["y"], part * Y[:, np.newaxis], source=name) for part, name in NAMED)
    env = Environment.of(model, added(low, high), options=Options(method=CLOSELY))
    found = complete(env, Request(wanted=(Wanted("b"), Wanted("y", 2.0))))
    assert [each.name for each in found.wanted] == ["b[low]", "b[high]", "y[low] at 2", "y[high] at 2"]
    held = env.with_frozen(["b[low]"])
    assert [each.name for each in complete(held, Request(wanted=(Wanted("b"),))).wanted] == ["b[high]"]
    found = profile(env, Request(wanted=read_wanted("b")))
    assert [each.name for each in found.profiles] == ["b[low]", "b[high]"]
    # Two lines with one beginning: least squares with three columns.
    design = np.array([[1.0, x, 0.0] for x in X] + [[1.0, 0.0, x] for x in X])
    y = np.concatenate((Y, 1.5 * Y))
    estimate, squares, *_ = np.linalg.lstsq(design, y)
    half = student.ppf(0.975, y.size - 3) * np.sqrt(squares[0] / (y.size - 3) * np.linalg.inv(design.T @ design)[1, 1])
    assert found.profiles[0].limits == pytest.approx((estimate[1] - half, estimate[1] + half), abs=1e-3 * half)


def test_sides_are_the_same_whoever_walks_them():
    every = []
    for size in (1, 3):
        with threads(size) as crew:
            every.append([each.values.tobytes() for each in profile(environment(), Request(), crew=crew).profiles])
    assert every[0] == every[1] == [each.values.tobytes() for each in profile(environment(), Request()).profiles]


def test_finished_sides_are_found_again():
    memory = Memory()
    first = profile(environment(), Request(), kept=memory)
    assert len(memory) == 4
    plain = json.loads(json.dumps(memory))
    again = profile(environment(), Request(), kept=Memory(plain), crew=NOBODY)
    assert [each.limits for each in again.profiles] == [each.limits for each in first.profiles]
    assert [each.rises.tobytes() for each in again.profiles] == [each.rises.tobytes() for each in first.profiles]
    assert again.n_evaluations == first.n_evaluations


def test_a_quantity_whose_parameters_come_to_bounds():
    """a + b of a cubic with bounds of its other coefficients: each point against scipy's bounded least squares."""
    t = np.linspace(0.0, 2.0, 12)
    y = 1.0 + 2.0 * t - 1.5 * t**2 + 0.4 * t**3 + 0.1 * np.cos(9.0 * t)
    sds = np.full((12, 1), 0.2)
    model = "par a=1, b=1.8, c=-1, d=.3\ny'=b+2*c*t+3*d*t^2\ninit y=a\ndone"
    env = environment(model, t, y, weights=1.0 / sds, sds=sds)
    low, high = np.array([-np.inf, -np.inf, -1.6, -0.2]), np.array([np.inf, np.inf, -1.3, 0.45])
    found = profile(env.with_bounds(low, high), Request(99.0, (Wanted("a+b"),)))
    each = found.profiles[0]
    design = np.vander(t, 4, increasing=True) / 0.2
    best = lsq_linear(design, y / 0.2, (low, high), method="bvls")
    assert found.total == pytest.approx(2.0 * best.cost, rel=1e-6)
    assert any(each.at_bounds)
    for value, rise in zip(each.values, each.rises, strict=True):
        # With a = value - b the others are free but for their own bounds.
        columns = np.column_stack((design[:, 1] - design[:, 0], design[:, 2:]))
        exact = lsq_linear(columns, y / 0.2 - design[:, 0] * value, (low[1:], high[1:]), method="bvls")
        assert rise * each.threshold.rise == pytest.approx(2.0 * (exact.cost - best.cost), abs=0.01)


@pytest.mark.parametrize(("form", "wanted"), [(Form.RELATIVE, "y AT 1"), (Form.LOGNORMAL, "ke*v")])
def test_the_end_of_a_quantity_is_found_closely_and_soon(form, wanted):
    """The last point of the way, which was found roughly, is no end that the secant could trust."""
    text = "par ka=1, ke=.3, v=10\ng'=-ka*g\ny'=ka*g/v-ke*y\ninit g=100, y=0\ndone"
    times = [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]
    values = [2.786, 5.171, 4.683, 7.431, 5.796, 4.464, 3.625, 2.266, 1.618, 0.762]
    env = environment(text, np.array(times), values, Method(eps=1e-9)).with_noise(Noise({"y": VariableNoise(form)}))
    [found] = profile(env, Request(wanted=read_wanted(wanted))).profiles
    assert (found.lower.end, found.upper.end) == (End.LIMIT, End.LIMIT)
    assert found.rises[[0, -1]] == pytest.approx(1.0, abs=1e-5)
    assert found.n_evaluations <= 45


def test_few_others_are_profiled_for_the_sake_of_one():
    """Those that are correlated most: a sum of pairs, in each of which one parameter makes up for the other."""
    pairs = "abcdef"
    text = "".join(
        f"par {x}1=1,{x}2=1\nx{x}'=-{x}1*x{x}+{x}2*(1+{0.1 * k}*t)\nx{x}(0)=0\n" for k, x in enumerate(pairs)
    )
    model = Model.from_text(f"{text}done\n", "pairs")
    times = np.arange(1.0, 6.0)
    run = Simulator(model, times)()
    noise = 0.01 * np.cos(np.arange(30.0)).reshape(5, 6)
    env = Environment.of(model, make_observations(times, model.states, run.y + noise))
    found = beside(settled(env), Request(wanted=(Wanted("c1"),)))
    assert len(found) == MOST_BESIDE
    assert Wanted("c2") in found
    assert not beside(settled(env), Request(wanted=(Wanted("c1*c2"),)))
    assert not beside(settled(env), complete(env, Request()))
