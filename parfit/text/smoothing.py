"""What is said of curves through the observations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parfit.estimation.curves.smoothing import Smoothed
from parfit.text import report


def residuals(found: Mapping[str, Smoothed]) -> str:
    """How near the curves are to the observations."""
    largest = np.array([each.largest for each in found.values()])
    return report.columns(
        ["variable", "values", "joints", "rms residual", "largest", "at t"],
        [
            list(found),
            [str(each.points.t.size) for each in found.values()],
            [str(each.joints.size) for each in found.values()],
            [report.number(each.root_mean_square) for each in found.values()],
            [report.number(value) for value in largest[:, 0]],
            [report.number(value) for value in largest[:, 1]],
        ],
        left=[0],
    )


def joints(found: Smoothed) -> str:
    """Where they are."""
    return " ".join(report.number(joint) for joint in found.joints) or "none"


AT_REST = "observations at t = inf are left out, because curves go through what was observed on the way"


def left_out(name: str, n_times: int) -> str:
    """Why a variable has no curve."""
    return (
        f"{name} has values at {n_times} different times only and is not smoothed; "
        "if it is a state, CREOBS can guess it"
    )
