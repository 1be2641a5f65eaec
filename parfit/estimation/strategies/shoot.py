"""A fit by multiple shooting, for starting values from which the solution goes astray.

result = shoot(env, Request())      # break points where the solution leaves the data
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from parfit.arrays import Array
from parfit.awaited import Awaited
from parfit.dataclass import dataclass
from parfit.errors import Abandoned, StateError
from parfit.estimation import problem as problems
from parfit.estimation.diagnosis.discretisation import Discretisation, discretisation
from parfit.estimation.diagnosis.judgement import Judgement, judged
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Problem
from parfit.estimation.problems.restarting import Restart, restarts_at
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies import search
from parfit.estimation.strategies.breakpoints import chosen_times
from parfit.estimation.strategies.shooting_sequence import WEIGHTS, StageSequence, solve_in_stages
from parfit.estimation.strategies.watching import Part, Watch, minimized, unwatched
from parfit.estimation.trace import Trace
from parfit.session.environment import Environment

MAX_ITERATIONS = 100  # of each problem
MAX_ERRORS = 20  # trials in a row that cannot be integrated: with break points these are no reason to give up
PLACES = {weight: k for k, weight in enumerate([*WEIGHTS, 0])}  # of the problems, in the sequence


# ---- what is asked for


@dataclass(frozen=True)
class Request:
    """Break points, how to search, and how many steps all problems may take together."""

    breaks: tuple[float, ...] | None = None  # observation times; None: where the solution leaves the data
    settings: Settings | None = None  # None: the usual ones
    steps: int | None = None

    def restarts(self, env: Environment) -> list[Restart]:
        """What begins anew, and where."""
        problem = env.problem()
        if not set(problem.observations.names) & set(env.model.states):
            names = ", ".join(problem.observations.names)
            raise StateError(
                f"no state was observed, only {names}, and nothing but a state can begin anew at a break point",
                advice="FIT does without",
            )
        times = chosen_times(problem, env.sizes) if self.breaks is None else self.breaks
        return restarts_at(times, env.model, problem.observations)

    def written(self, env: Environment) -> str:
        """The line that does it."""
        assert env.observations is not None
        times = np.unique(env.observations.on_the_way.times)
        breaks = [] if self.breaks is None else [str(k + 1) for k in np.searchsorted(times, self.breaks)]
        words = [*(["AUTO"] if self.breaks is None else breaks), "0", search.written(self.settings or usual(env))]
        return " ".join(["SHOOT", *words, *([] if self.steps is None else [f"ONLY {self.steps}"])])


def usual(env: Environment) -> Settings:
    """How to search, unless somebody says otherwise."""
    return replace(search.usual(env), max_iterations=MAX_ITERATIONS, max_errors=MAX_ERRORS)


# ---- what is found


@dataclass(frozen=True)
class Weighting:
    """Which problem of the sequence: the weight of its gaps, 0 for the full problem, and its break points."""

    weight: int
    times: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Result:
    """Where it ended: at the end of the sequence, or early in one of its problems.

    Where not even the first problem can be integrated, the environment is the one before.
    """

    env: Environment
    request: Request  # for what was done
    restarts: tuple[Restart, ...]
    problem: TrajectoryFit  # the full one
    settings: Settings
    sequence: StageSequence | None  # the problems; None if it ended early
    ended_in: Weighting | None
    n_steps: int
    full: Evaluation  # of the full problem at the parameters reached
    is_solved: bool = False  # whether the full problem was, so that it can be judged

    @property
    def judgement(self) -> Judgement | None:
        """Of the full problem, where it was solved."""
        return self.env.fits[-1].judgement if self.is_solved else None

    @cached_property
    def accuracy(self) -> Discretisation | None:
        """Of its integration."""
        run = self.full.trajectory
        if not self.is_solved or run is None:
            return None
        return discretisation(run, self.problem.observations, self.env.sizes)

    @property
    def failed(self) -> bool:
        """Whether not even the first problem could be integrated."""
        return self.sequence is not None and self.sequence.stages[0].result.ending is Ending.START


# ---- the work


def shoot(env: Environment, request: Request, watch: Watch = unwatched) -> Result:
    """Solve the problems with break points, and then the full one; Ctrl-C raises KeyboardInterrupt."""
    problem, restarts = env.problem(), request.restarts(env)
    settings = request.settings or usual(env)
    minimizer = _Minimizer(env, request.steps, watch)
    try:
        sequence = solve_in_stages(problem, restarts, settings, env.sizes, minimizer)
    except _Ended as ended:
        p = ended.p[: len(env.parameters.active)]
        at, done = problem.evaluate(p), replace(request, steps=minimizer.n_steps)
        new = _moved(env, p, at, minimizer.traces)
        return Result(new, done, tuple(restarts), problem, settings, None, ended.at, minimizer.n_steps, at)
    last = sequence.last.result
    found = Result(
        env, request, tuple(restarts), problem, settings, sequence, None, minimizer.n_steps, last.evaluation
    )
    if found.failed:
        return found
    found = replace(found, env=_moved(env, last.p, last.evaluation, minimizer.traces))
    if last.ending is Ending.START or last.evaluation.trajectory is None:
        return found
    verdict = Awaited(partial(judged, problem, last, settings))
    return replace(found, env=found.env.with_fit("shooting", last, verdict), is_solved=True)


def _moved(env: Environment, p: Array, at: Evaluation, traces: Sequence[Trace]) -> Environment:
    assert at.trajectory is not None
    return env.with_solution(env.parameters.expand(p), at.trajectory, traces)


class _Ended(Exception):  # noqa: N818 (not an error)
    """The steps that were wanted have been made; `p` holds the parameters, and behind them values at break points."""

    def __init__(self, at: Weighting, p: Array):
        self.at, self.p = at, p
        super().__init__()


class _Minimizer:
    """Minimizes the problems, until as many steps were made as are wanted, or somebody accepts what was reached."""

    def __init__(self, env: Environment, limit: int | None, watch: Watch):
        self._env, self._limit, self._watch = env, limit, watch
        self.traces: list[Trace] = []
        self.n_steps = 0

    def __call__(
        self, problem: Problem, map_: ParameterMap, settings: Settings, weight: int, times: Sequence[float]
    ) -> problems.Result:
        first = problem.evaluate(map_.project(map_.point))
        if not first.usable:
            return marquardt.minimize(problem, map_.point, settings, map_)
        if self._limit is not None:
            settings = replace(settings, max_iterations=min(settings.max_iterations, self._limit - self.n_steps))
        at = Weighting(weight, tuple(times))
        part = Part(self._env, problem, first, PLACES[weight] / len(PLACES), at)
        found = minimized(part, map_.point, settings, map_, self._watch, needs_step=False)
        self.n_steps += found.result.n_iterations
        is_over = found.is_accepted or self.n_steps == self._limit
        if found.result.n_iterations or not is_over:
            self.traces.append(found.trace)
        if is_over and not self.n_steps:
            raise Abandoned("accepted before the first step was made; nothing was changed")
        if is_over:
            raise _Ended(at, found.result.p)
        return found.result
