"""How the errors of the observations are distributed, where that is not known beforehand.

A noise model turns residuals w (y - v) and their Jacobian into others whose sum of squares T says the same as the
likelihood: -2 log L = E + n (1 + log 2 pi), with all unknown standard deviations solved for (concentrated out) and the
log determinant where the errors follow the solution, and T increasing with E. The Jacobian is exact, so that whatever
minimizes a sum of squares maximizes the likelihood; with one group of additive errors T is F itself. Constants of the
weights are left out, for models are compared at the same weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations, sizes_of
from parfit.errors import CommandError
from parfit.estimation.deviance import Scale
from parfit.estimation.problem import Evaluation
from parfit.model.naming import base_of
from parfit.simulation.status import Reason, Status

CONSTANT = 1.0 + math.log(2.0 * math.pi)  # of an observation, in -2 log L
Column = Callable[[str], tuple[Array, Array | None]]  # a quantity at the observations, and its derivatives


class Form(Enum):
    """What the standard deviation of an observation is."""

    ADDITIVE = "unknown, the same for all"
    RELATIVE = "an unknown part of the computed value"
    LOGNORMAL = "unknown, of the logarithm"
    PROPORTIONAL = "an unknown multiple of"
    GIVEN = "standard deviation"


@dataclass(frozen=True)
class VariableNoise:
    """The errors of one variable; those that share a `group` have one standard deviation."""

    form: Form
    group: str = ""
    quantity: str = ""  # of the model: the standard deviation, or what that is a multiple of


class NotEstimated(Status):
    """The residuals of a group are 0, or what is computed has no logarithm or no size."""

    def __str__(self) -> str:
        return f"the errors of {self.state} cannot be estimated here: what is computed is 0, negative or exact"


class Group(NamedTuple):
    """Rows whose errors have one standard deviation."""

    name: str
    form: Form
    rows: NDArray[np.intp]

    @property
    def is_estimated(self) -> bool:
        return self.form is not Form.GIVEN


ESTIMATED = {form.name: form for form in (Form.ADDITIVE, Form.RELATIVE, Form.LOGNORMAL)}  # by their words alone


def read_noise(text: str) -> VariableNoise:
    """The noise model that a word stands for, with the name of its standard deviation if one follows."""
    word, *rest = text.split() or [""]
    if word.upper() not in ESTIMATED:
        raise CommandError(f"{text!r} is no noise model; there are {', '.join(ESTIMATED)}")
    if len(rest) > 1 or (rest and not rest[0].isidentifier()):
        raise CommandError(
            f"{' '.join(rest)!r} is more than the command can use; a name of a standard deviation may follow"
        )
    return VariableNoise(ESTIMATED[word.upper()], rest[0] if rest else "")


@dataclass(frozen=True)
class Noise:
    """Noise models by variable; where there is none at all, it is plain least squares."""

    models: Mapping[str, VariableNoise] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.models)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Noise) and dict(self.models) == dict(other.models)

    def __hash__(self) -> int:
        return hash(frozenset(self.models.items()))

    def with_model(self, variable: str, model: VariableNoise | None) -> Noise:
        """Another model of one variable; None takes it away."""
        kept = {name: each for name, each in self.models.items() if name != variable}
        return Noise(kept if model is None else {**kept, variable: model})


class NoiseRows:
    """A noise model applied to the residuals of certain observations."""

    def __init__(self, noise: Noise, observations: Observations):
        seen = observations.observed
        columns = np.nonzero(seen)[1]
        self._values, self._weights = observations.values[seen], observations.weights[seen]
        self._names = [observations.names[j] for j in columns]
        self._noise, self._known, self._sizes = noise, _with_known_errors(observations), sizes_of(observations)
        self._counting = self._weights > 0.0
        self.n = int(np.count_nonzero(self._counting))

    @cached_property
    def groups(self) -> list[Group]:
        """Those whose standard deviation is estimated, and those where it is known."""
        found: dict[tuple[str, Form], list[int]] = {}
        for row in np.flatnonzero(self._counting).tolist():
            model = self._noise.models.get(self._names[row])
            other = "the others", Form.GIVEN if self._names[row] in self._known else Form.ADDITIVE
            key = other if model is None else (model.group or self._names[row], model.form)
            found.setdefault(key, []).append(row)
        return [Group(name, form, np.array(rows, dtype=np.intp)) for (name, form), rows in found.items()]

    def sums(self, f: Array, column: Column) -> list[float]:
        """The sums of squares of the groups."""
        r = self._scaled(f, None, column)[0]
        return [float(r[group.rows] @ r[group.rows]) for group in self.groups]

    @np.errstate(all="ignore")  # what cannot be had is not finite, and told
    def total(self, f: Array, column: Column) -> float:
        """T from residuals alone."""
        r, _, determinant, _ = self._scaled(f, None, column)
        total = self._total([float(r[g.rows] @ r[g.rows]) for g in self.groups], determinant)
        return total if math.isfinite(total) else math.inf

    @np.errstate(all="ignore")
    def residuals(self, f: Array, column: Column) -> Array:
        """Residuals whose sum of squares is T."""
        r, _, determinant, _ = self._scaled(f, None, column)
        return self._factors(r, determinant) * r

    @np.errstate(all="ignore")
    def weights(self, f: Array, column: Column) -> Array:
        """What each observation weighs where the residuals are f: its weight over the size of its error."""
        r, _, determinant, _ = self._scaled(f, None, column)
        shapes = np.ones(f.size)
        for row, name in enumerate(self._names):
            model = self._noise.models.get(name)
            if model is None or model.form is Form.ADDITIVE or not self._counting[row]:
                continue
            at = f[row] / self._weights[row] + self._values[row]
            shapes[row] = column(model.quantity)[0][row] if model.quantity else abs(at)
        found = self._factors(r, determinant) * self._weights / shapes
        return np.where(np.isfinite(found), found, self._weights)

    def _factors(self, r: Array, determinant: float) -> Array:
        """By what the residuals of each group are multiplied, (n_residuals,)."""
        sums = [float(r[group.rows] @ r[group.rows]) for group in self.groups]
        total, base = self._total(sums, determinant), self._base(sums)
        factors = np.zeros(r.size)
        for group, each in zip(self.groups, sums, strict=True):
            factors[group.rows] = np.sqrt(np.divide(total * _weight(group, each), base))
        return factors

    def _base(self, sums: list[float]) -> float:
        """The sum of squares with all standard deviations as they are known or estimated."""
        return sum(g.rows.size if g.is_estimated else each for g, each in zip(self.groups, sums, strict=True))

    @np.errstate(all="ignore")
    def applied(self, found: Evaluation, column: Column) -> Evaluation:
        """The evaluation whose sum of squares is T."""
        r, jac, determinant, slope = self._scaled(found.residuals, found.jac, column)
        assert jac is not None
        sums = [float(r[group.rows] @ r[group.rows]) for group in self.groups]
        total = self._total(sums, determinant)
        base = self._base(sums)
        if not math.isfinite(total) or not total > 0.0 or not base > 0.0:
            return replace(found, status=NotEstimated(Reason.NOT_FINITE, 0.0, self._at_fault(sums, r)))
        pulls = [2.0 * (r[group.rows] @ jac[group.rows]) for group in self.groups]  # gradients of the sums
        whole, known = slope.copy(), np.zeros_like(slope)  # gradients of E and of the chi-square in it
        for group, each, pull in zip(self.groups, sums, pulls, strict=True):
            whole += group.rows.size * pull / each if group.is_estimated else pull
            known += 0.0 if group.is_estimated else pull
        # Factors by which each group weighs as its standard deviation has it make J'J that of the likelihood.
        common = self.scale.slope(total) * whole - known / base
        f, out = np.zeros_like(r), np.zeros_like(jac)
        for group, each, pull in zip(self.groups, sums, pulls, strict=True):
            factor = math.sqrt(total * _weight(group, each) / base)
            f[group.rows] = factor * r[group.rows]
            bend = 0.5 * (common - pull / each if group.is_estimated else common)  # of the logarithm of the factor
            out[group.rows] = factor * (jac[group.rows] + np.outer(r[group.rows], bend))
        return replace(found, residuals=f, jac=out)

    @cached_property
    def scale(self) -> Scale:
        """T by E: a line from where known errors are met and the others are as large as the spread of their data."""
        if all(group.is_estimated for group in self.groups):
            return Scale(self.n)
        knee = 0.0
        for group in self.groups:
            for row in group.rows.tolist():
                if group.is_estimated:
                    knee += 2.0 * math.log(self._weights[row])
                if group.is_estimated or self._names[row] in self._noise.models:
                    knee += 2.0 * math.log(self._sizes[base_of(self._names[row])] or 1.0)
        return Scale(self.n, knee / self.n)

    def _total(self, sums: list[float], determinant: float) -> float:
        exponent = determinant
        for group, each in zip(self.groups, sums, strict=True):
            n = group.rows.size
            exponent += n * (math.log(each / n) if each > 0.0 else math.nan) if group.is_estimated else each - n
        return self.scale.total(exponent)

    def _scaled(self, f: Array, jac: Array | None, column: Column) -> tuple[Array, Array | None, float, Array]:
        """Residuals over the shapes of their errors, their Jacobian, twice the log determinant and its gradient."""
        r, out = f.copy(), None if jac is None else jac.copy()
        determinant, slope = 0.0, np.zeros(0 if jac is None else jac.shape[1])
        for name, model in self._noise.models.items():
            rows = [k for k, each in enumerate(self._names) if each == name and self._counting[k]]
            if not rows:
                continue
            w, v = self._weights[rows], self._values[rows]
            y = f[rows] / w + v
            dy = None if jac is None else jac[rows] / w[:, np.newaxis]
            part = _shaped(model, y, v, dy, column, rows)
            r[rows] = w * part[0]
            determinant += part[2]
            if out is not None and part[1] is not None and part[3] is not None:
                out[rows] = w[:, np.newaxis] * part[1]
                slope += part[3]
        return r, out, determinant, slope

    def _at_fault(self, sums: list[float], r: Array) -> str:
        for group, each in zip(self.groups, sums, strict=True):
            if not math.isfinite(each) or each <= 0.0:
                return group.name
        return self.groups[0].name if self.groups else ""


def _weight(group: Group, total: float) -> float:
    """One over the variance of a group with such a sum of squares."""
    return group.rows.size / total if group.is_estimated else 1.0


def _with_known_errors(observations: Observations) -> frozenset[str]:
    """The variables whose standard deviations are known, their reciprocals being the weights."""
    from parfit.estimation.diagnosis.residual_tests import has_known_errors  # which imports what is below it

    return frozenset(name for name in observations.names if has_known_errors(observations, name))


Shaped = tuple[Array, Array | None, float, Array | None]


def _shaped(model: VariableNoise, y: Array, v: Array, dy: Array | None, column: Column, rows: list[int]) -> Shaped:
    """(y - v) over the shape of its error, its derivatives, and twice the log determinant with its gradient."""
    if model.form is Form.RELATIVE:
        size = np.abs(y)
        slope = None if dy is None else dy * (v / (y * size))[:, np.newaxis]
        return (y - v) / size, slope, 2.0 * float(np.log(size).sum()), None if dy is None else 2.0 * (1.0 / y) @ dy
    if model.form is Form.LOGNORMAL:
        slope = None if dy is None else dy / y[:, np.newaxis]
        constant = 2.0 * float(np.log(v).sum())
        return np.log(y) - np.log(v), slope, constant, None if dy is None else np.zeros(dy.shape[1])
    if model.quantity:
        sd, by = (None if each is None else each[rows] for each in column(model.quantity))
        assert sd is not None
        sd = np.where(sd > 0.0, sd, np.nan)
        if dy is None or by is None:
            return (y - v) / sd, None, 2.0 * float(np.log(sd).sum()), None
        slope = dy / sd[:, np.newaxis] - ((y - v) / sd**2)[:, np.newaxis] * by
        return (y - v) / sd, slope, 2.0 * float(np.log(sd).sum()), 2.0 * (1.0 / sd) @ by
    return y - v, dy, 0.0, None if dy is None else np.zeros(dy.shape[1])


# ---- what was estimated


@dataclass(frozen=True)
class Estimate:
    """The standard deviation of one group: by maximum likelihood, and corrected for the parameters."""

    group: str
    form: Form
    n: int
    sd: float
    corrected: float
    low: float
    high: float


@dataclass(frozen=True)
class Likelihood:
    """What the data say of a fit with unknown errors."""

    estimates: tuple[Estimate, ...]
    log_likelihood: float
    n: int
    k: int  # parameters, those of the errors among them

    @property
    def deviance(self) -> float:
        """-2 log L without n (1 + log 2 pi), which is the same for all models of the same data."""
        return -2.0 * self.log_likelihood - self.n * CONSTANT


def likelihood(rows: NoiseRows, sums: list[float], total: float, n_parameters: int, level: float = 95.0) -> Likelihood:
    """From the sums of squares of the groups and T; `n_parameters` are those that the data determine."""
    n, found = rows.n, []
    for group, each in zip(rows.groups, sums, strict=True):
        if group.form is Form.GIVEN:
            continue
        size = group.rows.size
        sd, left = math.sqrt(each / size), n - n_parameters
        corrected = sd * math.sqrt(n / left) if left > 0 else math.nan
        low, high = sd_limits(size, level)
        found.append(Estimate(group.name, group.form, size, sd, corrected, sd * math.exp(low), sd * math.exp(high)))
    log_likelihood = -0.5 * (rows.scale.deviance(total) + n * CONSTANT)
    return Likelihood(tuple(found), log_likelihood, n, n_parameters + len(found))


def sd_limits(n: int, level: float) -> tuple[float, float]:
    """Logarithms of limits of a standard deviation by its estimate from n residuals: where the likelihood has fallen.

    Twice the fall is 2 n [x + (exp(-2x) - 1)/2] at x = log(sd/estimate), which is to be chi-square.
    """
    from scipy.optimize import brentq  # late, because both take long to import
    from scipy.stats import chi2

    half = 0.5 * float(chi2.ppf(level / 100.0, 1))

    def fall(x: float) -> float:
        return n * (x + 0.5 * math.expm1(-2.0 * x)) - half

    least = -1.0
    while fall(least) < 0.0:
        least *= 2.0
    return float(brentq(fall, least, 0.0, xtol=1e-13)), float(brentq(fall, 0.0, half / n + 1.0, xtol=1e-13))
