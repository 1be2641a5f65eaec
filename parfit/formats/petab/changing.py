"""What experiments change, as statements of the model language: `experiment e: rest ...`, `number`, `init`, `set`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from parfit.data.stacking import name_of
from parfit.formats.petab.periods import Change, Course, Period
from parfit.formats.sbml.components import Components
from parfit.formats.sbml.equations import AMOUNT, BEGIN
from parfit.formats.sbml.formulas import TIME
from parfit.formats.sbml.substitution import mapped
from parfit.formats.sbml.text import Writing
from parfit.model.language.expression import Expression, Name, Number, names_in
from parfit.model.language.writing import number_text

Values = dict[str, Expression]


def changed_after_rest(courses: Iterable[Course], model: Components) -> tuple[set[str], set[str]]:
    """What changes later than at the beginning, and the experiments in which what follows on rest does so, too.

    Those are experiments that change by what they have come to, or what is in a compartment of changing size.
    """
    resting = {each.name: each for each in courses if each.rest is not None and each.later}
    later = {change.target for each in courses for period in each.later[1:] for change in period.changes}
    moving = {*model.species, *model.rates, *model.rules, *model.reactions, TIME}
    found: set[str] = set()
    while True:
        sizes = later | model.jumping | model.rates.keys() | model.rules.keys()
        new = {
            name
            for name, each in resting.items()
            if any(
                names_in(change.value) & (moving | later)
                or (change.target in model.species and model.species[change.target].compartment in sizes)
                for change in each.later[0].changes
            )
        }
        if new <= found:
            return later, found
        found |= new
        later |= {change.target for name in new for change in resting[name].later[0].changes}


class Changing:
    """The statements of experiments of one model; one that begins later than the first waits until then."""

    def __init__(self, writing: Writing, begin: float, after_rest: Collection[str] = ()):
        self._writing, self._equations, self._begin = writing, writing.equations, begin
        self._after_rest = after_rest  # experiments that change after rest by what they have come to there
        self._names = writing.names

    def statements(self, course: Course) -> Iterator[str]:
        """All of one experiment."""
        for change in (each for period in course.periods for each in period.changes):
            if change.target in self._equations.model.rules:
                raise change.row.wrong(f"{change.target} follows a rule of the model, and cannot be set")
        scope = f"experiment {name_of(course.name)}: "
        for text in self._all(course):
            yield scope + text

    def _all(self, course: Course) -> Iterator[str]:
        rest, later = course.rest, course.later
        start = later[0].time if later else self._begin
        waits = f"{self._writing.running}=1" if start > self._begin else ""
        if waits:
            yield f"number {self._writing.running}=0"
            yield f"set {waits} at {number_text(start)}"
        first = {each.target: each for each in later[0].changes} if later else {}
        if rest is not None and self._writing.rested:
            yield f"number {self._writing.rested}=1"
        if rest is not None:
            yield from self._resting(course, rest, first, waits)
        if course.name in self._after_rest:
            yield f"set {self._assigned(later[0])} at {number_text(start)}"
        else:
            yield from self._beginning(course, first, start)
        for period in later[1:]:
            if period.changes:
                yield f"set {self._assigned(period)} at {number_text(period.time)}"

    def _resting(self, course: Course, rest: Period, first: dict[str, Change], waits: str) -> Iterator[str]:
        """What holds while the equations come to rest: not yet what changes afterwards.

        In version 2 it holds afterwards, too.
        """
        before = self._before(rest.changes)
        settings = [f"{self._setting(each.target)}={self._steady(each, before)}" for each in rest.changes]
        known = {each.target for each in rest.changes}
        for name, node in self._before(first.values()).items():
            if name not in known and course.name not in self._after_rest:
                settings.append(f"{self._names[name]}={self._writing.written(node)}")
        yield f"rest {', '.join([*settings, *([waits] if waits else [])])}".strip()
        for each in rest.changes:
            changes = each.target in first and course.name not in self._after_rest
            if course.lasting and not changes and not self._equations.is_state(each.target):
                yield f"number {self._names[each.target]}={self._steady(each, before)}"

    def _before(self, changes: Iterable[Change], known: Mapping[str, Expression] | None = None) -> Values:
        """What constants that change at once are before they do: as the model has them, unless that is known."""
        found = {each.target: self._equations.start(each.target) for each in changes} | dict(known or {})
        return {name: node for name, node in found.items() if not self._equations.is_state(name)}

    def _beginning(self, course: Course, first: dict[str, Change], start: float) -> Iterator[str]:
        rest, rested = course.rest, course.rest is not None
        at_rest = {} if rest is None or not course.lasting else {each.target: each for each in rest.changes}
        old = self._before(at_rest.values())
        known = {name: self._valued(each, old) for name, each in at_rest.items()}
        before = self._before(first.values(), {name: node for name, node in known.items() if name in first})
        moved = []
        for each in first.values():
            is_state = self._equations.is_state(each.target)
            if is_state and not self._is_steady(each.value):
                moved.append(each)
            elif is_state and rested:
                yield f"init {self._state(each.target)}={self._writing.written(self._as_state(each, first))}"
            else:
                yield f"number {self._setting(each.target)}={self._steady(each, before, start)}"
        if moved:
            yield f"set {self._assigned(Period(start, tuple(moved)))} at {number_text(start)}"

    def _setting(self, target: str) -> str:
        """What is set to begin with something: a constant itself, or the quantity that a state begins with."""
        return self._names[target + BEGIN if self._equations.is_state(target) else target]

    def _is_steady(self, node: Expression) -> bool:
        return all(self._equations.is_steady(name) for name in names_in(node))

    def _valued(self, change: Change, before: Values, start: float | None = None) -> Expression:
        known = mapped(change.value, lambda name: before.get(name, Name(name)))
        return mapped(known, lambda name: self._at_begin(name, start))

    def _steady(self, change: Change, before: Values, start: float | None = None) -> str:
        """A value of parameters alone; what of others stands in it is taken at the beginning."""
        node = self._valued(change, before, start)
        if not all(name.endswith(BEGIN) or self._equations.is_steady(name) for name in names_in(node)):
            raise change.row.wrong(f"the value of {change.target} changes with time, which is not supported here")
        return self._writing.written(node)

    def _at_begin(self, name: str, start: float | None) -> Expression:
        if name == TIME and start is not None:
            return Number(start)
        if name != TIME and self._equations.is_state(name) and name in self._equations.changed:
            return Name(name + BEGIN)
        return Name(name)

    # ---- jumps, which keep concentrations

    def _state(self, target: str) -> str:
        species = self._equations.model.species.get(target)
        amount = species is not None and self._equations.has_amount(species)
        return self._names[target + AMOUNT if amount else target]

    def _as_state(self, change: Change, changes: dict[str, Change]) -> Expression:
        """What the state of a target becomes: an amount, if that is its state."""
        species = self._equations.model.species.get(change.target)
        if species is None or not self._equations.has_amount(species):
            return change.value
        size = changes.get(species.compartment)
        return change.value * (Name(species.compartment) if size is None else size.value)

    def _assigned(self, period: Period) -> str:
        changes = {each.target: each for each in period.changes}
        pairs = [
            (self._state(name), self._writing.written(self._as_state(each, changes))) for name, each in changes.items()
        ]
        for name, species in self._equations.model.species.items():
            size = changes.get(species.compartment)
            if size is not None and name not in changes and self._equations.has_amount(species):
                kept = Name(name) * size.value
                pairs.append((self._state(name), self._writing.written(kept)))
        return "; ".join(f"{name}={text}" for name, text in pairs)
