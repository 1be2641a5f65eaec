"""Published numbers: the lines of a session that begin with `#=`, and how what was computed agrees with them.

    #= p1 p2: 969.6 1.113 | 970.724 1.11314 within 2e-4 | why it is not what was printed
    #= condition number @ "CONDITION NUMBER": 59600
    #= interval of p1 @ "p1" 3: .54e-6 | 5.0e-7..6.0e-7 | why
    #= FIT alone @ near .999 .0921 2.715 .8235 .0699 .1488: L

Labels, where to find them if they are no parameters and not the sum of squares F, the numbers as they were printed;
then, where what comes out has other digits, what an independent computation gives, and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from parfit.environment import Environment
from parfit.errors import ParfitError

SIGN = "#="
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
NEAR = 0.01  # every parameter as near as this is at the optimum: C in the tables of the thesis, else L
LARGE = 4  # digits of a whole number whose last zeros are there only for its size
PRINTED, EXPLAINED, DIFFERS = "printed digits", "explained", "DIFFERS"


@dataclass(frozen=True)
class Figure:
    """A published number, and what it is to be compared with."""

    label: str
    where: str  # a phrase of the output, `near` a vector, or nothing
    published: str
    independent: str  # a number, a letter or a range; nothing if the printed digits come out
    tolerance: float  # relative, of the independent number
    remark: str


@dataclass(frozen=True)
class Comparison:
    """A published number beside the computed one."""

    figure: Figure
    computed: str
    agreement: str


def parse(line: str, place: str) -> list[Figure]:
    """The numbers of a line that begins with `#=`."""
    try:
        return _parsed(line.removeprefix(SIGN))
    except (ValueError, InvalidOperation) as error:
        raise ParfitError(f"{place}: {line!r} is no line of published numbers: {error}") from None


def _parsed(text: str) -> list[Figure]:
    printed, independent, remark = ([part.strip() for part in text.split("|", 2)] + ["", ""])[:3]
    head, _, values = printed.rpartition(":")
    label, _, where = (part.strip() for part in head.partition("@"))
    published = values.split()
    labels = [label] if where else label.split()
    if len(labels) != len(published):
        raise ValueError(f"{len(labels)} labels and {len(published)} numbers")
    independent, _, tolerance = (part.strip() for part in independent.partition("within"))
    checks = independent.split() or [""] * len(labels)
    if len(checks) != len(labels):
        raise ValueError(f"{len(labels)} labels and {len(checks)} independent numbers")
    if independent and not remark:
        raise ValueError("the reason is missing")
    relative = float(tolerance) if tolerance else 0.0
    return [
        Figure(name, where, value, check, relative, remark)
        for name, value, check in zip(labels, published, checks, strict=True)
    ]


def compare(figure: Figure, env: Environment, shown: str) -> Comparison:
    """A published number beside what was computed: in the environment, or in what the last command has shown."""
    if figure.where.startswith("near"):
        found = _letter(env, [float(word) for word in figure.where.split()[1:]])
        agrees = PRINTED if found == figure.published else EXPLAINED if found == figure.independent else DIFFERS
        return Comparison(figure, found, agrees)
    value = _value(figure, env, shown)
    if value is None:
        return Comparison(figure, "not found", DIFFERS)
    return Comparison(figure, f"{value:.6g}", _agreement(figure, value))


def _letter(env: Environment, optimum: Sequence[float]) -> str:
    return "C" if np.allclose(env.values, optimum, rtol=NEAR, atol=0) else "L"


def _value(figure: Figure, env: Environment, shown: str) -> float | None:
    if figure.where:
        return _shown_number(figure.where, shown)
    divided = figure.label == "F/2"
    if figure.label == "F" or divided:
        found = env.sum_of_squares
        return found if found is None else found / (2 if divided else 1)
    names = [name.lower() for name in env.model.parameters]
    return float(env.values[names.index(figure.label.lower())]) if figure.label.lower() in names else None


def _shown_number(where: str, shown: str) -> float | None:
    """The first number after a phrase, or the k-th of the first line that has it as a word, behind it.

    Phrases in front of the last one say after which words of the output to look, as in "CORRELATION MATRIX" "p2" 1.
    """
    pieces = where.split('"')
    *titles, phrase = pieces[1::2]
    count = pieces[-1]
    for title in titles:
        shown = shown.partition(title)[2]
    if not count.strip():
        _, found, rest = shown.partition(phrase)
        numbers = NUMBER.findall(rest) if found else []
        return float(numbers[0]) if numbers else None
    word = re.compile(rf"(?<!\S){re.escape(phrase)}(?!\S)")
    for line in shown.splitlines():
        match = word.search(line)
        if match:
            numbers = NUMBER.findall(line[match.end() :])
            k = int(count) - 1
            if k < len(numbers):  # else a sentence that mentions it stands before its row
                return float(numbers[k])
    return None


def _agreement(figure: Figure, value: float) -> str:
    if abs(value - float(figure.published)) <= 0.5 * unit(figure.published) * (1 + 1e-9):
        return PRINTED
    if not figure.independent:
        return DIFFERS
    low, is_range, high = figure.independent.partition("..")
    if is_range:
        agrees = float(low) <= value <= float(high)
    else:
        agrees = abs(value - float(low)) <= figure.tolerance * abs(float(low))
    return EXPLAINED if agrees else DIFFERS


def unit(printed: str) -> float:
    """The unit of the last digit that was printed; zeros that end a large whole number count for nothing."""
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent == 0 and "." not in printed:
        digits = printed.lstrip("+-0")
        exponent = len(digits) - len(digits.rstrip("0")) if len(digits) >= LARGE else 0
    return float(10.0**exponent)
