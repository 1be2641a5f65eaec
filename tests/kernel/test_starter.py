"""The first step: few evaluations, no dependence on the grid, and a way back where it fails."""

import numpy as np
import pytest

from parfit import Method, Model, Simulator

DECAY = "par k=.7\nx'=-k*x\nx(0)=1\ndone"
FORMULAS = ("adams", "auto")


def traced(text, times, method, sensitivities=False):
    """Steps as (t, h, order, states)."""
    model, trace = Model.from_text(text), []
    Simulator(model, times, method).integrator(model.values, sensitivities, every=1, trace=trace)
    return trace


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("eps", [1e-4, 1e-6, 1e-9])
def test_the_first_step_is_long_and_exact(formula, eps):
    """A formula of order 1 would need steps of sqrt(eps); the first one is longer, and as exact as asked for."""
    t, h, order, states = traced(DECAY, [10.0], Method("gear", formula, eps))[0]
    assert (h, order) == (t, 7)
    assert h > 10.0 * np.sqrt(eps)
    assert states[0] == pytest.approx(np.exp(-0.7 * t), abs=eps)


def test_stiff_formulas_begin_with_order_1():
    assert traced(DECAY, [10.0], Method("gear", "bdf", 1e-6))[0][2] == 1


@pytest.mark.parametrize("formula", FORMULAS)
def test_sample_times_do_not_change_the_steps(formula):
    method = Method("gear", formula, 1e-6)
    few, many = (traced(DECAY, np.linspace(10.0 / n, 10.0, n), method) for n in (4, 400))
    assert [step[:3] for step in few] == [step[:3] for step in many]


@pytest.mark.parametrize("formula", FORMULAS)
def test_sensitivities_do_not_change_the_steps(formula):
    method = Method("gear", formula, 1e-6)
    assert traced(DECAY, [3.0, 10.0], method) == traced(DECAY, [3.0, 10.0], method, True)


def test_within_the_first_step_the_solution_is_known():
    times = np.linspace(0.01, 0.5, 50)
    assert traced(DECAY, times, Method())[0][0] > times[10]
    run = Simulator(Model.from_text(DECAY), times)(sensitivities=True)
    assert run.y[:, 0] == pytest.approx(np.exp(-0.7 * times), abs=2e-7)
    assert run.s[:, 0, 0] == pytest.approx(-times * np.exp(-0.7 * times), abs=1e-6)


def test_what_the_states_do_not_show_may_be_steep():
    """y rests at 0 and forgets at once; steps that only its rest allows would make its derivative grow for ever."""
    model = Model.from_text("par a=0, k=1e4\nx'=-.1*x\ny'=-k*y\nx(0)=1\ny(0)=a\ndone")
    run = Simulator(model, [0.5, 1.0, 5.0])(sensitivities=True)
    assert run.status
    assert np.abs(run.s[:, 1, 0]).max() < 0.05
    assert np.abs(run.s[1:, 1, 0]).max() < 1e-4


@pytest.mark.parametrize("formula", FORMULAS)
def test_where_a_long_step_meets_no_values_a_short_one_begins(formula):
    """The square root has none beyond t = 1e-3: the integration gets there, and says why it ends."""
    model = Model.from_text("par k=1\nx'=-k*sqrt(1e-3-t)\nx(0)=1\ndone")
    run = Simulator(model, [5e-4, 0.999e-3, 1.0], Method("gear", formula, 1e-6))()
    assert not run.status
    assert run.y[:2, 0] == pytest.approx([1 - 2 / 3 * (1e-3**1.5 - (1e-3 - t) ** 1.5) for t in (5e-4, 0.999e-3)])


@pytest.mark.parametrize("begin", [-0.7, -1 / 3, -12.1])
def test_a_dose_at_time_0_is_met_from_before(begin):
    """Times that should be 0 are so but for rounding errors of the times before."""
    model = Model.from_text(
        f"par k=.5\nx'=-k*x\nx(0)=0\ndose x=2 at {begin / 2!r}\ndose x=3 at 0\n@ t0={begin!r}\ndone"
    )
    run = Simulator(model, [0.0, 1.0])()
    assert run.y[0, 0] == pytest.approx(3.0 + 2.0 * np.exp(0.25 * begin), rel=1e-5)


def test_doses_cost_few_evaluations():
    """After each of ten doses one step begins anew, and not twenty."""
    doses = "".join(f"dose x=1 at {k}\n" for k in range(10))
    model = Model.from_text(f"par k=.5\nx'=-k*x\nx(0)=0\n{doses}done")
    times = np.arange(0.5, 10.0)
    run = Simulator(model, times)()
    exact = [sum(np.exp(-0.5 * (t - k)) for k in range(10) if k <= t) for t in times]
    assert run.y[:, 0] == pytest.approx(exact, rel=2e-6)
    assert run.counts.evaluations < 10 * 60
