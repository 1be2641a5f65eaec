"""Experiments integrated one after the other, against each by itself; in the kernel, and in several threads."""

import os
import pickle
import threading

import numpy as np
import pytest
from parfit.kernel.fit import Fit
from parfit.kernel.more import More
from parfit.kernel.together import Together

from parfit.data.observations import make_observations
from parfit.estimation.optimizers.bounded import Settings, minimize
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.trajectory_fit import Compared, TrajectoryFit
from parfit.kernel import together
from parfit.model.conditions.design import Condition, Design, Dose
from parfit.model.conditions.joining import joined
from parfit.model.model import Model
from parfit.simulation.beside import one_by_one
from parfit.simulation.method import Method
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


def in_python(simulator):
    return lambda *given, **how: one_by_one(
        simulator._of_parts(), simulator.times.size, len(simulator.compiled.active), *given, **how
    )


def same(first, second):
    for a, b in zip(first[:2], second[:2], strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(first[2][:3], second[2][:3])
    assert first[2][3] == second[2][3]
    np.testing.assert_array_equal(first[2][4], second[2][4])


@pytest.mark.parametrize("method", [Method(), Method("trapezoid"), Method(formula="bdf", eps=1e-9)])
@pytest.mark.parametrize("ends", [None, [0.5, 2.0], [2.0, 1.0]])
@pytest.mark.parametrize("active", [None, ["k[high]", "v"]])
def test_the_kernel_does_the_same_to_the_last_bit(method, ends, active):
    simulator = Simulator(MODEL, TIMES, method, active, [1.0, 0.0, 2.0, 0.0], ends=ends)
    assert isinstance(simulator.integrator, Together)
    p, start = MODEL.values * 1.1, np.array([3.0, 1.0, 0.5, 0.2])
    slopes = np.arange(4.0 * len(simulator.compiled.active)).reshape(4, -1)
    for given in ((p, False), (p, True), (p, False, start), (p, True, start, slopes)):
        same(simulator.integrator(*given), in_python(simulator)(*given))
    same(pickle.loads(pickle.dumps(simulator)).integrator(p, True), simulator.integrator(p, True))


def test_errors_may_be_larger_in_all_experiments():
    simulator = Simulator(MODEL, TIMES, Method(eps=1e-9))
    loose = simulator.integrator(MODEL.values, True, looseness=1e4)
    same(loose, in_python(simulator)(MODEL.values, True, looseness=1e4))
    assert loose[2][3][0] < simulator.integrator(MODEL.values, True)[2][3][0]


def test_steps_of_the_kernel_are_noted_alike():
    simulator = Simulator(MODEL, TIMES)
    notes = [[], []]
    for integrator, trace in zip((simulator.integrator, in_python(simulator)), notes, strict=True):
        integrator(MODEL.values, False, every=3, trace=trace)
    assert len(notes[0]) > 5
    np.testing.assert_array_equal(*([np.hstack((note[:3], note[3])) for note in each] for each in notes))


def test_a_failure_ends_alike():
    text = "par p=1\nx'=p*x^2\ninit x=.1\nexperiment hot: init x=2\ndone\n"
    model = joined(Model.from_text(text), Design(tuple(map(Condition, ("cold", "hot", "mild")))))
    simulator = Simulator(model, [0.0, 0.25, 1.0])
    found = simulator.integrator(model.values, True)
    same(found, in_python(simulator)(model.values, True))
    assert np.isnan(found[0][:, 2]).all()  # of the one after it


def fitting(simulator):
    """A problem of all variables, with data that are exact but for a shift."""
    y = simulator()
    names = simulator.model.states
    data = make_observations(TIMES, names, y.y * 1.1 + 0.05)
    return TrajectoryFit(simulator, ParameterMap(MODEL.parameters, MODEL.values), data)


def test_whole_fits_are_made_in_the_kernel_and_end_in_the_same_place():
    problem = fitting(Simulator(MODEL, TIMES))
    assert problem.kernel is not None
    start = problem.parameters.point
    inside, outside = problem._evaluated(start), Compared._evaluated(problem, start)
    np.testing.assert_array_equal(inside.residuals, outside.residuals)
    np.testing.assert_allclose(inside.jac, outside.jac, rtol=1e-14, atol=1e-300)
    found = minimize(problem, start, Settings())
    assert found.evaluation.sum_of_squares < 0.5 * inside.sum_of_squares


LONG = "par w=1\nx'=w*y\ny'=-w*x\ninit x=1\nlocal w\ndone"


def test_threads_change_nothing():
    """The first integration shows that it is much work, so that the next ones are divided, if there are processors."""
    model = joined(Model.from_text(LONG), Design(tuple(Condition(f"e{k}") for k in range(7))))
    simulator = Simulator(model, np.linspace(0.0, 500.0, 5), Method(eps=1e-10))
    p = np.linspace(0.5, 1.5, 7)
    first, *others = (simulator.integrator(p, True) for _ in range(3))
    for each in others:
        same(first, each)
    same(first, in_python(simulator)(p, True))
    assert together._helpers is not None or os.cpu_count() == 1


def test_a_fit_of_experiments_can_be_stopped():
    model = joined(Model.from_text(LONG), Design((Condition("a"), Condition("b"))))
    times = np.linspace(0.0, 20.0, 4)
    simulator = Simulator(model, times, Method(eps=1e-8))
    data = make_observations(times, model.states, simulator().y + 0.1)
    problem = TrajectoryFit(simulator, ParameterMap(model.parameters, model.values), data)
    endless = TrajectoryFit(
        Simulator(model, [*times[:-1], 1e7], Method(eps=1e-12, max_steps=10**9)),
        problem.parameters,
        make_observations([*times[:-1], 1e7], model.states, data.values),
    )
    ended = []
    first = problem.evaluate(problem.parameters.point)
    search = More(*first.jac.shape, 0.0, 10**6, "linear", 1.0)
    search.begin(problem.parameters.point, first.residuals, first.jac, first.sum_of_squares, first.usable)
    fit = Fit(endless.kernel, search)

    def work():
        try:
            fit.advance(1e9)
        except KeyboardInterrupt:
            ended.append(True)

    worker = threading.Thread(target=work)
    worker.start()
    fit.stop()
    worker.join(60.0)
    assert not worker.is_alive()
    assert ended == [True]
