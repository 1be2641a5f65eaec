"""Continuation with break points (CONTIN; thesis, section 3.5): from integral fitting to the full problem.

The equations see (1 - gamma) s + gamma u in place of u: gamma = 0 is IFIT 1, gamma = 1 the full problem on smoothed
data. At break points the solution is drawn back to the curves s by (I - A), A = diag(alpha), so that it cannot run
away between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.curves.sampled import Weights, sample_times, values_at
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.along_curves import AlongCurves
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.variables import split
from parfit.simulation.blending import Blended
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Step, Trajectory

HALVINGS = 4  # of the step to a value of gamma that fails; Table 3.5.1 went down to about a fifteenth


@dataclass(frozen=True)
class Broken:
    """Gamma, and where and how the solution is drawn back to the curves."""

    gamma: float
    breaks: tuple[int, ...] = ()  # subscripts of sample times, from 0, increasing, without the first and the last
    alpha: tuple[float, ...] = ()  # (n_states,), 1 where nothing is drawn back; needed with break points
    weights: tuple[float, ...] = ()  # of the residuals at the break points


class ContinuationFit(AlongCurves):
    """u' = g(t, (1 - gamma) s + gamma u, p), u(t0) = y0(p) against the curves s at all sample times (3.5.1).

    At a break point T the value just before, u-, counts, times the weight there; the solution goes on from
    A u- + (I - A) s(T). Residuals stand by time and then by variable, states before aux quantities; an aux quantity
    with a curve is compared with h(t, u, p). States without a curve need gamma = 1 and an alpha of 1.
    """

    def __init__(
        self,
        model: Model,
        parameters: ParameterMap,
        times: ArrayLike,
        curves: Mapping[str, Curve],
        broken: Broken,
        method: Method | None = None,
        scale: ArrayLike | None = None,
        weights: Weights | None = None,
    ):
        states, aux = split(model, curves)
        names, at = (*states, *aux), sample_times(times)
        _check(model, states, at.size, broken)
        super().__init__(parameters, at, names, values_at(curves, names, at), weights)
        self.broken = broken
        variables = (*model.states, *(name for name, _ in model.aux))
        self._columns = [variables.index(name) for name in self.names]
        self._has_aux = bool(aux)
        self._spread = super().spread  # as if there were no break points
        self._weights[list(broken.breaks)] *= np.array(broken.weights)[:, np.newaxis]
        self._alpha = np.array(broken.alpha)
        self._drawn = _drawn_back(model, curves, self.times[list(broken.breaks)])
        self._simulators = _simulators(model, parameters, self.times, curves, broken, method, scale)

    @np.errstate(all="ignore")
    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian; where a piece of the solution cannot be integrated, that is the result's status."""
        runs = self._pieces(active, sensitivities=True)
        if not runs[-1].status:
            n, m = self._expected.size, len(self.parameters.active)
            return Evaluation(np.full(n, np.nan), np.full((n, m), np.nan), runs[-1].status)
        values, derivatives = zip(*(self._columns_of(run, int(k > 0)) for k, run in enumerate(runs)), strict=True)
        return self._compared(active, np.concatenate(values), np.concatenate(derivatives))

    @property
    def spread(self) -> float:
        """That of the curves, a weighted sum of squares."""
        return self._spread

    @np.errstate(all="ignore")
    def solution(self, active: Array) -> tuple[Array, dict[str, Array], Status]:
        """Times and the compared variables with a gap of NaN at every break point, and how the integration ended."""
        runs = self._pieces(active, sensitivities=False)
        gap = np.full((1, len(self.names)), np.nan)
        times, values = [], []
        for run in runs:
            times += [run.times, run.times[-1:]]
            values += [self._all(run)[:, self._columns], gap]
        columns = np.concatenate(values[:-1]).T
        return np.concatenate(times[:-1]), dict(zip(self.names, columns, strict=True)), runs[-1].status

    @np.errstate(all="ignore")
    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration from break point to break point, one in `every`."""
        p, runs = self.parameters.expand(active), self._pieces(active, sensitivities=False)
        starts = [None, *(run.y[0] for run in runs[1:])]
        return [
            step
            for simulator, start in zip(self._simulators, starts, strict=False)
            for step in simulator.steps(p, every, start)
        ]

    def _pieces(self, active: Array, sensitivities: bool) -> list[Trajectory]:
        """The solution from break point to break point, up to the end or the piece that cannot be integrated."""
        p = self.parameters.expand(active)
        runs = [self._simulators[0](p, sensitivities)]
        for simulator, curve in zip(self._simulators[1:], self._drawn, strict=True):
            last = runs[-1]
            if not last.status:
                break
            y = self._alpha * last.y[-1] + (1.0 - self._alpha) * curve
            s = None if last.s is None else np.ascontiguousarray(self._alpha[:, np.newaxis] * last.s[-1])
            runs.append(simulator(p, sensitivities, y, s))
        return runs

    def _columns_of(self, run: Trajectory, first: int) -> tuple[Array, Array]:
        """What is compared with the curves, and its derivatives; the first row of a later piece is no residual."""
        assert run.s is not None
        s = run.s
        if self._has_aux:
            assert run.aux_s is not None
            s = np.concatenate((s, run.aux_s), axis=1)
        return self._all(run)[first:, self._columns], s[first:, self._columns]

    def _all(self, run: Trajectory) -> Array:
        return np.concatenate((run.y, run.aux), axis=1) if self._has_aux else run.y


class Steps:
    """The values of gamma to be tried: those that were asked for, and others on the way to one that fails.

    A failure halves the step, a success doubles it again; the way is given up when the step would be less than
    1/16 of the one that was asked for.
    """

    def __init__(self, values: Sequence[float], reached: float = 0.0):
        self._values = list(values)
        self.reached = reached  # so far
        self.given_up: float | None = None  # the value that could not be reached
        self._step = self._least = 0.0
        self._begin()

    @property
    def value(self) -> float | None:
        """What to try next; None where all were reached, or the way was given up."""
        if not self._values:
            return None
        return min(self._values[0], round(self.reached + self._step, 12))

    def succeed(self) -> None:
        """The value was reached."""
        assert self.value is not None
        self.reached = self.value
        if self.reached == self._values[0]:
            del self._values[0]
            self._begin()
        else:
            self._step = min(2.0 * self._step, self._values[0] - self.reached)

    def fail(self) -> None:
        """The value was not reached."""
        self._step /= 2.0
        if self._step < self._least or self._step <= 0.0:
            self.given_up, self._values = self._values[0], []

    def _begin(self) -> None:
        self._step = self._values[0] - self.reached if self._values else 0.0
        self._least = self._step / 2**HALVINGS


def _simulators(
    model: Model,
    parameters: ParameterMap,
    times: Array,
    curves: Mapping[str, Curve],
    broken: Broken,
    method: Method | None,
    scale: ArrayLike | None,
) -> list[Simulator]:
    """One for every piece; each begins with the break point at which the one before ends."""
    blended = None
    if broken.gamma < 1.0:
        blended = Blended(np.full(len(model.states), broken.gamma), [curves[name] for name in model.states])
    ends = [*broken.breaks, times.size - 1]
    found = [Simulator(model, times[: ends[0] + 1], method, parameters.active, scale, blended)]
    for first, last in pairwise(ends):
        piece = times[first : last + 1]
        found.append(Simulator(model, piece, method, parameters.active, scale, blended, float(piece[0])))
    return found


def _drawn_back(model: Model, curves: Mapping[str, Curve], times: Array) -> Array:
    """The curves of the states at the break points, 0 for a state that has none, (n_breaks, n_states)."""
    values = np.zeros((times.size, len(model.states)))
    for k, name in enumerate(model.states):
        if name in curves:
            values[:, k] = curves[name](times)
    return values


def _check(model: Model, states: tuple[str, ...], n_times: int, broken: Broken) -> None:
    """Refuse what the method cannot do."""
    missing = [name for name in model.states if name not in states]
    if not 0.0 <= broken.gamma <= 1.0:
        raise ParfitError(f"the continuation parameter must lie between 0 and 1, not {broken.gamma:g}")
    if missing and broken.gamma < 1.0:
        raise ParfitError(
            f"{', '.join(missing)}: not observed, and a continuation parameter below 1 takes smoothed data of every "
            "state; use 1, and break points"
        )
    if any(b < 1 or b > n_times - 2 for b in broken.breaks) or (np.diff(broken.breaks) <= 0).any():
        raise ParfitError("break points must increase, and leave out the first and the last sample time")
    if len(broken.weights) != len(broken.breaks) or not all(0.0 <= w < np.inf for w in broken.weights):
        raise ParfitError("every break point needs one weight, finite and not negative")
    if not broken.breaks:
        return
    if len(broken.alpha) != len(model.states) or not all(0.0 <= a <= 1.0 for a in broken.alpha):
        raise ParfitError("every state needs one continuation parameter for break points, between 0 and 1")
    for name in missing:
        if broken.alpha[model.states.index(name)] != 1.0:
            raise ParfitError(f"{name} was not observed: its continuation parameter for break points must be 1")
