"""Tables: driving functions of time read from files beside the model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from parfit.errors import DataError, ModelError, ParfitError
from parfit.model.curves import MULTIPLICITY, Curve, interpolating, least_squares, linear
from parfit.model.language.expression import Expression, Number
from parfit.model.language.syntax import NAME, parse, short
from parfit.model.textfile import Read, file_bytes, read_lines, real

Points = tuple[list[float], list[float]]

MOST_POINTS = 100_000  # of a table that is computed
_COMPUTED = re.compile(rf"({NAME})\s+%\s*(\S+)\s+(\S+)\s+(\S+)\s+(.+)")
_WORDS = re.compile(r'"([^"]*)"|(\S+)')


def read_table_statement(rest: str, code: str) -> tuple[str, Expression, tuple[str, ...]]:
    """What stands behind `table`: the name, the expression of one that is computed, and the words that follow."""
    name, *words = (quoted or plain for quoted, plain in _WORDS.findall(rest)) if rest.strip() else ("",)
    if not re.fullmatch(NAME, name) or not words:
        raise ModelError(f"`{short(code)}`: expected table name file")
    if words[0][0] == "%":
        return _computed(rest, code)
    if words[0][0] == "@":
        raise ModelError(
            f"`{short(code)}`: `table @` (tables of two variables) is not supported; "
            "expected ordinary differential equations only"
        )
    return name, Number(0.0), tuple(words)


def _computed(rest: str, code: str) -> tuple[str, Expression, tuple[str, ...]]:
    """`table name % points first last expression`: values of an expression at equal distances."""
    match = _COMPUTED.match(rest)
    if match is None:
        raise ModelError(f"`{short(code)}`: expected table name % points first last expression")
    points, first, last = (real(match[k]) for k in (2, 3, 4))
    if points is None or first is None or last is None or points != int(points):
        raise ModelError(f"`{short(code)}`: expected a whole number of points, and the first and the last time")
    if not (2 <= points <= MOST_POINTS and first < last):
        raise ModelError(f"`{short(code)}`: expected 2 to {MOST_POINTS} points, and a first time before the last")
    return match[1], parse(match[5]), ("%", match[2], match[3], match[4])


def read_table(words: Sequence[str], folder: Path, read: Read = file_bytes) -> Curve:
    """The curve that `file [linear | [smooth] spline|hermite [joints]]` asks for."""
    name, *options = words
    kind, joints, smooth = _options(options)
    t, y = _read_points(name, folder, read)
    try:
        if joints or smooth:
            return least_squares(t, y, joints, kind)
        return linear(t, y) if kind == "linear" else interpolating(t, y, kind)
    except ParfitError as error:
        raise ModelError(f"table file `{name}`: {error}") from None


def known_table(words: tuple[str, ...], known: Mapping[tuple[str, ...], Curve]) -> Curve:
    """A curve that was read with the model itself."""
    if words not in known:
        raise ModelError(
            f"table file `{words[0]}`: expected one that the model names; write the statement into its text"
        )
    return known[words]


def _options(options: Sequence[str]) -> tuple[str, list[float], bool]:
    """Kind, joints, and whether to smooth."""
    words = [word.lower() for option in options for word in option.split(",") if word]
    smooth = words[:1] == ["smooth"]
    kind, *rest = words[smooth:] or ["spline" if smooth else "linear"]
    if kind not in ("linear", *MULTIPLICITY) or (smooth and kind == "linear"):
        raise ModelError(f"`{short(' '.join(options))}`: expected linear, [smooth] spline or [smooth] hermite")
    joints = [real(word) for word in rest]
    if None in joints or (joints and kind == "linear"):
        wrong = rest[joints.index(None)] if None in joints else rest[0]
        raise ModelError(f"`{short(wrong)}`: expected joints, which are numbers, behind spline or hermite only")
    return kind, [joint for joint in joints if joint is not None], smooth


def _read_points(name: str, folder: Path, read: Read) -> Points:
    path = folder / name
    try:
        lines = read_lines(path, read)
    except (OSError, ValueError) as error:
        raise ModelError(f"table file `{short(name)}` cannot be read: {error}") from None
    except DataError as error:
        reason = error.message.partition(";")[0]
        raise ModelError(f"table file `{name}`: {reason} (looked in {folder})") from None
    rows = _rows(name, lines)
    if path.suffix.lower() == ".tab" or all(len(row) == 1 for row in rows):
        return _counted(name, [value for row in rows for value in row])
    return [row[0] for row in rows], [row[1] for row in rows]


def _rows(name: str, lines: list[str]) -> list[list[float]]:
    """The numbers of each line; a first line that holds none is a header."""
    rows: list[list[float]] = []
    width = 0
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        values = [real(field) for field in _fields(text)]
        numbers = [value for value in values if value is not None]
        header = not rows and not width and not numbers
        width = width or len(values)
        if header:
            continue
        if len(numbers) < len(values) or len(values) != width or width > 2:
            # The line is not shown: a model of somebody else may name any file as its table.
            raise ModelError(f"table file `{name}`, line {number}: expected two numbers, time and value")
        rows.append(numbers)
    if not rows:
        raise ModelError(f"table file `{name}` has no numbers; expected two columns, time and value")
    return rows


def _fields(text: str) -> list[str]:
    """Fields between commas, semicolons (then a comma may be the decimal point), tabs or blanks."""
    if ";" in text:
        return [field.strip().replace(",", ".") for field in text.split(";")]
    separator = r"," if "," in text else r"\s+"
    return [field.strip(" \t\"'") for field in re.split(separator, text)]


def _counted(name: str, numbers: list[float]) -> Points:
    """XPPAUT's own format: the number of points, first and last time, then the values at equal distances."""
    if len(numbers) < 3 or numbers[0] != len(numbers) - 3:
        raise ModelError(
            f"table file `{name}`: expected two columns, time and value, "
            "or the number of points, first time, last time and as many values"
        )
    count, first, last = int(numbers[0]), numbers[1], numbers[2]
    step = (last - first) / (count - 1) if count > 1 else 0.0
    return [first + step * i for i in range(count)], numbers[3:]
