"""The questions of CONTIN as they were asked in 1977, and how their answers are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parfit.commands.curves.curve_fit import LAMBDA as CURVE_LAMBDA
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, auto_or_number
from parfit.errors import CommandError
from parfit.estimation.strategies.contin import Request, subscripts, with_breaks
from parfit.estimation.strategies.search import typed
from parfit.model.textfile import integer
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, Reader, shown
from parfit.session.records import Continuation

NUMBER = Question(
    "number of break points",
    "ENTER NUMBER OF BREAK POINTS\nENTER 0 FOR NO BREAK POINTS",
    "At break points the solution is drawn back to the smoothed observations, lest it run away between them.",
)
BREAKS = Question(
    "break points",
    "ENTER SAMPLE TIME SUBSCRIPTS FOR BREAK POINTS\nDO NOT INCLUDE FIRST OR LAST SAMPLE TIME",
    "Enter whole numbers for subscripts of sample times (REPORT 6 lists the times, the first has subscript 1), or "
    "sample times themselves, with a point: 4.5 and 3. are times, 3 is a subscript.",
)
GAMMA = Question(
    "gamma",
    "ENTER CONTINUATION PARAMETER\nFOR INITIAL VALUE PROBLEM",
    "From 0, integral fitting along the smoothed observations, to 1, the equations as they are. It can be below 1 "
    "only if all states were observed. CONTIN .2 .5 .8 1 goes through several values.",
)
ALPHA = Question(
    "alpha",
    "ENTER CONTINUATION PARAMETER\nFOR BREAK POINTS. EACH COMPONENT\nCORRESPONDS TO THE STATE VARIABLE\n"
    "WITH THE SAME SUBSCRIPT",
    "From 0, the state begins anew on its smoothed observations at every break point, to 1, it goes on as it came. "
    "States that were not observed take 1.",
)
WEIGHTS = Question(
    "weights",
    "ENTER WEIGHTS AT BREAK POINTS\nONE ENTRY FOR EACH BREAK POINT",
    "A weight multiplies the residuals at its break point, which are those of the solution just before it is drawn "
    "back; 0 leaves them out.",
)
LAMBDA = replace(
    CURVE_LAMBDA,
    help="As for FIT: a starting lambda, AUTO to let the program choose; then the tolerances.",
    words=("AUTO",),
)
ALL, NONE = "ALL", "NONE"  # of the sample times as break points


# ---- the questions of 1977


def ask_all(ask: Dialogue, env: Environment, old: Continuation) -> Request:
    """Everything, one after another, with the remembered settings as defaults."""
    n = ask.whole(NUMBER, 0, max(env.samples.times.size - 2, 0), len(old.breaks))
    known = [str(k) for k in subscripts(env, old.breaks)] if n == len(old.breaks) else [None] * n
    breaks: list[float] = []
    for k in range(n):
        reader = break_after(env, breaks[-1] if breaks else env.samples.times[0])
        breaks.append(ask.one(_numbered(BREAKS, k, n), reader, known[k]))
    gamma = ask.number(GAMMA, old.gamma, gamma_check(env))
    settings = replace(with_breaks(old, breaks), gamma=gamma)
    if n:
        alpha = [
            ask.number(_numbered(ALPHA, k, len(old.alpha)), old.alpha[k], alpha_check(env, k))
            for k in range(len(old.alpha))
        ]
        weights = [ask.number(_numbered(WEIGHTS, k, n), settings.weights[k], weight_check) for k in range(n)]
        settings = replace(settings, alpha=tuple(alpha), weights=tuple(weights))
    lam = ask.one(LAMBDA, auto_or_number, typed(old.lam))
    rtol = ask.number(RELATIVE, old.rtol)
    atol = ask.one(ABSOLUTE, auto_or_number, typed(old.atol))
    return Request((gamma,), replace(settings, lam=lam, rtol=rtol, atol=atol))


def _numbered(question: Question, k: int, n: int) -> Question:
    """The question in full at first, and then which entry is wanted."""
    return question if k == 0 else replace(question, text=f"ENTRY {k + 1} OF {n}")


# ---- how answers are read


def break_after(env: Environment, before: float) -> Reader[float]:
    """A sample time by its subscript or, with a point, itself; it must come after the break point before it."""
    times = env.samples.times

    def read(token: str) -> Answer[float]:
        value = questions.number()(token).value
        k = integer(token)
        near = int(np.abs(times - value).argmin()) if k is None else k - 1
        if not 0 < near < times.size - 1:
            raise CommandError(f"{shown(token)} will not do; the subscripts go from 2 to {times.size - 1}")
        if k is None and not np.isclose(times[near], value, rtol=1e-9, atol=1e-12 * abs(times[-1])):
            raise CommandError(
                f"{shown(token)} is no sample time; the nearest is {times[near]:g}, its subscript {near + 1}"
            )
        if times[near] <= before:
            raise CommandError(f"{shown(token)} does not come after the break point before it; they must increase")
        return Answer(float(times[near]), str(near + 1))

    return read


def between(value: float) -> str | None:
    return None if 0 <= value <= 1 else "is not between 0 and 1"


def weight_check(value: float) -> str | None:
    return None if value >= 0 else "is negative; a weight is 0 or more"


def gamma_check(env: Environment) -> Callable[[float], str | None]:
    missing = [name for name in env.model.states if name not in env.curves()]

    def check(value: float) -> str | None:
        if missing and 0 <= value < 1:
            return f"needs smoothed observations on all states, and {', '.join(missing)} has none; use 1 with BREAKS"
        hint = "; break points come after the word BREAKS"
        return None if 0 <= value <= 1 else f"as a value of gamma is not between 0 and 1{hint}"

    return check


def alpha_check(env: Environment, k: int) -> Callable[[float], str | None]:
    name = env.model.states[k]
    seen = name in env.curves()
    return lambda value: between(value) if seen or value == 1 else f"will not do for {name}, not observed: enter 1"
