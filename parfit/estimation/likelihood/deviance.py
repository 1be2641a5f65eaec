"""The deviance E of a fit (-2 log L but for a constant) as a sum of squares T, which optimizers can make small.

T = n exp(E/n), which with one unknown standard deviation is F itself. Where others are known E has their chi-square,
whose exponential is no sum of squares far from a fit: beyond a knee T goes on as a straight line. A knee at minus
infinity makes T = n + E, which is chi-square where all errors are known.
"""

from __future__ import annotations

import math

import numpy as np

from parfit.dataclass import dataclass


@dataclass(frozen=True)
class Scale:
    """T by E and back, both increasing and with continuous slopes."""

    n: int  # observations
    knee: float = math.inf  # E/n, beyond which T is a line

    @np.errstate(all="ignore")  # what is too large is infinite
    def total(self, deviance: float) -> float:
        """T by E; infinite where that is no number."""
        each = deviance / self.n
        if self.knee == -math.inf:
            return self.n + deviance if each == each else math.inf
        if each > self.knee:
            return self.n * float(np.exp(self.knee)) * (1.0 + each - self.knee)
        return self.n * float(np.exp(each)) if each == each else math.inf

    def deviance(self, total: float) -> float:
        """E by T."""
        if self.knee == -math.inf:
            return total - self.n
        each = math.log(total / self.n)
        if each > self.knee:
            each = self.knee + math.expm1(each - self.knee)
        return self.n * each

    def slope(self, total: float) -> float:
        """The derivative of log T by E."""
        if self.knee == -math.inf:
            return 1.0 / total
        return math.exp(min(self.knee - math.log(total / self.n), 0.0)) / self.n
