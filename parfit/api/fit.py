"""What a fit has found, as values, as text and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from parfit.api import page
from parfit.api.drawing import Drawing
from parfit.api.readonly import ReadOnly
from parfit.arguments import FLAG, checked, optional, whole
from parfit.arrays import Array
from parfit.estimation.strategies import fit as strategy
from parfit.export.appraisal import WORDS, Appraisal, appraised
from parfit.export.plain import json_text
from parfit.export.summary import summary
from parfit.session.environment import Environment
from parfit.text.report import columns, number

if TYPE_CHECKING:  # which import what is here
    from parfit.api.bootstrap import Bootstrapped
    from parfit.api.looks import Band
    from parfit.api.profile import Profiles

OTHERS = "fit.problem.with_values(name=...) makes a problem with other values"
P = TypeVar("P", bound=Drawing)


class Fit(Generic[P]):
    """What a search has found: `values`, `errors`, a `verdict`, and the `problem` at the values found.

    `result` is all that the method of fitting tells of itself. Everything else is computed when it is first asked for.

    >>> fit = parfit.load("models/tour.ode", "models/tour.csv").smooth().ifit().problem.fit()
    >>> round(fit.values["p1"], 4), round(fit.errors["p1"], 4), fit.verdict
    (0.4945, 0.0059, 'minimum')
    """

    def __init__(
        self, problem_in: Callable[[Environment], P], result: Any, method: str, environment: Environment | None = None
    ):
        """`environment` is what a conversation has after this search: that of the result, if no other is given."""
        self._problem_in, self.result, self.method, self._environment = problem_in, result, method, environment

    @cached_property
    def environment(self) -> Environment:
        """What a conversation has after this search."""
        found: Environment = self.result.env if self._environment is None else self._environment
        return found

    @cached_property
    def problem(self) -> P:
        """The problem at the values found."""
        return self._problem_in(self.environment)

    # ---- numbers

    @property
    def values(self) -> Mapping[str, float]:
        """The parameters that were found, and those that were held."""
        found = self.result
        if isinstance(found, strategy.Result):  # known before the environment is
            return ReadOnly(zip(found.begun.model.parameters, found.values.tolist(), strict=True), OTHERS)
        return self._by_name(self.environment.values)

    @property
    def errors(self) -> Mapping[str, float]:
        """The standard errors of the parameters, NaN where the data do not tell."""
        return self._by_name(self._appraisal.errors)

    @property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """The usual 95 % intervals, NaN where the data do not tell."""
        low, high = self._by_name(self._appraisal.low), self._by_name(self._appraisal.high)
        return ReadOnly({name: (low[name], high[name]) for name in low}, OTHERS)

    @property
    def sum_of_squares(self) -> float:
        """The sum of the squares of the weighted residuals; infinite where the equations cannot be integrated."""
        return self._appraisal.sum_of_squares

    # ---- what to think of it

    @property
    def verdict(self) -> str:
        """Where it has ended: "minimum", "stopped", "saddle", "flat", "switch", "not_a_minimum", "not_integrable".

        "undetermined" is a minimum as well, but the data do not determine a combination of the parameters.
        """
        return self._appraisal.verdict

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return self._appraisal.sentence

    @property
    def is_minimum(self) -> bool:
        """Whether the sum of squares has a minimum at these values, even if the search was stopped there."""
        return self._appraisal.is_minimum

    @cached_property
    def _appraisal(self) -> Appraisal:
        return appraised(self.environment)

    def _by_name(self, numbers: Array | None) -> Mapping[str, float]:
        names = self.environment.model.parameters
        known = np.full(len(names), np.nan) if numbers is None else numbers
        return ReadOnly(zip(names, known.tolist(), strict=True), OTHERS)

    # ---- as text and as plain data

    def table(self) -> str:
        """The parameters with their standard errors and intervals.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit()
        >>> fit.table().splitlines()[0].split()
        ['parameter', 'value', 'standard', 'error', '%', '95', '%', 'interval']
        """
        rows = self._rows()
        return columns(HEADINGS, list(zip(*rows, strict=True)) if rows else [[]] * len(HEADINGS), left=[0])

    @checked(curves=FLAG)
    def to_dict(self, curves: bool = False) -> dict[str, Any]:
        """All that is known at these values as plain data, as `schema.json` describes it; `curves` adds the solution.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().to_dict()["verdict"]["code"]
        'minimum'
        """
        return summary(self.environment, self.problem.files, curves)

    @checked(curves=FLAG, indent=optional(whole(0)))
    def to_json(self, curves: bool = False, indent: int | None = 1) -> str:
        """The same as JSON text.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().to_json().startswith("{")
        True
        """
        return json_text(self.to_dict(curves), indent)

    def profile(self, *wanted: str, **how: Any) -> Profiles[P]:
        """Limits by profiles of the sum of squares; see `Problem.profile`.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit()
        >>> fit.profile("p1").limits["p1"][0] < fit.values["p1"]
        True
        """
        return self.problem.profile(*wanted, **how)  # type: ignore[attr-defined, no-any-return]

    def bootstrap(self, n: int = 200, **how: Any) -> Bootstrapped[P]:
        """Limits by fits to data that are drawn anew; see `Problem.bootstrap`.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit()
        >>> fit.bootstrap(50).limits["p1"][0] < fit.values["p1"]
        True
        """
        return self.problem.bootstrap(n, **how)  # type: ignore[attr-defined, no-any-return]

    def predict(self, times: ArrayLike, *names: str, **how: Any) -> Band:
        """The fitted curves at any times, with the limits between which they lie; see `Problem.predict`.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit()
        >>> fit.predict([1, 20], "y1", band="profiles").curves["y1"].size
        2
        """
        return self.problem.predict(times, *names, **how)  # type: ignore[attr-defined, no-any-return]

    def plot(self, target: Any = None, /, *names: str, **how: Any) -> Any:
        """Draw the fitted solution with the observations; see `Problem.plot`.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().plot("enzyme.svg")
        'enzyme.svg'
        """
        return self.problem.plot(target, *names, **how)

    def _rows(self) -> list[list[str]]:
        errors, intervals = self.errors, self.intervals
        words = [WORDS[each] for each in self._appraisal.words] or [""] * len(errors)
        return [
            [name, number(value), word or number(error), _share(error, value), _interval(intervals[name])]
            for (name, value), error, word in zip(self.values.items(), errors.values(), words, strict=True)
        ]

    def _headline(self) -> str:
        return f"{self.method}, sum of squares {number(self.sum_of_squares)}: {self.sentence}"

    def __repr__(self) -> str:
        return f"{self._headline()}\n{self.table()}"

    def _repr_html_(self) -> str:
        return page.section(self._headline(), page.table(HEADINGS, self._rows()))


HEADINGS = ["parameter", "value", "standard error", "%", "95 % interval"]


def _share(error: float, value: float) -> str:
    return f"{100.0 * error / abs(value):.2g}" if np.isfinite(error) and value else ""


def _interval(ends: tuple[float, float]) -> str:
    return "" if np.isnan(ends).any() else f"{number(ends[0])} to {number(ends[1])}"
