"""Random small problems with closed solutions, and a judge of its own for what FIT says of where it has ended.

Each problem is a model in equations, the same as a formula, data, and a start. FIT is asked in conversation. Its
claims are judged by the formula and scipy at tight tolerances: a claim is false if a search that begins at the
point, or beside it by a hundredth of the residuals, ends significantly lower; a refusal is wrong where slopes vanish
and the curvature is positive along every direction.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
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
ROBUST = {
    "LINEAR": lambda z: z,
    "HUBER": lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.maximum(z, 1)) - 1),
    "SOFT_L1": lambda z: 2 * (np.sqrt(1 + z) - 1),
    "CAUCHY": np.log1p,
    "ARCTAN": np.arctan,
}


@dataclass
class Problem:
    """One problem, and where its parameters are at last."""

    kind: str
    text: str
    formula: Callable  # of t and the parameters
    times: np.ndarray
    values: np.ndarray
    start: np.ndarray
    lines: list = field(default_factory=list)
    loss: tuple = ("LINEAR", 1.0)
    method: str = "FIT MORE"
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None
    names: tuple = ()
    offset: float = 0.0

    def residuals(self, p):
        with np.errstate(all="ignore"):
            found = self.formula(self.times, *p) + self.offset - self.values
        return np.where(np.isfinite(found), found, 1e100)

    def total(self, p):
        name, scale = self.loss
        return scale**2 * float(ROBUST[name]((self.residuals(p) / scale) ** 2).sum())

    @property
    def bounds(self):
        n = self.start.size
        lower = np.full(n, -np.inf) if self.lower is None else self.lower
        return lower, np.full(n, np.inf) if self.upper is None else self.upper


# ---- the kinds


def decay(t, a, k):
    return a * np.exp(-k * t)


def two_decays(t, a, k, b, m):
    return a * np.exp(-k * t) + b * np.exp(-m * t)


def relaxation(t, k, c):
    return c + (2 - c) * np.exp(-k * t)


def chain(t, k, m):
    """The product of a chain from 1, with rates that may be the same."""
    near = np.isclose(k, m, rtol=1e-7, atol=0)
    return t * k * np.exp(-k * t) if near else k * (np.exp(-k * t) - np.exp(-m * t)) / (m - k)


def logistic(t, r, c):
    return c / (1 + (c - 0.1) / 0.1 * np.exp(-r * t))


DECAY = "par a={}, k={}\nx'=-k*x\nx(0)=a\n{}done"
TWO = "par a={}, k={}, b={}, m={}\nx'=-k*x\ny'=-m*y\nx(0)=a\ny(0)=b\naux z=x+y\ndone"
RELAXATION = "par k={}, c={}\nx'=-k*(x-c)\nx(0)=2\ndone"
CHAIN = "par k={}, m={}\nx'=-k*x\ny'=k*x-m*y\nx(0)=1\ny(0)=0\ndone"
LOGISTIC = "par r={}, c={}\nx'=r*x*(1-x/c)\nx(0)=.1\ndone"


def _made(rng, kind, text, formula, true, start, noise=None, **more):
    n = int(rng.integers(6, 25))
    times = np.linspace(0.2, float(rng.uniform(2, 6)), n)
    clean = formula(times, *true)
    noise = 10 ** rng.uniform(-3, -0.7) if noise is None else noise
    values = clean + noise * np.abs(clean).max() * rng.normal(size=n)
    start = np.array(start, dtype=float)
    return Problem(kind, text, formula, times, values, start, **more)


def _factors(rng, n, size=3.0):
    return size ** rng.uniform(-1, 1, n)


def plain(rng):
    true = np.array([rng.uniform(0.5, 3), rng.uniform(0.2, 2)])
    return _made(rng, "plain", DECAY, decay, true, true * _factors(rng, 2), names=("x",))


def offset(rng):
    true = np.array([rng.uniform(0.5, 3), rng.uniform(0.2, 2)])
    size = float(10 ** rng.uniform(2, 6))
    made = _made(rng, "offset", DECAY, decay, true, true * _factors(rng, 2), names=("z",))
    made.text = DECAY.replace("{}done", f"aux z={size!r}+x\ndone")
    made.offset, made.values = size, made.values + size
    return made


def units(rng):
    size = 10.0 ** rng.integers(-12, 13)
    true = np.array([size * rng.uniform(0.5, 3), rng.uniform(0.2, 2)])
    return _made(rng, "units", DECAY, decay, true, true * _factors(rng, 2), names=("x",))


def logs(rng):
    true = np.array([rng.uniform(0.5, 3), rng.uniform(0.2, 2)])
    lines = ["SCALE a LOG k LOG"]
    return _made(rng, "logs", DECAY, decay, true, true * _factors(rng, 2, 10), names=("x",), lines=lines)


def roots(rng):
    """A root of a parameter that may be 0 or would be negative."""
    true = np.array([rng.uniform(0.2, 2), rng.choice([-0.1, 0.0, 0.3])])
    lines = ["SCALE c ROOT"]
    made = _made(rng, "roots", RELAXATION, relaxation, true, [rng.uniform(0.2, 2), 0.2], names=("x",), lines=lines)
    made.lower = np.array([-np.inf, 0.0])
    return made


def bounded(rng):
    true = np.array([rng.uniform(0.5, 3), rng.uniform(0.2, 2)])
    low, high = true * rng.uniform(0.3, 1.2, 2), true * rng.uniform(1.3, 3, 2)
    lines = [f"BOUNDS a {float(low[0])!r} {float(high[0])!r}", f"BOUNDS k {float(low[1])!r} {float(high[1])!r}"]
    start = np.clip(true * _factors(rng, 2), low, high)
    return _made(rng, "bounded", DECAY, decay, true, start, names=("x",), lines=lines, lower=low, upper=high)


def robust(rng):
    made = plain(rng)
    made.kind = "robust"
    made.values[rng.integers(made.values.size)] += 3 * np.abs(made.values).max()
    made.loss = (str(rng.choice(["HUBER", "SOFT_L1", "CAUCHY", "ARCTAN"])), float(10 ** rng.uniform(-4, 0)))
    made.method = f"FIT MORE 1e-8 500 {made.loss[0]} {made.loss[1]!r}"
    return made


def exact(rng):
    true = np.array([rng.uniform(0.5, 3), rng.uniform(0.2, 2)])
    method = str(rng.choice(["FIT MORE", "FIT 1 .01 1e-6 1e-20"]))
    return _made(rng, "exact", DECAY, decay, true, true * _factors(rng, 2), 0.0, names=("x",), method=method)


def undetermined(rng):
    b, c, a = rng.uniform(0.1, 1, 3)
    text = "par b={}, c={}, a={}\nx'=-(b+c)*x\nx(0)=a\ndone"
    return _made(
        rng,
        "undetermined",
        text,
        lambda t, b, c, a: a * np.exp(-(b + c) * t),
        (b, c, a),
        [0.16, 0.36, a * _factors(rng, 1)[0]],
        names=("x",),
    )


def two(rng):
    """Two decays, hard to tell apart, from starts that may be the same: a saddle point."""
    true = np.array([1, rng.uniform(0.2, 0.6), rng.uniform(0.3, 2), rng.uniform(1, 4)])
    start = true * _factors(rng, 4, 2)
    if rng.random() < 0.5:
        start[3] = start[1]
        start[2] = start[0] if rng.random() < 0.5 else start[2]
    return _made(rng, "two", TWO, two_decays, true, start, 10 ** rng.uniform(-4, -1.5), names=("z",))


def chained(rng):
    true = np.array([rng.uniform(0.3, 2), rng.uniform(0.3, 2)])
    start = true * _factors(rng, 2) if rng.random() < 0.5 else np.array([0.0, 0.0])
    return _made(rng, "chain", CHAIN, chain, true, start, names=("y",))


def plateau(rng):
    """A relaxation that is over before the first observation: its rate may run away."""
    true = np.array([rng.uniform(5, 60), 1.0])
    return _made(rng, "plateau", RELAXATION, relaxation, true, [rng.uniform(0.5, 8), 1.5], names=("x",))


def growth(rng):
    true = np.array([rng.uniform(0.5, 3), rng.uniform(0.5, 3)])
    method = str(rng.choice(["FIT MORE", "FIT 1 .01 1e-6 1e-6", "FIT 1 .01 1e-3 1e-3 3"]))
    return _made(rng, "growth", LOGISTIC, logistic, true, true * _factors(rng, 2), names=("x",), method=method)


KINDS = (plain, offset, units, logs, roots, bounded, robust, exact, undetermined, two, chained, plateau, growth)


def problem(seed):
    """The problem of a number; the kinds come in turn."""
    rng = np.random.default_rng(seed)
    return KINDS[seed % len(KINDS)](rng)


# ---- what FIT says, and whether it is so


def fitted(given, eps="1e-9"):
    """Where FIT ends, whether it claims a minimum, and what it said."""
    text = given.text.format(*map(repr, map(float, given.start)), *[""] * (given.text.count("{}") - given.start.size))
    data = make_observations(given.times, list(given.names), given.values[:, np.newaxis])
    session = Session(Model.from_text(text, given.kind), data)
    session(f"OPTION PROCEDURE GEAR EPS {eps} HMIN 0", *given.lines)
    _, said, warned = session.obey(Script([given.method], SCRIPT))
    return np.array(session.env.values), CLAIM in said + warned, said + warned


def false_claim(given, p):
    """How much lower, in parts of what is not significant, a search from there ends; above 1 the claim was false."""
    here, n, m = given.total(p), given.values.size, given.start.size
    spread = float(np.linalg.norm(given.values - given.values.mean()))
    allowed = 2 * SIGNIFICANT**2 * here * m / max(n - m, 1) + (2e-6 * spread) ** 2
    lowest = min(_searched(given, each) for each in [p, *_beside(given, p)])
    if given.loss[0] != "LINEAR" and wrong_refusal(given, p):
        return 0.0  # a robust loss has other minima so near that a search may end there
    return max(here - lowest, 0.0) / allowed


def wrong_refusal(given, p):
    """Whether the point is a minimum after all."""
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
    n = p.size
    hessian = np.empty((n, n))
    for i, a in enumerate(np.diag(h)):
        for j, b in enumerate(np.diag(h)):
            signs = [(s, t, given.total(p + s * a + t * b)) for s in (1, -1) for t in (1, -1)]
            hessian[i, j] = sum(s * t * f for s, t, f in signs) / (8 * a.max() * b.max())
    root = np.sqrt(np.abs(weights))
    return gradient, hessian, root[:, np.newaxis] * jac, float(np.linalg.norm(root * given.residuals(p)))
