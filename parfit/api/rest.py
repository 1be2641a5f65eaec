"""Where the equations come to rest, as values and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from parfit.api import page
from parfit.equilibria.equilibria import Equilibria, Equilibrium
from parfit.estimation.strategies.equil import Result
from parfit.text.equilibria import equilibria_text
from parfit.text.report import number


class RestPoints(Sequence[Equilibrium]):
    """The equilibria that were found, in the order of their times; `at` has them time by time.

    >>> points = parfit.load("models/equilibrium.ode").equilibria()
    >>> len(points) > 0, points[0].y.size == len(points.states)
    (True, True)
    """

    def __init__(self, result: Result):
        self.result = result
        self._all = tuple(each for found in result.found for each in found.found)

    @property
    def states(self) -> tuple[str, ...]:
        return self.result.env.model.states

    @property
    def at(self) -> dict[float, Equilibria]:
        """What was found at each time; at one, if the equations do not depend on time."""
        return dict(zip(self.result.times, self.result.found, strict=True))

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, k: Any) -> Any:
        return self._all[k]

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self._all)

    def __repr__(self) -> str:
        name = self.result.env.model.name
        return equilibria_text(name, self.states, self.result.found, self.result.timed).rstrip("\n")

    def _repr_html_(self) -> str:
        rows = [[each.kind, *(number(value) for value in each.y)] for each in self._all]
        return page.section(f"{self.result.env.model.name}: equilibria", page.table(["kind", *self.states], rows))
