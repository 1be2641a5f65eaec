"""A judge of its own for what FIT says of where it has ended, on random small problems.

Each problem is a model in equations, the same as a formula, data, and a start. FIT is asked in conversation. Its
claims are judged by the formula and scipy at tight tolerances: a claim is false if a search that begins at the
point, or beside it by a hundredth of the residuals, ends significantly lower; a refusal is wrong where slopes vanish
and the curvature is positive along every direction.
"""

import numpy as np
from claimed import ROBUST
from conversation import SCRIPT, Session
from scipy.optimize import least_squares

from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.sources import Script

CLAIM = "is a minimum"
TIGHT = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-15)
BESIDE = 0.01  # of the norm of the residuals
SIGNIFICANT = 0.1  # in radii of the confidence region: what FIT promises
STATIONARY = 1e-3  # the same, where slopes vanish
HOLLOW = 1e-4  # curvature next to that of the columns, with length 1, that is positive
EXACT = 1e-7  # residuals next to the spread


# ---- what FIT says, and whether it is so


def fitted(given):
    """Where FIT ends, whether it claims a minimum, and what it said."""
    text = given.text.format(*map(repr, map(float, given.start)), *[""] * (given.text.count("{}") - given.start.size))
    data = make_observations(given.times, list(given.names), given.values[:, np.newaxis])
    session = Session(Model.from_text(text, given.kind), data)
    session(f"OPTION PROCEDURE GEAR EPS {given.eps} HMIN 0", *given.lines)
    _, said, warned = session.obey(Script([given.method], SCRIPT))
    return np.array(session.env.values), CLAIM in said + warned, said + warned


def false_claim(given, p):
    """How much lower, in parts of what is not significant, a search from there ends; above 1 the claim was false."""
    given, p = _in_what_is_seen(given, p)
    here, n, m = given.total(p), given.values.size, given.start.size
    spread = float(np.linalg.norm(given.values - given.values.mean()))
    allowed = 2 * SIGNIFICANT**2 * here * m / max(n - m, 1) + (2e-6 * spread) ** 2
    lowest = min(_searched(given, each) for each in [p, *_beside(given, p)])
    if given.loss[0] != "LINEAR" and wrong_refusal(given, p):
        return 0.0  # a robust loss has other minima so near that a search may end there
    return max(here - lowest, 0.0) / allowed


def wrong_refusal(given, p):
    """Whether the point is a minimum after all."""
    given, p = _in_what_is_seen(given, p)
    residuals, (lower, upper) = given.residuals(p), given.bounds
    spread = float(np.linalg.norm(given.values - given.values.mean()))
    if np.linalg.norm(residuals) <= EXACT * spread:
        return True
    gradient, hessian, jac, norm = _derivatives(given, p)
    size = 1e-6 * np.maximum(np.abs(p), np.abs(given.start))
    free = ~(((p - lower <= size) & (gradient > 0)) | ((upper - p <= size) & (gradient < 0)))
    if not free.any():
        return True
    lengths = np.linalg.norm(jac[:, free], axis=0)
    if not (lengths > 0).all():
        return False
    scaled = gradient[free] / lengths / norm
    curvature = np.linalg.eigvalsh(hessian[np.ix_(free, free)] / np.outer(lengths, lengths))
    n, m = given.values.size, int(free.sum())
    return bool(np.linalg.norm(scaled) / np.sqrt(m / (n - m)) < STATIONARY and curvature[0] > HOLLOW)


def _in_what_is_seen(given, p):
    """The problem and the point, in the combinations that the data determine."""
    return given.determined, given.seen[1](p) if given.seen else p


def _searched(given, start):
    lower, upper = given.bounds
    name, scale = given.loss
    bounded = np.isfinite(lower).any() or np.isfinite(upper).any()
    more = {"bounds": (lower, upper)} if bounded else {}
    start = np.clip(start, lower, upper)
    method = "trf" if bounded or name != "LINEAR" else "lm"
    try:
        found = least_squares(
            given.residuals,
            start,
            jac="2-point" if method == "lm" else "3-point",
            method=method,
            x_scale="jac",
            loss=name.lower(),
            f_scale=scale,
            max_nfev=2000,
            **TIGHT,
            **more,
        )
    except ValueError:  # a start on a bound, or beyond numbers
        return np.inf
    return given.total(found.x)


def _beside(given, p):
    """Points about p, as far as changes the residuals by a hundredth of their norm; no further than a hundredth."""
    rng = np.random.default_rng(0)
    residuals, size = given.residuals(p), np.where(p != 0, np.abs(p), 1e-3)
    for _ in range(6):
        change = BESIDE * size * rng.normal(size=p.size)
        moved = np.linalg.norm(given.residuals(p + change) - residuals)
        part = min(1.0, BESIDE * np.linalg.norm(residuals) / moved) if moved > 0 else 1.0
        yield p + part * change


def _derivatives(given, p):
    """Half the gradient and Hessian of the loss, Jacobian and norm of weighted residuals, by differences."""
    name, scale = given.loss
    h = 1e-5 * np.where(p != 0, np.abs(p), 1e-3)
    jac = np.column_stack([(given.residuals(p + e) - given.residuals(p - e)) / (2 * e.max()) for e in np.diag(h)])
    z = (given.residuals(p) / scale) ** 2
    rho = ROBUST[name]
    d = 1e-6 * np.maximum(z, 1e-6)
    weights = (rho(z + d) - rho(z - d)) / (2 * d)
    gradient = (weights * given.residuals(p)) @ jac
    h = 30 * h
    if name != "LINEAR":  # which may bend within its scale
        h = np.minimum(h, 0.03 * scale / np.abs(jac).max(axis=0))
    n = p.size
    hessian = np.empty((n, n))
    for i, a in enumerate(np.diag(h)):
        for j, b in enumerate(np.diag(h)):
            signs = [(s, t, given.total(p + s * a + t * b)) for s in (1, -1) for t in (1, -1)]
            hessian[i, j] = sum(s * t * f for s, t, f in signs) / (8 * a.max() * b.max())
    root = np.sqrt(np.abs(weights))
    return gradient, hessian, root[:, np.newaxis] * jac, float(np.linalg.norm(root * given.residuals(p)))
