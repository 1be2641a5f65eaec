"""Statistics as text: what STATS shows and REPORT 9 prints."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.estimation.diagnosis.discretisation import TOLERATED
from parfit.estimation.diagnosis.nonlinearity import BoundaryPoint
from parfit.estimation.diagnosis.statistics import Intervals, Statistics
from parfit.estimation.diagnosis.study import Study
from parfit.estimation.parameters import Scaling
from parfit.text.diagnosis import verdicts
from parfit.text.diagnosis.discretisation import advice
from parfit.text.diagnosis.statistics_summary import by_experiment
from parfit.text.report import assignments, columns, number, titled

WIDTH = 79
HELD = "others held"
OF_LIKELIHOOD = "what the likelihood squares, computed less observed in the units of the noise model"
UNLIMITED = "unlimited"  # in place of an infinite number


def statistics_text(study: Study) -> str:
    """Everything, in sections."""
    found = study.statistics
    sections = [_summary(study), _sentences("REMARKS", verdicts.remarks(study))]
    if found.intervals is not None:
        sections += [_intervals(study, found.intervals), _unscaled(study, found.intervals)]
        sections += [_axes(study, found.intervals)]
    if found.determination.determined.any():
        sections += [_matrix("CORRELATION MATRIX", study, found.determination.correlation)]
    if found.intervals is not None:
        sections += [_matrix("COVARIANCE MATRIX", study, found.intervals.covariance), _boundary(study)]
    experiments = "\n".join(by_experiment(study)).strip("\n")
    sections += [
        titled("EXPERIMENT BY EXPERIMENT", experiments) if experiments else "",
        _residuals(study),
        _sentences("SIGNS OF THE RESIDUALS", [verdicts.signs(*item) for item in study.runs.items()]),
        _sentences("CONSISTENCY AND UNIQUENESS", verdicts.consistency(study)),
        _sentences("DISCRETISATION", [_discretisation(study)]),
    ]
    return "\n".join(section for section in sections if section).rstrip("\n")


def _n_active(found: Statistics) -> str:
    """How many parameters, and of how many combinations of them the data tell."""
    rank = found.determination.rank
    return str(found.n_active) if rank == found.n_active else f"{found.n_active}, {rank} COMBINATIONS DETERMINED"


def _summary(study: Study) -> str:
    found, map_ = study.statistics, study.parameters
    rows = [
        ("NUMBER OF OBSERVATIONS", str(found.n_observations)),
        ("NUMBER OF ACTIVE PARAMETERS", _n_active(found)),
        (_what_is_summed(study), number(found.sum_of_squares)),
    ]
    if found.intervals is not None and _is_known(study):
        square = found.determination.rank * found.intervals.f_value
        freedom = f"{found.determination.rank} DEGREES OF FREEDOM"
        rows.append((f"CHI-SQUARE, {found.percentile:g} %", f"{number(square)}, {freedom}"))
    elif found.intervals is not None:
        freedom = f"{found.determination.rank} AND {found.n_free} DEGREES OF FREEDOM"
        rows.append(("STANDARD ERROR OF THE FIT", f"{number(found.intervals.sd)}, WHICH SCALES ALL INTERVALS"))
        rows.append((f"F DISTRIBUTION, {found.percentile:g} %", f"{number(found.intervals.f_value)}, {freedom}"))
    frozen = sorted(map_.frozen)
    if frozen:
        rows.append(("FROZEN", assignments([map_.names[k] for k in frozen], map_.full[frozen])))
    return "".join(f"{label:35}{value}\n" for label, value in rows)


def _what_is_summed(study: Study) -> str:
    return "SUM OF SQUARES OF THE RESIDUALS" if study.likelihood is None else "SUM OF SQUARES BY THE LIKELIHOOD"


def _is_known(study: Study) -> bool:
    """Whether noise models tell all errors, so that residuals scale nothing."""
    return study.likelihood is not None and not study.likelihood.estimates


def _intervals(study: Study, parts: Intervals) -> str:
    """The parameters as they were fitted with half-widths of their intervals."""
    names, values = study.names, study.parameters.point
    widths = (parts.joint, parts.conditional, parts.single, parts.single_conditional)
    cells = [names, _cells(values), *(_cells(width) for width in widths)]
    level = f"{study.statistics.percentile:g} %"
    return titled(
        f"PARAMETERS AND {level} INTERVALS (+ OR -)",
        columns(["parameter", "value", "joint", HELD, "usual", HELD], cells, left=[0]) + _which_is_which(study),
    )


def _which_is_which(study: Study) -> str:
    """What the intervals mean."""
    found, by = study.statistics, "the normal distribution" if _is_known(study) else "Student's t"
    return "\n" + _wrapped(
        f"The usual interval is that of one parameter at a time, by {by}. The joint one holds for all at once: "
        f"its region of {found.determination.rank} parameters is larger. Beside each stands how wide it would be if "
        "all other parameters were known."
    )


def _unscaled(study: Study, parts: Intervals) -> str:
    """Scaled parameters themselves; their intervals are not symmetric."""
    map_ = study.parameters
    scaled = [j for j, k in enumerate(map_.active) if map_.scaling[k] is not Scaling.NONE]
    if not scaled:
        return ""
    ends = [_cells(end[scaled]) for widths in (parts.joint, parts.single) for end in study.limits(widths)]
    subscripts = [map_.active[j] for j in scaled]
    return titled(
        "THE SCALED PARAMETERS THEMSELVES",
        columns(
            ["parameter", "value", "joint from", "to", "usual from", "to"],
            [[map_.names[k] for k in subscripts], _cells(map_.full[subscripts]), *ends],
            left=[0],
        ),
    )


def _axes(study: Study, parts: Intervals) -> str:
    """Principal axes, the best determined combination first."""
    labels = [f"axis {k + 1}" for k in range(parts.lengths.size)]
    text = _blocks(
        "", labels, ["half length", *study.names], np.column_stack((parts.lengths, _without_rounding(parts.axes)))
    )
    if not study.statistics.determination.is_full:
        text += f"\nOther axes are {UNLIMITED}."
    return titled("PRINCIPAL AXES OF THE CONFIDENCE REGION (LENGTH AND DIRECTION COSINES)", text)


def _matrix(title: str, study: Study, matrix: Array) -> str:
    """A matrix over the parameters that are determined."""
    known = np.flatnonzero(study.statistics.determination.determined)
    names = [study.names[k] for k in known]
    return titled(title, _blocks("", names, names, matrix[np.ix_(known, known)]))


def _blocks(corner: str, labels: Sequence[str], headings: Sequence[str], matrix: Array) -> str:
    """A matrix in blocks of columns that fit the width."""
    cells = [_cells(column) for column in matrix.T]
    widths = [max(map(len, (heading, *column))) for heading, column in zip(headings, cells, strict=True)]
    room = WIDTH - max(map(len, (corner, *labels)))
    blocks: list[list[int]] = [[]]
    for k, width in enumerate(widths):
        if blocks[-1] and sum(widths[j] + 2 for j in blocks[-1]) + width + 2 > room:
            blocks.append([])
        blocks[-1].append(k)
    return "\n\n".join(
        columns([corner, *(headings[k] for k in block)], [labels, *(cells[k] for k in block)], left=[0])
        for block in blocks
    )


def _boundary(study: Study) -> str:
    """F on the boundary of the region against the linear theory, and what that means."""
    points, total = study.boundary, study.statistics.sum_of_squares
    text = "\n".join(_wrapped(sentence) for sentence in verdicts.linearity(study))
    if points:
        cells = [
            [verdicts.place(study, point) for point in points],
            [number(total + point.rise) for point in points],
            [_actual(point, number(total + point.actual)) for point in points],
            [_actual(point, f"{point.factor:.4g}") if not point.failed else "" for point in points],
        ]
        text = columns(["at", "linear theory", "actual F", "rise, actual/linear"], cells, left=[0]) + "\n" + text
    return titled("LINEARITY: F ON THE BOUNDARY OF THE JOINT REGION", text)


def _actual(point: BoundaryPoint, text: str) -> str:
    return "none" if point.failed else text


def _residuals(study: Study) -> str:
    listed = study.residuals
    cells = [
        [number(t) for t in listed.times],
        listed.names,
        *([number(v) for v in column] for column in (listed.observed, listed.computed)),
        *([number(v) for v in column] for column in (listed.weighted, listed.standardized)),
    ]
    headings = ["t", "variable", "observed", "computed", "residual", "standardized"]
    what = "weight * (computed - observed)" if study.likelihood is None else OF_LIKELIHOOD
    note = f"A residual is {what}; standardized, it is divided by its standard error."
    return titled("RESIDUALS", f"{columns(headings, cells, left=[1])}\n{_wrapped(note)}")


def _discretisation(study: Study) -> str:
    said, found = advice(study.discretisation), study.discretisation
    if said is not None:
        return said
    if found.ratio > TOLERATED:  # of an exact fit, say
        others = (
            f"the residuals {found.residuals:.4g}, and the data vary about their means by {found.observations:.4g}"
        )
        return f"The error of the integration at the observations has norm {found.difference:.4g}, {others}."
    return (
        f"The error of the integration at the observations has norm {found.difference:.4g}, the residuals have "
        f"{found.residuals:.4g}: it does not matter."
    )


# ---- parts


def _cells(values: Array) -> list[str]:
    return [number(value) if np.isfinite(value) else UNLIMITED for value in values]


def _without_rounding(axes: Array) -> Array:
    """Direction cosines, without those that are rounding errors."""
    return np.where(np.abs(axes) < 1e-14, 0.0, axes)


def _sentences(title: str, sentences: Sequence[str]) -> str:
    return titled(title, "\n".join(map(_wrapped, sentences))) if sentences else ""


def _wrapped(text: str) -> str:
    """Filled lines; those that begin with blanks stay as they are."""
    return "\n".join(
        line if line.startswith(" ") else textwrap.fill(line, WIDTH, break_on_hyphens=False)
        for line in text.split("\n")
    )
