"""What an environment is made of: settings, times, curves and notes, each as one value that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from parfit.arrays import Array, Unchanging
from parfit.dataclass import dataclass
from parfit.model.curves import Curve
from parfit.simulation.method import ACCURATE, FORMULAS, MANUAL, PROCEDURES, Method


@dataclass(frozen=True)
class Options:
    """The control parameters of the manual (Appendix A, OPTION); 4 to 8 are the method of integration."""

    output: int = 0  # 1: time and states are written out after every so many integration steps
    suppressed: int = 1  # 2: but not while optimizing
    jacobian: int = 0  # 3: printed 0 in full, 1 as that of the least-squares problem
    method: Method = ACCURATE
    of_1977: bool = False  # whether whatever else has a default has the manual's

    @property
    def controls(self) -> tuple[float, ...]:
        """All eight as numbers, in the order of the manual."""
        how = self.method
        formula, procedure = FORMULAS.index(how.formula), PROCEDURES.index(how.procedure) + 1
        return (self.output, self.suppressed, self.jacobian, formula, how.eps, how.h_min, how.h_max, procedure)

    def with_controls(self, changes: Mapping[int, float]) -> Options:
        """Other values of some, by their numbers from 1 on; what does not fit together is refused."""
        values = [changes.get(k, value) for k, value in enumerate(self.controls, 1)]
        output, suppressed, jacobian, formula, eps, h_min, h_max, procedure = values
        method = Method(PROCEDURES[int(procedure) - 1], FORMULAS[int(formula)], eps, h_min, h_max)
        return Options(int(output), int(suppressed), int(jacobian), method, self.of_1977)

    def accurate(self) -> Options:
        """The accurate defaults again; what is written out stays as it is."""
        return replace(self, method=ACCURATE, of_1977=False)


@dataclass(frozen=True)
class Display:
    """What is shown and how much is said; nothing that is computed depends on it (OPTION PICTURES, SHOW and TALK)."""

    pictures: str = "AUTO"  # as pixels where the terminal says that it shows them; or KITTY, SIXEL, TEXT
    shown: tuple[str, ...] | None = None  # variables in pictures that commands draw by themselves; None: all, (): none
    each: bool = False  # whether every variable has a small plot of its own there
    talk: str = "NORMAL"  # or BRIEF, FULL
    experiment: str = ""  # the one in sight (EXPERIMENT); none: all of them


OF_1977 = Options(method=MANUAL, of_1977=True)  # all defaults of the manual


@dataclass(frozen=True, eq=False)
class Samples(Unchanging):
    """The times at which solutions are asked for; a uniform mesh has no connection to the observations."""

    times: Array
    uniform: bool = False


@dataclass(frozen=True, eq=False)
class Smoothing(Unchanging):
    """Curves through the observations, by the names of the observed variables (SMOOTH)."""

    kind: str  # "spline" or "hermite"
    joints: Mapping[str, Array]
    curves: Mapping[str, Curve]


@dataclass(frozen=True, eq=False)
class Guess(Unchanging):
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
    lam: float | None = None  # None: the program's choice
    rtol: float = 1e-6  # both tolerances negative: the parameters are scaled
    atol: float | None = None


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
