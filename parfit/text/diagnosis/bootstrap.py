"""A bootstrap as a table and as sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from parfit.estimation.resampling import Bootstrap, Kind
from parfit.estimation.strategies.reliability.boot import Result
from parfit.text.report import columns, number, parameters

WIDTH = 79
OFF = 0.25  # standard errors: a smaller bias is not worth a word
OUTERMOST = 2.0  # fits beyond each limit: with fewer of them it is a matter of luck


def told(found: Result) -> str:
    """What moved, the table, what is to be noticed, and what it stands on."""
    boot = found.bootstrap
    return "\n".join([*moved(found), table(boot), *_filled([*remarks(boot), basis(boot)]), ""])


def moved(found: Result) -> list[str]:
    """That the parameters were not at their minimum."""
    if not found.is_moved:
        return []
    head = (
        f"The parameters were not at the minimum, and are now: SUM OF SQUARES {number(found.total)} instead of "
        f"{number(found.before)}; UNDO goes back"
    )
    return [*_filled([head]), parameters(found.env)]


def table(found: Bootstrap) -> str:
    """Values, standard errors and limits."""
    return columns(headings(found), list(zip(*rows(found), strict=True)), left=[0])


def headings(found: Bootstrap) -> list[str]:
    return ["", "value", "standard error", f"{found.level:g} % from", "to"]


def rows(found: Bootstrap) -> list[tuple[str, ...]]:
    every = zip(found.names, found.best, found.errors, *found.limits, strict=True)
    return [(name, number(value), *(_short(each) for each in rest)) for name, value, *rest in every]


def _short(value: float) -> str:
    return number(float(f"{value:.5g}"))


def remarks(found: Bootstrap) -> Iterator[str]:
    """Fits that failed, ended at bounds, or are off on the average; limits that few fits stand for."""
    if found.n_failed:
        part = 100.0 * found.n_failed / found.n
        yield f"{found.n_failed} of {found.n} data sets ({part:.2g} %) could not be fitted, and are left out."
    for name, part in zip(found.names, found.at_bounds, strict=True):
        if part:
            yield f"{name} ended at a bound in {100.0 * part:.2g} % of the fits: its limits hang on that bound."
    wide = found.limits[1] - found.limits[0]
    for name, value, error, width in zip(found.names, found.values.T, found.errors, wide, strict=True):
        if error > width:
            farthest = _short(float(value[np.abs(value - np.median(value)).argmax()]))
            yield f"A few fits of {name} are far away, as {farthest}: its limits hold, its standard error does not."
    for name, bias, error, width in zip(found.names, found.biases, found.errors, wide, strict=True):
        if OFF * error < abs(bias) and error <= width:
            way = "above" if bias > 0 else "below"
            yield (
                f"The fits of {name} lie {_short(abs(bias))} {way} its value on the average, which is "
                f"{abs(bias) / error:.2g} standard errors: it is estimated with a bias."
            )
    if len(found.points) * (0.5 - found.level / 200.0) < OUTERMOST:
        yield f"{len(found.points)} fits are few for limits of {found.level:g} %: these are the outermost of them."


def basis(found: Bootstrap) -> str:
    """What the limits stand on."""
    drawn = "errors of the size that the residuals or the data tell, normal unless NOISE says otherwise"
    if found.kind is Kind.RESIDUALS:
        drawn = "errors drawn from the residuals"
    return (
        f"{found.level:g} % limits: percentiles of {len(found.points)} fits to data drawn anew, with {drawn} (seed "
        f"{found.seed})."
    )


def _filled(sentences: Sequence[str]) -> list[str]:
    return [textwrap.fill(each, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for each in sentences]
