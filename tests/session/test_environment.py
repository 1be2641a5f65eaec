"""The environment: what changes with what, and that nothing else does."""

from dataclasses import FrozenInstanceError, fields, replace
from datetime import datetime

import numpy as np
import pytest
from conversation import MODELS, data_of, model_of
from regression import study_of

from parfit.data.observations import make_observations
from parfit.errors import ParfitError, StateError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.parameters import Scaling
from parfit.estimation.problem import Ending, Evaluation
from parfit.estimation.problem import Result as Ended
from parfit.estimation.resampling import Bootstrap, Kind
from parfit.estimation.strategies.reliability.profile import profile
from parfit.estimation.strategies.reliability.wanted import Request
from parfit.model.curves import linear
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Continuation, Creation, Guess, Iterate, Note, Options, Samples, Smoothing
from parfit.session.results import FitRecord, Results, but, differences
from parfit.session.timeline import MAX_PAST, Timeline
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Reason, Status

AT = Evaluation(np.ones(2), np.ones((2, 6)), Status(Reason.OK))


@pytest.fixture
def full():
    """An environment that has something of everything."""
    env = Environment.of(model_of("predator-prey"), data_of("predator-prey"), folder="somewhere")
    run = Simulator(env.model, env.samples.times, env.options.method, env.parameters.active)(env.values, True)
    curve = linear([0, 12.5], [1, 2])
    guess = Guess(np.array([0, 12.5]), np.array([1.0, 2.0]), curve)
    env = env.with_noise(Noise(dict.fromkeys(("y1", "y2"), VariableNoise(Form.ADDITIVE, "s"))))
    env = env.with_frozen(["p2"]).with_scaling({"p3": Scaling.LOGARITHM}).with_integration(run, ["a line"])
    env = env.with_linear(True).with_loss("HUBER").with_statistics(study_of(env.model, env.observations))
    env = env.with_profiles([profile_of_a_line()])
    env = env.with_bootstrap(Bootstrap(Kind.RESIDUALS, 1, 95.0, 2, env.parameters, np.ones((2, 5))))
    env = env.with_continuation(Continuation(0.5, (1.0,), (2.0,), (1.0, 1.0), 0.01, 1e-6, 1e-6))
    env = env.with_iterates([Iterate(env.values, np.array([0.0]), {"y2": np.array([1.0])})])
    env = env.with_search(marquardt.Settings(0.5)).with_search(bounded.Settings(1e-6))
    return replace(
        env.with_mark(env.marked("m")),
        smoothing=Smoothing("spline", {"y1": np.empty(0)}, {"y1": curve}),
        guesses={"y2": guess},
        creation=Creation(env.model.parameters, env.values, 0.1, 1),
        fits=(FitRecord("more", env.basis, 1.0, 2, 3, None),),
        notes=(Note("n", datetime(2026, 1, 1), env.model.parameters, env.values),),
        echo=True,
        origin="INTEG Y",
    )


def profile_of_a_line():
    """Any profile will do: that of the slope of a line."""
    data = make_observations([0.0, 1.0, 2.0], ["y"], [[0.0], [1.1], [1.9]])
    line = Environment.of(Model.from_text("par b=1\ny'=b\ninit y=0\ndone", "line"), data)
    return profile(line, Request()).profiles[0]


def test_the_fixture_has_something_of_everything(full):
    empty = Environment.of(full.model)
    parts = [(full, empty, Environment), (full.results, empty.results, Results)]
    for some, none, kind in parts:
        same = {each.name for each in fields(kind) if getattr(some, each.name) is getattr(none, each.name)}
        assert same <= {"model", "options", "first_values"}, same


def changed(old, new):
    """The fields that are not the same objects."""
    return {
        each.name
        for kind, of in ((Environment, lambda env: env), (Results, lambda env: env.results))
        for each in fields(kind)
        if each.name != "results" and getattr(of(old), each.name) is not getattr(of(new), each.name)
    }


def test_it_never_changes(full):
    with pytest.raises(FrozenInstanceError):
        full.echo = False
    for array in (
        full.values,
        full.first_values,
        full.samples.times,
        full.observations.weights,
        full.observations.values,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_it_keeps_copies():
    values = np.array([1.0, 2.0])
    model = Model.from_text("par a=1, b=2\nx'=-a*x+b\ninit x=1\ndone")
    env = Environment.of(model, None, values).with_values(values)
    values[0] = 9
    assert env.values.tolist() == env.first_values.tolist() == [1, 2]


RESULTS = {each.name for each in fields(Results)}
OF_DATA = RESULTS | {"observations", "samples", "smoothing", "guesses", "creation"}


@pytest.mark.parametrize(
    ("step", "touched"),
    [
        (lambda env: env.with_values([2, 0.1, 3, 1, 0.1, 0.15]), {"parameters", "loss"}),
        (lambda env: env.with_frozen(["p1"]), {"parameters"}),
        (lambda env: env.with_scaling({}), {"parameters"}),
        (lambda env: env.with_samples(Samples(np.arange(3.0), True)), {"samples", "integration"}),
        (lambda env: env.with_weights(np.full((25, 2), 2.0)), {"observations", "smoothing"}),
        (lambda env: env.with_options(Options(jacobian=1)), {"options"}),
        (lambda env: env.with_note(env.notes[0]), {"notes"}),
        (lambda env: env.with_mark(env.marked("k")), {"marks"}),
        (lambda env: env.with_fit("more", Ended(np.ones(6), AT, Ending.LIMIT, 0.0, 1, 1), None), {"fits"}),
        (lambda env: env.with_echo(False), {"echo"}),
        (lambda env: env.made_by("SET p1 2"), {"origin"}),
        (lambda env: env.with_creation(Creation((), np.empty(0), 1.0, 1)), {"creation"}),
        (lambda env: env.with_integration(env.integration.trajectory), {"integration", "details"}),
        (
            lambda env: env.with_solution(env.values + 1, env.integration.trajectory, ()),
            {"parameters", "integration", "details", "loss"},
        ),
        (lambda env: env.with_details(["another line"]), {"details"}),
        (lambda env: env.with_noise(Noise()), {"noise"}),
        (lambda env: env.with_loss("CAUCHY"), {"loss"}),
        (lambda env: env.with_statistics(env.statistics), {"studied"}),
        (lambda env: env.with_profiles(env.profiles), {"profiled"}),
        (lambda env: env.with_bootstrap(env.bootstrap), {"resampled"}),
        (lambda env: env.with_observations(None), OF_DATA | {"noise"}),
        (
            lambda env: env.with_observations(env.observations, env.first_values + 1),
            OF_DATA - {"observations"} | {"parameters", "first_values"},
        ),
        (
            lambda env: env.with_model(Model.from_text(env.model.source, "again")),
            RESULTS | {"model", "parameters", "first_values", "samples", "observations", "guesses", "linear"},
        ),
        (
            lambda env: env.with_other_model(Model.from_text(env.model.source, "again"), "elsewhere"),
            RESULTS
            | {"model", "parameters", "first_values", "samples", "observations", "guesses", "linear"}
            | {"creation", "folder"},
        ),
    ],
)
def test_what_a_change_touches(full, step, touched):
    assert changed(full, step(full)) == touched


def test_freezing_and_scaling_survive_new_values(full):
    env = full.with_values(full.values * 2)
    assert env.parameters.frozen == {1}
    assert env.parameters.scaling[2] is Scaling.LOGARITHM


def test_values_must_be_finite(full):
    for wrong in (np.nan, np.inf):
        with pytest.raises(ParfitError, match="finite"):
            full.with_values([wrong, 0.1, 3, 1, 0.1, 0.15])


def test_a_solution_at_other_values_is_the_same_as_one_after_the_other(full):
    run, values = full.integration.trajectory, full.values * 1.1
    one, other = full.with_solution(values, run, ["tried"]), full.with_values(values).with_integration(run, ["tried"])
    assert changed(one, other) <= {"parameters", "integration", "details"}  # of which both have their own
    assert differences(one.basis, other.basis) == []
    assert differences(one.integration.basis, other.integration.basis) == []
    assert one.integrated is None, "the solution is that of other values"
    with pytest.raises(ParfitError, match="finite"):
        full.with_solution(full.values * np.nan, run, ())


def test_a_copy_with_other_fields_is_that_of_dataclasses(full):
    one, other = but(full, echo=False, origin="FIT"), replace(full, echo=False, origin="FIT")
    assert changed(one, other) == set()
    assert changed(full, one) == {"echo", "origin"}
    with pytest.raises(FrozenInstanceError):
        one.echo = True
    with pytest.raises(AssertionError):
        but(full, no_field=1)


def test_the_integration_belongs_to_its_parameters(full):
    assert full.integrated is full.integration.trajectory
    other = full.with_values(full.values * 1.1)
    assert other.integrated is None
    assert other.sum_of_squares is None
    assert other.with_values(full.values).integrated is full.integrated


def test_the_sum_of_squares(full):
    residuals = full.integration.trajectory.y[1:] - full.observations.values
    assert full.sum_of_squares == pytest.approx(np.sum(residuals**2), rel=1e-12)
    assert full.with_weights(np.full((25, 2), 3.0)).sum_of_squares == pytest.approx(
        9 * np.sum(residuals**2), rel=1e-12
    )
    assert replace(full, observations=None).sum_of_squares is None


@pytest.mark.parametrize("options", [OF_1977, Options(method=Method(eps=1e-8)), Options(method=Method(h_max=0.5))])
def test_another_method_has_another_sum_of_squares(full, options):
    other = full.with_options(options)
    assert other.integrated is None
    assert other.sum_of_squares is None
    assert other.stale() == ["another method or accuracy of integration"]
    assert other.stale_sum(full.marks[0]) == ["another method or accuracy of integration"]
    assert other.with_options(full.options).sum_of_squares == full.sum_of_squares


def test_output_options_make_nothing_stale(full):
    assert full.with_options(replace(full.options, output=3, jacobian=1)).sum_of_squares == full.sum_of_squares


def test_the_sum_of_a_mark_belongs_to_its_weights_and_data(full):
    mark = full.marks[0]
    assert not full.stale_sum(mark)
    assert not full.with_values(full.values * 2).stale_sum(mark), "it is that of the mark's own values"
    assert full.with_weights(np.full((25, 2), 2.0)).stale_sum(mark) == ["other weights"]
    assert "other data" in full.with_observations(None).stale_sum(mark)
    assert "another model" in full.with_model(Model.from_text(full.model.source, "again")).stale_sum(mark)


def test_a_loss_belongs_to_its_values(full):
    assert full.loss == "HUBER"
    assert full.with_values(full.values * 2).loss == ""
    assert full.with_values(full.values * 2).recalled(full.marks[0]).loss == "HUBER"


def test_default_samples():
    model = model_of("predator-prey")
    data = make_observations([2, 0, 2, 1], ["y1"], [[1.0], [2.0], [3.0], [4.0]])
    assert Environment.of(model, data).samples.times.tolist() == [0, 1, 2]
    assert not Environment.of(model, data).samples.uniform
    later = make_observations([2], ["y1"], [[1.0]])
    assert Environment.of(model, later).samples.times.tolist() == [0, 2]
    alone = Environment.of(Model.from_text("x'=-x\ninit x=1\ndone"))
    assert alone.samples.uniform
    assert (alone.samples.times[0], alone.samples.times[-1]) == (0, 10)


def test_scale_comes_from_the_observations():
    data = make_observations([1, 2], ["y2"], [[-7.0], [3.0]])
    assert Environment.of(model_of("predator-prey"), data).sizes.tolist() == [0, 7]


def test_variables_are_states_and_aux():
    assert Environment.of(model_of("enzyme")).variables == ("y1", "y2", "product")


# ---- another model


def model(text):
    return Model.from_text(f"{text}\nx'=-a*x\ninit x=1\ndone", "m")


def test_parameters_carry_over_by_name_in_any_order():
    env = Environment.of(model("par a=1, b=2, c=3")).with_values([5, 6, 7]).with_frozen(["b"])
    env = env.with_scaling({"c": Scaling.SQUARE_ROOT}).with_model(model("par C=3, d=8, a=1, b=2"))
    assert env.values.tolist() == [7, 8, 5, 6]
    assert env.first_values.tolist() == [3, 8, 1, 2]
    assert env.parameters.frozen == {3}
    assert env.parameters.scaling == (Scaling.SQUARE_ROOT, Scaling.NONE, Scaling.NONE, Scaling.NONE)


def test_a_changed_starting_value_is_taken():
    env = Environment.of(model("par a=1, b=2")).with_values([5, 6]).with_model(model("par a=1, b=2.5"))
    assert env.values.tolist() == [5, 2.5]


def test_not_all_stay_frozen():
    env = Environment.of(model("par a=1, b=2")).with_frozen(["a"]).with_model(model("par a=1"))
    assert env.parameters.active == (0,)


def test_bounds_carry_over():
    env = Environment.of(model("par a=1, b=2"))
    env = replace(env, parameters=replace(env.parameters, lower=np.array([0.0, 1]), upper=np.array([4.0, 5])))
    env = env.with_model(model("par b=2, c=1, a=1"))
    assert env.parameters.lower.tolist() == [1, -np.inf, 0]
    assert env.parameters.upper.tolist() == [5, np.inf, 4]


def test_observations_of_what_is_gone_are_dropped(full):
    less = full.with_model(Model.from_text("par p1=1\ny2'=-p1*y2\ninit y2=8\ndone"))
    assert less.observations.names == ("y2",)
    np.testing.assert_array_equal(less.observations.values[:, 0], full.observations.values[:, 1])
    none = full.with_model(Model.from_text("par p1=1\nz'=-p1*z\ninit z=8\n@ total=3\ndone"))
    assert none.observations is None
    assert none.samples.times[-1] == 3


def test_marks_outlive_parameters():
    env = Environment.of(model("par a=1, b=2, c=3"))
    env = env.with_mark(env.with_values([5, 6, 7]).marked("m")).with_model(model("par d=9, C=3, a=1"))
    mark = env.marks[0]
    assert env.recalled(mark).values.tolist() == [9, 7, 5]
    assert mark.unknown(env.model.parameters) == ["d"]
    assert env.with_model(model("par a=1, b=2, c=3")).recalled(mark).values.tolist() == [5, 6, 7]


def test_a_mesh_stays_if_the_initial_time_does(full):
    mesh = full.with_samples(Samples(np.arange(3.0), True))
    assert mesh.with_model(Model.from_text(full.model.source)).samples is mesh.samples
    later = Model.from_text(full.model.source.replace("@ total", "@ t0=.25, total"))
    assert mesh.with_model(later).samples.times[0] == 0.25


def test_another_model_altogether(full):
    from parfit import load_model

    other = load_model(MODELS / "predator-prey-2.ode")
    env = full.with_other_model(other, "elsewhere")
    np.testing.assert_array_equal(env.values, other.values)
    assert env.parameters.frozen == frozenset()
    assert env.marks is full.marks
    assert env.notes is full.notes
    assert env.options is full.options
    assert env.folder == "elsewhere"
    assert env.observations.names == ("y1", "y2")


# ---- the timeline


def environments(n):
    env = Environment.of(model("par a=1"))
    return [env.made_by(str(k)) for k in range(n)]


def test_the_timeline_goes_back_and_forth():
    first, second, third, fourth = environments(4)
    line = Timeline(first).then(second).then(third)
    assert line.back(1).present is second
    assert line.back(2).present is first
    assert line.back(2).forward(1).present is second
    assert line.back(1).forward(1).present is third
    branched = line.back(1).then(fourth)
    assert branched.past == (first, second)
    assert branched.future == ()
    with pytest.raises(StateError, match="only 2 changes can be undone"):
        line.back(3)
    with pytest.raises(StateError, match="nothing can be redone"):
        line.forward(1)
    with pytest.raises(StateError, match="only one change can be redone"):
        line.back(1).forward(2)


def test_the_timeline_remembers_what_was_undone():
    first, second, third, fourth = environments(4)
    line = Timeline(first).then(second).then(third).back(2).then(fourth)
    assert [(each.before, each.after) for each in line.made] == [(first, second), (second, third), (first, fourth)]
    again = Timeline(first).then(second).back(1).forward(1)
    assert [(each.before, each.after) for each in again.made] == [(first, second)], "REDO makes nothing new"


def test_the_past_is_bounded():
    many = environments(MAX_PAST + 50)
    line = Timeline(many[0])
    for env in many[1:]:
        line = line.then(env)
    assert len(line.past) == MAX_PAST
    assert len(line.made) == MAX_PAST
    assert line.back(MAX_PAST).present is many[49]


def test_sets_of_a_model_become_marks():
    text = "par a=1, b=2\nx'=-a*x+b\nset low {a=.1,b=.2}\nset high {A=10, x=3, xhi=4}\ndone"
    env = Environment.of(Model.from_text(text))
    assert [(mark.name, mark.values.tolist()) for mark in env.marks] == [("low", [0.1, 0.2]), ("high", [10, 2])]
    other = env.with_other_model(Model.from_text("par c=1\nx'=c\nset mine {c=2}\n"), "")
    assert [mark.name for mark in other.marks] == ["low", "high", "mine"]


def test_a_run_without_data_has_the_steps_of_its_model():
    env = Environment.of(Model.from_text("x'=-x\n@ total=5, dt=.25, xp=t\n"))
    np.testing.assert_allclose(env.samples.times, np.arange(21) * 0.25)
    assert env.model.remarks == ("ignored, as it has no meaning here: @ xp",)
