"""The confidence band of the fitted curves as a picture."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.commands.looking import pictures
from parfit.commands.looking.pictures import number
from parfit.commands.looking.plotitems import Drawn, Request
from parfit.commands.looking.plotquestions import PERCENTILE
from parfit.errors import NumericalError
from parfit.estimation.diagnosis.bands import CurveErrors, curve_errors
from parfit.estimation.diagnosis.minimum import standing
from parfit.plotting import Series, band

DEFAULT_PERCENTILE = 95


def confidence_band(request: Request) -> Drawn:
    """The curves at the present parameters, how well they are known, and the observations."""
    env = request.env
    problem = env.problem()
    names = request.variables()
    percentile = request.percentile or request.ask.whole(PERCENTILE, 1, 99, default=DEFAULT_PERCENTILE)
    evaluation = request.evaluated(problem, "confidence band")
    run = evaluation.trajectory
    assert run is not None
    found = curve_errors(evaluation, env.parameters, problem.observations, percentile, names)
    if found.lack is not None:
        raise NumericalError(f"there is no confidence band: {found.lack.value}")
    series = []
    for name in names:
        curve, width = run.column(name), found.at_each_time * found.errors[name]
        label = f"{name} {percentile} % band"
        series.append(Series(name, run.times, curve, "solid", number(env, name)))
        series.append(band(label, run.times, curve - width, curve + width, number(env, name)))
    minimal = standing(problem, evaluation).minimal
    remarks = [_worst(name, run.times, run.column(name), found) for name in names]
    return Drawn([*series, *pictures.observed(env, names)], remarks=[*remarks, *_cautions(found, percentile, minimal)])


def _worst(name: str, times: Array, curve: Array, found: CurveErrors) -> str:
    """Where a curve is known least."""
    width = found.at_each_time * found.errors[name]
    lost = np.flatnonzero(~np.isfinite(width))
    if lost.size:
        return f"{name} is not determined by the data from t = {times[lost[0]]:.6g} on; PROBE tells which parameters."
    k, largest = int(np.argmax(width)), float(np.abs(curve).max())
    share = f", {_per_cent(width[k] / largest)} of its largest value" if largest > 0 else ""
    return f"{name} is known to +-{width[k]:.3g} at worst, at t = {times[k]:.6g}{share}."


def _per_cent(part: float) -> str:
    return f"{100 * part:.0f} %" if 0.1 <= part < 100.0 else f"{100 * part:.2g} %"


def _cautions(found: CurveErrors, percentile: int, minimal: bool) -> list[str]:
    whole = found.as_a_whole / found.at_each_time
    remarks = [
        f"The band holds the true curve at any one time with {percentile} %; one {whole:.3g} times as wide holds all "
        "of it."
    ]
    if not minimal:
        remarks.append("That holds at a minimum of the sum of squares; the parameters are not at one: FIT.")
    return remarks
