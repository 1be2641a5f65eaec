"""What can be observed of a model: its states and its aux quantities."""

from __future__ import annotations

from collections.abc import Iterable

from parfit.errors import ParfitError
from parfit.model.model import Model


def split(model: Model, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which of the names are states and which are aux quantities, both in the model's order."""
    wanted, aux = set(names), [name for name, _ in model.aux]
    unknown = sorted(wanted.difference(model.states, aux))
    if unknown:
        raise ParfitError(f"{', '.join(unknown)}: neither a state nor an aux quantity of {model.name}")
    return tuple(name for name in model.states if name in wanted), tuple(name for name in aux if name in wanted)
