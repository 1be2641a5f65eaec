"""Importing parfit and its kernel, against importing numpy and the parts of scipy that it needs.

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
ROWS = {
    "import parfit": ("import parfit", TARGET),
    "import parfit, and all it offers without sympy": (
        "import parfit; parfit.Simulator, parfit.Model, parfit.load_model, parfit.load_data",
        TARGET,
    ),
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
        words = [f"{1e3 * seconds:.1f}", f"{ratio:.2f}", str(target), verdict(ratio, target, at_most=True)]
        rows.append([name, *words])
    sys.stdout.write(table(rows))


def _seconds(statement: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", CODE.format(statement)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return float(run.stdout)


if __name__ == "__main__":
    main()
