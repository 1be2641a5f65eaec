"""Simulation of a model, with the derivatives of everything by the active parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parfit.errors import ParfitError
from parfit.kernel.gear import gear
from parfit.kernel.system import Blending
from parfit.kernel.trapezoid import trapezoid
from parfit.model.assembly import Compiled, Pattern
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.status import Reason, Status

Array = NDArray[np.float64]

# A state that starts at 0 and is not observed gets its size from a rough integration with this error criterion,
# in which no state counts for less than this part of the largest.
ROUGH_EPS, ROUGH_FLOOR = 0.03, 1e-3


@dataclass(frozen=True)
class Method:
    """How to integrate; the defaults are those of the manual (Appendix A, OPTION)."""

    procedure: str = "trapezoid"  # or "gear"
    formula: str = "bdf"  # "adams", "bdf", or "auto": Adams until the equations are found to be stiff
    eps: float = 0.01  # permitted local error next to the largest value of a state so far
    h_min: float = 1e-5
    h_max: float = 5.0
    max_steps: int = 100_000  # between two times

    def __post_init__(self) -> None:
        if self.procedure not in ("trapezoid", "gear"):
            raise ParfitError(f"{self.procedure!r} is no integration procedure: choose 'trapezoid' or 'gear'")
        if self.formula not in ("adams", "bdf", "auto"):
            raise ParfitError(f"{self.formula!r} is no family of formulas: choose 'adams', 'bdf' or 'auto'")
        if not 1e-14 <= self.eps <= 1.0:
            raise ParfitError(f"EPS must lie between 1e-14 and 1, not {self.eps:g}")
        if not 0.0 <= self.h_min <= self.h_max or not self.h_max > 0.0:
            raise ParfitError(f"HMIN ({self.h_min:g}) and HMAX ({self.h_max:g}) must be such that 0 <= HMIN <= HMAX")


@dataclass(frozen=True)
class Counts:
    """Work done."""

    steps: int
    evaluations: int  # of g
    factorizations: int
    jacobians: int = 0  # of g_y
    failed_tests: int = 0
    failed_corrections: int = 0


@dataclass(frozen=True)
class Blended:
    """The model sees (1 - gamma_i) curve_i(t) + gamma_i y_i; where gamma_i is 1 the curve may be None."""

    gamma: Array  # (n_states,)
    curves: Sequence[Curve | None]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A solution at given times; rows after the point where the integration stopped are NaN."""

    model: Model
    parameters: Array  # (n_params,)
    active: tuple[int, ...]
    times: Array  # (n_times,)
    y: Array  # (n_times, n_states)
    s: Array | None  # dy/dp, (n_times, n_states, n_active)
    aux: Array  # (n_times, n_aux)
    aux_s: Array | None  # (n_times, n_aux, n_active)
    status: Status
    counts: Counts
    stiff_time: float | None = None  # where the automatic method found the equations to be stiff

    def column(self, name: str) -> Array:
        """The values of a state or an aux quantity."""
        values, k = self._locate(name)
        return (self.y if values == "y" else self.aux)[:, k]

    def sensitivity(self, name: str) -> Array:
        """d(name)/dp at the times, (n_times, n_active)."""
        if self.s is None or self.aux_s is None:
            raise ParfitError("this simulation was made without sensitivities")
        values, k = self._locate(name)
        return (self.s if values == "y" else self.aux_s)[:, k]

    def _locate(self, name: str) -> tuple[str, int]:
        key = name.lower()
        for values, names in (("y", self.model.states), ("aux", tuple(n for n, _ in self.model.aux))):
            lowered = [n.lower() for n in names]
            if key in lowered:
                return values, lowered.index(key)
        raise ParfitError(f"{name!r} is neither a state nor an aux quantity of {self.model.name}")


def simulate(
    model: Model,
    times: ArrayLike,
    parameters: ArrayLike | None = None,
    method: Method = Method(),  # noqa: B008 - immutable
    sensitivities: bool = False,
    active: Sequence[int] | None = None,
    scale: ArrayLike | None = None,
    blended: Blended | None = None,
) -> Trajectory:
    """Integrate a model from its initial time and give the solution at `times`, which must not decrease.

    `parameters` default to the model's; `active` (subscripts from 0) says by which to differentiate, by default all.
    `scale` (n_states,) gives sizes of the states that errors are relative to, such as the largest observations;
    0 means unknown. The trapezoidal rule steps from one time to the next, whatever the error.
    """
    p = _parameters(model, parameters)
    compiled = model.compiled(tuple(range(p.size)) if active is None else tuple(active))
    grid = _grid(model, times)
    blending = None if blended is None else _blending(compiled, blended)
    if method.procedure == "trapezoid":
        y, s, end = trapezoid(compiled.system, grid, p, sensitivities, blending)
    else:
        y, s, end = _gear(compiled, grid, p, method, sensitivities, blending, scale)
    skip = grid.size - np.size(times)
    if skip:
        y, s, grid = y[skip:], None if s is None else s[skip:], grid[skip:]
    reason, time, state, counts = end[:4]
    status = Status(Reason(reason), time, model.states[state] if state >= 0 else None, method.max_steps)
    aux, aux_s = _aux(compiled, grid, y, s, p)
    stiff = end[4] if len(end) > 4 and end[4] == end[4] else None
    return Trajectory(model, p, compiled.active, grid, y, s, aux, aux_s, status, Counts(*counts), stiff)


def _parameters(model: Model, parameters: ArrayLike | None) -> Array:
    if parameters is None:
        return model.values
    p = np.ascontiguousarray(parameters, dtype=float)
    if p.shape != model.values.shape:
        raise ParfitError(f"{model.name} has {model.values.size} parameters, not {p.size}")
    return p


def _grid(model: Model, times: ArrayLike) -> Array:
    """The times with the initial time in front."""
    grid = np.ascontiguousarray(times, dtype=float)
    if grid.ndim != 1 or grid.size == 0 or not np.isfinite(grid).all():
        raise ParfitError("the times must be a list of finite numbers")
    if grid[0] < model.t0 or (np.diff(grid) < 0).any():
        raise ParfitError(f"the times must not decrease nor lie before the initial time {model.t0:g}")
    return grid if grid[0] == model.t0 else np.concatenate(([model.t0], grid))


def _blending(compiled: Compiled, blended: Blended) -> Blending:
    curves = [None if curve is None else (curve.breaks, curve.coefs) for curve in blended.curves]
    return Blending(compiled.system, blended.gamma, curves)


def _gear(
    compiled: Compiled,
    grid: Array,
    p: Array,
    method: Method,
    sensitivities: bool,
    blending: Blending | None,
    scale: ArrayLike | None,
) -> Any:
    n = compiled.system.n
    sizes = np.zeros(n) if scale is None else np.array(scale, dtype=float)
    limits = {"h_min": method.h_min, "h_max": method.h_max, "max_steps": method.max_steps}
    unknown = compiled.starts_at_zero(p, grid[0]) & (sizes == 0)
    if unknown.any() and grid.size > 1:
        rough = gear(
            compiled.system, grid[[0, -1]], p, sizes, False, blending, "bdf", ROUGH_EPS, floor=ROUGH_FLOOR, **limits
        )
        sizes[unknown] = rough[2][5][unknown]
    return gear(
        compiled.system, grid, p, sizes, sensitivities, blending, method.formula, method.eps, **limits
    )


def _aux(compiled: Compiled, times: Array, y: Array, s: Array | None, p: Array) -> tuple[Array, Array | None]:
    """The aux quantities and their sensitivities h_y s + h_p."""
    tape, m = compiled.outputs, len(compiled.active)
    if tape is None:
        return np.empty((times.size, 0)), None if s is None else np.empty((times.size, 0, m))
    y = np.ascontiguousarray(y)
    if s is None:
        return tape.evaluate(times, y, p, 1)[0], None
    h, h_y, h_p = tape.evaluate(times, y, p, 3)
    by_state = _dense(h_y, compiled.output_patterns[0], y.shape[1])
    return h, by_state @ s + _dense(h_p, compiled.output_patterns[1], m)


def _dense(values: Array, pattern: Pattern, n_columns: int) -> Array:
    """Sparse matrices (n_points, n_entries) in full, (n_points, n_rows, n_columns)."""
    start, column = pattern
    full = np.zeros((values.shape[0], start.size - 1, n_columns))
    full[:, np.repeat(np.arange(start.size - 1), np.diff(start)), column] = values
    return full
