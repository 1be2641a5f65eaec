"""What arguments from Python may be: each kind reads a value, or says in a sentence what it should have been.

@checked(first=optional(whole(1)), fitted=FLAG)
def ...
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import ParfitError

P = ParamSpec("P")
R = TypeVar("R")
LONGEST = 60  # characters of a wrong value that are shown
MOST = 10**9  # of anything that is counted
BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
WRONG = (TypeError, ValueError, OverflowError)  # what Python says of one


@dataclass(frozen=True)
class Kind:
    """What an argument is in words, and what makes it of a value; that raises one of WRONG if it cannot."""

    words: str
    read: Callable[[Any], Any]

    def __call__(self, name: str, value: Any) -> Any:
        try:
            return self.read(value)
        except WRONG:
            raise ParfitError(f"{name} must be {self.words}, not {shown(value)}") from None


def shown(value: Any) -> str:
    """A value in a sentence."""
    if isinstance(value, float | np.floating):
        return f"{value:g}"
    if isinstance(value, int) and abs(value) >= 10**LONGEST:
        return "a number of more digits than can be shown"
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def checked(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Read the arguments of a function that are named here before it is called.

    `inspect.Signature.bind` would find them too, in a tenth of the time that a small fit takes.
    """

    def around(work: Callable[P, R]) -> Callable[P, R]:
        known = inspect.signature(work).parameters
        places = {name: k for k, name in enumerate(known) if known[name].kind in BY_PLACE}
        by_name = {name for name in kinds if known[name].kind in BY_NAME}
        assert kinds.keys() <= {*places, *by_name}, "what collects arguments has no kind"

        @wraps(work)
        def call(*given: P.args, **named: P.kwargs) -> R:
            read: list[Any] = list(given)
            for name, kind in kinds.items():
                if name in named and name in by_name:
                    named[name] = kind(name, named[name])
                elif places.get(name, len(read)) < len(read):
                    read[places[name]] = kind(name, read[places[name]])
            return work(*read, **named)

        return call

    return around


# ---- kinds


def number(least: float = -math.inf, most: float = math.inf, above: bool = False, words: str = "") -> Kind:
    """A finite number from `least` to `most`, or `above` the least."""

    def read(value: Any) -> float:
        found = _real(value)
        if not math.isfinite(found) or not least <= found <= most or (above and found == least):
            raise ValueError
        return found

    limits = f" above {least:g}" if above else "" if least == -math.inf else f" not below {least:g}"
    limits += "" if most == math.inf else f" and not above {most:g}"
    return Kind(words or f"a number{limits}", read)


def whole(least: int, most: int = MOST) -> Kind:
    def read(value: Any) -> int:
        found = operator.index(value)
        if not least <= found <= most:
            raise ValueError
        return found

    return Kind(f"a whole number from {least} {'on' if most == MOST else f'to {most}'}", read)


def word(choices: Iterable[str]) -> Kind:
    """One of some words."""
    known = list(choices)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise ValueError
        return value

    return Kind(" or ".join(map(repr, known)), read)


def optional(kind: Kind) -> Kind:
    return Kind(f"{kind.words}, or None", lambda value: None if value is None else kind.read(value))


def _real(value: Any) -> float:
    """A number, but no text that looks like one, nor NaN."""
    if isinstance(value, str | bytes) or math.isnan(found := float(value)):
        raise TypeError
    return found


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise ValueError
    return bool(value)


def _numbers(values: Any) -> tuple[float, ...]:
    if isinstance(values, Mapping):
        raise TypeError
    found = tuple(map(_real, values))
    if not all(map(math.isfinite, found)):
        raise ValueError
    return found


def _a(kind: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError
        return value

    return read


REAL = Kind("a number, which may be infinite", _real)
FLAG = Kind("True or False", _flag)
NUMBERS = Kind("a list of finite numbers", _numbers)
TEXT = Kind("a text", _a(str))
FUNCTION = Kind("a function", _a(Callable))
MAPPING = Kind("a dictionary", _a(Mapping))
LIST = Kind("a list", _a(Sequence))


def instance(kind: type | tuple[type, ...], words: str) -> Kind:
    """A value of a type."""
    return Kind(words, _a(kind))
