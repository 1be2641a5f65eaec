"""MINPACK's lmder in plain Python: More's method with dense solutions instead of factors, step by step.

J. J. More, B. S. Garbow, K. E. Hillstrom, "User guide for MINPACK-1", Argonne National Laboratory report ANL-80-74
(1980): lmder with mode 1 and factor 100, lmpar.
"""

import numpy as np


def lmpar(jac, f, d, delta, par):
    """The step -x of lmpar for a radius, and its parameter."""

    def solved(par):
        rows = np.vstack((jac, np.sqrt(par) * np.diag(d)))
        return np.linalg.lstsq(rows, np.concatenate((f, np.zeros(d.size))), rcond=None)[0]

    def newton(x, par, phi):
        length = np.linalg.norm(d * x)
        w = d * d * x / length
        return phi / delta / float(w @ np.linalg.solve(jac.T @ jac + par * np.diag(d * d), w))

    x = solved(0.0)
    phi = np.linalg.norm(d * x) - delta
    if phi <= 0.1 * delta:
        return x, 0.0
    low = newton(x, 0.0, phi)
    high = np.linalg.norm(jac.T @ f / d) / delta
    par = min(max(par, low), high)
    if par == 0.0:
        par = np.linalg.norm(jac.T @ f / d) / np.linalg.norm(d * x)
    for k in range(10):
        par = par if par > 0.0 else 0.001 * high
        x = solved(par)
        before, phi = phi, np.linalg.norm(d * x) - delta
        if abs(phi) <= 0.1 * delta or (low == 0.0 and phi <= before < 0.0) or k == 9:
            break
        low, high = (max(low, par), high) if phi > 0.0 else (low, min(high, par))
        par = max(low, par + newton(x, par, phi))
    return x, par


def lmder(function, derivatives, x, n_steps):
    """(ratio, radius, par) after each of some trials; ratio is NaN where it is rounding."""
    seen = []
    f, jac = function(x), derivatives(x)
    d = np.linalg.norm(jac, axis=0)
    d[d == 0.0] = 1.0
    delta, par = 100.0 * np.linalg.norm(d * x) or 100.0, 0.0
    first = True
    while len(seen) < n_steps:
        d = np.maximum(d, np.linalg.norm(jac, axis=0))
        while True:
            step, par = lmpar(jac, f, d, delta, par)
            length = np.linalg.norm(d * step)
            delta = min(delta, length) if first else delta
            trial = function(x - step)
            fnorm, fnorm1 = np.linalg.norm(f), np.linalg.norm(trial)
            actred = 1.0 - (fnorm1 / fnorm) ** 2 if 0.1 * fnorm1 < fnorm else -1.0
            t1, t2 = np.linalg.norm(jac @ step) / fnorm, np.sqrt(par) * length / fnorm
            prered, dirder = t1**2 + 2.0 * t2**2, -(t1**2 + t2**2)
            ratio = actred / prered if prered else 0.0
            if ratio <= 0.25:
                part = 0.5 if actred >= 0.0 else 0.5 * dirder / (dirder + 0.5 * actred)
                part = 0.1 if 0.1 * fnorm1 >= fnorm or part < 0.1 else part
                delta, par = part * min(delta, length / 0.1), par / part
            elif par == 0.0 or ratio >= 0.75:
                delta, par = length / 0.5, 0.5 * par
            seen.append((ratio if abs(actred) > 1e-10 else np.nan, delta, par))
            if ratio >= 1e-4 or len(seen) == n_steps:
                break
        if ratio >= 1e-4:
            x, f, first = x - step, trial, False
            jac = derivatives(x)
    return seen
