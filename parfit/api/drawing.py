"""Pictures of a problem, for a file, for axes of matplotlib, or as a figure of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nextafter
from os import PathLike
from typing import Any

from parfit import plotting
from parfit.api.given import Given
from parfit.arguments import TEXT, checked, number, optional, word
from parfit.errors import ParfitError
from parfit.estimation.strategies.reliability import band
from parfit.model.naming import spelled
from parfit.pictures import residuals, series
from parfit.pictures.bands import banded
from parfit.pictures.small import apart
from parfit.pictures.solution import together
from parfit.plotting import Figure, Series
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

WHAT = word(("solution", "curves", "residuals", "band"))
PERCENTILE = number(1.0, nextafter(100.0, 0.0), words="a percentile from 1 to below 100")


class Drawing(Given):
    """What draws."""

    @checked(what=WHAT, percentile=PERCENTILE, title=optional(TEXT))
    def plot(
        self,
        target: str | PathLike[str] | Any = None,
        /,
        *names: str,
        what: str = "solution",
        percentile: float = 95.0,
        title: str | None = None,
    ) -> Any:
        """Draw the solution with the observations, or something else, of the observed variables or of those named.

        `what` is "solution", "curves" (smoothed and guessed), "residuals" or "band". `target` is the name of a PNG,
        SVG or PDF file, or axes of matplotlib; without one a figure of matplotlib is made. Gives what was drawn on.

        >>> parfit.load("models/tour.ode", "models/tour.csv").plot("tour.png", "y1", title="A start")
        'tour.png'
        """
        env = self.environment
        seen = env.model.states if env.observations is None else env.observations.names
        chosen = spelled(names, env.variables, "variable") if names else list(seen)
        figure = ITEMS[what](env, chosen, percentile, env.model.name if title is None else title)
        if target is None:
            return plotting.page_of(apart(env, figure))
        if isinstance(target, str | PathLike):
            plotting.save(apart(env, figure), target)
        elif hasattr(target, "fill_between"):
            plotting.draw_on(target, figure)
        else:
            raise ParfitError(f"a plot goes to a file or to axes of matplotlib, not to {type(target).__name__}")
        return target


def _run(env: Environment) -> Trajectory:
    return env.integrated or env.simulator()(env.values)


def _solution(env: Environment, names: Sequence[str], percentile: float, title: str) -> Figure:
    return together(env, [*series.solution(env, _run(env), names), *series.observed(env, names)], title)


def _curves(env: Environment, names: Sequence[str], percentile: float, title: str) -> Figure:
    env.require("smoothing")
    assert env.smoothing is not None
    shown: list[Series] = series.smoothed(env, [name for name in names if name in env.smoothing.curves])
    return together(env, [*shown, *series.guessed(env), *series.observed(env, names)], title)


def _residuals(env: Environment, names: Sequence[str], percentile: float, title: str) -> Figure:
    env.require("observations", "observation times")
    return residuals.over_time(env.with_integration(_run(env)), names)


def _band(env: Environment, names: Sequence[str], percentile: float, title: str) -> Figure:
    return together(env, banded(env, band.band(env, band.Request(names, percentile))), title)


ITEMS: dict[str, Callable[[Environment, Sequence[str], float, str], Figure]] = {
    "solution": _solution,
    "curves": _curves,
    "residuals": _residuals,
    "band": _band,
}
