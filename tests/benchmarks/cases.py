"""The problems of the benchmarks: each as a model, and by hand as numpy equations for y and dy/dp together.

The numpy equations take z = (y, then dy/dp by rows) and return its derivative, as `solve_ivp` wants it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from pathlib import Path

import numpy as np

from parfit import Model, load_data, load_model
from parfit.arrays import Array

Equations = Callable[[float, Array], Array]
MODELS = Path(__file__).resolve().parents[2] / "models"


@dataclass(frozen=True, eq=False)
class Problem:
    """A model at parameters p, to be solved at `times`, which start after the initial time."""

    name: str
    model: Model
    p: Array  # (n_params,)
    times: Array
    start: Array  # (y, dy/dp) at the initial time
    equations: Equations
    scale: Array | None = None  # sizes of the states, where observations tell

    @property
    def n_states(self) -> int:
        return len(self.model.states)

    @property
    def grid(self) -> Array:
        """25 sample times spaced like those of the problem."""
        own = np.concatenate(([self.model.t0], self.times))
        places = np.linspace(0, own.size - 1, 26)
        return np.interp(places, np.arange(own.size), own)[1:]


def predator_prey() -> Problem:
    """M. W. Benson, thesis, 1977: problem 4.2.1."""
    model = load_model(MODELS / "predator-prey.ode")
    p1, p2, p3, p4, p5, p6 = model.values.tolist()
    g_y, g_p = np.empty((2, 2)), np.zeros((2, 6))

    def equations(t: float, z: Array) -> Array:
        a, b = z[:2].tolist()
        rest = 1.0 / (1.0 + p5 * a)
        met = a * b * rest
        g_y[0, 0] = p1 - p2 * b * rest * rest - 2.0 * p6 * a
        g_y[0, 1] = -p2 * a * rest
        g_y[1, 0] = p4 * b * rest * rest
        g_y[1, 1] = p4 * a * rest - p3
        g_p[0, 0] = a
        g_p[0, 1] = -met
        g_p[0, 4] = p2 * met * a * rest
        g_p[0, 5] = -a * a
        g_p[1, 2] = -b
        g_p[1, 3] = met
        g_p[1, 4] = -p4 * met * a * rest
        out = np.empty(14)
        out[0] = p1 * a - p2 * met - p6 * a * a
        out[1] = p4 * met - p3 * b
        np.add(g_y @ z[2:].reshape(2, 6), g_p, out=out[2:].reshape(2, 6))
        return out

    start = np.zeros(14)
    start[:2] = 2, 8
    return Problem(model.name, model, model.values, 0.5 * np.arange(1, 26), start, equations)


def enzyme() -> Problem:
    """M. W. Benson, thesis, 1977: the stiff problem (3.2.9) at the times of Table 3.2.1."""
    model = load_model(MODELS / "enzyme.ode")
    p1, p2, p3 = model.values.tolist()
    g_y, g_p = np.empty((2, 2)), np.zeros((2, 3))

    def equations(t: float, z: Array) -> Array:
        a, b = z[:2].tolist()
        net = (1.0 - b) * a - (p2 + p3) * b
        g_y[0, 0] = b - 1.0
        g_y[0, 1] = a + p2
        g_y[1, 0] = p1 * (1.0 - b)
        g_y[1, 1] = -p1 * (a + p2 + p3)
        g_p[0, 1] = b
        g_p[1, 0] = net
        g_p[1, 1] = g_p[1, 2] = -p1 * b
        out = np.empty(8)
        out[0] = (b - 1.0) * a + p2 * b
        out[1] = p1 * net
        np.add(g_y @ z[2:].reshape(2, 3), g_p, out=out[2:].reshape(2, 3))
        return out

    start = np.zeros(8)
    start[0] = 1
    return _with_data("enzyme", model, model.values, start, equations)


def bard() -> Problem:
    """M. W. Benson, thesis, 1977: (2.4.1) with the first rate p1 y1 y2, at its optimum, times of Table 2.4.1."""
    model = load_model(MODELS / "bard.ode")
    p = np.array([6.35841e-3, 6.77464e-2, 5.926e-5, 4.9425e-4, 0.101845, 4.200e-4])
    p1, p2, p3, p4, p5, p6 = p.tolist()
    # g is linear in five rates; what each rate does to each state:
    moves = np.array([[-1, 0, 0, 0], [-1, 0, -1, -1], [1, -1, -1, 0], [0, 1, 0, -1], [0, 0, 1, 1]], dtype=float)
    moves = np.column_stack((moves, [0, 1, 0, 1, -1]))
    by_y, by_p = np.zeros((5, 5)), np.zeros((5, 6))
    by_y[0, 2], by_y[1, 2], by_y[4, 4] = -p2, p3, p5

    def equations(t: float, z: Array) -> Array:
        a, b, c, d, e = z[:5].tolist()
        by_y[0, 0], by_y[0, 1] = p1 * b, p1 * a
        by_y[2, 1], by_y[2, 2] = p4 * c, p4 * b
        by_y[3, 1], by_y[3, 3] = p6 * d, p6 * b
        by_p[0, 0], by_p[0, 1], by_p[1, 2] = a * b, -c, c
        by_p[2, 3], by_p[3, 5], by_p[4, 4] = b * c, b * d, e
        rates = np.array([p1 * a * b - p2 * c, p3 * c, p4 * b * c, p6 * b * d, p5 * e])
        out = np.empty(35)
        np.matmul(moves, rates, out=out[:5])
        np.matmul(moves, by_y @ z[5:].reshape(5, 6) + by_p, out=out[5:].reshape(5, 6))
        return out

    start = np.zeros(35)
    start[:2] = 1
    return _with_data("bard", model, p, start, equations)


def heart() -> Problem:
    """B. van Domselaar and P. W. Hemker, NW 18/75: problem 6, with -p1 y1 and no factor v1 before the pulse."""
    model = load_model(MODELS / "heart.ode")
    p = np.array([0.27264, 2.65313, 0.36619, 0.20766])
    p1, p2, p3, p4 = p.tolist()
    v1, v2, q, normal = 2.6, 2.7, 4991.0, 27.8
    height = q / sqrt(2.0 * pi)
    g_y = np.array([[-p1 - p4 / v1, p4 / v1], [p4 / v2, -p4 / v2]])
    g_p = np.zeros((2, 4))

    def equations(t: float, z: Array) -> Array:
        a, b = z[:2].tolist()
        x = (log(t) - p2) / p3
        pulse = height / t * exp(-0.5 * x * x)
        g_p[0, 0] = normal - a
        g_p[0, 1] = pulse * x / p3
        g_p[0, 2] = pulse * x * x / p3
        g_p[0, 3] = (b - a) / v1
        g_p[1, 3] = (a - b) / v2
        out = np.empty(10)
        out[0] = p1 * (normal - a) + p4 / v1 * (b - a) + pulse
        out[1] = p4 / v2 * (a - b)
        np.add(g_y @ z[2:].reshape(2, 4), g_p, out=out[2:].reshape(2, 4))
        return out

    start = np.zeros(10)
    start[:2] = normal
    return _with_data("heart", model, p, start, equations)


def chain_text(n: int, order: Array | None = None) -> str:
    """x_i' = k_i x_(i-1) - k_(i+1) x_i/(1+x_i), x_0 = 1, k_(n+1) = 1; the states can be written in another order."""
    k = 1.0 + 0.3 * np.sin(np.arange(1, n + 1))
    rows = []
    for i in range(1, n + 1):
        source = f"x{i - 1}" if i > 1 else "1"
        rows.append(f"x{i}'=k{i}*{source}-{f'k{i + 1}*' if i < n else ''}x{i}/(1+x{i})\ninit x{i}=0.5")
    chosen = rows if order is None else [rows[i] for i in order]
    return "\n".join([*(f"par k{i}={value:.17g}" for i, value in enumerate(k, start=1)), *chosen])


def chain(n: int) -> Problem:
    """A chain of n states with n parameters; see `chain_text`."""
    model = Model.from_text(chain_text(n), f"chain of {n}")
    k = model.values
    out_k = np.append(k[1:], 1.0)
    inner, column = np.arange(n - 1), k[1:, None]

    def equations(t: float, z: Array) -> Array:
        x, s = z[:n], z[n:].reshape(n, n)
        rest = 1.0 / (1.0 + x)
        share = x * rest
        out = np.empty(n + n * n)
        g, rates = out[:n], out[n:].reshape(n, n)
        np.multiply(out_k, share, out=g)
        np.negative(g, out=g)
        g[0] += k[0]
        g[1:] += k[1:] * x[:-1]
        np.multiply((-out_k * rest * rest)[:, None], s, out=rates)
        rates[1:] += column * s[:-1]
        rates[0, 0] += 1.0
        rates[inner + 1, inner + 1] += x[:-1]
        rates[inner, inner + 1] -= share[:-1]
        return out

    start = np.zeros(n + n * n)
    start[:n] = 0.5
    return Problem(model.name, model, k, np.linspace(0.4, 10.0, 25), start, equations)


def _with_data(name: str, model: Model, p: Array, start: Array, equations: Equations) -> Problem:
    """At the times of the observations, whose sizes a fit knows."""
    observations = load_data(MODELS / f"{name}.csv", model)
    largest = dict(zip(observations.names, observations.maxima, strict=True))
    scale = np.array([largest.get(state, 0.0) for state in model.states])
    return Problem(name, model, p, observations.sample_times(model.t0)[1:], start, equations, scale)
