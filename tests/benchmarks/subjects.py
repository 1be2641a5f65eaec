"""What several experiments cost: one evaluation of 20 next to 20 evaluations of one, in one thread and in several.

    python tests/benchmarks/subjects.py

One thread: an oral dose in 20 subjects (two states, a parameter of each subject), which is too little work to be
divided. Several: an oscillator that is followed for long, so that it is. All times are the least of many repetitions.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

import parfit

ORAL = "par ka=.8, cl=4, v=30\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\naux c=cen/v\nlocal cl\ndone\n"
LONG = "par w=1\nc'=w*y\ny'=-w*c\ninit c=1\nlocal w\ndone\n"
MOST, REPETITIONS = 1.2, 300


def data(n: int, last: float) -> str:
    times = [0.25, 0.5, 1.0, 2.0, 3.5, 5.0, 7.0, 9.0, 12.0, last]
    rows = [f"s{k},{t},,{np.exp(-0.1 * t) + 0.01 * k}" for k in range(n) for t in times]
    doses = [f"s{k},0,100," for k in range(n)]
    return "\n".join(["id,time,amt,c", *doses, *rows]) + "\n"


def least(work: Callable[[], object], repetitions: int) -> float:
    found = np.inf
    for _ in range(repetitions):
        began = perf_counter()
        work()
        found = min(found, perf_counter() - began)
    return found


def seconds(text: str, n: int, last: float, repetitions: int) -> float:
    """Of residuals and Jacobian."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_text(data(n, last))
        problem = parfit.load(parfit.Model.from_text(text), path).environment.problem()
    kernel, point = problem.kernel, problem.parameters.point
    assert kernel is not None
    return least(lambda: kernel.at(point), repetitions)


def main() -> int:
    one, twenty = (seconds(ORAL, n, 24.0, REPETITIONS) for n in (1, 20))
    ratio = twenty / (20.0 * one)
    told = [f"one thread: {1e3 * one:.3f} ms and {1e3 * twenty:.3f} ms, {ratio:.2f} times 20 of one (at most {MOST})"]
    one, twenty = (seconds(LONG, n, 2000.0, 20) for n in (1, 20))
    shared = twenty / (20.0 * one)
    told += [
        f"{os.cpu_count()} processors: {1e3 * one:.1f} ms and {1e3 * twenty:.1f} ms, {shared:.2f} times 20 of one"
    ]
    sys.stdout.write("\n".join(told) + "\n")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    raise SystemExit(main())
