"""Random small problems with noise models, priors and factors that are solved for; their likelihoods written out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from conversation import SCRIPT, Session
from scipy.optimize import minimize
from scipy.stats import laplace, lognorm, norm

from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.sources import Script

CLAIM = "is a minimum"
SIGNIFICANT = 0.1  # in radii of the confidence region: what FIT promises
STATIONARY = 1e-3
TIP = 1e-3  # of -2 log L, by which the rounded tip of a Laplace density may hide a minimum
DECAY = "par a={a}, k={k}, s={s}, b={b}\nx'=-k*x\nx(0)=a\naux y=s*x+b\n{line}\ndone"


@dataclass
class Noisy:
    """A problem, and -2 log of what is maximized, by the parameters that are free; sds are solved for there."""

    kind: str
    lines: list
    deviance: Callable  # of y(t) at these parameters, the data and the parameters
    names: str  # of the free parameters
    observed: str = "x"
    line: str = ""  # of the model
    sd: float | None = None  # of the data, if it is known
    lower: tuple = ()  # of the parameters
    slack: float = 0.0


def _solved(v, y, shape=1.0):
    return norm.logpdf(v, y, shape * np.sqrt(np.mean(((v - y) / shape) ** 2))).sum()


def _log_solved(v, y):
    return lognorm.logpdf(v, np.sqrt(np.mean(np.log(v / y) ** 2)), scale=y).sum() if (y > 0).all() else -np.inf


KINDS = (
    Noisy("relative", ["NOISE x RELATIVE"], lambda v, y, p: _solved(v, y, np.abs(y)), "a k"),
    Noisy("lognormal", ["NOISE x LOGNORMAL"], lambda v, y, p: _log_solved(v, y), "a k"),
    Noisy("expression", ["NOISE x s+b*x"], lambda v, y, p: norm.logpdf(v, y, p[2] + p[3] * y).sum(), "a k s b"),
    Noisy(
        "both",
        ["NOISE x BOTH"],
        lambda v, y, p: norm.logpdf(v, y, np.sqrt(np.maximum(p[2] + p[3] * y * y, 1e-300))).sum(),
        "a k va_x vr_x",
        lower=(-np.inf, -np.inf, 0.0, 0.0),
    ),
    Noisy("multiple", ["NOISE x PROPORTIONAL 1+b*x"], lambda v, y, p: _solved(v, y, 1.0 + p[2] * y), "a k b"),
    Noisy(
        "prior",
        ["PRIOR k NORMAL .7 .05"],
        lambda v, y, p: _solved(v, y) + norm.logpdf(p[1], 0.7, 0.05),
        "a k",
    ),
    Noisy(
        "known",
        ["PRIOR k LOGNORMAL .7 .1"],
        lambda v, y, p: norm.logpdf(v, y, 0.1).sum() + norm.logpdf(np.log(p[1] / 0.7) if p[1] > 0 else 1e9, 0, 0.1),
        "a k",
        sd=0.1,
    ),
    Noisy(
        "laplace",
        ["NOISE x LAPLACE"],
        lambda v, y, p: laplace.logpdf(v, y, np.abs(v - y).mean()).sum(),
        "a k",
        slack=1.0,
    ),
    Noisy("solved", ["NOISE y RELATIVE"], lambda v, y, p: _solved(v, y, np.abs(y)), "k s b", "y", "linear s, b"),
)


class Case:
    """One problem of a kind."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.kind = kind = KINDS[seed % len(KINDS)]
        self.t = np.linspace(0.3, rng.uniform(3.0, 6.0), int(rng.integers(12, 30)))
        true = {"a": rng.uniform(1, 5), "k": rng.uniform(0.3, 1.2), "s": rng.uniform(0.5, 2), "b": rng.uniform(0.3, 1)}
        y = self._curve(true)
        part = rng.uniform(0.02, 0.08)
        wide = part * (0.3 * y.max() + y)  # errors that grow with y, but not from 0
        self.v = y * np.exp(wide / y * rng.normal(size=y.size))
        self.start = {name: value * 1.6 ** rng.uniform(-1, 1) for name, value in true.items()}
        self.frozen = [name for name in "aksb" if name not in kind.names.split()]

    def _curve(self, p):
        x = p["a"] * np.exp(-p["k"] * self.t)
        return x if self.kind.observed == "x" else p["s"] * x + p["b"]

    def fitted(self):
        """Where FIT ends, whether it claims a minimum, and what it said."""
        kind = self.kind
        sds = None if kind.sd is None else np.full((self.t.size, 1), kind.sd)
        data = make_observations(self.t, [kind.observed], self.v[:, np.newaxis], sds=sds)
        session = Session(Model.from_text(DECAY.format(**self.start, line=kind.line), kind.kind), data)
        freeze = [f"FREEZE {' '.join(self.frozen)}"] if self.frozen else []
        session("OPTION EPS 1e-9", *kind.lines, *freeze)
        _, said, warned = session.obey(Script(["FIT MORE"], SCRIPT))
        self.end = dict(zip(session.env.model.parameters, session.env.values.tolist(), strict=True))
        return np.array([self.end[name] for name in kind.names.split()]), CLAIM in said + warned, said + warned

    def deviance(self, p):
        """-2 log of what is maximized."""
        low = self.kind.lower or (-np.inf,) * len(p)
        if (np.asarray(p) < np.asarray(low)).any():
            return 1e10
        with np.errstate(all="ignore"):
            y = self._curve({**self.end, **dict(zip(self.kind.names.split(), p, strict=True))})
            found = -2.0 * self.kind.deviance(self.v, y, p)
        return float(found) if np.isfinite(found) else 1e10

    def fall(self, p):
        """How far below a search ends that begins there or beside, less what is not significant."""
        rng = np.random.default_rng(0)
        starts = [p, *(p * (1.0 + 0.01 * rng.normal(size=p.size)) for _ in range(3))]
        how = {"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000, "maxfev": 4000}
        lowest = min(minimize(self.deviance, start, method="Nelder-Mead", options=how).fun for start in starts)
        allowed = 2.0 * SIGNIFICANT**2 * p.size + self.kind.slack * TIP * self.t.size
        return self.deviance(p) - lowest - allowed
