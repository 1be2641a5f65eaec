"""A model under the conditions of one experiment: its statements with those that hold there only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from parfit.errors import ModelError
from parfit.model.calculus.stages import Stages
from parfit.model.conditions.design import START, Condition, Design, dose_statements, initial_bodies
from parfit.model.language.expression import Number, names_in
from parfit.model.language.reader import model_of_statements
from parfit.model.language.statements import AFTER, Statement, read_statements
from parfit.model.model import Model, Regimen, Rest
from parfit.model.said.reading import OWN

SCOPES = ("experiment", "local")
SETTABLE = ("parameter", "constant", "derived quantity")  # what may have another value, or follow others, there


class Special(NamedTuple):
    """A model under the conditions of an experiment."""

    name: str
    model: Model


def statements_of(model: Model) -> list[Statement]:
    """The statements of a model, also of one that was made in Python."""
    from parfit.model.language.editing import text_of  # which imports what is here

    return read_statements(text_of(model))


class Specialising:
    """Makes of a model those for single experiments.

    A parameter that is set is known there, unless it has a value of its own there. Experiments under the same
    conditions share one model, with all that is made of it, and those with the same equations their derivatives.
    """

    def __init__(
        self,
        template: Model,
        statements: Sequence[Statement],
        local: Mapping[str, Mapping[str, str]],
        design: Design,
    ):
        self.template, self.local, self.design = template, local, design
        self._common = [item for item in statements if item.kind not in SCOPES]
        self._scoped = [item for item in statements if item.kind == "experiment"]
        self._models: dict[str, Model] = {}  # by all that makes them different
        self._stages = Stages()

    def __call__(self, condition: Condition) -> Special:
        own = self._own(condition)
        key = repr((own, condition.settings, condition.doses))
        if key not in self._models:
            self._models[key] = _sharing(self._model(condition, own), self._stages)
        return Special(condition.name, self._models[key])

    def _own(self, condition: Condition) -> list[tuple[Statement, bool]]:
        """The statements that hold in this experiment only, and whether a parameter stays one."""
        name = condition.name.lower()
        own = [each for item in self._scoped if name in map(str.lower, item.arguments) for each in item.inner]
        return [(item, condition.name in self.local.get(_spelled(self.template, item.name), {})) for item in own]

    def _model(self, condition: Condition, own: Sequence[tuple[Statement, bool]]) -> Model:
        template = self.template
        try:
            found = _special_statements(self._common, own, condition)
            return _steady(model_of_statements(found, template), found, template, condition)
        except ModelError as error:
            where = f"in experiment {condition.name}: " if condition.name else ""
            told = self.design.source_of(error.line, condition.name) if error.line else self.design.source
            raise ModelError(f"{where}{error.message}", told or file_of(template), error.line or None) from None


def _special_statements(
    common: list[Statement], own: Sequence[tuple[Statement, bool]], condition: Condition
) -> list[Statement]:
    """The statements of all experiments with those of one."""
    found = common
    for item, keeps in own:
        found = _with(found, item, keeps)
    for name, value in condition.settings.items():
        kind = "initial value" if name.endswith(START) else "constant"
        found = _with(found, Statement(kind, 0, name.removesuffix(START), Number(value)), False)
    return found + dose_statements(condition.doses, initial_bodies(found))


def file_of(model: Model) -> str:
    """The file of a model as far as the model knows it."""
    return f"{model.name}.ode"


def _steady(model: Model, statements: Sequence[Statement], template: Model, condition: Condition) -> Model:
    """The model, which begins at the steady state of a dose if one says so, whatever else was to come to rest."""
    regimens = [dose for dose in condition.doses if dose.steady is not None]
    if not regimens:
        return model
    dose = regimens[0]
    assert dose.steady is not None
    bare = model_of_statements([item for item in statements if item.kind not in ("jump", "rest")], template)
    regimen = Regimen(dose.state, dose.amount, dose.steady, dose.over, dose.times[0])
    return replace(model, rest=Rest(bare, frozenset(model.held), regimen))


def _sharing(model: Model, stages: Stages) -> Model:
    """The model, and what it begins at rest with, that shares derivations with others."""
    rest = None if model.rest is None else replace(model.rest, model=_sharing(model.rest.model, stages))
    return replace(model, rest=rest, stages=stages)


def _spelled(template: Model, name: str) -> str:
    return next((each for each in template.parameters if each.lower() == name.lower()), name)


def _with(statements: list[Statement], new: Statement, keeps: bool) -> list[Statement]:
    """The statements with one that takes the place of what it gives another value; `keeps` a parameter one."""
    if new.kind in ("jump", "rest"):
        return [*statements, new]
    if new.kind == "noise":
        return [*statements, replace(new, arguments=(*new.arguments, OWN))]
    if new.kind == "initial value":
        return [*statements, replace(new, arguments=(AFTER,))]
    if new.kind == "table":
        return _with_table(statements, new)
    old = [item for item in statements if item.key == new.key and item.kind in SETTABLE]
    if not old:
        raise ModelError(
            f"`{new.name}` is neither a parameter nor a constant (`number`) of the model; expected one of these",
            None,
            new.line,
        )
    kind = old[0].kind if keeps else "derived quantity" if names_in(new.body) else "constant"
    return [replace(item, kind=kind, body=new.body) if item is old[0] else item for item in statements]


def _with_table(statements: list[Statement], new: Statement) -> list[Statement]:
    """The statements with a table in the place of the one that has its name."""
    if not any(item.kind == "table" and item.key == new.key for item in statements):
        raise ModelError(f"`{new.name}` is no table of the model; expected one, table {new.name} file", None, new.line)
    return [new if item.kind == "table" and item.key == new.key else item for item in statements]
