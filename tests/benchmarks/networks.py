"""Random sparse networks of reactions, as a model and as arrays; run as a program, what larger ones cost.

    python tests/benchmarks/networks.py [--quick]

Processor time to read and differentiate, to simulate, and to simulate with the sensitivities to ten parameters, beside
CVODES with a sparse solver, both with errors of 1e-6, where casadi is installed. The cost of sensitivities from 100 to
1,000 states should grow no faster than their number to the power of 1.5.
"""

import argparse
import sys
from collections.abc import Callable
from functools import cached_property, partial
from math import log10
from time import process_time

import numpy as np

from parfit import Method, Model, Simulator

TIMES = np.linspace(0.5, 6.0, 12)
TARGET = 1.5
LOADED = 2.0  # seconds, of 1,000 states


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


def with_cvodes(network: Network) -> tuple[Callable, Callable]:
    """Simulation alone, and with sensitivities."""
    import casadi as ca

    n, m = network.n, network.n_parameters
    x, factors = ca.SX.sym("x", n), ca.SX.sym("k", m)
    rates = [
        constant * factors[int(f)] * x[int(a)] * (x[int(b)] if binary else 1)
        for constant, f, a, b, binary in zip(
            network.constants, network.factor, network.a, network.b, network.binary, strict=True
        )
    ]
    gains = [ca.SX(0)] * n
    for r, rate in enumerate(rates):
        gains[network.a[r]] -= rate
        gains[network.b[r]] -= rate if network.binary[r] else 0
        gains[network.c[r]] += rate
    problem = {"x": x, "p": factors, "ode": ca.vertcat(*gains)}
    options = {"reltol": 1e-6, "abstol": 1e-8, "linear_solver": "csparse", "newton_scheme": "direct"}
    integrator = ca.integrator("network", "cvodes", problem, 0.0, TIMES.tolist(), options)
    forward, start = integrator.forward(m), {"x0": network.start, "p": np.ones(m)}
    found = integrator(**start)
    return partial(integrator, **start), partial(forward, **start, fwd_p=ca.DM.eye(m), out_xf=found["xf"])


def seconds(work: Callable, rounds: int) -> float:
    least = float("inf")
    for _ in range(rounds):
        begun = process_time()
        work()
        least = min(least, process_time() - begun)
    return least


def main() -> None:
    from timing import table, verdict

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    rounds = 3 if parser.parse_args().quick else 15
    rows = [["states", "read s", "simulated ms", "with sensitivities ms", "CVODES ms", "with sensitivities ms"]]
    costs = []
    for n in (100, 300, 1000):
        network = Network(n)
        text = network.text()
        begun = process_time()
        simulator = Simulator(Model.from_text(text), TIMES, Method())
        read = process_time() - begun
        runs = [seconds(simulator, rounds), seconds(partial(simulator, sensitivities=True), rounds)]
        costs.append(runs[1])
        try:
            runs += [seconds(each, 2) for each in with_cvodes(network)]
        except ImportError:
            runs += [float("nan")] * 2
        rows.append([str(n), f"{read:.2f}", *(f"{1e3 * each:.1f}" for each in runs)])
    power = log10(costs[-1] / costs[0])
    sys.stdout.write(table(rows))
    sys.stdout.write(f"read at most {LOADED} s: {verdict(read, LOADED, at_most=True)}\n")
    sys.stdout.write(f"power {power:.2f}, at most {TARGET}: {verdict(power, TARGET, at_most=True)}\n")


if __name__ == "__main__":
    main()
