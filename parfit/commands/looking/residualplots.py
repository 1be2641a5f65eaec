"""Residuals as pictures: over time, and against what was computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.commands.looking import pictures
from parfit.commands.looking.multiples import small_multiples
from parfit.commands.looking.pictures import number
from parfit.commands.looking.plotitems import Drawn, Request
from parfit.errors import CommandError
from parfit.estimation.diagnosis.residual_tests import counted, runs
from parfit.estimation.problems import trajectory_fit
from parfit.plotting import Figure, Series, band
from parfit.session.environment import Environment
from parfit.text import verdicts
from parfit.text.report import counted as in_words

Names = NDArray[np.str_]

UP = "WEIGHTED RESIDUAL"
LIMIT = 2.0  # standard errors of the fit, which about 1 residual in 20 exceeds


def over_time(request: Request) -> Drawn:
    """The weighted residuals over time."""
    env, names = request.env, _chosen(request)
    t, _, residuals, of = _listed(env)
    span = np.array([t.min(), t.max()])
    series = [_points(env, name, t, residuals, of) for name in names]
    figure = Figure((*_levels(env, span, residuals), *series), "TIME", UP, env.model.name)
    return Drawn(picture=figure, remarks=_remarks(env, names, residuals, of))


def against_computed(request: Request) -> Drawn:
    """The weighted residuals against the values of the curve, each variable in its own plot."""
    env, names = request.env, _chosen(request)
    _, computed, residuals, of = _listed(env)
    series = []
    for name in names:
        own = computed[of == name]
        if not own.size:
            continue
        series.append(_points(env, name, computed, residuals, of))
        series.append(Series(f"{name} 0", np.array([own.min(), own.max()]), np.zeros(2), "solid", number(env, name)))
    figure = Figure(tuple(series), "COMPUTED VALUE", UP, env.model.name)
    picture = small_multiples(figure, env.variables, same_axis=False)
    return Drawn(picture=picture, remarks=_remarks(env, names, residuals, of))


def _chosen(request: Request) -> list[str]:
    request.env.require("integration", "observations", "observation times")
    names = request.observed()
    if not names:
        raise CommandError("no variables were chosen to be plotted; RETURN in place of 0 takes all of them")
    return names


def _listed(env: Environment) -> tuple[Array, Array, Array, Names]:
    """Times, computed values, weighted residuals and variables of all observations; NaN where the weight is 0."""
    assert env.integration is not None
    assert env.observations is not None
    run, data = env.integration.trajectory, env.observations
    rows, columns = np.nonzero(data.observed)
    at = np.searchsorted(run.times, data.times)[rows]
    computed = np.array([run.column(data.names[j])[i] for i, j in zip(at, columns, strict=True)])
    residuals = np.where(counted(data), trajectory_fit.residuals(run, data), np.nan)
    return data.times[rows], computed, residuals, np.array(data.names)[columns]


def _points(env: Environment, name: str, x: Array, residuals: Array, of: Names) -> Series:
    return Series(f"{name} residuals", x[of == name], residuals[of == name], "points", number(env, name))


def _levels(env: Environment, span: Array, residuals: Array) -> Sequence[Series]:
    """A line at zero, and the limits within which most residuals lie if the model is right."""
    grey, ones = pictures.NEUTRAL, np.ones(2)
    zero = Series("0", span, 0 * ones, "solid", grey)
    known = residuals[np.isfinite(residuals)]
    n_free = known.size - len(env.parameters.active)
    if n_free <= 0:
        return [zero]
    limit = LIMIT * float(np.sqrt(known @ known / n_free))
    return [zero, band(f"+-{limit:.3g}, {LIMIT:g} standard errors", span, -limit * ones, limit * ones, grey)]


def _remarks(env: Environment, names: Sequence[str], residuals: Array, of: Names) -> list[str]:
    """Which side is which, whether the signs look random, and what was left out."""
    remarks = ["A residual is positive where the curve lies above the observation."]
    for name in names:
        own = residuals[of == name]
        remarks.append(verdicts.signs(name, runs(own[np.isfinite(own)])))
    missing = int(np.count_nonzero(np.isnan(residuals[np.isin(of, names)])))
    if missing:
        remarks.append(f"{in_words(missing, 'observation')} of weight 0, or not reached, left out.")
    return remarks
