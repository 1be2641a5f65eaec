"""All roots of g(y) = 0 in a box, for several states: many starting points, and which of the ends are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.equilibria.conservation import Conserved
from parfit.equilibria.newton import SMALL_RESIDUAL, System, newton
from parfit.spectrum import decompose, singular_values

Rates = Callable[[Array], tuple[Array, Array]]  # states (k, n) -> g (k, n), g_y (k, n, n)

MOST_STARTS, FEWEST_STARTS = 512, 32  # of each kind; fewer for large models, where a step costs more
WORK = 200_000  # about how many numbers the matrices of one kind may have
FEW = 5  # states, of which any may be 0 together; of more, one at a time or all but one
PER_FACE = 16  # starting points at most with the same states at 0
SMALLEST = 1e-6  # starting points at equal ratios begin here, next to the box
SPREAD = 100.0  # and end here
FAR = 1000.0  # boxes; what is found farther out comes of rates that vanish at infinity
SAME = 1e-6  # distance of ends that are one root, relative to it
SMALL_STATE = 1e-4  # next to the box; smaller states need not agree to more digits
NEARLY_ZERO = 1e-8  # next to the box
ROUNDING = 1e-12  # of g, next to its usual size
SUSPECT = 1e-5  # ratio of singular values below which a root may not be isolated
AWAY = 1e-2  # how far a line of equilibria is followed to see whether it is one


@dataclass(frozen=True, eq=False)
class Continuum:
    """Equilibria that are not isolated: the smallest box that holds those found, (n_states,) each."""

    low: Array
    high: Array
    n_dimensions: int  # 1 for a line or curve
    along: tuple[int, ...]  # subscripts of the states that change along it


class RestPoint(NamedTuple):
    """A root, and about its error next to the box; that is large at a double root."""

    y: Array
    error: float


def starts_in(top: Array, points: Array) -> Array:
    """Starting points: given ones, the box evenly and at equal ratios, and all with some states at 0, (k, n)."""
    from scipy.stats import qmc  # late, because it takes long to import

    n = top.size
    count = int(np.clip(WORK // n**2, FEWEST_STARTS, MOST_STARTS))
    even = qmc.Sobol(n, scramble=False).random_base2(max(count.bit_length() - 1, 5)) + 0.5 / MOST_STARTS
    cube, ratios = even[::2], even[1::2]
    signs, spread = 2.0 * cube[::2] - 1.0, SPREAD * SMALLEST ** (1.0 - ratios)
    box = np.concatenate((cube, spread, signs, np.copysign(spread[::2], signs)))
    inside = np.concatenate((points[: MOST_STARTS // 8], top * box))
    faces = [_with_zeros(inside[k :: 2 ** min(n, FEW)], zeros) for k, zeros in enumerate(_faces(n))]
    return np.ascontiguousarray(np.concatenate((inside, *faces, np.zeros((1, n)))))


def _faces(n: int) -> Iterator[tuple[int, ...]]:
    """Sets of states that are 0."""
    if n <= FEW:
        for size in range(1, n):
            yield from combinations(range(n), size)
        return
    for k in range(n):
        yield (k,)
        yield tuple(j for j in range(n) if j != k)


def _with_zeros(points: Array, zeros: Sequence[int]) -> Array:
    changed = points[:PER_FACE].copy()
    changed[:, list(zeros)] = 0.0
    return changed


@np.errstate(all="ignore")
def search(
    rates: Rates, starts: Array, top: Array, laws: Sequence[Conserved]
) -> tuple[list[RestPoint], tuple[Continuum, ...]]:
    """Isolated roots, and what is not isolated; `laws` are kept at their values."""
    system = _scaled_system(rates, starts, top, laws)
    ends = newton(system, starts / top)
    good = np.flatnonzero(ends.converged & (np.abs(ends.points).max(axis=1) <= FAR))
    good = good[np.argsort(ends.steps[good], kind="stable")]  # the most accurate ones represent the others
    z, errors = ends.points[good], ends.steps[good]
    jac = system(z)[1]
    values = singular_values(np.where(np.isfinite(jac).all(axis=(1, 2), keepdims=True), jac, 0.0))
    suspect = values[:, -1] <= SUSPECT * np.maximum(values[:, 0], 1.0)
    z = _snapped(system, z, np.where(suspect, SMALL_RESIDUAL, ROUNDING))
    suspect &= np.isfinite(system(z)[1]).all(axis=(1, 2))
    regular, doubtful = np.flatnonzero(~suspect), np.flatnonzero(suspect)
    regular, doubtful = regular[_distinct(z[regular], SAME)], doubtful[_distinct(z[doubtful], AWAY / 10.0)]
    alone = _are_isolated(system, z[doubtful])
    roots = [RestPoint(z[k] * top, float(errors[k])) for k in (*regular, *doubtful[alone])]
    return roots, _continua(system, z[doubtful[~alone]], top)


def _scaled_system(rates: Rates, starts: Array, top: Array, laws: Sequence[Conserved]) -> System:
    """Residuals of about size 1 as functions of y / top: g, and what should be conserved."""
    g = np.abs(rates(starts)[0])
    g[~np.isfinite(g)] = 0.0
    sizes = np.array([np.median(column[column > 0.0]) if (column > 0.0).any() else 1.0 for column in g.T])
    coefs = np.array([law.coefs for law in laws]).reshape(-1, top.size) * top
    lengths = np.abs(coefs).max(axis=1, initial=0.0)
    values = np.array([law.value for law in laws]) / lengths
    coefs = coefs / lengths[:, np.newaxis]

    def system(z: Array) -> tuple[Array, Array]:
        g, g_y = rates(np.ascontiguousarray(z * top))
        fixed = np.broadcast_to(coefs, (len(z), *coefs.shape))
        return (
            np.concatenate((g / sizes, z @ coefs.T - values), axis=1),
            np.concatenate((g_y * top / sizes[:, np.newaxis], fixed), axis=1),
        )

    return system


def _snapped(system: System, z: Array, tolerance: Array) -> Array:
    """States that are 0 but for rounding made 0, where that leaves a root, or a point where g is not defined."""
    exact = np.where(np.abs(z) <= NEARLY_ZERO, 0.0, z)
    before, after = (np.abs(system(each)[0]).max(axis=1, initial=0.0) for each in (z, exact))
    return np.where((after > tolerance + before)[:, np.newaxis], z, exact)


def _distinct(points: Array, tolerance: float) -> NDArray[np.intp]:
    """The first of each cluster; near 0 the tolerance does not shrink with the values any more."""
    kept: list[int] = []
    for k, point in enumerate(points):
        apart = np.abs(points[kept] - point) > tolerance * np.maximum(np.abs(point), max(tolerance, SMALL_STATE))
        if apart.any(axis=1).all():
            kept.append(k)
    return np.array(kept, dtype=np.intp)


def _are_isolated(system: System, points: Array) -> NDArray[np.bool_]:
    """Whether Newton's method comes back from a little way off in the direction in which g changes least."""
    direction = decompose(system(points)[1]).v[:, -1]
    alone = np.ones(len(points), dtype=bool)
    for away in (AWAY, -AWAY):
        ends = newton(system, points + away * direction, singular=True)
        distance = np.sqrt(((ends.points - points) ** 2).sum(axis=1))
        alone &= ~(ends.converged & (distance > AWAY / 2.0) & (distance < 2.0 * AWAY))
    return alone


def _continua(system: System, points: Array, top: Array) -> tuple[Continuum, ...]:
    """Points that are not isolated, collected by the states that change along with them and the values of others."""
    found: list[Continuum] = []
    spectra = decompose(system(points)[1])
    for point, s, v in zip(points, spectra.s, spectra.v, strict=True):
        null = v[s <= SUSPECT * max(s[0], 1.0)]
        along = tuple(np.flatnonzero(np.abs(null).max(axis=0) > SUSPECT).tolist())
        here = Continuum(point, point, len(null), along)
        for k, other in enumerate(found):
            if _belong_together(here, other):
                states = tuple(sorted({*along, *other.along}))
                found[k] = Continuum(np.minimum(point, other.low), np.maximum(point, other.high), len(null), states)
                break
        else:
            found.append(here)
    # A single point, such as the one where two lines meet, has more directions than there are equilibria around it.
    extended = [each for each in found if (each.low < each.high).any()] or found
    return tuple(Continuum(each.low * top, each.high * top, each.n_dimensions, each.along) for each in extended)


def _belong_together(one: Continuum, other: Continuum) -> bool:
    """Whether two have one dimension, and differ only in states that change along one of them."""
    free = {*one.along, *other.along}
    fixed = [k for k in range(one.low.size) if k not in free]
    nested = free in (set(one.along), set(other.along))
    return (
        one.n_dimensions == other.n_dimensions and nested and np.allclose(one.low[fixed], other.low[fixed], atol=SAME)
    )
