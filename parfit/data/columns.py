"""Observations as columns of numbers, by name: a mapping of arrays, or a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from parfit.arguments import WRONG
from parfit.arrays import Array
from parfit.data.csvfile import BLANK, check_weighted, experiments_of, observations_of
from parfit.data.csvheader import Column, read_header, value_places
from parfit.data.grouping import Grouping
from parfit.data.observations import Observations
from parfit.data.stacking import together
from parfit.errors import DataError
from parfit.model.model import Model


def columns_of(data: object) -> dict[str, Any] | None:
    """The columns of a mapping or of anything that is like a data frame, by name; None for what is neither."""
    if isinstance(data, Mapping):
        return {str(name): column for name, column in data.items()}
    names = getattr(data, "columns", None)
    if names is None or not hasattr(data, "__getitem__"):
        return None
    return {str(name): data[name] for name in names}


def observations_from(columns: Mapping[str, Any], model: Model) -> Observations:
    """The observations of a model in columns that are named like those of a CSV file.

    NaN and None are what was not observed.
    """
    model = model.template or model
    found = read_header(list(columns), model)
    used = [(column, columns[column.header]) for column in found if column.kind != "unused"]
    used.sort(key=lambda each: each[0].kind != "time")
    arrays = [_texts(numbers) if column.is_text else _numbers(column, numbers) for column, numbers in used]
    if len({array.size for array in arrays}) > 1:
        sizes = ", ".join(f"{column.header} {array.size}" for (column, _), array in zip(used, arrays, strict=True))
        raise DataError(f"the columns are not equally long: {sizes}")
    kinds = [column for column, _ in used]
    table = np.column_stack([np.full(a.size, np.nan) if c.is_text else a for c, a in zip(kinds, arrays, strict=True)])
    if np.isnan(table[:, 0]).any():
        raise DataError(f"a time is missing in column {kinds[0].header}; give it or leave the row out")
    pairs = value_places(kinds)
    for row in table.tolist():
        check_weighted(row, kinds, pairs)
    grouping = Grouping(kinds, model)
    if not grouping.is_needed:
        return observations_of(table, kinds, "")
    rows = [(k, [str(array[k - 1]) for array in arrays]) for k in range(1, len(table) + 1)]
    return together(experiments_of(None, grouping, rows, table))


def _texts(column: Any) -> Any:
    """Names of experiments and of states; nothing where there is none."""
    return np.array(["" if each is None or each != each else str(each) for each in column], dtype=object)


def _numbers(column: Column, numbers: Any) -> Array:
    try:
        array = np.asarray(numbers, dtype=np.float64)
    except WRONG:
        raise DataError(f"column {column.header} does not consist of numbers") from None
    if array.ndim != 1:
        raise DataError(f"column {column.header} must be a list of numbers, not of shape {array.shape}")
    if column.kind in ("dose", "setting") and np.isinf(array).any():
        raise DataError(f"a number in column {column.header} is infinite; give NaN {BLANK[column.kind]}")
    return array
