"""Jumps and switches on the way: states and sensitivities against closed forms and differences of these."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import lambertw

from parfit import Method, Model, Simulator
from parfit.errors import ParfitError
from parfit.simulation.status import Reason

# None is one at which something happens that depends on parameters: a derivative there is one of two.
TIMES = np.array([0.0, 0.4, 0.9, 1.3, 2.2, 3.1, 4.7, 6.0, 7.9, 10.3])
FORMULAS = ("adams", "bdf", "auto")


def after(t, tau):
    """The time since tau, and whether it has come."""
    return np.maximum(t - tau, 0.0), t >= tau


def oral(t, d, ka, ke, lag=0.0):
    """Gut and centre after a dose into the gut at the time lag."""
    u, on = after(t, lag)
    gut = d * np.exp(-ka * u) * on
    return gut, d * ka / (ka - ke) * (np.exp(-ke * u) - np.exp(-ka * u)) * on


def infused(t, d, ke, dur, start):
    """One compartment under an infusion of d over dur."""
    u, on = after(t, start)
    v, _ = after(t, start + dur)
    return on * d / dur / ke * (np.exp(-ke * v) - np.exp(-ke * u))


def ball(times, g, r, x0):
    """Height and speed of a ball that keeps a part r of its speed."""
    rows = []
    for t in times:
        start, height, speed = 0.0, x0, 0.0
        fall = (speed + np.sqrt(speed**2 + 2 * g * height)) / g
        while start + fall <= t:
            start, height, speed = start + fall, 0.0, r * (g * fall - speed)
            fall = 2 * speed / g
        u = t - start
        rows.append((height + speed * u - g * u * u / 2, speed - g * u))
    return np.array(rows).T


def spiking(times, i, threshold, reset):
    """v' = i - v that falls back to `reset` from the threshold, from 0."""
    first, period = np.log(i / (i - threshold)), np.log((i - reset) / (i - threshold))
    begin = np.where(times >= first, first + period * np.floor((times - first) / period), 0.0)
    return [i - (i - np.where(times >= first, reset, 0.0)) * np.exp(-(times - begin))]


ORAL = "gut'=-ka*gut\ncen'=ka*gut-ke*cen\n"
CASES = {
    "a bolus": ("par ka=1.3, ke=.2, d=50\n" + ORAL + "dose gut=d at 0", lambda t, ka, ke, d: oral(t, d, ka, ke)),
    "a lag": (
        "par ka=1.3, ke=.2, d=50, lag=.7\n" + ORAL + "dose gut=d at lag",
        lambda t, ka, ke, d, lag: oral(t, d, ka, ke, lag),
    ),
    "doses": (
        "par ka=1.3, ke=.2, d=50, lag=.7\n" + ORAL + "dose gut=d at lag+0, lag+1.6, 3, 4.5",
        lambda t, ka, ke, d, lag: sum(np.array(oral(t, d, ka, ke, tau)) for tau in (lag, lag + 1.6, 3.0, 4.5)),
    ),
    "a list": (
        "par ka=1.3, ke=.2, d=50\n" + ORAL + "dose gut=d at 0(2)8",
        lambda t, ka, ke, d: sum(np.array(oral(t, d, ka, ke, tau)) for tau in (0.0, 2.0, 4.0, 6.0, 8.0)),
    ),
    "an infusion": (
        "par ke=.2, d=50, dur=2.5, lag=.7\ncen'=-ke*cen\ndose cen=d over dur at lag",
        lambda t, ke, d, dur, lag: [infused(t, d, ke, dur, lag)],
    ),
    "infusions that overlap": (
        "par ke=.2, d=50, dur=2.5\ncen'=-ke*cen\ndose cen=d over dur at 0, 1, 5",
        lambda t, ke, d, dur: [sum(infused(t, d, ke, dur, start) for start in (0.0, 1.0, 5.0))],
    ),
    "a reset": (
        "par k=.3, b=.8, c=1.5\nx'=-k*x\nx(0)=4\nset x=x/2+b at 2*c",
        lambda t, k, b, c: [np.where(t < 2 * c, 4 * np.exp(-k * t), (2 + b * np.exp(2 * k * c)) * np.exp(-k * t))],
    ),
    "a reset that depends on time": (
        "par k=.3, c=1.5\nx'=-k\nx(0)=4\nset x=x*t at 2*c",
        lambda t, k, c: [np.where(t < 2 * c, 4 - k * t, (4 - 2 * k * c) * 2 * c - k * (t - 2 * c))],
    ),
    "a constant that changes": (
        "par k=.3, a=.8\nx'=-k*x+u\nnumber u=0\nx(0)=1\nset u=a at 2\nset u=u+1 at 5",
        lambda t, k, a: [
            np.exp(-k * t) + a / k * (1 - np.exp(-k * after(t, 2)[0])) + 1 / k * (1 - np.exp(-k * after(t, 5)[0])),
            a * (t >= 2) + 1.0 * (t >= 5),
        ],
    ),
    "two at once": (
        "par k=.3, a=.8\nx'=-k*x\ny'=0\nx(0)=1\nset x=5; y=x at 2\ndose x=a at 2\ndose x=2*a at 2",
        lambda t, k, a: [
            np.where(t < 2, np.exp(-k * t), (5 + 3 * a) * np.exp(-k * (t - 2))),
            np.where(t < 2, 0.0, np.exp(-2 * k)),
        ],
    ),
    "an event sets off another": (
        "par k=.3, a=2.5\nx'=-k\ny'=0\nx(0)=1\nset x=a at 2.5\nglobal 1 {x-2} {y=y+x}",
        lambda t, k, a: [np.where(t < 2.5, 1 - k * t, a - k * (t - 2.5)), np.where(t < 2.5, 0.0, a)],
    ),
    "an event at a time": (
        "par d=3, k=.4, tau=2.7\nx'=-k*x\nx(0)=1\nglobal 1 {t-tau} {x=x+d}",
        lambda t, d, k, tau: [np.exp(-k * t) + np.where(t >= tau, d * np.exp(-k * (t - tau)), 0.0)],
    ),
    "a ball": ("par g=1, r=.8, h=2\nx'=v\nv'=-g\nx(0)=h\nglobal -1 {x} {v=-r*v}", ball),
    "spikes": ("par i=1.5, th=1, b=.2\nv'=i-v\nglobal 1 {v-th} {v=b}", spiking),
    "heav": (
        "par k=.3, tau=2.4, d=2\nx'=-k*x+d*heav(t-tau)\nx(0)=1",
        lambda t, k, tau, d: [np.exp(-k * t) + d / k * (1 - np.exp(-k * after(t, tau)[0]))],
    ),
    "if of a state": (
        "par k=.6, a=2, q=.3\nx'=if(x<a)then(k)else(q)\nx(0)=.5",
        lambda t, k, a, q: [np.where(t < (a - 0.5) / k, 0.5 + k * t, a + q * (t - (a - 0.5) / k))],
    ),
    "abs and max": (
        "par k=.6, a=1.1\nx'=k\ny'=max(x,a)-abs(x-2)\nx(0)=.5",
        lambda t, k, a: [0.5 + k * t, larger_part(t, k, a, 0.5) - distance(t, k, 2.0, 0.5)],
    ),
    "mod": (
        "par a=1.7\nx'=mod(t,a)",
        lambda t, a: [a * a / 2 * np.floor(t / a) + (t - a * np.floor(t / a)) ** 2 / 2],
    ),
}


def larger_part(t, k, a, x0):
    """The integral of max(x0 + k t, a)."""
    tau = (a - x0) / k
    u = np.maximum(t - tau, 0.0)
    return a * np.minimum(t, tau) + a * u + k * u * u / 2


def distance(t, k, b, x0):
    """The integral of |x0 + k t - b|."""
    tau = (b - x0) / k
    u, v = np.minimum(t, tau), np.maximum(t - tau, 0.0)
    return (b - x0) * u - k * u * u / 2 + k * v * v / 2


def differences(solution, p, t):
    """d/dp of a solution in closed form."""
    columns = []
    for j in range(p.size):
        h = 1e-5 * max(1.0, abs(p[j])) * (np.arange(p.size) == j)
        one, two = (np.array(solution(t, *(p + k * h))) - np.array(solution(t, *(p - k * h))) for k in (1, 2))
        columns.append((8 * one - two).T / (12 * h[j]))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("name", CASES)
def test_states_and_sensitivities(name, formula):
    text, solution = CASES[name]
    model = Model.from_text(text)
    run = Simulator(model, TIMES, Method("gear", formula, 1e-8))(sensitivities=True)
    assert run.status
    exact = np.array(solution(TIMES, *model.values)).T
    assert run.y == pytest.approx(exact, rel=1e-6, abs=1e-6 * np.abs(exact).max())
    by_hand = differences(solution, model.values, TIMES)
    assert run.s == pytest.approx(by_hand, rel=1e-6, abs=1e-6 * np.abs(by_hand).max())


@pytest.mark.parametrize("name", CASES)
def test_asking_for_sensitivities_changes_not_one_bit_of_the_states(name):
    simulator = Simulator(Model.from_text(CASES[name][0]), TIMES)
    assert np.array_equal(simulator().y, simulator(sensitivities=True).y)


LN2 = float(np.log(2))
# Of each: the model, times of which some are exactly those of events, and the first state there, after the event.
AT_EVENTS = {
    "spikes": ("par i=2\nv'=i-v\nglobal 1 {v-1} {v=0}", [0.3, LN2, 2 * LN2, 3 * LN2], [2 - 2 * np.exp(-0.3), 0, 0, 0]),
    "a tank": (
        "par k=.3\nx'=-k*x\nx(0)=4\nglobal -1 {x-1} {x=4}",
        [1, LN2 / 0.15, LN2 / 0.075],
        [4 * np.exp(-0.3), 4, 4],
    ),
    "a ball": ("par g=2, r=.5\nv'=-g\nx'=v\nx(0)=1\nglobal -1 {x} {v=-r*v}", [0.5, 1, 2, 2.5], [-1, 1, 0.5, 0.25]),
    "turns": (
        "par w=1\nn'=0\nx'=w*y\ny'=-w*x\ny(0)=1\nglobal -1 {x} {n=n+1}",
        np.pi * np.array([0.9, 1, 2, 3, 3.01, 5, 31]),
        [0, 1, 1, 2, 2, 3, 16],
    ),
    "two at once": ("par a=1\nn'=0\nx'=a\nset n=n+10 at 5\nglobal 1 {x-5} {n=n+1}", [3, 5, 7], [0, 11, 11]),
}


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e6])
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("name", AT_EVENTS)
def test_an_observation_at_the_time_of_an_event_sees_the_state_after_it(name, formula, unit):
    """Whatever errors do to the time at which the event is found; the last of the times is one of these, too."""
    text, times, expected = AT_EVENTS[name]
    text = text.replace("at 5", f"at {5 * unit}").replace("g=2", f"g={2 / unit**2}")
    for rate in ("i-v", "-k*x", "w*y", "-w*x", "a"):
        text = text.replace(f"'={rate}\n", f"'=({rate})/{unit}\n")
    if name == "a ball":
        expected = np.array(expected) / unit
    for eps in (1e-4, 1e-6, 1e-8, 1e-10):
        run = Simulator(Model.from_text(text), np.array([0.0, *times]) * unit, Method("gear", formula, eps))()
        assert run.status
        assert run.y[1:, 0] == pytest.approx(np.asarray(expected), rel=0.02, abs=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("method", [Method(eps=1e-9), Method("trapezoid")], ids=["gear", "trapezoid"])
def test_an_observation_at_the_time_of_a_jump_sees_the_state_after_it(method):
    model = Model.from_text("par a=3\nx'=0\nx(0)=1\nset x=x+a at 2\ndose x=1 at 0")
    run = Simulator(model, [0.0, 1.0, 2.0, 2.0, 3.0], method)(sensitivities=True)
    assert run.y[:, 0].tolist() == [2.0, 2.0, 5.0, 5.0, 5.0]
    assert run.s[:, 0, 0].tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]


def test_the_trapezoidal_rule_divides_its_step_where_something_jumps():
    """On x' = a constant it is exact, whatever the steps."""
    model = Model.from_text("par k=2, d=6, dur=1.5\nx'=k\nx(0)=1\ndose x=d over dur at 2\nset x=0 at 5.5")
    run = Simulator(model, [1.0, 4.0, 6.0, 7.0], Method("trapezoid"))(sensitivities=True)
    assert run.y[:, 0] == pytest.approx([3.0, 15.0, 1.0, 3.0], rel=1e-12)
    assert run.s[:, 0] == pytest.approx(np.array([[1, 0, 0], [4, 1, 0], [0.5, 0, 0], [1.5, 0, 0]]), abs=1e-12)


def test_the_trapezoidal_rule_has_the_derivatives_of_its_own_solution_where_jumps_have_given_times():
    text = "par k=.1, d=6, b=.3\nx'=-k*x^2\nx(0)=1\ndose x=d at 1.7\nset x=b*x at 3"
    simulator = Simulator(Model.from_text(text), TIMES[TIMES < 5], Method("trapezoid"))
    p, s = simulator.model.values, simulator(sensitivities=True).s
    for j in range(p.size):
        h = 1e-4 * (np.arange(p.size) == j)
        one, two = (simulator(p + k * h).y - simulator(p - k * h).y for k in (1, 2))
        assert s[:, :, j] == pytest.approx((8 * one - two) / 12e-4, rel=1e-7, abs=1e-7)


def test_the_trapezoidal_rule_cannot_wait_for_a_state():
    model = Model.from_text("par a=3\nx'=a\nglobal 1 {x-1} {x=0}")
    with pytest.raises(ParfitError, match="only Gear's method"):
        Simulator(model, [1.0], Method("trapezoid"))


def test_pk_of_two_compartments_against_its_matrix_exponential():
    """Ten doses and an infusion by superposition."""
    from scipy.linalg import expm

    text = (
        "par cl=3, v=30, q=2, w=40\nc'=-(cl+q)/v*c+q/w*z\nz'=q/v*c-q/w*z\n"
        "dose c=100 at 0(12)108\ndose c=40 over 3 at 6"
    )
    matrix = np.array([[-(3 + 2) / 30, 2 / 40], [2 / 30, -2 / 40]])
    times = np.linspace(0.0, 130.0, 27)

    def at(t):
        doses = sum((expm(matrix * (t - tau)) @ [100.0, 0.0] for tau in range(0, 109, 12) if t >= tau), np.zeros(2))
        inverse = np.linalg.inv(matrix)
        begun, ended = (expm(matrix * max(t - tau, 0.0)) for tau in (6.0, 9.0))
        return doses + inverse @ (begun - ended) @ [40 / 3, 0.0]

    run = Simulator(Model.from_text(text), times, Method(eps=1e-8))()
    assert run.y == pytest.approx(np.array([at(t) for t in times]), rel=1e-6)


def test_bouncing_without_end_says_so():
    model = Model.from_text("par g=9.81, r=.5\nx'=v\nv'=-g\nx(0)=1\nglobal -1 {x} {v=-r*v}")
    run = Simulator(model, [1.0, 2.0])()
    assert run.status.reason is Reason.ENDLESS
    assert run.status.time == pytest.approx(
        3 * np.sqrt(2 / 9.81), rel=3e-3
    )  # the sum of a series, but for hops below EPS


def test_events_that_set_off_each_other_without_end_say_so():
    text = "par a=1\nx'=1\ny'=0\nglobal 1 {x-1} {y=1}\nglobal 1 {y-.5} {x=0}\nglobal -1 {x-.5} {y=0; x=2}"
    run = Simulator(Model.from_text(text), [3.0])()
    assert run.status.reason is Reason.ENDLESS


def test_sliding_along_a_switch_says_so():
    run = Simulator(Model.from_text("par a=2\nx'=if(x>1)then(-1)else(a)\nx(0)=0"), [1.0])()
    assert run.status.reason is Reason.SLIDING
    assert run.status.time == pytest.approx(0.5, rel=1e-6)


# Equations that come to rest where they switch, and do not jump there; rounding takes the solution across.
ARRIVING = {
    "max": ("x'=k*max(1-x,0)", lambda t, k: 1 - np.exp(-k * t)),
    "min": ("x'=-k*min(x,2)\nx(0)=1", lambda t, k: np.exp(-k * t)),
    "abs": ("x'=-k*x/(1+abs(x))\nx(0)=1", lambda t, k: lambertw(np.exp(1 - k * t)).real),
    "heav": ("x'=k*heav(1-x)*(1-x)", lambda t, k: 1 - np.exp(-k * t)),
    "if": ("x'=if(x<1)then(k*(1-x))else(2*k*(1-x))", lambda t, k: 1 - np.exp(-k * t)),
}


@pytest.mark.parametrize("eps", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("name", ARRIVING)
def test_equations_that_come_to_rest_at_a_switch_do_not_slide(name, eps):
    text, solution = ARRIVING[name]
    times = np.array([0.5, 5.0, 20.0, 50.0, 300.0])
    run = Simulator(Model.from_text(f"par k=.8\n{text}"), times, Method("gear", "auto", eps))(sensitivities=True)
    assert run.status
    assert run.y[:, 0] == pytest.approx(solution(times, 0.8), abs=30 * eps)
    exact = differences(lambda t, k: [solution(t, k)], np.array([0.8]), times)
    assert run.s == pytest.approx(exact, abs=100 * eps)


def test_a_jump_to_what_is_no_number_says_so():
    run = Simulator(Model.from_text("par a=-1\nx'=1\nset x=log(a) at 2"), [1.0, 3.0])()
    assert run.status.reason is Reason.JUMP
    assert run.status.state == "x"
    assert run.y[0, 0] == pytest.approx(1.0)
    assert np.isnan(run.y[1, 0])


def test_a_branch_that_has_no_value_beyond_its_end():
    """A tank that drains: x = (1 - t/2)^2 until it is empty."""
    run = Simulator(Model.from_text("par k=1\nx'=if(x>0)then(-k*sqrt(x))else(0)\nx(0)=1"), [1.0, 2.0, 4.0])()
    assert run.status
    assert run.y[:, 0] == pytest.approx([0.25, 0.0, 0.0], abs=1e-5)


def test_units_of_time_and_states_change_nothing():
    def run(time, size):
        text = (
            f"par k={0.3 / time}, a={2 * size}\nx'=k*{size}*3\ny'=-k*y\ny(0)={size}\n"
            f"global 1 {{x-a}} {{x=0; y=y+a}}\ndose y=a at {2.5 * time}"
        )
        return Simulator(Model.from_text(text), TIMES[1:] * time, Method(eps=1e-9))().y / size

    assert run(1e7, 1e-9) == pytest.approx(run(1.0, 1.0), rel=1e-7)


# What a condition is while it rests at 0, and after a jump that puts it there: the value of the operator itself.
RESTING = {
    "at rest from the beginning": (
        "par k=.5\nc'=-k*c\nx'=if(c>0)then(-x)else(0)\nc(0)=0\nx(0)=1",
        lambda t: np.ones_like(t),
    ),
    "until a dose": (
        "par k=.5\nc'=-k*c\nx'=if(c>0)then(-x)else(0)\nc(0)=0\nx(0)=1\ndose c=10 at 5",
        lambda t: np.exp(-after(t, 5.0)[0]),
    ),
    "from a reset": (
        "par k=.5\nc'=-k*c\nx'=if(c>0)then(-x)else(0)\nc(0)=10\nx(0)=1\nset c=0 at 2",
        lambda t: np.exp(-np.minimum(t, 2.0)),
    ),
    "every operator": (
        "par b=1\nc'=0\nx'=(c>b)+10*(c<b)+100*(c>=b)+1000*(c<=b)+10^4*sign(c-b)+10^5*heav(c-b)+10^6*heav(b-c)\nc(0)=1",
        lambda t: 1101100.0 * t,
    ),
    "every operator after a reset": (
        "par b=1\nc'=0\nx'=(c>b)+10*(c<b)+100*(c>=b)+1000*(c<=b)+10^4*sign(c-b)+10^5*heav(c-b)\nc(0)=3\nset c=1 at 2",
        lambda t: 110101.0 * np.minimum(t, 2.0) + 101100.0 * after(t, 2.0)[0],
    ),
    "a reset to 0 that does not rest": (
        "par k=.5\nc'=k\nx'=if(c>0)then(1)else(5)\nc(0)=-9\nset c=0 at 2",
        lambda t: 5 * np.minimum(t, 2.0) + after(t, 2.0)[0],
    ),
    "a whole number after a reset": (
        "par b=1\nc'=0\nx'=floor(c)\nc(0)=.5\nset c=2 at 2\nset c=1000 at 4",
        lambda t: 2 * after(t, 2.0)[0] + 998 * after(t, 4.0)[0],
    ),
    "mod of a large number": ("par b=7\nc'=0\nx'=mod(c,b)\nc(0)=7*10^10+3", lambda t: 3 * t),
}


@pytest.mark.parametrize("name", RESTING)
def test_a_condition_that_rests_at_0_has_the_value_of_its_operator(name):
    text, solution = RESTING[name]
    run = Simulator(Model.from_text(text), TIMES, Method(eps=1e-8))(sensitivities=True)
    assert run.status
    assert run.y[:, 1] == pytest.approx(solution(TIMES), rel=1e-6, abs=1e-6)


def test_a_switch_within_a_switch_is_judged_with_both_as_they_are():
    """y falls until sqrt(x) = c, at 2 ln(4/c^2) of x = 4 exp(-t/2): d/dc of ln y is 4/c."""
    text = "par c=1\nx'=-.5*x\ny'=if((if(x>0)then(sqrt(x))else(sqrt(-x)))>c)then(-y)else(0)\nx(0)=4\ny(0)=1"
    run = Simulator(Model.from_text(text), [5.0], Method(eps=1e-9))(sensitivities=True)
    assert run.y[0, 1] == pytest.approx(1 / 16, rel=1e-6)
    assert run.s[0, 1, 0] == pytest.approx(4 / 16, rel=1e-5)


# Events whose condition rests at 0: what lifts it off sets off those of that direction.
LIFTED = {
    "a dose": ("x'=-k*x\ndose x=5 at 2", 1, [0, 0, 1, 1]),
    "a dose, downwards": ("x'=-k*x\ndose x=5 at 2", -1, [0, 0, 0, 0]),
    "a dose, both ways": ("x'=-k*x\ndose x=5 at 2", 0, [0, 0, 1, 1]),
    "a dose at the beginning": ("x'=-k*x\ndose x=5 at 0", 1, [1, 1, 1, 1]),
    "from below and from a rest": ("x'=0\nset x=5 at 1\nset x=-1 at 1.5\nset x=0 at 2\nset x=1 at 3", 1, [0, 1, 1, 2]),
    "nothing": ("x'=0\nset x=0 at 2", 1, [0, 0, 0, 0]),
    "a slope, which is no lift": ("x'=k", 1, [0, 0, 0, 0]),
    "a slope of a slope": ("x'=k*t", 1, [0, 0, 0, 0]),
}


@pytest.mark.parametrize("name", LIFTED)
def test_an_event_whose_condition_rests_at_0_waits_for_what_lifts_it(name):
    equation, direction, counts = LIFTED[name]
    model = Model.from_text(f"par k=.5\nn'=0\n{equation}\nglobal {direction} {{x}} {{n=n+1}}")
    run = Simulator(model, [0.0, 1.0, 2.0, 3.0], Method(eps=1e-8))(sensitivities=True)
    assert run.status
    assert run.column("n").tolist() == counts


TYSON = """# tyson.ode of XPPAUT: a cell divides, by `global`, when u falls through .2
i u=.0075,v=.48,m=1
p k1=.015,k4=200,k6=2,a=.0001,b=.005
u'= k4*(v-u)*(a+u^2) - k6*u
v'= k1*m - k6*u
m'= b*m
global -1 {u-.2} {m=.5*m}
done
"""


def divided(p, times):
    """The same by another program, from one division to the next, to about 1e-11."""
    k1, k4, k6, a, b = p

    def slope(t, y):
        u, v, m = y
        return [k4 * (v - u) * (a + u * u) - k6 * u, k1 * m - k6 * u, b * m]

    def falls(t, y):
        return y[0] - 0.2

    falls.terminal, falls.direction = True, -1
    t, y, rows = 0.0, np.array([0.0075, 0.48, 1.0]), {}
    while t < times[-1]:
        wanted = times[(times >= t) & (times <= times[-1])]
        found = solve_ivp(slope, (t, times[-1]), y, "DOP853", wanted, events=falls, rtol=1e-13, atol=1e-15)
        rows |= dict(zip(found.t.tolist(), found.y.T, strict=True))
        if not found.t_events[0].size:
            break
        t, y = float(found.t_events[0][0]), found.y_events[0][0] * [1.0, 1.0, 0.5]
        after = solve_ivp(slope, (t, t + 1e-3), y, "DOP853", rtol=1e-13, atol=1e-15)  # off the threshold
        t, y = t + 1e-3, after.y[:, -1]
    return np.array([rows[each] for each in times.tolist()])


def test_the_cell_that_divides_of_xppaut():
    model, times = Model.from_text(TYSON), np.array([50.0, 120.0, 220.0])
    run = Simulator(model, times, Method(eps=1e-12))(sensitivities=True)
    assert run.status
    p = model.values.copy()
    exact = divided(p, times)
    assert exact[-1, 2] < 2.0  # it has divided: m would be exp(1.1)
    assert run.y == pytest.approx(exact, rel=1e-6, abs=1e-6 * np.abs(exact).max())
    for k in (0, 4):
        h = 1e-4 * p[k] * np.eye(p.size)[k]
        one, two = (divided(p + j * h, times) - divided(p - j * h, times) for j in (1, 2))
        expected = (8 * one - two) / (12 * h[k])
        assert run.s[:, :, k] == pytest.approx(expected, rel=2e-5, abs=2e-5 * np.abs(expected).max())


# ---- what is to be given before the beginning


EARLY = {
    "a dose": "dose gut=d at lag",
    "one of several": "dose gut=d at lag+1, 2*lag",
    "a value": "set cen=3 at lag",
    "an infusion": "dose cen=d over 2 at lag",
}


@pytest.mark.parametrize("procedure", ["gear", "trapezoid"])
@pytest.mark.parametrize("what", EARLY)
def test_what_is_given_before_the_beginning_is_said_to_be_lost(what, procedure):
    model = Model.from_text(f"par ka=1.3, ke=.2, d=50, lag=.7\n{ORAL}{EARLY[what]}")
    simulator = Simulator(model, TIMES, Method(procedure))
    assert simulator(sensitivities=True).status
    assert simulator({"lag": 0.0}, sensitivities=True).status, "the beginning itself is early enough"
    status = simulator({"lag": -1e-3}, sensitivities=True).status
    assert status.reason is Reason.EARLY
    assert "before the beginning at t = 0" in str(status)
    assert "BOUNDS" in str(status)


@pytest.mark.parametrize("text", ["global 1 {t-lag} {cen=cen+d}", "u=heav(t-lag)\naux v=u"])
def test_what_merely_waits_for_a_time_has_passed_it(text):
    """An event needs a crossing, and a switch is on its other side."""
    model = Model.from_text(f"par ka=1.3, ke=.2, d=50, lag=-1\n{ORAL}gut(0)=d\n{text}")
    run = Simulator(model, TIMES)()
    assert run.status
    assert run.y == pytest.approx(np.transpose(oral(TIMES, 50, 1.3, 0.2)), rel=1e-4, abs=1e-6)


def test_who_begins_in_the_middle_has_it_behind():
    model = Model.from_text(f"par ka=1.3, ke=.2, d=50, lag=.7\n{ORAL}dose gut=d at lag")
    how = Method("gear", eps=1e-9)
    whole = Simulator(model, TIMES, how)()
    later = Simulator(model, TIMES[TIMES > 2.0], how, begin=float(TIMES[TIMES <= 2.0][-1]))
    run = later(y_start=whole.y[TIMES <= 2.0][-1])
    assert run.status
    assert run.y == pytest.approx(whole.y[TIMES > 2.0], rel=1e-6, abs=1e-8)
