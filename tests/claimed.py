"""Random small problems with closed solutions, of many kinds: what FIT is asked to fit, and its claims judged by."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

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
    eps: str = "1e-9"  # of the integration
    seen: tuple = ()  # where only combinations are determined: the formula of these, and what they are of p

    @property
    def determined(self):
        """The same problem in what the data can determine."""
        if not self.seen:
            return self
        formula, combined = self.seen
        return replace(self, formula=formula, start=combined(self.start), seen=())

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


# ---- what only combinations of the parameters determine, far starts, bounds that count


def absorbed(t, ka, ke, ratio):
    """What is in the blood after a dose, next to its volume; for rates that may be the same."""
    near = np.isclose(ka, ke, rtol=1e-7, atol=0)
    return ratio * (t * ka * np.exp(-ka * t) if near else ka / (ka - ke) * (np.exp(-ke * t) - np.exp(-ka * t)))


DOSE = "par ka={}, ke={}, V={}, A0={}\nA'=-ka*A\nC'=ka*A/V-ke*C\nA(0)=A0\nC(0)=0\ndone"


def dose(rng):
    """A dose and a volume, of which only the ratio is seen, integrated as by default."""
    true = np.array([rng.uniform(0.8, 2), rng.uniform(0.05, 0.4), rng.uniform(5, 20), 100.0])
    made = _made(rng, "dose", DOSE, lambda t, ka, ke, v, a: absorbed(t, ka, ke, a / v), true, true, names=("C",))
    made.start = true * _factors(rng, 4)
    made.seen = absorbed, lambda p: np.array([p[0], p[1], p[3] / p[2]])
    made.eps, made.method = "1e-6", str(rng.choice(["FIT MORE", "FIT 1"]))
    return made


def product(rng):
    """Two factors, of which only the product is seen."""
    a, b, c = rng.uniform(0.3, 1.5, 3)
    text = "par a={}, b={}, c={}\nx'=-a*b*x\nx(0)=c\ndone"
    made = _made(rng, "product", text, lambda t, a, b, c: decay(t, c, a * b), (a, b, c), [a, b, c], names=("x",))
    made.start = made.start * _factors(rng, 3)
    made.seen = decay, lambda p: np.array([p[2], p[0] * p[1]])
    made.eps = "1e-6"
    return made


def idle(rng):
    """A parameter that nothing depends on."""
    made = plain(rng)
    made.kind, made.text = "idle", DECAY.replace("k={}", "k={}, idle=3")
    made.seen = decay, lambda p: p[:2]
    return made


def far(rng):
    """A robust loss, from where residuals are thousands of its scales, with several outliers."""
    true = np.array([rng.uniform(5, 50), rng.uniform(0.2, 2)])
    made = _made(rng, "far", DECAY, decay, true, true * _factors(rng, 2, 5), rng.uniform(0.002, 0.01), names=("x",))
    made.values[rng.integers(made.values.size, size=2)] += true[0] * rng.uniform(0.3, 2, 2)
    made.loss = (str(rng.choice(["HUBER", "SOFT_L1", "CAUCHY"])), float(true[0] * 10 ** rng.uniform(-2.5, -1)))
    made.method = f"FIT MORE 1e-8 500 {made.loss[0]} {made.loss[1]!r}"
    return made


def pressed(rng):
    """Bounds that exclude the true values, with a robust loss in half of them."""
    made = far(rng) if rng.random() < 0.5 else plain(rng)
    made.kind = "pressed"
    middle = np.array([np.abs(made.values).max(), 0.7])
    made.lower, made.upper = middle * rng.uniform(0.2, 0.7, 2), middle * rng.uniform(0.8, 1.6, 2)
    limits = [f"{float(a)!r} {float(b)!r}" for a, b in zip(made.lower, made.upper, strict=True)]
    made.lines = [f"BOUNDS a {limits[0]}", f"BOUNDS k {limits[1]}"]
    made.start = np.clip(made.start, made.lower, made.upper)
    return made


KINDS = (
    *(plain, offset, units, logs, roots, bounded, robust, exact, undetermined, two, chained, plateau, growth),
    *(dose, product, idle, far, pressed),
)


def problem(seed):
    """The problem of a number; the kinds come in turn."""
    rng = np.random.default_rng(seed)
    return KINDS[seed % len(KINDS)](rng)
