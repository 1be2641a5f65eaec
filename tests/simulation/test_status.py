"""Models that cannot be integrated end in a status, at the right place and in words; others must not."""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from memory import spoil_memory
from problems import HEART, HEART_OPTIMUM, PROBLEMS
from references import reference
from scipy.integrate import solve_ivp
from scipy.special import expi

from parfit import Method, Model, Simulator, Trajectory
from parfit.simulation.status import Reason

GEARS = [
    Method("gear", formula, eps=eps, h_min=h_min)
    for formula in ("adams", "bdf", "auto")
    for eps, h_min in ((1e-2, 1e-5), (1e-6, 0.0))
]
METHODS = [Method("trapezoid"), *GEARS]


def called(method: Method) -> str:
    return f"{method.procedure} {method.formula} {method.eps:g}" if method.procedure == "gear" else "trapezoid"


of_each_method = pytest.mark.parametrize("method", METHODS, ids=called)
of_each_gear = pytest.mark.parametrize("method", GEARS, ids=called)
with_or_without = pytest.mark.parametrize("sensitivities", [False, True], ids=["states", "sensitivities"])


@dataclass(frozen=True)
class Bad:
    """A model in which something is wrong at a certain time."""

    name: str
    text: str
    times: tuple[float, ...]
    state: str  # in which it is wrong
    trouble: float  # when
    late: float  # the time by which it must have been noticed
    exact: object = None  # of that state, before the trouble


BAD = (
    Bad("division by zero at the start", "par k=1\nx'=-k*x\ny'=k/y\nx(0)=1\ny(0)=0\ndone", (0.5, 1), "y", 0, 0),
    Bad(
        "division by a state that becomes zero",
        "par k=1\nx'=-k\ny'=y/x\nx(0)=1\ny(0)=1\ndone",
        (0.25, 0.5, 0.75, 1.0, 1.25),
        "y",
        1.0,
        1.0,
        lambda t: 1 / (1 - t),
    ),
    Bad(
        "a pole in time",
        "par k=1\nx'=-k*x\ny'=k/(1-t)^2\nx(0)=1\ny(0)=1\ndone",
        (0.25, 0.5, 0.75, 1.0, 1.25),
        "y",
        1.0,
        1.0,
        lambda t: 1 / (1 - t),
    ),
    Bad(
        "logarithm of a negative number",
        "par k=1\nx'=-k\ny'=ln(x)\nx(0)=1\ny(0)=1\ndone",
        (0.25, 0.5, 0.75, 1.1, 1.5),
        "y",
        1.0,
        1.1,
        lambda t: 1 - t - (1 - t) * np.log(1 - t),
    ),
    Bad(
        "square root of a negative number",
        "par k=1\nx'=-k\ny'=sqrt(x)\nx(0)=1\ny(0)=1\ndone",
        (0.25, 0.5, 0.75, 1.1, 1.5),
        "y",
        1.0,
        1.1,
        lambda t: 1 + 2 / 3 * (1 - (1 - t) ** 1.5),
    ),
    Bad(
        "square root of itself, going negative",
        "par k=1\ny'=-k*sqrt(y)\ny(0)=1\ndone",
        (0.5, 1.0, 1.5, 2.5, 3.0),
        "y",
        2.0,
        2.5,
        lambda t: (1 - t / 2) ** 2,
    ),
    Bad(
        "overflow",
        "par k=1\nx'=-k*x\ny'=exp(exp(k*t))\nx(0)=1\ny(0)=1\ndone",
        (0.5, 1.0, 1.5, 2.0, 6.0, 8.0),
        "y",
        np.log(np.log(np.finfo(float).max)),
        8.0,
        lambda t: 1 + expi(np.exp(t)) - expi(1.0),
    ),
    Bad(
        "overflow of a state that starts at zero",
        "par k=1\nx'=-k*x\ny'=exp(exp(k*t))\nx(0)=1\ny(0)=0\ndone",
        (0.5, 1.0, 1.5, 2.0, 6.0, 8.0),
        "y",
        np.log(np.log(np.finfo(float).max)),
        8.0,
        lambda t: expi(np.exp(t)) - expi(1.0),
    ),
    Bad(
        "blow-up",
        "par a=1\nx'=-a*x\ny'=y^2\nx(0)=1\ny(0)=a\ndone",
        (0.25, 0.5, 0.75, 2.0, 3.0),
        "y",
        1.0,
        2.0,
        lambda t: 1 / (1 - t),
    ),
)
of_each_bad = pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)


def run(text: str, times, method: Method, sensitivities: bool) -> Trajectory:
    simulator = Simulator(Model.from_text(text), times, method)
    spoil_memory()
    return simulator(sensitivities=sensitivities)


def assert_ends_in_order(trajectory: Trajectory) -> int:
    """Rows before the end are finite, those after it NaN, of states and sensitivities; how many are finite."""
    finite = np.isfinite(trajectory.y).all(axis=1)
    n_good = int(finite.sum())
    assert finite[:n_good].all()
    assert np.isnan(trajectory.y[n_good:]).all()
    if trajectory.s is not None:
        assert np.isfinite(trajectory.s[:n_good]).all()
        assert np.isnan(trajectory.s[n_good:]).all()
    assert bool(trajectory.status) == (n_good == trajectory.times.size)
    return n_good


@of_each_bad
@of_each_method
@with_or_without
def test_a_bad_model_ends_in_a_status(bad, method, sensitivities):
    trajectory = run(bad.text, bad.times, method, sensitivities)
    n_good = assert_ends_in_order(trajectory)
    assert not trajectory.status
    assert trajectory.status.reason in (
        Reason.NOT_FINITE,
        Reason.NOT_SMOOTH,
        Reason.NO_CONVERGENCE,
        Reason.ERROR_TEST,
        Reason.CORRECTOR,
    )
    assert trajectory.times[:n_good].max(initial=0) <= bad.late
    # The trapezoidal rule knows only its steps; Gear's method comes close, from either side.
    if method.procedure == "gear":
        assert trajectory.status.time == pytest.approx(bad.trouble, rel=0.12, abs=1e-12)
        assert n_good == sum(time < bad.trouble for time in bad.times)
    else:
        steps = [(0.0, 0.0), *pairwise((0.0, *bad.times))]
        assert trajectory.status.time in [end for _, end in steps]
        assert trajectory.status.time <= bad.late


@of_each_bad
@of_each_method
def test_the_status_names_the_time_and_the_state(bad, method):
    status = run(bad.text, bad.times, method, False).status
    assert status.state == bad.state
    assert re.search(rf" {bad.state}\b", str(status))
    assert f"t = {status.time:.6g}" in str(status)


@pytest.mark.parametrize("bad", [bad for bad in BAD if bad.exact], ids=lambda bad: bad.name)
@of_each_gear
def test_what_was_reached_before_the_trouble_is_right(bad, method):
    before = np.array([time for time in bad.times if time < bad.trouble])
    got, exact = run(bad.text, bad.times, method, False).column("y")[: before.size], bad.exact(before)
    # Errors are relative to the largest value so far, and these solutions amplify them on their way up.
    assert np.all(np.abs(got - exact) <= 200 * method.eps * np.maximum.accumulate(np.abs(exact)))


@of_each_bad
@of_each_method
def test_states_are_the_same_with_sensitivities_up_to_the_end(bad, method):
    plain, more = (run(bad.text, bad.times, method, sensitivities) for sensitivities in (False, True))
    assert np.array_equal(plain.y, more.y, equal_nan=True)
    # Sensitivities need g and its derivatives at the end of a step, where these may fail one step earlier.
    assert more.status.reason in (plain.status.reason, Reason.NOT_SMOOTH)
    assert more.status.time <= plain.status.time


@pytest.mark.parametrize("start", ["ln(a)", "1/(a+1)", "sqrt(a)", "exp(-1000*a)"])
@of_each_method
@with_or_without
def test_an_initial_value_that_is_no_number(start, method, sensitivities):
    text = f"par a=-1\nx'=1\ny'=a*y\nx(0)=1\ny(0)={start}\ndone"
    trajectory = run(text, [1.0, 2.0], method, sensitivities)
    assert assert_ends_in_order(trajectory) == 0
    assert trajectory.status.reason is Reason.START
    assert trajectory.status.state == "y"
    assert "initial value of y" in str(trajectory.status)


CROWD = "".join(f"x{i}'=-k*x{i}+.001*({'+'.join(f'x{j}' for j in range(40))})\nx{i}(0)=1\n" for i in range(40))


@pytest.mark.parametrize("method", GEARS, ids=called)
@pytest.mark.parametrize(
    ("others", "end"),
    [("x0'=-.5*k\nx0(0)=1\n", 0.8), (CROWD, np.log(1 / 0.6) / 0.96)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("derivative", ["z*log(x0-.6)", "1/heav(x0-.6)-1"], ids=["NaN", "infinite"])
@with_or_without
def test_what_never_moved_ends_a_run_where_its_derivative_is_no_number(method, others, end, derivative, sensitivities):
    """Its size is unknown, and errors of it count nothing: that it is no number counts all the same."""
    text = f"par k=1,z=0\n{others}w'={derivative}\nw(0)=0\ndone"
    times = end * np.array([0.5, 0.9, 1.1, 2.0])
    trajectory = run(text, times, method, sensitivities)
    assert assert_ends_in_order(trajectory) == 2
    assert (trajectory.status.reason, trajectory.status.state) == (Reason.NOT_FINITE, "w")
    assert trajectory.status.time == pytest.approx(end, rel=0.05)
    exact = 1 - 0.5 * times[:2] if end == 0.8 else np.exp(-0.96 * times[:2])
    assert trajectory.column("x0")[:2] == pytest.approx(exact, rel=30 * method.eps)


@of_each_method
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_parameter_that_is_no_number(method, value):
    model = Model.from_text("par k=1\nx'=-x\ny'=-k*y\nx(0)=1\ny(0)=1\ndone")
    trajectory = Simulator(model, [0.5, 1.0], method)([value], sensitivities=True)
    assert assert_ends_in_order(trajectory) == 0
    assert trajectory.status.reason is Reason.NOT_FINITE
    assert trajectory.status.state == "y"


@pytest.mark.parametrize(
    "text",
    [
        "par k=1\nx'=-x\ny'=k*sqrt(y)\nx(0)=1\ny(0)=0\ndone",  # g_y is infinite, g is 0
        "par k=0\nx'=-x\ny'=-y\nx(0)=1\ny(0)=sqrt(k)\ndone",  # dy0/dp is infinite, y0 is 0
        "par k=0\nx'=-x\ny'=sqrt(k)*x\nx(0)=1\ny(0)=1\ndone",  # g_p is infinite, g is 0
    ],
    ids=["g_y", "dy0/dp", "g_p"],
)
@of_each_method
def test_derivatives_that_are_no_numbers_do_not_pass_in_silence(text, method):
    trajectory = run(text, [0.5, 1.0], method, True)
    assert not trajectory.status
    assert trajectory.status.state == "y"
    assert np.isnan(trajectory.s).all()


SWITCHED = {  # text, exact solution
    "heav": (
        "par k=1\ny'=heav(t-1)-k*y\ny(0)=1\ndone",
        lambda t: np.exp(-t) + np.where(t < 1, 0.0, 1 - np.exp(1 - t)),
    ),
    "if": ("par k=1\ny'=k*if(t<1)then(1)else(-1)\ny(0)=1\ndone", lambda t: np.where(t < 1, 1 + t, 3 - t)),
    "if on a state": (
        "par k=1\nx'=k\ny'=if(x<1)then(1)else(-y)\nx(0)=0\ny(0)=1\ndone",
        lambda t: np.where(t < 1, 1 + t, 2 * np.exp(1 - t)),
    ),
    "sign": ("par k=1\ny'=k*sign(sin(t))\ny(0)=1\ndone", lambda t: 1 + np.arccos(np.cos(t))),
    "abs": (
        "par k=1\ny'=abs(1-t)-k*y\ny(0)=1\ndone",
        lambda t: np.where(t < 1, 2 - t - np.exp(-t), t - 2 + (2 - 1 / np.e) * np.exp(1 - t)),
    ),
}


@pytest.mark.parametrize("name", SWITCHED)
@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@pytest.mark.parametrize(("eps", "h_min"), [(1e-2, 1e-5), (1e-4, 0.0), (1e-6, 0.0), (1e-8, 0.0)])
@with_or_without
def test_discontinuous_equations_are_integrated(name, formula, eps, h_min, sensitivities):
    """With steps no longer than the pieces, since nobody sees a piece between two points."""
    text, exact = SWITCHED[name]
    times = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0])
    method = Method("gear", formula, eps=eps, h_min=h_min, h_max=1.0)
    trajectory = run(text, times, method, sensitivities)
    assert trajectory.status, str(trajectory.status)
    assert_ends_in_order(trajectory)
    error = np.abs(trajectory.column("y") - exact(times))
    assert np.all(error <= 20 * eps * np.abs(exact(times)).max())
    assert trajectory.counts.evaluations < 2000


@pytest.mark.parametrize("name", SWITCHED)
@with_or_without
def test_the_trapezoidal_rule_copes_with_discontinuities_at_its_times(name, sensitivities):
    text, exact = SWITCHED[name]
    times = np.linspace(0, 8, 801)
    trajectory = run(text, times, Method("trapezoid"), sensitivities)
    assert trajectory.status, str(trajectory.status)
    assert_ends_in_order(trajectory)
    assert np.max(np.abs(trajectory.column("y") - exact(times))) < 0.05


STIFF = "par k=1e7\ny'=-k*(y-cos(t))\ny(0)={start}\ndone"


@pytest.mark.parametrize("start", [0, 0.5])
@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@with_or_without
def test_a_transient_shorter_than_hmin(start, formula, sensitivities):
    """HMIN is longer than the transient: refused at the start, and the remedy is named."""
    trajectory = run(STIFF.format(start=start), [0.5, 1, 2], Method("gear", formula, 0.01, h_min=1e-5), sensitivities)
    assert assert_ends_in_order(trajectory) == 0
    assert trajectory.status.reason in (Reason.ERROR_TEST, Reason.CORRECTOR)
    assert trajectory.status.time == pytest.approx(0.0, abs=1e-4)
    assert "lower HMIN" in str(trajectory.status)


@pytest.mark.parametrize("start", [0, 0.5])
@pytest.mark.parametrize("formula", ["bdf", "auto"])
@with_or_without
def test_the_same_transient_without_hmin(start, formula, sensitivities):
    method = Method("gear", formula, 0.01, h_min=0.0)
    trajectory = run(STIFF.format(start=start), [0.5, 1, 2], method, sensitivities)
    assert trajectory.status
    assert trajectory.y[:, 0] == pytest.approx(np.cos([0.5, 1, 2]), abs=20 * method.eps)
    assert trajectory.counts.evaluations < 500


@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@with_or_without
def test_too_many_steps(formula, sensitivities):
    oscillator = PROBLEMS[1]
    method = Method("gear", formula, eps=1e-6, h_max=np.inf, max_steps=20)
    trajectory = run(oscillator.text, [0.01, 10.0, 20.0], method, sensitivities)
    assert assert_ends_in_order(trajectory) == 1
    assert trajectory.status.reason is Reason.TOO_MANY_STEPS
    assert 0.01 < trajectory.status.time < 10
    assert "more than 20 steps" in str(trajectory.status)
    assert f"t = {trajectory.status.time:.6g}" in str(trajectory.status)
    assert trajectory.counts.steps <= 60


def test_steps_are_counted_between_times_and_not_altogether():
    method = Method("gear", "bdf", eps=1e-6, h_max=np.inf, max_steps=20)
    trajectory = run(PROBLEMS[1].text, np.linspace(0, 30, 301), method, False)
    assert trajectory.status
    assert trajectory.counts.steps > 100


@of_each_method
@pytest.mark.parametrize("n", [1, 2, 3])
@with_or_without
def test_nothing_but_the_initial_time(method, n, sensitivities):
    trajectory = run("par k=2, a=3\ny'=-k*y\ny(0)=a\ndone", [0.0] * n, method, sensitivities)
    assert trajectory.status
    assert assert_ends_in_order(trajectory) == n
    assert np.all(trajectory.y == 3.0)
    if sensitivities:
        assert np.all(trajectory.s == [[[0.0, 1.0]]])


@of_each_method
def test_the_initial_time_repeated_before_others(method):
    text = "par k=2, a=3\ny'=-k*y\ny(0)=a\ndone"
    trajectory = run(text, [0.0, 0.0, 0.5, 0.5, 1.0], method, True)
    once = run(text, [0.0, 0.5, 1.0], method, True)
    assert trajectory.status
    assert trajectory.y[[0, 2, 4]] == pytest.approx(once.y, rel=20 * method.eps)
    assert np.array_equal(trajectory.y[0], trajectory.y[1])
    assert trajectory.y[2] == pytest.approx(trajectory.y[3], rel=1e-14)


@of_each_method
def test_equations_without_motion(method):
    trajectory = run("par k=0\nx'=k*x\ny'=0\nx(0)=0\ny(0)=2\ndone", [0.5, 100.0, 1e4], method, True)
    assert trajectory.status, str(trajectory.status)
    assert np.array_equal(trajectory.y, [[0.0, 2.0]] * 3)
    assert np.all(trajectory.s == 0)
    assert trajectory.counts.steps <= 2100  # of HMAX = 5


@pytest.mark.parametrize("problem", [HEART, HEART_OPTIMUM], ids=["guess", "optimum"])
@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@pytest.mark.parametrize("h_min", [0.0, 1e-5])
@pytest.mark.parametrize("rows", [range(27), [5, 26], [26]], ids=["all times", "two times", "one time"])
def test_the_pulse_of_the_heart_problem_is_not_stepped_over(problem, formula, h_min, rows, record_property):
    """With the default HMAX, also where there are no sample times; the pulse is at t = 13."""
    exact, times = reference(problem), [problem.times[i] for i in rows]
    for eps in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        method = Method("gear", formula, eps=eps, h_min=h_min)
        run = Simulator(problem.model, times, method)(problem.p, sensitivities=True)
        assert run.status, str(run.status)
        # A curve without the pulse is wrong by .93 of the largest value.
        assert np.all(np.abs(run.y - exact.y[rows]) <= 20 * eps * exact.y_largest)
        assert np.all(np.abs(run.s - exact.s[rows]) <= 200 * eps * exact.s_largest)
    start = (problem.t0, problem.times[-1]), problem.initial(problem.p)
    lsoda = solve_ivp(problem.rhs, *start, "LSODA", problem.times, args=(problem.p,), rtol=1e-6)
    record_property("error of LSODA", float(np.max(np.abs(lsoda.y.T - exact.y) / exact.y_largest)))


@of_each_gear
@pytest.mark.parametrize("value", [1e150, 1e200, 1e300])
def test_absurd_parameters_end_too(method, value):
    """The first step has to be about as short as a number can be; both states go to 1 at once."""
    model = Model.from_text("par a=1,b=2,c=3\nx'=-a*x+b*y\ny'=-c*y+a\nx(0)=1")
    trajectory = Simulator(model, [1.0], method)([value] * 3)
    if trajectory.status:
        assert trajectory.y == pytest.approx(np.ones((1, 2)), rel=1e-3)
    else:
        assert np.isnan(trajectory.y).all()


@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e9])
@pytest.mark.parametrize("bystander", ["", "\nz'=-z\nz(0)=1"])
def test_a_dose_that_comes_late_is_not_missed(formula, unit, bystander):
    """Everything rests at 0 until an infusion from t = 1 to t = 2; the unit of the amount does not matter."""
    dose = "u*(heav(t-1)-heav(t-2))"
    model = Model.from_text(f"par k=1\nnumber u={unit}\nx'={dose}-k*x\ny'=k*x-2*y{bystander}\ndone")
    times = np.linspace(0.5, 20.0, 40)
    run = Simulator(model, times, Method("gear", formula, 1e-6, h_min=0.0))(sensitivities=True)
    assert run.status
    during, after = 1 - np.exp(-np.maximum(times - 1, 0)), (1 - np.exp(-1)) * np.exp(-np.maximum(times - 2, 0))
    exact = unit * np.where(times < 2, during, after)
    assert np.abs(run.column("x") - exact).max() <= 200e-6 * exact.max()
    assert np.isfinite(run.s).all()


@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
def test_rounding_errors_are_not_followed(formula):
    """x' = u - (u/3)*3 is 0 but for rounding errors of u."""
    model = Model.from_text("par k=1\nu'=-k*u+sin(t)\nx'=u-u/3-u/3-u/3\nu(0)=1\ndone")
    run = Simulator(model, [10.0, 20.0], Method("gear", formula, 1e-6, h_min=0.0))(sensitivities=True)
    alone = Model.from_text("par k=1\nu'=-k*u+sin(t)\nu(0)=1\ndone")
    reference = Simulator(alone, [10.0, 20.0], Method("gear", formula, 1e-6, h_min=0.0))(sensitivities=True)
    assert run.status
    assert run.counts.steps <= 2 * reference.counts.steps
