"""The components of an SBML model as the statements of an `.ode` file.

A species is a state, a concentration or an amount as its name means in the file. In a compartment whose size changes
the amount is the state, for that is what a change of size keeps, and the concentration is computed from it. What
nothing changes is a parameter or a constant. What the beginning of one thing says of the beginning of another is
written as quantities `!A_0=...` of parameters alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from parfit.errors import ModelError
from parfit.formats.sbml.components import Components, Event, Formula, Species
from parfit.formats.sbml.formulas import TIME
from parfit.formats.sbml.substitution import mapped
from parfit.model.language.expression import Call, Expression, Name, Number, names_in

AMOUNT = ".amount"  # behind the id of a species: what there is of it in a compartment of changing size
BEGIN = ".0"  # behind an id: its value at the beginning
ZERO = Number(0.0)


class Equations:
    """What stands in a model, in the ids of the file and those made of them by AMOUNT and BEGIN."""

    def __init__(self, model: Components, changed: Collection[str] = (), moved: Collection[str] = (), t0: float = 0.0):
        self.model, self.changed, self._t0 = model, frozenset(changed), t0
        self.jumping = model.jumping | (_begun_with(model) & set(moved))  # what has a beginning, and changes at times
        self._begins: dict[str, Expression] = {}  # what has a quantity of its own for its beginning

    # ---- what is what

    @cached_property
    def swelling(self) -> frozenset[str]:
        """Compartments whose size changes."""
        changing = {*self.model.rules, *self.model.rates, *self.jumping}
        return frozenset(name for name in self.model.compartments if name in changing and not self.is_steady(name))

    def has_amount(self, each: Species) -> bool:
        """Whether the state of a species is its amount while its name means its concentration."""
        ruled = each.id in self.model.rules or each.id in self.model.rates
        return not each.counts and not ruled and each.compartment in self.swelling

    @cached_property
    def reacting(self) -> frozenset[str]:
        """Species that reactions change."""
        changed = {name for reaction in self.model.reactions.values() for name, _ in reaction.changes}
        fixed = {each.id for each in self.model.species.values() if each.fixed}
        return frozenset(changed - fixed)

    def is_state(self, name: str) -> bool:
        """Whether something changes as its own derivative or by jumps, rather than by a rule."""
        if name in self.model.rules:
            return False
        if name in self.model.rates or name in self.jumping:
            return True
        species = self.model.species.get(name)
        return species is not None and (not species.fixed or self.has_amount(species))

    @cached_property
    def _steady(self) -> Mapping[str, bool]:
        """Whether what a rule gives depends on parameters only."""
        found: dict[str, bool] = {}
        for name in _ordered(self.model.rules):
            names = names_in(self.model.rules[name].body)
            found[name] = all(
                each != TIME and each not in self.model.reactions and found.get(each, not self.is_changing(each))
                for each in names
            )
        return found

    def is_changing(self, name: str) -> bool:
        """Whether something that has no rule changes with time."""
        species = self.model.species.get(name)
        if species is not None and not species.counts:
            moved = {*self.model.rates, *self.jumping, *self.model.rules}
            return self.is_own_state(species) or species.compartment in moved
        return name in self.model.rates or name in self.jumping or (species is not None and not species.fixed)

    def is_own_state(self, each: Species) -> bool:
        return not each.fixed or each.id in self.model.rates or each.id in self.jumping

    def is_steady(self, name: str) -> bool:
        if name in self.model.reactions or name == TIME:
            return False
        return self._steady[name] if name in self.model.rules else not self.is_changing(name)

    # ---- beginnings

    def start(self, name: str) -> Expression:
        """What something begins with, in names whose own beginning is meant."""
        if name in self.model.starts:
            return self.model.starts[name].body
        if name in self.model.rules:
            return self.model.rules[name].body
        if name in self.model.reactions:
            return self.model.reactions[name].law
        if name in self.model.species:
            return self._given(self.model.species[name])
        if name in self.model.compartments:
            size = self.model.compartments[name].size
            return Number(1.0 if size is None else size)
        value = self.model.parameters[name].value
        return Number(0.0 if value is None else value)

    def _given(self, each: Species) -> Expression:
        """The number that the file gives for a species, as what its name means."""
        size = Name(each.compartment)
        if each.amount is not None:
            return Number(each.amount) if each.counts else self._over(Number(each.amount), each.compartment)
        if each.concentration is not None:
            return Number(each.concentration) * size if each.counts else Number(each.concentration)
        return ZERO

    def _over(self, node: Expression, compartment: str) -> Expression:
        found = self.start(compartment)
        known = isinstance(found, Number) and found.value == 1.0 and compartment not in self.model.starts
        known = known and compartment not in self.swelling | self.changed
        return node if known else node / Name(compartment)

    def beginnings(self) -> dict[str, Expression]:
        """What all that does not follow from parameters alone begins with."""
        needed = self._needed()
        graph = {name: {each for each in names_in(self.start(name)) if each in needed} for name in needed}
        try:
            order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            path = " -> ".join(reversed(error.args[1]))
            raise ModelError(f"the initial values depend on each other: {path}", None, None) from None
        found: dict[str, Expression] = {}
        for name in order:
            body = mapped(self.start(name), lambda each: self._at_begin(each, found))
            found[name] = body
            if name in self.changed and self.is_state(name):
                self._begins[name] = body
        for each in self._amounts():
            self.size_at_begin(each.id, found)  # so that it is known what has a quantity of its own
        return found

    def _amounts(self) -> list[Species]:
        return [each for each in self.model.species.values() if self.has_amount(each)]

    def _needed(self) -> set[str]:
        """States and what is assigned at the beginning, and all that changes and stands in these."""
        waiting = [name for name in self._symbols() if self.is_state(name) or self._begins_elsewhere(name)]
        waiting += [each.compartment for each in self._amounts()]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in found or name == TIME:
                continue
            found.add(name)
            names = names_in(self.start(name)) - {TIME}
            waiting += [each for each in names if not self.is_steady(each) or each in self.model.starts]
        return {name for name in found if name not in self.model.rules or not self.is_steady(name)}

    def _begins_elsewhere(self, name: str) -> bool:
        """Whether a formula says what something begins with, or the size of a compartment that changes."""
        each = self.model.species.get(name)
        changes = each is not None and each.fixed and each.compartment in self.swelling
        return name in self.model.starts or (changes and name not in self.model.rules)

    def _symbols(self) -> Iterable[str]:
        return (*self.model.compartments, *self.model.parameters, *self.model.species)

    def _at_begin(self, name: str, found: Mapping[str, Expression]) -> Expression:
        if name == TIME:
            return Number(self._t0)
        if self.is_steady(name):
            return Name(name)
        start = found[name]
        if isinstance(start, Number | Name) and name not in self._begins:
            return start
        self._begins[name] = start
        return Name(name + BEGIN)

    def size_at_begin(self, species: str, found: Mapping[str, Expression]) -> Expression:
        """The size of the compartment of a species when it begins."""
        return self._at_begin(self.model.species[species].compartment, found)

    def quantities_of_beginnings(self) -> Mapping[str, Expression]:
        """Those that others begin with; known once `beginnings` was asked for."""
        return self._begins

    # ---- equations

    def derivatives(self) -> dict[str, Expression]:
        """dy/dt by the state: an id, or that of an amount."""
        terms = self._flows()
        found: dict[str, Expression] = {}
        for name in self._symbols():
            if not self.is_state(name):
                continue
            if name in self.model.rates:
                found[name] = self.model.rates[name].body
                continue
            flow = _sum(terms.get(name, []))
            species = self.model.species.get(name)
            if species is None or species.counts or not terms.get(name):
                found[name + AMOUNT if species is not None and self.has_amount(species) else name] = flow
            elif self.has_amount(species):
                found[name + AMOUNT] = flow
            else:
                found[name] = flow / Name(species.compartment)
        return found

    def _flows(self) -> dict[str, list[Expression]]:
        """What reactions add to each species, as amounts."""
        found: dict[str, list[Expression]] = {}
        for reaction in self.model.reactions.values():
            for name, much in _net(reaction.changes).items():
                if name in self.reacting and not (isinstance(much, Number) and much.value == 0.0):
                    found.setdefault(name, []).append(_times(much, Name(reaction.id)))
        return found

    def jump(self, event: Event) -> list[tuple[str, Expression]]:
        """What an event assigns to states; what is in a compartment keeps its amount.

        A concentration that is assigned together with the size is one in the size before, whose amount is kept, too.
        """
        given = {each.symbol: each.body for each in event.assignments}
        found: list[tuple[str, Expression]] = []
        for name, body in given.items():
            species = self.model.species.get(name)
            if species is not None and self.has_amount(species):
                found.append((name + AMOUNT, body * Name(species.compartment)))
            elif not self._thins(name, given):
                found.append((name, body))
        for each in self.model.species.values():
            if self._thins(each.id, given):
                body = given.get(each.id, Name(each.id))
                found.append((each.id, body * Name(each.compartment) / given[each.compartment]))
        return found

    def _thins(self, name: str, given: Mapping[str, Expression]) -> bool:
        """Whether the state is a concentration in a compartment that is given another size."""
        each = self.model.species.get(name)
        return each is not None and name in self.model.rates and not each.counts and each.compartment in given


def _begun_with(model: Components) -> frozenset[str]:
    """All that stands in what something begins with."""
    bodies = [each.body for each in (*model.starts.values(), *model.rules.values())]
    amounts = [each for each in model.species.values() if (each.concentration is not None) == each.counts]
    return frozenset({*(each.compartment for each in amounts), *(name for body in bodies for name in names_in(body))})


def _ordered(rules: Mapping[str, Formula]) -> list[str]:
    graph = {name: sorted(names_in(each.body) & rules.keys()) for name, each in rules.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        path = error.args[1]
        raise ModelError(
            f"rules depend on each other: {' -> '.join(reversed(path))}", None, rules[path[0]].line
        ) from None


def _net(changes: Iterable[tuple[str, Expression]]) -> dict[str, Expression]:
    """How much a reaction changes each species; what it uses and makes again does not change."""
    found: dict[str, Expression] = {}
    for name, much in changes:
        value = _plain(much)
        before = found.get(name)
        if before is None:
            found[name] = much if value is None else Number(value)
        elif isinstance(before, Number) and value is not None:
            found[name] = Number(before.value + value)
        else:
            found[name] = before + much
    return found


def _plain(node: Expression) -> float | None:
    if isinstance(node, Call) and node.function == "-" and isinstance(node.arguments[0], Number):
        return -node.arguments[0].value
    return node.value if isinstance(node, Number) else None


def _times(much: Expression, rate: Expression) -> Expression:
    if isinstance(much, Number) and abs(much.value) == 1.0:
        return rate if much.value > 0.0 else -rate
    if isinstance(much, Number) and much.value < 0.0:
        return -(Number(-much.value) * rate)
    return much * rate


def _sum(terms: list[Expression]) -> Expression:
    return Call("+", tuple(terms)) if len(terms) > 1 else terms[0] if terms else ZERO
