"""Iterated fitting: parameters for the guesses, then better guesses for the parameters, round by round (3.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parfit.arrays import Array
from parfit.commands.curves.curvefitting import Found, ask_settings, conclude, estimate
from parfit.errors import NumericalError
from parfit.estimation.curves.guessing import guessed_curve
from parfit.estimation.optimizers.sparse_gauss_newton import ATOL, Outcome, improve
from parfit.estimation.problem import CurveProblem
from parfit.estimation.problems.integral_fit import integrated_guess
from parfit.pictures.rounds import successive_guesses
from parfit.pictures.solution import over_time
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, positive
from parfit.session.records import Guess, Iterate
from parfit.text import report

FIXED = Question(
    "initial value fixed",
    "IS INITIAL VALUE OF GUESSED OBSERVATIONS FIXED? Y OR N",
    "Y keeps the guess at the first sample time, N improves it with the others.",
)
TOLERANCE = Question(
    "tolerance",
    "ENTER RELATIVE TOLERANCE ON CHANGE IN ITERATES FOR TERMINATION OF SPARSE GAUSS NEWTON",
    "Enter a number such as .01: the guesses are improved until they change by less than this part of themselves.",
)
REFINE = Question(
    "refinement",
    "IS A FURTHER REFINEMENT OF THE GUESSED OBSERVATIONS DESIRED? Y OR N",
    "Y improves the guesses further, with a smaller tolerance, before the parameters are found anew.",
)
NEW_TOLERANCE = Question("new tolerance", "ENTER NEW TOLERANCE FOR SPARSE PROBLEM", "Enter a smaller number.")
AGAIN = Question(
    "another iteration",
    "IS ANOTHER ITERATION DESIRED? Y OR N",
    "Y finds parameters for the new guesses, and then better guesses again; a number does so many rounds.",
)
MOST_ROUNDS = 1000

# The parameters' problem, and whether it is linear; and new guesses.
Fit = Callable[[Environment, dict[str, Array]], tuple[CurveProblem, bool]]
Better = Callable[[Environment, Mapping[str, Array], Dialogue, bool], dict[str, Array]]


def with_sparse_steps(env: Environment, ask: Dialogue, fit: Fit, title: str) -> Environment:
    """DFIT 3 and IFIT 4: guesses improved by the sparse Gauss-Newton method."""
    env.guessed_values()  # which says what is missing before anything is asked
    fixed = ask.yes(FIXED, default=True)
    tol = ask.number(TOLERANCE, 0.01, positive)
    return _rounds(env, ask, fit, _Sparse(fixed, tol), title)


def with_integration(env: Environment, ask: Dialogue, fit: Fit, title: str) -> Environment:
    """IFIT 3: guesses improved by integrating their own equations, the observed states held at their curves."""
    return _rounds(env, ask, fit, _integrated, title)


def _rounds(env: Environment, ask: Dialogue, fit: Fit, better: Better, title: str) -> Environment:
    values = env.guessed_values()
    seen = [Iterate(env.values, env.samples.times, values)]
    left = 0  # rounds that were asked for without further questions
    while True:
        problem, linear = fit(env, values)
        if not left:
            settings = ask_settings(env, ask, linear)
        found = estimate(env, ask, problem, settings)
        values = better(found.env, values, ask, left == 0)
        env = _with_guesses(found.env, values)
        seen.append(Iterate(env.values, env.samples.times, values))
        ask.say(f"ITERATION {len(seen) - 1}: SUM OF SQUARES {report.number(found.total)}\n{report.parameters(env)}")
        left = max(left - 1, 0)
        if left:
            continue
        figure = over_time(successive_guesses(env.with_iterates(seen)), "successive guesses")
        ask.say(ask.console.drawn(figure))
        again, left = ask.one(AGAIN, _rounds_wanted, "N")
        if not again:
            break
    env = env.with_iterates(seen)
    return conclude(Found(env, found.total, found.lines), ask, title)


def _rounds_wanted(token: str) -> Answer[tuple[bool, int]]:
    """Whether to go on, and how many rounds without being asked: none for Y."""
    if token.isdigit():
        n, text = questions.whole(0, MOST_ROUNDS)(token)
        return Answer((n > 0, n), text)
    again, text = questions.yes_or_no(token)
    return Answer((again, 0), text)


@dataclass
class _Sparse:
    """The sparse Gauss-Newton method; a tolerance that was refined holds for the rounds that follow (SPRGN)."""

    fixed: bool
    tol: float

    def __call__(
        self, env: Environment, values: Mapping[str, Array], ask: Dialogue, may_ask: bool
    ) -> dict[str, Array]:
        while True:
            found = improve(env.guesses_problem(values, self.fixed), self.tol, ATOL if env.options.of_1977 else None)
            if found.outcome is Outcome.START:
                raise NumericalError(f"the guesses cannot be improved: {found.outcome.value}")
            ask.say(f"SPARSE GAUSS NEWTON: {found}")
            values = found.guessed
            if not may_ask or not ask.yes(REFINE, default=False):
                return found.guessed
            self.tol = ask.number(NEW_TOLERANCE, self.tol / 10, positive)


def _integrated(env: Environment, values: Mapping[str, Array], ask: Dialogue, may_ask: bool) -> dict[str, Array]:
    found, status = integrated_guess(env.model, env.values, env.samples.times, env.curves())
    if not status:
        raise NumericalError(f"the equations of the guessed states cannot be integrated: {status}; try IFIT 4")
    return found


def _with_guesses(env: Environment, values: Mapping[str, Array]) -> Environment:
    t = env.samples.times
    return env.with_guesses({name: Guess(t, y, guessed_curve(t, y)) for name, y in values.items()})
