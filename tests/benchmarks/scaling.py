"""How the cost of a simulation with all sensitivities grows.

    python tests/benchmarks/scaling.py [--quick]

Chains of N states and N parameters: the exponent of the cost from N = 10 to N = 100 should be at most 2.2.
Observation times: the cost should be a constant part and a part in proportion to their number, up to 100,000; the
trapezoidal rule takes a step per time, Gear interpolates. "per time" is the cost of each time added since the line
before; the last of them should be at most 1.5 times the smallest.
"""

import argparse
import sys
from functools import partial
from math import log

import numpy as np
from cases import Problem, chain, predator_prey
from timing import fastest, table, verdict

from parfit import Method, Simulator

EXPONENT, GROWTH = 2.2, 1.5
SIZES = (10, 18, 32, 56, 100)
COUNTS = (100, 1_000, 10_000, 100_000)
METHODS = {
    "bdf": Method("gear", "bdf", 1e-6, h_min=0.0),
    "auto": Method("gear", "auto", 1e-6, h_min=0.0),
    "trapezoid": Method("trapezoid"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    rounds = 3 if parser.parse_args().quick else 15
    sys.stdout.write(f"{table(by_size(rounds))}\n{table(by_times(rounds))}")


def by_size(rounds: int) -> list[list[str]]:
    """Milliseconds for each chain and method, and the exponents."""
    problems = [chain(n) for n in SIZES]
    runs = [[_run(problem, method, problem.times) for problem in problems] for method in METHODS.values()]
    seconds = fastest([run for row in runs for run in row], rounds)
    rows = [["chain, ms", *(f"N={n}" for n in SIZES), "exponent", "at most", ""]]
    for k, name in enumerate(METHODS):
        times = seconds[k * len(SIZES) : (k + 1) * len(SIZES)]
        exponent = log(times[-1] / times[0]) / log(SIZES[-1] / SIZES[0])
        words = [f"{exponent:.2f}", str(EXPONENT), verdict(exponent, EXPONENT, at_most=True)]
        rows.append([name, *(f"{1e3 * s:.3f}" for s in times), *words])
    return rows


def by_times(rounds: int) -> list[list[str]]:
    """Milliseconds for each number of times, with the cost of those added."""
    problem = predator_prey()
    rows = [["times, ms (us per time)", *(f"{n}" for n in COUNTS), "growth", "at most", ""]]
    for name, method in METHODS.items():
        runs = [_run(problem, method, np.linspace(0.0, 12.5, n + 1)[1:]) for n in COUNTS]
        seconds = fastest(runs, rounds)
        added = [b - a for a, b in zip((0.0, *seconds), seconds, strict=False)]
        each = [s / (n - before) for s, n, before in zip(added, COUNTS, (0, *COUNTS), strict=False)]
        growth = each[-1] / min(each)
        words = [f"{1e3 * s:.3f} ({1e6 * e:.3f})" for s, e in zip(seconds, each, strict=True)]
        rows.append([name, *words, f"{growth:.2f}", str(GROWTH), verdict(growth, GROWTH, at_most=True)])
    return rows


def _run(problem: Problem, method: Method, times: np.ndarray) -> partial:
    simulator = Simulator(problem.model, times, method)
    assert simulator(problem.p, True).status, f"{problem.name} could not be integrated"
    return partial(simulator, problem.p, True)


if __name__ == "__main__":
    main()
