"""The experiments of a model as periods in which values change: what settings, doses and statements say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import count

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.model.conditions.design import START, Condition, Design, dose_statements, initial_bodies
from parfit.model.conditions.joining import groups_of
from parfit.model.conditions.specialising import statements_of
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.jumping import Spoken
from parfit.model.language.operations import OPERATIONS, SYNONYMS
from parfit.model.language.reader import model_of_statements
from parfit.model.language.statements import ZERO, Statement
from parfit.model.model import Model
from parfit.model.naming import labelled

ABOUT = ("experiment", "local", "rest")  # statements that do not belong to the equations
ELSEWHERE = ("rest", "noise")  # of what experiments say: what is written in another place
FITTED = "[]"  # behind the name of a parameter that some experiments set: its value in the others
Changes = dict[str, Expression]


@dataclass
class Periods:
    """What changes in one experiment: before it comes to rest, when it begins, and later."""

    name: str
    rest: Changes | None = None
    begin: Changes = field(default_factory=dict)
    later: dict[float, Changes] = field(default_factory=dict)


class Experiments:
    """The equations that all experiments have in common, and what each of them changes."""

    def __init__(self, model: Model, design: Design | None):
        self.template = model.template or model
        self._design = design or Design((Condition(""),))
        written, spoken = statements_of(self.template), self._design.spoken() if design else []
        self._statements = [*written, *spoken]
        self._local = groups_of(self.template, self._design, written)
        base = [item for item in written if item.kind not in ABOUT]
        self._shared = [item for item in base if self._meets(item)]
        self._written = [item for item in base if item not in self._shared]
        self._rates = self._infused()
        self._base = self._with_rates(self._written)
        self.model = self._common()
        self._spelled = {name.lower(): name for name in self._names()}
        self.periods = [self._periods(each) for each in self._design.conditions]
        self._complete()

    def _meets(self, item: Statement) -> bool:
        """Whether a jump of all experiments is at a time at which one of them has its own: they happen at once."""
        spoken = item.jump
        if spoken is None or spoken.condition is not None or spoken.over is not None or not _numbers(spoken.times):
            return False
        own = {time for each in self._own_jumps() for time in _times(each.times, each.over)}
        return not own.isdisjoint(_times(spoken.times))

    def _own_jumps(self) -> list[Spoken]:
        """The jumps that some experiments have and others have not."""
        scoped = [each for statement in self._statements if statement.kind == "experiment" for each in statement.inner]
        given = [item for each in self._design.conditions for item in dose_statements(each.doses, {})]
        return [item.jump for item in (*scoped, *given) if item.jump is not None]

    def _infused(self) -> dict[str, str]:
        """Names for the rates of infusions that are those of single experiments, by their states in lower case."""
        own = [each for each in self._own_jumps() if each.over is not None]
        states = dict.fromkeys(name.lower() for each in own for name, _ in each.assignments)
        taken, found = {item.key for item in self._statements}, {}
        for state in states:
            found[state] = next(name for name in _candidates(f"infusion_{state}") if name not in taken)
        return found

    def _with_rates(self, statements: Sequence[Statement]) -> list[Statement]:
        """Equations with rates of infusions, which are states that only experiments change."""
        found = [
            replace(item, body=Call("+", (item.body, Name(self._rates[item.key]))))
            if item.kind == "state" and item.key in self._rates
            else item
            for item in statements
        ]
        kinds = ("state", "initial value")
        return [*found, *(Statement(kind, 0, name, ZERO) for name in self._rates.values() for kind in kinds)]

    def _common(self) -> Model:
        """The equations with constants by their names, wherever the language allows it."""
        assigned = {n.lower() for item in self._statements for each in (item, *item.inner) for n in _assigned_by(each)}
        free = [item for item in self._base if item.kind == "constant" and item.key not in assigned]
        named = [replace(item, kind="parameter") if item in free else item for item in self._base]
        moved = {item.key for item in self._base if item.kind == "constant"} & assigned
        moved -= {n.lower() for item in self._base for n in _assigned_by(item)}
        named = [each for item in named for each in (_as_state(item) if item.key in moved else [item])]
        return model_of_statements(named, self.template)

    def _names(self) -> Iterable[str]:
        own = self.model
        return (*own.parameters, *own.states, *(name for name, _ in (*own.quantities, *own.aux)))

    @property
    def changed(self) -> set[str]:
        """All that some experiment changes."""
        found = {name for each in self.periods for name in (*each.begin, *(each.rest or ()))}
        return found | {name for each in self.periods for changes in each.later.values() for name in changes}

    # ---- one experiment

    def _periods(self, condition: Condition) -> Periods:
        found = Periods(condition.name)
        name = condition.name.lower()
        scoped = [item for item in self._statements if item.kind == "experiment"]
        own = [each for item in scoped if name in map(str.lower, item.arguments) for each in item.inner]
        for parameter, groups in self._local.items():
            if condition.name in groups:
                found.begin[parameter] = Name(labelled(parameter, groups[condition.name]))
        for item in [*self._shared, *own]:
            if item.kind == "jump":
                self._jump(item, found)
            elif item.kind == "table":
                raise ModelError(f"experiment {condition.name}: the table {item.name} cannot be written as PEtab")
            elif item.kind not in ELSEWHERE and not (item.kind == "parameter" and self._name(item) in found.begin):
                found.begin[self._name(item)] = self._body(item.body)
        for setting, value in condition.settings.items():
            found.begin[self._spelled[setting.removesuffix(START).lower()]] = Number(value)
        if any(dose.steady is not None for dose in condition.doses):
            raise ModelError(
                f"experiment {condition.name}: a dose at steady state (ss) cannot be written as PEtab; give the doses "
                "before it instead"
            )
        for item in dose_statements(condition.doses, initial_bodies(self._written)):
            self._jump(item, found)
        rests = [item for item in (*self._statements, *own) if item.kind == "rest"]
        if rests:
            self._rest([each for item in rests for each in item.inner], found)
        return found

    def _rest(self, settings: Sequence[Statement], found: Periods) -> None:
        """Before rest hold the constants of the experiment and what `rest` sets, which is undone afterwards."""
        states = set(self.model.states)
        found.rest = {name: node for name, node in found.begin.items() if name not in states}
        for item in settings:
            name = self._name(item)
            if name in self.template.parameters and name not in found.begin:
                raise ModelError(f"`rest {name}=...` sets a parameter that is fitted, which PEtab cannot say")
            found.rest[name] = self._body(item.body)
            if name not in states and name not in found.begin:
                found.begin[name] = self._default(name)

    def _default(self, name: str) -> Expression:
        if name in self.model.parameters:
            return Number(float(self.model.values[self.model.parameters.index(name)]))
        return next(node for each, node in self.model.quantities if each == name)

    def _jump(self, item: Statement, found: Periods) -> None:
        spoken = item.jump
        assert spoken is not None
        if spoken.over is not None and _numbers((spoken.over, *spoken.times)):
            self._infusion(spoken, spoken.over, found)
            return
        if spoken.over is not None or spoken.condition is not None or not _numbers(spoken.times):
            raise ModelError(
                f"experiment {found.name}: `{item.name}` cannot be written as PEtab, in which only values at fixed "
                "times differ between experiments"
            )
        for time in spoken.times:
            assert isinstance(time, Number)
            changes = found.later.setdefault(time.value, {})
            for name, body in spoken.assignments:
                target = self._spelled[name.lower()]
                value = self._body(body)
                if target in changes and spoken.word != "dose":
                    raise ModelError(f"experiment {found.name}: {target} is set twice at t = {time.value:g}")
                before = changes.get(target, Name(target))
                changes[target] = before + value if spoken.word == "dose" else value

    def _infusion(self, spoken: Spoken, over: Expression, found: Periods) -> None:
        """A rate that is larger for a while; others may go on meanwhile."""
        for name, body in spoken.assignments:
            rate, more = self._rates[name.lower()], self._body(body) / over
            for times, change in ((_times(spoken.times), more), (_times(spoken.times, over)[1::2], -more)):
                for time in times:
                    changes = found.later.setdefault(time, {})
                    changes[rate] = changes.get(rate, Name(rate)) + change

    def _name(self, item: Statement) -> str:
        return self._spelled[item.key]

    def _body(self, node: Expression) -> Expression:
        """An expression in the names of the model as they are spelled there."""
        if isinstance(node, Name):
            if node.name.lower() == "pi" and "pi" not in self._spelled:
                return Number(math.pi)
            return Name("t" if node.name.lower() == "t" else self._spelled[node.name.lower()])
        if not isinstance(node, Call):
            return node
        function = SYNONYMS.get(node.function, node.function)
        if function not in OPERATIONS:
            raise ModelError(f"`{node.function}(...)` in a statement of an experiment cannot be written as PEtab")
        return Call(function, tuple(self._body(each) for each in node.arguments))

    def _complete(self) -> None:
        """A parameter that some experiments set has its fitted value, by another name, in the others."""
        for name in self.changed & set(self.template.parameters):
            for each in self.periods:
                each.begin.setdefault(name, Name(name + FITTED))


def _assigned_by(item: Statement) -> list[str]:
    return [] if item.jump is None else [name for name, _ in item.jump.assignments]


def _as_state(item: Statement) -> list[Statement]:
    """A constant that some experiment changes on the way: a state that nothing else moves."""
    if item.kind != "constant":
        return [item]
    return [replace(item, kind="state", body=Number(0.0)), replace(item, kind="initial value")]


def _candidates(name: str) -> Iterator[str]:
    """A name and others, should it be taken."""
    yield name
    for k in count(2):
        yield f"{name}_{k}"


def _times(times: Iterable[Expression], over: Expression | None = None) -> list[float]:
    """Times that are numbers; behind each of them when an infusion of a certain length ends."""
    known = [each.value for each in times if isinstance(each, Number)]
    return [each for t in known for each in (t, t + over.value)] if isinstance(over, Number) else known


def _numbers(times: Iterable[Expression]) -> bool:
    return all(isinstance(each, Number) for each in times)


Labels = Mapping[str, str]
