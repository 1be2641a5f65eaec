"""A problem as the files of PEtab version 2, with its equations as SBML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.data.stacking import apart
from parfit.dataclass import dataclass
from parfit.errors import CommandError, StateError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.prior import Density, Prior
from parfit.formats.identifiers import Identifiers
from parfit.formats.petab.formulas import outer, petab_formula
from parfit.formats.petab.schedule import FITTED, Experiments, Periods
from parfit.formats.sbml.output import sbml_text
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.model import Model
from parfit.model.naming import base_of, labelled
from parfit.model.textfile import exact

KINDS = ("parameters", "conditions", "experiments", "observables", "measurements")
DISTRIBUTIONS = {Form.LAPLACE: "laplace", Form.LOGNORMAL: "log-normal", Form.LOGLAPLACE: "log-laplace"}
PRIORS = {
    Density.NORMAL: "normal",
    Density.LAPLACE: "laplace",
    Density.LOGNORMAL: "log-normal",
    Density.LOGLAPLACE: "log-laplace",
    Density.UNIFORM: "uniform",
    Density.CAUCHY: "cauchy",
    Density.GAMMA: "gamma",
    Density.RAYLEIGH: "rayleigh",
}
SCALES = {Scaling.NONE: "lin", Scaling.LOGARITHM: "log", Scaling.SQUARE_ROOT: "lin"}
AROUND = 1e4  # times its value up and down: bounds of a standard deviation that was not one of the parameters
PARAMETERS = (
    *("parameterId", "lowerBound", "upperBound", "nominalValue", "estimate"),
    *("priorDistribution", "priorParameters", "parameterScale"),
)
OBSERVABLES = (
    *("observableId", "observableFormula", "noiseFormula", "noiseDistribution"),
    *("observablePlaceholders", "noisePlaceholders"),
)
Table = list[Sequence[str]]


@dataclass(frozen=True)
class Present:
    """A problem as it stands; `deviations` are the standard deviations that were estimated, by their groups."""

    model: Model
    observations: Observations | None
    parameters: ParameterMap
    noise: Noise = field(default_factory=Noise)
    deviations: Mapping[str, float] = field(default_factory=dict)


def petab_files(problem: Present, stem: str) -> dict[str, str]:
    """All files by their names; that of the problem itself is the stem with .yaml."""
    return _Output(problem, stem).files()


class _Output:
    def __init__(self, problem: Present, stem: str):
        if problem.observations is None or not problem.observations.n_observations:
            raise StateError("a PEtab problem needs observations", "LOAD DATA reads some, CREATE makes some")
        self.problem, self.stem, self.data = problem, stem, problem.observations
        self.experiments = Experiments(problem.model, problem.observations.design)
        self.model, self.ids = self.experiments.model, Identifiers()
        for name in (*self.model.parameters, *self.model.states, *(name for name, _ in self.model.quantities)):
            self.ids[name]
        self.names = Identifiers()  # of experiments
        self._fitted_ids()
        self.aux = dict(self.model.aux)
        self.known = {name for name, _ in self.model.quantities} | set(self.model.states)
        self.observables: dict[tuple[str, VariableNoise | None, bool], str] = {}
        self.deviations: dict[str, str] = {}  # names of standard deviations that are parameters there, by groups

    def _fitted_ids(self) -> None:
        """A parameter that experiments set has another name in the table than in the equations."""
        changed = self.experiments.changed
        for name in self.problem.parameters.names:
            if name in changed:
                self.ids.also(name + FITTED, f"{name}_fitted")

    def files(self) -> dict[str, str]:
        measurements, observables = self._measurements()  # first, for it finds out what is observed
        conditions, experiments = self._periods()
        tables = dict(
            zip(KINDS, (self._parameters(), conditions, experiments, observables, measurements), strict=True)
        )
        tables = {kind: rows for kind, rows in tables.items() if len(rows) > 1}
        begun = {name for name, _ in self.model.quantities if name in self.experiments.changed}
        values = dict(zip(self.problem.parameters.names, self.problem.parameters.full.tolist(), strict=True))
        written = {f"{self.stem}_model.xml": sbml_text(self.model, self.ids, values, begun, self._left())}
        written |= {f"{self.stem}_{kind}.tsv": _text(rows) for kind, rows in tables.items()}
        return {f"{self.stem}.yaml": self._listing(tables), **written}

    def _left(self) -> set[str]:
        """Aux quantities that stand in the tables."""
        used = {base for base, _, _ in self.observables} | {
            base_of(each.quantity) for each in self.problem.noise.models.values()
        }
        return {name for name in self.aux if name in used and name not in self.known}

    def _listing(self, tables: Iterable[str]) -> str:
        lines = ["format_version: 2.0.0", "model_files:", "  model:", "    language: sbml"]
        lines.append(f"    location: {self.stem}_model.xml")
        names = {"parameters": "parameter", "conditions": "condition", "experiments": "experiment"}
        names |= {"observables": "observable", "measurements": "measurement"}
        for kind, word in names.items():
            lines.append(f"{word}_files: [{f'{self.stem}_{kind}.tsv' if kind in tables else ''}]")
        return "\n".join([*lines, ""])

    # ---- parameters

    def _parameters(self) -> Table:
        map_ = self.problem.parameters
        rows: Table = [PARAMETERS]
        for k, name in enumerate(map_.names):
            bounds = _bound(map_.lower[k]), _bound(map_.upper[k])
            prior = self.problem.noise.priors.get(name)
            shown = self.ids[name + FITTED if name in self.experiments.changed else name]
            estimated = "false" if k in map_.frozen else "true"
            rows.append((shown, *bounds, exact(map_.full[k]), estimated, *_prior(prior), SCALES[map_.scaling[k]]))
        for group, name in self.deviations.items():
            value = self.problem.deviations.get(group, 1.0)
            bounds = exact(value / AROUND), exact(value * AROUND)
            rows.append((name, *bounds, exact(value), "true", "", "", "log"))
        return rows

    # ---- experiments

    def _periods(self) -> tuple[Table, Table]:
        conditions: Table = [("conditionId", "targetId", "targetValue")]
        experiments: Table = [("experimentId", "time", "conditionId")]
        for each in self.experiments.periods:
            if not self._is_plain(each):
                self._period(each, conditions, experiments)
        return conditions, experiments

    def _is_plain(self, each: Periods) -> bool:
        """Whether an experiment is the model as it stands."""
        single = len(self.experiments.periods) == 1
        return single and not (each.begin or each.later) and each.rest is None and self.model_begin == 0.0

    @property
    def model_begin(self) -> float:
        return self.problem.model.t0

    def _period(self, each: Periods, conditions: Table, experiments: Table) -> None:
        name, t0 = self._experiment(each.name), self.model_begin
        later = dict(each.later)
        begin = dict(each.begin)
        first = later.pop(t0, {})
        begin |= {name: _with(node, lambda other: begin.get(other, Name(other))) for name, node in first.items()}
        if each.rest is None:
            parts = [(t0, self._initially(begin), "begin")]
        else:
            parts = [(-math.inf, self._initially(each.rest), "rest"), (t0, self._settled(begin), "begin")]
        parts += [(time, changes, f"at_{k}") for k, (time, changes) in enumerate(sorted(later.items()), 1)]
        for time, changes, word in parts:
            condition = f"{name}_{word}" if changes else ""
            experiments.append((name, "-inf" if time == -math.inf else exact(time), condition))
            for target, node in changes.items():
                conditions.append((condition, self.ids[target], outer(petab_formula(node, self.ids))))

    def _settled(self, changes: Mapping[str, Expression]) -> dict[str, Expression]:
        """Changes in which constants that change at the same time have their new values."""

        def settled(name: str) -> Expression:
            is_new = name in changes and name not in self.model.states
            return _with(changes[name], settled) if is_new else Name(name)

        return {name: _with(node, settled) for name, node in changes.items()}

    def _initially(self, changes: Mapping[str, Expression]) -> dict[str, Expression]:
        """Values with which all begins, in parameters of the table alone, for nothing else is there yet."""
        model = self.model
        known = dict(zip(model.states, model.initial, strict=True)) | dict(model.quantities)
        fitted = set(self.problem.parameters.names)
        for name, value in zip(model.parameters, model.values.tolist(), strict=True):
            if name not in fitted or name in self.experiments.changed:
                known[name] = Number(value)

        def initial(name: str) -> Expression:
            return _with(known[name], initial) if name in known else Name(name)

        return {name: _with(node, initial) for name, node in self._settled(changes).items()}

    def _experiment(self, name: str) -> str:
        return self.names[name or "experiment"]

    # ---- observations

    def _measurements(self) -> tuple[Table, Table]:
        rows: Table = [("observableId", "experimentId", "time", "measurement", "noiseParameters")]
        alone = all(self._is_plain(each) for each in self.experiments.periods)
        for experiment in apart(self.data):
            data, name = experiment.observations, experiment.name
            several = len(self.experiments.periods) > 1
            where = "" if alone else self._experiment(name)
            for i, j in zip(*data.observed.nonzero(), strict=True):
                weight = float(data.weights[i, j])
                if not weight > 0.0:
                    continue
                full = labelled(data.names[j], name) if several else data.names[j]
                observable = self._observable(data.names[j], full, data.weights[:, j])
                given = self._given(observable, weight, None if data.sds is None else float(data.sds[i, j]))
                rows.append((observable, where, exact(data.times[i]), exact(data.values[i, j]), given))
        return rows, self._table()

    def _observable(self, base: str, full: str, weights: Array) -> str:
        noise = self.problem.noise.models.get(full)
        if noise is not None:
            group = noise.group or full if noise.is_estimated else ""
            noise = VariableNoise(noise.form, group, base_of(noise.quantity))
        weighted = noise is None or bool((weights[weights > 0.0] != 1.0).any())
        key = base, noise, weighted
        if key not in self.observables:
            wanted = base if base not in self.known else f"obs_{base}"
            self.observables[key] = self.ids.fresh(wanted)
            if noise is not None and noise.is_estimated and noise.group not in self.deviations:
                self.deviations[noise.group] = self.ids.fresh(f"sd_{noise.group}")
        return self.observables[key]

    def _given(self, observable: str, weight: float, sd: float | None) -> str:
        """What a measurement says of its error: a standard deviation, or a weight where there is a noise model."""
        noise, weighted = next((each[1], each[2]) for each, name in self.observables.items() if name == observable)
        if noise is not None:
            return exact(weight) if weighted else ""
        return exact(sd if sd is not None and 1.0 / sd == weight else 1.0 / weight)

    def _table(self) -> Table:
        rows: Table = [OBSERVABLES]
        for (base, noise, weighted), name in self.observables.items():
            place = f"noiseParameter1_{name}"
            node = self._expanded(base)
            sigma = place if noise is None else self._sigma(noise, node)
            if noise is not None and weighted:
                sigma = f"{sigma} / {place}"
            distribution = "normal" if noise is None else DISTRIBUTIONS.get(noise.form, "normal")
            formula = outer(petab_formula(node, self.ids))
            rows.append((name, formula, outer(sigma), distribution, "", place if weighted else ""))
        return rows

    def _expanded(self, name: str) -> Expression:
        """What an aux quantity is that has no place in the equations; anything else by its name."""
        return self.aux[name] if name in self.aux and name not in self.known else Name(name)

    def _sigma(self, noise: VariableNoise, node: Expression) -> str:
        sigma = petab_formula(self._expanded(noise.quantity), self.ids) if noise.quantity else ""
        if noise.is_estimated:
            own = self.deviations[noise.group]
            sigma = f"({own} * {sigma})" if sigma else own
        if noise.form is Form.RELATIVE:
            sigma = f"({sigma} * {petab_formula(Call('abs', (node,)), self.ids)})"
        return sigma


def _with(node: Expression, new: Callable[[str], Expression]) -> Expression:
    """An expression with others in the place of its names."""
    if isinstance(node, Name):
        return new(node.name)
    if isinstance(node, Call):
        return Call(node.function, tuple(_with(each, new) for each in node.arguments))
    return node


def _bound(value: float) -> str:
    return exact(value) if math.isfinite(value) else "inf" if value > 0.0 else "-inf"


def _prior(prior: Prior | None) -> tuple[str, str]:
    if prior is None:
        return "", ""
    first = math.log(prior.first) if prior.density.is_of_logarithm else prior.first
    if prior.density is Density.RAYLEIGH:
        if first:
            raise CommandError(f"the prior RAYLEIGH {first:g} {prior.second:g} does not begin at 0, as PEtab's does")
        return PRIORS[prior.density], exact(prior.second)
    return PRIORS[prior.density], f"{exact(first)};{exact(prior.second)}"


def _text(rows: Table) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)
