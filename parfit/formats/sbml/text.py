"""An SBML model as the text of an `.ode` file, with comments that name its reactions."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import replace

from parfit.formats.naming import Names
from parfit.formats.sbml.components import Components, Function
from parfit.formats.sbml.equations import AMOUNT, BEGIN, Equations
from parfit.formats.sbml.formulas import OWN, TIME, call
from parfit.formats.sbml.substitution import (
    depth,
    functions_in,
    in_order,
    mapped,
    rebuilt,
    split,
    written_out,
)
from parfit.formats.sbml.triggers import AT_ITS_TIME, AT_ONCE, LATER, NEVER, begins_by_itself, crossing
from parfit.model.language.expression import Call, Expression, Name, Number, names_in
from parfit.model.language.writing import expression_text, number_text

TALLEST = 12  # of a function that stays one; others are written out where they are called


class Writing:
    """A text that is being written; `fitted` are the parameters that stay parameters, by default all.

    What is `changed` elsewhere has a quantity of its own for its beginning, such as A_0, if it is a state. Where
    experiments begin at different times (`waits`), nothing moves while the constant `running` is 0. What is `moved`
    changes once more after the beginning. Where some experiments come to rest before (`rests`), in these the constant
    `rested` is 1: what holds at rest has begun to hold long ago.
    """

    def __init__(
        self,
        model: Components,
        fitted: Container[str] | None = None,
        changed: Collection[str] = (),
        t0: float = 0.0,
        waits: bool = False,
        moved: Collection[str] = (),
        rests: bool = False,
    ):
        self.model, self.equations, self.t0 = model, Equations(model, changed, moved, t0), t0
        self._fitted = fitted
        self.names = Names()
        for name in (*model.species, *model.parameters, *model.compartments, *model.reactions, *model.functions):
            self.names[name]  # those of the file come first, and stay as they are wherever possible
        self.running = self.names.fresh("running") if waits else ""
        self.rested = self.names.fresh("rested") if rests and any(not each.was_true for each in model.events) else ""
        self.expanded = self._expanded()
        self.kept = {name for name, each in self.expanded.items() if each.arguments and depth(each.body) <= TALLEST}
        self.begins = self.equations.beginnings()
        self._parts: list[str] = []  # lines of what was taken out of deep expressions

    def text(self, title: str = "SBML", more: Iterable[tuple[str, list[str]]] = ()) -> str:
        """The text, with further sections behind its own."""
        sections = [
            ("whether an experiment has begun", [f"number {self.running}=1"] * bool(self.running)),
            ("whether an experiment was at rest before", [f"number {self.rested}=0"] * bool(self.rested)),
            ("functions", list(self._functions())),
            ("compartments", list(self._compartments())),
            ("parameters", list(self._parameters())),
            ("species that reactions do not change", list(self._fixed())),
            ("rules", list(self._rules())),
            ("reactions", list(self._reactions())),
            ("rates", list(self._rates())),
            ("initial values", list(self._starts())),
            ("events", list(self._events())),
            *more,
            ("the initial time", [f"@ t0={number_text(self.t0)}"]),
        ]
        lines = [f"# {' '.join(self.model.name.split())}, from {title}", *self.names.remarks(but=BEGIN)]
        for heading, found in sections:
            lines += ["", f"# {heading}", *found] if found else []
        lines += ["", "# parts of what is deeply nested", *self._parts] if self._parts else []
        return "\n".join([*lines, "done", ""])

    # ---- functions

    def _expanded(self) -> dict[str, Function]:
        """Functions that call no others."""
        found: dict[str, Function] = {}
        for each in in_order(self.model.functions):
            found[each.id] = replace(each, body=written_out(each.body, found, each.line))
        return found

    def _functions(self) -> Iterator[str]:
        for name in self.kept:
            each = self.expanded[name]
            own = Names()
            arguments = [own[argument] for argument in each.arguments]
            body = mapped(each.body, lambda argument, own=own: Name("t" if argument == TIME else own[argument]))  # type: ignore[misc]
            yield f"{self.names[name]}({','.join(arguments)})={expression_text(body)}"

    # ---- expressions

    def written(self, node: Expression, line: int = 0) -> str:
        """An expression in the names of the model language, no deeper than its reader goes."""
        others = {name: each for name, each in self.expanded.items() if name not in self.kept}
        if functions_in(node) & others.keys():
            node = written_out(node, others, line)
        named = rebuilt(node, lambda name: Name(self._name(name)), self._called)
        return expression_text(split(named, self._taken_out, lambda each: TALLEST if each in self._own else 1))

    @property
    def _own(self) -> set[str]:
        return {self.names[name] for name in self.kept}

    def _called(self, call: Call, arguments: tuple[Expression, ...]) -> Expression:
        function = call.function
        return Call(self.names[function[1:]] if function.startswith(OWN) else function, arguments)

    def _name(self, name: str) -> str:
        return "t" if name == TIME else self.names[name]

    def _taken_out(self, node: Expression) -> Expression:
        name = self.names.fresh("part_1")
        self._parts.append(f"{name}={expression_text(node)}")
        return Name(name)

    # ---- statements

    def _compartments(self) -> Iterator[str]:
        for name in self.model.compartments:
            yield from self._constant(name, "number")

    def _parameters(self) -> Iterator[str]:
        for name in self.model.parameters:
            yield from self._constant(name, "par" if self._fitted is None or name in self._fitted else "number")

    def _fixed(self) -> Iterator[str]:
        for name, each in self.model.species.items():
            if each.fixed:
                yield from self._constant(name, "number")

    def _constant(self, name: str, word: str) -> Iterator[str]:
        """What nothing changes, or events only."""
        if name in self.model.rules or name in self.model.rates:
            return
        start = self._begin(name)
        if self.equations.is_state(name):
            if self._is_held(name):
                assert isinstance(start, Number)
                yield f"number {self.names[name]}={number_text(start.value)}"
        elif isinstance(start, Number):
            yield f"{word} {self.names[name]}={number_text(start.value)}"
        else:
            yield f"!{self.names[name]}={self.written(start)}"

    def _is_held(self, name: str) -> bool:
        """Whether something is a number but for events."""
        species = self.model.species.get(name)
        is_free = species is not None and (not species.fixed or self.equations.has_amount(species))
        free = is_free or name in self.model.rates or name in self.equations.changed
        return not free and isinstance(self._begin(name), Number)

    def _begin(self, name: str) -> Expression:
        return self.begins[name] if name in self.begins else self.equations.start(name)

    def _rules(self) -> Iterator[str]:
        for name, rule in self.model.rules.items():
            yield f"aux {self.names[name]}={self.written(rule.body, rule.line)}"
        for name, each in self.model.species.items():
            if self.equations.has_amount(each):
                yield f"aux {self.names[name]}={self.names[name + AMOUNT]}/{self.names[each.compartment]}"

    def _reactions(self) -> Iterator[str]:
        for name, reaction in self.model.reactions.items():
            yield f"# {name}: {reaction.equation}"
            yield f"{self.names[name]}={self.written(reaction.law, reaction.line)}"

    def _rates(self) -> Iterator[str]:
        found = self.equations.derivatives()
        if not found:
            still = self.names.fresh("nothing")
            yield from (f"{still}'=0 # for a model has at least one state, and this one has none", f"{still}(0)=0")
        for name, node in found.items():
            if not self._is_held(name.removesuffix(AMOUNT)):
                rate = self.written(node)
                yield f"{self.names[name]}'={f'{self.running}*({rate})' if self.running else rate}"

    def _starts(self) -> Iterator[str]:
        for name, node in self.equations.quantities_of_beginnings().items():
            yield f"!{self.names[name + BEGIN]}={self.written(node)}"
        for state in self.equations.derivatives():
            name = state.removesuffix(AMOUNT)
            if self._is_held(name) or not (self._is_given(name) or name in self.equations.changed):
                continue
            own = name in self.equations.quantities_of_beginnings()
            start = Name(name + BEGIN) if own else self._begin(name)
            if state != name:
                start = start * self.equations.size_at_begin(name, self.begins)
            yield f"{self.names[state]}(0)={self.written(start)}"

    def _is_given(self, name: str) -> bool:
        """Whether the file says what something begins with."""
        each = self.model.species.get(name)
        return each is None or name in self.model.starts or (each.amount, each.concentration) != (None, None)

    def _events(self) -> Iterator[str]:
        for event in self.model.events:
            condition = written_out(event.trigger, self.expanded, event.line)
            pairs = self.equations.jump(event)
            comment = f" # {event.id}" if event.id else ""
            when = self._when(condition, event.was_true)
            if not pairs or when is NEVER:
                continue
            if not event.was_true and when is LATER:
                at_once = [(name, call("if", condition, node, Name(name))) for name, node in pairs]
                happens = self._at_begin(at_once, self.rested)
                yield f"set {happens} at {self._begin_text}{comment or ' #'}, if it holds then"
            if when is AT_ONCE:
                yield f"set {self._at_begin(pairs)} at {self._begin_text}{comment}"
            if when is not AT_ONCE or (self.running and not event.was_true):
                crossed = self._gated(self.written(crossing(condition, event.line), event.line), event.was_true)
                yield f"global 1 {{{crossed}}} {{{self._assigned(pairs)}}}{comment}"

    def _at_begin(self, pairs: Iterable[tuple[str, Expression]], rested: str = "") -> str:
        """What happens at the first time, where those begin that do not wait, unless they have `rested`."""
        asked = [f"{self.running}>.5"] * bool(self.running) + [f"{rested}<.5"] * bool(rested)
        if not asked:
            return self._assigned(pairs)
        named = [(self.names[name], self.written(node)) for name, node in pairs]
        return "; ".join(f"{name}=if({'&'.join(asked)})then({text})else({name})" for name, text in named)

    def _gated(self, crossed: str, was_true: bool) -> str:
        """A crossing that counts as what the trigger was before the beginning, until an experiment has begun."""
        before = "1" if was_true else f"2*{self.rested}-1" if self.rested else "-1"
        return f"if({self.running}>.5)then({crossed})else({before})" if self.running else crossed

    def _when(self, condition: Expression, was_true: bool) -> str:
        """When an event happens, as far as its trigger alone tells."""
        found = begins_by_itself(condition, was_true, self.t0)
        others = names_in(condition) - {TIME}
        is_of_time = TIME in names_in(condition) and all(map(self.equations.is_steady, others))
        return AT_ITS_TIME if found is LATER and is_of_time else found

    @property
    def _begin_text(self) -> str:
        return number_text(self.t0)

    def _assigned(self, pairs: Iterable[tuple[str, Expression]]) -> str:
        return "; ".join(f"{self.names[name]}={self.written(node)}" for name, node in pairs)
