"""What is said below pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.diagnosis.residual_tests import runs
from parfit.estimation.noise import Noise
from parfit.estimation.problems.trajectory_fit import total
from parfit.estimation.strategies.reliability.band import Basis
from parfit.estimation.strategies.reliability.band import Result as Band
from parfit.model.naming import base_of
from parfit.session.questions import quoted
from parfit.session.results import Mark
from parfit.simulation.trajectory import Trajectory
from parfit.text import report
from parfit.text.diagnosis import verdicts

MOST_TOLD = 4  # variables of several experiments
STALE = "The integration that is shown was made with {}; INTEG N makes one with what is set now."


def stale(differences: Sequence[str]) -> list[str]:
    """That something older is shown."""
    return [STALE.format(" and ".join(differences))] if differences else []


def stopped(run: Trajectory, when: str = "") -> list[str]:
    """That an integration did not reach the end."""
    return [] if run.status else [f"The integration {when} stopped: {run.status}.".replace("  ", " ")]


# ---- bands


def of_band(found: Band) -> list[str]:
    """Where each curve is known least, and what a band means."""
    names = _least_known(found) if _are_many(found.request.names) else found.request.names
    worst = [_worst(found, name) for name in names]
    if len(names) < len(found.request.names):
        worst.append("In the other experiments the band is no wider.")
    caution = "That holds at a minimum of the sum of squares; the parameters are not at one: FIT."
    return [*worst, _meaning(found), *([] if found.is_minimum else [caution])]


def _meaning(found: Band) -> str:
    level, basis = f"{found.request.percentile:g} %", found.request.basis
    what = "a new observation" if found.request.measured else "the true curve"
    by = {
        Basis.LINEAR: "",
        Basis.PROFILES: ", by profiles of the curves: F rises no further within it",
        Basis.BOOT: ", by the percentiles of fits to data drawn anew",
    }[basis]
    said = f"The band holds {what} at any one time with {level}{by}"
    if found.whole is None or found.request.measured:
        return f"{said}."
    return f"{said}; one {found.whole:.3g} times as wide holds all of it."


def _least_known(found: Band) -> list[str]:
    """Of each variable the experiment in which it is known least."""
    names = found.request.names
    widths = {name: float(_widths(found, name)[-1].max()) for name in names}
    return [max((each for each in names if base_of(each) == base), key=widths.__getitem__) for base in _bases(names)]


def _bases(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(map(base_of, names)))


def _widths(found: Band, name: str) -> tuple[Array, Array, Array]:
    """How far the limits are below and above a curve, and the larger of both; 0 where it is not computed."""
    curve = found.curves[name]
    below, above = curve - found.limits.lower[name], found.limits.upper[name] - curve
    return below, above, np.where(np.isnan(curve), 0.0, np.maximum(below, above))


def _worst(found: Band, name: str) -> str:
    times, curve = found.times, found.curves[name]
    below, above, width = _widths(found, name)
    lost = np.flatnonzero(~np.isfinite(width))
    if lost.size:
        since = f"{times[lost[0]]:.6g}"
        if found.request.basis is Basis.PROFILES:  # which may also be lost on the way
            return (
                f"No limit of {name} was found from t = {since} on: the data set none, or the parameters could not be "
                f"followed so far. PROFILE {quoted(name)} AT {times[lost[-1]]:.6g} tells which."
            )
        return f"{name} is not determined by the data from t = {since} on; PROBE tells which parameters."
    k, largest = int(np.argmax(width)), float(np.nanmax(np.abs(curve)))
    share = f", {_per_cent(width[k] / largest)} of its largest value" if largest > 0 else ""
    if found.request.basis is Basis.LINEAR and not found.request.measured:
        return f"{name} is known to +-{width[k]:.3g} at worst, at t = {times[k]:.6g}{share}."
    return f"{name} lies within -{below[k]:.3g} and +{above[k]:.3g} at worst, at t = {times[k]:.6g}{share}."


def _per_cent(part: float) -> str:
    return f"{100 * part:.0f} %" if 0.1 <= part < 100.0 else f"{100 * part:.2g} %"


# ---- residuals


def of_residuals(found: dict[str, Array]) -> list[str]:
    """Which side is which, whether the signs look random, and what was left out; NaN is what does not count."""
    remarks = ["A residual is positive where the curve lies above the observation."]
    tested = {name: runs(own[np.isfinite(own)]) for name, own in found.items()}
    told = {name: each for name, each in tested.items() if verdicts.is_doubtful(each) or not _are_many(list(tested))}
    remarks += [verdicts.signs(name, each) for name, each in told.items()]
    if len(told) < len(tested):
        which = "The signs of the others look" if told else "All signs look"
        remarks.append(f"{which} random, or are too few to tell.")
    missing = sum(int(np.count_nonzero(np.isnan(own))) for own in found.values())
    if missing:
        remarks.append(f"{report.counted(missing, 'observation')} of weight 0, or not reached, left out.")
    return remarks


def _are_many(names: Sequence[str]) -> bool:
    """Whether they are of more experiments than one would read a sentence of each."""
    return len(names) > MOST_TOLD and any(name != base_of(name) for name in names)


# ---- sensitivities


def most_and_least(variable: str, times: Array, names: Sequence[str], values: Array, curves: Array) -> str:
    """The parameters that a variable follows most and least, of p dy/dp (n_times, n_names), in a line."""
    sizes = np.nan_to_num(np.abs(curves[:, values != 0.0]))  # of which 1 % can be told
    names = [name for name, value in zip(names, values, strict=True) if value != 0.0]
    if not names:
        return f"{variable}: all these parameters are 0, so the curves are derivatives that cannot be compared."
    largest = sizes.max(axis=0)
    most, least = int(np.argmax(largest)), int(np.argmin(largest))
    if not largest[most]:
        return f"{variable} follows none of these parameters."
    when = times[int(np.argmax(sizes[:, most]))]
    text = f"{variable}: {names[most]} most, 1 % of it is worth {largest[most] / 100:.3g} at t = {when:.6g}"
    if most == least:
        return f"{text}."
    if not largest[least]:
        others = ", ".join(name for name, size in zip(names, largest, strict=True) if not size)
        return f"{text}; {others} not at all."
    return f"{text}; {names[least]} least, {largest[least] / 100:.3g}."


# ---- marks


def of_marks(
    marks: Sequence[Mark], runs: Sequence[Trajectory], observations: Observations | None, noise: Noise
) -> str:
    """The sums of squares, if there is something to compare with, and the parameters that differ."""
    values = np.array([run.parameters for run in runs])
    rows: list[tuple[str, list[float]]] = []
    if observations is not None:
        rows.append(("sum of squares", [total(run, observations, noise) for run in runs]))
    for k, name in enumerate(runs[0].model.parameters):
        if np.ptp(values[:, k]):
            rows.append((name, values[:, k].tolist()))
    if values.size and not np.ptp(values, axis=0).any():
        return "The parameters are the same."
    cells = [[report.number(row[j]) for _, row in rows] for j in range(len(marks))]
    return report.columns(["", *(mark.name for mark in marks)], [[label for label, _ in rows], *cells], left=[0])
