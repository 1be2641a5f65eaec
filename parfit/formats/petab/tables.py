"""Tables of PEtab: columns by name, rows with their lines, cells as numbers, truths, names or formulas."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from os import PathLike

from parfit.dataclass import dataclass
from parfit.errors import DataError, ModelError
from parfit.formats.petab.mathematics import parse
from parfit.model.language.expression import Expression
from parfit.model.textfile import Read, excerpt, read_lines, real

NUMBERS = {"inf": math.inf, "-inf": -math.inf, "+inf": math.inf, "nan": math.nan}
TRUTH = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}


@dataclass(frozen=True)
class Row:
    """One row, which knows where it stands."""

    path: str
    line: int
    cells: dict[str, str]

    def wrong(self, what: str) -> DataError:
        return DataError(what, self.path, self.line)

    def get(self, column: str) -> str:
        """A cell without the blanks around it; nothing where there is none."""
        return self.cells.get(column, "")

    def required(self, column: str) -> str:
        found = self.get(column)
        if not found:
            raise self.wrong(f"{column} is missing")
        return found

    def number(self, column: str, default: float | None = None) -> float:
        text = self.get(column)
        if not text and default is not None:
            return default
        value = NUMBERS.get(text.lower(), real(text))
        if value is None:
            raise self.wrong(f"{column} is {excerpt(text)}; expected a number")
        return value

    def truth(self, column: str) -> bool:
        text = self.get(column).lower()
        if text not in TRUTH:
            raise self.wrong(f"{column} is {excerpt(text)}; expected 1 or 0, or true or false")
        return TRUTH[text]

    def formula(self, text: str, column: str) -> Expression:
        try:
            return parse(text)
        except ModelError as error:
            raise self.wrong(f"{column}: {error.message}") from None

    def listed(self, column: str) -> list[str]:
        """What is separated by semicolons."""
        return [each.strip() for each in self.get(column).split(";") if each.strip()]


def read_table(path: str | PathLike[str], read: Read, *needed: str) -> list[Row]:
    """The rows of a table that has certain columns."""
    lines = read_lines(path, read)
    reader = csv.reader(lines, delimiter="\t")
    try:
        header = [each.strip() for each in next(reader, [])]
        missing = [each for each in needed if each not in header]
        if missing:
            raise DataError(f"has no column {missing[0]}; it has {', '.join(header) or 'none'}", path, 1)
        rows = []
        for cells in reader:
            if not any(each.strip() for each in cells):
                continue
            if len(cells) > len(header):
                raise DataError(f"has {len(cells)} cells for {len(header)} columns", path, reader.line_num)
            pairs = zip(header, (each.strip() for each in cells), strict=False)
            rows.append(Row(str(path), reader.line_num, dict.fromkeys(header, "") | dict(pairs)))
    except csv.Error as error:
        raise DataError(f"is not a table with tabs: {error}", path, reader.line_num) from None
    return rows


def read_tables(paths: Iterable[str], read: Read, *needed: str) -> list[Row]:
    """The rows of several tables of a kind."""
    return [row for path in paths for row in read_table(path, read, *needed)]


def unique(rows: Iterable[Row], column: str) -> dict[str, Row]:
    """Rows by what is in a column, which must not repeat."""
    found: dict[str, Row] = {}
    for row in rows:
        name = row.required(column)
        if name in found:
            raise row.wrong(f"{column} {name} is given twice, first in line {found[name].line}")
        found[name] = row
    return found
