"""Results as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parfit.model.model import Model
from parfit.model.observations import Observations
from parfit.model.simulation import Trajectory

Array = NDArray[np.float64]


def number(value: float) -> str:
    """Seven significant digits, blank for what is not known."""
    return "" if np.isnan(value) else f"{value:.7g}"


def table(headings: Sequence[str], columns: Sequence[Array]) -> str:
    """Numbers in columns that line up, under their headings."""
    cells = [[heading, *map(number, column)] for heading, column in zip(headings, columns, strict=True)]
    widths = [max(map(len, column)) for column in cells]
    rows = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*cells, strict=True)
    ]
    return "\n".join(row.rstrip() for row in rows)


def parameters(model: Model, values: Array) -> str:
    """The parameters with their values, on one line."""
    return ", ".join(f"{name} = {number(v)}" for name, v in zip(model.parameters, values, strict=True))


def solution(trajectory: Trajectory) -> str:
    """States and aux quantities at the times that were reached."""
    model = trajectory.model
    names = [*model.states, *(name for name, _ in model.aux)]
    reached = ~np.isnan(trajectory.y).any(axis=1)
    columns = [trajectory.times, *(trajectory.column(name) for name in names)]
    return table(["t", *names], [column[reached] for column in columns])


def comparison(trajectory: Trajectory, observations: Observations) -> str:
    """Each observed quantity beside its observations, and the weighted sum of squares."""
    rows = np.searchsorted(trajectory.times, observations.times)
    headings, columns, total = ["t"], [observations.times], 0.0
    for j, name in enumerate(observations.names):
        computed = trajectory.column(name)[rows]
        headings += [name, f"{name} observed"]
        columns += [computed, observations.values[:, j]]
        residuals = observations.weights[:, j] * (computed - observations.values[:, j])
        total += float(np.nansum(residuals**2))
    text = table(headings, columns)
    return text if not trajectory.status else f"{text}\n\nsum of squares of the residuals: {number(total)}"


def work(trajectory: Trajectory) -> str:
    """What the integration took."""
    counts = trajectory.counts
    text = f"{counts.steps} steps, {counts.evaluations} evaluations, {counts.factorizations} factorizations"
    if trajectory.stiff_time is not None:
        text += f"; found to be stiff at t = {trajectory.stiff_time:.4g}"
    return text
