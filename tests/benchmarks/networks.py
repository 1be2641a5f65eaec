"""Random sparse networks of reactions, as a model and as arrays."""

from functools import cached_property

import numpy as np

from parfit import Model


class Network:
    """2 n reactions of n species, a -> c and a + b -> c by turns, with log-normal rates times one of m factors."""

    def __init__(self, n, n_parameters=10, seed=1, spread=1.5):
        rng = np.random.default_rng(seed)
        self.n, self.n_parameters = n, n_parameters
        self.constants = np.exp(spread * rng.normal(size=2 * n))
        self.factor = np.arange(2 * n) % n_parameters
        species = np.array([rng.choice(n, 3, replace=False) for _ in range(2 * n)])
        self.a, self.b, self.c = species.T
        self.binary = np.arange(2 * n) % 2 == 1
        self.start = rng.uniform(0.1, 1.0, n)
        self.factors = np.ones(n_parameters)

    def text(self, units=None):
        units = np.ones(self.n) if units is None else units
        terms = [[] for _ in range(self.n)]
        for r, constant in enumerate(self.constants):
            used = [self.a[r], self.b[r]] if self.binary[r] else [self.a[r]]
            rate = "*".join([f"{constant:.17g}", f"k{self.factor[r] + 1}", *(f"x{i}/{units[i]:.17g}" for i in used)])
            for i in used:
                terms[i].append(f"-{units[i]:.17g}*{rate}")
            terms[self.c[r]].append(f"+{units[self.c[r]]:.17g}*{rate}")
        lines = ["par " + ",".join(f"k{k + 1}=1" for k in range(self.n_parameters))]
        for i, (each, value) in enumerate(zip(terms, self.start * units, strict=True)):
            lines += [f"x{i}'={''.join(each) or 0}", f"init x{i}={value:.17g}"]
        return "\n".join([*lines, "done"])

    @cached_property
    def model(self):
        return Model.from_text(self.text(), f"network of {self.n}")

    def in_units(self, state, unit):
        units = np.ones(self.n)
        units[state] = unit
        return Model.from_text(self.text(units))

    def speeds(self, y, factors):
        return self.constants * factors[self.factor] * y[self.a] * np.where(self.binary, y[self.b], 1.0)

    def gathered(self, speeds):
        """What each species gains."""
        gain = np.zeros((self.n, *speeds.shape[1:]))
        np.add.at(gain, self.a, -speeds)
        np.add.at(gain, self.b[self.binary], -speeds[self.binary])
        np.add.at(gain, self.c, speeds)
        return gain

    def rates(self, y, factors):
        return self.gathered(self.speeds(y, factors))

    def with_derivatives(self, t, z):
        y, s = z[: self.n], z[self.n :].reshape(self.n, self.n_parameters)
        speeds = self.speeds(y, self.factors)
        slopes = self.constants * self.factors[self.factor]
        by_a = slopes * np.where(self.binary, y[self.b], 1.0)
        by_b = np.where(self.binary, slopes * y[self.a], 0.0)
        change = by_a[:, None] * s[self.a] + by_b[:, None] * s[self.b]
        change[np.arange(2 * self.n), self.factor] += speeds / self.factors[self.factor]
        return np.concatenate((self.gathered(speeds), self.gathered(change).ravel()))
