"""Observations as the text of a CSV file, which reads back as it was written; several experiments as one table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.data.stacking import Experiment, apart
from parfit.model.conditions.design import Design, Dose
from parfit.model.textfile import exact

STATEMENT = "#:"  # begins a line that says something of the model
NAME, EVENTS, STEADY = "experiment", ("evid", "amt", "cmt", "dur"), ("ss", "ii")

Record = dict[str, str]  # cells by their headers


def tabulated(
    experiments: Sequence[Experiment], headers: Sequence[str], rows: Sequence[Sequence[Record]]
) -> list[list[str]]:
    """Header and rows: what was set, given and observed (`rows` of each experiment under `headers`, time first)."""
    time = headers[0]
    settings = list(dict.fromkeys(name for each in experiments for name in each.condition.settings))
    doses = [dose for each in experiments for dose in each.condition.doses]
    events = (*EVENTS, *(STEADY if any(dose.steady is not None for dose in doses) else ())) if doses else ()
    named = [NAME] if any(each.name for each in experiments) else []
    found = [[*named, time, *settings, *events, *headers[1:]]]
    for each, observed in zip(experiments, rows, strict=True):
        fixed = {NAME: each.name, **{name: exact(value) for name, value in each.condition.settings.items()}}
        given = [
            {time: exact(t), **_event(dose), **(_steady(dose) if t == dose.times[0] else {})}
            for dose in each.condition.doses
            for t in dose.times
        ]
        seen = [{"evid": "0", **record} for record in observed]
        records = sorted([*given, *seen], key=lambda record: float(record[time]))  # doses first, for sorting is stable
        found += [[{**fixed, **record}.get(header, "") for header in found[0]] for record in records]
    return found


def _event(dose: Dose) -> Record:
    evid = "3" if not dose.state else "4" if dose.resets else "1"
    record = {"evid": evid}
    if dose.state:
        record |= {"amt": exact(dose.amount), "cmt": dose.state}
    return record if dose.over is None else record | {"dur": exact(dose.over)}


def _steady(dose: Dose) -> Record:
    return {} if dose.steady is None else {"ss": "1", "ii": exact(dose.steady)}


def csv_text(observations: Observations) -> str:
    """Observations as the text of a CSV file.

    Beside a quantity stand its standard deviations if its weights come from them, else any weights but 1.
    """
    if observations.design is not None:
        return _text_of_experiments(observations, observations.design)
    columns = _columns(observations)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return _text([list(columns), *([cell(number) for number in row] for row in rows)])


def _columns(observations: Observations) -> dict[str, Array]:
    """What stands in the columns of a file, by their headers, the time first."""
    columns = {observations.label("t"): observations.times}
    for j, name in enumerate(observations.names):
        columns[observations.label(name)] = observations.values[:, j]
        kind, numbers = _weighting(observations, j)
        if kind:
            columns[f"{name}.{kind}"] = numbers
    return columns


def _text_of_experiments(observations: Observations, design: Design) -> str:
    experiments = apart(observations)
    columns = [_columns(each.observations) for each in experiments]
    headers = list(dict.fromkeys(header for each in columns for header in each))
    rows = [
        [
            dict(zip(each, map(cell, row), strict=True))
            for row in zip(*(c.tolist() for c in each.values()), strict=True)
        ]
        for each in columns
    ]
    head = "".join(f"{STATEMENT} {said.text}\n" for said in design.statements)
    return head + _text(tabulated(experiments, headers, rows))


def _weighting(observations: Observations, j: int) -> tuple[str, Array]:
    """The kind of column that gives the weights of quantity `j`, or none, and its numbers."""
    seen, weights = observations.observed[:, j], observations.weights[:, j]
    if observations.sds is not None:
        sds = observations.sds[:, j]
        if seen.any() and np.array_equal(weights[seen], 1 / sds[seen]):
            return "sd", sds
    return "" if (weights[seen] == 1).all() else "weight", np.where(seen, weights, np.nan)


def _text(rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def cell(number: float) -> str:
    """A number as it reads back exactly; nothing for what was not observed."""
    return "" if math.isnan(number) else repr(number)
