"""Experiments integrated one after the other, against each by itself."""

import numpy as np

from parfit.model.conditions.design import Condition, Design, Dose
from parfit.model.conditions.joining import joined
from parfit.model.model import Model
from parfit.simulation.simulator import Simulator

TEXT = "par k=.5, v=2, far=3\na'=v-k*a\nlocal k\nb'=a-b\naux c=2*a\ninit a=1, b=0\ndone\n"
DESIGN = Design((Condition("low", {"a(0)": 2.0}), Condition("high", {"v": 9.0}, (Dose("a", 2.0, (1.0,)),))))
MODEL = joined(Model.from_text(TEXT), DESIGN)
TIMES = [0.0, 0.5, 1.0, 2.0]


def test_each_experiment_is_what_it_is_alone():
    together = Simulator(MODEL, TIMES)(sensitivities=True)
    assert together.status
    for part, states in zip(MODEL.parts, (slice(0, 2), slice(2, 4)), strict=True):
        alone = Simulator(part.model, TIMES)(sensitivities=True)
        np.testing.assert_array_equal(together.y[:, states], alone.y)
        np.testing.assert_array_equal(together.s[:, states][..., list(part.places)], alone.s)
    np.testing.assert_array_equal(together.column("c[high]"), 2.0 * together.column("a[high]"))


def test_what_an_experiment_does_not_depend_on_has_no_influence():
    run = Simulator(MODEL, TIMES, active=["k[high]", "v"])(sensitivities=True)
    assert not run.sensitivity("a[low]")[:, 0].any()
    assert not run.sensitivity("a[high]")[:, 1].any()  # v is known there


def test_a_failure_names_the_state_of_its_experiment():
    text = "par p=1\nx'=p*x^2\ninit x=.1\nexperiment hot: init x=2\ndone\n"
    model = joined(Model.from_text(text), Design((Condition("cold"), Condition("hot"))))
    run = Simulator(model, [0.0, 0.25, 1.0])()
    assert not run.status
    assert run.status.state == "x[hot]"
    assert np.isfinite(run.column("x[cold]")).all()
    assert np.isnan(run.column("x[hot]")[-1])


def test_steps_and_a_fine_solution_are_those_of_all():
    simulator = Simulator(MODEL, TIMES)
    steps = simulator.steps(MODEL.values, 1)
    values = [MODEL.values[list(part.places)] for part in MODEL.parts]
    alone = [Simulator(part.model, TIMES).steps(p, 1) for part, p in zip(MODEL.parts, values, strict=True)]
    assert [each.t for each in steps] == [each.t for part in alone for each in part]
    np.testing.assert_array_equal(steps[0].y, [*alone[0][0].y, np.nan, np.nan])
    assert simulator.finer().column("b[low]").size > 100
