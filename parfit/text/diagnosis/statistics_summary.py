"""What one must know of a fit's reliability, on one screen; `statistics.py` has all of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np

from parfit.arrays import Array
from parfit.estimation.diagnosis.study import Study
from parfit.estimation.problem import Evaluation
from parfit.model.naming import experiment_of
from parfit.text.diagnosis import verdicts
from parfit.text.diagnosis.discretisation import advice
from parfit.text.noise import likelihood
from parfit.text.report import columns, error, number, percent

WIDTH = 79
MOST_DOUBTS = 6
MOST_EXPERIMENTS = 20  # that are listed


def none(evaluation: Evaluation) -> str:
    """Why there are no statistics."""
    run = evaluation.trajectory
    stopped = "" if run is not None and run.status else "the integration stopped: "
    return f"there are no statistics, because {stopped}{evaluation.status}"


def summary(study: Study) -> str:
    """The table, how parameters go together, criteria, what is doubtful, and how to see more."""
    found = study.statistics
    said = [*_related(study), *doubts(study)]
    return "\n".join(
        [
            f"{found.n_observations} observations, {found.n_active} parameters, {found.n_free} degrees of freedom",
            table(study),
            *_frozen(study),
            *_fit(study),
            *_scaled(study),
            *by_experiment(study),
            *(textwrap.fill(each, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for each in said),
            "STATS FULL shows all of it: joint regions, correlations, residuals, checks.",
        ]
    )


def table(study: Study) -> str:
    """The active parameters with standard errors and the usual intervals."""
    map_, parts, errors = study.parameters, study.statistics.intervals, study.errors
    active = list(map_.active)
    headings = ["parameter", "value", "standard error", "%"]
    cells = [[map_.names[k] for k in active], [number(v) for v in map_.full[active]]]
    cells += [
        [error(v) for v in errors.values[active]],
        [percent(v) for v in errors.relative(map_.full)[active]],
    ]
    if parts is not None:
        low, high = study.limits(parts.single)
        headings += [f"usual {study.statistics.percentile:g} % interval"]
        cells += [_ranges(low, high)]
    return columns(headings, cells, left=[0, 4])


def _frozen(study: Study) -> Iterator[str]:
    """The parameters that are held: the errors of the others are those with these known for certain."""
    map_ = study.parameters
    held = [f"{map_.names[k]} = {number(map_.full[k])}" for k in sorted(map_.frozen)]
    if held:
        yield textwrap.fill(f"frozen: {', '.join(held)}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _ranges(low: Array, high: Array) -> list[str]:
    """Both ends of intervals; empty for those that have none."""
    ends = [(f"{a:.5g}", f"{b:.5g}") if np.isfinite([a, b]).all() else None for a, b in zip(low, high, strict=True)]
    width = max((len(each[0]) for each in ends if each), default=0)
    return ["unlimited" if each is None else f"{each[0]:>{width}} to {each[1]}" for each in ends]


def _fit(study: Study) -> Iterator[str]:
    found, known = study.statistics, study.criteria
    what = " BY THE LIKELIHOOD" if study.likelihood is not None else ""
    text = f"SUM OF SQUARES{what} {number(found.sum_of_squares)}"
    if found.intervals is not None and not what:
        text += f", STANDARD ERROR OF THE FIT {found.intervals.sd:.4g}"
    yield text
    if study.likelihood is not None:
        yield likelihood(study.likelihood)
    elif known is not None and found.lack is None:
        small = f"{known.aicc:.5g}" if np.isfinite(known.aicc) else "none (too few observations)"
        yield f"AIC {known.aic:.5g}, AICc {small} (for comparing models of the same data)"


def _scaled(study: Study) -> Iterator[str]:
    """What the intervals make of standard deviations in the data."""
    if study.consistency is not None and study.statistics.intervals is not None:
        text = (
            "The intervals are scaled by the standard error of the fit: the standard deviations of the data count "
            "only next to each other. PROFILE and BOOT take them as they are."
        )
        yield textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def by_experiment(study: Study) -> list[str]:
    """How each of several experiments is fitted, a line for each; of very many those that are fitted worst."""
    found = study.residuals
    rows = []
    for name in dict.fromkeys(map(experiment_of, found.names)):
        own = found.weighted[[experiment_of(each) == name for each in found.names]]
        own = own[~np.isnan(own)]
        if own.size:
            total, signs = float(own @ own), (np.count_nonzero(own > 0.0), np.count_nonzero(own < 0.0))
            rows.append((name, own.size, total, np.sqrt(total / own.size), "{} + {} -".format(*signs)))
    if len(rows) < 2:
        return []
    shown = rows if len(rows) <= MOST_EXPERIMENTS else sorted(rows, key=lambda row: -row[3])[:MOST_DOUBTS]
    cells = [(name, str(n), number(total), f"{rms:.4g}", signs) for name, n, total, rms, signs in shown]
    headings = ["experiment", "observations", "sum of squares", "rms residual", "signs"]
    more = [f"and {len(rows) - len(shown)} experiments that are fitted better"] if len(shown) < len(rows) else []
    return ["", columns(headings, list(zip(*cells, strict=True)), left=[0, 4]), *more, ""]


def _related(study: Study) -> Iterator[str]:
    """Parameters that the data hardly tell apart, the closest first."""
    pairs = verdicts.related(study)
    left = len(pairs) - verdicts.MOST_TOLD
    more = f", and {left} more {'pair' if left == 1 else 'pairs'}" if left > 0 else ""
    if pairs:
        yield f"Correlated: {'; '.join(_pair(*each) for each in pairs[: verdicts.MOST_TOLD])}{more}."


def _pair(one: str, other: str, correlation: float) -> str:
    how = "rises with" if correlation > 0.0 else "falls as"
    end = "" if correlation > 0.0 else " rises"
    return f"{other} {how} {one}{end} ({correlation:.4f})"


def doubts(study: Study) -> list[str]:
    """What must be known before the numbers are believed, the gravest first."""
    found = [*verdicts.grave(study)]
    linear = verdicts.linearity(study)
    if len(linear) > 1:
        found.append(linear[-1])
    found += [verdicts.signs(name, runs) for name, runs in study.runs.items() if verdicts.is_doubtful(runs)]
    if study.consistency is not None and verdicts.is_inconsistent(study.consistency):
        found.append(verdicts.consistency(study)[0])
    coarse = advice(study.discretisation)
    if coarse is not None:
        found.append(" ".join(coarse.split()))
    more = len(found) - MOST_DOUBTS
    return found[:MOST_DOUBTS] + ([f"And {more} more remarks."] if more > 0 else [])
