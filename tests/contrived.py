"""Contrived data for Lotka and Volterra's model (thesis, section 3.5), and (3.5.1) solved without the program.

Made as those of Figure 3.5.1: lines with noise, tried until IFIT led to parameters where the solution blows up.
"""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root
from smoothed import LOTKA_VOLTERRA, Smoothed, smoothed

from parfit.model.model import Model

T = "0.2 0.4 0.6 0.8 1 1.3 1.6 1.8 2.4 3 3.5 4 4.5 5 5.5 6 6.7 7.5 8.2 9 9.5 10 11 12"
Y1 = "11.5 9 9.2 7 6.5 6.2 6.8 6.2 7 7 7 6.7 6.3 6.1 5.6 4.4 5.1 3.6 5.5 5.1 5 5 5.2 5.4"
Y2 = "2.6 2.9 2.5 2.7 2.3 2.2 2.6 3.4 3.7 4.6 4.9 5.4 7 7.7 6.9 6.4 5.2 4.8 4.1 3.9 5.2 4.8 6 6.1"
SMOOTH = "SMOOTH HERMITE 3 1 3 6 1 5"  # the joints of section 3.5
START = (12.0, 2.0)


@cache
def contrived() -> Smoothed:
    model = Model.from_text(LOTKA_VOLTERRA, "lotka-volterra")
    times, *values = (np.array(row.split(), dtype=float) for row in (T, Y1, Y2))
    return smoothed(model, times, np.stack(values, axis=1), {"y1": [1, 3, 6], "y2": [5]}, "hermite", (0.1,) * 4)


def at(*times: float) -> tuple[int, ...]:
    """Subscripts of sample times, from 0 on."""
    return tuple(int(np.flatnonzero(contrived().times == t)[0]) for t in times)


def rates(p, y):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[3] * y[0] * y[1]])


def exact(g, y, begin, end):
    """A step of (3.5.1) as accurate as it can be, from curve to curve."""
    inner = np.unique(np.concatenate([curve.breaks for curve in contrived().curves.values()]))
    for stop in [*inner[(inner > begin) & (inner < end)], end]:
        y = solve_ivp(g, (begin, stop), y, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        begin = stop
    return y


def trapezoid(g, y, begin, end):
    """The same by one step of the trapezoidal rule."""
    h, slope = end - begin, np.array(g(begin, y))
    return root(lambda u: u - y - h / 2 * (slope + g(end, u)), y, tol=1e-12).x


def residuals(p, step, gamma=1.0, breaks=(), alpha=(1.0, 1.0), weights=()):
    """Of (3.5.1) with break points, by time and then by variable."""
    case = contrived()
    curves = [case.curves[name] for name in ("y1", "y2")]

    def s(t):
        return np.array([curve(t) for curve in curves])

    def g(t, u):
        return rates(p, (1 - gamma) * s(t) + gamma * np.asarray(u))

    alpha, y = np.array(alpha), np.array(START)
    found = [y - s(case.times[0])]
    for k in range(1, case.times.size):
        y = step(g, y, case.times[k - 1], case.times[k])
        is_break = k in breaks
        found.append((weights[breaks.index(k)] if is_break else 1.0) * (y - s(case.times[k])))
        y = alpha * y + (1 - alpha) * s(case.times[k]) if is_break else y
    return np.concatenate(found)
