"""The rows of a table by experiments: what names them, what was set in them, what was given, what was observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from os import PathLike

import numpy as np

from parfit.arrays import Array
from parfit.data.csvheader import CENSORING, PASSED_OVER, Column, bare
from parfit.data.doses import NOWHERE, dose_of, is_event, is_seen, says_nothing, with_dose
from parfit.data.observations import Observations
from parfit.data.stacking import Experiment, name_of
from parfit.dataclass import dataclass
from parfit.errors import DataError
from parfit.model.conditions.design import START, Condition, Dose
from parfit.model.model import Model
from parfit.model.textfile import at_place, exact, excerpt

UNSET = "model"  # what stands in a name for a setting that is as the model has it
ABOUT = ("experiment", "setting", "dose", "covariate")  # kinds of columns that say what was done

Row = tuple[int, list[str]]  # line number and fields


@dataclass
class _Group:
    """The rows of one experiment, as far as they were read."""

    name: str
    line: int  # the first
    settings: dict[str, float] = field(default_factory=dict)
    doses: list[Dose] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)  # with observations
    latest: float = -math.inf  # time of a row
    covariates: dict[int, str] = field(default_factory=dict)  # by columns: what the model does not know

    @property
    def of(self) -> str:
        """What a message says of a row of it."""
        return f" of experiment {self.name}" if self.name else ""


class Grouping:
    """What the columns of a table say of its rows."""

    def __init__(self, columns: list[Column], model: Model):
        self.columns, self.model = columns, model
        self._name = next((k for k, column in enumerate(columns) if column.kind == "experiment"), None)
        self._settings = {k: column for k, column in enumerate(columns) if column.kind == "setting"}
        self._doses = {column.name: k for k, column in enumerate(columns) if column.kind == "dose"}
        self.values = [k for k, column in enumerate(columns) if column.kind == "value"]
        self._covariates = [k for k, column in enumerate(columns) if column.kind == "covariate"]
        self._compartments: dict[int, str] = {}  # by columns of values: of the first observation that names one
        self._blank: dict[int, bool] = {}  # whether an initial value was blank in the first row
        self._written: dict[str, str] = {}  # names of experiments as the file has them
        self._groups: dict[str, _Group] = {}
        self.silent: list[str] = []  # experiments without observations, which are left out

    @property
    def covariates(self) -> tuple[str, ...]:
        """The columns that were passed over, because the model does not know them."""
        return tuple(self.columns[k].header for k in self._covariates if not self.columns[k].is_mark)

    @property
    def is_needed(self) -> bool:
        """Whether there is more than times and observations."""
        return any(column.kind in ABOUT for column in self.columns)

    def groups(self, path: str | PathLike[str] | None, rows: Sequence[Row], table: Array) -> list[_Group]:
        """The experiments in the order in which they first occur."""
        for k, (line, fields) in enumerate(rows):
            with at_place(path, line):
                group = self._group(line, fields, table[k])
                self._set(group, table[k])
                self._check_covariates(group, fields)
                given = {word: float(table[k, place]) for word, place in self._doses.items()}
                if is_event(given):
                    self._dose(group, fields, table[k], given)
                elif is_seen(given):
                    self._check_compartment(fields, table[k])
                    self._check_censored(fields, table[k])
                    group.rows.append(k)
                group.latest = max(group.latest, float(table[k, 0]))
        found = list(self._groups.values())
        if self._name is None and len(found) == 1:
            found[0].name = ""  # which nothing in the file gives it
        return found

    def _group(self, line: int, fields: Sequence[str], numbers: Array) -> _Group:
        if self._name is not None:
            written, name = fields[self._name].strip(), name_of(fields[self._name])
            if name in ("", "."):
                column = excerpt(self.columns[self._name].header)
                raise DataError(f"the experiment is missing in column {column}; write its name in every row")
            before = self._written.setdefault(name.lower(), written)
            if before.lower() != written.lower():
                raise DataError(
                    f"experiments {excerpt(before)} and {excerpt(written)} would both be called {name}, because names "
                    "have neither blanks nor brackets; give one of them another name"
                )
        else:
            self._check_starts(numbers)
            name = "/".join(UNSET if math.isnan(numbers[k]) else exact(numbers[k]) for k in self._settings)
        return self._groups.setdefault(name.lower(), _Group(name, line))

    def _check_starts(self, numbers: Array) -> None:
        """Where nothing names the experiments, a blank initial value could be that of the model or that of above."""
        for k, column in self._settings.items():
            if column.name.endswith(START) and math.isnan(numbers[k]) != self._blank.setdefault(
                k, math.isnan(numbers[k])
            ):
                raise DataError(
                    f"column {excerpt(column.header)} is blank in some rows and not in others, so that it is not "
                    "certain what they belong to; write it in every row, or add a column `experiment`"
                )

    def _set(self, group: _Group, numbers: Array) -> None:
        for k, column in self._settings.items():
            value = float(numbers[k])
            if math.isnan(value):
                continue
            before = group.settings.setdefault(column.name, value)
            if before != value:
                raise DataError(
                    f"{column.name} is {value:g} in column {excerpt(column.header)}, but {before:g} in an earlier "
                    f"row{group.of}; a setting is the same in all rows of an experiment, and what "
                    "changes on the way is written as `set ... at ...` in the model"
                )

    def _check_covariates(self, group: _Group, fields: Sequence[str]) -> None:
        """What is the same in all rows of an experiment, such as a weight, cannot be an observation."""
        for k in self._covariates:
            if bare(self.columns[k].header) in PASSED_OVER:
                continue
            before = group.covariates.setdefault(k, fields[k])
            if before != fields[k]:
                header = excerpt(self.columns[k].header)
                raise DataError(
                    f"column {header} is {excerpt(fields[k])}, but {excerpt(before)} in an earlier row{group.of}, "
                    "and the model does not know it; name it like what was observed, or put its name "
                    "in parentheses to leave it out"
                )

    def _check_compartment(self, fields: Sequence[str], numbers: Array) -> None:
        """Observations of one column are all of the same quantity, which the model names."""
        own = fields[self._doses["cmt"]].lower() if "cmt" in self._doses else ""
        for k in () if own in NOWHERE else self.values:
            before = own if math.isnan(numbers[k]) else self._compartments.setdefault(k, own)
            if own != before:
                raise DataError(
                    f"cmt is {excerpt(own)} beside an observation in column {excerpt(self.columns[k].header)}, but "
                    f"{excerpt(before)} in an earlier row; give what was observed in each compartment a column of its "
                    "own"
                )

    def _check_censored(self, fields: Sequence[str], numbers: Array) -> None:
        """A value that is said to be beyond a limit of measurement is no observation."""
        marks = [k for k in self._covariates if bare(self.columns[k].header) in CENSORING]
        for k in marks if np.isfinite(numbers[self.values]).any() else ():
            if fields[k].lower() not in NOWHERE:
                raise DataError(
                    f"column {excerpt(self.columns[k].header)} is {excerpt(fields[k])}: values beyond a limit of "
                    "measurement cannot be fitted yet. Leaving it out, with mdv 1, leaves out what is known about it, "
                    "which biases the fit"
                )

    def _dose(self, group: _Group, fields: Sequence[str], numbers: Array, given: dict[str, float]) -> None:
        for k in () if says_nothing(given) else self.values:
            if not math.isnan(numbers[k]) and numbers[k] != 0.0:
                raise DataError(
                    f"a row with a dose has an observation in column {excerpt(self.columns[k].header)}; put it into a "
                    "row of its own (at the time of a dose it is compared with the state after it)"
                )
        compartment = fields[self._doses["cmt"]] if "cmt" in self._doses else ""
        dose = dose_of(float(numbers[0]), given, compartment, self.model)
        if dose is not None and dose.steady is not None and (group.doses or group.rows):
            raise DataError(
                "a dose at steady state (ss) begins an experiment, but rows of it stand above; give it a name of its "
                "own in column `experiment`, or write the doses before, by addl and ii"
            )
        if dose is not None:
            _check_order(group, dose)
            group.doses = with_dose(group.doses, dose)


def _check_order(group: _Group, dose: Dose) -> None:
    """Where time begins anew with a reset, rows could belong before it or behind it."""
    time = dose.times[0]
    if dose.resets and time < group.latest and any(each.times[0] >= time for each in group.doses):
        raise DataError(
            f"time goes back to {time:g} at a reset (evid 3 or 4){group.of}; let it go on, or give the rows from the "
            "reset on a name of their own in the column that names the experiments"
        )


def experiment_of(group: _Group, observations: Observations) -> Experiment:
    """An experiment, without the columns of what was not observed in it."""
    seen = np.flatnonzero(observations.observed.any(axis=0))
    rows = np.flatnonzero(observations.observed.any(axis=1))
    kept = replace(
        observations,
        times=observations.times[rows],
        names=tuple(observations.names[j] for j in seen.tolist()),
        values=observations.values[np.ix_(rows, seen)],
        weights=observations.weights[np.ix_(rows, seen)],
        sds=None if observations.sds is None else observations.sds[np.ix_(rows, seen)],
    )
    return Experiment(Condition(group.name, dict(group.settings), tuple(group.doses)), kept)
