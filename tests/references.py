"""Solutions accurate to about 1e-12, with all sensitivities, from an integrator that shares nothing with the kernel.

Collocation at the Radau points (Radau IIA; Hairer and Wanner, Solving Ordinary Differential Equations II, IV.5)
with enough stages that few steps are needed, and derivatives of the plain functions of a problem by complex steps.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial import Legendre, legendre
from problems import Problem
from scipy.linalg import lu_factor, lu_solve

STAGES = 8  # order 15
TINY = 1e-40  # the step of complex differentiation


@dataclass(frozen=True)
class Reference:
    """At the times of a problem, and the largest absolute values met on the way."""

    y: np.ndarray  # (n_times, n)
    s: np.ndarray  # (n_times, n, m)
    y_largest: np.ndarray  # (n,)
    s_largest: np.ndarray  # (n, m)


@cache
def radau_coefficients() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes c, the matrix A, and the row that gives the last Legendre coefficient of the derivative."""
    points = np.sort((Legendre.basis(STAGES - 1) - Legendre.basis(STAGES)).roots().real)
    polynomial = Legendre.basis(STAGES - 1) - Legendre.basis(STAGES)
    for _ in range(3):
        points = points - polynomial(points) / polynomial.deriv()(points)
    points[-1] = 1.0
    inverse = np.linalg.inv(legendre.legvander(points, STAGES - 1))
    integrals = np.stack([Legendre.basis(k).integ(lbnd=-1)(points) for k in range(STAGES)], axis=1)
    return (points + 1) / 2, integrals @ inverse / 2, inverse[-1]


def slopes(problem: Problem, t, y, p, by_parameter: bool = True):
    """g (n, ...), g_y (n, n, ...) and g_p (n, m, ...) at the columns of y (n, ...)."""
    n, m = len(y), len(p) if by_parameter else 0
    g = np.array([x + 0 * y[0] for x in problem.rhs(t, list(y), p)])
    g_y, g_p = np.empty((n, n, *y.shape[1:])), np.empty((n, m, *y.shape[1:]))
    for j in range(n):
        shifted = y.astype(complex)
        shifted[j] += 1j * TINY
        g_y[:, j] = np.array([x + 0 * y[0] for x in problem.rhs(t, list(shifted), p)]).imag / TINY
    for j in range(m):
        shifted = [complex(x, TINY if i == j else 0) for i, x in enumerate(p)]
        g_p[:, j] = np.array([x + 0 * y[0] for x in problem.rhs(t, list(y), shifted)]).imag / TINY
    return g, g_y, g_p


def integrate(problem: Problem, tolerance: float = 1e-8, first_step: float = 1e-6) -> Reference:
    """Step by step; `tolerance` limits the last Legendre coefficient, far larger than the error at the step's end."""
    p = np.array(problem.p)
    n, m = len(problem.initial(p)), len(p)
    y = np.array(problem.initial(p), dtype=float)
    s = np.zeros((n, m))
    for j in range(m):
        shifted = [complex(x, TINY if i == j else 0) for i, x in enumerate(p)]
        s[:, j] = np.array(problem.initial(shifted), dtype=complex).imag / TINY
    c, a, last = radau_coefficients()
    t, h, ys, ss = problem.t0, first_step, [], []
    y_largest, s_largest = np.abs(y), np.abs(s)
    for end in problem.times:
        while t < end:
            step = min(h, end - t) if end - t > 1.1 * h else end - t
            attempt = _collocate(problem, t, y, s, p, step, y_largest, (c, a, last))
            if attempt is None:
                h = step / 4
                continue
            y_new, s_new, error = attempt
            growth = min(4.0, max(0.1, 0.8 * (tolerance / max(error, 1e-300)) ** (1 / STAGES)))
            if error > 4 * tolerance:
                h = step * growth
                continue
            h = max(h, step * growth) if step < h else step * growth
            t = end if step == end - t else t + step
            y, s = y_new, s_new
            y_largest, s_largest = np.maximum(y_largest, np.abs(y)), np.maximum(s_largest, np.abs(s))
        ys.append(y)
        ss.append(s)
    return Reference(np.array(ys), np.array(ss), y_largest, s_largest)


def _collocate(problem, t, y, s, p, h, largest, coefficients):
    """One step: new y and s and the size of the last coefficient, or None if Newton's method does not converge."""
    c, a, last = coefficients
    n, m = s.shape
    scale = np.maximum(largest, 1e-300)[:, None]
    known = largest > 0
    stages = np.repeat(y[:, None], STAGES, axis=1)
    previous = np.inf
    for _ in range(15):
        with np.errstate(all="ignore"):
            g, g_y, g_p = slopes(problem, t + c * h, stages, p)
        residual = y[:, None] + h * g @ a.T - stages
        if not np.isfinite(g_y).all():
            return None
        matrix = np.eye(n * STAGES) - h * np.einsum("kl,ijl->ikjl", a, g_y).reshape(n * STAGES, n * STAGES)
        factors = lu_factor(matrix, check_finite=False)
        change = lu_solve(factors, residual.ravel()).reshape(n, STAGES)
        stages = stages + change
        size = np.max(np.abs(change) / np.maximum(scale, np.abs(stages).max(axis=1, keepdims=True)))
        if size < 1e-11 and (size < 2e-15 or size >= previous / 3):
            break
        if size > 2 * previous and size > 1e-11:
            return None
        previous = size
    else:
        return None
    sizes = np.where(known, largest, np.abs(stages).max(axis=1))
    error = np.max(np.abs(h * (g @ last)) / np.maximum(np.maximum(sizes, np.abs(stages).max(axis=1)), 1e-300))
    right = s[:, None, :] + h * np.einsum("kl,iml->ikm", a, g_p)
    g_g = lu_solve(factors, right.reshape(n * STAGES, m)).reshape(n, STAGES, m)
    return stages[:, -1], g_g[:, -1], error


@cache
def reference(problem: Problem) -> Reference:
    return integrate(problem)
