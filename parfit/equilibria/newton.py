"""Damped Newton's method for g(y) = 0 from many starting points at once, with the exact g_y."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.spectrum import shortest_solutions

# Points (k, n) -> residuals (k, m), and their derivatives (k, m, n); m > n where linear conditions are added.
System = Callable[[Array], tuple[Array, Array]]

MOST_STEPS = 80
MOST_HALVINGS = 12
DESCENT = 1e-4  # what a step must take off the residual at least, next to the linear model
SMALL_STEP = 1e-6  # at a double root the steps do not get below the square root of the rounding error
SMALL_RESIDUAL = 1e-9
SMALLEST_STEP = 1e-14  # nothing more can be gained
CUT = 1e-7  # singular values below this part of the largest count as 0, where g_y is singular on a whole line
ROUNDING = 1e-14  # the same elsewhere


@dataclass(frozen=True, eq=False)
class Ends:
    """Where the starting points came to: (k, n), their last steps, and which of them are roots."""

    points: Array
    steps: Array  # largest components; about the errors, (k,)
    converged: NDArray[np.bool_]


@np.errstate(all="ignore")
def newton(system: System, starts: Array, singular: bool = False) -> Ends:
    """Newton's method with halved steps from each start; `singular` takes the shortest of all possible steps.

    States and residuals should be scaled to sizes around 1.
    """
    z = starts.copy()
    r, jac = system(z)
    norm = _lengths(r)
    size = np.where(norm == 0.0, 0.0, np.inf)  # a start that is a root is one even where g_y is not defined
    moving = np.isfinite(norm) & np.isfinite(jac).all(axis=(1, 2))
    for _ in range(MOST_STEPS):
        at = np.flatnonzero(moving)
        if not at.size:
            break
        d = _steps(r[at], jac[at], singular)
        size[at] = np.abs(d).max(axis=1)
        taken = _take(system, z, r, norm, at, d)
        moving[at[~taken | (size[at] < SMALLEST_STEP)]] = False
        left = at[taken]
        if left.size:
            jac[left] = system(z[left])[1]
            moving[left] &= np.isfinite(jac[left]).all(axis=(1, 2))
    return Ends(z, size, (size < SMALL_STEP) & (norm < SMALL_RESIDUAL))


def _take(system: System, z: Array, r: Array, norm: Array, at: NDArray[np.intp], d: Array) -> NDArray[np.bool_]:
    """Go each step, or a half, a quarter ... of it, so that the residual falls; z, r and norm are changed."""
    taken = np.zeros(at.size, dtype=bool)
    part = 1.0
    for _ in range(MOST_HALVINGS):
        left = np.flatnonzero(~taken)
        if not left.size:
            break
        trial = z[at[left]] + part * d[left]
        new = system(trial)[0]
        length = _lengths(new)
        good = length < (1.0 - DESCENT * part) * norm[at[left]]
        z[at[left[good]]], r[at[left[good]]], norm[at[left[good]]] = trial[good], new[good], length[good]
        taken[left[good]] = True
        part /= 2.0
    return taken


def _steps(r: Array, jac: Array, singular: bool) -> Array:
    if not singular and jac.shape[1] == jac.shape[2]:
        try:
            d = np.asarray(-np.linalg.solve(jac, r[..., np.newaxis])[..., 0], dtype=np.float64)
        except np.linalg.LinAlgError:  # one of them is singular
            pass
        else:
            if np.isfinite(d).all():
                return d
    return -shortest_solutions(jac, r, CUT if singular else ROUNDING)


def _lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt((rows**2).sum(axis=1)))
