"""What derivations of several experiments have in common: everything up to their equations, where these are equal."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from parfit.model.language.expression import Call, Expression, Name, Number

if TYPE_CHECKING:
    from parfit.model.model import Model

MOST = 8  # that are kept: equations of one experiment are often those of the next, with and without its switches

T = TypeVar("T")


class Stages:
    """Stages of derivations, by the equations that they are for. Models of one study share one of these.

    Nothing of them is copied or pickled with a model, for they are soon made again.
    """

    def __init__(self) -> None:
        self._forms: dict[Hashable, int] = {}
        self._kept: dict[Hashable, Any] = {}

    def __reduce__(self) -> tuple[type[Stages], tuple[()]]:
        return Stages, ()

    def begun(self, model: Model, make: Callable[[], T]) -> T:
        """What was made for the same equations, or is made now."""
        return self._once(("begun", *self._equations(model, {})), model, make)

    def ended(self, model: Model, make: Callable[[], T]) -> T:
        """The same where initial values and aux quantities are equal, too."""
        done: dict[int, int] = {}
        rest = [self._form(node, done) for node in (*model.initial, *(node for _, node in model.aux))]
        return self._once(("ended", *self._equations(model, done), *rest), model, make)

    def _once(self, key: Hashable, model: Model, make: Callable[[], T]) -> T:
        # The model stays with what was made, where its expressions and curves are known by their ids.
        kept: tuple[Model, T] = self._kept.pop(key, None) or (model, make())
        self._kept[key] = kept
        for each in list(self._kept)[:-MOST]:
            self._kept.pop(each, None)  # another thread may have done so
        return kept[1]

    def _equations(self, model: Model, done: dict[int, int]) -> tuple[Hashable, ...]:
        return (
            model.states,
            model.parameters,
            tuple((name, id(curve)) for name, curve in model.tables),
            tuple((name, self._form(node, done)) for name, node in model.quantities),
            tuple(self._form(node, done) for node in model.equations),
        )

    def _form(self, node: Expression, done: dict[int, int]) -> int:
        """The same number for expressions that are the same, part by part; each part is looked at once."""
        found = done.get(id(node))
        if found is None:
            form: Hashable = None
            if isinstance(node, Call):
                form = node.function, tuple([self._form(each, done) for each in node.arguments])
            elif isinstance(node, Name):
                form = node.name
            elif isinstance(node, Number):
                form = (repr(node.value),)  # 0 and -0 are two
            found = done[id(node)] = self._forms.setdefault(form, len(self._forms))
        return found
