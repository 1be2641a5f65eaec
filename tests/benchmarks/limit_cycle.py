"""A fit of a limit cycle, predator and prey of problem 4.2.3, against CVODES with its sensitivities through casadi.

    pip install casadi && python tests/benchmarks/limit_cycle.py [--quick]

casadi: its integrator with forward sensitivities, errors of 1e-7 (with 1e-6 it misses the optimum), within scipy's
least_squares (MINPACK's lmder with exact derivatives). Both begin at the same start, and only who ends at the optimum
is compared. All times are the least of interleaved repetitions, of the processor.
"""

import argparse
import sys
from time import process_time

import casadi as ca
import numpy as np
from fitting import PROBLEMS, Fit, Judge, Parfit, fastest
from scipy.optimize import least_squares
from timing import table, verdict

from parfit import Simulator
from parfit.arrays import Array

TARGET = 30.0
ACCURACY = 1e-7  # of CVODES
NAME = "predator-prey-2"
FAR = 1e6  # a solution that there is not


class Casadi:
    """scipy's least_squares with solutions and derivatives of CVODES."""

    def __init__(self, fit: Fit):
        model = fit.model
        grid = np.unique(np.append(model.t0, fit.times))
        observed = fit.observations
        x, p = ca.SX.sym("x", 2), ca.SX.sym("p", 6)
        eaten = x[0] * x[1] / (1 + p[4] * x[0])
        rates = p[0] * x[0] - p[1] * eaten - p[5] * x[0] ** 2, -p[2] * x[1] + p[3] * eaten
        settings = {
            "reltol": ACCURACY,
            "abstol": ACCURACY * float(fit.scale.min()),
            "max_num_steps": 10_000,
            "disable_internal_warnings": True,
        }
        dae = {"x": x, "p": p, "ode": ca.vertcat(*rates)}
        flow = ca.integrator("flow", "cvodes", dae, float(model.t0), grid.tolist(), settings)
        parameters = ca.MX.sym("p", p.numel())
        begin = Simulator(model, [model.t0])().y[0]
        found = flow(x0=begin, p=parameters)["xf"]
        rows = np.searchsorted(grid, observed.times)
        columns = [model.states.index(name) for name in observed.names]
        picked = ca.vertcat(*[found[k, row] for row in rows.tolist() for k in columns])
        self._both = ca.Function("both", [parameters], [picked, ca.jacobian(picked, parameters)])
        self._residuals = ca.Function("residuals", [parameters], [picked])
        self._values, self._weights = observed.values.ravel(), observed.weights.ravel()
        self._start, self.ready = np.asarray(model.values), 0.0

    def residuals(self, p: Array) -> Array:
        try:
            found = np.asarray(self._residuals(p)).ravel()
        except RuntimeError:  # no solution there: a step that is too long
            found = np.full(self._values.size, FAR)
        return self._weights * (found - self._values)

    def jac(self, p: Array) -> Array:
        return self._weights[:, np.newaxis] * np.asarray(self._both(p)[1])

    def run(self) -> float:
        start = process_time()
        result = least_squares(self.residuals, self._start, self.jac, method="lm", ftol=1e-8, xtol=1e-8, gtol=1e-8)
        seconds = process_time() - start
        self.solution, self.n_evaluations = result.x, int(result.nfev)
        return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    fit = PROBLEMS[NAME]()
    judge = Judge(fit)
    contestants = [Parfit(fit, 3), Casadi(fit)]
    ours, theirs = fastest(contestants, 2 if parser.parse_args().quick else 7)
    rows = [["program", "us", "evaluations", "ratio", "at least", ""]]
    for name, seconds, each in zip(("PARFIT", "casadi"), (ours, theirs), contestants, strict=True):
        wrong = judge.verdict(each.solution)
        compared = ["", "", ""] if each is contestants[0] else [f"{seconds / ours:.1f}", f"{TARGET:g}"]
        goal = wrong or (verdict(seconds / ours, TARGET) if compared[0] else "")
        rows.append([name, f"{1e6 * seconds:.0f}", str(each.n_evaluations), *compared[:2], goal])
    sys.stdout.write(table(rows))


if __name__ == "__main__":
    main()
