"""Profiles as a table and as sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from parfit.estimation.profiles.profile import SKEW, Profile
from parfit.estimation.profiles.threshold import Threshold
from parfit.estimation.profiles.walk import End, Side
from parfit.estimation.strategies.reliability.profile import Result
from parfit.text.report import columns, counted, number, parameters

WIDTH = 79
OPEN = "open"
FAR = 1e3  # times its value at the minimum, or as small a part of it: a parameter that has come so far goes on
KNOWN = "the standard deviations of the data are taken as known"
OF_LIKELIHOOD = "standard deviations are as the noise models or the data have them"


def told(found: Result) -> str:
    """What moved, the table, why sides ended elsewhere than at a limit, and what the limits stand on."""
    said = remarks(found.profiles, found.env.model.parameters)
    work = f"{basis(found.threshold)} It took {counted(found.n_evaluations, 'integration')}."
    return "\n".join([*moved(found), table(found.profiles), *_filled([*said, work]), ""])


def moved(found: Result) -> list[str]:
    """That a better minimum was adopted."""
    if not found.is_moved:
        return []
    head = (
        f"A BETTER MINIMUM was found on the way, and is kept: SUM OF SQUARES {number(found.total)} instead of "
        f"{number(found.before)}; UNDO goes back"
    )
    return [*_filled([head]), parameters(found.env)]


def table(profiles: Sequence[Profile]) -> str:
    """Values, limits, their shape and what they mean."""
    return columns(headings(profiles), list(zip(*rows(profiles), strict=True)), left=[0, 4, 5])


def headings(profiles: Sequence[Profile]) -> list[str]:
    return ["", "value", f"{profiles[0].threshold.level:g} % from", "to", "shape", ""]


def rows(profiles: Sequence[Profile]) -> list[tuple[str, ...]]:
    return [
        (each.name, number(each.best), *map(_end, each.limits), shape(each), each.finding.value) for each in profiles
    ]


def _end(value: float) -> str:
    return number(float(f"{value:.5g}")) if np.isfinite(value) else OPEN


def shape(found: Profile) -> str:
    """Whether the interval lies about the value as the linear theory has it."""
    ratio = found.skewness
    if np.isnan(ratio):
        return ""
    if 1.0 / SKEW < ratio < SKEW:
        return "symmetric"
    return f"{ratio:.2g} x longer upwards" if ratio > 1.0 else f"{1.0 / ratio:.2g} x longer downwards"


def remarks(profiles: Sequence[Profile], parameters: Sequence[str]) -> Iterator[str]:
    """Why sides ended elsewhere than at a limit, and which limits hang on bounds."""
    for found in profiles:
        for number_, (side, way) in enumerate(((found.lower, "downwards"), (found.upper, "upwards"))):
            if side.end is End.LOST:
                yield from _lost(found, way, parameters)
            else:
                yield from _of_side(found, side, way, found.pressed(number_))


def _lost(found: Profile, way: str, parameters: Sequence[str]) -> Iterator[str]:
    """How far it was followed, and which parameter went on and on meanwhile."""
    at, start = 0 if way == "downwards" else -1, len(found.lower.points) - 1
    rise = f"where F has risen by {100 * max(found.rises[at], 0):.0f} % of the limit"
    last, best = found.parameters[at], found.parameters[start]
    gone = [k for k in np.flatnonzero(best).tolist() if not 1.0 / FAR < abs(last[k] / best[k]) < FAR]
    if not gone:
        yield f"{found.name} {way}: beyond {found.values[at]:.6g}, {rise}, the other parameters could not be fitted."
        return
    names = " and ".join(parameters[k] for k in gone)
    values = " and ".join(f"{parameters[k]} went from {best[k]:.3g} to {last[k]:.3g}" for k in gone)
    yield (
        f"{found.name} {way}: followed as far as {found.values[at]:.6g}, {rise}. On the way "
        f"{values}, and may go on without end: then the data set no limit, and BOUNDS {names} would be one."
    )


def _of_side(found: Profile, side: Side, way: str, pressed: Sequence[str]) -> Iterator[str]:
    last = found.values[0 if way == "downwards" else -1]
    rise = f"where F has risen by {100 * max(found.rises[0 if way == 'downwards' else -1], 0):.0f} % of the limit"
    others = f", with {' and '.join(pressed)} at a bound" if pressed else ""
    if side.end is End.BOUND:
        yield f"{found.name} {way}: its bound {number(last)} is reached {rise}{others}."
    elif side.end is End.OPEN:
        yield f"{found.name} {way}: flat as far as {last:.4g}, {rise}{others}: the data set no limit."
    elif side.end is End.FAILED:
        yield f"{found.name} {way}: beyond {last:.6g}, {rise}, {side.status}."
    elif side.end is End.JUMP:
        yield (
            f"{found.name} {way}: just beyond {last:.6g}, {rise}, F jumps across it, as where a switch passes an "
            "observation: the limit is there."
        )
    elif pressed:
        are = "are at their bounds" if len(pressed) > 1 else "is at its bound"
        yield f"{found.name} {way}: at the limit {' and '.join(pressed)} {are}; another bound would move the limit."


def basis(found: Threshold) -> str:
    """What the limits stand on."""
    together = "" if found.n_together == 1 else f", jointly for {found.n_together} parameters"
    if found.is_known:
        freedom = counted(found.n_together, "degree") + " of freedom"
        why = f"chi-square, {freedom}: {KNOWN if np.isnan(found.fall) else OF_LIKELIHOOD}"
    else:
        freedom = f"{found.n_together} and {found.n_free} degrees of freedom"
        why = f"F distribution, {freedom}: the error of the observations is estimated from the residuals"
    falls = "" if np.isnan(found.fall) else f", the log likelihood fall by {found.fall:.4g}"
    return f"{found.level:g} % limits{together}: F, the sum of squares, may rise by {found.rise:.5g}{falls} ({why})."


def _filled(sentences: Sequence[str]) -> list[str]:
    return [textwrap.fill(each, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for each in sentences]
