"""Eight simulations with sensitivities, and a thousand fits, in two threads, against the same in one.

    python tests/benchmarks/threads.py [--quick]

Results must be the same to the last bit, and two threads should be 1.8 times as fast as one. The machine may have
other things to do: what counts is the time in which a thread had a processor or waited for the other thread. The time
in which it waited for a processor is left out, as Linux has counted it (/proc/self/task/*/schedstat).
"""

import argparse
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
from cases import chain, predator_prey
from fitting import METHOD, PROBLEMS
from timing import table, verdict

from parfit import Method, Simulator
from parfit.estimation.optimizers import bounded
from parfit.estimation.problem import Result
from parfit.simulation.trajectory import Trajectory

TARGET = 1.8
N_RUNS = 8
N_FITS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    rounds = 20 if parser.parse_args().quick else 200
    rows = [["work", "one thread ms", "two threads ms", "ratio", "at least", "", "identical"]]
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
    rows.append([f"predator-prey, {N_FITS} fits", *measure(fits(), 1, reached)])
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
    one, two = _done_by(1, work, seen)[0], _done_by(2, work[::-1], seen)[0]
    same = one == two[::-1]
    alone, together = (_done_by(n, work * rounds, type)[1] for n in (1, 2))
    ratio = alone / together
    words = [f"{1e3 * alone:.2f}", f"{1e3 * together:.2f}", f"{ratio:.3f}", str(TARGET)]
    return [*words, verdict(ratio, TARGET), "yes" if same else "NO"]


def _done_by(n_threads: int, work: list[Callable], seen: Callable) -> tuple[list, float]:
    """What is seen of the results, and the seconds it takes where every thread has a processor."""
    found: list = [None] * len(work)
    numbers, lock, seconds = iter(range(len(work))), threading.Lock(), []

    def run() -> None:
        begun = perf_counter() - _waited()
        while True:
            with lock:
                k = next(numbers, None)
            if k is None:
                break
            found[k] = seen(work[k]())
        seconds.append(perf_counter() - _waited() - begun)

    threads = [threading.Thread(target=run) for _ in range(n_threads)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found, sum(seconds) / n_threads


def _waited() -> float:
    """Seconds for which this thread has waited for a processor."""
    return 1e-9 * int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1])


if __name__ == "__main__":
    main()
