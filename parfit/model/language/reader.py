"""`.ode` text to a `Model`: collect the definitions, resolve their names, check what each may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from parfit.arrays import read_only
from parfit.errors import DataError, ModelError
from parfit.model.collecting import without_collecting
from parfit.model.curves import Curve, linear
from parfit.model.foreign import foreign, looks_like_data
from parfit.model.jumps import Assignment, Jump
from parfit.model.language import assigning
from parfit.model.language.expression import Call, Expression, Name, Number, names_in, value
from parfit.model.language.names import Resolver, article, definition_order, exposes, says_same, used_keys
from parfit.model.language.operations import FUNCTIONS
from parfit.model.language.statements import AT_0, Statement, read_statements
from parfit.model.language.tables import known_table, read_table
from parfit.model.model import Definition, Model, Rest
from parfit.model.said.reading import linear_names, noise_lines, prior_lines, said_once, with_sd_quantities
from parfit.model.textfile import Read, file_bytes, read_lines, real

COMPUTED = "%"  # what stands in place of the file of a table that an expression gives
RESERVED = ("t", "if", "then", "else")
_DEFINING = ("parameter", "constant", "state", "quantity", "derived quantity", "function", "table")


def read_model(path: str | PathLike[str], read: Read = file_bytes) -> Model:
    """Read a model file; whatever is wrong with it is a `ModelError` with file and line."""
    try:
        data = read(path)
        if foreign(data):
            raise ModelError(foreign(data), path)
        text = "\n".join(read_lines(path, lambda _: data))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be read: {error}", path) from None
    except DataError as error:
        reason = error.message.partition(";")[0]
        raise ModelError(f"{reason}; expected a model (.ode, SBML) or a problem of PEtab (.yaml)", path) from None
    try:
        return model_from_text(text, Path(path).stem, path, read=read)
    except ModelError as error:
        if looks_like_data(data):
            raise ModelError("holds data; give the model first, then the data", path) from None
        raise error


@without_collecting()
def model_from_text(
    text: str,
    name: str = "model",
    path: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    read: Read = file_bytes,
) -> Model:
    """Make a model of `.ode` text; tables are looked for in `folder`, or beside `path`, and read by `read`."""
    base = Path(folder) if folder is not None else Path(path).parent if path is not None else Path()
    try:
        if not text.strip():
            raise ModelError("is empty; expected the equations of a model, such as x'=-k*x")
        statements = said_once(read_statements(text))
        assigning.check_set_once(statements)
        return _Reading(text, statements, lambda item: read_table(item.arguments, base, read)).model(name)
    except ModelError as error:
        raise ModelError(error.message, name if path is None else path, error.line) from None
    except RecursionError:  # only if the caller left us little room
        raise ModelError("has expressions that are nested too deeply", name if path is None else path) from None


def model_of_statements(statements: Sequence[Statement], like: Model) -> Model:
    """A model of other statements that has the name and the tables of another one."""
    curves = dict(like.files)
    return _Reading("", statements, lambda item: known_table(item.arguments, curves)).model(like.name)


class _Reading:
    """One reading of a model: its statements by kind, and what has been resolved so far."""

    def __init__(self, text: str, statements: Sequence[Statement], table: Callable[[Statement], Curve]):
        self.text, self.given, self.table = text, statements, table
        self.statements, self.held = assigning.with_held_constants(with_sd_quantities(statements))
        self.aux: dict[str, Statement] = {}
        for item in self._of("aux"):
            self.aux.setdefault(item.key, item)  # only a label, which XPPAUT lets repeat
        self.overridden = [item for item in self._of("aux") if not says_same(item, self.aux[item.key])]
        self.definitions = self._distinct(self._of(*_DEFINING))
        self._check_names()
        self._promote_aux()
        tables = [item for item in self._of("table") if item.arguments[0] != COMPUTED]
        curves = {item.key: _placed_curve(item, table) for item in tables}
        scoped = [each for item in self._of("experiment") for each in item.inner if each.kind == "table"]
        self.files = {item.arguments: curves[item.key] for item in tables}
        self.files |= {each.arguments: _placed_curve(each, table) for each in scoped if each.arguments[0] != COMPUTED}
        self.resolver = Resolver(self.definitions, curves)
        self.curves = curves
        self.steady = {item.name for item in self._of("parameter")}  # what depends on parameters only
        jumps = [(item, item.jump) for item in self._of("jump") if item.jump is not None]
        self.infusions = [(item, jump, jump.over) for item, jump in jumps if jump.over is not None]

    def model(self, name: str) -> Model:
        states = self._of("state")
        if not states:
            raise ModelError("has no differential equation; expected at least one, such as x'=-k*x")
        quantities, parameters = self._quantities(), self._of("parameter")
        values = read_only([self.resolver.number(item) for item in parameters])
        t0, says_t0 = self._option("t0"), any(item.name == "t0" for item in self._of("option"))
        given = {item.key for item in (states if self._of("rest") else self._of("initial value"))}
        jumps, infused = self._jumps(t0, says_t0)
        t0 = t0 if says_t0 else min(t0, assigning.first_time(jumps, infused))
        return Model(
            name=name,
            parameters=tuple(item.name for item in parameters),
            values=values,
            states=tuple(item.name for item in states),
            equations=tuple(self._equation(item) for item in states),
            initial=self._initial(states, t0),
            quantities=quantities,
            aux=self._aux(),
            tables=tuple((item.name, self.curves[item.key]) for item in self._of("table")),
            files=tuple(self.files.items()),
            jumps=jumps,
            infused=infused,
            held=self.held,
            rest=self._rest(name),
            t0=t0,
            says_t0=says_t0 or any("t" in used_keys(item) for item in self._of("initial value")),
            unset=tuple(item.name for item in states if item.key not in given),
            total=self._option("total"),
            dt=self._option("dt"),
            sets=assigning.kept_sets(self._of("set"), parameters),
            noise=noise_lines(self.statements, [item.name for item in (*states, *self.aux.values())]),
            priors=prior_lines(self.statements),
            linear=linear_names(self.statements),
            remarks=self._remarks(),
            source=self.text,
        )

    def _of(self, *kinds: str) -> list[Statement]:
        return [item for item in self.statements if item.kind in kinds]

    def _distinct(self, items: Iterable[Statement]) -> dict[str, Statement]:
        """By their lower-case names, each of which may be defined once."""
        found: dict[str, Statement] = {}
        for item in items:
            first = found.setdefault(item.key, item)
            if first is not item:
                raise ModelError(
                    f"`{item.name}` is defined twice: as {article(first.kind)} in line {first.line} and as "
                    f"{article(item.kind)} here; expected different names (case does not matter)",
                    None,
                    item.line,
                )
        return found

    def _check_names(self) -> None:
        for key, item in self.definitions.items():
            if key in RESERVED:
                what = "the time" if key == "t" else "a word of the language"
                alike = "" if item.name == key else " (case does not matter)"
                raise ModelError(f"`{item.name}` is {what}{alike}; expected another name", None, item.line)
            if key in FUNCTIONS and item.kind != "function":
                raise ModelError(f"`{item.name}` is a built-in function; expected another name", None, item.line)

    def _promote_aux(self) -> None:
        """Make a quantity of each aux that something else uses by its name."""
        bodies = [*self.definitions.values(), *self.aux.values(), *self._of("initial value", "jump")]
        used = set().union(*(used_keys(item) for item in bodies))
        for key, item in self.aux.items():
            defined = self.definitions.get(key)
            if defined is None and key in used and key not in RESERVED and key not in FUNCTIONS:
                self._distinct([item, *(other for other in self.overridden if other.key == key)])
                self.definitions[key] = replace(item, kind="quantity")
                self.aux[key] = replace(item, body=Name(item.name))
            elif defined is not None and defined.kind in ("state", "parameter") and not exposes(item):
                what = f"has the name of the {defined.kind} in line {defined.line}"
                raise ModelError(f"aux `{item.name}` {what}; expected another name", None, item.line)

    def _computed(self, item: Statement) -> Curve:
        """The broken line through the values of an expression at equal distances, as XPPAUT makes it."""
        points, first, last = (float(number) for number in map(real, item.arguments[1:]) if number is not None)
        t = np.linspace(first, last, int(points))
        body = self.resolver.resolve(item)
        names = sorted(names_in(body) - {"t"})
        if names:
            raise ModelError(
                f"the table `{item.name}` uses `{names[0]}`: expected numbers and t only; "
                f"write it as a function, {item.name}(t)=...",
                None,
                item.line,
            )
        others = {other.name: self.curves[other.key] for other in self._of("table") if other.key in self.curves}
        y = [value(body, {"t": each, **others}) for each in t]
        if not np.isfinite(y).all():
            raise ModelError(f"the table `{item.name}` has values that are no finite numbers", None, item.line)
        return linear(t, y)

    def _quantities(self) -> tuple[Definition, ...]:
        """Constants to numbers and quantities in an order in which they can be computed."""
        found: list[Definition] = []
        for item in definition_order(self.definitions):
            if item.kind == "table":
                if item.arguments[0] == COMPUTED:
                    self.curves[item.key] = self._computed(item)
                continue
            if item.kind == "constant":
                self.resolver.constants[item.key] = Number(self.resolver.number(item))
                continue
            node = self.resolver.resolve(item)  # of a function only to find its mistakes
            if item.kind == "function":
                continue
            changing = self._changing(node)
            if not changing:
                self.steady.add(item.name)
            elif item.kind == "derived quantity":
                raise ModelError(
                    f"`!{item.name}` uses `{changing}`, which changes with time; "
                    f"expected parameters only, or {item.name}=... without !",
                    None,
                    item.line,
                )
            found.append((item.name, node))
        return tuple(found)

    def _changing(self, node: Expression) -> str | None:
        """A name in an expression that depends on more than parameters."""
        return min(names_in(node) - self.steady, default=None)

    def _option(self, name: str) -> float:
        """The last value given after `@`, 0 if there is none."""
        return next((self.resolver.number(item) for item in reversed(self._of("option")) if item.name == name), 0.0)

    def _initial(self, states: list[Statement], t0: float) -> tuple[Expression, ...]:
        """The initial values; the last one given for a state counts, none means 0."""
        given: dict[str, Expression] = {}
        written: dict[str, int] = {}  # lines of x(0)=
        known = {item.key for item in states}
        for item in self._of("initial value"):
            if item.key not in known:
                expected = ", ".join(state.name for state in states[:8])
                raise ModelError(
                    f"initial value for `{item.name}`, which has no derivative; "
                    f"expected a state ({expected}{', ...' if len(states) > 8 else ''})",
                    None,
                    item.line,
                )
            if AT_0 in item.arguments and item.key in written:
                raise ModelError(
                    f"{item.name}(0) is given twice, in line {written[item.key]} and here; expected one of them",
                    None,
                    item.line,
                )
            if AT_0 in item.arguments:
                written[item.key] = item.line
            given[item.key] = self.resolver.resolve(item, Number(t0))
            changing = self._changing(given[item.key])
            if changing:
                raise ModelError(
                    f"the initial value of `{item.name}` uses `{changing}`, which changes with time; "
                    "expected numbers and parameters only",
                    None,
                    item.line,
                )
        return tuple(given.get(state.key, Number(0.0)) for state in states)

    def _jumps(self, t0: float, says_t0: bool) -> tuple[tuple[Jump, ...], tuple[Expression, ...]]:
        """What the statements `set`, `dose` and `global` say; of infusions when they begin."""
        found, infused = [], list[Expression]()
        for item in self._of("jump"):
            spoken = item.jump
            assert spoken is not None
            targets = [assigning.checked_target(self.definitions, name, item) for name, _ in spoken.assignments]
            times = tuple(self._steady(item, each, "the time") for each in spoken.times)
            assigning.check_times(times, item, t0 if says_t0 else -math.inf)
            if spoken.over is not None:
                infused += times
                continue
            values = [self.resolver.resolve(replace(item, body=body)) for _, body in spoken.assignments]
            adds = [spoken.word == "dose"] * len(targets)
            condition = spoken.condition
            waits = None if condition is None else self.resolver.resolve(replace(item, body=condition))
            found.append(Jump(tuple(map(Assignment, targets, values, adds)), times, waits, spoken.direction))
        return tuple(found), tuple(infused)

    def _steady(self, item: Statement, body: Expression, what: str) -> Expression:
        """Part of a statement that may depend on parameters only."""
        node = self.resolver.resolve(replace(item, body=body))
        changing = self._changing(node)
        if changing:
            raise ModelError(
                f"`{item.name}`: {what} uses `{changing}`, which changes with time; "
                "expected numbers and parameters only",
                None,
                item.line,
            )
        if names_in(node):
            return node
        number = value(node, {})
        if not np.isfinite(number):
            raise ModelError(f"`{item.name}`: {what} is {number}; expected a finite number", None, item.line)
        return Number(number)

    def _equation(self, state: Statement) -> Expression:
        """The equation of a state, with what is infused into it."""
        terms = [self.resolver.resolve(state)]
        for item, jump, length in self.infusions:
            over = self._steady(item, length, "the length of the infusion")
            times = [self._steady(item, each, "the time") for each in jump.times]
            amounts = [body for name, body in jump.assignments if name.lower() == state.key]
            terms += [assigning.infusion(self._steady(item, body, "the amount"), over, times) for body in amounts]
        return terms[0] if len(terms) == 1 else Call("+", tuple(terms))

    def _rest(self, name: str) -> Rest | None:
        """What comes to rest before this model begins."""
        statements = assigning.at_rest(self.given)
        if statements is None:
            return None
        own = assigning.own_starts(self.given, self.held)
        states = frozenset(item.name for item in self._of("state") if item.key in own)
        return Rest(_Reading("", statements, self.table).model(name), states)

    def _aux(self) -> tuple[Definition, ...]:
        """The aux quantities; one that repeats a state is left out, for states can be observed anyway."""
        states = {item.key for item in self._of("state")}
        return tuple((item.name, self.resolver.resolve(item)) for key, item in self.aux.items() if key not in states)

    def _remarks(self) -> tuple[str, ...]:
        ignored = list(dict.fromkeys(item.name for item in self._of("ignored")))
        ignored += [f"aux `{item.name}` in line {item.line} (the first one counts)" for item in self.overridden]
        remarks = [f"ignored, as it has no meaning here: {', '.join(ignored)}"] if ignored else []
        remarks += [
            f"line {item.line}: `{text}` compares what stands left and right of the sign; XPPAUT compares "
            "only the nearest terms, so parentheses would make it clear"
            for item in self.statements
            for text in item.doubts
        ]
        return tuple(remarks)


def _placed_curve(item: Statement, table: Callable[[Statement], Curve]) -> Curve:
    try:
        return table(item)
    except ModelError as error:
        raise ModelError(error.message, None, item.line) from None
