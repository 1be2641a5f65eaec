"""Whether a point is a minimum: at its slopes, and then by trying, because slopes vanish elsewhere too.

At a minimum the residuals are orthogonal to the columns of the Jacobian. The relative offset of Bates and Watts (1981)
compares what is left of them in the columns' space with what is outside, each per degree of freedom: the step that
linear theory would still take, in units of the radius of the confidence region. Where it is small the sum of squares
must rise to both sides along every direction that the data see, and must not fall along the others: parameters that
run away, saddle points and the plateaus of robust losses are told from minima by that.

Residuals are compared with the spread of the data, variable by variable, never with the data's size, which an offset
makes as large as one likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from parfit.arrays import Array, Mask
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.proportion import apart
from parfit.estimation.loss import LeastSquares, Loss
from parfit.estimation.parameters import Scaling
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit, sensitivities
from parfit.model.calculus.structure import switches
from parfit.spectrum import Directions, column_lengths, directions

SIGNIFICANT = 0.1  # an offset that moves the estimates by a tenth of their uncertainty
EXACT = 1e-6  # residuals this small next to the spread of the data leave nothing to be explained
FLAT = 1e-6  # next to the residuals, what changing a parameter by its own size must do for the data to see it
ROUNDING = 1e-10  # residuals this small next to the spread are rounding errors: no measurement is as good
DIGITS = 1e-14  # what rounding leaves of numbers themselves
MOST_KNOWN = 16  # data of which spread and rounding are remembered: a judgement asks for them several times

# How a minimum is tried out: steps that change the residuals by a part of their norm, or by less where the sum of
# squares is not yet a parabola there; a part of the promised rise; and what of the sum a fall must exceed.
TRIAL = 0.1
SHORTER = (1.0, 0.1, 0.01, 1e-3, 1e-4)
RISE = 0.2
FALL = 1e-4
BEYOND = 4.0  # times the step to the minimum of linear theory, so that both sides should rise
SHARE = 0.3  # of the largest part of a direction, for a parameter to be named


@dataclass(frozen=True)
class Standing:
    """What is known of a point; subscripts count the active parameters from 0."""

    minimal: bool
    exact: bool  # the residuals are nothing next to the spread of the data
    offset: float  # distance to the minimum of the linearized problem, in radii of the confidence region
    pressed: tuple[int, ...]  # at a bound that descent would cross, or at the 0 of a square root
    flat: tuple[int, ...]  # along which the sum of squares does not rise
    saddle: tuple[int, ...] = ()  # along which it falls to both sides
    switched: tuple[int, ...] = ()  # that act only through a switch, so that no derivative tells anything of them
    unused: tuple[int, ...] = ()  # that nothing observed depends on, at any values: the others are judged
    apart: tuple[tuple[str, float], ...] = ()  # variables whose data are so many times as large as a flat solution


# ---- how large the data are


def spreads(observations: Observations) -> Array:
    """The weighted norm of each variable about its mean, (n_names,); 0 where all its values are the same."""
    found = np.zeros(len(observations.names))
    for j in range(found.size):
        weights = observations.weights[:, j]
        counts = observations.observed[:, j] & (weights > 0.0)
        if counts.any():
            w, values = weights[counts] / weights[counts].max(), observations.values[counts, j]
            above = values - values[0]
            above = above - float(w**2 @ above) / float(w @ w)
            found[j] = weights[counts].max() * column_lengths((w * above)[:, np.newaxis])[0]
    return found


def extents(observations: Observations, jac: Array, sizes: Array) -> Array:
    """What residuals of each variable are compared with, (n_names,): its spread.

    Where its values are all the same it is what changes of the parameters by their sizes (n_active,) do to it.
    """
    which, found = np.nonzero(observations.observed)[1], spreads(observations)
    for j in np.flatnonzero(found == 0.0):
        found[j] = np.linalg.norm(column_lengths(jac[which == j]) * sizes)
    return found


@lru_cache(maxsize=MOST_KNOWN)
def spread(observations: Observations) -> float:
    """The weighted norm of the data about the mean of each variable."""
    return float(column_lengths(spreads(observations)[:, np.newaxis])[0])


@lru_cache(maxsize=MOST_KNOWN)
def rounding(observations: Observations) -> float:
    """The norm of residuals that are nothing but rounding errors, of the data or of a computation about them."""
    weighted = (observations.weights * np.nan_to_num(observations.values)).ravel()
    return max(ROUNDING * spread(observations), DIGITS * float(column_lengths(weighted[:, np.newaxis])[0]))


def is_exact(evaluation: Evaluation, observations: Observations, sizes: Array) -> bool:
    """Whether the residuals of each variable are nothing next to its extent; `sizes` (n_active,) as for that."""
    which = np.nonzero(observations.observed)[1]
    residuals, jac = evaluation.residuals[: which.size], evaluation.jac[: which.size]
    own = [column_lengths(residuals[which == j, np.newaxis])[0] for j in range(len(observations.names))]
    return bool((np.array(own) <= EXACT * extents(observations, jac, sizes)).all())


# ---- what slopes say


def relative_offset(evaluation: Evaluation, free: Mask | None = None) -> float:
    """The offset at a point; `free` (n_active,) leaves out parameters at a bound."""
    if evaluation.sum_of_squares == 0.0:
        return 0.0
    return float(np.sqrt(imitated(evaluation, evaluation.residuals, free)))


def imitated(evaluation: Evaluation, vector: Array, free: Mask | None = None) -> float:
    """The square of the part of a vector (n_residuals,) that a change of the parameters can imitate.

    Per degree of freedom, and next to what of the residuals no parameters can explain.
    """
    jac = evaluation.jac if free is None else evaluation.jac[:, free]
    found = directions(jac, evaluation.precision)
    if found.rank == 0:
        return 0.0
    part, explained = found.explained(vector), found.explained(evaluation.residuals)
    n, m = evaluation.residuals.size - evaluation.n_bends, found.rank
    within, outside = float(part @ part), evaluation.sum_of_squares - float(explained @ explained)
    if n <= m or outside <= 0.0:
        return within / evaluation.sum_of_squares if evaluation.sum_of_squares > 0.0 else 0.0
    return float((within / m) / (outside / (n - m)))


def undetermined(evaluation: Evaluation) -> int:
    """How many combinations of the parameters the residuals do not see, of those that each parameter alone shows."""
    found = directions(evaluation.jac, evaluation.precision)
    return int(np.count_nonzero(~found.dead)) - found.rank


def unseen(evaluation: Evaluation) -> list[int]:
    """Subscripts of active parameters on which no residual depends: columns of zeros."""
    return np.nonzero(~evaluation.jac.any(axis=0))[0].tolist()


def hardly_seen(evaluation: Evaluation, sizes: Array) -> list[int]:
    """Subscripts of active parameters whose change by their sizes (n_active,) leaves the residuals as they are.

    Where the sum of squares is that flat, a gradient of 0 says nothing about a minimum.
    """
    effects, norm = column_lengths(evaluation.jac) * sizes, np.sqrt(evaluation.sum_of_squares)
    return [int(k) for k in np.flatnonzero(effects <= FLAT * norm)] if norm else []


# ---- the judgement


@np.errstate(all="ignore")  # trials may lead where there are no numbers: there the sum is infinite
def standing(problem: TrajectoryFit, at: Evaluation, p: Array | None = None, loss: Loss | None = None) -> Standing:
    """Judge a usable evaluation at scaled active parameters p (n_active,), by default the problem's own."""
    return _Point(problem, at, problem.parameters.point if p is None else p, loss or LeastSquares()).standing()


class _Point:
    """A point, and the problem near it as its loss weighs it."""

    def __init__(self, problem: TrajectoryFit, at: Evaluation, p: Array, loss: Loss):
        self.problem, self.at, self.p, self.loss = problem, at, p, loss
        self.map, self.observations = problem.parameters, problem.weighted(at)
        self.near = loss.weighted(at)
        self.norm = float(np.sqrt(self.near.sum_of_squares))
        own = np.abs(p)
        logs = np.array([self.map.scaling[k] is Scaling.LOGARITHM for k in self.map.active], dtype=bool)
        self.sizes: Array = np.where(logs, 1.0, own)  # of changes that are large; 0 where nothing tells
        how = problem.simulator.method  # by Gear's, which chooses its steps, two integrations never quite agree
        self.noise = how.eps * spread(self.observations) if how.procedure == "gear" else 0.0  # the norm of that

    def standing(self) -> Standing:
        exact = is_exact(self.at, self.observations, self.sizes)
        pressed = self.map.pressed(self.p, self.near.gradient)
        pressed = pressed | (self._roots(pressed) if not exact else False)
        offset = relative_offset(self.near, ~pressed)
        where = tuple(map(int, np.flatnonzero(pressed)))
        unused = self._unused()
        if exact:
            return Standing(True, exact, offset, where, (), unused=unused)
        self.sum = self._sum(self.p)
        switched = self._switched()
        held = {*where, *switched, *unused}
        flat = [k for k in hardly_seen(self.near, self.sizes) if k not in held and not self._rises_alone(k)]
        if flat or switched or not offset <= SIGNIFICANT:
            far = apart(self.at, self.problem.observations) if flat else ()
            return Standing(False, exact, offset, where, tuple(flat), (), switched, unused, far)
        found = directions(np.where(pressed, 0.0, self.near.jac), self.near.precision)
        saddle = self._falling(found, ~pressed)
        flat = [] if saddle else self._open(found)
        return Standing(not flat and not saddle, exact, offset, where, tuple(flat), tuple(saddle), unused=unused)

    def _switched(self) -> tuple[int, ...]:
        simulator = self.problem.simulator
        hidden = switches(simulator.model, self.problem.observations.names, simulator.method.on_times_only)
        return tuple(k for k, j in enumerate(self.map.active) if j in hidden)

    def _unused(self) -> tuple[int, ...]:
        found = tuple(k for k, j in enumerate(self.map.active) if j not in self.problem.depended_on)
        return found if len(found) < self.p.size else ()  # then nothing is left to be judged

    # -- trials

    def _sum(self, p: Array) -> float:
        """What is minimized, at other parameters; infinite where it cannot be had."""
        residuals = self._residuals(p)
        total = self.loss.sum(residuals) if residuals is not None else np.inf
        return total if np.isfinite(total) else np.inf

    def _residuals(self, p: Array) -> Array | None:
        full = self.map.expand(p)
        if not np.isfinite(full).all():
            return None
        run = self.problem.simulator(full)
        return self.problem.residuals(run) if run.status else None

    def _within(self, change: Array) -> float:
        """The largest part, up to 1, of a change that the bounds allow."""
        low, high = self.map.active_bounds
        room = np.where(change > 0.0, high - self.p, self.p - low)
        moved = np.abs(change)
        parts = np.divide(room, moved, out=np.full(moved.size, np.inf), where=moved > 0.0)
        return float(min(1.0, max(parts.min(initial=1.0), 0.0)))

    def _rise(self, change: Array, promised: float, slope: float) -> float | None:
        """The sum's rise beyond a part of what is promised, quadratic and linear; None where a bound forbids it."""
        part = self._within(change)
        rise = promised * part**2 + slope * part
        if part < 1.0 and rise <= FALL * promised:
            return None
        return self._sum(self.p + part * change) - self.sum - RISE * rise

    def _seen_along(self, change: Array, norm: float, along: float, lost: bool = True) -> bool:
        """Whether the sum rises to both sides of a change that should change the residuals by `norm`.

        `along` is the part of the residuals in that direction. Shorter changes are tried where it is no parabola, and,
        unless it counts as a rise (`lost`), where the equations can be integrated on neither side.
        """
        first = max(TRIAL * self.norm, BEYOND * abs(along), 3.0 * self.noise)
        for part in SHORTER:
            target = part * first
            if target < BEYOND * abs(along):
                return False
            step = change * (target / norm)
            sides = [self._rise(sign * step, target**2, 2.0 * sign * target * along) for sign in (1.0, -1.0)]
            if all(side is None or side >= 0.0 for side in sides) and (lost or sides != [np.inf, np.inf]):
                return True
        return False

    def _rises_alone(self, k: int) -> bool:
        """Whether a parameter that is hardly seen is so because it is near 0, and not because it has run away."""
        column = self.near.jac[:, k]
        norm = float(column_lengths(column[:, np.newaxis])[0])
        if norm == 0.0:
            return False
        change = np.zeros(self.p.size)
        change[k] = 1.0
        return self._seen_along(change, norm, float(column @ self.near.residuals) / norm, lost=False)

    def _open(self, found: Directions) -> list[int]:
        """The first parameter that the data see, but along which the sum does not rise while the others follow it."""
        explained, s, v = found.explained(self.near.residuals), found.s[: found.rank], found.v[: found.rank]
        for k in np.flatnonzero(~found.dead):
            effect = v[:, k] / s  # on the residuals, of the change by which this parameter is least determined
            norm = float(np.linalg.norm(effect))
            change = (effect / s) @ v / found.lengths
            if norm > 0.0 and not self._seen_along(change, norm, float(effect @ explained) / norm):
                return [int(k)]
        return []

    def _falling(self, found: Directions, free: Mask) -> list[int]:
        """Parameters of the direction along which the sum falls most to both sides: a saddle point."""
        left = float(np.linalg.norm(found.explained(self.near.residuals)))
        lowest = self.sum * (1.0 - FALL) - 2.0 * self.norm * (TRIAL * left + self.noise)
        members: list[int] = []
        for direction, change in self._balanced(found, free):
            sides = [self._sum(self.p + sign * self._within(sign * change) * change) for sign in (1.0, -1.0)]
            if max(sides) < lowest:
                lowest, members = max(sides), _members(direction)
        return members

    def _balanced(self, found: Directions, free: Mask) -> Iterator[tuple[Array, Array]]:
        """Directions of which the slopes say nothing or little, and changes along them that are worth a trial."""
        for j in range(found.rank):
            yield found.v[j], found.v[j] / found.lengths * (TRIAL * self.norm / float(found.s[j]))
        for direction in found.null:
            change = self._unnoticed(np.where(free, direction, 0.0) / found.lengths, found)
            if change is not None:
                yield direction, change

    def _unnoticed(self, change: Array, found: Directions) -> Array | None:
        """A change that the slopes do not see, of a length that the residuals do: part of the parameters' sizes."""
        sizes = np.where(self.sizes > 0.0, self.sizes, np.where(found.dead, np.inf, self.norm / found.lengths))
        largest = float((np.abs(change) / sizes).max())
        if largest == 0.0:
            return None
        change = TRIAL / largest * change
        here = self._residuals(self.p)
        for _ in range(2):  # it goes with the square of the length, and then nearly so
            there = self._residuals(self.p + change)
            moved = np.inf if there is None or here is None else float(np.linalg.norm(there - here))
            if moved <= TRIAL * self.norm:
                break
            change = change * (np.sqrt(TRIAL * self.norm / moved) if np.isfinite(moved) else TRIAL)
        return change

    # -- square roots

    def _roots(self, pressed: Mask) -> Mask:
        """Which parameters are squares near 0 that would be negative if they could: a root of 0 has no slope."""
        map_, active = self.map, list(self.map.active)
        roots = np.array([map_.scaling[k] is Scaling.SQUARE_ROOT for k in active], dtype=bool) & ~pressed
        run = self.at.trajectory
        if not roots.any() or run is None or run.s is None:
            return np.zeros(len(active), dtype=bool)
        residuals = self.at.residuals[: self.at.n_data]
        weights = self.loss.weights(residuals)
        columns = sensitivities(run, self.problem.observations)
        upward = (weights * residuals) @ columns
        lengths = weights @ columns**2
        # A Gauss-Newton step of this parameter alone would lead across 0; it is there if 0 itself is as good.
        candidates = roots & (upward > 0.0) & (upward >= lengths * map_.expand(self.p)[active])
        found = np.zeros(len(active), dtype=bool)
        for k in np.flatnonzero(candidates):
            zero = self.p.copy()
            zero[k] = 0.0
            found[k] = self._is_as_good(zero)
        return found

    def _is_as_good(self, p: Array) -> bool:
        """Whether the sum is the same but for what is not significant."""
        here, there = self._sum(self.p), self._sum(p)
        freedom = max(self.near.residuals.size - self.near.n_bends - self.p.size, 1)
        return abs(there - here) <= SIGNIFICANT**2 * self.near.sum_of_squares / freedom


def _members(direction: Array) -> list[int]:
    """The parameters of which a direction mostly consists."""
    parts = np.abs(direction)
    return [int(k) for k in np.flatnonzero(parts >= SHARE * parts.max())]
