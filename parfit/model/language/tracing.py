"""Models written as Python functions, called once with symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from parfit.arguments import FUNCTION, TEXT, Kind, number
from parfit.errors import ModelError
from parfit.model.language.expression import Expression, Name, expression
from parfit.model.model import Model

FIRST_STATE, FIRST_PARAMETER = 0.0, 1.0  # where no values are given


def _named(given: Any) -> Any:
    if isinstance(given, str) or all(isinstance(name, str) for name in given):
        return given
    raise TypeError


NAMES = Kind("names, in a list or with their values in a dictionary", _named)
DERIVATIVES = Kind("a list of derivatives", list)


class Symbols(Sequence[Expression]):
    """Symbols by position or by name."""

    def __init__(self, names: Sequence[str]):
        self._names = tuple(names)
        self._symbols = tuple(Name(name) for name in names)

    def __len__(self) -> int:
        return len(self._symbols)

    def __iter__(self) -> Iterator[Expression]:
        return iter(self._symbols)

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._symbols[self._names.index(key) if isinstance(key, str) else key]
        except (ValueError, IndexError, TypeError):
            raise ModelError(f"there is no {key!r} among {', '.join(self._names) or 'no names'}") from None


def trace(
    function: Callable[..., Sequence[object]],
    states: Mapping[str, object] | Sequence[str],
    parameters: Mapping[str, float] | Sequence[str],
    t0: float = 0.0,
    name: str | None = None,
) -> Model:
    """See `Model.trace`."""
    FUNCTION("function", function)
    NAMES("states", states)
    NAMES("parameters", parameters)
    unset = () if isinstance(states, Mapping) else tuple(states)
    states, parameters = _by_name(states, FIRST_STATE), _by_name(parameters, FIRST_PARAMETER)
    _check_names((*states, *parameters))
    y, p = Symbols(tuple(states)), Symbols(tuple(parameters))
    derivatives = DERIVATIVES(f"what {_label(function)} gives", function(Name("t"), y, p))
    aux = derivatives.pop() if derivatives and isinstance(derivatives[-1], Mapping) else {}
    if len(derivatives) != len(states):
        raise ModelError(f"{_label(function)} gave {len(derivatives)} derivatives for {len(states)} states")
    assert isinstance(aux, Mapping)
    _check_names((*states, *parameters, *aux))
    values = np.array([number()(f"the value of {name}", v) for name, v in parameters.items()])
    values.flags.writeable = False
    return Model(
        name=TEXT("name", _label(function) if name is None else name),
        parameters=tuple(parameters),
        values=values,
        states=tuple(states),
        equations=tuple(expression(g) for g in derivatives),
        initial=tuple(expression(start(p) if callable(start) else start) for start in states.values()),
        aux=tuple((str(key), expression(h)) for key, h in aux.items()),
        t0=number()("t0", t0),
        unset=unset,
    )


def _by_name(given: Mapping[str, Any] | Sequence[str], first: float) -> Mapping[str, Any]:
    """What is given for each name; a mere list of names gives them all the same."""
    if isinstance(given, str):
        raise ModelError(f"names are given as a list, such as {given.replace(',', ' ').split()}")
    return given if isinstance(given, Mapping) else dict.fromkeys(given, first)


def _label(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", "function")


def _check_names(names: Sequence[str]) -> None:
    lowered = [str(name).lower() for name in (*names, "t")]
    for name in lowered:
        if lowered.count(name) > 1:
            raise ModelError(f"the name {name!r} is used twice; `t` is the time, and case does not matter")
