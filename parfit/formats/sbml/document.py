"""The tree of an SBML file to its components; what is not supported is refused where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from functools import cached_property
from typing import TypeVar

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.formats.sbml.components import (
    Compartment,
    Components,
    Event,
    Formula,
    Function,
    Parameter,
    Reaction,
    Species,
)
from parfit.formats.sbml.formulas import OWN, TIME, lambda_of, math_of
from parfit.formats.sbml.substitution import check_arity, mapped
from parfit.formats.sbml.tree import Element, read_tree, refused
from parfit.model.language.expression import Call, Expression, Name, Number, nodes

CORE = "http://www.sbml.org/sbml/level"
LEVELS = {("2", version) for version in "12345"} | {("3", "1"), ("3", "2")}
EXPECTED = "expected level 2, or level 3 version 1 or 2"
Named = TypeVar("Named", Compartment, Species, Parameter, Function, Formula, Reaction)


def components_of(data: bytes, name: str) -> Components:
    """The components of an SBML file."""
    root = read_tree(data)
    if root.tag != "sbml" or not root.space.startswith(CORE):
        raise refused(root, "is not SBML; expected <sbml> with a namespace of SBML")
    level = root.get("level") or "", root.get("version") or ""
    if level not in LEVELS:
        raise refused(
            root, f"is level {level[0] or '?'} version {level[1] or '?'}, which is not supported; {EXPECTED}"
        )
    model = root.first("model")
    if model is None:
        raise refused(root, "has no <model>")
    _check_packages(root, model)
    if model.get("conversionFactor"):
        raise refused(model, "has a conversionFactor, which is not supported; multiply the kinetic laws by it")
    return _Reading(model, level[0] == "2").components(name)


def _check_packages(root: Element, model: Element) -> None:
    """Refuse what a package adds to the mathematics; drawings and the like have no part in it."""
    required = {
        name.rpartition(" ")[0]
        for name, value in root.attributes.items()
        if name.endswith(" required") and value.strip() in ("true", "1")
    }
    for part in (*model.parts, *(each for listed in model.parts for each in listed.parts)):
        if part.space in required:
            raise refused(part, f"belongs to the package {part.space}, which is not supported")


@dataclass
class _Reading:
    """One model while it is read."""

    model: Element
    is_level_2: bool
    parameters: dict[str, Parameter] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def components(self, name: str) -> Components:
        self._check_parts()
        compartments = _by_id(map(self._compartment, self._list("listOfCompartments")))
        self.parameters = _by_id(map(_parameter, self._list("listOfParameters")))
        species = _by_id(self._species(each, compartments) for each in self._list("listOfSpecies"))
        functions = _by_id(map(_function, self._list("listOfFunctionDefinitions")))
        rules = self._list("listOfRules")
        reactions = _by_id(self._reaction(each, species) for each in self._list("listOfReactions"))
        found = Components(
            name=name,
            compartments=compartments,
            species=species,
            parameters=self.parameters,
            functions=functions,
            starts=_by_symbol(_assigned(each, "symbol") for each in self._list("listOfInitialAssignments")),
            rules=_by_symbol(_assigned(each) for each in rules if each.tag == "assignmentRule"),
            rates=_by_symbol(_assigned(each) for each in rules if each.tag == "rateRule"),
            reactions=reactions,
            events=tuple(self._event(each) for each in self._list("listOfEvents")),
            remarks=tuple(self.remarks),
        )
        _check_names(found)
        without = _without_value(found)
        remark = f"without a value in the file, 0 here: {', '.join(without)}"
        return replace(found, remarks=(*found.remarks, remark)) if without else found

    def _list(self, tag: str) -> list[Element]:
        return [each for each in self.model.listed(tag) if each.space == self.model.space]

    def _check_parts(self) -> None:
        for rule in self._list("listOfRules"):
            if rule.tag not in ("assignmentRule", "rateRule"):
                raise refused(rule, "is not supported; expected <assignmentRule> or <rateRule>")
        if self._list("listOfConstraints"):
            self.remarks.append("constraints of the file are not watched")

    def _compartment(self, element: Element) -> Compartment:
        size = element.number("size")
        return Compartment(_id(element), element.line, 1.0 if size is None and self.is_level_2 else size)

    def _species(self, element: Element, compartments: dict[str, Compartment]) -> Species:
        if element.get("conversionFactor"):
            raise refused(element, "has a conversionFactor, which is not supported; multiply the kinetic laws by it")
        place = element.required("compartment")
        if place not in compartments:
            raise refused(element, f"is in `{place}`, which is no compartment of the model")
        home = next(each for each in self._list("listOfCompartments") if each.get("id") == place)
        fixed = element.truth("boundaryCondition", False) or element.truth("constant", False)
        counts = element.truth("hasOnlySubstanceUnits", False) or home.number("spatialDimensions") == 0.0
        amount, concentration = element.number("initialAmount"), element.number("initialConcentration")
        return Species(_id(element), element.line, place, amount, concentration, counts, fixed)

    def _reaction(self, element: Element, species: dict[str, Species]) -> Reaction:
        if element.truth("fast", False):
            raise refused(element, "is fast, which is not supported; expected reactions with a rate")
        name = _id(element)
        used = [self._reference(each, species) for each in _references(element, "listOfReactants")]
        made = [self._reference(each, species) for each in _references(element, "listOfProducts")]
        kinetics = element.first("kineticLaw")
        if kinetics is None:
            raise refused(element, "has no kineticLaw, so that its rate is not known")
        law = self._law(kinetics, name, element)
        changes = tuple([(each, -much) for each, much in used] + made)
        return Reaction(name, element.line, law, changes, f"{_side(used)} -> {_side(made)}")

    def _reference(self, element: Element, species: dict[str, Species]) -> tuple[str, Expression]:
        name = element.required("species")
        if name not in species:
            raise refused(element, "is no species of the model")
        much = element.number("stoichiometry")
        if (given := element.first("stoichiometryMath")) is not None:
            body = math_of(given, element)
            if not isinstance(body, Number):
                raise refused(given, f"of `{name}` is not supported; expected a number as its stoichiometry")
            much = body.value
        own = element.id
        if own and self._is_assigned(own):  # then it is a quantity like others
            self.parameters[own] = Parameter(own, element.line, much)
            return name, Name(own)
        if much is None and not self.is_level_2:
            raise refused(element, "has no stoichiometry")
        if own:  # it may stand in formulas
            self.parameters[own] = Parameter(own, element.line, 1.0 if much is None else much)
        return name, Number(1.0 if much is None else much)

    def _is_assigned(self, name: str) -> bool:
        return name in self._assigned_names

    @cached_property
    def _assigned_names(self) -> frozenset[str | None]:
        """All that rules, initial assignments and events assign to."""
        events = [each.listed("listOfEventAssignments") for each in self._list("listOfEvents")]
        variables = [*self._list("listOfRules"), *(each for listed in events for each in listed)]
        symbols = [each.get("symbol") for each in self._list("listOfInitialAssignments")]
        return frozenset([*(each.get("variable") for each in variables), *symbols])

    def _law(self, kinetics: Element, reaction: str, element: Element) -> Expression:
        """The rate of a reaction; parameters of its own are called by the name of the reaction and theirs."""
        law = math_of(kinetics, element)
        own = [
            _parameter(each)
            for each in (*kinetics.listed("listOfLocalParameters"), *kinetics.listed("listOfParameters"))
        ]
        names = {each.id: f"{reaction}.{each.id}" for each in own}
        for each in own:
            self.parameters[names[each.id]] = Parameter(names[each.id], each.line, each.value)
        return mapped(law, lambda name: Name(names.get(name, name))) if own else law

    def _event(self, element: Element) -> Event:
        for tag in ("delay", "priority"):
            if (found := element.first(tag)) is not None and found.parts:
                raise refused(found, f"of the event `{element.get('id') or ''}` is not supported")
        trigger = element.first("trigger")
        if trigger is None:
            raise refused(element, "has no trigger")
        assignments = tuple(_assigned(each) for each in element.listed("listOfEventAssignments"))
        was_true = trigger.truth("initialValue", True)
        return Event(element.id, element.line, math_of(trigger, element), assignments, was_true)


def _id(element: Element) -> str:
    element.required("id")
    return element.id


def _references(reaction: Element, tag: str) -> list[Element]:
    return [each for each in reaction.listed(tag) if each.tag == "speciesReference"]


def _side(references: Iterable[tuple[str, Expression]]) -> str:
    def term(name: str, much: Expression) -> str:
        if isinstance(much, Number):
            return name if much.value == 1.0 else f"{much.value:g} {name}"
        assert isinstance(much, Name)
        return f"{much.name} {name}"

    return " + ".join(term(*each) for each in references) or "0"


def _parameter(element: Element) -> Parameter:
    return Parameter(_id(element), element.line, element.number("value"))


def _function(element: Element) -> Function:
    return Function(_id(element), element.line, *lambda_of(element))


def _assigned(element: Element, attribute: str = "variable") -> Formula:
    return Formula(element.required(attribute), element.line, math_of(element))


def _by_id(found: Iterable[Named]) -> dict[str, Named]:
    return _unique(found, lambda each: str(getattr(each, "id", "")))


def _by_symbol(found: Iterable[Formula]) -> dict[str, Formula]:
    return _unique(found, lambda each: each.symbol)


def _unique(found: Iterable[Named], key: Callable[[Named], str]) -> dict[str, Named]:
    table: dict[str, Named] = {}
    for each in found:
        if key(each) in table:
            raise ModelError(f"`{key(each)}` is given twice, first in line {table[key(each)].line}", None, each.line)
        table[key(each)] = each
    return table


def _without_value(model: Components) -> list[str]:
    """Parameters of which nothing says what they are."""
    known = {*model.starts, *model.rules}
    return [name for name, each in model.parameters.items() if each.value is None and name not in known]


def _check_names(model: Components) -> None:
    """Every symbol that is assigned to or used is one of the model."""
    known = {*model.compartments, *model.species, *model.parameters}
    formulas = [*model.starts.values(), *model.rules.values(), *model.rates.values()]
    formulas += [each for event in model.events for each in event.assignments]
    for each in formulas:
        if each.symbol not in known:
            raise ModelError(f"`{each.symbol}` is assigned to, but is not defined", None, each.line)
    for symbol, rate in model.rates.items():
        if symbol in model.rules:
            raise ModelError(f"`{symbol}` has two rules", None, rate.line)
    readable = {*known, *model.reactions, TIME}
    bodies = [(each.body, each.line, frozenset[str]()) for each in formulas]
    bodies += [(each.law, each.line, frozenset()) for each in model.reactions.values()]
    bodies += [(each.trigger, each.line, frozenset()) for each in model.events]
    bodies += [(each.body, each.line, frozenset(each.arguments)) for each in model.functions.values()]
    for body, line, own in bodies:
        for node in nodes(body):
            if isinstance(node, Name) and node.name not in readable and node.name not in own:
                raise ModelError(f"`{node.name}` is used in a formula, but is not defined", None, line)
            function = getattr(node, "function", "")
            if function.startswith(OWN) and function[1:] not in model.functions:
                raise ModelError(f"`{function[1:]}` is called as a function, but is not defined", None, line)
            if isinstance(node, Call) and function.startswith(OWN):
                check_arity(model.functions[function[1:]], len(node.arguments), line)
