"""What an environment is made of: settings, times, curves and notes, each as one value that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from parfit.model.curves import Curve
from parfit.model.simulation import Method

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Options:
    """The control parameters, numbered as in the manual (Appendix A, OPTION)."""

    output: int = 0  # 1: time and states are written out after every so many integration steps
    suppressed: int = 1  # 2: but not while optimizing
    jacobian: int = 0  # 3: printed 0 in full, 1 as that of the least-squares problem
    formula: int = 1  # 4: 0 Adams, 1 stiff, 2 chosen by the program
    eps: float = 0.01  # 5
    h_min: float = 1e-5  # 6
    h_max: float = 5.0  # 7
    procedure: int = 2  # 8: 1 Gear, 2 trapezoidal rule

    @property
    def method(self) -> Method:
        """How to integrate."""
        formula = ("adams", "bdf", "auto")[self.formula]
        return Method("gear" if self.procedure == 1 else "trapezoid", formula, self.eps, self.h_min, self.h_max)


@dataclass(frozen=True, eq=False)
class Samples:
    """The times at which solutions are asked for; a uniform mesh has no connection to the observations."""

    times: Array
    uniform: bool = False


@dataclass(frozen=True, eq=False)
class Smoothing:
    """Curves through the observations, by the names of the observed variables (SMOOTH)."""

    kind: str  # "spline" or "hermite"
    joints: Mapping[str, Array]
    curves: Mapping[str, Curve]


@dataclass(frozen=True, eq=False)
class Guess:
    """A curve guessed for a state that was not observed (CREOBS)."""

    t: Array
    y: Array
    curve: Curve


@dataclass(frozen=True, eq=False)
class Iterate:
    """A round of an iterated method: the parameters it found and the guesses after it, at the sample times."""

    values: Array
    times: Array
    guesses: Mapping[str, Array]


@dataclass(frozen=True)
class Continuation:
    """The settings of the last CONTIN, with which the next one begins."""

    gamma: float
    breaks: tuple[float, ...]  # times
    weights: tuple[float, ...]  # of the residuals there
    alpha: tuple[float, ...]  # (n_states,)
    lam: float
    rtol: float  # both tolerances negative: the parameters are scaled
    atol: float


@dataclass(frozen=True, eq=False)
class Creation:
    """How observations were simulated."""

    names: tuple[str, ...]  # of the parameters then
    values: Array
    sd: float
    seed: int


@dataclass(frozen=True, eq=False)
class Note:
    """A remark of the user, with the parameters of that moment."""

    text: str
    time: datetime
    names: tuple[str, ...]  # of the parameters then
    values: Array
