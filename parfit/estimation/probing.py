"""What the Jacobian of a least-squares problem says about its parameters: which the data see, and which they confuse.

Statements are made in relative changes of the parameters (absolute ones where a parameter is 0), because these do not
depend on units; singular values and condition number are also given as the optimizer sees them (thesis, section 1.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from parfit.estimation import direct
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Evaluation
from parfit.model.model import Model
from parfit.model.observations import Observations
from parfit.model.simulation import Trajectory

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-10  # of the largest: far above rounding, which leaves 1e-16 where columns depend on each other
ABSENT = 1e-6  # part of a null vector, in columns of length 1, that is rounding and not a parameter's share
EXACT = 1e-7  # relative change of predictions that is none
WHOLE = 1e-5  # how near exponents and coefficients are to whole numbers that are meant
MOST = 6  # the largest whole number that is looked for
POOR = 0.5  # relative standard error from which on a parameter could as well be 0 (two of them make 100 %)
FLAT = 1e-4  # of the largest singular value: poor whatever the residuals
HELPFUL = 1.01  # least factor by which one more observation should raise a singular value
REMOVABLE = 0.2  # part of the sum of squares that a step could still remove, from which on the fit is not one yet
CHUNK = 256  # candidates that are computed together


class Blindness(Enum):
    """Why the data do not see a parameter."""

    STRUCTURE = "does not occur in the observed part of the model"
    VALUES = "has no effect at these values"
    NEGLIGIBLE = "has a negligible effect at these values"
    ROOT = "is 0, where its square root has no slope"


class Form(Enum):
    """How parameters make up for each other: by factors, or by differences."""

    PRODUCT = "product"
    SUM = "sum"


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Singular values, descending, (n_active,), and the right singular vectors in the rows of v."""

    s: Array
    v: Array

    @property
    def condition(self) -> float:
        """The largest by the smallest; infinite where the smallest is 0 to rounding."""
        if not self.s.size or self.s[-1] <= self.s[0] * self.s.size * np.finfo(float).eps:
            return np.inf
        return float(self.s[0] / self.s[-1])


@dataclass(frozen=True)
class Unseen:
    """A parameter (subscript from 0) that the data say nothing of."""

    parameter: int
    reason: Blindness


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Parameters that can change together without any change of the residuals, to first order at least."""

    members: tuple[int, ...]  # subscripts from 0
    coefficients: Array  # exponents of a common factor, or multiples of a common difference
    form: Form
    change: float  # of the predictions, relative to the largest, when tried; NaN if it could not be
    tried: Array | None  # all parameters as they were tried

    @property
    def exact(self) -> bool:
        return self.change <= EXACT


@dataclass(frozen=True, eq=False)
class Combination:
    """A direction of relative changes, of length 1 (n_active,); `error` is its standard error, NaN if not known."""

    s: float
    vector: Array
    error: float


@dataclass(frozen=True)
class Advice:
    """The one more observation that would help most, and what it does to the singular value that it is to raise."""

    variable: str
    time: float
    weight: float
    before: float
    after: float

    @property
    def helps(self) -> bool:
        return self.after > HELPFUL * self.before


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
    advice: Advice | None = None

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
        raw = direct.jacobian(run, replace(parameters, scaling=()), observations)
        relative = raw * _units(parameters)
        if not (evaluation.usable and np.isfinite(relative).all()):
            nothing = Spectrum(np.empty(0), np.empty((0, 0)))
            at = _at_bound(parameters)
            return Probe(
                parameters, evaluation, False, nothing, relative, nothing, 0, np.inf, np.inf, np.nan, at_bound=at
            )
        return _examine(evaluation, run, parameters, observations, raw, relative)


def _examine(
    evaluation: Evaluation, run: Trajectory, map_: ParameterMap, data: Observations, raw: Array, relative: Array
) -> Probe:
    lengths = _lengths(relative)
    predictions = evaluation.residuals + (data.weights * np.nan_to_num(data.values))[data.observed]
    reference = max(float(lengths.max()), _lengths(predictions[:, np.newaxis])[0])
    seen = np.flatnonzero(lengths > NEGLIGIBLE * reference)
    null = _null_vectors(relative[:, seen] / lengths[seen])
    rank = seen.size - len(null)
    error = _standard_error(evaluation, data)
    logs = np.where(map_.full[list(map_.active)] > 0, relative, evaluation.jac)
    # A square root at 0 blinds the optimizer, not the data; its own column says so.
    blind = _lengths(evaluation.jac) == 0.0
    spectrum = decompose(relative)
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
        _removable(evaluation, relative[:, seen] / lengths[seen]) <= REMOVABLE * evaluation.total,
        tuple(
            Unseen(map_.active[j], _reason(run.model, map_, data, j, lengths[j]))
            for j in range(lengths.size)
            if j not in seen or blind[j]
        ),
        tuple(_trade_off(run, map_, data, predictions, seen, row / lengths[seen]) for row in null),
        _combinations(relative, seen, rank, error),
        _at_bound(map_),
        advise(run, map_, data, spectrum, rank),
    )


def decompose(jac: Array) -> Spectrum:
    """Singular values and right vectors of a Jacobian, as many as it has columns."""
    missing = max(jac.shape[1] - jac.shape[0], 0)
    _, s, v = np.linalg.svd(np.pad(jac, ((0, missing), (0, 0))), full_matrices=False)
    return Spectrum(s, v)


def _units(map_: ParameterMap) -> Array:
    """What a relative change is a part of: the parameter's size, or 1 where it is 0, (n_active,)."""
    size = np.abs(map_.full[list(map_.active)])
    return np.where(size > 0, size, 1.0)


def _lengths(columns: Array) -> Array:
    """Of the columns, however large or small their numbers are."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    lengths: Array = safe * np.sqrt(((columns / safe) ** 2).sum(axis=0))
    return lengths


def _standard_error(evaluation: Evaluation, data: Observations) -> float:
    free = int(np.count_nonzero(data.weights)) - evaluation.jac.shape[1]
    return float(np.sqrt(evaluation.total / free)) if free > 0 else np.nan


def _removable(evaluation: Evaluation, columns: Array) -> float:
    """How much of the sum of squares a Gauss-Newton step would remove if the problem were linear."""
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    along = u[:, s > NEGLIGIBLE * s.max(initial=0.0)].T @ evaluation.residuals
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


def _reason(model: Model, map_: ParameterMap, data: Observations, j: int, length: float) -> Blindness:
    k = map_.active[j]
    if k not in occurring(model, data.names):
        return Blindness.STRUCTURE
    if map_.scaling[k] is Scaling.SQUARE_ROOT and map_.full[k] == 0.0 and length > 0.0:
        return Blindness.ROOT
    return Blindness.VALUES if length == 0.0 else Blindness.NEGLIGIBLE


def occurring(model: Model, names: tuple[str, ...]) -> set[int]:
    """Subscripts of the parameters on which the named states and aux quantities can depend at all."""
    parts, aux = model.derivation, [name for name, _ in model.aux]
    outputs = {aux.index(name) for name in names if name in aux}
    found = {k for i, k in parts.outputs.by_parameter if i in outputs}
    states = {model.states.index(name) for name in names if name in model.states}
    stack = [*states, *(j for i, j in parts.outputs.by_state if i in outputs)]
    reached: set[int] = set()
    while stack:
        i = stack.pop()
        if i not in reached:
            reached.add(i)
            stack += [j for row, j in parts.dynamics.by_state if row == i]
    return found | {k for part in (parts.dynamics, parts.initial) for i, k in part.by_parameter if i in reached}


# ---- what cannot be told apart


def _null_vectors(columns: Array) -> list[Array]:
    """A basis, with as many zeros as elimination gives, of the changes that columns of length 1 do not see."""
    parts = decompose(columns) if columns.shape[1] else Spectrum(np.empty(0), np.empty((0, 0)))
    rows = parts.v[parts.s <= NEGLIGIBLE * parts.s[0]].copy() if parts.s.size else parts.v
    pivots: list[int] = []
    for i in range(len(rows)):
        free = np.abs(rows[i:])
        free[:, pivots] = 0.0
        at, pivot = divmod(int(free.argmax()), free.shape[1])
        rows[[i, i + at]] = rows[[i + at, i]]
        rows[i] /= rows[i, pivot]
        others = np.arange(len(rows)) != i
        rows[others] -= np.outer(rows[others, pivot], rows[i])
        pivots.append(pivot)
    return [np.where(np.abs(row) > ABSENT * np.abs(row).max(), row, 0.0) for row in rows]


def _trade_off(
    run: Trajectory, map_: ParameterMap, data: Observations, predictions: Array, seen: NDArray[np.intp], row: Array
) -> TradeOff:
    """What a null vector of relative changes means: as factors if that holds when tried, otherwise as differences."""
    present = np.flatnonzero(row)
    places = seen[present]
    members = np.array(map_.active)[places]
    p = map_.full[members]
    differences = row[present] * _units(map_)[places]
    found = []
    if (p != 0.0).all():
        powers = _plain(differences / p)
        found.append(_tried(run, data, predictions, members, powers, Form.PRODUCT))
    if not found or not found[0].exact:
        found.append(_tried(run, data, predictions, members, _plain(differences), Form.SUM))
    return min(found, key=lambda each: (np.isnan(each.change), each.change))


def _plain(vector: Array) -> Array:
    """A vector as small whole numbers if it is a multiple of such; otherwise with a first entry of 1."""
    vector = vector * np.sign(vector[0])
    for q in range(1, MOST + 1):
        scaled = vector * (q / np.abs(vector).max())
        whole: Array = np.round(scaled)
        if (np.abs(scaled - whole) < WHOLE).all() and (whole != 0.0).all():
            return whole
    plain: Array = vector / vector[0]
    return plain


def _tried(
    run: Trajectory, data: Observations, predictions: Array, members: NDArray[np.intp], by: Array, form: Form
) -> TradeOff:
    """A trade-off after an integration at other values: by a factor of 2, or by less where that one fails."""
    change, tried = np.nan, None
    for size in (1.0, -1.0, 0.1, -0.1):
        full = run.parameters.copy()
        full[members] = _moved(full[members], by, form, size)
        other = run.simulator(full)
        after = direct.residuals(other, data)
        if other.status and np.isfinite(after).all():
            difference = np.abs(after - direct.residuals(run, data)).max()
            change, tried = float(difference / (np.abs(predictions).max() or 1.0)), full
            break
    return TradeOff(tuple(map(int, members)), by, form, change, tried)


def _moved(p: Array, by: Array, form: Form, size: float) -> Array:
    """Parameters moved along a trade-off; of size 1, one of them doubles, halves, or changes by half of itself."""
    moved: Array
    if form is Form.PRODUCT:
        moved = p * 2.0 ** (size * by / np.abs(by).max())
    else:
        nonzero = p != 0.0
        step = 0.5 / np.abs(by[nonzero] / p[nonzero]).max() if nonzero.any() else 1.0 / np.abs(by).max()
        moved = p + size * step * by
    return moved


# ---- where to observe


def advise(run: Trajectory, map_: ParameterMap, data: Observations, spectrum: Spectrum, rank: int) -> Advice | None:
    """The observation that raises the smallest singular value of relative changes most; None if there is none.

    Of several that are 0 the first is meant, as one observation can raise only one of them from 0.
    """
    names, weights, rows = candidates(run, map_, data)
    m = spectrum.s.size
    target = min(rank, m - 1)
    z = rows.reshape(-1, m) @ spectrum.v.T
    # By Courant and Fischer a row cannot raise the square of that singular value by more than this.
    bound = np.hypot(spectrum.s[target], _lengths(z[:, target:].T))
    order = np.argsort(-bound, kind="stable")
    order = order[np.isfinite(bound[order])]
    best, before = -1, float(spectrum.s[target]) if rank == m else 0.0
    after = before + NEGLIGIBLE * float(spectrum.s[0])
    for start in range(0, order.size, CHUNK):
        chunk = order[start : start + CHUNK]
        if bound[chunk[0]] <= after:
            break
        raised = updated(spectrum.s, z[chunk])[:, target]
        if raised.max() > after:
            best, after = int(chunk[raised.argmax()]), float(raised.max())
    if best < 0:
        return None
    at, which = divmod(best, len(names))
    return Advice(names[which], float(run.times[at]), float(weights[which]), before, after)


def updated(s: Array, z: Array) -> Array:
    """Singular values after one row is added: for each row of z, given in the right singular vectors, (n, m)."""
    stacked = np.zeros((len(z), s.size + 1, s.size))
    stacked[:, : s.size] = np.diag(s)
    stacked[:, s.size] = z
    values: Array = np.asarray(np.linalg.svd(stacked, compute_uv=False), dtype=np.float64)
    return values


def candidates(run: Trajectory, map_: ParameterMap, data: Observations) -> tuple[tuple[str, ...], Array, Array]:
    """All variables, the weight of an observation of each, and its row by relative changes, (n_times, n_names, m).

    What was observed keeps its typical weight; what was not is weighted as the others are next to their sizes.
    """
    assert run.s is not None
    assert run.aux_s is not None
    names = (*run.model.states, *(name for name, _ in run.model.aux))
    values = np.concatenate((run.y, run.aux), axis=1)
    largest = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    sizes = np.where(largest > 0.0, largest, 1.0)
    typical = {name: float(np.median(w[w > 0])) for name, w in zip(data.names, data.weights.T, strict=True) if w.any()}
    known = [typical[name] * size for name, size in zip(names, sizes, strict=True) if name in typical]
    precision = float(np.median(known)) if known else 1.0
    weights = np.array([typical.get(name, precision / size) for name, size in zip(names, sizes, strict=True)])
    rows = np.concatenate((run.s, run.aux_s), axis=1) * _units(map_) * weights[:, np.newaxis]
    return names, weights, rows
