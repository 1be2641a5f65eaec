"""How reliable parameters are, as values and as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from parfit.api import page
from parfit.arrays import Array
from parfit.estimation.diagnosis.information import Criteria
from parfit.estimation.diagnosis.study import Study
from parfit.text.diagnosis.statistics_summary import table
from parfit.text.report import number

UNKNOWN = float("nan")


class Stats:
    """Standard errors, intervals and correlations at the parameters of a problem; `study` has all of it.

    >>> stats = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem.stats()
    >>> sorted(stats.errors) == sorted(stats.names), stats.correlation.shape[0] == len(stats.names)
    (True, True)
    """

    def __init__(self, study: Study):
        self.study = study

    @property
    def names(self) -> tuple[str, ...]:
        """The active parameters."""
        map_ = self.study.parameters
        return tuple(map_.names[k] for k in map_.active)

    @property
    def errors(self) -> dict[str, float]:
        """Their standard errors; infinite where the data do not determine them."""
        active = list(self.study.parameters.active)
        return dict(zip(self.names, self.study.errors.values[active].tolist(), strict=True))

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The usual intervals of each parameter alone, NaN where there are none."""
        parts = self.study.statistics.intervals
        if parts is None:
            return dict.fromkeys(self.names, (UNKNOWN, UNKNOWN))
        low, high = self.study.limits(parts.single)
        return {name: (float(low[k]), float(high[k])) for k, name in enumerate(self.names)}

    @property
    def percentile(self) -> float:
        return self.study.statistics.percentile

    @property
    def correlation(self) -> Array:
        """(n_active, n_active)."""
        return self.study.statistics.determination.correlation

    @property
    def covariance(self) -> Array:
        """Of the parameters as they are scaled, (n_active, n_active); NaN where there is none."""
        parts, n = self.study.statistics.intervals, len(self.names)
        return np.full((n, n), np.nan) if parts is None else parts.covariance

    @property
    def sum_of_squares(self) -> float:
        return self.study.statistics.sum_of_squares

    @property
    def degrees_of_freedom(self) -> int:
        return self.study.statistics.n_free

    @property
    def criteria(self) -> Criteria | None:
        """AIC, AICc and BIC, for comparing models of the same data; None for an exact fit."""
        return self.study.criteria

    @property
    def is_minimum(self) -> bool:
        """Whether the parameters are at a minimum, where all this holds."""
        return self.study.standing.minimal

    def table(self) -> str:
        """The parameters with standard errors and intervals.

        >>> stats = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem.stats()
        >>> "standard error" in stats.table()
        True
        """
        return table(self.study)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").stats(99).to_dict()["percentile"]
        99.0
        """
        return {
            "names": list(self.names),
            "errors": self.errors,
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "percentile": self.percentile,
            "correlation": self.correlation.tolist(),
            "covariance": self.covariance.tolist(),
            "sum_of_squares": self.sum_of_squares,
            "degrees_of_freedom": self.degrees_of_freedom,
            "is_minimum": self.is_minimum,
        }

    def __repr__(self) -> str:
        return f"{self.table()}\n{self._line()}"

    def _repr_html_(self) -> str:
        rows = [
            [name, number(self.errors[name]), *(number(end) for end in self.intervals[name])] for name in self.names
        ]
        headings = ["parameter", "standard error", f"{self.percentile:g} % from", "to"]
        return page.section(self._line(), page.table(headings, rows))

    def _line(self) -> str:
        where = "at a minimum" if self.is_minimum else "not at a minimum"
        return f"sum of squares {number(self.sum_of_squares)}, {self.degrees_of_freedom} degrees of freedom, {where}"
