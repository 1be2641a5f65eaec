"""Several experiments as the rows of one table, which reads back as it was written."""

from __future__ import annotations

import math
from collections.abc import Sequence

from parfit.data.stacking import Experiment
from parfit.model.conditions.design import Dose
from parfit.model.textfile import exact

NAME, EVENTS = "experiment", ("evid", "amt", "cmt", "dur")

Record = dict[str, str]  # cells by their headers


def tabulated(
    experiments: Sequence[Experiment], headers: Sequence[str], rows: Sequence[Sequence[Record]]
) -> list[list[str]]:
    """Header and rows: what was set, given and observed (`rows` of each experiment under `headers`, time first)."""
    time = headers[0]
    settings = list(dict.fromkeys(name for each in experiments for name in each.condition.settings))
    events = EVENTS if any(each.condition.doses for each in experiments) else ()
    named = [NAME] if any(each.name for each in experiments) else []
    found = [[*named, time, *settings, *events, *headers[1:]]]
    for each, observed in zip(experiments, rows, strict=True):
        fixed = {NAME: each.name, **{name: exact(value) for name, value in each.condition.settings.items()}}
        given = [{time: exact(t), **_event(dose)} for dose in each.condition.doses for t in dose.times]
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


def cell(number: float) -> str:
    """A number as it reads back exactly; nothing for what was not observed."""
    return "" if math.isnan(number) else repr(number)
