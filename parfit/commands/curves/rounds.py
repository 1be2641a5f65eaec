"""Iterated DFIT and IFIT: parameters for the guesses, then better guesses, as many rounds as desired (section 3.4)."""

from __future__ import annotations

from dataclasses import replace

from parfit.commands.curves.curve_fit import ask_how, conclude, following, tell_estimate
from parfit.estimation.strategies import curve_fit
from parfit.estimation.strategies.rounds import Request, Rounds, begun
from parfit.pictures.automatic import automatic
from parfit.pictures.rounds import successive_guesses
from parfit.pictures.solution import over_time
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Answer, Question, positive
from parfit.text import curve_fit as text

FIXED = Question(
    "initial value fixed",
    "IS INITIAL VALUE OF GUESSED OBSERVATIONS FIXED? Y OR N",
    "Y keeps the guess at the first sample time, N improves it with the others.",
    words=YES_NO,
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
    words=YES_NO,
)
NEW_TOLERANCE = Question("new tolerance", "ENTER NEW TOLERANCE FOR SPARSE PROBLEM", "Enter a smaller number.")
AGAIN = Question(
    "another iteration",
    "IS ANOTHER ITERATION DESIRED? Y OR N",
    "Y finds parameters for the new guesses, and then better guesses again; a number does so many rounds.",
    words=YES_NO,
)
MOST_ROUNDS = 1000


def fit_in_rounds(env: Environment, ask: Dialogue, request: Request, title: str) -> Environment:
    """Rounds, with a question after each or after as many as are wanted."""
    begun(env, request)  # which says what is missing before anything is asked
    if not request.by_integration:
        fixed = ask.yes(FIXED, default=True)
        request = replace(request, fixed=fixed, tol=ask.number(TOLERANCE, request.tol, positive))
    result = _made(begun(env, request), ask).result()
    assert result.rounds.estimate is not None
    conclude(curve_fit.Result(result.env, result.rounds.estimate, result.full), ask, title)
    return result.env


def _made(rounds: Rounds, ask: Dialogue) -> Rounds:
    left, watch = 0, following(ask)  # rounds that were asked for without further questions
    while True:
        if not left:
            how = ask_how(rounds.env, ask, rounds.problem()[1])
        rounds = rounds.fitted(how, watch)
        assert rounds.estimate is not None
        tell_estimate(rounds.estimate, ask)
        rounds = _improved(rounds, ask, may_ask=left == 0).closed()
        ask.say(text.round_text(rounds))
        left = max(left - 1, 0)
        if left:
            continue
        _show(rounds.env, ask)
        again, left = ask.one(AGAIN, _rounds_wanted, "N")
        if not again:
            return rounds


def _show(env: Environment, ask: Dialogue) -> None:
    """The guesses after each round, which tell whether another is worth while."""
    ask.show(automatic(env, over_time(env, successive_guesses(env), "successive guesses")))


def _improved(rounds: Rounds, ask: Dialogue, may_ask: bool) -> Rounds:
    """Better guesses, refined as long as somebody desires it."""
    rounds = rounds.improved()
    while True:
        if rounds.failed:
            raise text.round_failure(rounds)
        if rounds.improvement is None:
            return rounds
        ask.say(f"SPARSE GAUSS NEWTON: {rounds.improvement}")
        if not may_ask or not ask.yes(REFINE, default=False):
            return rounds
        rounds = rounds.improved(ask.number(NEW_TOLERANCE, rounds.tol / 10, positive))


def _rounds_wanted(token: str) -> Answer[tuple[bool, int]]:
    """Whether to go on, and how many rounds without being asked: none for Y."""
    if token.isdigit():
        n, text = questions.whole(0, MOST_ROUNDS)(token)
        return Answer((n > 0, n), text)
    again, text = questions.yes_or_no(token)
    return Answer((again, 0), text)
