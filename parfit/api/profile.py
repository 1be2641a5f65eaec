"""Profiles as values, as a table and as a picture."""

from __future__ import annotations

from os import PathLike
from typing import Any, Generic, TypeVar

from parfit import plotting
from parfit.api import page
from parfit.api.given import Given
from parfit.errors import ParfitError
from parfit.estimation.profiles.profile import Profile
from parfit.estimation.strategies.reliability.profile import Result
from parfit.export.profile import profile_data
from parfit.pictures.profile import risen
from parfit.text import profile as text

P = TypeVar("P", bound=Given)


class Profiles(Generic[P]):
    """Limits by profiles; `problem` is at the minimum they belong to, which may be a better one than before.

    >>> profiles = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().profile("p1", "p2*p3")
    >>> [profiles[name].finding.value for name in ("p1", "p2*p3")]
    ['determined', 'determined']
    """

    def __init__(self, problem: P, result: Result):
        self.problem, self.result = problem, result

    def __getitem__(self, name: str) -> Profile:
        """The profile of one quantity."""
        found = {each.name: each for each in self.result.profiles}
        if name not in found:
            raise ParfitError(f"there is no profile of {name!r}; there are {', '.join(map(repr, found))}")
        return found[name]

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Both ends of the interval of each quantity; infinite where the data set no limit."""
        return {each.name: each.limits for each in self.result.profiles}

    @property
    def is_better(self) -> bool:
        """Whether a better minimum was found on the way."""
        return self.result.is_moved

    def table(self) -> str:
        """Values, limits, shapes and findings.

        >>> "95 % from" in parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().profile("p1").table()
        True
        """
        return text.table(self.result.profiles)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, as `schema.json` describes profiles.

        >>> found = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().profile("p1").to_dict()
        >>> found["p1"]["distribution"]
        'F'
        """
        return {each.name: profile_data(each) for each in self.result.profiles}

    def plot(self, target: str | PathLike[str] | None = None) -> Any:
        """Draw how the sum of squares rises along the profiles, into a file or as a figure of matplotlib.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().profile("p1").plot("profile.svg")
        'profile.svg'
        """
        picture = risen(self.result.profiles)
        if target is None:
            return plotting.page_of(picture)
        plotting.save(picture, target)
        return target

    def __repr__(self) -> str:
        return text.told(self.result).rstrip("\n")

    def _repr_html_(self) -> str:
        rows = [[str(cell) for cell in row] for row in text.rows(self.result.profiles)]
        return page.section(text.basis(self.result.threshold), page.table(text.headings(self.result.profiles), rows))
