"""Eight simulations with sensitivities, and a hundred fits, in two threads, against the same in one.

    python tests/benchmarks/threads.py [--quick]

Results must be the same to the last bit, and two threads should take at most 0.6 of the time of one, where the
machine has two free cores: "machine" is the same ratio for a loop of numpy that needs nothing but the processor.
"""

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from cases import chain, predator_prey
from fitting import METHOD, PROBLEMS
from timing import fastest, table, verdict

from parfit import Method, Simulator
from parfit.estimation.optimizers import bounded
from parfit.estimation.problem import Result
from parfit.simulation.trajectory import Trajectory

TARGET = 0.6
N_RUNS = 8
N_FITS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    rounds = 10 if parser.parse_args().quick else 100
    rows = [["work", "one thread ms", "two threads ms", "ratio", "at most", "", "identical", "machine"]]
    gear = Method("gear", "auto", 1e-6, h_min=0.0)
    small, large = predator_prey(), chain(100)
    many = np.linspace(0.0, 12.5, 4_001)[1:]
    for name, problem, simulator in (
        ("chain of 100, Gear", large, Simulator(large.model, large.times, gear)),
        ("chain of 100, trapezoid", large, Simulator(large.model, np.linspace(0.1, 10.0, 100))),
        ("predator-prey, Gear, 4,000 times", small, Simulator(small.model, many, gear)),
        ("predator-prey, trapezoid, 4,000 times", small, Simulator(small.model, many)),
    ):
        work = [partial(simulator, problem.p * factor, True) for factor in np.linspace(0.95, 1.05, N_RUNS)]
        rows.append([name, *measure(work, rounds, simulated)])
    rows.append(["predator-prey, 100 fits", *measure(fits(), max(1, rounds // 10), reached)])
    sys.stdout.write(table(rows))


def fits() -> list[Callable]:
    """Of one problem that all threads share, from random starts."""
    fit = PROBLEMS["predator-prey-2"]()
    map_ = fit.parameters(fit.model.values)
    random = np.random.default_rng(1)
    starts = map_.point * np.exp(0.4 * random.standard_normal((N_FITS, map_.point.size)))
    problem = fit.problem(METHOD, fit.model.values)
    return [partial(bounded.minimize, problem, start, bounded.Settings()) for start in starts]


def simulated(run: Trajectory) -> tuple:
    return run.y.tobytes(), run.s.tobytes(), run.counts


def reached(result: Result) -> tuple:
    return result.p.tobytes(), result.ending, result.n_evaluations


def measure(work: list[Callable], rounds: int, seen: Callable[..., tuple]) -> list[str]:
    """Words for the table."""
    with ThreadPoolExecutor(2) as pool:
        one, two = [f() for f in work], _in_threads(pool, work)
        same = [seen(each) for each in one] == [seen(each) for each in two]
        loops = [partial(np.sin, np.linspace(0.0, 1.0, 200_000))] * N_RUNS
        tasks = [partial(_in_turn, work), partial(_in_threads, pool, work)]
        tasks += [partial(_in_turn, loops), partial(_in_threads, pool, loops)]
        alone, together, loop_alone, loop_together = fastest(tasks, rounds)
    ratio = together / alone
    words = [f"{1e3 * alone:.2f}", f"{1e3 * together:.2f}", f"{ratio:.3f}", str(TARGET)]
    words += [verdict(ratio, TARGET, at_most=True), "yes" if same else "NO", f"{loop_together / loop_alone:.3f}"]
    return words


def _in_turn(work: list[Callable]) -> list:
    return [f() for f in work]


def _in_threads(pool: ThreadPoolExecutor, work: list[Callable]) -> list:
    return [future.result() for future in [pool.submit(f) for f in work]]


if __name__ == "__main__":
    main()
