"""What the Jacobian of a least-squares problem says about its parameters: which the data see, and which they confuse.

Statements are made in relative changes of the parameters (absolute ones where a parameter is 0), because these do not
depend on units; singular values and condition number are also given as the optimizer sees them (thesis, section 1.3).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.minimum import spread
from parfit.estimation.diagnosis.next_observation import NextObservation, advise
from parfit.estimation.diagnosis.residual_tests import rows_counted
from parfit.estimation.diagnosis.tradeoffs import TradeOff, null_vectors, trade_off
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems import trajectory_fit
from parfit.model.calculus.structure import Structure, switches
from parfit.model.model import Model
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import RANK, Spectrum, column_lengths, decompose, directions

WORTH = 10.0  # factor by which logarithms must reduce the condition number to be advised
POOR = 0.5  # relative standard error from which on a parameter could as well be 0 (two of them make 100 %)
FLAT = 1e-4  # of the largest singular value: poor whatever the residuals
REMOVABLE = 0.2  # part of the sum of squares that a step could still remove, from which on the fit is not one yet


class Blindness(Enum):
    """Why the data do not see a parameter."""

    STRUCTURE = "does not occur in the observed part of the model"
    VALUES = "has no effect at these values"
    NEGLIGIBLE = "has a negligible effect at these values"
    SWITCH = "acts only through a switch"
    ROOT = "is 0, where its square root has no slope"


@dataclass(frozen=True)
class Unseen:
    """A parameter (subscript from 0) that the data say nothing of."""

    parameter: int
    reason: Blindness
    detail: str = ""  # the name of the switch


@dataclass(frozen=True, eq=False)
class Combination:
    """A direction of relative changes, of length 1 (n_active,); `error` is its standard error, NaN if not known."""

    s: float
    vector: Array
    error: float


@dataclass(frozen=True, eq=False)
class Probe:
    """A Jacobian examined. Where `usable` is false, nothing was found out."""

    parameters: ParameterMap
    evaluation: Evaluation
    usable: bool
    spectrum: Spectrum  # of the Jacobian by the scaled active parameters
    relative: Array  # the Jacobian by relative changes, (n_observations, n_active)
    relative_spectrum: Spectrum
    rank: int
    condition: float  # without the parameters that are not seen, as the next one
    log_condition: float  # with logarithms of all positive parameters
    error: float  # standard error of the fit, NaN without degrees of freedom
    fitted: bool = True  # whether the sum of squares is about as small as it can be, to first order
    unseen: tuple[Unseen, ...] = ()
    undetermined: tuple[TradeOff, ...] = ()
    combinations: tuple[Combination, ...] = ()  # those that are determined, the worst first
    at_bound: tuple[int, ...] = ()  # subscripts, from 0, of active parameters
    advice: NextObservation | None = None

    @property
    def logarithms_help(self) -> bool:
        """Whether sizes of parameters are what makes the condition number large."""
        return self.usable and not self.undetermined and self.log_condition * WORTH < self.condition < np.inf

    @property
    def poor(self) -> tuple[Combination, ...]:
        """The combinations that are determined poorly."""
        largest = self.relative_spectrum.s[0] if self.relative_spectrum.s.size else 0.0
        return tuple(c for c in self.combinations if c.error > POOR or c.s < FLAT * largest)


def probe(evaluation: Evaluation, parameters: ParameterMap, observations: Observations) -> Probe:
    """Examine a direct problem at the map's own values; trade-offs are tried out by further integrations."""
    run = evaluation.trajectory
    assert run is not None
    assert run.s is not None
    with np.errstate(all="ignore"):  # what is not finite is looked for, and said in words
        relative = _unscaled(evaluation, run, parameters, observations) * parameters.units
        if not (evaluation.usable and np.isfinite(relative).all()):
            nothing = Spectrum(np.empty(0), np.empty((0, 0)))
            at = _at_bound(parameters)
            return Probe(
                parameters, evaluation, False, nothing, relative, nothing, 0, np.inf, np.inf, np.nan, at_bound=at
            )
        return _examine(evaluation, run, parameters, observations, relative)


def _unscaled(evaluation: Evaluation, run: Trajectory, map_: ParameterMap, data: Observations) -> Array:
    """The Jacobian by the parameters themselves, with noise models and priors; also where a scaling has no slope."""
    raw = trajectory_fit.jacobian(run, replace(map_, scaling=()), data)
    others = np.zeros((evaluation.n_priors + evaluation.n_bends, raw.shape[1]))
    slopes = map_.slopes(map_.point)
    found: Array = np.where(slopes != 0.0, evaluation.jac / slopes, np.concatenate((raw, others)))
    return found


def _examine(
    evaluation: Evaluation, run: Trajectory, map_: ParameterMap, data: Observations, relative: Array
) -> Probe:
    lengths = column_lengths(relative)
    predictions = trajectory_fit.residuals(run, data) + (data.weights * np.nan_to_num(data.values))[data.observed]
    reference = max(float(lengths.max()), spread(data))
    seen = np.flatnonzero(lengths > RANK * reference)
    null = null_vectors(relative[:, seen] / lengths[seen], evaluation.precision)
    rank = seen.size - len(null)
    error = _standard_error(evaluation, data)
    logs = np.where(map_.full[list(map_.active)] > 0, relative, evaluation.jac)
    # A square root at 0 blinds the optimizer, not the data; its own column says so.
    blind = column_lengths(evaluation.jac) == 0.0
    spectrum = decompose(relative)
    hidden = switches(run.model, data.names, run.simulator.method.on_times_only)
    return Probe(
        map_,
        evaluation,
        True,
        decompose(evaluation.jac),
        relative,
        spectrum,
        rank,
        decompose(evaluation.jac[:, seen]).condition,
        decompose(logs[:, seen]).condition,
        error,
        _removable(evaluation, relative[:, seen] / lengths[seen]) <= REMOVABLE * evaluation.sum_of_squares,
        tuple(
            Unseen(
                map_.active[j],
                _reason(run.model, hidden, map_, data, j, lengths[j]),
                hidden.get(map_.active[j], ""),
            )
            for j in range(lengths.size)
            if j not in seen or blind[j]
        ),
        tuple(trade_off(run, map_, data, predictions, seen, row / lengths[seen]) for row in null),
        _combinations(relative, seen, rank, error),
        _at_bound(map_),
        advise(run, map_, data, spectrum, rank),
    )


def _standard_error(evaluation: Evaluation, data: Observations) -> float:
    """As STATS has it: combinations that the data do not see take no degree of freedom."""
    counting = rows_counted(evaluation, data)
    free = (
        int(np.count_nonzero(counting))
        - evaluation.n_bends
        - directions(evaluation.jac[counting], evaluation.precision).rank
    )
    return float(np.sqrt(evaluation.sum_of_squares / free)) if free > 0 else np.nan


def _removable(evaluation: Evaluation, columns: Array) -> float:
    """How much of the sum of squares a Gauss-Newton step would remove if the problem were linear."""
    along = directions(columns, evaluation.precision).explained(evaluation.residuals)
    return float(along @ along)


def _at_bound(map_: ParameterMap) -> tuple[int, ...]:
    return tuple(k for k in map_.active if not map_.lower[k] < map_.full[k] < map_.upper[k])


def _combinations(relative: Array, seen: NDArray[np.intp], rank: int, error: float) -> tuple[Combination, ...]:
    """The directions that are determined, from the worst to the best."""
    parts = decompose(relative[:, seen])
    found = []
    for j in reversed(range(rank)):
        vector = np.zeros(relative.shape[1])
        vector[seen] = parts.v[j]
        found.append(Combination(float(parts.s[j]), vector, error / float(parts.s[j])))
    return tuple(found)


# ---- what is not seen


def _reason(
    model: Model, hidden: Collection[int], map_: ParameterMap, data: Observations, j: int, length: float
) -> Blindness:
    k = map_.active[j]
    if k in hidden:
        return Blindness.SWITCH
    if k not in Structure(model).occurring(data.names):
        return Blindness.STRUCTURE
    if map_.scaling[k] is Scaling.SQUARE_ROOT and map_.full[k] == 0.0 and length > 0.0:
        return Blindness.ROOT
    return Blindness.VALUES if length == 0.0 else Blindness.NEGLIGIBLE
