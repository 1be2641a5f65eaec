"""Simulation with all sensitivities, against scipy's solve_ivp on the same equations written in numpy.

    python tests/benchmarks/simulation.py [--quick]

solve_ivp: LSODA, rtol 1e-6, default atol, states and sensitivity equations together, at the times of the problem.
Gear: a prepared `Simulator` at the same times, EPS 1e-6, with the BDF and with the automatic choice of formulas; the
ratio is that of the faster. As in a fit the sizes of observed states are known. Like solve_ivp it has no limits on
the step, but for the heart problem, which keeps the default HMAX.
Trapezoid: on 25 times spaced like those of the problem. All times are the least of interleaved repetitions.

Errors, against solutions with rtol 1e-11: the largest error of a state next to the largest value of that state;
and of a sensitivity next to the largest value of that sensitivity, over those whose logarithmic sensitivity reaches
1e-3 of the largest of their state.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from cases import Problem, bard, chain, enzyme, heart, predator_prey
from scipy.integrate import solve_ivp
from timing import fastest, table, verdict

from parfit import Method, Simulator
from parfit.arrays import Array

EPS = 1e-6
HEART_STEP = 5.0  # the default HMAX, without which the pulse of that problem could be missed
GEAR_TARGET, GEAR_TARGET_LARGE, TRAPEZOID_TARGET = 50.0, 5.0, 300.0
PROBLEMS: tuple[tuple[Callable[[], Problem], float | None, float | None], ...] = (
    (predator_prey, GEAR_TARGET, TRAPEZOID_TARGET),
    (enzyme, GEAR_TARGET, TRAPEZOID_TARGET),
    (bard, GEAR_TARGET, TRAPEZOID_TARGET),
    (heart, GEAR_TARGET, TRAPEZOID_TARGET),
    (partial(chain, 10), None, None),
    (partial(chain, 30), None, None),
    (partial(chain, 100), GEAR_TARGET_LARGE, None),
)
SPEED = ["problem", "states", "params", "solve_ivp ms", "bdf ms", "auto ms", "ratio", "target", ""]
SPEED += ["trapezoid ms", "ratio", "target", ""]
ERRORS = [
    "problem",
    "solve_ivp y",
    "bdf y",
    "auto y",
    "solve_ivp dy/dp",
    "bdf dy/dp",
    "auto dy/dp",
    "",
    "evaluations",
]
ERRORS += ["bdf", "auto", "stiff from"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions, no chain of 100")
    quick = parser.parse_args().quick
    speed, errors = [SPEED], [ERRORS]
    for make, gear_target, trapezoid_target in PROBLEMS[:-1] if quick else PROBLEMS:
        problem = make()
        one, other = measure(problem, 3 if quick else 15, gear_target, trapezoid_target)
        speed.append(one)
        errors.append(other)
    sys.stdout.write(f"{table(speed)}\nAchieved errors and work\n{table(errors)}")


def measure(
    problem: Problem, rounds: int, gear_target: float | None, trapezoid_target: float | None
) -> tuple[list[str], list[str]]:
    """A row for each table."""
    h_max = HEART_STEP if problem.name == "heart" else np.inf
    bdf, auto = (
        Simulator(problem.model, problem.times, Method("gear", formula, EPS, 0.0, h_max), scale=problem.scale)
        for formula in ("bdf", "auto")
    )
    trapezoid = Simulator(problem.model, problem.grid)
    contestants = [partial(reference, problem, 1e-6)]
    contestants += [partial(simulator, problem.p, True) for simulator in (bdf, auto, trapezoid)]
    seconds = fastest(contestants, rounds)
    ratio, rough = seconds[0] / min(seconds[1:3]), seconds[0] / seconds[3]
    words = [
        problem.name,
        str(problem.n_states),
        str(problem.p.size),
        *(f"{1e3 * s:.4g}" for s in seconds[:3]),
    ]
    words += [f"{ratio:.1f}", *_target(ratio, gear_target)]
    words += [f"{1e3 * seconds[3]:.4g}", f"{rough:.0f}", *_target(rough, trapezoid_target)]
    exact = reference(problem, 1e-11)
    runs = [simulator(problem.p, True) for simulator in (bdf, auto)]
    assert all(run.status for run in (*runs, trapezoid(problem.p, True))), "an integration failed"
    found = [contestants[0](), *((run.y, run.s) for run in runs)]
    pairs = [errors(problem, exact, pair) for pair in found]
    stiff = runs[1].stiff_time
    other = [problem.name, *(f"{y:.1e}" for y, _ in pairs), *(f"{s:.1e}" for _, s in pairs), "", ""]
    other += [*(str(run.counts.evaluations) for run in runs), "never" if stiff is None else f"{stiff:.4g}"]
    return words, other


def reference(problem: Problem, rtol: float) -> tuple[Array, Array]:
    """y and dy/dp by solve_ivp; at tolerances below 1e-6 so that no pulse is missed and no state is too small."""
    options = {} if rtol >= 1e-6 else {"atol": 1e-4 * rtol, "max_step": 1.0}
    span = (problem.model.t0, problem.times[-1])
    run = solve_ivp(problem.equations, span, problem.start, method="LSODA", t_eval=problem.times, rtol=rtol, **options)
    n = problem.n_states
    return run.y[:n].T, run.y[n:].T.reshape(problem.times.size, n, problem.p.size)


def errors(problem: Problem, exact: tuple[Array, Array], found: tuple[Array, Array]) -> tuple[float, float]:
    """Largest errors of states and of sensitivities, as the docstring of this file says."""
    y = np.abs(found[0] - exact[0]).max(axis=0) / np.abs(exact[0]).max(axis=0)
    size = np.abs(exact[1]).max(axis=0)
    logarithmic = size * np.abs(problem.p)
    counted = logarithmic >= 1e-3 * logarithmic.max(axis=1, keepdims=True)
    s = np.abs(found[1] - exact[1]).max(axis=0)[counted] / size[counted]
    return float(y.max()), float(s.max())


def _target(ratio: float, target: float | None) -> list[str]:
    return ["", ""] if target is None else [f"{target:.0f}", verdict(ratio, target)]


if __name__ == "__main__":
    main()
