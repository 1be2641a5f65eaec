"""Where a point stands: at a minimum, at a bound, on a plain that the data do not see, or still on its way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parfit.estimation.direct import Direct, sensitivities
from parfit.estimation.occurrence import switches
from parfit.estimation.optimum import SIGNIFICANT, hardly_seen, is_exact, relative_offset
from parfit.estimation.parameters import Scaling
from parfit.estimation.problem import Evaluation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """What the first derivatives say of a point; subscripts count the active parameters from 0."""

    minimal: bool
    exact: bool  # the residuals are nothing next to the observations
    offset: float  # distance to the minimum of the linearized problem, in radii of the confidence region
    pressed: tuple[int, ...]  # at a bound that descent would cross, or at the 0 of a square root
    flat: tuple[int, ...]  # of no influence at the point
    switched: tuple[int, ...] = ()  # that act only through a switch, so that no derivative tells anything of them


def standing(problem: Direct, at: Evaluation, p: Array | None = None) -> Standing:
    """Judge a usable evaluation at scaled active parameters p (n_active,), by default the problem's own.

    Without its trajectory, as that of a robust loss, nothing can be said of roots of 0.
    """
    map_, data = problem.parameters, problem.observations
    point = map_.start if p is None else p
    pressed = map_.pressed(point, at.gradient) | _at_root(problem, at, point)
    offset = relative_offset(at, ~pressed)
    exact = is_exact(at, (data.weights * np.nan_to_num(data.values)).ravel())
    flat = [] if exact else [k for k in hardly_seen(at, map_.sizes(point)) if not pressed[k]]
    hidden = switches(problem.simulator.model, data.names)
    switched = tuple(k for k, j in enumerate(map_.active) if j in hidden)
    minimal = exact or (offset <= SIGNIFICANT and not flat and not switched)
    flat = [k for k in flat if k not in switched]
    return Standing(minimal, exact, offset, tuple(map(int, np.flatnonzero(pressed))), tuple(flat), switched)


def _at_root(problem: Direct, at: Evaluation, point: Array) -> NDArray[np.bool_]:
    """Which parameters are squares near 0 that would be negative if they could: a root of 0 has no slope."""
    map_, active = problem.parameters, list(problem.parameters.active)
    roots = np.array([map_.scaling[k] is Scaling.SQUARE_ROOT for k in active], dtype=bool)
    if not roots.any() or at.trajectory is None or at.trajectory.s is None:
        return np.zeros(len(active), dtype=bool)
    columns = sensitivities(at.trajectory, problem.observations)
    upward = at.residuals @ columns
    lengths = np.einsum("ij,ij->j", columns, columns)
    # A Gauss-Newton step of this parameter alone would lead across 0.
    beyond = upward >= lengths * map_.expand(point)[active]
    pressed: NDArray[np.bool_] = roots & (upward > 0.0) & beyond
    return pressed
