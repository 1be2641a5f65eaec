"""Sequential reestimation: starting values are improved batch by batch, in order of time (thesis, chapter 5).

    result = seq(env, Request(first=5, size=5))

A `Reestimation` is the batches so far, for who wants to choose what comes next.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parfit import interrupts
from parfit.awaited import Awaited
from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.estimation.diagnosis.judgement import Judgement, judged
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.problem import Ending, Evaluation
from parfit.estimation.problem import Result as Reached
from parfit.estimation.problems.experiment_batches import ExperimentBatches
from parfit.estimation.problems.sequential import (
    Batches,
    Estimate,
    ends_by_number,
    ends_by_time,
    observed_at,
    times_needed,
)
from parfit.estimation.strategies import search
from parfit.estimation.strategies.watching import Part, Watch, minimized, unwatched
from parfit.estimation.trace import Trace
from parfit.session.environment import Environment
from parfit.session.questions import plain
from parfit.simulation.status import Status

SIZE = 5  # observation times in a batch (section 5.3)
MOST_STEPS = 100  # on a batch; the first of problem 4.2.2 takes 29, and a FIT of 1977 stopped after 25
EXPERIMENTS = "EXPERIMENTS"
CONTINUE, REPEAT, STOP, ALL, ONLY = "CONTINUE", "REPEAT", "STOP", "ALL", "ONLY"


# ---- what is asked for


@dataclass(frozen=True)
class Request:
    """Batches by numbers of observation times, or by the times at which they end; and how to search."""

    first: int | None = None  # observation times in the first batch; None: as many as it needs, at least `size`
    size: int = SIZE  # in each that follows
    ends: tuple[float, ...] = ()  # in place of both
    settings: Settings | None = None  # None: the usual ones
    by_experiment: bool = False  # a batch for each experiment, in place of those in time

    def batches(self, env: Environment) -> Batches:
        """The problem of an environment, in batches."""
        whole = env.problem()
        if self.by_experiment:
            if not env.model.parts:
                raise StateError("there is one experiment only", "SEQ and numbers take its observations in batches")
            return ExperimentBatches.of(whole, env.sizes)
        times, enough = observed_at(whole.observations), needed(env)
        if self.ends:
            return Batches(whole, ends_by_time(times, self.ends, enough), env.sizes)
        first = min(max(enough, self.size), times.size) if self.first is None else self.first
        if first < enough:
            raise StateError("the first batch has fewer observations than there are active parameters")
        return Batches(whole, ends_by_number(times, first, self.size), env.sizes)

    def search(self, env: Environment) -> Settings:
        return usual(env) if self.settings is None else self.settings

    def written(self, settings: Settings) -> str:
        """The line that begins it."""
        ends = ["ENDS", *(plain(t) if t else "0.0" for t in self.ends), "0"]  # 0 ends the list
        batches = ends if self.ends else [str(self.first), str(self.size)]
        if self.by_experiment:
            batches = [EXPERIMENTS]
        return " ".join(["SEQ", *batches, search.written(settings)])


def needed(env: Environment) -> int:
    """How many observation times the first batch needs for its parameters."""
    assert env.observations is not None
    return times_needed(env.observations, len(env.parameters.active))


def usual(env: Environment) -> Settings:
    """How to search, unless somebody says otherwise."""
    return replace(search.usual(env), max_iterations=MOST_STEPS)


# ---- what is found


@dataclass(frozen=True)
class Place:
    """Which batch of how many, and where it ends, or which experiment it is."""

    number: int  # from 1 on
    n: int
    end: float
    experiment: str = ""


@dataclass(frozen=True)
class Failure:
    """A batch that cannot be integrated from where it would begin."""

    place: Place
    status: Status


@dataclass(frozen=True)
class Run:
    """How a batch was done: the word that asked for it, and its settings."""

    word: str  # nothing for the first batch
    settings: Settings

    def shortened(self, n_steps: int) -> Run:
        """The same, ending after so many steps."""
        settings = replace(self.settings, max_iterations=n_steps)
        return Run(ONLY if self.word == CONTINUE else self.word, settings)

    def written(self) -> str:
        if self.word == REPEAT:
            return f"{REPEAT} {search.written(self.settings)}"
        return f"{ONLY} {self.settings.max_iterations}" if self.word == ONLY else self.word


@dataclass(frozen=True, eq=False)
class Result:
    """What the batches led to, and the full problem there and where it all began; without a batch, nothing new."""

    env: Environment
    batches: Batches
    estimates: tuple[Estimate, ...]
    failure: Failure | None
    is_interrupted: bool
    full: Evaluation
    before: Evaluation
    is_judged: bool = False

    @property
    def judgement(self) -> Judgement | None:
        """Of the full problem; None where it cannot be integrated, or nothing was done."""
        return self.env.fits[-1].judgement if self.is_judged else None


@dataclass(frozen=True, eq=False)
class Reestimation:
    """The batches so far: `next` does another, `again` the last one anew."""

    env: Environment  # where it began
    request: Request
    batches: Batches
    settings: Settings  # of the batches that follow
    estimates: tuple[Estimate, ...] = ()
    runs: tuple[Run, ...] = ()
    traces: tuple[Trace, ...] = ()
    failure: Failure | None = None
    is_accepted: bool = False
    is_interrupted: bool = False

    @property
    def is_over(self) -> bool:
        ended = self.failure is not None or self.is_accepted or self.is_interrupted
        return ended or len(self.estimates) == len(self.batches)

    def next(self, watch: Watch = unwatched, steps: int | None = None) -> Reestimation:
        """With one more batch, of so many steps at most."""
        word = CONTINUE if steps is None else ONLY
        settings = self.settings if steps is None else replace(self.settings, max_iterations=steps)
        return self._with(self.estimates, Run(word if self.estimates else "", settings), watch)

    def again(self, settings: Settings, watch: Watch = unwatched) -> Reestimation:
        """With the last batch anew from where it began, and settings that hold from then on."""
        return replace(self, settings=settings)._with(self.estimates[:-1], Run(REPEAT, settings), watch)

    def interrupted(self) -> Reestimation:
        return replace(self, is_interrupted=True)

    def experiment(self, k: int) -> str:
        """The experiment that batch k is, from 0 on; nothing for a batch in time."""
        return self.batches.experiments[k] if isinstance(self.batches, ExperimentBatches) else ""

    def _with(self, before: tuple[Estimate, ...], run: Run, watch: Watch) -> Reestimation:
        k, (problem, start) = len(before), self.batches.next(before)
        place = Place(k + 1, len(self.batches), float(self.batches.ends[k]), self.experiment(k))
        first = problem.evaluate(start)
        if not first.usable:
            return replace(self, failure=Failure(place, first.status))
        part = Part(self.env, problem, first, k / len(self.batches), place)
        settings = run.settings.among(self.batches.whole.spread)
        found = minimized(part, start, settings, problem.parameters, watch)
        if found.is_accepted:
            run = run.shortened(found.result.n_iterations)
        return replace(
            self,
            estimates=(*before, self.batches.estimate(problem, found.result, k)),
            runs=(*self.runs, run),
            traces=(*self.traces, found.trace),
            is_accepted=found.is_accepted,
        )

    def written(self, n_runs: int | None = None, last: str = STOP) -> str:
        """The line that does so many of the runs, and then what the last word says."""
        first, *others = self.runs[:n_runs]
        return " ".join([self.request.written(first.settings), *(run.written() for run in others), last])

    def result(self) -> Result:
        before = self.batches.whole.evaluate(self.env.parameters.point)
        if not self.estimates:
            return Result(self.env, self.batches, (), self.failure, self.is_interrupted, before, before)
        p = self.estimates[-1].result.p
        full = self.batches.whole.evaluate(p)
        assert full.trajectory is not None
        env = self.env.with_solution(self.env.parameters.expand(p), full.trajectory, self.traces)
        found = Result(env, self.batches, self.estimates, self.failure, self.is_interrupted, full, before)
        if not full.usable:
            return found
        reached = self._reached(full)
        verdict = Awaited(partial(judged, self.batches.whole, reached))
        return replace(found, env=env.with_fit("sequential", reached, verdict), is_judged=True)

    def _reached(self, full: Evaluation) -> Reached:
        """Where all batches have led, as one search of the full problem."""
        last, done = self.estimates[-1].result, [each.result for each in self.estimates]
        ending = Ending.INTERRUPTED if self.is_interrupted else last.ending
        if ending is Ending.CONVERGED and len(done) < len(self.batches):
            ending = Ending.LIMIT if self.failure is None else Ending.ERRORS
        n_iterations, n_evaluations = sum(each.n_iterations for each in done), sum(each.n_evaluations for each in done)
        return replace(last, evaluation=full, ending=ending, n_iterations=n_iterations, n_evaluations=n_evaluations)


# ---- the work


def begun(env: Environment, request: Request) -> Reestimation:
    """Before the first batch."""
    return Reestimation(env, request, request.batches(env), request.search(env))


def seq(env: Environment, request: Request, watch: Watch = unwatched) -> Result:
    """All batches in turn; one that cannot be integrated ends it, and Ctrl-C keeps those before the present one."""
    done = begun(env, request)
    while not done.is_over:
        try:
            done = done.next(watch)
        except KeyboardInterrupt:
            if not done.estimates:
                raise
            interrupts.answered()
            done = done.interrupted()
    return done.result()
