"""BOUNDS: limits between which parameters must stay."""

from __future__ import annotations

import re

import numpy as np

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.model.naming import family, places_of
from parfit.model.textfile import real
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import report

LIST = Question(
    "parameters and bounds",
    "ENTER LIST OF PARAMETERS WITH LOWER AND UPPER BOUNDS (0 TO END)",
    "Enter a parameter, its lower and its upper bound, then the next; NONE where there is none. p1>0 and 0<p1<1 "
    "say the same. ALL stands for all parameters. 0 or RETURN ends, 0 alone removes all bounds.",
    names="parameters",
    words=("ALL", "NONE"),
)
ALL = "ALL"
LOWER = Question("lower bound", "LOWER BOUND", "Enter a number, or NONE.", words=("NONE",))
Limits = tuple[str, float, float]  # a parameter, its lower and its upper bound
# A word, or words that signs of an inequality hold together.
WITH_INEQUALITIES = re.compile(
    r'(?:"([^"]*)"|([^\s,="<>]+(?:\s*[<>]=?\s*[^\s,="<>]+)+)|([^\s,="]+)|(["=]))[ \t]*,?[ \t]*(?:=[ \t]*)?'
)
UPPER = Question("upper bound", "UPPER BOUND", "Enter a number, or NONE.", words=("NONE",))


@command(
    "BOUNDS",
    "parameters",
    (LIST, LOWER, UPPER),
    ("BOUNDS p1 0 NONE p5 0 1", "BOUNDS p1>0 0<p5<1", "BOUNDS ALL>0", "BOUNDS 0"),
    ("parameters",),
)
def bounds(env: Environment, ask: Dialogue) -> Environment:
    """Keep parameters between limits while fitting; 0 alone removes them all.

    FIT MARQUARDT stops a step at a bound; FIT MORE stops what would cross it, and the others do what is best then.
    """
    given = [
        first if isinstance(first, tuple) else (first, *rest)
        for first, *rest in ask.many(LIST, _name_or_inequality(env), _limits_of, pattern=WITH_INEQUALITIES)
    ]
    n = len(env.model.parameters)
    lower, upper = env.parameters.lower.copy(), env.parameters.upper.copy()
    if not given:
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    for name, low, high in given:
        if not low < high:
            raise CommandError(f"the lower bound of {'all' if name == ALL else name} is not below its upper bound")
        chosen = [env.model.parameters.index(each) for each in family(name, env.model.parameters)] or slice(None)
        lower[chosen], upper[chosen] = low, high
    new = env.with_bounds(lower, upper)
    ask.say(report.parameters(new))
    lower, upper, asked = new.parameters.lower, new.parameters.upper, (lower, upper)
    for k in np.flatnonzero((lower != asked[0]) | (upper != asked[1])):
        name = new.model.parameters[k]
        ask.say(f"{name} stays within its prior, {new.noise.priors[name]}; PRIOR {name} OFF takes that back")
    wrong = np.flatnonzero((new.values < lower) | (new.values > upper))
    outside = [new.model.parameters[k] for k in wrong]
    if outside:
        ask.warn(f"{', '.join(outside)} lies outside its bounds; fitting will begin at the nearest bound")
    return new


def _name_or_inequality(env: Environment) -> questions.Reader[str | Limits]:
    """Reads a parameter whose bounds follow, or says with `0<p<1` what they are; a bound that is not named stays."""
    find = questions.name_or_word(env.model.parameters, "parameter", ALL)

    def read(token: str) -> Answer[str | Limits]:
        if not re.search("[<>]", token):
            return Answer[str | Limits](*find(token))
        name, low, high = _inequality(token)
        name = find(name).value
        before = (-np.inf, np.inf) if name == ALL else _present(env, name)
        low, high = before[0] if low is None else low, before[1] if high is None else high
        limits = [questions.plain(float(each)) if np.isfinite(each) else "NONE" for each in (low, high)]
        return Answer[str | Limits]((name, low, high), " ".join([questions.quoted(name), *limits]))

    return read


def _present(env: Environment, name: str) -> tuple[float, float]:
    k = places_of(name, env.model.parameters)[0]
    return float(env.parameters.lower[k]), float(env.parameters.upper[k])


def _inequality(text: str) -> tuple[str, float | None, float | None]:
    """The parameter of `0<p<1` or `p>0`, its lower and its upper bound."""
    parts = [part.strip() for part in re.split("([<>])=?", text)]
    words, signs = parts[::2], parts[1::2]
    numbers = [real(word) for word in words]
    named = [k for k, each in enumerate(numbers) if each is None]
    if len(named) != 1 or len(words) > 3 or len(set(signs)) > 1 or (len(words) == 3 and named != [1]):
        raise CommandError(f"{questions.shown(text)} is no pair of bounds; write p>0, p<1 or 0<p<1")
    if signs[0] == ">":
        words, numbers = words[::-1], numbers[::-1]
    k = next(k for k, each in enumerate(numbers) if each is None)
    return words[k], numbers[k - 1] if k else None, numbers[k + 1] if k + 1 < len(words) else None


def _limits_of(first: str | Limits) -> list[tuple[Question, questions.Reader[float]]]:
    return [] if isinstance(first, tuple) else [(LOWER, _limit(-np.inf)), (UPPER, _limit(np.inf))]


def _limit(none: float) -> questions.Reader[float]:
    number = questions.number()

    def read(token: str) -> Answer[float]:
        return Answer(none, "NONE") if token.lower() in ("none", "inf", "-inf") else number(token)

    return read
