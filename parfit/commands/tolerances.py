"""When a search by Marquardt's method is to end: the questions that all commands ask which search."""

from __future__ import annotations

from parfit.dialogue import Dialogue
from parfit.estimation.marquardt import Settings
from parfit.questions import Question

RELATIVE = Question("relative tolerance", "RELATIVE TOLERANCE", "Enter a number such as 1e-6; negative to scale.")
ABSOLUTE = Question("absolute tolerance", "ABSOLUTE TOLERANCE", "Enter a number such as 1e-15; negative to scale.")


def ask_tolerances(ask: Dialogue, default: Settings | None = None) -> tuple[float, float]:
    """Relative and absolute, as they are entered: both negative mean that the columns are to be scaled."""
    usual = default or Settings()
    sign = -1.0 if usual.scaled else 1.0
    rtol = ask.number(RELATIVE, sign * usual.rtol)
    return rtol, ask.number(ABSOLUTE, sign * usual.atol)
