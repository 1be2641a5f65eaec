"""Conditions and experiments of both versions as one thing: experiments of periods, at whose beginning values change.

A period at minus infinity is what comes to rest before the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from parfit.dataclass import dataclass
from parfit.formats.petab.tables import Row, unique
from parfit.formats.sbml.substitution import mapped
from parfit.model.language.expression import Expression, Name

UNCHANGED = "unchanged"  # the experiment in which nothing is
LEFT = ("", "nan")  # cells of a wide table that change nothing


@dataclass(frozen=True)
class Change:
    """What something becomes, by the values before."""

    target: str
    value: Expression
    row: Row


@dataclass(frozen=True)
class Period:
    time: float
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Course:
    """One experiment: its periods in order of time."""

    name: str
    periods: tuple[Period, ...]
    lasting: bool = True  # whether what is set before rest still holds after it

    @property
    def rest(self) -> Period | None:
        return self.periods[0] if self.periods and self.periods[0].time == -math.inf else None

    @property
    def later(self) -> tuple[Period, ...]:
        return tuple(each for each in self.periods if each.time > -math.inf)

    @property
    def begin(self) -> float:
        return self.later[0].time if self.later else 0.0


def renamed(course: Course, meant: Mapping[str, str]) -> Course:
    """An experiment with other names of what it changes and of what values are computed from."""

    def change(each: Change) -> Change:
        value = mapped(each.value, lambda name: Name(meant.get(name, name)))
        return replace(each, target=meant.get(each.target, each.target), value=value)

    periods = [replace(period, changes=tuple(map(change, period.changes))) for period in course.periods]
    return replace(course, periods=tuple(periods))


Key = tuple[str, str]  # what measurements say of their experiment


def key_of(measurement: Row) -> Key:
    """The conditions of a measurement, or its experiment."""
    if "simulationConditionId" in measurement.cells:
        return measurement.get("preequilibrationConditionId"), measurement.required("simulationConditionId")
    return "", measurement.get("experimentId")


# ---- version 1: wide conditions, and measurements that name them


def aliases(rows: Sequence[Row]) -> dict[str, str]:
    """Names of the tables that stand for others in the model."""
    return {row.required("petabEntityId"): row.get("modelEntityId") for row in rows if row.get("modelEntityId")}


def courses_of_conditions(conditions: Sequence[Row], measurements: Sequence[Row]) -> dict[Key, Course]:
    known = {name: _wide(row) for name, row in unique(conditions, "conditionId").items()}
    keys = {key_of(row): row for row in reversed(measurements)}
    simple = [key for key in keys if not key[0]]
    found = {}
    for key in dict.fromkeys(map(key_of, measurements)):
        for name in key:
            if name and name not in known:
                raise keys[key].wrong(f"there is no condition {name}")
        before, after = key
        several = sum(each[1] == after for each in keys) > 1
        name = f"{before}_{after}" if before and (several or key in simple) else after
        periods = [Period(0.0, known[after])]
        found[key] = Course(name, tuple([Period(-math.inf, known[before]), *periods] if before else periods), False)
    return found


def _wide(row: Row) -> tuple[Change, ...]:
    columns = [each for each in row.cells if each not in ("conditionId", "conditionName")]
    return tuple(
        Change(name, row.formula(row.get(name), name), row) for name in columns if row.get(name).lower() not in LEFT
    )


# ---- version 2: long conditions, experiments of several periods


def courses_of_experiments(
    conditions: Sequence[Row], experiments: Sequence[Row], measurements: Sequence[Row]
) -> dict[Key, Course]:
    changes: dict[str, list[Change]] = {}
    for row in conditions:
        value = row.formula(row.required("targetValue"), "targetValue")
        own = changes.setdefault(row.required("conditionId"), [])
        own.append(Change(row.required("targetId"), value, row))
    courses = _courses(changes, experiments)
    found = {}
    for row in measurements:
        name = row.get("experimentId")
        if name and name not in courses:
            raise row.wrong(f"there is no experiment {name}")
        found[key_of(row)] = courses[name] if name else Course(UNCHANGED, ())
    return found


def _courses(changes: Mapping[str, list[Change]], experiments: Sequence[Row]) -> dict[str, Course]:
    times: dict[str, dict[float, list[Change]]] = {}
    for row in experiments:
        name, condition = row.required("experimentId"), row.get("conditionId")
        if condition and condition not in changes:
            raise row.wrong(f"there is no condition {condition}")
        time = row.number("time")
        if math.isnan(time) or time == math.inf:
            raise row.wrong(f"a period cannot begin at time {time}; expected a number, or -inf for rest before")
        own = times.setdefault(name, {}).setdefault(time, [])
        for each in changes.get(condition, ()):
            if any(each.target == other.target for other in own):
                raise row.wrong(f"{each.target} is changed twice at the same time")
            own.append(each)
    return {
        name: Course(name, tuple(Period(time, tuple(own)) for time, own in sorted(periods.items())))
        for name, periods in times.items()
    }
