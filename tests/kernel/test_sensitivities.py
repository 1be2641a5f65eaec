"""Sensitivities against exact ones: by the sweep, by matrices, and where states rest."""

import numpy as np
import pytest
from parfit.kernel.system import System
from scipy.linalg import expm

from parfit import Method, Model, Simulator

TIMES = np.linspace(0.5, 8.0, 16)


def linear(matrix):
    """x' = (p + A) x with one parameter on the diagonal, from 1."""
    n = len(matrix)
    lines = ["par p=0"]
    for i in range(n):
        terms = "".join(f"{matrix[i][j]:+.17g}*x{j}" for j in range(n) if matrix[i][j])
        lines.append(f"x{i}'=p*x{i}{terms}\nx{i}(0)=1")
    return Model.from_text("\n".join([*lines, "done"]))


MATRICES = {
    "a chain": np.diag([-1.0, -0.7, -1.2, -0.4]) + np.diag([1.0, 0.7, 1.2], -1),
    "a chain upwards": np.diag([-1.0, -0.7, -1.2, -0.4]) + np.diag([1.0, 0.7, 1.2], 1),
    "a circle": np.array([[-0.5, 0.0, 0.8], [0.5, -0.6, 0.0], [0.0, 0.6, -0.8]]),
    "an oscillator": np.array([[0.0, 2.0], [-2.0, -0.1]]),
}


@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@pytest.mark.parametrize("name", MATRICES)
def test_of_linear_equations(name, formula):
    """dx/dp at p = 0 is t x, for p multiplies the unit matrix."""
    matrix = MATRICES[name]
    run = Simulator(linear(matrix), TIMES, Method("gear", formula, 1e-8))(sensitivities=True)
    states = np.array([expm(matrix * t) @ np.ones(len(matrix)) for t in TIMES])
    exact = TIMES[:, np.newaxis] * states
    assert np.abs(run.s[:, :, 0] - exact).max() < 1e-6 * np.abs(exact).max()


def test_a_sweep_needs_no_matrix():
    """Where no state depends on one behind it, none is ever factored; else where the step is short enough."""
    chain = Simulator(linear(MATRICES["a chain"]), TIMES, Method("gear", "adams", 1e-6))(sensitivities=True)
    assert chain.counts.factorizations == 0
    circle = Simulator(linear(MATRICES["a circle"]), TIMES, Method("gear", "adams", 1e-6))(sensitivities=True)
    assert circle.counts.factorizations < circle.counts.steps / 2


def test_one_evaluation_less_for_each_step():
    """The last evaluation of a step of the states has the derivatives, too."""
    model = Model.from_text("par k=.7\nx'=-k*x\nx(0)=1\ndone")
    with_s, without = (Simulator(model, TIMES)(sensitivities=s).counts for s in (True, False))
    assert with_s.steps == without.steps
    assert with_s.evaluations <= without.evaluations + 12, "those of the first step, when it was chosen"


def test_where_states_rest_steps_are_too_long_for_a_sweep():
    """The depot is empty and steps grow; what its derivative would be must stay at nothing."""
    model = Model.from_text("par d=0, ka=40, ke=.1\ndepot'=-ka*depot\nc'=ka*depot-ke*c\ndepot(0)=d\nc(0)=1\ndone")
    times = np.array([1.0, 10.0, 50.0])
    run = Simulator(model, times)(sensitivities=True)
    assert np.abs(run.s[:, 0, 0]).max() < 0.05
    assert np.abs(run.s[1:, 0, 0]).max() < 1e-6
    by_dose = 40.0 / 39.9 * (np.exp(-0.1 * times) - np.exp(-40.0 * times))
    assert run.s[:, 1, 0] == pytest.approx(by_dose, rel=2e-3)  # what no state shows is not controlled to EPS
    assert run.s[:, 1, 2] == pytest.approx(-times * np.exp(-0.1 * times), rel=1e-4)


def test_of_a_balance_that_rests():
    """Two states in balance show nothing of how steep they are; a = (a0 + b0) kr / (kf + kr) after a while."""
    text = "par kf=20, kr=20\nx'=-.1*x\na'=-kf*a+kr*b\nb'=kf*a-kr*b\nx(0)=1\na(0)=1\nb(0)=1\ndone"
    run = Simulator(Model.from_text(text), [1.0, 5.0, 50.0])(sensitivities=True)
    assert 20.0 * run.s[:, 1, 0] == pytest.approx(-0.5, rel=5e-3)
    assert 20.0 * run.s[:, 1, 1] == pytest.approx(0.5, rel=5e-3)


def test_an_infinite_slope_of_a_state_that_rests_is_an_end_only_for_derivatives():
    model = Model.from_text("par a=.1, k=1\nx'=-a*x\ny'=-k*sqrt(y)\nx(0)=1\ny(0)=0\ndone")
    run = Simulator(model, [1.0, 5.0])()
    assert run.status
    assert run.y[:, 0] == pytest.approx(np.exp([-0.1, -0.5]), rel=1e-6)
    assert not Simulator(model, [1.0, 5.0])(sensitivities=True).status


INFINITE_AT_FIRST = "par c=.1, k=1, a=3\nx'=k*sqrt(x)+c\nw'=c\ny'=a*sqrt(w)\nx(0)=0\nw(0)=0\ny(0)=0\ndone"


@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
def test_where_a_slope_is_infinite_for_a_moment(formula):
    """A root's, where it begins at 0: t = 2 u/k - 2 c/k^2 ln(1 + k u/c) with u^2 = x, and y = 2/3 a sqrt(c) t^1.5."""
    t = np.array([0.01, 0.5, 1.0, 3.0])
    model = Model.from_text(INFINITE_AT_FIRST)
    run = Simulator(model, t, Method("gear", formula, 1e-8, h_min=0.0))(sensitivities=True)
    assert run.status
    c, k, a = model.values
    u, y = np.sqrt(run.y[:, 0]), 2 / 3 * a * np.sqrt(c) * t**1.5
    grown = np.log1p(k * u / c)
    assert 2 * u / k - 2 * c / k**2 * grown == pytest.approx(t, rel=1e-6)
    assert np.abs(run.y[:, 2] - y).max() < 1e-7 * y.max()
    t_by_k = -2 * u / k**2 + 4 * c / k**3 * grown - 2 * u / k**2 / (1 + k * u / c)
    exact = np.column_stack((-t_by_k * (k * u + c), y / (2 * c), y / a))
    found = np.column_stack((run.s[:, 0, 1], run.s[:, 2, 0], run.s[:, 2, 2]))
    assert (np.abs(found - exact) / exact.max(axis=0)).max() < 1e-6


def test_a_derivative_that_is_infinite_from_the_start_is_no_number():
    """x begins at a, where sqrt(x) has an infinite slope: so has x in a."""
    model = Model.from_text("par a=0, k=1\nx'=k*sqrt(x)+.1\nx(0)=a\ndone")
    run = Simulator(model, [1.0])(sensitivities=True)
    assert not run.status
    assert "infinite derivative" in str(run.status)
    assert np.isnan(run.s).all()


def test_of_an_oscillator_that_rests():
    """Pushed by a parameter that is 0: dx/da = sin(w t) / w, which is small and stays so."""
    text = "par a=0, w=60\nx'=w*y+a\ny'=-w*x\nz'=-.1*z\nx(0)=0\ny(0)=0\nz(0)=1\ndone"
    run = Simulator(Model.from_text(text), [0.3, 3.0, 30.0])(sensitivities=True)
    assert np.abs(run.s[:, 0, 0]).max() < 0.2


def test_a_state_that_nothing_moves_limits_no_steps():
    """x is 0, and so are its derivatives, however steep it is."""
    still = "x'=-k*x\nx(0)=0\n"
    model, alone = (Model.from_text(f"par k=60, w=1\n{x}y'=w*z\nz'=-w*y\ny(0)=1\nz(0)=0\ndone") for x in (still, ""))
    assert Simulator(model, [50.0])().counts.steps < 1.2 * Simulator(alone, [50.0])().counts.steps


@pytest.mark.parametrize(("formula", "bound"), [("auto", 0.003), ("adams", 0.003), ("bdf", 0.06)])
@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-7])
def test_derivatives_of_what_rests_get_to_their_end(formula, bound, distance):
    """A baseline at rest, or so near that no error shows it: what it began with is forgotten as fast as ever."""
    times = np.array([0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 20.0])
    model = Model.from_text(f"par kin=20, kout=20, r0={1 + distance!r}\nr'=kin-kout*r\nr(0)=r0\ndone")
    run = Simulator(model, times, Method("gear", formula, 1e-6, h_min=0.0))(sensitivities=True)
    error = np.abs(run.s[:, 0, 2] - np.exp(-20.0 * times))
    assert error.max() < bound
    assert error[-2:].max() < 1e-6
    assert run.counts.steps < (800 if formula == "adams" else 60)


def test_a_dose_that_is_still_nothing_has_the_derivatives_of_one():
    """The depot is empty because its dose is 0: what the dose would bring is known to better than a percent."""
    times = np.array([0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0])
    model = Model.from_text("par d=0\ndepot'=-40*depot\nc'=40*depot-.1*c\ndepot(0)=d\nc(0)=1\ndone")
    run = Simulator(model, times)(sensitivities=True)
    exact = 40.0 / 39.9 * (np.exp(-0.1 * times) - np.exp(-40.0 * times))
    assert run.s[:, 1, 0] == pytest.approx(exact, rel=0.005)


@pytest.mark.parametrize("formula", ["adams", "bdf", "auto"])
@pytest.mark.parametrize("n_active", [1, 2, 3, 5, 9, 11])
def test_how_many_parameters_are_active_changes_no_bit(n_active, formula):
    """Some columns pass the processor side by side, others alone."""
    names = [f"k{j}" for j in range(11)]
    rates = "+".join(f"k{j}*x^{j % 3}*y/({j}+1)" for j in range(11))
    given = ", ".join(f"{name}=.1" for name in names)
    model = Model.from_text(f"par {given}\nx'=1-({rates})\ny'=x-y\nx(0)=1\ny(0)=k3\ndone")
    method = Method("gear", formula, 1e-6)
    every = Simulator(model, TIMES, method)(sensitivities=True)
    some = Simulator(model, TIMES, method, range(n_active))(sensitivities=True)
    assert np.array_equal(some.y, every.y)
    assert np.array_equal(some.s, every.s[:, :, :n_active])


def made_of(name):
    """What the kernel's system of a model is made of: patterns are in place 2, ranges in place 6."""
    return list(Simulator(linear(MATRICES[name]), TIMES).integrator.__reduce__()[1][0].__reduce__()[1])


def test_the_kernel_takes_columns_in_order_only():
    parts = made_of("an oscillator")
    (start, column), *others = parts[2]
    parts[2] = [(start, column[::-1].copy()), *others]
    with pytest.raises(ValueError, match="must increase in every row"):
        System(*parts)


@pytest.mark.parametrize(("name", "state"), [("an oscillator", 0), ("a chain", 3)])
def test_no_row_may_lack_what_it_depends_on(name, state):
    parts = made_of(name)
    low, high = (np.array(each) for each in parts[6])
    high[state] = low[state]
    parts[6] = low, high
    with pytest.raises(ValueError, match=r"outside the range of its row|columns of a row that it depends on"):
        System(*parts)


def test_a_constant_state_does_not_keep_steps_short():
    """Once the baseline has moved, nothing rests that could still have derivatives on their way."""
    text = "par kin=20, r0=1, v=1\nr'=kin-20*r+heav(t-1)\n{}r(0)=r0\ndone"
    with_one, without = (
        Simulator(Model.from_text(text.format(more)), [1.0, 50.0])(sensitivities=True)
        for more in ("c'=0\nc(0)=v\n", "")
    )
    assert with_one.counts.steps <= without.counts.steps + 2


@pytest.mark.parametrize("slope", [10, 20, 100, 1000])
def test_a_state_that_rests_may_follow_one_that_a_parameter_moves(slope):
    """x rests and b would move it, y rests and x would: at rest nobody sees how steep y is."""
    times = np.linspace(0.05, 10.0, 60)
    model = Model.from_text(f"par b=1\nx'=b-x\ny'={slope}*(x-y)\nx(0)=1\ny(0)=1\ndone")
    run = Simulator(model, times)(sensitivities=True)
    exact = 1.0 - np.exp(-times) - (np.exp(-times) - np.exp(-slope * times)) / (slope - 1)
    assert np.abs(run.s[:, 1, 0] - exact).max() < 0.01
    assert np.array_equal(run.y, Simulator(model, times)().y)


@pytest.mark.parametrize("formula", ["auto", "adams"])
def test_a_state_that_rests_may_become_steep(formula):
    """ds/dt = 20 z (1 - s) with z = 1 - .9 exp(-t): -log(1 - s) is the integral of 20 z."""
    times = np.linspace(0.05, 10.0, 60)
    model = Model.from_text("par b=1\nz'=1-z\nx'=20*z*(b-x)\nz(0)=.1\nx(0)=1\ndone")
    run = Simulator(model, times, Method("gear", formula, 1e-6, h_min=0.0))(sensitivities=True)
    exact = 1.0 - np.exp(-20.0 * (times - 0.9 * (1.0 - np.exp(-times))))
    assert np.abs(run.s[:, 1, 0] - exact).max() < 0.01


def test_a_first_step_does_not_end_where_all_is_steep():
    """x rests, z moves evenly: a step to the end would be exact for both, and make 1e27 of the derivative."""
    model = Model.from_text("par b=1\nz'=.5\nx'=100*z^4/(1+z^4)*(b-x)\nz(0)=0\nx(0)=1\ndone")
    run = Simulator(model, [10.0])(sensitivities=True)
    assert run.counts.steps > 10
    assert abs(run.s[0, 1, 0]) < 10.0, "what becomes steep so suddenly is not followed any better"


GIVEN = {
    "a dose of 0": ("gut'=-ka*gut", "dose gut=a at 1"),
    "set to 0": ("gut'=-ka*gut", "set gut=a at 1"),
    "an event": ("gut'=-ka*gut", "global 1 {t-1} {gut=gut+a}"),
}


@pytest.mark.parametrize("ka", [2.0, 20.0])
@pytest.mark.parametrize("formula", ["auto", "adams", "bdf"])
@pytest.mark.parametrize("given", GIVEN)
def test_what_is_given_may_be_nothing_and_has_derivatives(given, formula, ka):
    """The depot is empty and stays so, but a dose of a moves it: nobody sees how steep it is."""
    equation, what = GIVEN[given]
    text = f"par a=0\nka={ka}\n{equation}\nc'=ka*gut-.1*c+.05\ninit c=1\n{what}\ndone"
    times = np.array([0.5, 1.1, 1.5, 3.0, 10.0, 30.0, 100.0])
    run = Simulator(Model.from_text(text), times, Method(formula=formula))(sensitivities=True)
    after = np.maximum(times - 1.0, 0.0)
    depot = np.exp(-ka * after) * (times > 1)
    blood = ka / (ka - 0.1) * (np.exp(-0.1 * after) - np.exp(-ka * after))
    assert run.status
    assert np.abs(run.s[:, 0, 0] - depot).max() < 0.02
    assert np.abs(run.s[:, 1, 0] - blood).max() < 0.02
    assert np.array_equal(run.y, Simulator(Model.from_text(text), times, Method(formula=formula))().y)


@pytest.mark.parametrize("formula", ["auto", "adams"])
def test_what_has_been_moved_has_derivatives_when_nothing_moves_it_any_more(formula):
    """z follows w until t = 2, and a parameter moves w, which is 0: nothing of it shows, beside what swings."""
    text = "par p=0\nx'=y\ny'=-x\ninit x=1\nw'=p-w\nz'=-30*z+w*heav(2-t)\ndone"
    times = np.array([1.0, 1.9, 2.1, 3.0, 10.0, 50.0])
    run = Simulator(Model.from_text(text), times, Method(formula=formula))(sensitivities=True)
    until = np.minimum(times, 2.0)
    exact = ((1 - np.exp(-30 * until)) / 30 - (np.exp(-until) - np.exp(-30 * until)) / 29) * np.exp(
        -30 * (times - until)
    )
    assert np.abs(run.s[:, 3, 0] - exact).max() < 1e-3


def test_what_has_decayed_to_nothing_grows_no_derivatives():
    text = "par k=1\nx'=y\ny'=-x\ninit x=1\nz'=-100*k*z\ninit z=1e-300\ndone"
    run = Simulator(Model.from_text(text), [1.0, 100.0, 200.0, 300.0])(sensitivities=True)
    assert np.abs(run.s[:, 2, 0]).max() < 1e-290
