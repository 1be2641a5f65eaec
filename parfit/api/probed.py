"""What the data determine of the parameters, as values and as a table."""

from __future__ import annotations

from parfit.api import page
from parfit.arrays import Array
from parfit.estimation.diagnosis.probing import Probe
from parfit.estimation.strategies.reliability.anywhere import Result
from parfit.text.diagnosis import anywhere as of_anywhere
from parfit.text.diagnosis.probe import singular_values
from parfit.text.report import number


class Probed:
    """The Jacobian examined; `probe` has all of it, trade-offs and the next observation among it.

    >>> probed = parfit.load("models/enzyme.ode", "models/enzyme.csv").probe()
    >>> probed.rank == len(probed.names), probed.unseen
    (True, ())
    """

    def __init__(self, probe: Probe):
        self.probe = probe

    @property
    def names(self) -> tuple[str, ...]:
        """The active parameters."""
        map_ = self.probe.parameters
        return tuple(map_.names[k] for k in map_.active)

    @property
    def singular_values(self) -> Array:
        """Of the Jacobian by the active parameters as they are scaled, the largest first."""
        return self.probe.spectrum.s

    @property
    def vectors(self) -> Array:
        """What they belong to: combinations of the active parameters, a row each."""
        return self.probe.spectrum.v

    @property
    def rank(self) -> int:
        """How many combinations the data determine."""
        return self.probe.rank

    @property
    def condition(self) -> float:
        return self.probe.condition

    @property
    def unseen(self) -> tuple[str, ...]:
        """The parameters that have no influence on the observations here."""
        return tuple(self.probe.parameters.names[each.parameter] for each in self.probe.unseen)

    def table(self) -> str:
        """Singular values, and what their vectors consist of.

        >>> "singular value" in parfit.load("models/enzyme.ode", "models/enzyme.csv").probe().table()
        True
        """
        return singular_values(self.probe)

    def __repr__(self) -> str:
        return f"{self.table()}\n{self._line()}"

    def _repr_html_(self) -> str:
        rows = [
            [number(s), *(f"{part:.3f}" for part in vector)]
            for s, vector in zip(self.singular_values, self.vectors, strict=True)
        ]
        return page.section(self._line(), page.table(["singular value", *self.names], rows))

    def _line(self) -> str:
        return f"rank {self.rank} of {len(self.names)}, condition number {number(self.condition)}"


class ProbedAnywhere:
    """The Jacobian examined at random points; `result` has all of them.

    >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").probe_anywhere(5).rank
    3
    """

    def __init__(self, result: Result):
        self.result = result

    @property
    def rank(self) -> int:
        """How many combinations are determined where most are."""
        return self.result.rank

    @property
    def never(self) -> tuple[str, ...]:
        """The parameters that are determined at no point."""
        return self.result.never

    @property
    def sentences(self) -> list[str]:
        """What holds wherever the parameters are."""
        return of_anywhere.findings(self.result)

    def table(self) -> str:
        """At how many points each parameter is seen, and determined.

        >>> "determined, of 5" in parfit.load("models/enzyme.ode", "models/enzyme.csv").probe_anywhere(5).table()
        True
        """
        return of_anywhere.table(self.result)

    def __repr__(self) -> str:
        return of_anywhere.told(self.result)
