"""Solutions as CSV: every variable at the sample times, with its derivatives by the active parameters."""

from __future__ import annotations

import csv
import io
import math

from parfit.simulation.trajectory import Trajectory


def curves_csv(trajectory: Trajectory) -> str:
    """A row for each sample time that was reached: t, the variables, then d(variable)/d(parameter)."""
    model = trajectory.model
    names = [*model.states, *(name for name, _ in model.aux)]
    headers, columns = ["t", *names], [trajectory.times, *(trajectory.column(name) for name in names)]
    if trajectory.s is not None:
        for name in names:
            slopes = trajectory.sensitivity(name)
            for j, k in enumerate(trajectory.active):
                headers.append(f"d({name})/d({model.parameters[k]})")
                columns.append(slopes[:, j])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(
        [_cell(number) for number in row]
        for row in zip(*(column.tolist() for column in columns), strict=True)
        if not math.isnan(row[1])
    )
    return text.getvalue()


def _cell(number: float) -> str:
    return repr(number) if math.isfinite(number) else ""
