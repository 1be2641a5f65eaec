"""Rests: against long integrations by another program, closed forms, and differences of these."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import parfit
from parfit.errors import ModelError, ParfitError
from parfit.model.calculus.structure import used
from parfit.model.conditions.design import Condition, Design
from parfit.model.conditions.joining import joined
from parfit.simulation.first_states import first_state
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator, simulate
from parfit.simulation.status import Reason

CASCADE = """par v1=2, v2=1, v3=1.5, v4=.6, km=.3
number ligand=1
a'=v1*ligand*(1-a)/(km+1-a)-v2*a/(km+a)
b'=v3*a*(1-b)/(km+1-b)-v4*b/(km+b)
rest ligand=.1
done
"""
# e + s <-> c -> e + q -> s: enzyme and substrate are conserved.
ENZYME = """par k1=1, km1=.5, k2=.7, k3=.2, e0=.3, s0=2
s'=-k1*e*s+km1*c+k3*q
e'=-k1*e*s+(km1+k2)*c
c'=k1*e*s-(km1+k2)*c
q'=k2*c-k3*q
init e=e0, s=s0
rest
done
"""


def cascade(t, y, p):
    v1, v2, v3, v4, km = p
    a, b = y
    return [
        v1 * 0.1 * (1 - a) / (km + 1 - a) - v2 * a / (km + a),
        v3 * a * (1 - b) / (km + 1 - b) - v4 * b / (km + b),
    ]


def enzyme(t, y, p):
    k1, km1, k2, k3, *_ = p
    s, e, c, q = y
    return [-k1 * e * s + km1 * c + k3 * q, -k1 * e * s + (km1 + k2) * c, k1 * e * s - (km1 + k2) * c, k2 * c - k3 * q]


def end(slope, start, p):
    """The end of a long run."""
    return solve_ivp(slope, (0.0, 200.0), start(p), "LSODA", rtol=1e-12, atol=1e-14, args=(p,)).y[:, -1]


@pytest.mark.parametrize(
    ("text", "slope", "start"),
    [(CASCADE, cascade, lambda p: [0.0, 0.0]), (ENZYME, enzyme, lambda p: [p[5], p[4], 0.0, 0.0])],
    ids=["cascade", "two conservation laws"],
)
def test_a_rest_is_the_end_of_a_long_run_with_its_derivatives(text, slope, start):
    model = parfit.Model.from_text(text)
    run = simulate(model, [0.0, 1.0], sensitivities=True)
    p = model.values.copy()
    np.testing.assert_allclose(run.y[0], end(slope, start, p), rtol=1e-8)
    for k in range(p.size):
        h = 1e-4 * p[k] * np.eye(p.size)[k]
        expected = (end(slope, start, p + h) - end(slope, start, p - h)) / (2.0 * h[k])
        np.testing.assert_allclose(run.s[0, :, k], expected, rtol=1e-6, atol=1e-7)


def test_then_the_settings_of_the_experiment_hold_and_derivatives_follow():
    model = parfit.Model.from_text(CASCADE)
    times, how = [0.0, 0.5, 2.0], Method(eps=1e-12)
    run = simulate(model, times, method=how, sensitivities=True)

    def after(t, y, p):
        return [
            p[0] * (1 - y[0]) / (p[4] + 1 - y[0]) - p[1] * y[0] / (p[4] + y[0]),
            p[2] * y[0] * (1 - y[1]) / (p[4] + 1 - y[1]) - p[3] * y[1] / (p[4] + y[1]),
        ]

    def solution(p):
        begin = end(cascade, lambda p: [0.0, 0.0], p)
        return solve_ivp(after, (0.0, 2.0), begin, "DOP853", times, rtol=1e-12, atol=1e-14, args=(p,)).y.T

    p = model.values.copy()
    np.testing.assert_allclose(run.y, solution(p), rtol=1e-8)
    for k in range(p.size):
        h = 1e-4 * p[k] * np.eye(p.size)[k]
        expected = (solution(p + h) - solution(p - h)) / (2.0 * h[k])
        np.testing.assert_allclose(run.s[:, :, k], expected, rtol=1e-6, atol=1e-7)


def test_laws_whose_coefficients_are_parameters():
    """Two volumes that exchange: v a + w b is kept, and a = b at rest."""
    model = parfit.Model.from_text("par k=1, v=2, w=5, a0=3\na'=-k*(a-b)/v\nb'=k*(a-b)/w\ninit a=a0, b=1\nrest\ndone")
    y, s = first_state(model, range(4))(model.values)
    v, w, a0 = 2.0, 5.0, 3.0
    level = (v * a0 + w) / (v + w)
    np.testing.assert_allclose(y, [level, level], rtol=1e-12)
    slopes = [0.0, (a0 - level) / (v + w), (1.0 - level) / (v + w), v / (v + w)]
    np.testing.assert_allclose(s, [slopes, slopes], rtol=1e-10, atol=1e-12)


def test_rests_all_around_are_reached_by_a_long_run():
    """An epidemic ends where log(s0/s) = beta/gamma (1 - s), with 1 = s0 + i0 (Kermack and McKendrick, 1927)."""
    model = parfit.Model.from_text(
        "par beta=2, gamma=1, i0=.01\ns'=-beta*s*i\ni'=beta*s*i-gamma*i\ninit s=1-i0, i=i0\nrest\ndone"
    )
    y, s = first_state(model, range(3))(model.values)
    left = brentq(lambda x: np.log(0.99 / x) - 2.0 * (1.0 - x), 1e-6, 0.5, xtol=1e-15)
    np.testing.assert_allclose(y, [left, 0.0], rtol=1e-4, atol=1e-12)
    steep = 1.0 / left - 2.0  # minus the derivative of what is 0, by s
    np.testing.assert_allclose(s[0], [-(1 - left) / steep, 2 * (1 - left) / steep, -1 / 0.99 / steep], rtol=1e-3)


def test_a_rest_that_is_left_only_by_what_is_not_there():
    """Without virus the healthy state is at rest, though a virus would grow."""
    text = "par lam=10, d=.1, beta=.01, delta=.5\nx'=lam-d*x-beta*x*v\nv'=beta*x*v-delta*v\ninit x=1, v=V0\nrest\ndone"
    healthy = parfit.Model.from_text(text.replace("V0", "0"))
    np.testing.assert_allclose(first_state(healthy)(healthy.values)[0], [100.0, 0.0], rtol=1e-12)
    infected = parfit.Model.from_text(text.replace("V0", "1e-9"))
    np.testing.assert_allclose(first_state(infected)(infected.values)[0], [50.0, 10.0], rtol=1e-10)


@pytest.mark.parametrize(("start", "rest"), [(0.9, 0.0), (1.1, 2.0)])
def test_of_several_rests_the_one_that_the_initial_values_lead_to(start, rest):
    model = parfit.Model.from_text(f"par r=1\nx'=-r*x*(x-1)*(x-2)\ninit x={start}\nrest\ndone")
    np.testing.assert_allclose(first_state(model)(model.values)[0], [rest], atol=1e-9)


def test_units_do_not_matter():
    model = parfit.Model.from_text(ENZYME)
    small = parfit.Model.from_text(
        ENZYME.replace("e0=.3, s0=2", "e0=.3e-9, s0=2e-9").replace("k1=1", "k1=1e9").replace("e*s", "e*s*1e3")
    )  # amounts in 1e-9 and a faster first step
    y, z = (first_state(each)(each.values)[0] for each in (model, small))
    assert (z > 0).all()
    np.testing.assert_allclose([z[0] + z[2] + z[3], z[1] + z[2]], [2e-9, 0.3e-9], rtol=1e-10)
    np.testing.assert_allclose([y[0] + y[2] + y[3], y[1] + y[2]], [2.0, 0.3], rtol=1e-10)


def test_what_does_not_come_to_rest_says_so_with_the_state_and_its_rate():
    model = parfit.Model.from_text("par mu=2\nx'=y\ny'=mu*(1-x*x)*y-x\ninit x=1\nrest\ndone")
    run = simulate(model, [0.0, 1.0], sensitivities=True)
    assert run.status.reason is Reason.NO_REST
    assert run.status.state in ("x", "y")
    assert "still changes, at a rate of" in str(run.status)
    assert np.isnan(run.y).all()
    assert np.isnan(run.s).all()


def test_what_grows_without_bound_has_no_rest():
    model = parfit.Model.from_text("par r=1\nx'=r*x^2\ninit x=1\nrest\ndone")
    assert simulate(model, [1.0]).status.reason is Reason.NO_REST


def test_before_the_beginning_nothing_has_been_given_and_switches_in_time_are_off():
    text = "par k=.5\nx'=1+heav(t-2)-k*x\nrest\ndose x=3 at 0\ndose x=2 over 1 at 1\ndone"
    model = parfit.Model.from_text(text)
    run = simulate(model, [0.0, 1.0], method=Method(eps=1e-12), sensitivities=True)
    np.testing.assert_allclose(run.y[:, 0], [5.0, 2.0 + 3.0 * np.exp(-0.5)], rtol=1e-9)  # after the dose
    np.testing.assert_allclose(run.s[0, 0], [-4.0], rtol=1e-9)


def test_equations_that_follow_time_cannot_come_to_rest():
    with pytest.raises(ParfitError, match="the equation of x depends on time"):
        simulate(parfit.Model.from_text("par k=1\nx'=sin(t)-k*x\nrest\ndone"), [1.0])


def test_a_constant_that_is_set_on_the_way_begins_at_its_own_value():
    model = parfit.Model.from_text("par k=2\nnumber dose=3\nx'=dose-k*x\nset dose=7 at 1\nrest dose=1\ndone")
    run = simulate(model, [0.0, 50.0])
    np.testing.assert_allclose(run.y[0], [0.5, 3.0], rtol=1e-10)
    np.testing.assert_allclose(run.y[1], [3.5, 7.0], rtol=1e-5)


def test_settings_at_rest_may_be_expressions_of_parameters():
    model = parfit.Model.from_text("par k=2, basal=.4\nnumber input=3\nx'=input-k*x\nrest input=basal/2\ndone")
    y, s = first_state(model, (0, 1))(model.values)
    np.testing.assert_allclose([y[0], *s[0]], [0.1, -0.05, 0.25], rtol=1e-10)
    assert used(model, ("x",)) == {0, 1}


TWO = "par k=2, m=1\nnumber u=3\nx'=u-k*x\ny'=x-m*y\ninit y=9\nrest u=1\nexperiment b: rest u=0\nlocal k\n"


def test_experiments_rest_under_settings_of_their_own_and_begin_as_they_say():
    design = Design((Condition("a"), Condition("b", {"y(0)": 4.0})))
    model = joined(parfit.Model.from_text(TWO + "done"), design)
    run = Simulator(model, [0.0])(sensitivities=True)
    np.testing.assert_allclose(run.y[0], [0.5, 0.5, 0.0, 4.0], atol=1e-10)
    np.testing.assert_allclose(run.sensitivity("x[a]")[0], [-0.25, 0.0, 0.0], atol=1e-10)
    np.testing.assert_allclose(run.sensitivity("y[a]")[0], [-0.25, 0.0, -0.5], atol=1e-10)
    np.testing.assert_allclose(first_state(model)(model.values)[0], run.y[0], atol=1e-10)


def test_an_unknown_setting_is_refused_where_it_stands():
    with pytest.raises(ModelError, match=r"model:3: `rest w=...`: `w` is neither a parameter nor a constant"):
        parfit.Model.from_text("par k=2\nx'=1-k*x\nrest w=1\ndone")


def test_what_was_asked_before_changes_no_bit():
    """Else the number of threads would: each asks in its own order."""
    model = parfit.Model.from_text(ENZYME)
    rng = np.random.default_rng(1)
    places = model.values * np.exp(rng.normal(size=(12, model.values.size)))
    again = Simulator(model, [1.0, 2.0])
    for p in places:
        known, new = again(p, True), Simulator(model, [1.0, 2.0])(p, True)
        np.testing.assert_array_equal(known.y, new.y)
        np.testing.assert_array_equal(known.s, new.s)
