"""Equilibria of a model: the roots of g(t, y, p) = 0 with t held fixed, and whether they attract.

One state is scanned; several are searched by Newton's method from many starting points. What the eigenvalues of g_y
say of a solution near an equilibrium: Hirsch & Smale, Differential Equations, Dynamical Systems, and Linear Algebra.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.equilibria.conservation import Conserved, conserved
from parfit.equilibria.scan import FARTHEST, Root, scan
from parfit.equilibria.search import SPREAD, Continuum, RestPoint, search, starts_in
from parfit.model.calculus.graph import needed
from parfit.model.model import Model
from parfit.simulation.pointwise import Pointwise

Complex = NDArray[np.complex128]

REACH = 5.0  # the search is thorough to so many times the sizes of the states
SMALLEST_SIZE = 0.01  # of a state next to the largest, which it may come near to in time
MOST_FAR = 20  # equilibria; if there are more, only those within the thorough search are told
ROUNDING = 1e-13  # an eigenvalue so small next to g_y cannot be told from 0
UNSURE = 100.0  # times the error of a root: nor one so small, as g_y changes from the true root to the computed one


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A root y (n_states,), the eigenvalues of g_y there, largest real part first, and what they mean in a word."""

    y: Array
    eigenvalues: Complex
    kind: str
    negative: bool = False  # whether a state is, which is negative nowhere else


@dataclass(frozen=True, eq=False)
class Equilibria:
    """What was found at one time, sorted: those with negative states last, before them those with states at 0."""

    time: float
    top: Array  # the search was thorough from -top to top, (n_states,)
    found: tuple[Equilibrium, ...]
    continua: tuple[Continuum, ...] = ()  # not isolated
    conserved: tuple[Conserved, ...] = ()  # the equilibria have these values, those of the initial state
    n_starts: int = 0  # 0 if one state was scanned
    n_beyond: int = 0  # how many more were found beyond `top`, too many to be told

    @property
    def reach(self) -> float:
        """How many times as far as `top` the search went, less thoroughly."""
        return SPREAD if self.n_starts else FARTHEST


class Field:
    """g and g_y of a model at one time and parameter vector, at many states at once."""

    def __init__(self, model: Model, t: float, p: Array):
        self._rates, self._t, self._p = Pointwise(model, model.states, by=model.states), t, p

    def __call__(self, y: Array) -> tuple[Array, Array]:
        """g (k, n) and g_y (k, n, n) at states (k, n)."""
        g, _, g_y = self._rates(np.full(len(y), self._t), y, self._p, by_state=True)
        return g, g_y


def follows_time(model: Model) -> bool:
    """Whether the equations depend on time, itself or through a table."""
    derivation = model.derivation
    return 0 in needed(derivation.graph, derivation.dynamics.values)  # node 0 is t


def find(model: Model, t: float, p: Array, sizes: Array, points: Array) -> Equilibria:
    """The equilibria at time t, searched most thoroughly within `REACH` times the sizes (n_states,).

    `points` (k, n_states) are states to begin at; the first is the initial state, which fixes what is conserved.
    """
    field = Field(model, t, p)
    largest = float(sizes.max()) or 1.0
    top = REACH * np.where(sizes > 0.0, np.maximum(sizes, SMALLEST_SIZE * largest), largest)
    if top.size == 1:
        found, continua = _scanned(field, top)
        return _sorted(Equilibria(t, top, found, continua), points)
    starts = starts_in(top, points)
    laws = conserved(field(starts)[0], points[0])
    roots, continua = search(field, starts, top, laws)
    found = tuple(_judged(each, field, top, len(laws)) for each in roots)
    return _sorted(Equilibria(t, top, found, continua, laws, len(starts)), points)


def _sorted(result: Equilibria, points: Array) -> Equilibria:
    """In order, without those far out if there are very many, as of equations that are periodic in a state."""
    amounts = ~(points < 0.0).any(axis=0)
    found = [replace(each, negative=bool((each.y < 0.0)[amounts].any())) for each in result.found]
    if len(found) > MOST_FAR:
        found = [each for each in found if (np.abs(each.y) <= result.top).all()]
    n_beyond = len(result.found) - len(found)
    return replace(result, found=tuple(sorted(found, key=_order)), n_beyond=n_beyond)


def _order(each: Equilibrium) -> tuple[object, ...]:
    return each.negative, int((each.y == 0.0).sum()) if each.y.size > 1 else 0, tuple(each.y)


def _scanned(field: Field, top: Array) -> tuple[tuple[Equilibrium, ...], tuple[Continuum, ...]]:
    def function(y: Array) -> tuple[Array, Array]:
        g, g_y = field(y[:, np.newaxis])
        return g[:, 0], g_y[:, 0, 0]

    result = scan(function, float(top[0]))
    found = (Equilibrium(np.array([r.at]), np.array([r.slope + 0j]), _kind_of_root(r)) for r in result.roots)
    return tuple(found), tuple(Continuum(np.array([a]), np.array([b]), 1, (0,)) for a, b in result.intervals)


def _kind_of_root(root: Root) -> str:
    """With one state the signs of g on both sides decide."""
    if root.before * root.behind > 0:
        return "half-stable"
    return "stable" if root.before > 0 or root.behind < 0 else "unstable"


@np.errstate(all="ignore")
def _judged(point: RestPoint, field: Field, top: Array, n_conserved: int) -> Equilibrium:
    g_y = field(point.y[np.newaxis])[1][0]
    if not np.isfinite(g_y).all():
        return Equilibrium(point.y, np.empty(0, dtype=np.complex128), "not defined")
    values = np.linalg.eigvals(g_y).astype(np.complex128)
    scale = float(np.abs(g_y * top / top[:, np.newaxis]).max())  # the same eigenvalues, with states of one size
    values = _cleaned(values, max(ROUNDING, UNSURE * point.error) * scale)
    # Along what is conserved nothing moves.
    values[np.argsort(np.abs(values))[:n_conserved]] = 0.0
    values = values[np.lexsort((-values.imag, -values.real))]
    return Equilibrium(point.y, values, kind(np.delete(values, np.argsort(np.abs(values))[:n_conserved])))


def _cleaned(values: Complex, rounding: float) -> Complex:
    """Parts that cannot be told from 0 made 0."""
    real, imag = (np.where(np.abs(part) <= rounding, 0.0, part) for part in (values.real, values.imag))
    return np.asarray(real + 1j * imag)


def kind(eigenvalues: Complex) -> str:
    """What the linearized equations do: with two eigenvalues node, focus, saddle or centre."""
    growing, falling = eigenvalues.real > 0.0, eigenvalues.real < 0.0
    if not eigenvalues.size:
        return "at rest"
    if growing.any() and falling.any():
        return "saddle"
    if growing.any():
        word = "unstable"
    elif falling.all():
        word = "stable"
    else:
        return "centre" if eigenvalues.size == 2 and (eigenvalues.imag != 0.0).all() else "undecided"
    if eigenvalues.size != 2 or not (growing | falling).all():
        return word
    return f"{word} {'focus' if (eigenvalues.imag != 0.0).any() else 'node'}"
