"""The confidence band of the fitted curves as a picture."""

from __future__ import annotations

from parfit.estimation.strategies.reliability.band import Result
from parfit.pictures.series import colour_of, observed, series_of
from parfit.plotting import Series, band
from parfit.session.environment import Environment


def banded(env: Environment, found: Result) -> list[Series]:
    """The curves, how well they are known, and the observations."""
    series: list[Series] = []
    run, curves, names = found.fine, found.drawn, found.request.names
    what = f"{found.request.percentile:g} % band"
    for name in names:
        curve, width = run.column(name), curves.at_each_time * curves.errors[name]
        series.append(series_of(env, name, "", run.times, curve))
        lower, upper = curve - width, curve + width
        series.append(band(f"{name} {what}", run.times, lower, upper, colour_of(env, name), name, what))
    return [*series, *observed(env, names)]
