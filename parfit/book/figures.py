"""Published numbers: the lines of a session that begin with `#=`.

    #= p1 p2: 969.6 1.113 | 970.724 1.11314 within 2e-4 | why it is not what was printed
    #= condition number @ "CONDITION NUMBER": 59600
    #= interval of p1 @ "p1" 3: .54e-6 | 5.0e-7..6.0e-7 | why
    #= intervals of p1 p2 p3 @ "t" "1.5" 2..4: .1 .2 .3
    #= FIT alone @ near .999 .0921 2.715 .8235 .0699 .1488: L

Labels, where to find them if they are no parameters and not the sum of squares F, the numbers as they were printed; of
several numbers in a line of the output the last words of the label tell one from the other. Then, where what comes out
has other digits, what an independent computation gives, and the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from parfit.dataclass import dataclass
from parfit.errors import ParfitError

SIGN = "#="
NEAR = "near"  # the parameters are, of an optimum that is given
MISSPELLED = re.compile(r"(?:\s+#=|\s*#\s+=).*: *[-+.\dCL]")  # lines that were meant to be such
WIDEST = 0.05  # a tolerance that still says something, relative
FACTOR = 2.0  # between the ends of a range that still says something
LARGE = 4  # digits of a whole number whose last zeros are there only for its size


@dataclass(frozen=True)
class Phrase:
    """A place in what a command has shown: after titles, the first number behind a phrase or the k-th of its line."""

    titles: tuple[str, ...]
    words: str
    k: int | None


Place = Phrase | tuple[float, ...] | None  # in the output; near a vector; None for a parameter or F


@dataclass(frozen=True)
class Check:
    """What an independent computation gives: a number between two ends, or a letter."""

    text: str
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Published:
    """A published number, and what it is to be compared with."""

    label: str
    text: str  # as it was printed
    where: Place
    check: Check | None  # None if the printed digits come out
    remark: str


def parse(line: str, place: str) -> list[Published]:
    """The numbers of a line that begins with `#=`."""
    try:
        return _parsed(line.removeprefix(SIGN))
    except (ValueError, InvalidOperation) as error:
        raise ParfitError(f"{place}: {line!r} is no line of published numbers: {error}") from None


def _parsed(text: str) -> list[Published]:
    printed, independent, remark = ([part.strip() for part in text.split("|", 2)] + ["", ""])[:3]
    head, _, values = printed.rpartition(":")
    label, _, place = (part.strip() for part in head.partition("@"))
    places: Sequence[Place] = _places(place) if place else [None] * len(label.split())
    labels, published = _labels(label, len(places)), values.split()
    independent, _, tolerance = (part.strip() for part in independent.partition("within"))
    checks = independent.split() or [""] * len(labels)
    if not len(labels) == len(published) == len(checks):
        raise ValueError(f"{len(labels)} labels, {len(published)} numbers and {len(checks)} independent ones")
    if independent and not remark:
        raise ValueError("the reason is missing")
    letters = place.startswith(NEAR)
    return [
        Published(name, _printed(value, letters), where, _check(check, tolerance, letters) if check else None, remark)
        for name, value, check, where in zip(labels, published, checks, places, strict=True)
    ]


def _labels(text: str, n: int) -> list[str]:
    """Of n numbers in a line each has one of the last words behind those that all have."""
    words = text.split()
    return [" ".join([*words[:-n], word]) for word in words[-n:]]


def _places(text: str) -> Sequence[Place]:
    if text.startswith(NEAR):
        return [tuple(_finite(word) for word in text.split()[1:])]
    before, *parts, count = text.split('"')
    if before.strip() or not parts:
        raise ValueError('after @ stands "a phrase" of the output, or near and the parameters of the optimum')
    *titles, words = parts[::2]
    if not count.strip():
        return [Phrase(tuple(titles), words, None)]
    first, _, last = count.partition("..")
    ks = range(int(first), int(last or first) + 1)
    if not ks or ks[0] < 1:
        raise ValueError("numbers of a line are counted from 1, and from the first to the last of several")
    return [Phrase(tuple(titles), words, k) for k in ks]


def _printed(text: str, is_letter: bool) -> str:
    if is_letter and text not in ("C", "L"):
        raise ValueError(f"{text} is neither C nor L")
    if not is_letter:
        _finite(text)
    return text


def _check(text: str, tolerance: str, is_letter: bool) -> Check:
    if is_letter:
        return Check(_printed(text, is_letter=True))
    low, is_range, high = text.partition("..")
    if is_range:
        ends = _finite(low), _finite(high)
        if not 0 < ends[0] < ends[1] <= FACTOR * ends[0]:
            raise ValueError(f"the range {text} is none, or too wide to say anything")
        return Check(text, *ends)
    value, relative = _finite(low), _finite(tolerance or "0")
    if not 0 <= relative <= WIDEST:
        raise ValueError(f"a tolerance of {tolerance} is too wide to say anything")
    return Check(text, value - relative * abs(value), value + relative * abs(value))


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no number")
    return value


def unit(printed: str) -> float:
    """The unit of the last digit that was printed; zeros that end a large whole number count for nothing."""
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent == 0 and "." not in printed:
        digits = printed.lstrip("+-0")
        exponent = len(digits) - len(digits.rstrip("0")) if len(digits) >= LARGE else 0
    return float(10.0**exponent)
