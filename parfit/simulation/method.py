"""How to integrate: the accurate way, which is the default, and that of the manual; and what it is called."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from parfit.arguments import REAL, shown, whole
from parfit.dataclass import dataclass
from parfit.errors import ParfitError

PROCEDURES = ("gear", "trapezoid")  # in the order of the manual, from 1 on
FORMULAS = ("adams", "bdf", "auto")  # from 0 on; the last one is ours
PROCEDURE_WORDS = ("GEAR", "TRAPEZOIDAL")  # what OPTION calls them
FORMULA_WORDS = ("ADAMS", "STIFF", "AUTOMATIC")
NO_LIMIT = "NONE"  # what OPTION calls an infinite HMAX

DISAGREEMENT = 0.5  # times EPS, of derivatives that should be the same


@dataclass(frozen=True)
class Method:
    """How to integrate."""

    procedure: str = "gear"  # or "trapezoid"
    formula: str = "auto"  # "adams", "bdf", or "auto": Adams until the equations are found to be stiff
    eps: float = 1e-6  # permitted local error next to the largest value of a state so far
    h_min: float = 0.0
    h_max: float = inf  # without a limit, models that depend on time have one: see Simulator
    max_steps: int = 100_000  # between two times

    def __post_init__(self) -> None:
        if not (isinstance(self.procedure, str) and self.procedure in PROCEDURES):
            raise ParfitError(f"{shown(self.procedure)} is no integration procedure: choose 'trapezoid' or 'gear'")
        if not (isinstance(self.formula, str) and self.formula in FORMULAS):
            raise ParfitError(f"{shown(self.formula)} is no family of formulas: choose 'adams', 'bdf' or 'auto'")
        if not 1e-14 <= REAL("EPS", self.eps) <= 1.0:
            raise ParfitError(f"EPS must lie between 1e-14 and 1, not {self.eps:g}")
        whole(1)("the limit of steps", self.max_steps)
        REAL("HMIN", self.h_min)
        REAL("HMAX", self.h_max)
        if not 0.0 <= self.h_min <= self.h_max or not self.h_max > 0.0:
            raise ParfitError(f"HMIN ({self.h_min:g}) and HMAX ({self.h_max:g}) must be such that 0 <= HMIN <= HMAX")

    @property
    def on_times_only(self) -> bool:
        """Whether switches and events are located only where their time is known beforehand."""
        return self.procedure == "trapezoid"

    @property
    def precision(self) -> float:
        """Next to the largest, how well derivatives agree that should: what is smaller is the integration's error.

        The trapezoidal rule's are exact derivatives of what it computes. Of Gear's, columns of models in which two
        parameters say the same differed by .4 EPS at most, at 360 points of 6 models.
        """
        return DISAGREEMENT * self.eps if self.procedure == "gear" else 0.0

    def accurate(self, eps: float = 1e-6) -> Method:
        """The accurate default with another EPS; a largest step that somebody has chosen stays."""
        chosen = self.h_max not in (ACCURATE.h_max, MANUAL.h_max)
        return replace(ACCURATE, eps=eps, h_max=self.h_max if chosen else ACCURATE.h_max)


ACCURATE = Method()
MANUAL = Method("trapezoid", "bdf", eps=0.01, h_min=1e-5, h_max=5.0)  # Appendix A, OPTION


def refusal(eps: float = 1e-6, h_min: float = 0.0, h_max: float = inf) -> str | None:
    """Why an integration cannot do with such limits, as it is said of a number that was entered."""
    try:
        Method(eps=eps, h_min=h_min, h_max=h_max)
    except ParfitError as error:
        return f"will not do: {error}"
    return None
