"""How a search by Marquardt's method begins and ends: the questions that all commands ask which search.

What is typed means what it meant in 1977: numbers that depend on the units of the data and the parameters. AUTO, which
is the default but for OPTION 1977, leaves them to the program, and does not.
"""

from __future__ import annotations

from dataclasses import replace

from parfit.estimation.optimizers.marquardt import FIRST_LAMBDA, FIRST_TOLERANCES, Settings
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, plain

AUTO = "AUTO"
RELATIVE = Question("relative tolerance", "RELATIVE TOLERANCE", "Enter a number such as 1e-6; negative to scale.")
ABSOLUTE = Question(
    "absolute tolerance",
    "ABSOLUTE TOLERANCE",
    "Enter a number such as 1e-15, in units of the sum of squares; negative to scale. AUTO: 1e-15 of the sum of the "
    "squares of the data about their means.",
)


def is_of_1977(env: Environment) -> bool:
    """Whether the manual's numbers are the defaults."""
    return env.options.of_1977


def usual(env: Environment) -> Settings:
    """What is offered: AUTO, or the manual's numbers."""
    return Settings(FIRST_LAMBDA, *FIRST_TOLERANCES) if is_of_1977(env) else Settings()


def ask_search(ask: Dialogue, env: Environment, question: Question, default: Settings) -> Settings:
    """Lambda, for which a command has words of its own, and the tolerances; the rest is that of the default."""
    lam = ask.one(question, auto_or_number, written(default.lam))
    return ask_tolerances(ask, env, replace(default, lam=lam))


def ask_tolerances(ask: Dialogue, env: Environment, default: Settings) -> Settings:
    """Relative and absolute; both negative mean that the columns are to be scaled."""
    sign = -1.0 if default.scaled else 1.0
    rtol = ask.number(RELATIVE, sign * default.rtol)
    atol = ask.one(ABSOLUTE, auto_or_number, written(None if default.atol is None else sign * default.atol))
    return entered(env, default, default.lam, rtol, atol)


def entered(env: Environment, default: Settings, lam: float | None, rtol: float, atol: float | None) -> Settings:
    """The default with these numbers; a negative lambda is the program's choice, in 1977 the one of the manual."""
    if lam is not None and lam < 0:
        lam = FIRST_LAMBDA if is_of_1977(env) else None
    found = Settings.entered(lam, rtol, atol, default.max_iterations, default.max_errors)
    return replace(found, relative=default.relative)


def auto_or_number(token: str) -> Answer[float | None]:
    """None for AUTO."""
    if token and AUTO.startswith(token.upper()):
        return Answer(None, AUTO)
    return Answer[float | None](*questions.number()(token))


def written(value: float | None) -> str:
    """As it can be typed."""
    return AUTO if value is None else plain(value)
