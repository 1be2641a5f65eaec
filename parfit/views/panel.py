"""The table beside the picture of NUDGE: the parameters, the step, the sum of squares and its changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.naming import told_apart
from parfit.text import report

if TYPE_CHECKING:
    from parfit.views.nudge import Nudge

CHOSEN = ">"
LONGEST_NAME = 12
WIDEST_NAME = 24  # where there is room for it
VALUE = "     value"  # as wide as seven digits with a point, a sign and a zero before them
WIDE = 110  # columns from which on there is room for the values in the beginning


def rows(view: Nudge, width: int, height: int) -> list[str]:
    """Lines of text: as many parameters as there is room for, among them the chosen one."""
    below = _summary(view)
    return [*_parameters(view, width >= WIDE, max(height - len(below) - 1, 3)), "", *below]


def _parameters(view: Nudge, wide: bool, room: int) -> list[str]:
    """A heading, and the parameters around the chosen one."""
    map_, n = view.env.parameters, len(view.env.parameters.names)
    first = min(max(view.selected - (room - 1) // 2, 0), max(n - (room - 1), 0))
    shown = range(first, min(first + room - 1, n))
    names = told_apart(map_.names, WIDEST_NAME if wide else LONGEST_NAME)
    headings = ["", f"of {n}" if len(shown) < n else "", VALUE, *(["began at"] if wide else []), ""]
    columns = [
        [CHOSEN if k == view.selected else " " for k in shown],
        [names[k] for k in shown],
        [report.number(map_.full[k]) for k in shown],
        *([[report.number(view.first.env.values[k]) for k in shown]] if wide else []),
        [_state(map_, k) for k in shown],
    ]
    left = [0, 1, len(columns) - 1]
    return _columns(headings, columns, left)


def _columns(headings: list[str], columns: list[list[str]], left: list[int]) -> list[str]:
    widths = [max(map(len, [heading, *column])) for heading, column in zip(headings, columns, strict=True)]
    found = []
    for row in zip(*([heading, *column] for heading, column in zip(headings, columns, strict=True)), strict=True):
        cells = [
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        found.append(" ".join(cells).rstrip())
    return found


def _state(map_: ParameterMap, k: int) -> str:
    return " ".join([map_.scaling[k].typed.lower()] * bool(map_.scaling[k]) + ["frozen"] * (k in map_.frozen))


def _summary(view: Nudge) -> list[str]:
    """The step, and the sum of squares with what the last change and all changes did to it."""
    total, before, first = view.content.total, view.before.total, view.first.total
    lines = [f"step {view.percent:g} %{_step(view)}"]
    if total is None:
        data = view.env.observations
        return [
            *lines,
            "F not known:",
            "no observations" if data is None or not data.n_observations else "see SAMPLE 1",
        ]
    return [
        *lines,
        f"F       {_number(total)}",
        f"change  {_difference(total, before)}",
        f"in all  {_difference(total, first)}",
        f"lambda  {view.lam:.3g}",
        *_method(view),
    ]


def _method(view: Nudge) -> list[str]:
    """A sum of squares without control of its error is not to be taken for an accurate one."""
    return ["trapezoidal rule"] if view.env.options.method.procedure == "trapezoid" else []


def _step(view: Nudge) -> str:
    """The step in the parameter's own units, or how it is made."""
    scaling = view.env.parameters.scaling[view.selected]
    if scaling is Scaling.NONE:
        return f" = {view.percent / 100 * view.size:.4g}"
    return ", a factor" if scaling is Scaling.LOGARITHM else " of the root"


def _number(total: float) -> str:
    return report.number(total) if math.isfinite(total) else "not known"


def _difference(total: float, before: float | None) -> str:
    if before is None or not (math.isfinite(total) and math.isfinite(before)):
        return ""
    return f"{total - before:+.5g}" if total != before else "0"
