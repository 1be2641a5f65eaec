"""How experiments differ: settings, doses, and statements that came with the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.model.language.expression import Call, Expression, Number
from parfit.model.language.jumping import Spoken
from parfit.model.language.statements import ZERO, Line, Statement, line_statements, read_statements
from parfit.model.model import Model
from parfit.model.textfile import exact

START = "(0)"  # behind the name of a state: a setting of its initial value
SCOPED = ("initial value", "jump", "rest", "noise")  # statements of data that hold in the experiments of their file


@dataclass(frozen=True)
class Dose:
    """What is added to a state at some times, at once or over a while; `resets` sets all states back first.

    With `steady` the first of them follows on so many of the kind, at that distance, that nothing changed any more.
    """

    state: str  # nothing where it only resets
    amount: float
    times: tuple[float, ...]
    over: float | None = None
    resets: bool = False
    steady: float | None = None

    def __str__(self) -> str:
        at = _listed(self.times)
        if not self.state:
            return f"reset at {at}"
        over = "" if self.over is None else f" over {exact(self.over)}"
        before = "" if self.steady is None else f", before that every {exact(self.steady)}"
        return f"{'reset, ' if self.resets else ''}dose {self.state}={exact(self.amount)}{over} at {at}{before}"


def _listed(times: tuple[float, ...]) -> str:
    """Times as the model language has them, 0(24)144 if they are evenly spaced."""
    step = times[1] - times[0] if len(times) > 2 else 0.0
    if step > 0.0 and all(time == times[0] + k * step for k, time in enumerate(times)):
        return f"{exact(times[0])}({exact(step)}){exact(times[-1])}"
    return ", ".join(map(exact, times))


@dataclass(frozen=True)
class Condition:
    """What is known of one experiment: values of constants, parameters and initial values `a(0)`, and doses."""

    name: str
    settings: Mapping[str, float] = field(default_factory=dict)  # by names as the model spells them
    doses: tuple[Dose, ...] = ()


@dataclass(frozen=True)
class Said:
    """A statement that came with data, and where it stands."""

    line: int
    text: str
    source: str = ""

    @property
    def key(self) -> str:
        """The same for all that say the same."""
        return " ".join(self.text.lower().split())


@dataclass(frozen=True)
class Design:
    """The experiments of some data, and statements about them."""

    conditions: tuple[Condition, ...]
    statements: tuple[Said, ...] = ()
    source: str = ""
    is_part: bool = False  # other files tell of further experiments
    off: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # left out of fits, with their weights before
    unused: tuple[str, ...] = ()  # columns that the model does not know, and that were passed over
    silent: tuple[str, ...] = ()  # experiments that were left out, because nothing was observed in them

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.conditions)

    def spoken(self) -> list[Statement]:
        """The statements that came with the data."""
        return [item for said in self.statements for item in _read(said)]

    def by_source(self) -> list[tuple[list[Statement], str]]:
        """The same, by the files in which they stand."""
        sources = dict.fromkeys(said.source for said in self.statements)
        return [
            ([item for said in self.statements if said.source == source for item in _read(said)], source)
            for source in sources
        ]

    def source_of(self, line: int, experiment: str) -> str | None:
        """The file in which a statement stands in this line that holds in an experiment; None if there is none."""
        found = [said for said in self.statements if said.line == line]
        own = [said for said in found if any(experiment.lower() in _scope(item) for item in _read(said))]
        return next((said.source for said in (*own, *found)), None)


def _read(said: Said) -> list[Statement]:
    try:
        return line_statements(Line(said.line, said.text, []))
    except ModelError as error:
        raise ModelError(error.message, said.source or None, error.line) from None


def _scope(item: Statement) -> tuple[str, ...]:
    """The experiments, in lower case, that a statement names."""
    return tuple(map(str.lower, item.arguments)) if item.kind == "experiment" else ()


def told_by_both(old: Design, new: Design) -> list[Said]:
    """The statements of two sets of data; what only one of them says about experiments holds in its own."""
    left = list(new.statements)
    found = []
    for said in old.statements:
        same = next((each for each in left if each.key == said.key), None)
        if same is not None:
            left.remove(same)
        found.append(said if same is not None else _within(said, old.names))
    return [*found, *(_within(said, new.names) for said in left)]


def _within(said: Said, names: Sequence[str]) -> Said:
    """A statement that holds in some experiments only, if it is one that can."""
    if any(item.kind not in SCOPED for item in _read(said)):
        return said
    return replace(said, text=f"experiment {', '.join(names)}: {said.text}")


def settable(model: Model) -> dict[str, str]:
    """What a setting may give, by names in lower case: parameters, constants, and initial values as a(0)."""
    template = model.template or model
    statements = read_statements(template.source)  # a model without text has no constants, either
    found = {name.lower(): name for name in template.parameters}
    found |= {item.key: item.name for item in statements if item.kind == "constant"}
    return found | {f"{name}{START}".lower(): f"{name}{START}" for name in template.states}


def dose_statements(doses: tuple[Dose, ...], states: Mapping[str, Expression]) -> list[Statement]:
    """Doses as the model language has them; `states` gives the initial values that a reset restores."""
    found = []
    for dose in doses:
        amount: Expression = Number(dose.amount)
        times = tuple(Number(time) for time in dose.times)
        if dose.resets:
            bolus = dose.state.lower() if dose.over is None else ""
            back = tuple(
                (name, Call("+", (start, amount)) if name.lower() == bolus else start)
                for name, start in states.items()
            )
            found.append(_jump(dose, Spoken("set", back, times)))
        if dose.state and (not dose.resets or dose.over is not None):
            over = None if dose.over is None else Number(dose.over)
            found.append(_jump(dose, Spoken("dose", ((dose.state, amount),), times, over)))
    return found


def _jump(dose: Dose, spoken: Spoken) -> Statement:
    return Statement("jump", 0, str(dose), spoken.body, jump=spoken)


def initial_bodies(statements: list[Statement]) -> dict[str, Expression]:
    """The initial value of every state, as it is written; of several the last."""
    given = {item.key: item.body for item in statements if item.kind == "initial value"}
    return {item.name: given.get(item.key, ZERO) for item in statements if item.kind == "state"}
