"""Observations as CSV: time, one column per observed quantity, `name.sd` or `name.weight` beside it."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from os import PathLike

import numpy as np

from parfit.arrays import Array
from parfit.data.beginning import begun
from parfit.data.csvheader import TIME, Column, example, is_left_out, is_time, read_header, value_places
from parfit.data.grouping import Grouping, Row, experiment_of
from parfit.data.observations import Observations, make_observations, weights_from
from parfit.data.stacking import Experiment, together
from parfit.data.tabulating import STATEMENT
from parfit.errors import DataError
from parfit.model.conditions.design import Said
from parfit.model.model import Model
from parfit.model.textfile import Read, at_place, excerpt, file_bytes, read_lines, real

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
SPREADSHEET = ("#n/a", "#div/0!", "#value!", "#num!", "#name?", "#ref!", "#null!")  # a spreadsheet's errors
MISSING = ("", "na", "n/a", "nan", ".", "-", *SPREADSHEET)  # in any case of letters
# A comment begins with a mark that stands in no quotes and begins no error of a spreadsheet.
COMMENT = re.compile(rf"\"[^\"]*\"?|(?:{'|'.join(map(re.escape, SPREADSHEET))})|(#)", re.IGNORECASE)
SEPARATOR_LINE = re.compile('"?sep=."?', re.IGNORECASE)  # what a spreadsheet writes before the header
INFINITE = re.compile("[+-]?inf(inity)?", re.IGNORECASE)

BEFORE_UNIT = re.compile(r"[ \t]+(?=\[[^\]]*\])")  # of a name, where blanks stand between names

MOST_TITLES = 10  # lines above the names of the columns that are looked through
# What laboratories write for a value below, or above, what they can measure.
CENSORED = re.compile(r"[<>\u2264\u2265].*|blq|bloq|bql|lloq|blod|bdl|lod|loq|n\.?d\.?", re.IGNORECASE)
UNSEEN = "if nothing was observed"
BLANK = {"dose": "if nothing was given", "setting": "if it is as the model has it"}
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:(\.)\d{3})*(?(1),|(?:,\d{3})+\.)\d*")  # 1.000,5 and 1,000.5


def read_csv(path: str | PathLike[str], model: Model, read: Read = file_bytes, is_part: bool = False) -> Observations:
    """Read observations of a model; what cannot be understood for certain is a `DataError` with its line.

    `is_part`: other files tell of further experiments.
    """
    model = model.template or model
    content = read_lines(path, read)
    statements = _statements(path, content)
    lines = [(line, text) for line, text in _without_comments(content) if text.strip()]
    if not lines:
        raise DataError(f"has no lines with data; expected {example(model)}", path)
    lines = [*_marked_names(content, lines[0], model), *lines]
    (line, header), *body = lines
    with at_place(path, line):
        _check_names(header, model)
        try:
            separator, columns = _header(header, model)
        except DataError as error:
            raise _above_names(line, body, model) or error from None
    place = next(k for k, column in enumerate(columns) if column.kind == "time")
    columns.insert(0, columns.pop(place))
    rows: list[Row] = []
    for line, text in body:
        with at_place(path, line):
            fields = _fields(text, separator, len(columns))
        if any(fields):
            fields.insert(0, fields.pop(place))
            if not any(each.is_mark and field.upper() == "C" for each, field in zip(columns, fields, strict=True)):
                rows.append((line, fields))
    _check_units(path, rows[:1], columns)
    pairs = value_places(columns)
    comma = _decimal_comma(rows, columns) if separator in ";\t " else None
    table = np.empty((len(rows), len(columns)))
    for i, (line, fields) in enumerate(rows):
        with at_place(path, line):
            numbers = _numbers(fields, columns, comma)
            check_weighted(numbers, columns, pairs)
            table[i] = numbers
    if model.says_t0:
        _check_times(path, rows, table[:, 0], model.t0)
    found = _assembled(path, Grouping(columns, model), rows, table, statements)
    if found.design is not None:
        found = replace(found, design=replace(found.design, is_part=is_part))
    _check_times(path, rows, table[:, 0], begun(model, found).t0)
    return found


def _assembled(
    path: str | PathLike[str], grouping: Grouping, rows: list[Row], table: Array, statements: list[Said]
) -> Observations:
    if grouping.is_needed or statements:
        found = together(experiments_of(path, grouping, rows, table), statements, str(path))
        assert found.design is not None
        design = replace(found.design, unused=grouping.covariates, silent=tuple(grouping.silent))
        return replace(found, design=design)
    with at_place(path):
        return observations_of(table, grouping.columns, str(path))


def experiments_of(
    path: str | PathLike[str] | None, grouping: Grouping, rows: list[Row], table: Array
) -> list[Experiment]:
    """The experiments of a table that have observations."""
    found = []
    for group in grouping.groups(path, rows, table):
        if not np.isfinite(table[np.ix_(group.rows, grouping.values)]).any():
            grouping.silent.append(group.name)
            continue
        with at_place(path, group.line):
            found.append(experiment_of(group, observations_of(table[group.rows], grouping.columns, str(path or ""))))
    if not found:
        raise DataError("has no observation at all: there are no rows, or every value is missing", path)
    return found


def _statements(path: str | PathLike[str], lines: list[str]) -> list[Said]:
    """Statements of the model language that stand in comments `#: ...`, by their lines."""
    found = [(k, line.strip()[2:].strip()) for k, line in enumerate(lines, 1) if line.strip().startswith(STATEMENT)]
    return [Said(line, text, str(path)) for line, text in found if text]


def _without_comments(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        if number == 1 and SEPARATOR_LINE.fullmatch(line.strip()):
            continue
        marks = COMMENT.finditer(line) if "#" in line else ()
        yield number, line[: next((mark.start() for mark in marks if mark[1]), None)]


def _marked_names(content: list[str], first: tuple[int, str], model: Model) -> list[tuple[int, str]]:
    """The names of the columns of doses where they stand behind a mark, right above the numbers: #ID,TIME,AMT."""
    line, numbers = first
    above = content[line - 2].strip() if line > 1 else ""
    if not above.startswith("#") or above.startswith(STATEMENT) or not _is_number(numbers):
        return []
    try:
        _, columns = _header(above[1:].strip(), model)
    except DataError:
        return []
    return [(line - 1, above[1:].strip())] if any(each.kind == "dose" for each in columns) else []


def _is_number(line: str) -> bool:
    """Whether the first of the fields of a line is one."""
    return real(re.split(r"[\s,;]", line.strip().lstrip('"'))[0].rstrip('"')) is not None


def _check_names(header: str, model: Model) -> None:
    if _is_number(header):
        raise DataError(f"found numbers where the names belong, {excerpt(header)}; expected {example(model)}")


def _header(header: str, model: Model) -> tuple[str, list[Column]]:
    """What separates the columns, and what they hold."""
    separator = _separator(header, model)
    names = BEFORE_UNIT.sub("", header) if separator == " " else header
    return separator, read_header(_trimmed(_split(names, separator), 1), model)


def _above_names(line: int, body: list[tuple[int, str]], model: Model) -> DataError | None:
    """What to say where the names stand below something else, such as a title."""
    for below, text in body[:MOST_TITLES]:
        try:
            _header(text, model)
        except DataError:
            continue
        what = f"line {line}" if below == line + 1 else f"what stands above line {below}"
        return DataError(f"the names of the columns stand in line {below}; remove {what}, or put # before it")
    return None


def _separator(header: str, model: Model) -> str:
    """The one character that separates the names of the header and occurs in none of them, but for blanks."""
    if "\t" in header and any(map(is_time, _split(header, "\t", strict=False))):
        return "\t"  # whatever else stands in the names
    if "\t" in header and _is_header(_split(header, " ", strict=False), model):
        return " "  # the tabs only align
    for mark, others in ((",", ";\t"), (";", ",\t"), ("\t", ",;"), (" ", ",;")):
        names = [name for name in _split(header, mark, strict=False) if not is_left_out(name)]
        if (mark in header or mark == " ") and not any(other in name for other in others for name in names):
            return mark
    raise DataError(f"the names in {excerpt(header)} are separated in several ways; use commas alone")


def _is_header(names: list[str], model: Model) -> bool:
    """Whether the model knows all of these names, but for that of the time."""
    try:
        return bool(read_header(names, model))
    except DataError:
        return False


def _split(line: str, separator: str, strict: bool = True) -> list[str]:
    if separator == " ":
        line = line.replace("\t", " ").strip()
    try:
        fields = next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=strict))
    except csv.Error as error:
        raise DataError(f"{excerpt(line)} cannot be split into fields ({error}); check the quotes") from None
    return [field.strip() for field in fields]


def _trimmed(fields: list[str], length: int) -> list[str]:
    """Without the empty fields that spreadsheets leave at the end of a line, but no shorter than `length`."""
    while len(fields) > length and not fields[-1]:
        fields.pop()
    return fields


def _fields(line: str, separator: str, length: int) -> list[str]:
    fields = _trimmed(_split(line, separator), length)
    if len(fields) != length and any(fields):
        remedy = "write NA for what was not observed"
        if separator == "," and len(fields) > length:
            remedy = "a decimal comma needs semicolons or tabs between the columns"
        raise DataError(
            f"expected {length} fields separated by {SEPARATORS[separator]} as in the header, "
            f"found {len(fields)}; {remedy}"
        )
    return fields


def _check_units(path: str | PathLike[str], first: list[Row], columns: list[Column]) -> None:
    """Whether the first row holds no numbers but the units of the columns."""
    for line, fields in first:
        used = [(each, field) for each, field in zip(columns, fields, strict=True) if each.kind != "unused"]
        words = [field for _, field in used if field]
        if len(words) > 1 and fields[0] and not any(any(c.isdigit() for c in word) for word in words):
            names = ",".join(f"{each.header} [{field}]" if field else each.header for each, field in used)
            raise DataError(
                f"found {excerpt(', '.join(words))} where numbers belong; if these are units, remove the row and "
                f"write them behind the names: {names}",
                path,
                line,
            )


def _decimal_comma(rows: list[Row], columns: list[Column]) -> int | None:
    """The first line that has a number with a decimal comma."""
    for line, fields in rows:
        for column, field in zip(columns, fields, strict=True):
            if not column.is_text and "," in field and real(field.replace(",", ".", 1)) is not None:
                return line
    return None


def _numbers(fields: list[str], columns: list[Column], comma: int | None) -> list[float]:
    """The numbers of a row, NaN for what is missing."""
    numbers = [_number(field, column, comma) for field, column in zip(fields, columns, strict=True)]
    if math.isnan(numbers[0]):
        raise DataError(f"the time is missing in column {excerpt(columns[0].header)}; write it or remove the row")
    return numbers


def _check_times(path: str | PathLike[str], rows: list[Row], times: Array, t0: float) -> None:
    for (line, fields), t in zip(rows, times, strict=True):
        if t < t0:
            raise DataError(
                f"time {excerpt(fields[0])} is before the initial time {t0:g} of the model; "
                "remove the row or begin the model earlier with `@ t0=`",
                path,
                line,
            )


def _number(field: str, column: Column, comma: int | None) -> float:
    if column.is_text or field.lower() in MISSING:
        return math.nan
    number = real(field if comma is None else field.replace(",", "."))
    if column.kind == "time" and INFINITE.fullmatch(field) and field[0] != "-":
        return math.inf
    if comma is not None and "." in field.rpartition(",")[2]:
        problem = f"has a decimal point, but line {comma} has a decimal comma; use one of them throughout"
    elif number is None and not INFINITE.fullmatch(field):
        problem = f"is not a number; {_remedy(field, column)}"
    elif number is None or math.isinf(number):
        problem = f"is infinite; correct it, or leave it blank {BLANK.get(column.kind, UNSEEN)}"
    elif column.kind == "sd" and (number <= 0 or math.isinf(1 / number)):
        problem = "is too small; a standard deviation is greater than 0"
    elif column.kind == "weight" and number < 0:
        problem = "is negative; a weight is 0 or more"
    else:
        return number
    raise DataError(f"{excerpt(field)} in column {excerpt(column.header)} {problem}")


def _remedy(field: str, column: Column) -> str:
    """What to do about a field that is no number."""
    if THOUSANDS.fullmatch(field):
        plain = re.sub(r"[.,](?=.*[.,])", "", field).replace(",", ".")
        return f"write it without marks between the thousands: {plain}"
    if "," in field and real(field.replace(",", ".", 1)) is not None:
        return "write a decimal point, or separate the columns by semicolons or tabs if this is a decimal comma"
    if column.kind == "time":
        return "write times as numbers, such as days since the beginning"
    if CENSORED.fullmatch(field):
        return (
            "values beyond a limit of measurement cannot be fitted yet. Leaving it blank leaves out what is known "
            "about it, which biases the fit"
        )
    return f"leave it blank {BLANK.get(column.kind, UNSEEN)}"


def check_weighted(numbers: list[float], columns: list[Column], pairs: list[tuple[int, int]]) -> None:
    """Every value has its standard deviation or weight if there is a column for them."""
    for weighting, value in pairs:
        if math.isnan(numbers[weighting]) and not math.isnan(numbers[value]):
            header, name = columns[weighting].header, columns[value].name
            raise DataError(f"column {excerpt(header)} is blank beside a value of {name}; write a number")


def observations_of(table: Array, columns: list[Column], source: str) -> Observations:
    """Observations of a table with one column per `Column`, (n_rows, n_columns)."""
    places = {(column.name, column.kind): place for place, column in enumerate(columns)}
    names = [column.name for column in columns if column.kind == "value"]

    def collect(kind: str) -> Array:
        collected = np.full((len(table), len(names)), np.nan)
        for j, name in enumerate(names):
            if (name, kind) in places:
                collected[:, j] = table[:, places[name, kind]]
        return collected

    values, weights, sds = collect("value"), collect("weight"), collect("sd")
    if np.isnan(values).all():
        raise DataError("has no observation at all: there are no rows, or every value is missing")
    weights = np.where(np.isnan(weights), weights_from(sds), weights)
    labels = {column.name or "t": column.label for column in columns if column.kind in ("time", "value")}
    if columns[0].header.casefold() not in TIME:
        labels["t"] = labels["t"] or columns[0].header
    labels = {name: label for name, label in labels.items() if label}
    return make_observations(table[:, 0], names, values, weights, sds, source, labels=labels)
