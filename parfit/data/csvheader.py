"""The header of a CSV file of observations: which column holds what."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from parfit.data import doses
from parfit.dataclass import dataclass
from parfit.errors import DataError
from parfit.model.conditions.design import settable
from parfit.model.model import Model
from parfit.model.textfile import excerpt

TIME = ("t", "time")
NAMING = ("experiment", "id", "group", "run", "condition", "subject")  # columns that name the experiment of a row
# Columns that are the time if none is called so; the first letters of units could be anything.
UNITS = ("second", "sec", "minute", "min", "hour", "hr", "day", "week", "month", "year")
CALENDAR = (*UNITS, *(f"{unit}s" for unit in UNITS))
WITH_UNIT = re.compile(r"(.*?\S)\s*(?:\[([^][]*)\]|\(([^()]*)\))(\.\w+)?")  # C [mg/L], Time (h), C [mg/L].sd
INITIAL = re.compile(r".+\(\s*0\s*\)")  # a(0)
OBSERVED = ("dv", "lndv", "conc")  # what pharmacologists call what was observed
CENSORING = ("blq", "bql", "bloq", "cens")  # columns with 1 where a value is beyond a limit of measurement
# What may differ from row to row and is no observation.
PASSED_OVER = ("tad", "occ", "date", "visit", "ntime", "nomtime", *CENSORING)
LISTED = 12  # names of a model that fit into a message


@dataclass(frozen=True)
class Column:
    """A column's header and kind: `time`, `value`, `sd` or `weight` of the quantity `name`, or `unused`.

    Of several experiments also `experiment`, `setting` of `name`, `dose` (one of `doses.WORDS`), and `covariate`: in
    a table with doses, what the model does not know.
    """

    header: str
    kind: str
    name: str = ""

    @property
    def is_text(self) -> bool:
        """Whether what stands in it is no number, or is passed over."""
        return self.kind in ("unused", "experiment", "covariate") or (self.kind, self.name) == ("dose", "cmt")

    @property
    def is_mark(self) -> bool:
        """Whether a C in it says that its row is to be passed over, as NONMEM's IGNORE=C has it."""
        return self.kind == "covariate" and self.header.upper() == "C"

    @property
    def label(self) -> str:
        """Its header with a unit in brackets; nothing if it has none."""
        match = WITH_UNIT.fullmatch(self.header)
        if match is None:
            return ""
        return f"{self.name or match[1]} [{match[2] or match[3] or ''}]"


def read_header(headers: list[str], model: Model) -> list[Column]:
    """The columns that the fields of the first line announce; names are matched in any case of letters."""
    known = {name.casefold(): name for name in (*_own_states(model), *(name for name, _ in model.aux))}
    if not headers:
        raise DataError(f"there are no columns; expected {example(model)}")
    about = _about(headers, known, model)
    place = _time_place(headers, known, about)
    about.pop(headers[place], None)
    hint = _Hint(known, tuple(about.values()), model.states)
    columns = [
        Column(each, "time") if k == place else about.get(each) or _column(each, known, hint)
        for k, each in enumerate(headers)
    ]
    _check_together(columns)
    if all(column.kind != "value" for column in columns):
        raise DataError(f"no column with observations; expected {example(model)}")
    return columns


def _own_states(model: Model) -> list[str]:
    """The states without constants that something is assigned to on the way: a column of such a one is a setting."""
    held = {name.casefold() for name in (model.template or model).held}
    constants = held & settable(model).keys() if held else set[str]()
    return [name for name in model.states if name.casefold() not in constants]


def _about(headers: list[str], known: dict[str, str], model: Model) -> dict[str, Column]:
    """Columns that say what was done, by their headers; what the model defines has its meaning there."""
    unknown = [each for each in headers if not is_left_out(each) and not {each.casefold(), bare(each)} & known.keys()]
    starts = [each for each in headers if INITIAL.fullmatch(each)]
    left = [*starts, *(each for each in unknown if each not in starts)]
    own = {name.casefold() for name in model.parameters}
    left = [each for each in left if bare(each) in own or not is_time(each)]
    left = [each for each in left if bare(each).rpartition(".")[2] not in ("sd", "weight")]
    if not left:
        return {}
    names = settable(model)
    found = {}
    for each in left:
        name = names.get("".join(each.lower().split())) or names.get(bare(each))
        if name is not None:
            found[each] = Column(each, "setting", name)
    left = [each for each in left if each not in found]
    if any(bare(each) in ("amt", "evid") for each in left):
        found |= {each: Column(each, "dose", bare(each)) for each in left if bare(each) in doses.WORDS}
    naming = sorted(
        (each for each in left if each.casefold() in NAMING), key=lambda each: NAMING.index(each.casefold())
    )
    return found | {each: Column(each, "experiment") for each in naming[:1]}


def example(model: Model) -> str:
    """What a file for this model looks like, for messages."""
    return f"a first line such as {','.join(['t', *model.states[:3]])} and numbers below it"


def is_left_out(header: str) -> bool:
    """Whether the column is to be passed over; no quantity of a model has parentheses in its name."""
    return header.startswith("(") and header.endswith(")")


def bare(header: str) -> str:
    """A name without unit, as it is compared."""
    return _without_unit(header).casefold()


def _without_unit(header: str) -> str:
    match = WITH_UNIT.fullmatch(header)
    return f"{match[1]}{match[4] or ''}" if match else header


def is_time(header: str) -> bool:
    """Whether a column is named like the time."""
    return bare(header) in (*TIME, *CALENDAR)


def value_places(columns: list[Column]) -> list[tuple[int, int]]:
    """For each column of standard deviations or weights: its place and the place of its values."""
    values = {column.name: place for place, column in enumerate(columns) if column.kind == "value"}
    return [(place, values[column.name]) for place, column in enumerate(columns) if column.kind in ("sd", "weight")]


def _time_place(headers: list[str], known: dict[str, str], about: Collection[str]) -> int:
    """Which column is the time: the one that is named so, wherever it stands, or else the first."""
    for names in (TIME, CALENDAR):
        found = [k for k, header in enumerate(headers) if not is_left_out(header) and bare(header) in names]
        found.sort(key=lambda k: bare(headers[k]) in known)  # a quantity of the model may be called so, too
        if found and (names is TIME or bare(headers[found[0]]) not in known):
            return found[0]
    left_out = [header for header in headers if is_left_out(header) and is_time(header[1:-1])]
    if left_out:
        raise DataError(f"column {excerpt(left_out[0])} is left out, and no other is the time; remove its parentheses")
    place = next((k for k, header in enumerate(headers) if not is_left_out(header) and header not in about), 0)
    first = headers[place]
    if not first or bare(first) in known or first in about:
        raise DataError(f"the first column is {excerpt(first)}; expected the time, named t or time")
    return place


def _column(header: str, known: dict[str, str], hint: _Hint) -> Column:
    if is_left_out(header):
        return Column(header, "unused")
    if INITIAL.fullmatch(header):
        raise DataError(hint.of_initial(header))
    name = header.casefold() if header.casefold() in known else bare(header)
    if name in known:  # first, because the names of aux quantities may contain dots
        return Column(header, "value", known[name])
    base, _, kind = name.rpartition(".")
    if kind not in ("sd", "weight"):
        if hint.has_doses and not hint.means_something(name):
            return Column(header, "covariate")
        raise DataError(hint(header, name))
    if base not in known:
        raise DataError(hint(header, base))
    return Column(header, kind, known[base])


@dataclass(frozen=True)
class _Hint:
    """What to say of a column that the model does not know."""

    known: dict[str, str]
    about: tuple[Column, ...]
    states: tuple[str, ...]

    @property
    def has_doses(self) -> bool:
        return any(column.kind == "dose" for column in self.about)

    def means_something(self, name: str) -> bool:
        """Whether it is likely to be an observation, or something else that must not be passed over."""
        return not name or name in (*OBSERVED, *TIME, *NAMING) or bool(self._close(name))

    def __call__(self, header: str, name: str) -> str:
        names = list(self.known.values())
        more = f", ... ({len(names)} in all)" if len(names) > LISTED else ""
        return (
            f"column {excerpt(header)} is not a state or aux quantity of the model; {self._meant(header, name)} has "
            f"{', '.join(names[:LISTED])}{more}. To leave it out put its name in parentheses: ({header})"
        )

    def of_initial(self, header: str) -> str:
        """The same of one that looks like an initial value."""
        expected = ", ".join(f"{name}(0)" for name in self.states[:LISTED])
        return (
            f"column {excerpt(header)} is no initial value of a state; expected one of {expected}. "
            f"To leave it out put its name in parentheses: ({header})"
        )

    def _meant(self, header: str, name: str) -> str:
        if close := self._close(name):
            return f"did you mean {' or '.join(close)}? The model"
        if name in TIME:
            return "another column is the time already. The model"
        if name in OBSERVED:
            return f"if it was observed, write `aux {_without_unit(header)}=...` in the model, which"
        if name in (*doses.WORDS, "dose"):
            return "doses need a column amt. The model"
        naming = next((column.header for column in self.about if column.kind == "experiment"), None)
        if naming is None:
            return "if it names the experiments, call it experiment. The model"
        return f"column {excerpt(naming)} names the experiments. The model" if name in NAMING else "the model"

    def _close(self, name: str) -> list[str]:
        return [self.known[match] for match in difflib.get_close_matches(name[:80], self.known, n=3)]


def _check_together(columns: list[Column]) -> None:
    headers: dict[tuple[str, str], str] = {}
    for column in columns:
        key = column.name, column.kind
        if key in headers and column.kind not in ("unused", "covariate"):
            raise DataError(
                f"columns {excerpt(headers[key])} and {excerpt(column.header)} are the same; "
                "put replicates into rows of their own"
            )
        headers[key] = column.header
    for (name, kind), header in headers.items():
        if kind == "sd" and (name, "weight") in headers:
            raise DataError(
                f"there are both {excerpt(header)} and {excerpt(headers[name, 'weight'])}; keep one of them"
            )
        if kind in ("sd", "weight") and (name, "value") not in headers:
            raise DataError(f"column {excerpt(header)} needs a column {excerpt(name)}; add it or remove this one")
