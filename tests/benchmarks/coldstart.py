"""AUTO from bad starts: python tests/benchmarks/coldstart.py [FACTOR] [SAMPLES] [SECONDS] [NAME ...].

Each problem of tests/coldstarts.py has data with errors of 1 to 5 %, several samples of them, each with a start whose
parameters are wrong by factors up to FACTOR (30), and AUTO may use so many SECONDS (10) of processor time. Right is
what ends within 1 % of the least sum of squares that is known: of AUTO, or of a fit that begins at the true values.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from coldstarts import EVERY, begun

from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.starting.auto import Request, auto

WITHIN = 1.01


class Outcome(NamedTuple):
    ratio: float  # to the least sum of squares that is known
    is_believed: bool
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.ratio <= WITHIN


def tried(name: str, sample: int, wrong: float, budget: float) -> Outcome:
    true, env = begun(name, sample, wrong)
    least = fit(true).total
    begin = time.process_time()
    found = auto(env, Request(budget))
    seconds = time.process_time() - begin
    total = found.env.sum_of_squares or np.inf
    return Outcome(total / min(total, least), found.is_believed, seconds)


def told(name: str, outcomes: list[Outcome]) -> str:
    right, seconds = [each.is_right for each in outcomes], [each.seconds for each in outcomes]
    claims = sum(each.is_believed and not each.is_right for each in outcomes)
    doubts = sum(each.is_right and not each.is_believed for each in outcomes)
    quick = np.mean([each.is_right and each.seconds <= 1.0 for each in outcomes])
    return (
        f"{name:18} right {100 * np.mean(right):5.1f} %  within 1 s {100 * quick:5.1f} %  seconds "
        f"{np.median(seconds):6.2f} (most {max(seconds):5.2f})  believed but wrong {claims}  "
        f"right but doubted {doubts}\n"
    )


def main() -> None:
    wrong, n, budget = (float(each) for each in (sys.argv[1:4] + ["30", "3", "10"][len(sys.argv[1:4]) :]))
    every: list[Outcome] = []
    for name in sys.argv[4:] or EVERY:
        outcomes = [tried(name, sample, wrong, budget) for sample in range(1, int(n) + 1)]
        sys.stdout.write(told(name, outcomes))
        sys.stdout.flush()
        every += outcomes
    sys.stdout.write(told(f"all {len(every)}", every))


if __name__ == "__main__":
    main()
