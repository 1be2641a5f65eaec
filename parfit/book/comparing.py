"""How what was computed agrees with what was published."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from parfit.book.figures import Phrase, Published, unit
from parfit.dataclass import dataclass
from parfit.session.environment import Environment

# Also what stands where a number could not be computed, so that none behind it is taken for it.
NUMBER = re.compile(r"(?<![\w.])(?:[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan\b|inf\b)|\*\*+)")
NEAR = 0.01  # every parameter as near as this is at the optimum: C in the tables of the thesis, else L
ENDED = ("SUM OF SQUARES OF THE RESIDUALS", "STOPPED", "CONVERGED")  # words of a fit, without which nothing was missed
PRINTED, EXPLAINED, DIFFERS = "printed digits", "explained", "DIFFERS"


@dataclass(frozen=True)
class Comparison:
    """A published number beside the computed one."""

    figure: Published
    computed: str
    agreement: str
    difference: float = math.nan  # relative to the published number


def compare(figure: Published, env: Environment, shown: str) -> Comparison:
    """A published number beside what was computed: in the environment, or in what the last command has shown."""
    if isinstance(figure.where, tuple):
        found = _letter(env, figure.where, shown)
        return Comparison(figure, found, _letters_agree(figure, found))
    value = _shown_number(figure.where, shown) if isinstance(figure.where, Phrase) else _value(figure.label, env)
    if value is None:
        return Comparison(figure, "not found", DIFFERS)
    published = float(figure.text)
    difference = abs(value - published) / abs(published) if published else math.nan
    return Comparison(figure, f"{value:.6g}", _agreement(figure, value), difference)


def _letter(env: Environment, optimum: Sequence[float], shown: str) -> str:
    """C at the optimum; L where a fit has ended elsewhere."""
    if len(optimum) != len(env.values):
        return f"{len(env.values)} parameters"
    if np.allclose(env.values, optimum, rtol=NEAR, atol=0):
        return "C"
    return "L" if any(words in shown for words in ENDED) and np.isfinite(env.values).all() else "no fit"


def _letters_agree(figure: Published, found: str) -> str:
    if found == figure.text:
        return PRINTED if figure.check is None or figure.check.text == found else DIFFERS
    return EXPLAINED if figure.check is not None and figure.check.text == found else DIFFERS


def _value(label: str, env: Environment) -> float | None:
    """A parameter, the sum of squares F, or half of it."""
    if label in ("F", "F/2"):
        found = env.sum_of_squares
        return None if found is None else found / (2 if label == "F/2" else 1)
    names = [name.lower() for name in env.model.parameters]
    return float(env.values[names.index(label.lower())]) if label.lower() in names else None


def _shown_number(place: Phrase, shown: str) -> float | None:
    """The number at a place of what was shown; None if there is none, NaN for one that could not be computed."""
    for title in place.titles:
        shown = shown.partition(title)[2]
    if place.k is None:
        line = shown.partition(place.words)[2].partition("\n")[0]
        return _number(NUMBER.findall(line), 1)
    word = re.compile(rf"(?<!\S){re.escape(place.words)}(?!\S)")
    for line in shown.splitlines():
        match = word.search(line)
        value = _number(NUMBER.findall(line[match.end() :]), place.k) if match else None
        if value is not None:  # else a sentence that mentions it stands before its row
            return value
    return None


def _number(found: list[str], k: int) -> float | None:
    if len(found) < k:
        return None
    return math.nan if found[k - 1].startswith("*") else float(found[k - 1])


def _agreement(figure: Published, value: float) -> str:
    """What an independent computation gives must come out in any case."""
    check = figure.check
    if check is not None and not check.low <= value <= check.high:
        return DIFFERS
    if abs(value - float(figure.text)) <= 0.5 * unit(figure.text) * (1 + 1e-9):
        return PRINTED
    return EXPLAINED if check is not None else DIFFERS
