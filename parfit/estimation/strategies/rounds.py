"""Iterated fitting: parameters for the guesses, then better guesses for the parameters, round by round (section 3.4).

    result = iterate(env, Request(INTEGRAL, rounds=3))

`Rounds` are those so far, for who wants to choose what comes next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.curves.guessing import guessed_curve
from parfit.estimation.optimizers.sparse_gauss_newton import ATOL, Improvement, Outcome, improve
from parfit.estimation.problem import CurveProblem, Evaluation
from parfit.estimation.problems.integral_fit import integrated_guess
from parfit.estimation.strategies.curve_fit import (
    DERIVATIVE,
    INTEGRAL,
    Estimate,
    How,
    chosen,
    concluded,
    estimated,
    iterated_problem,
    require_seen,
)
from parfit.estimation.strategies.watching import Watch, unwatched
from parfit.session.environment import Environment
from parfit.session.records import Guess, Iterate
from parfit.simulation.status import Status

TOLERANCE = 0.01


@dataclass(frozen=True)
class Request:
    """Which curves, how the guesses are improved, and how many rounds."""

    kind: str = INTEGRAL
    by_integration: bool = False  # of the guesses' own equations; else by the sparse Gauss-Newton method
    fixed: bool = True  # whether that leaves the first values of the guesses as they are
    tol: float = TOLERANCE  # on the change of the guesses
    rounds: int = 1
    how: How | None = None  # how parameters are found; None: at once where that can be, else by the usual search


@dataclass(frozen=True, eq=False)
class Result:
    """Parameters and guesses after the last round, and the full problem there; all rounds are in the environment."""

    env: Environment  # the one before, if a round failed
    rounds: Rounds
    full: Evaluation | None  # None on a mesh without connection to the observations


@dataclass(frozen=True, eq=False)
class Rounds:
    """The rounds so far; `next` makes another.

    Its steps are `fitted`, then `improved`, which may be repeated with a smaller tolerance, and `closed`.
    """

    begin: Environment
    env: Environment
    request: Request
    values: Mapping[str, Array]  # the guesses at the sample times
    seen: tuple[Iterate, ...]
    tol: float  # one that was refined holds for the rounds that follow (SPRGN)
    estimate: Estimate | None = None
    improvement: Improvement | None = None
    failure: Status | None = None  # of the equations of the guesses, where these are integrated

    @property
    def failed(self) -> bool:
        """Whether there is no going on."""
        unimproved = self.improvement is not None and self.improvement.outcome is Outcome.START
        unfitted = self.estimate is not None and self.estimate.failure is not None
        return unfitted or unimproved or self.failure is not None

    def problem(self) -> tuple[CurveProblem, bool]:
        """The one for the parameters, and whether it is linear."""
        return iterated_problem(self.env, self.request.kind, self.values)

    def fitted(self, how: How | None = None, watch: Watch = unwatched) -> Rounds:
        """With parameters for the guesses."""
        problem, linear = self.problem()
        found = estimated(self.env, problem, chosen(self.env, how or self.request.how, linear), watch)
        return replace(self, env=found.env, estimate=found)

    def improved(self, tol: float | None = None) -> Rounds:
        """With guesses for the parameters."""
        env = self.env
        if self.request.by_integration:
            values, status = integrated_guess(env.model, env.values, env.samples.times, env.curves())
            return replace(self, values=values) if status else replace(self, failure=status)
        tol = self.tol if tol is None else tol
        problem = env.guesses_problem(self.values, self.request.fixed)
        found = improve(problem, tol, ATOL if env.options.of_1977 else None)
        if found.outcome is Outcome.START:
            return replace(self, improvement=found)
        return replace(self, values=found.guessed, tol=tol, improvement=found)

    def closed(self) -> Rounds:
        """With the round among those that can be looked at."""
        t = self.env.samples.times
        guesses = {name: Guess(t, y, guessed_curve(t, y)) for name, y in self.values.items()}
        seen = (*self.seen, Iterate(self.env.values, t, self.values))
        return replace(self, env=self.env.with_guesses(guesses).with_iterates(seen), seen=seen)

    def next(self, how: How | None = None, watch: Watch = unwatched) -> Rounds:
        """One more round."""
        found = self.fitted(how, watch)
        if not found.failed:
            found = found.improved()
        return found if found.failed else found.closed()

    def result(self) -> Result:
        assert self.estimate is not None
        if self.failed:
            return Result(self.begin, self, None)
        found = concluded(replace(self.estimate, env=self.env))
        return Result(found.env, self, found.full)


def begun(env: Environment, request: Request) -> Rounds:
    """Before the first round."""
    if request.kind == DERIVATIVE:
        require_seen(env, guessed=True)
    values = env.guessed_values()
    return Rounds(env, env, request, values, (Iterate(env.values, env.samples.times, values),), request.tol)


def iterate(env: Environment, request: Request, watch: Watch = unwatched) -> Result:
    """Make the rounds; one that fails ends it, and Ctrl-C raises KeyboardInterrupt."""
    rounds = begun(env, request)
    for _ in range(request.rounds):
        rounds = rounds.next(watch=watch)
        if rounds.failed:
            break
    return rounds.result()
