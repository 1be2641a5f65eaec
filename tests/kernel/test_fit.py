"""Whole fits in the kernel: the same as when Python evaluates, to the last bit, and ended from elsewhere."""

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from parfit.kernel.fit import TRIAL, Fit
from parfit.kernel.more import More

from parfit import Model, Simulator, load_data, load_model
from parfit.data.observations import make_observations
from parfit.estimation.optimizers import bounded, marquardt, searching
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Ending, Slack
from parfit.estimation.problems.trajectory_fit import Compared, TrajectoryFit
from parfit.simulation.method import ACCURATE, MANUAL

MODELS = Path(__file__).resolve().parents[2] / "models"
NAMES = ["bellman", "barnes", "bard", "escep", "heart", "mice", "predator-prey", "reindeer", "tour"]
OPTIMIZERS = {
    "marquardt": marquardt.Settings(max_iterations=40),
    "marquardt 1977": marquardt.Settings.entered(0.01, -1e-6, -1e-15),
    "more": bounded.Settings(max_evaluations=60),
    "huber": bounded.Settings(loss="huber", loss_scale=0.1, max_evaluations=60),
}


def maps(model):
    """The parameters as they are, scaled, with one frozen, and within bounds that are soon met."""
    values = model.values
    plain = ParameterMap(model.parameters, values)
    yield plain
    if (values > 0).all():
        scalings = (Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE) * values.size
        yield replace(plain, scaling=scalings[: values.size])
    yield replace(plain, frozen=frozenset([values.size - 1]))
    size = 0.2 * np.abs(values)
    yield replace(plain, lower=values - size, upper=values + size + 0.01)


def problem(name, method, parameters):
    model = load_model(MODELS / f"{name}.ode")
    data = load_data(MODELS / ("escep-a.csv" if name == "escep" else f"{name}.csv"), model)
    largest = dict(zip(data.names, data.maxima, strict=True))
    sizes = [largest.get(state, 0.0) for state in model.states]
    simulator = Simulator(model, data.sample_times(model.t0), method, parameters.active, sizes)
    return TrajectoryFit(simulator, parameters, data)


def history(optimizer, of):
    """All that is known of the trials and of the end, in bits."""
    seen = []

    def note(trial):
        at = trial.evaluation
        numbers = (trial.iteration, trial.lam, trial.part, at.sum_of_squares, trial.total)
        seen.append((trial.p.tobytes(), *numbers, at.usable, str(at.status), trial.accepted))

    found = optimizer.minimize(of, of.parameters, note)
    at = found.evaluation
    run = at.trajectory
    end = (found.p.tobytes(), found.ending, found.lam, found.n_iterations, found.n_evaluations)
    arrays = [each.tobytes() for each in (at.residuals, at.jac, run.y, run.s, run.parameters)]
    return seen, end, arrays, run.counts, str(run.stiff_time), str(run.status)


class Patient(Fit):
    """One that integrates hopeless trials to their end, as Python does."""

    def __init__(self, *_):
        self.patient = True


@pytest.mark.parametrize("method", [ACCURATE, MANUAL], ids=["gear", "trapezoid"])
@pytest.mark.parametrize("name", NAMES)
def test_it_goes_where_python_would_to_the_last_bit(name, method, monkeypatch):
    monkeypatch.setattr(searching, "Fit", Patient)
    model = load_model(MODELS / f"{name}.ode")
    for parameters in maps(model):
        for what, optimizer in OPTIMIZERS.items():
            own = problem(name, method, parameters)
            assert own.kernel is not None
            found = history(optimizer, own)
            with monkeypatch.context() as patch:
                patch.setattr(TrajectoryFit, "kernel", None)
                assert history(optimizer, problem(name, method, parameters)) == found, (what, parameters.scaling)


@pytest.mark.parametrize("what", OPTIMIZERS)
def test_a_start_that_is_known_and_one_that_is_not_are_the_same(what):
    """To the last bit; who has looked at the start does not integrate there twice, nor who asks for the end."""
    parameters = ParameterMap(*parameters_of("barnes"))
    known, other = (problem("barnes", ACCURATE, parameters) for _ in range(2))
    first = known.evaluate(parameters.point)
    assert known.remembered(parameters.point) is first
    assert other.remembered(parameters.point) is None
    assert history(OPTIMIZERS[what], known) == history(OPTIMIZERS[what], other)
    found = OPTIMIZERS[what].minimize(other, parameters)
    assert other.evaluate(found.p) is found.evaluation


@pytest.mark.parametrize("what", OPTIMIZERS)
def test_a_search_that_finds_nothing_better_ends_with_what_was_at_its_start(what, monkeypatch):
    """Whether it may not search, or the equations cannot be integrated there."""
    model = Model.from_text("par k=.5\nx'=-sqrt(1-k)*x\nx(0)=1\ndone")
    times = np.linspace(0.5, 6.0, 12)
    data = make_observations(times, ["x"], np.exp(-times)[:, np.newaxis])
    for k, limit in ((0.5, {"max_evaluations": 1}), (2.0, {})):
        if "marquardt" in what and limit:
            limit = {"max_iterations": 0}
        parameters, ends = ParameterMap(model.parameters, [k]), []
        for in_kernel in (True, False):
            of = TrajectoryFit(Simulator(model, times, active=(0,)), parameters, data)
            with monkeypatch.context() as patch:
                if not in_kernel:
                    patch.setattr(TrajectoryFit, "kernel", None)
                found = replace(OPTIMIZERS[what], **limit).minimize(of, parameters)
            at = found.evaluation
            numbers = (found.p.tolist(), found.n_iterations, found.n_evaluations, at.sum_of_squares, at.usable)
            arrays = [each.tobytes() for each in (at.residuals, at.jac, at.trajectory.y, at.trajectory.parameters)]
            ends.append((found.ending, numbers, arrays, str(at.status)))
            assert of.evaluate(found.p) is at
        assert ends[0] == ends[1]
        assert ends[0][0] is (Ending.START if k > 1.0 else Ending.LIMIT)
        assert at.usable == (k < 1.0)


HIDDEN = """
par a=.5, b=1e4, c=1, d=300
x'=-a*x
y'=b*x-c*y+d*z
z'=-d*z+b*y/(1+y)+x*b
x(0)=1
y(0)=0
z(0)=0
done
"""


@pytest.mark.parametrize("what", OPTIMIZERS)
def test_what_nothing_observed_depends_on_stays_where_it_is(what, monkeypatch):
    """Though rounding errors are where its derivatives should be 0; in the kernel as in Python."""
    model = Model.from_text(HIDDEN)
    times = np.linspace(0.5, 6.0, 12)
    values = np.exp(-0.3 * times) + 0.01 * np.cos(9.0 * times)
    data = make_observations(times, ["x"], values[:, np.newaxis], sds=[0.01])
    parameters = ParameterMap(model.parameters, model.values)

    def hidden():
        return TrajectoryFit(Simulator(model, times, active=parameters.active), parameters, data)

    own = hidden()
    assert own.kernel is not None
    found = history(OPTIMIZERS[what], own)
    for p in [np.frombuffer(trial[0]) for trial in found[0]]:
        assert p[1:].tolist() == model.values[1:].tolist()
    with monkeypatch.context() as patch:
        patch.setattr(TrajectoryFit, "kernel", None)
        assert history(OPTIMIZERS[what], hidden()) == found


SUMMED = """
par k=.7, r=.3, c=.1
x'=-k*x
y'=k*x-r*y
x(0)=2
y(0)=c
aux total=x+y*r
aux seen=exp(-c*t)*y
done
"""


def test_quantities_that_are_no_states_are_compared_too():
    """Against the states and sensitivities of the simulator, put together by hand."""
    model = Model.from_text(SUMMED)
    times = np.linspace(0.5, 6.0, 12)
    values = np.column_stack((np.cos(times), np.sin(times), times))
    data = make_observations(times, ["total", "y", "seen"], values, sds=[0.5, 0.1, 2.0])
    parameters = ParameterMap(model.parameters, model.values, frozenset([0]), (Scaling.LOGARITHM,) * 3)
    of = TrajectoryFit(Simulator(model, times, active=parameters.active), parameters, data)
    found = of.evaluate(parameters.point)
    _, r, c = model.values
    run = Simulator(model, times, active=(1, 2))(model.values, sensitivities=True)
    x, y, s = run.y[:, 0], run.y[:, 1], run.s
    decay = np.exp(-c * times)
    f = np.column_stack((x + y * r, y, decay * y)) - values
    by_r = np.column_stack((s[:, 0, 0] + r * s[:, 1, 0] + y, s[:, 1, 0], decay * s[:, 1, 0]))
    by_c = np.column_stack((s[:, 0, 1] + r * s[:, 1, 1], s[:, 1, 1], decay * (s[:, 1, 1] - times * y)))
    weights = np.array([2.0, 10.0, 0.5])
    assert found.residuals.reshape(f.shape) == pytest.approx(weights * f, rel=1e-12)
    jac = np.stack((weights * by_r * r, weights * by_c * c), axis=-1)
    assert found.jac.reshape(jac.shape) == pytest.approx(jac, rel=1e-11, abs=1e-13)
    plain = Compared(of.simulator, parameters, data).evaluate(parameters.point)
    assert found.residuals == pytest.approx(plain.residuals, rel=1e-13)


# ---- how it ends


def slow():
    """A fit of minutes: an oscillation that takes a hundred thousand steps."""
    model = Model.from_text("par w=1, d=1e-5\nx'=w*y\ny'=-w*x-d*y\nx(0)=1\ny(0)=0\ndone")
    times = np.linspace(0.0, 20_000.0, 400)
    data = make_observations(times[1:], ["x"], np.cos(0.99 * times[1:, np.newaxis]))
    parameters = ParameterMap(model.parameters, model.values)
    simulator = Simulator(model, times, replace(ACCURATE, max_steps=10**7), parameters.active)
    return TrajectoryFit(simulator, parameters, data)


def test_ctrl_c_ends_it_at_the_best_point(monkeypatch):
    of, seen, timers = slow(), [], []

    class Pressed(Fit):
        def advance(self, seconds):
            """In the middle of its first integration, which takes longer."""
            timers.append(threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)))
            timers[-1].start()
            return super().advance(1e6)

    monkeypatch.setattr(searching, "Fit", Pressed)
    found = bounded.Settings(tol=0.0, max_evaluations=10**6).minimize(of, of.parameters, seen.append)
    assert len(timers) == 1
    assert found.ending is Ending.INTERRUPTED
    assert found.n_evaluations == 1 + len(seen)


def test_another_thread_can_end_it():
    of = slow()
    first = of.evaluate(of.parameters.point)
    search = More(*first.jac.shape, 0.0, 10**6, "linear", 1.0)
    search.begin(of.parameters.point, first.residuals, first.jac, first.sum_of_squares, first.usable)
    fit, ended = Fit(of.kernel, search), []

    def work():
        try:
            fit.advance(1e6)
        except KeyboardInterrupt:
            ended.append(fit.n_trials)

    worker = threading.Thread(target=work)
    worker.start()
    fit.stop()
    worker.join(60.0)
    assert not worker.is_alive()
    assert len(ended) == 1


def test_threads_can_share_a_problem():
    """In any order, with the same results to the last bit."""
    own = problem("predator-prey", ACCURATE, ParameterMap(*parameters_of("predator-prey")))
    random = np.random.default_rng(7)
    starts = own.parameters.point * np.exp(0.1 * random.standard_normal((24, own.parameters.point.size)))

    def fitted(start):
        found = bounded.minimize(own, start, bounded.Settings(max_evaluations=40))
        return found.p.tobytes(), found.evaluation.residuals.tobytes(), found.ending, found.n_evaluations

    alone = [fitted(start) for start in starts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fitted, starts[::-1]))
    assert together[::-1] == alone


@pytest.mark.parametrize("k", [0, 1, 4])
def test_who_wants_no_more_than_a_trial_keeps_that(k):
    """Though the kernel has gone on: the result is that of a search with so many trials."""
    own = problem("barnes", ACCURATE, ParameterMap(*parameters_of("barnes")))
    seen = []

    def watch(trial):
        seen.append(trial)
        if len(seen) == k + 1:
            raise KeyboardInterrupt

    found = bounded.Settings().minimize(own, own.parameters, watch)
    short = bounded.Settings(max_evaluations=k + 2).minimize(own, own.parameters)
    assert found.ending is Ending.INTERRUPTED
    assert (found.p.tobytes(), found.n_evaluations, found.n_iterations) == (
        short.p.tobytes(),
        short.n_evaluations,
        short.n_iterations,
    )
    assert found.evaluation.residuals.tobytes() == short.evaluation.residuals.tobytes()


def parameters_of(name):
    model = load_model(MODELS / f"{name}.ode")
    return model.parameters, model.values


def test_trials_are_told_while_it_goes_on(monkeypatch):
    """After every trial, if that takes longer than the time between two reports."""
    monkeypatch.setattr(searching, "EVERY", -1.0)
    own, seen, told = problem("bellman", ACCURATE, ParameterMap(*parameters_of("bellman"))), [], []

    class Watched(Fit):
        def advance(self, seconds):
            told.append(len(seen))
            return super().advance(seconds)

    monkeypatch.setattr(searching, "Fit", Watched)
    found = bounded.Settings().minimize(own, own.parameters, seen.append)
    assert told == list(range(found.n_evaluations - 1))
    assert len(TRIAL) + own.parameters.point.size == Watched.__mro__[1](own.kernel, _begun(own)).trials().shape[1]


def _begun(of):
    first = of.evaluate(of.parameters.point)
    search = More(*first.jac.shape, 1e-8, 9, "linear", 1.0)
    search.begin(of.parameters.point, first.residuals, first.jac, first.sum_of_squares, first.usable)
    return search


# ---- trials that are given up


def both(of, monkeypatch):
    """The history of a search that gives up, and of one that does not."""
    yield history(bounded.Settings(max_evaluations=60), of)
    with monkeypatch.context() as patch:
        patch.setattr(searching, "Fit", Patient)
        yield history(bounded.Settings(max_evaluations=60), of)


def given_up(trials):
    return [k for k, each in enumerate(trials) if "too badly" in each[7]]


@pytest.mark.parametrize("name", ["bellman", "escep", "mice", "reindeer", "tour"])
def test_a_hopeless_trial_is_given_up_and_nothing_else_changes(name, monkeypatch):
    """To the last bit; but a trial that could not have been integrated is not tried again with smaller errors."""
    n_given = 0
    for parameters in maps(load_model(MODELS / f"{name}.ode")):
        found, patient = both(problem(name, ACCURATE, parameters), monkeypatch)
        given, trials = given_up(found[0]), patient[0]
        if any(trials[k][4] == np.inf for k in given if k + 1 < len(trials) and trials[k][0] == trials[k + 1][0]):
            continue
        n_given += len(given)
        for k in given:
            least = min([each[4] for each in trials[:k] if each[8]], default=0.0)
            assert trials[k][4] > least
            assert not trials[k][8]
        assert [each for k, each in enumerate(found[0]) if k not in given] == [
            each for k, each in enumerate(trials) if k not in given
        ]
        assert [each[0] for each in found[0]] == [each[0] for each in trials]
        assert found[1:] == patient[1:]
    assert n_given > 0


GROWTH = """
par k=4
aux q=2*x+k
x'=k*x
x(0)=.1
{more}
done
"""


@pytest.mark.parametrize("more", ["", "dose x = .1 at 1", "global 1 {x-1e9} {x=x}"])
@pytest.mark.parametrize("observed", ["x", "q"])
def test_what_is_given_up_ends_early_wherever_no_row_is_taken_back(more, observed, monkeypatch):
    """A state or another quantity, also with doses, but not with events: a row at one has what is after it."""
    model, times = Model.from_text(GROWTH.format(more=more)), np.linspace(0.5, 6.0, 12)
    scales = ParameterMap(model.parameters, [-2.0])  # from where the first step leads to a much larger k
    exact = Simulator(replace(model, values=np.array([0.5])), times, ACCURATE)().column(observed)
    data = make_observations(times, [observed], exact[:, np.newaxis])
    of = TrajectoryFit(Simulator(model, times, ACCURATE, active=(0,)), scales, data)
    found, patient = both(of, monkeypatch)
    assert bool(given_up(found[0])) == ("global" not in more)
    assert found[1:] == patient[1:]
    assert np.frombuffer(found[1][0])[0] == pytest.approx(0.5, rel=1e-6)


STEEP = "par k={k}, a=1\nx'=k*(a-x)\nx(0)=0\ndone"
ADAMS = replace(ACCURATE, formula="adams")  # steps as short as 1 / k


def steep(k, times, start, active):
    model = Model.from_text(STEEP.format(k=k))
    data = make_observations(times, ["x"], 1.0 - np.exp(-k * times)[:, np.newaxis])
    frozen = frozenset({0, 1} - set(active))
    return TrajectoryFit(Simulator(model, times, ADAMS, active), ParameterMap(model.parameters, start, frozen), data)


def test_a_trial_that_takes_very_many_steps_is_given_up():
    """And is not tried again: with smaller errors it would take more."""
    of = steep(3.0, np.linspace(0.25, 6.0, 24), [100.0, 1.0], (0, 1))
    trials = history(bounded.Settings(max_evaluations=6), of)[0]
    long = [k for k, each in enumerate(trials[:-1]) if "as many steps" in each[7]]
    assert long
    assert all(trials[k][0] != trials[k + 1][0] for k in long)


def test_a_search_leaves_a_place_where_few_steps_are_needed_but_nowhere_else():
    """Where a is 0 nothing swings; everywhere else it does, and every trial takes very many steps."""
    text = "par a=0\nx'=1000*y\ny'=-1000*x\nz'=a*x+.1*a-.3*z\nx(0)=a\ny(0)=0\nz(0)=1\ndone"
    model, times = Model.from_text(text), np.linspace(0.5, 10.0, 20)
    exact = Simulator(replace(model, values=np.array([0.5])), times, ACCURATE)().column("z")
    data = make_observations(times, ["z"], exact[:, np.newaxis])
    of = TrajectoryFit(Simulator(model, times, ACCURATE, (0,)), ParameterMap(model.parameters, [0.0]), data)
    trials, end, *_ = history(bounded.Settings(), of)
    assert any("as many steps" in each[7] for each in trials)
    assert np.frombuffer(end[0]) == pytest.approx([0.5], rel=1e-4)


def test_a_search_gets_to_where_very_many_steps_are_needed(monkeypatch):
    """As one that is patient does: it begins with 30 steps, and ends with 19,000."""
    of = steep(2000.0, np.append(np.geomspace(1e-4, 1e-2, 12), 6.0), [1.0, 1.0], (0,))
    first = of.evaluate(of.parameters.point).trajectory.counts
    found, patient = both(of, monkeypatch)
    assert found == patient
    assert np.frombuffer(found[1][0]) == pytest.approx([2000.0], rel=1e-6)
    assert found[3].steps > 300 * first.steps


# ---- larger errors far from the minimum

LOOSE = ["bellman", "barnes", "bard", "escep", "heart"]


def watched(of):
    """What a fit found, and its trials."""
    trials = []
    return bounded.minimize(of, of.parameters.point, progress=trials.append), trials


def steps(of, trials, loosenesses):
    """How many steps the points of trials take, with errors so many times as large."""
    integrate = of.simulator.integrator
    runs = [
        integrate(of.parameters.expand(each.p), True, looseness=by)
        for each, by in zip(trials, loosenesses, strict=True)
    ]
    return sum(end[3][0] for _, _, end in runs)


@pytest.mark.parametrize("name", LOOSE)
def test_a_fit_far_from_its_end_integrates_with_larger_errors(name, monkeypatch):
    """It takes less work at the same points, and ends at the same minimum, to what its tolerance tells apart, with no
    larger errors."""
    parameters = ParameterMap((model := load_model(MODELS / f"{name}.ode")).parameters, model.values)
    of = problem(name, ACCURATE, parameters)
    found, trials = watched(of)
    assert found.ending is Ending.CONVERGED
    far = [each for each in trials if each.looseness > 10.0]
    assert steps(of, far, [each.looseness for each in far]) < 0.85 * steps(of, far, [1.0] * len(far))
    assert trials[-1].looseness == 1.0
    again = problem(name, ACCURATE, parameters).evaluate(found.p)
    assert found.evaluation.residuals.tobytes() == again.residuals.tobytes()
    assert found.evaluation.jac.tobytes() == again.jac.tobytes()
    with monkeypatch.context() as patch:
        patch.setattr(TrajectoryFit, "slack", Slack())
        plain, every = watched(problem(name, ACCURATE, parameters))
    assert {each.looseness for each in every} == {1.0}
    assert found.evaluation.sum_of_squares == pytest.approx(plain.evaluation.sum_of_squares, rel=1e-7)


def test_a_loose_integration_has_errors_so_many_times_as_large():
    """Of x' = -k x, against its exact solution; one that takes too many steps says so."""
    model, times = Model.from_text("par k=1\nx'=-k*x\nx(0)=1\ndone"), np.linspace(0.5, 5.0, 10)
    integrate = Simulator(model, times, ACCURATE).integrator
    errors = [
        np.abs(integrate(model.values, True, looseness=loose)[0][:, 0] - np.exp(-times)).max() / ACCURATE.eps
        for loose in (1.0, 10.0, 100.0, 1000.0)
    ]
    assert errors == sorted(errors)
    assert errors[0] < 2.0
    assert 10.0 * errors[0] < errors[-1] < 2000.0
    with pytest.raises(ValueError, match="looseness"):
        integrate(model.values, True, looseness=0.5)


def test_a_fit_that_is_cut_short_ends_with_the_errors_that_were_asked_for():
    parameters = ParameterMap((model := load_model(MODELS / "bard.ode")).parameters, model.values)
    of, trials = problem("bard", ACCURATE, parameters), []
    found = bounded.minimize(of, parameters.point, bounded.Settings(max_evaluations=4), progress=trials.append)
    assert found.ending is Ending.LIMIT
    assert trials[-1].looseness > 1.0
    again = problem("bard", ACCURATE, parameters).evaluate(found.p)
    assert found.evaluation.residuals.tobytes() == again.residuals.tobytes()
