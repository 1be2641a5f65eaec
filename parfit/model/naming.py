"""Numbers by name: a mapping in place of a list in the order of the model."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parfit.arguments import WRONG, shown
from parfit.arrays import Array
from parfit.errors import ParfitError

Values = ArrayLike | Mapping[str, float]  # of all parameters in their order, or of some by name


def labelled(name: str, label: str) -> str:
    """How something of one experiment, or of a group of them, is called."""
    return f"{name}[{label}]"


def base_of(name: str) -> str:
    """A name without the experiment that it belongs to."""
    return name.partition("[")[0]


def experiment_of(name: str) -> str:
    """The experiment, or the group of them, that a name belongs to; nothing where it belongs to all."""
    return name.partition("[")[2].removesuffix("]")


def family(name: str, names: Sequence[str]) -> list[str]:
    """What a name stands for among others, whatever the case of its letters: k for k[low] and k[high]."""
    lowered = str(name).lower()
    found = [each for each in names if each.lower() == lowered]
    return found or [each for each in names if "[" in each and base_of(each).lower() == lowered]


def in_all(names: Sequence[str], among: Sequence[str]) -> list[str]:
    """Names in few words: a for a[low] and a[high], if there is no other a."""
    found = [each if set(family(base_of(each), among)) - set(names) else base_of(each) for each in names]
    return list(dict.fromkeys(found))


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Names that are cut to a width; where two would look alike, they keep their ends, or stay whole."""
    head, tail = (width - 2) - (width - 2) // 2, (width - 2) // 2
    ways: list[Callable[[str], str]] = [
        lambda name: f"{name[: width - 2]}..",
        lambda name: f"{name[:head]}..{name[-tail:]}",
        str,
    ]
    found = list(names)
    for way in reversed(ways):
        cut = [way(name) if len(name) > width else name for name in names]
        counts = Counter(cut)
        found = [new if counts[new] == 1 else old for new, old in zip(cut, found, strict=True)]
    return found


def place_of(name: str, names: Sequence[str], what: str = "parameter") -> int:
    """Where a name stands among others, whatever the case of its letters."""
    lowered = [each.lower() for each in names]
    if str(name).lower() in lowered:
        return lowered.index(str(name).lower())
    close = difflib.get_close_matches(str(name).lower(), lowered, n=3)
    near = [names[lowered.index(each)] for each in close]
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names) or 'none'}"
    raise ParfitError(f"there is no {what} {shown(name)}; {hint}")


def spelled(given: str | Iterable[str] | Any, names: Sequence[str], what: str = "parameter") -> list[str]:
    """Names, or a single one, spelled as in the model; one that stands for several is all of them."""
    listed = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    return [names[k] for name in listed for k in places_of(name, names, what)]


def places_of(name: str, names: Sequence[str], what: str = "parameter") -> list[int]:
    """Where all that a name stands for is among others."""
    return [names.index(each) for each in family(name, names)] or [place_of(name, names, what)]


def values_with(names: Sequence[str], values: Array, given: Values | None = None) -> Array:
    """An array as it is given, or these values with those that a mapping gives, (n_names,)."""
    if given is not None and not isinstance(given, Mapping):
        return vector(given, len(names), "parameters")
    found = np.array(values, dtype=float)
    for name, value in (given or {}).items():
        found[places_of(name, names)] = number(name, value)
    return found


def number(name: str, value: Any) -> float:
    try:
        if isinstance(value, str | bytes):  # which Python would read
            raise TypeError
        return float(value)
    except WRONG:
        raise ParfitError(f"{name} must be a number, not {shown(value)}") from None


def vector(values: Any, size: int, what: str) -> Array:
    """So many numbers, copied, for what the caller does with them later must not matter."""
    found = numbers(values, what)
    if found.shape != (size,):
        raise ParfitError(f"{what} must be {size} numbers, not of shape {found.shape}")
    return found


def numbers(values: Any, what: str) -> Array:
    try:
        if np.asarray(values).dtype.kind in "US":  # which numpy would read
            raise TypeError
        return np.array(values, dtype=float, order="C")
    except WRONG:
        raise ParfitError(f"{what} must be numbers, not {shown(values)}") from None
