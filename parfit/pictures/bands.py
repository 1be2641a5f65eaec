"""The confidence band of the fitted curves as a picture."""

from __future__ import annotations

from parfit.estimation.strategies.reliability.band import Result
from parfit.pictures.series import colour_of, observed, series_of
from parfit.plotting import Series, band
from parfit.session.environment import Environment


def banded(env: Environment, found: Result) -> list[Series]:
    """The curves, how well they are known, and the observations."""
    series: list[Series] = []
    run, limits, names = found.fine, found.drawn, found.request.names
    what = f"{found.request.percentile:g} % {'of observations' if found.request.measured else 'band'}"
    for name in names:
        series.append(series_of(env, name, "", run.times, run.column(name)))
        ends = limits.lower[name], limits.upper[name]
        series.append(band(f"{name} {what}", run.times, *ends, colour_of(env, name), name, what))
    return [*series, *observed(env, names)]
