"""Fits as people call them from Python: `problem.fit()` beside basico's `run_parameter_estimation()`.

    python tests/benchmarks/calling.py [--quick] [problem ...]

The problems and settings are those of `fitting.py`, which times searches alone, as "search us" does here. In a call
everything counts that it does beside its search: PARFIT makes the problem ready and keeps all trials, basico
initializes its task and makes a table of the values. Called again, a problem finds ready what integrates its
equations; "new data us" is `problem.with_data(data).fit()`, for which that is made anew. The values are read, a
verdict and errors are not asked for (COPASI's statistics are off); "with all" has them, by PARFIT. Ratios are of
basico's call to PARFIT's search and to its call. COPASI is optional: `pip install parfit[benchmark]`.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import process_time

from fitting import COPASI_ATOL, EPS, METHOD, PROBLEMS, Fit, Parfit
from timing import table

import parfit

HEAD = ["problem", "search us", "fit us", "new data us", "with all us", "basico us", "to search", "to call"]

TURN = 5  # calls of one after another


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("problems", nargs="*", metavar="problem", help=f"all, or some of {', '.join(PROBLEMS)}")
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    given = parser.parse_args()
    n = 5 if given.quick else 50
    sys.stdout.write(table([HEAD, *(measured(PROBLEMS[name](), n) for name in given.problems or PROBLEMS)]))


def measured(fit: Fit, n: int) -> list[str]:
    """A row of the table."""
    held = [name for k, name in enumerate(fit.model.parameters) if k not in fit.active]
    how = {"procedure": METHOD.procedure, "formula": METHOD.formula, "eps": METHOD.eps, "h_min": METHOD.h_min}
    problem = parfit.load(fit.model, fit.observations).with_frozen(*held).with_method(**how)
    search = Parfit(fit, 3)
    calls = (
        search.run,
        lambda: problem.fit().values,
        lambda: problem.with_data(fit.observations).fit().values,
        lambda: problem.fit().errors,
    )
    own = least(calls, n)
    peer = called(fit, n) if find_spec("basico") is not None else float("nan")
    times = [f"{1e6 * each:.0f}" for each in (*own, peer)]
    return [fit.name, *times, f"{peer / own[0]:.1f}", f"{peer / own[1]:.1f}"]


def called(fit: Fit, n: int) -> float:
    """Least seconds of basico's call, with the better of two atol."""
    import basico
    from copasi import Estimation

    seconds = []
    for atol in (COPASI_ATOL, EPS * float(fit.scale[fit.scale > 0.0].min())):
        with tempfile.TemporaryDirectory() as folder:
            estimation = Estimation(fit.model, fit.observations, fit.active, EPS, atol, Path(folder))
            estimation.run()
            seconds += least([basico.run_parameter_estimation], n)
            estimation.close()
    return min(seconds)


def least(works: Sequence[Callable[[], object]], n: int) -> list[float]:
    """Least seconds of each in so many rounds, in which all take turns: no busy moment of the machine is one's alone.

    A call right after the same one finds what it needs in the processor's memory, as in a loop over data sets.
    """
    found = [float("inf")] * len(works)
    for _ in range(n):
        for k, work in enumerate(works):
            found[k] = min(found[k], *(_seconds(work) for _ in range(TURN)))
    return found


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


if __name__ == "__main__":
    main()
