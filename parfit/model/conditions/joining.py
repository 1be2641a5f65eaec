"""Several experiments as one model: the equations of each beside those of the others, with parameters in common.

States and quantities of an experiment are called a[low]. A parameter has one value for all, unless it is local: then
k[low] and k[high] are two. So whatever works on a model works on several experiments; who integrates looks at `parts`
and takes one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import read_only
from parfit.errors import ModelError
from parfit.model.collecting import without_collecting
from parfit.model.conditions.design import Design
from parfit.model.conditions.specialising import Special, Specialising, file_of, statements_of
from parfit.model.jumps import Assignment, Jump
from parfit.model.language.expression import Call, Expression, Name
from parfit.model.language.statements import Statement
from parfit.model.model import Model, Part, Rest
from parfit.model.naming import base_of, labelled
from parfit.model.said.lines import NoiseLine
from parfit.model.said.reading import OWN

Groups = Mapping[str, Mapping[str, str]]  # by parameter and experiment: the group whose value holds there


def joined(model: Model, design: Design | None) -> Model:
    """The model for these experiments; without any, the model as it was written."""
    template = model.template or model
    if design is None or not design.conditions:
        return template
    for known, found in template.last_joint:  # who reads data makes it to check them, and once more to have it
        if known is design:
            return found
    made = _joined(template, design)
    template.last_joint[:] = [(design, made)]
    return made


@without_collecting()
def _joined(template: Model, design: Design) -> Model:
    written, spoken = statements_of(template), design.spoken()
    groups = groups_of(template, design, written)
    special = Specialising(template, [*written, *spoken], groups, design)
    specials = [special(each) for each in design.conditions]
    if len(specials) == 1:
        only = specials[0].model
        return replace(only, remarks=template.remarks, source=template.source, sets=template.sets, template=template)
    return _together(template, specials, groups)


def begun_at(model: Model, t0: float, done: dict[int, Model] | None = None) -> Model:
    """The model, and all experiments of it, with another initial time; those that share a model go on to do so."""
    done = {} if done is None else done
    if id(model) not in done:
        parts = tuple(replace(part, model=begun_at(part.model, t0, done)) for part in model.parts)
        rest = None if model.rest is None else replace(model.rest, model=begun_at(model.rest.model, t0, done))
        done[id(model)] = replace(model, t0=t0, parts=parts, rest=rest)
    return done[id(model)]


def groups_of(template: Model, design: Design, written: Sequence[Statement]) -> Groups:
    """What the statements `local` of the model and of the data say; the latter count last."""
    told = ((written, file_of(template)), *design.by_source())
    return {name: group for each in told for name, group in _groups(template, design, *each).items()}


def _groups(template: Model, design: Design, statements: Sequence[Statement], source: str) -> Groups:
    """What the statements `local` of a source say; a single experiment shares everything with itself."""
    found: dict[str, dict[str, str]] = {}
    spelled = {name.lower(): name for name in template.parameters}
    for item in statements:
        if item.kind == "experiment":
            _check_known(item.arguments, design, item, source)
        if item.kind != "local":
            continue
        if item.key not in spelled:
            expected = ", ".join(template.parameters) or "none"
            raise ModelError(f"`local {item.name}`: expected a parameter ({expected})", source or None, item.line)
        _check_known([name for group in item.arguments for name in group.split("+")], design, item, source)
        groups = item.arguments or design.names
        found[spelled[item.key]] = {
            _spelled(name, design): group
            for group in groups
            for name in (group.split("+") if item.arguments else [group])
        }
    return found if len(design.conditions) > 1 else {}


def _spelled(name: str, design: Design) -> str:
    return next((each for each in design.names if each.lower() == name.lower()), name)


def _check_known(names: Sequence[str], design: Design, item: Statement, source: str) -> None:
    known = {name.lower() for name in design.names}
    unknown = [] if design.is_part else [name for name in names if name.lower() not in known]
    if unknown:
        said = f"local {item.name}" if item.kind == "local" else item.name
        raise ModelError(
            f"`{said}`: there is no experiment {unknown[0]} in the data; expected some of "
            f"{', '.join(design.names) or 'those of a column `experiment`'}",
            source or None,
            item.line,
        )


def _together(template: Model, specials: Sequence[Special], groups: Groups) -> Model:
    parameters = _parameters(template, specials, groups)
    names = list(parameters)
    values = np.array([parameters[name] for name in names], dtype=float)
    own = [_Renamed(special, groups) for special in specials]
    t0 = min(each.model.t0 for each in own)
    begun: dict[int, Model] = {}
    parts = tuple(
        Part(
            special.name,
            begun_at(special.model, t0, begun),
            tuple(names.index(each.parameter(name)) for name in special.model.parameters),
        )
        for special, each in zip(specials, own, strict=True)
    )
    return replace(
        template,
        parameters=tuple(names),
        values=read_only(values),
        states=tuple(name for each in own for name in each.names(each.model.states)),
        equations=tuple(node for each in own for node in map(each, each.model.equations)),
        initial=tuple(node for each in own for node in map(each, each.model.initial)),
        quantities=tuple(pair for each in own for pair in each.pairs(each.model.quantities)),
        aux=tuple(pair for each in own for pair in each.pairs(each.model.aux)),
        tables=tuple((each.label(name), curve) for each in own for name, curve in each.model.tables),
        jumps=tuple(each.jump(jump) for each in own for jump in each.model.jumps),
        infused=tuple(node for each in own for node in map(each, each.model.infused)),
        held=tuple(name for each in own for name in each.names(each.model.held)),
        rest=_rest(template, specials, groups),
        t0=t0,
        says_t0=any(each.model.says_t0 for each in own),
        unset=tuple(name for each in own for name in each.names(each.model.unset)),
        sets=_sets(template, names),
        noise=tuple(each.noise(line) for each in own for line in each.model.noise),
        priors=tuple(
            replace(line, parameter=name)
            for line in template.priors
            for name in names
            if base_of(name) == line.parameter
        ),
        linear=tuple(name for name in names if base_of(name) in template.linear),
        parts=parts,
        template=template,
    )


def _rest(template: Model, specials: Sequence[Special], groups: Groups) -> Rest | None:
    """What comes to rest in some experiments or in all of them."""
    rests = [(special.name, special.model.rest) for special in specials]
    resting = [(name, rest) for name, rest in rests if rest is not None]
    if not resting:
        return None
    model = _together(template, [Special(name, rest.model) for name, rest in resting], groups)
    return Rest(model, frozenset(labelled(state, name) for name, rest in resting for state in rest.own))


def _parameters(template: Model, specials: Sequence[Special], groups: Groups) -> dict[str, float]:
    """The parameters of all experiments with their starting values; one that is known everywhere is none."""
    found: dict[str, float] = {}
    for name in template.parameters:
        for special in specials:
            own = special.model.parameters
            if name in own:
                group = groups.get(name, {}).get(special.name)
                value = float(special.model.values[own.index(name)])
                found.setdefault(name if group is None else labelled(name, group), value)
    return found


def _sets(template: Model, names: Sequence[str]) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Values that belong together, with those of a local parameter in all experiments."""
    return tuple(
        (title, tuple((each, value) for name, value in pairs for each in names if base_of(each) == name))
        for title, pairs in template.sets
    )


class _Renamed:
    """The expressions of one experiment in the names of the joint model."""

    def __init__(self, special: Special, groups: Groups):
        self.model, self.experiment, self._groups = special.model, special.name, groups
        model = special.model
        own = (
            *model.states,
            *(name for name, _ in (*model.quantities, *model.aux)),
            *(name for name, _ in model.tables),
        )
        self._new = {name: labelled(name, special.name) for name in own}
        self._new |= {name: self.parameter(name) for name in model.parameters}
        self._done: dict[int, Expression] = {}

    def label(self, name: str) -> str:
        return self._new[name]

    def names(self, names: Sequence[str]) -> list[str]:
        return [self._new[name] for name in names]

    def parameter(self, name: str) -> str:
        group = self._groups.get(name, {}).get(self.experiment)
        return name if group is None else labelled(name, group)

    def pairs(self, definitions: Sequence[tuple[str, Expression]]) -> list[tuple[str, Expression]]:
        return [(self._new[name], self(node)) for name, node in definitions]

    def jump(self, jump: Jump) -> Jump:
        assignments = tuple(
            Assignment(self._new[each.state], self(each.value), each.adds) for each in jump.assignments
        )
        condition = None if jump.condition is None else self(jump.condition)
        return replace(jump, assignments=assignments, times=tuple(map(self, jump.times)), condition=condition)

    def noise(self, line: NoiseLine) -> NoiseLine:
        """Errors of this experiment, which share their size with those of the others unless they have their own."""
        group = labelled(line.variable, self.experiment) if line.group == OWN else line.group or line.variable
        quantity = self._new.get(line.quantity, line.quantity)
        return replace(line, variable=self._new[line.variable], quantity=quantity, group=group)

    def __call__(self, node: Expression) -> Expression:
        return renamed(node, lambda name: self._new.get(name, name), self._done)


def renamed(node: Expression, new: Callable[[str], str], done: dict[int, Expression]) -> Expression:
    """An expression with other names; parts that several expressions share stay shared."""
    key = id(node)
    if key not in done:
        found = node
        if isinstance(node, Name):
            found = Name(new(node.name))
        elif isinstance(node, Call):
            found = Call(new(node.function), tuple(renamed(each, new, done) for each in node.arguments))
        done[key] = found
    return done[key]
