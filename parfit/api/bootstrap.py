"""A bootstrap as values, as a table and as a picture."""

from __future__ import annotations

from os import PathLike
from typing import Any, Generic, TypeVar

from parfit import plotting
from parfit.api import page
from parfit.api.given import Given
from parfit.arrays import Array
from parfit.estimation.strategies.reliability.boot import Result
from parfit.export.bootstrap import bootstrap_data
from parfit.pictures.bootstrap import histograms
from parfit.text.diagnosis import bootstrap as text

P = TypeVar("P", bound=Given)


class Bootstrapped(Generic[P]):
    """Fits to data drawn anew; `problem` is at the minimum that they were drawn at.

    >>> found = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().bootstrap(50)
    >>> low, high = found.limits["p1"]
    >>> low < found.problem.values["p1"] < high
    True
    """

    def __init__(self, problem: P, result: Result):
        self.problem, self.result = problem, result

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Percentiles of each parameter that was fitted."""
        low, high = self.result.bootstrap.limits.tolist()
        return dict(zip(self.result.bootstrap.names, zip(low, high, strict=True), strict=True))

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors of each parameter that was fitted."""
        return dict(zip(self.result.bootstrap.names, self.result.bootstrap.errors.tolist(), strict=True))

    @property
    def samples(self) -> dict[str, Array]:
        """The fits of each parameter, without those that failed."""
        return dict(zip(self.result.bootstrap.names, self.result.bootstrap.values.T, strict=True))

    @property
    def n_failed(self) -> int:
        """How many data sets could not be fitted."""
        return self.result.bootstrap.n_failed

    def table(self) -> str:
        """Values, standard errors and limits.

        >>> "95 % from" in parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().bootstrap(20).table()
        True
        """
        return text.table(self.result.bootstrap)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, as `schema.json` describes a bootstrap.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().bootstrap(20, seed=7).to_dict()["seed"]
        7
        """
        return bootstrap_data(self.result.bootstrap)

    def plot(self, target: str | PathLike[str] | None = None) -> Any:
        """Draw histograms of the fits, into a file or as a figure of matplotlib.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().bootstrap(20).plot("boot.svg")
        'boot.svg'
        """
        picture = histograms(self.result.bootstrap)
        if target is None:
            return plotting.page_of(picture)
        plotting.save(picture, target)
        return target

    def __repr__(self) -> str:
        return text.told(self.result).rstrip("\n")

    def _repr_html_(self) -> str:
        found = self.result.bootstrap
        rows = [[str(cell) for cell in row] for row in text.rows(found)]
        return page.section(text.basis(found), page.table(text.headings(found), rows))
