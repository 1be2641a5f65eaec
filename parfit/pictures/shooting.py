"""Multiple shooting: the solution with its gaps at break points, and the observations."""

from __future__ import annotations

from parfit.estimation.problem import Evaluation
from parfit.estimation.strategies.shoot import Weighting
from parfit.estimation.strategies.watching import Part
from parfit.pictures.solution import fitted
from parfit.plotting import Picture
from parfit.text import report


def with_gaps(part: Part, reached: Evaluation) -> Picture | None:
    """What a problem with break points has led to; nothing of the full problem, which FIT shows better."""
    if not isinstance(part.about, Weighting) or not part.about.weight:
        return None
    return fitted(part.env, reached.trajectory, f"sum of squares {report.number(reached.sum_of_squares)}")
