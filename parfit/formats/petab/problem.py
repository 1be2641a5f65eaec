"""A PEtab problem as a model with experiments: tables and SBML to `.ode` text, statements and observations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from parfit.data.observations import Observations, make_observations
from parfit.data.stacking import Experiment, name_of, together
from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.estimation.noise import Form
from parfit.formats.kinds import model_of_text
from parfit.formats.petab.changing import Changing, changed_after_rest
from parfit.formats.petab.files import Files, read_files
from parfit.formats.petab.observables import Measured, Observed
from parfit.formats.petab.parameters import Listed, read_parameters
from parfit.formats.petab.periods import (
    Course,
    Key,
    aliases,
    courses_of_conditions,
    courses_of_experiments,
    key_of,
    renamed,
)
from parfit.formats.petab.tables import Row, read_tables
from parfit.formats.sbml.components import Components, Parameter
from parfit.formats.sbml.document import components_of
from parfit.formats.sbml.text import Writing
from parfit.model.conditions.design import Condition, Said
from parfit.model.language.expression import Expression, names_in
from parfit.model.model import Model
from parfit.model.textfile import Read, file_bytes


@dataclass(frozen=True)
class Opened:
    """A problem as it was read: what an environment is made of."""

    model: Model
    observations: Observations
    parameters: Mapping[str, Listed]  # by their names here: those that are fitted, or all if none is


def read_petab(path: str | PathLike[str], read: Read = file_bytes) -> Opened:
    """Read a problem; whatever is wrong with it is told with file and line."""
    files = read_files(path, read)
    return _Reading(files, read).opened()


class _Reading:
    def __init__(self, files: Files, read: Read):
        self.files = files
        self.parameters = read_parameters(read_tables(files.parameters, read, "parameterId", "estimate"))
        needed = ("observableId", "time", "measurement", *("simulationConditionId",) * (files.version == "1"))
        self.measurements = read_tables(files.measurements, read, *needed)
        self.meant = aliases(read_tables(files.mappings, read, "petabEntityId", "modelEntityId"))
        self.courses = {key: renamed(each, self.meant) for key, each in self._courses(read).items()}
        own = {self.meant.get(name, name): each for name, each in self.parameters.items()}
        self.parameters = {name: replace(each, name=name) for name, each in own.items()}
        observables = read_tables(files.observables, read, "observableId", "observableFormula")
        fixed = {name: each.value for name, each in self.parameters.items() if not each.fitted}
        try:
            model = components_of(read(files.model), Path(files.path).stem)
        except ModelError as error:
            raise ModelError(error.message, files.model, error.line) from None
        self.observed = Observed(observables, fixed, self.meant, model.ids)
        counted = [row for row in self.measurements if not math.isnan(row.number("measurement"))]
        self.measured = [(key_of(row), self.observed.measured(row)) for row in counted]
        self._check_times()
        self.components = self._completed(model)
        self.targets = {each.target for course in self.courses.values() for p in course.periods for each in p.changes}

    def _courses(self, read: Read) -> dict[Key, Course]:
        if self.files.version == "1":
            conditions = read_tables(self.files.conditions, read, "conditionId")
            return courses_of_conditions(conditions, self.measurements)
        conditions = read_tables(self.files.conditions, read, "conditionId", "targetId", "targetValue")
        experiments = read_tables(self.files.experiments, read, "experimentId", "time", "conditionId")
        return courses_of_experiments(conditions, experiments, self.measurements)

    def _check_times(self) -> None:
        """Nothing can be measured before its experiment begins."""
        for key, each in self.measured:
            if each.time < self.courses[key].begin:
                raise each.row.wrong(
                    f"time is {each.time:g}, but the experiment begins at {self.courses[key].begin:g}"
                )

    def _completed(self, model: Components) -> Components:
        """The model with the values of the table, and with what only formulas and conditions know."""
        known = {*model.species, *model.compartments, *model.reactions}
        parameters = dict(model.parameters)
        for name, each in self.parameters.items():
            if name in known:
                raise each.row.wrong(f"{name} is in the model, but no parameter there; a condition can set it")
            parameters[name] = Parameter(name, 0, each.value)
        changes = [each for course in self.courses.values() for p in course.periods for each in p.changes]
        used = self.observed.names().union(*(names_in(each.value) for each in changes))
        self.idle = [name for name in self.parameters if name not in {*model.ids, *used, *(e.target for e in changes)}]
        for change in changes:
            if change.target not in known | parameters.keys() | used:
                raise change.row.wrong(f"{change.target} is neither in the model nor in a formula of the tables")
            if change.target not in known:
                parameters.setdefault(change.target, Parameter(change.target, 0, None))
        starts = {name: each for name, each in model.starts.items() if name not in self.parameters}
        found = replace(model, parameters=parameters, starts=starts)
        defined = {*known, *parameters, "@time"}
        for change in changes:
            _check_names(change.value, defined, change.row)
        for _, measured in self.measured:
            quantity = self.observed.quantities[measured.quantity]
            for node in (quantity.formula, quantity.deviation):
                if node is not None:
                    _check_names(node, defined, measured.row)
        return found

    def opened(self) -> Opened:
        fitted = {name for name, each in self.parameters.items() if each.fitted} or {*self.parameters}
        begins = self._begins()
        later, after_rest = changed_after_rest(list(self.courses.values()), self.components)
        rests = any(course.rest is not None for course in self.courses.values())
        writing = Writing(self.components, fitted, self.targets, min(begins), len(begins) > 1, later, rests)
        changing = Changing(writing, min(begins), after_rest)
        courses = {course.name: course for course in self.courses.values()}
        statements = [line for course in courses.values() for line in changing.statements(course)]
        free = {name: each for name, each in self.parameters.items() if name not in self.components.rules}
        own = {writing.names[name]: each for name, each in free.items() if name in fitted}
        priors = [f"prior {name} {str(each.prior).lower()}" for name, each in own.items() if each.prior is not None]
        text = writing.text(
            "PEtab", [("observables", self._quantities(writing)), ("what is known beforehand", priors)]
        )
        model = model_of_text(text, self.files.path)
        passed_over = [each.remark for each in self.parameters.values() if each.remark]
        passed_over += [
            f"{name} is in the table of parameters, but in no equation and no formula" for name in self.idle
        ]
        if own and not any(each.fitted for each in own.values()):
            passed_over.append("no parameter is to be estimated; here all of the table can be")
        model = replace(model, remarks=(*model.remarks, *writing.names.told(), *passed_over))
        return Opened(model, self._observations(list(courses.values()), statements), own)

    def _begins(self) -> set[float]:
        """When experiments begin."""
        return {course.begin for course in self.courses.values()} or {0.0}

    def _quantities(self, writing: Writing) -> list[str]:
        """Statements for what was observed, by the names that it has here, and the noise of each."""
        lines, self.names = [], []
        for each in self.observed.quantities:
            name = writing.names.fresh(each.observable)
            self.names.append(name)
            lines.append(f"aux {name}={writing.written(each.formula)}")
            if each.deviation is not None:
                sd = writing.names.fresh(f"sd_{name}")
                form = "" if each.form is Form.GIVEN else f"{each.form.name.lower()} "
                lines += [f"aux {sd}={writing.written(each.deviation)}", f"noise {name} {form}{sd}"]
        return lines

    def _observations(self, courses: Sequence[Course], statements: Sequence[str]) -> Observations:
        source = self.files.path
        experiments = []
        for course in courses:
            own = [each for key, each in self.measured if self.courses[key].name == course.name]
            experiments.append(Experiment(Condition(name_of(course.name)), _table(own, self.names, source)))
        return together(experiments, [Said(k, text, source) for k, text in enumerate(statements, 1)], source)


def _table(measured: Sequence[Measured], names: Sequence[str], source: str) -> Observations:
    """Measurements of one experiment in rows of times; what is measured again at a time has a row of its own."""
    seen: Counter[tuple[float, int]] = Counter()
    cells: dict[tuple[float, int], dict[int, Measured]] = {}
    for each in measured:
        place = each.time, each.quantity
        cells.setdefault((each.time, seen[place]), {})[each.quantity] = each
        seen[place] += 1
    rows = sorted(cells)
    used = sorted({each.quantity for each in measured})
    values, sds = (np.full((len(rows), len(used)), np.nan) for _ in range(2))
    for i, key in enumerate(rows):
        for j, quantity in enumerate(used):
            if quantity in cells[key]:
                values[i, j], sds[i, j] = cells[key][quantity].value, cells[key][quantity].sd
    times = [time for time, _ in rows]
    return make_observations(times, [names[each] for each in used], values, None, sds, source)


def _check_names(node: Expression, known: set[str], row: Row) -> None:
    unknown = sorted(names_in(node) - known)
    if unknown:
        raise row.wrong(f"{unknown[0]} is neither in the model nor a parameter of the table")
