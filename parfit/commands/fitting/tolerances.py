"""The questions of a search by Marquardt's method, which all commands ask that search, and of More's.

What is typed means what it meant in 1977: numbers that depend on the units of the data and the parameters. AUTO, which
is the default but for OPTION 1977, leaves them to the program, and does not.
"""

from __future__ import annotations

from dataclasses import replace

from parfit.estimation.optimizers import bounded
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.strategies.search import AUTO, entered, typed
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question

RELATIVE = Question("relative tolerance", "RELATIVE TOLERANCE", "Enter a number such as 1e-6; negative to scale.")
ABSOLUTE = Question(
    "absolute tolerance",
    "ABSOLUTE TOLERANCE",
    "Enter a number such as 1e-15, in units of the sum of squares; negative to scale. AUTO: 1e-15 of the sum of the "
    "squares of the data about their means.",
    words=("AUTO",),
)
# Of More's method.
TOLERANCE = Question(
    "tolerance",
    "ENTER RELATIVE TOLERANCE",
    "Enter a number such as 1e-8: the search ends when neither the sum of squares nor the parameters change by more "
    "than this part of themselves.",
)
EVALUATIONS = Question("integrations", "MAXIMUM NUMBER OF INTEGRATIONS", "Enter how many integrations may be made.")


def ask_limits(ask: Dialogue, default: bounded.Settings, tolerance: Question = TOLERANCE) -> bounded.Settings:
    """How far a search by More's method goes; the rest is that of the default."""
    tol = ask.number(tolerance, default.tol, lambda v: None if 1e-15 <= v < 1 else "is not between 1e-15 and 1")
    return replace(default, tol=tol, max_evaluations=ask.whole(EVALUATIONS, 1, 1_000_000, default.max_evaluations))


def ask_search(ask: Dialogue, env: Environment, question: Question, default: Settings) -> Settings:
    """Lambda, for which a command has words of its own, and the tolerances; the rest is that of the default."""
    lam = ask.one(question, auto_or_number, typed(default.lam))
    return ask_tolerances(ask, env, replace(default, lam=lam))


def ask_tolerances(ask: Dialogue, env: Environment, default: Settings) -> Settings:
    """Relative and absolute; both negative mean that the columns are to be scaled."""
    sign = -1.0 if default.scaled else 1.0
    rtol = ask.number(RELATIVE, sign * default.rtol, None if ask.run.replaying else _part)
    atol = ask.one(ABSOLUTE, auto_or_number, typed(None if default.atol is None else sign * default.atol))
    return entered(env, default, default.lam, rtol, atol)


def _part(value: float) -> str | None:
    """Why a relative tolerance cannot be used; a run that was made when any could be plays as it was."""
    return None if abs(value) <= 1.0 else "is not between -1 and 1"


def auto_or_number(token: str) -> Answer[float | None]:
    """None for AUTO."""
    if token and AUTO.startswith(token.upper()):
        return Answer(None, AUTO)
    return Answer[float | None](*questions.number()(token))
