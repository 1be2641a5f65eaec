"""The header of a CSV file of observations: which column holds what."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from parfit.errors import DataError
from parfit.model.model import Model
from parfit.model.textfile import shown

TIME = ("t", "time")
LISTED = 12  # names of a model that fit into a message


@dataclass(frozen=True)
class Column:
    """A column's header and kind: `time`, `value`, `sd` or `weight` of the quantity `name`, or `unused`."""

    header: str
    kind: str
    name: str = ""


def read_header(headers: list[str], model: Model) -> list[Column]:
    """The columns that the fields of the first line announce; names are matched in any case of letters."""
    known = {name.casefold(): name for name in (*model.states, *(name for name, _ in model.aux))}
    if not headers[0] or (headers[0].casefold() in known and headers[0].casefold() not in TIME):
        raise DataError(f"the first column is {shown(headers[0])}; expected the time, named t or time")
    columns = [Column(headers[0], "time"), *(_column(header, known) for header in headers[1:])]
    _check_together(columns)
    if all(column.kind != "value" for column in columns):
        raise DataError(f"no column with observations; expected {example(model)}")
    return columns


def example(model: Model) -> str:
    """What a file for this model looks like, for messages."""
    return f"a first line such as {','.join(['t', *model.states[:3]])} and numbers below it"


def is_left_out(header: str) -> bool:
    """Whether the column is to be passed over; no quantity of a model has parentheses in its name."""
    return header.startswith("(") and header.endswith(")")


def value_places(columns: list[Column]) -> list[tuple[int, int]]:
    """For each column of standard deviations or weights: its place and the place of its values."""
    values = {column.name: place for place, column in enumerate(columns) if column.kind == "value"}
    return [(place, values[column.name]) for place, column in enumerate(columns) if column.kind in ("sd", "weight")]


def _column(header: str, known: dict[str, str]) -> Column:
    if is_left_out(header):
        return Column(header, "unused")
    name = header.casefold()
    if name in known:  # first, because the names of aux quantities may contain dots
        return Column(header, "value", known[name])
    base, _, kind = name.rpartition(".")
    if kind not in ("sd", "weight"):
        raise DataError(_unknown(header, name, known))
    if base not in known:
        raise DataError(_unknown(header, base, known))
    return Column(header, kind, known[base])


def _unknown(header: str, name: str, known: dict[str, str]) -> str:
    names = list(known.values())
    more = f", ... ({len(names)} in all)" if len(names) > LISTED else ""
    close = [known[match] for match in difflib.get_close_matches(name[:80], known, n=3)]
    hint = f"did you mean {' or '.join(close)}? The model" if close else "the model"
    if name in TIME:
        hint = "the time must be the first column. The model"
    return (
        f"column {shown(header)} is not a state or aux quantity of the model; {hint} has "
        f"{', '.join(names[:LISTED])}{more}. To leave a column out put its name in parentheses, as in (note)"
    )


def _check_together(columns: list[Column]) -> None:
    headers: dict[tuple[str, str], str] = {}
    for column in columns:
        key = column.name, column.kind
        if key in headers and column.kind != "unused":
            raise DataError(
                f"columns {shown(headers[key])} and {shown(column.header)} are the same; "
                "put replicates into rows of their own"
            )
        headers[key] = column.header
    for (name, kind), header in headers.items():
        if kind == "sd" and (name, "weight") in headers:
            raise DataError(f"there are both {shown(header)} and {shown(headers[name, 'weight'])}; keep one of them")
        if kind in ("sd", "weight") and (name, "value") not in headers:
            raise DataError(f"column {shown(header)} needs a column {shown(name)}; add it or remove this one")
