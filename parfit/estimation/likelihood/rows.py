"""Noise models and priors as rows of a least-squares problem whose sum of squares says the same as the likelihood.

With E = -2 log L - n (1 + log 2 pi), of which all unknown standard deviations are solved for (concentrated out), the
sum of squares T increases with E, and the Jacobian is that of the rows, so that whatever minimizes a sum of squares
finds the maximum of the likelihood; with one group of additive errors T is F itself. A prior adds the square of its
distance to E and is a row. Where errors follow the solution or parameters, rows of 0 with the slopes of log sd make
J'J the expected information: half of it is missing in the slopes of residuals. Where errors are known, chi-square may
be far from n: a row of its own (the slack) takes what T has beyond it, so that residuals that are small next to their
errors do not weigh the more, and rows of 0 again bring J'J to what it should be. The weights, by whose size standard
deviations are smaller, are left out of E: they are the same for all models of the same data.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations, sizes_of
from parfit.estimation.likelihood.deviance import Scale
from parfit.estimation.likelihood.groups import OTHERS, Group, NotEstimated, Scaled, fault_of, with_known_errors
from parfit.estimation.likelihood.shapes import Column, Shaped, shaped
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.prior import ROUNDED
from parfit.estimation.problem import Evaluation
from parfit.model.naming import base_of
from parfit.simulation.status import Reason
from parfit.spectrum import condensed


class NoiseRows:
    """Noise models and priors applied to the residuals of certain observations."""

    def __init__(self, noise: Noise, observations: Observations, rounded: float = ROUNDED):
        seen = observations.observed
        places, columns = np.nonzero(seen)
        self._values, self._weights = observations.values[seen], observations.weights[seen]
        self._times = observations.times[places]
        self._names = [observations.names[j] for j in columns]
        self._noise, self._known, self._sizes = noise, with_known_errors(observations), sizes_of(observations)
        self._counting = self._weights > 0.0
        self._priors, self._rounded = noise.felt, rounded
        self.n = int(np.count_nonzero(self._counting))
        self.log_weights = float(np.log(self._weights[self._counting]).sum())  # in log L

    @cached_property
    def groups(self) -> list[Group]:
        """Those whose standard deviation is estimated, and those where it is known."""
        found: dict[tuple[str, Form, bool], list[int]] = {}
        for row in np.flatnonzero(self._counting).tolist():
            found.setdefault(self._key(self._names[row]), []).append(row)
        return [Group(name, form, np.array(rows, dtype=np.intp), est) for (name, form, est), rows in found.items()]

    def variables(self, group: Group) -> tuple[str, ...]:
        """What was observed of a group."""
        return tuple(dict.fromkeys(self._names[row] for row in group.rows.tolist()))

    def _key(self, name: str) -> tuple[str, Form, bool]:
        model = self._noise.models.get(name)
        if model is None:
            return (OTHERS, Form.GIVEN, False) if name in self._known else (OTHERS, Form.ADDITIVE, True)
        return model.group or name, model.form, model.is_estimated

    @cached_property
    def _modelled(self) -> list[tuple[VariableNoise, NDArray[np.intp], float]]:
        """Noise models, the rows they are of, and where the tips of their densities are rounded."""
        found = []
        for name, model in self._noise.models.items():
            own = np.array([each == name for each in self._names], dtype=bool) & self._counting
            rows = np.flatnonzero(own)
            if rows.size:
                has_unit = model.form is Form.LAPLACE and model.is_estimated
                unit = self._weights[rows].max() * (self._sizes[base_of(name)] or 1.0) if has_unit else 1.0
                found.append((model, rows, self._rounded * float(unit)))
        return found

    # ---- what residuals alone say

    def sums(self, f: Array, column: Column) -> list[float]:
        """The sums of squares of the groups."""
        return self._sums(self._scaled(f, None, column).r)

    def scaled_residuals(self, f: Array, column: Column) -> Array:
        """Residuals over the sizes of their errors; of Laplace errors roots of them."""
        return self._scaled(f, None, column).r

    def _sums(self, r: Array) -> list[float]:
        return [float(r[group.rows] @ r[group.rows]) for group in self.groups]

    @np.errstate(all="ignore")  # what cannot be had is not finite, and told
    def total(self, f: Array, column: Column) -> float:
        """T from residuals alone."""
        found = self._scaled(f, None, column)
        total = self._total(self._sums(found.r), found)
        return total if math.isfinite(total) else math.inf

    @np.errstate(all="ignore")
    def residuals(self, f: Array, column: Column) -> Array:
        """Residuals whose sum of squares is T."""
        found = self._scaled(f, None, column)
        factors, known = self._factors(found)
        slack = [known * math.sqrt(self._slack)] if self._slack else []
        return np.concatenate((factors * found.r, known * found.prior, slack))

    @np.errstate(all="ignore")
    def weights(self, f: Array, column: Column) -> Array:
        """What each observation weighs where the residuals are f: its weight over the size of its error."""
        found = self._scaled(f, None, column)
        sizes = np.ones(f.size)
        for model, rows, rounded in self._modelled:
            y = f[rows] / self._weights[rows] + self._values[rows]
            part = self._shaped(model, rows, rounded, y, None, column)
            sizes[rows] = np.exp(part.sizes) * (np.abs(y) if model.form.is_of_logarithm else 1.0)
        weights = self._factors(found)[0] * self._weights / sizes
        return np.where(np.isfinite(weights), weights, self._weights)

    @np.errstate(all="ignore")
    def known_variance(self, f: Array, column: Column) -> float | None:
        """The variance of the rows, of which T is the sum of squares; None if that is estimated from them."""
        if any(group.is_estimated for group in self.groups):
            return None
        total = self.total(f, column)
        return total * self.scale.slope(total)

    @np.errstate(all="ignore")
    def sizes(self, f: Array, column: Column) -> Array:
        """Those of errors where the residuals are f, known or estimated; of logarithms where these have the errors."""
        found = 1.0 / self._weights
        for model, rows, rounded in self._modelled:
            y = f[rows] / self._weights[rows] + self._values[rows]
            found[rows] *= np.exp(self._shaped(model, rows, rounded, y, None, column).sizes)
        for group, each in zip(self.groups, self.sums(f, column), strict=True):
            if group.is_estimated:
                found[group.rows] *= (each / group.power) ** (1.0 if group.form.is_laplace else 0.5)
        return found

    def penalty(self, column: Column) -> float:
        """What the priors add to E."""
        rows = self._distances(column, None)[0]
        return float(rows @ rows)

    def _factors(self, found: Scaled) -> tuple[Array, float]:
        """By what the rows of each group are multiplied, (n_rows,), and those of priors."""
        sums = self._sums(found.r)
        part = np.divide(self._total(sums, found), self._base(sums, found.prior) + self._slack)
        factors = np.zeros(found.r.size)
        for group, each in zip(self.groups, sums, strict=True):
            factors[group.rows] = np.sqrt(part * group.weight(each))
        return factors, float(np.sqrt(part))

    # ---- with derivatives

    @np.errstate(all="ignore")
    def applied(self, found: Evaluation, column: Column, expected: bool = False) -> Evaluation:
        """The evaluation whose sum of squares is T: rows of observations, of priors, and those that J'J needs.

        With `expected` rows of Laplace errors have the information that is expected of them, for statistics; their
        own slopes, with which a search goes fast, are steep where a residual happens to be small.
        """
        here = self._scaled(found.residuals, found.jac, column)
        sums = self._sums(here.r)
        total, base = self._total(sums, here), self._base(sums, here.prior) + self._slack
        if not math.isfinite(total) or not total > 0.0 or not base > 0.0:
            return self.padded(replace(found, status=self._fault(here, sums, column)))
        part, bends = total / base, self._bends(sums, here, total, base)
        here = self._expected(here, sums) if expected else here
        f, out = np.zeros_like(here.r), np.zeros_like(here.jac)
        for group, each, bend in zip(self.groups, sums, bends, strict=False):
            factor, rows = math.sqrt(part * group.weight(each)), group.rows
            f[rows] = factor * here.r[rows]
            out[rows] = factor * (here.jac[rows] + np.outer(here.r[rows], bend))
        root, prior_jac = math.sqrt(part), here.prior_jac + np.outer(here.prior, bends[-1])
        slack = np.full(1 if self._slack else 0, math.sqrt(self._slack))
        wanted = total * self.scale.slope(total)
        more = self._information(here, sums, part, wanted)
        return replace(
            found,
            residuals=np.concatenate((f, root * here.prior, root * slack, np.zeros(len(more)))),
            jac=np.concatenate((out, root * prior_jac, root * np.outer(slack, bends[-1]), more)),
            n_priors=here.prior.size,
            n_bends=slack.size + len(more),
            of_priors=math.sqrt(max(wanted, part)) * here.prior_jac,
        )

    @property
    def is_weighted(self) -> bool:
        """Whether weights tell apart, or scale, what shares an estimated standard deviation."""
        return any(bool((self._weights[group.rows] != 1.0).any()) for group in self.groups if group.is_estimated)

    @property
    def has_laplace(self) -> bool:
        return any(model.form.is_laplace for model, _, _ in self._modelled)

    def _expected(self, here: Scaled, sums: list[float]) -> Scaled:
        """With signs in place of roots of Laplace errors: the gradient stays, J'J is that of 1 over scales squared."""
        r, jac = here.r.copy(), here.jac.copy()
        widths = np.ones(r.size)
        for group, each in zip(self.groups, sums, strict=True):
            widths[group.rows] = 1.0 / group.weight(each)
        for model, rows, rounded in self._modelled:
            if model.form.is_laplace:
                size = 0.5 * here.r[rows] ** 2 + rounded
                slope = size * np.sqrt(2.0 / (size + rounded))  # of what has the root, by the root
                scale = np.sqrt(widths[rows])
                r[rows] = here.r[rows] / np.sqrt(2.0 / (size + rounded)) / size * scale
                jac[rows] = here.jac[rows] * (slope / scale)[:, np.newaxis]
        return here._replace(r=r, jac=jac)

    def padded(self, found: Evaluation) -> Evaluation:
        """An evaluation that is not usable with as many rows as others have."""
        n = found.jac.shape[1]
        slack = 1 if self._slack else 0
        more = n if self._is_informed else 0
        extra = len(self._priors) + slack + more
        return replace(
            found,
            residuals=np.concatenate((found.residuals, np.zeros(extra))),
            jac=np.concatenate((found.jac, np.zeros((extra, n)))),
            n_priors=len(self._priors),
            n_bends=slack + more,
        )

    def _bends(self, sums: list[float], here: Scaled, total: float, base: float) -> list[Array]:
        """Slopes of the logarithms of the factors: of each group, and of the priors last, (n_active,) each."""
        pulls = [2.0 * (here.r[group.rows] @ here.jac[group.rows]) for group in self.groups]  # gradients of the sums
        known = 2.0 * (here.prior @ here.prior_jac)  # gradients of the chi-square in E, and of E
        whole = 2.0 * here.slopes.sum(axis=0) + known
        for group, each, pull in zip(self.groups, sums, pulls, strict=True):
            whole = whole + (group.power * pull / each if group.is_estimated else pull)
            known = known + (0.0 if group.is_estimated else pull)
        # Factors by which each group weighs as its standard deviation has it make J'J that of the likelihood.
        common = self.scale.slope(total) * whole - known / base
        own = [
            0.5 * (common - pull / each if group.is_estimated else common)
            for group, each, pull in zip(self.groups, sums, pulls, strict=True)
        ]
        return [*own, 0.5 * common]

    @cached_property
    def _slack(self) -> float:
        """What is beside chi-square in the sum of which T is a multiple; 0 where all is estimated, or chi-square."""
        if self.scale.knee == -math.inf:
            return 0.0
        return float(sum(group.power for group in self.groups if not group.is_estimated) + len(self._priors))

    @property
    def _is_informed(self) -> bool:
        return bool(self._slack) or any(model.is_shaped for model, _, _ in self._modelled)

    def _information(self, here: Scaled, sums: list[float], part: float, wanted: float) -> Array:
        """Rows whose products are what J'J lacks of `wanted` times the information; the others have a `part` of it."""
        n = here.jac.shape[1]
        if not self._is_informed:
            return np.zeros((0, n))
        lacking = max(wanted - part, 0.0)
        parts = [math.sqrt(lacking) * here.prior_jac]
        for group, each in zip(self.groups, sums, strict=True):
            slopes = here.slopes[group.rows]
            about = slopes - slopes.mean(axis=0) if group.is_estimated else slopes
            parts.append(math.sqrt((0.5 if group.form.is_laplace else 1.0) * max(wanted, part)) * about)
            parts.append(math.sqrt(lacking * group.weight(each)) * here.jac[group.rows])
        return condensed(np.concatenate(parts))

    # ---- E and T

    @cached_property
    def scale(self) -> Scale:
        """T by E: a line from where known errors are met and the others are as large as the spread of their data."""
        if all(group.is_estimated for group in self.groups) and not self._priors:
            return Scale(self.n)
        if not self._noise.models and not any(group.is_estimated for group in self.groups):
            return Scale(self.n, -math.inf)  # chi-square, as without priors
        knee = 0.0
        for group in self.groups:
            knee += group.constant
            for row in group.rows.tolist():
                if group.is_estimated:
                    knee += 2.0 * math.log(self._weights[row])
                if group.is_estimated or self._names[row] in self._noise.models:
                    knee += 2.0 * math.log(self._sizes[base_of(self._names[row])] or 1.0)
        return Scale(self.n, knee / self.n)

    def _base(self, sums: list[float], prior: Array) -> float:
        """The sum of squares with all standard deviations as they are known or estimated."""
        own = sum(g.power if g.is_estimated else each for g, each in zip(self.groups, sums, strict=True))
        return own + float(prior @ prior)

    def _total(self, sums: list[float], found: Scaled) -> float:
        exponent = found.determinant + float(found.prior @ found.prior)
        for group, each in zip(self.groups, sums, strict=True):
            m = group.power
            exponent += m * (math.log(each / m) if each > 0.0 else math.nan) if group.is_estimated else each - m
            exponent += group.constant
        return self.scale.total(exponent)

    def _scaled(self, f: Array, jac: Array | None, column: Column) -> Scaled:
        r, n = f.copy(), 0 if jac is None else jac.shape[1]
        out = np.zeros((f.size, 0)) if jac is None else jac.copy()
        slopes, determinant = np.zeros((f.size, n)), 0.0
        for model, rows, rounded in self._modelled:
            w = self._weights[rows]
            dy = None if jac is None else jac[rows] / w[:, np.newaxis]
            part = self._shaped(model, rows, rounded, f[rows] / w + self._values[rows], dy, column)
            r[rows] = part.r
            determinant += 2.0 * float(part.sizes.sum()) + part.constant
            if part.jac is not None and part.slopes is not None:
                out[rows], slopes[rows] = part.jac, part.slopes
        return Scaled(r, out, determinant, slopes, *self._distances(column, n if jac is not None else None))

    def _shaped(
        self, model: VariableNoise, rows: NDArray[np.intp], rounded: float, y: Array, dy: Array | None, column: Column
    ) -> Shaped:
        own = None
        if model.quantity:
            q, dq = column(model.quantity)
            own = q[rows], None if dy is None or dq is None else dq[rows]
        return shaped(model, (y, dy), self._values[rows], self._weights[rows], own, rounded)

    def _distances(self, column: Column, n: int | None) -> tuple[Array, Array]:
        """Rows of the priors, and their derivatives by n active parameters if that is a number."""
        rows, jac = np.zeros(len(self._priors)), np.zeros((len(self._priors), n or 0))
        for k, (name, prior) in enumerate(self._priors.items()):
            value, by = column(name)
            rows[k], slope = prior.row(float(value[0]))
            if n is not None and by is not None:
                jac[k] = slope * by[0]
        return rows, jac

    # ---- what is wrong

    def _fault(self, here: Scaled, sums: list[float], column: Column) -> NotEstimated:
        for model, rows, _ in self._modelled:
            wrong = rows[~np.isfinite(here.r[rows])]
            if wrong.size:
                name, time = self._names[wrong[0]], float(self._times[wrong[0]])
                return NotEstimated(Reason.NOT_FINITE, time, name, why=fault_of(model, name, time))
        for name, row in zip(self._priors, here.prior.tolist(), strict=True):
            if not math.isfinite(row):
                return NotEstimated(Reason.NOT_FINITE, 0.0, name, why=f"{name} is where its prior is 0")
        name = next((g.name for g, each in zip(self.groups, sums, strict=True) if not each > 0.0), OTHERS)
        why = f"the errors of {name} cannot be estimated here: what is computed is what was observed, or infinite"
        return NotEstimated(Reason.NOT_FINITE, 0.0, name, why=why)
