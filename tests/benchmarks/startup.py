"""Importing parfit, against importing numpy and scipy.linalg in the usual way; the time to a prompt, and to an answer.

    python tests/benchmarks/startup.py [--quick]

Each import is made in a fresh interpreter and timed there; the least of many counts, taken in turns. The prompt is
waited for at a pseudo-terminal, from the start of the process on, against a process that imports what it needs. Of the
first answer, a FIT of a model never seen, the processor time of the whole process counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

from timing import table, verdict

TARGET = 0.7  # the kernel takes from scipy.linalg what it needs, and not all of it
NEEDED = "import numpy, scipy.linalg.cython_lapack"
# Names are imported when first used: so the target holds for those that read, and simulate, too.
ROWS = {
    "import parfit": "import parfit",
    "... and what reads models and data": "import parfit; parfit.Model, parfit.load_model, parfit.load_data",
    "... and what simulates": "import parfit; parfit.Simulator",
}
PROMPT_TARGET = 1.2
ANSWER_TARGET = 0.35  # seconds
MODEL = "par a=0.9,b=0.4\nx'=-a*x+b*y\ny'=a*x-b*y\ninit x=1\n"
DATA = "t,x,y\n" + "\n".join(f"{t},{1 / (1 + t)},{t / (2 + t)}" for t in (0.5, 1, 2, 3, 5, 8))
PROMPT_NEEDED = "import numpy, scipy.linalg, prompt_toolkit"
CODE = "from time import perf_counter; start = perf_counter(); {}; print(perf_counter() - start)"
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else what is not installed is compiled again each time
    rounds = 5 if parser.parse_args().quick else 40
    statements = [NEEDED, *ROWS.values()]
    best = [float("inf")] * len(statements)
    for _ in range(rounds):
        for k, statement in enumerate(statements):
            best[k] = min(best[k], _seconds(statement))
    rows = [["statement", "ms", "ratio", "at most", ""], [NEEDED, f"{1e3 * best[0]:.1f}", "", "", ""]]
    for seconds, name in zip(best[1:], ROWS, strict=True):
        ratio = seconds / best[0]
        goal = verdict(ratio, TARGET, at_most=True)
        rows.append([name, f"{1e3 * seconds:.1f}", f"{ratio:.2f}", str(TARGET), goal])
    sys.stdout.write(table(rows))
    needed, prompt = _prompt_seconds(7 if rounds > 5 else 3)
    ratio = prompt / needed
    rows = [
        ["process", "ms", "ratio", "at most", ""],
        [f'python -c "{PROMPT_NEEDED}"', f"{1e3 * needed:.0f}", "", "", ""],
        [
            "parfit MODEL DATA to its prompt",
            f"{1e3 * prompt:.0f}",
            f"{ratio:.2f}",
            str(PROMPT_TARGET),
            verdict(ratio, PROMPT_TARGET, at_most=True),
        ],
    ]
    sys.stdout.write("\n" + table(rows))
    answer = _answer_seconds(rounds)
    rows = [["process", "ms of processor time", "at most", ""]]
    goal = verdict(answer, ANSWER_TARGET, at_most=True)
    rows.append(["parfit MODEL DATA -e FIT", f"{1e3 * answer:.0f}", f"{1e3 * ANSWER_TARGET:.0f}", goal])
    sys.stdout.write("\n" + table(rows))


def _answer_seconds(rounds: int) -> float:
    """Least processor time from the start of the process to the end of a FIT."""
    least = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.ode").write_text(MODEL)
        (Path(folder) / "data.csv").write_text(DATA)
        for _ in range(rounds + 1):  # the first may have to compile
            before = getrusage(RUSAGE_CHILDREN)
            command = [sys.executable, "-m", "parfit", "model.ode", "data.csv", "-e", "FIT"]
            subprocess.run(command, check=False, capture_output=True, cwd=folder)
            after = getrusage(RUSAGE_CHILDREN)
            least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def _prompt_seconds(rounds: int) -> tuple[float, float]:
    """Least seconds that the imports take, and that it takes until the prompt appears."""
    sys.path.insert(0, str(ROOT / "tests"))
    from terminals import PREDATOR, Session

    needed = prompt = float("inf")
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "folder"
        folder.mkdir()
        for _ in range(rounds + 1):  # the first finds nothing cached
            start = perf_counter()
            subprocess.run([sys.executable, "-c", PROMPT_NEEDED], check=True, cwd=folder)
            middle = perf_counter()
            with Session(folder, *PREDATOR) as session:
                session.wait()
                needed, prompt = min(needed, middle - start), min(prompt, perf_counter() - middle)
    return needed, prompt


def _seconds(statement: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", CODE.format(statement)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return float(run.stdout)


if __name__ == "__main__":
    main()
