"""One line of CONTIN: values of gamma, and behind words what else is to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from parfit.commands.fitting.contin_questions import (
    ALL,
    NONE,
    alpha_check,
    between,
    break_after,
    gamma_check,
    weight_check,
)
from parfit.commands.fitting.tolerances import auto_or_number
from parfit.errors import CommandError
from parfit.estimation.strategies.contin import Request, with_breaks
from parfit.estimation.strategies.search import AUTO
from parfit.model.textfile import real
from parfit.session import questions
from parfit.session.environment import Environment
from parfit.session.questions import shown
from parfit.session.records import Continuation

STOP, ONLY = "STOP", "ONLY"
TAKEN = {"BREAKS": (ALL, NONE), "LAMBDA": (AUTO,)}  # words that are values
WORDS = ("BREAKS", "ALPHA", "WEIGHTS", "LAMBDA", STOP, ONLY)


def read_line(text: str, env: Environment, old: Continuation) -> Request:
    """GAMMAS [BREAKS ...] [ALPHA ...] [WEIGHTS ...] [LAMBDA ...] [STOP] [ONLY n]; what is left out stays."""
    clauses = _clauses(text)
    gammas = _numbers(clauses[""], gamma_check(env)) or ((old.gamma,) if env.continuation else ())
    if not gammas:
        raise CommandError("give a value of gamma, such as CONTIN .2; CONTIN alone asks for everything")
    if (np.diff(gammas) <= 0).any():
        raise CommandError("several values of gamma must increase, as in CONTIN .2 .5 .8 1")
    settings = replace(old, gamma=gammas[-1])
    if "BREAKS" in clauses:
        settings = with_breaks(settings, _breaks(clauses["BREAKS"], env))
    if "ALPHA" in clauses:
        settings = replace(settings, alpha=_alpha(clauses["ALPHA"], env))
    if "WEIGHTS" in clauses:
        settings = replace(settings, weights=_weights(clauses["WEIGHTS"], len(settings.breaks)))
    if "LAMBDA" in clauses:
        settings = _with_search(settings, clauses["LAMBDA"])
    return Request(gammas, settings, STOP in clauses, _steps(clauses[ONLY]) if ONLY in clauses else None)


def _clauses(text: str) -> dict[str, list[str]]:
    """The words after each of WORDS; those before the first, under ''."""
    found: dict[str, list[str]] = {"": []}
    word = ""
    for token in text.replace(",", " ").replace("=", " ").split():
        if real(token) is not None or token.upper() in TAKEN.get(word, ()):
            found[word].append(token)
            continue
        words = [each for each in WORDS if each.startswith(token.upper())]
        if len(words) != 1:
            raise CommandError(f"{shown(token)} is neither a number nor one of {', '.join(WORDS)}")
        word = words[0]
        if word in found:
            raise CommandError(f"{word} is there twice")
        found[word] = []
    if found.get(STOP):
        raise CommandError(f"{shown(found[STOP][0])} after STOP is more than the command can use")
    return found


def _with_search(settings: Continuation, tokens: Sequence[str]) -> Continuation:
    """Lambda, the relative and the absolute tolerance; those that are left out stay."""
    if not 1 <= len(tokens) <= 3:
        raise CommandError("LAMBDA takes a starting lambda, then the relative and the absolute tolerance")
    settings = replace(settings, lam=auto_or_number(tokens[0]).value)
    if len(tokens) > 1:
        settings = replace(settings, rtol=questions.number()(tokens[1]).value)
    return replace(settings, atol=auto_or_number(tokens[2]).value) if len(tokens) > 2 else settings


def _numbers(tokens: Sequence[str], check: Callable[[float], str | None]) -> tuple[float, ...]:
    reader = questions.number(check)
    return tuple(reader(token).value for token in tokens)


def _breaks(tokens: Sequence[str], env: Environment) -> list[float]:
    if [token.upper() for token in tokens] == [ALL]:
        return [float(t) for t in env.samples.times[1:-1]]
    if [token.upper() for token in tokens] in ([NONE], ["0"]):
        return []
    if not tokens:
        raise CommandError("BREAKS takes subscripts of sample times, or times with a point; or ALL, or NONE")
    found: list[float] = []
    for token in tokens:
        found.append(break_after(env, found[-1] if found else env.samples.times[0])(token).value)
    return found


def _alpha(tokens: Sequence[str], env: Environment) -> tuple[float, ...]:
    """One number for every state, or one for all that were observed."""
    states, curves = env.model.states, env.curves()
    if len(tokens) == 1:
        value = questions.number(between)(tokens[0]).value
        return tuple(value if name in curves else 1.0 for name in states)
    if len(tokens) != len(states):
        raise CommandError(f"ALPHA takes {len(states)} numbers, one for each state, or one for all")
    return tuple(questions.number(alpha_check(env, k))(token).value for k, token in enumerate(tokens))


def _weights(tokens: Sequence[str], n: int) -> tuple[float, ...]:
    """One number for every break point, or one for all."""
    given = _numbers(tokens, weight_check)
    if n == 0 or len(given) not in (1, n):
        raise CommandError(f"WEIGHTS takes one number for each break point, or one for all; break points: {n}")
    return given if len(given) == n else given * n


def _steps(tokens: Sequence[str]) -> int:
    if len(tokens) != 1:
        raise CommandError("ONLY takes one number: how many steps are made with the last value of gamma, at most")
    return questions.whole(1)(tokens[0]).value
