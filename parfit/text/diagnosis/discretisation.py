"""What the integration adds to the residuals, in words, and how to integrate more accurately."""

from __future__ import annotations

import numpy as np

from parfit.estimation.diagnosis.discretisation import Discretisation
from parfit.estimation.diagnosis.minimum import SIGNIFICANT
from parfit.text.options import option_line


def remedy(found: Discretisation) -> str:
    """The command that integrates more accurately."""
    return option_line(found.method, found.finer)


def advice(found: Discretisation) -> str | None:
    """What the user must know about the integration; None if it does not matter."""
    if not found.status:
        return (
            "Whether the integration is accurate enough is not known, because an accurate one (Gear's method with EPS "
            f"{found.accurate_eps:g}) stopped: {found.status}."
        )
    if np.isnan(found.difference):
        return "Whether the integration is accurate enough is not known, because an accurate one gives no numbers."
    if not found.matters:
        return None
    how = "The trapezoidal rule" if np.isinf(found.eps) else f"Gear's method with EPS {found.eps:g}"
    return (
        f"{how} is too coarse here. Its error at the observations has norm {found.difference:.4g}, "
        f"{_part(found.ratio)} of the residuals ({found.residuals:.4g}); the largest is {found.largest:.4g}, of "
        f"{found.name} at t = {found.time:.6g}. The parameters make up for it{_moved(found.bias)}. To fit accurately "
        f"enter\n"
        f"    {remedy(found)}\nand then FIT again."
    )


def _moved(bias: float) -> str:
    """How far, where it is known."""
    return f", by about {bias:.2g} times the radius of their confidence region" if bias > SIGNIFICANT else ""


def _part(ratio: float) -> str:
    """A ratio in words: a percentage, or times."""
    if not np.isfinite(ratio):
        return "against none"
    return f"{100.0 * ratio:.3g} % of the norm" if ratio < 1.0 else f"{ratio:.3g} times the norm"
