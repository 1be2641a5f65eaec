"""Importing parfit, against importing numpy and the parts of scipy that it needs.

    python tests/benchmarks/startup.py [--quick]

Each import is made in a fresh interpreter and timed there; the least of many counts, taken in turns.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from timing import table, verdict

TARGET = 1.3
NEEDED = "import numpy, scipy.linalg.cython_lapack"
# Names are imported when first used: so the target holds for those that read models and data too.
ROWS: dict[str, tuple[str, float | None]] = {
    "import parfit": ("import parfit", TARGET),
    "... and what reads models and data": (
        "import parfit; parfit.Model, parfit.load_model, parfit.load_data",
        TARGET,
    ),
    "... and what simulates": ("import parfit; parfit.Simulator", None),
}
CODE = "from time import perf_counter; start = perf_counter(); {}; print(perf_counter() - start)"
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    rounds = 5 if parser.parse_args().quick else 40
    statements = [NEEDED, *(statement for statement, _ in ROWS.values())]
    best = [float("inf")] * len(statements)
    for _ in range(rounds):
        for k, statement in enumerate(statements):
            best[k] = min(best[k], _seconds(statement))
    rows = [["statement", "ms", "ratio", "at most", ""], [NEEDED, f"{1e3 * best[0]:.1f}", "", "", ""]]
    for seconds, (name, (_, target)) in zip(best[1:], ROWS.items(), strict=True):
        ratio = seconds / best[0]
        goal = ["", ""] if target is None else [str(target), verdict(ratio, target, at_most=True)]
        rows.append([name, f"{1e3 * seconds:.1f}", f"{ratio:.2f}", *goal])
    sys.stdout.write(table(rows))


def _seconds(statement: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", CODE.format(statement)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return float(run.stdout)


if __name__ == "__main__":
    main()
