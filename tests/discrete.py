"""The trapezoidal rule in plain numpy, converged as far as rounding allows, and differences of its solution."""

import numpy as np
from problems import Problem
from references import slopes


def trapezoidal(problem: Problem, p) -> np.ndarray:
    """y at the times of a problem, (n_times, n)."""
    p = np.array(p, dtype=float)
    y, t, rows = np.array(problem.initial(p), dtype=float), problem.t0, []
    for end in problem.times:
        y, t = _step(problem, t, y, p, end - t), end
        rows.append(y)
    return np.array(rows)


def _step(problem: Problem, t: float, y: np.ndarray, p: np.ndarray, h: float) -> np.ndarray:
    base = y + h / 2 * np.array(problem.rhs(t, list(y), p), dtype=float)
    previous = np.inf
    for _ in range(60):
        g, g_y, _ = slopes(problem, t + h, y, p, by_parameter=False)
        change = np.linalg.solve(np.eye(y.size) - h / 2 * g_y, base + h / 2 * g - y)
        y = y + change
        size = np.max(np.abs(change) / np.maximum(np.abs(y), 1e-12 * np.abs(y).max() + 1e-300))
        if size <= 1e-15 or previous <= size < 1e-9:
            return y
        previous = size
    raise AssertionError("the equations of the trapezoidal rule were not solved")


def differences(problem: Problem) -> np.ndarray:
    """dy/dp of the discrete solution, (n_times, n, m), by central differences extrapolated twice."""
    columns = []
    for j, value in enumerate(problem.p):
        step = 4e-3 * (abs(value) or 1.0)
        central = []
        for d in (step, step / 2, step / 4):
            shifted = [trapezoidal(problem, [*problem.p[:j], value + e, *problem.p[j + 1 :]]) for e in (-d, d)]
            central.append((shifted[1] - shifted[0]) / (2 * d))
        fourth = [(4 * central[i + 1] - central[i]) / 3 for i in range(2)]
        columns.append((16 * fourth[1] - fourth[0]) / 15)
    return np.stack(columns, axis=-1)
