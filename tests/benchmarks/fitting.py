"""Complete, accurate fits against scipy and against COPASI, from the same start to the same optimum.

    python tests/benchmarks/fitting.py [--quick] [--no-copasi] [problem ...]

PARFIT: FIT by option 1 (Marquardt, scaled) and by option 3 (More), of which the faster counts, with Gear's method,
EPS 1e-6, automatic choice of formulas. Timed is the fit of a problem that has been made ready, from its start, as
COPASI is timed; "ready us" is what making it ready takes, from the model, the observations and the parameters on.
scipy: least_squares, method "lm", with finite differences of solve_ivp, LSODA, rtol 1e-6, atol 1e-6 times the sizes of
the states, on equations in plain Python (chains: in numpy). Of several steps for the differences the one that is
fastest to the optimum counts, for the default is too small for solutions of this accuracy.
"by bare" is the time of a fit by that of its integrations alone, with the problem built once, for both.
COPASI: its Levenberg-Marquardt method with its default tolerance, LSODA, rtol 1e-6, through basico; the run of the
task alone, not building the model nor reading data; its "ready us" is what initializing the task takes. Of its default
atol and 1e-6 times the least size of a state the faster counts, for either can need five times as many solutions.
It is optional: `pip install parfit[benchmark]`.

A fit counts if its sum of squares, integrated anew with EPS 1e-9, is within 1e-3 of the least one, or nearer to it
than errors of 1e-5 of the observations can tell. All times are the least of interleaved repetitions, and of the
processor: on a busy machine a long run never gets a free moment, which would flatter the short ones.
"""

import argparse
import gc
import math
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Protocol

import numpy as np
from cases import MODELS, chain_text
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from timing import SAMPLE, table, verdict

from parfit import Method, Model, Simulator, load_data, load_model
from parfit.arrays import Array
from parfit.data.observations import Observations, make_observations
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Result, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.language.writing import expression_text

Equations = Callable[[float, Array, list[float]], Sequence[float] | Array]
EPS = 1e-6
METHOD = Method("gear", "auto", EPS, h_min=0.0)
JUDGE = Method("gear", "auto", 1e-9, h_min=0.0)
SAME, UNTOLD = 1e-3, 1e-5  # what counts as the same sum of squares: see above
STEPS = (None, 1e-4, 1e-3)  # of scipy's differences
MAX_CALLS = 20_000  # of the equations in one solution by scipy, which else would not come to an end beside a pole
HEART_STEP = METHOD.h_max  # of scipy, which would step over the pulse of that problem
COPASI_ATOL = 1e-12  # its default
SCIPY_TARGET, COPASI_TARGET, ESCEP_TARGET = 20.0, 10.0, 6.0
REPEATED = 20  # times in one timing of what is short
BARE_TARGET = 1.3  # times the integrations alone, at most
N_CHOSEN = 5  # parameters to be fitted in a chain, and states observed
HEAD = ["problem", "states", "params", "ready us", "PARFIT us", "option", "integrations", "us each"]
HEAD += ["by bare", "at most", "", "scipy us", "solutions", "ratio", "target", ""]
HEAD += ["ready us", "COPASI us", "solutions", "us each", "ratio", "target", ""]


@dataclass(frozen=True, eq=False)
class Fit:
    """A model at the starting values with its data, and where the optimum is, roughly."""

    name: str
    model: Model
    observations: Observations
    optimum: Array  # (n_params,)
    equations: Equations
    active: tuple[int, ...]
    target: float = SCIPY_TARGET
    copasi_target: float = COPASI_TARGET

    @property
    def times(self) -> Array:
        return self.observations.sample_times(self.model.t0)

    @property
    def scale(self) -> Array:
        """Sizes of the states: the largest observations, 0 where there are none, (n_states,)."""
        largest = dict(zip(self.observations.names, self.observations.maxima, strict=True))
        return np.array([largest.get(name, 0.0) for name in self.model.states])

    def parameters(self, full: Array) -> ParameterMap:
        frozen = frozenset(range(full.size)) - frozenset(self.active)
        return ParameterMap(self.model.parameters, full, frozen)

    def problem(self, method: Method, full: Array) -> TrajectoryFit:
        simulator = Simulator(self.model, self.times, method, self.active, self.scale)
        return TrajectoryFit(simulator, self.parameters(full), self.observations)


# ---- the problems


def stored(name: str, optimum: str, data: str | None = None) -> Fit:
    """A model that comes with PARFIT; optima as in tests/test_models.py."""
    model = load_model(MODELS / f"{name}.ode")
    observations = load_data(MODELS / f"{data or name}.csv", model)
    values = np.array(optimum.split(), dtype=float)
    target = ESCEP_TARGET if name == "escep" else COPASI_TARGET
    active = tuple(range(values.size))
    return Fit(name, model, observations, values, plain_equations(model), active, copasi_target=target)


def chain(n: int) -> Fit:
    """A chain of `cases`: five parameters to be fitted to five states, observed with errors of 1 % of their maxima."""
    true = Model.from_text(chain_text(n), f"chain of {n}")
    active = tuple(k * n // N_CHOSEN for k in range(N_CHOSEN))
    names = [true.states[(k + 1) * n // N_CHOSEN - 1] for k in range(N_CHOSEN)]
    times = np.linspace(0.4, 10.0, 25)
    run = Simulator(true, times, JUDGE)()
    exact = np.column_stack([run.column(name) for name in names])
    noise = np.random.default_rng(n).standard_normal(exact.shape)
    sds = 0.01 * exact.max(axis=0)
    observations = make_observations(times, names, exact + sds * noise, sds=sds)
    start = true.values.copy()
    start[list(active)] *= [1.4, 0.7, 1.3, 0.8, 1.2]
    return Fit(true.name, replace(true, values=start), observations, true.values, chain_equations(), active)


def plain_equations(model: Model) -> Equations:
    """The equations of a model as somebody would write them in Python, numbers and not arrays being the fastest."""

    def assigned(name: str, text: str) -> str:
        return f"    {name} = {text.replace('^', '**')}\n"

    lines = [f"    {', '.join(model.states)}, = y.tolist()\n", f"    {', '.join(model.parameters)}, = p\n"]
    lines += [assigned(name, expression_text(node)) for name, node in model.quantities]
    rates = ", ".join(expression_text(node) for node in model.equations).replace("^", "**")
    names = {name: getattr(math, name) for name in ("exp", "log", "sqrt")}
    exec(f"def equations(t, y, p):\n{''.join(lines)}    return [{rates}]\n", names)
    return names["equations"]


def chain_equations() -> Equations:
    """The equations of `cases.chain_text` in numpy."""

    def equations(t: float, x: Array, p: list[float]) -> Array:
        k = np.array(p)
        out = x / (1.0 + x)
        out[:-1] *= k[1:]
        np.negative(out, out=out)
        out[0] += k[0]
        out[1:] += k[1:] * x[:-1]
        return out

    return equations


PROBLEMS: dict[str, Callable[[], Fit]] = {
    "escep": partial(stored, "escep", "999.894 .989997 .0099988", "escep-a"),
    "bellman": partial(stored, "bellman", "4.57043E-6 2.78448E-4"),
    "gear": partial(stored, "gear", ".79506 .84476 .89212 .93923"),
    "barnes": partial(stored, "barnes", ".860941 2.079029 1.814944"),
    "exponentials": partial(stored, "exponentials", "-3 -20 2 -1 1"),
    "heart": partial(stored, "heart", ".27264 2.65313 .36619 .20766"),
    "predator-prey-2": partial(stored, "predator-prey-2", ".5 .1 5 1 .15 .01"),
    "bard": partial(stored, "bard", "6.35841E-3 6.77464E-2 5.926E-5 4.9425E-4 .101845 4.200E-4"),
    "chain-10": partial(chain, 10),
    "chain-30": partial(chain, 30),
    "chain-100": partial(chain, 100),
}


# ---- who fits them


class Contestant(Protocol):
    """Who fits a problem from its start, again and again."""

    solution: Array  # of the last run, (n_active,)
    n_evaluations: int  # in the last run, solutions of the equations
    ready: float  # least seconds that it took to make the problem ready

    def run(self) -> float:
        """Seconds that it takes."""


class Parfit:
    """FIT by one of its options."""

    def __init__(self, fit: Fit, option: int):
        self.option, self.ready = option, math.inf
        parameters, times, scale = fit.parameters(fit.model.values), fit.times, fit.scale
        for _ in range(REPEATED):
            start = process_time()
            simulator = Simulator(fit.model, times, METHOD, parameters.active, scale)
            self._problem = TrajectoryFit(simulator, parameters, fit.observations)
            assert self._problem.kernel is not None
            self.ready = min(self.ready, process_time() - start)

    def run(self) -> float:
        start = process_time()
        result = minimized(self._problem, self.option)
        seconds = process_time() - start
        self.solution, self.n_evaluations = result.p, result.n_evaluations
        return seconds


def minimized(problem: TrajectoryFit, option: int, watch: Callable[[Trial], None] | None = None) -> Result:
    if option == 1:
        settings = marquardt.Settings(rtol=1e-8, scaled=True, max_iterations=500)
        return marquardt.minimize(problem, problem.parameters.point, settings, progress=watch)
    return bounded.minimize(problem, problem.parameters.point, bounded.Settings(tol=1e-8), progress=watch)


def by_bare(fit: Fit, option: int, rounds: int) -> float:
    """The time of a fit by that of calls of the integrator at the points that it has looked at."""
    parameters = fit.parameters(fit.model.values)
    problem, points = fit.problem(METHOD, fit.model.values), [(parameters.point, 1.0)]
    minimized(problem, option, lambda trial: points.append((trial.p, trial.looseness)))
    full, integrate = [(parameters.expand(p), loose) for p, loose in points], problem.simulator.integrator
    least = [math.inf, math.inf]

    def bare() -> None:
        for p, loose in full:
            integrate(p, True, looseness=loose)

    for _ in range(5 * rounds):
        for k, function in enumerate((partial(minimized, problem, option), bare)):
            start = process_time()
            for _ in range(REPEATED):
                function()
            least[k] = min(least[k], process_time() - start)
    return least[0] / least[1]


class Scipy:
    """least_squares and solve_ivp, with one of the steps for finite differences."""

    def __init__(self, fit: Fit, step: float | None):
        self._fit, self._step, self.ready = fit, step, 0.0
        model, data = fit.model, fit.observations
        self._parameters = fit.parameters(model.values)
        self._initial = [compile(expression_text(node).replace("^", "**"), "", "eval") for node in model.initial]
        self._times, self._span = fit.times, (model.t0, fit.times[-1])
        self._rows = np.searchsorted(fit.times, data.times)
        self._columns = [model.states.index(name) for name in data.names]
        sizes = np.abs(Simulator(model, fit.times, METHOD)().y).max(axis=0)
        self._atol = EPS * np.where(fit.scale > 0.0, fit.scale, sizes)

    def run(self) -> float:
        self.n_evaluations = 0
        start = process_time()
        found = least_squares(
            self.residuals,
            self._parameters.point,
            method="lm",
            x_scale="jac",
            diff_step=self._step,
            max_nfev=3000,
        )
        seconds = process_time() - start
        self.solution = found.x
        return seconds

    def residuals(self, active: Array) -> Array:
        self.n_evaluations += 1
        data = self._fit.observations
        p = self._parameters.expand(active).tolist()
        names = dict(zip(self._fit.model.parameters, p, strict=True))
        start = [eval(code, names) for code in self._initial]
        try:
            run = solve_ivp(
                limited(self._fit.equations) if self._fit.name == "predator-prey-2" else self._fit.equations,
                self._span,
                start,
                method="LSODA",
                t_eval=self._times,
                rtol=EPS,
                atol=self._atol,
                args=(p,),
                max_step=HEART_STEP if self._fit.name == "heart" else np.inf,
            )
        except (OverflowError, ValueError, ZeroDivisionError):
            return np.full(data.n_observations, 1e10)
        if not run.success or run.y.shape[1] != self._times.size or not np.isfinite(run.y).all():
            return np.full(data.n_observations, 1e10)
        return (data.weights * (run.y.T[self._rows][:, self._columns] - data.values))[data.observed]


def limited(equations: Equations) -> Equations:
    """Equations that can be called only so often."""
    calls = iter(range(MAX_CALLS))

    def counted(t: float, y: Array, p: list[float]) -> Sequence[float] | Array:
        if next(calls, None) is None:
            raise OverflowError
        return equations(t, y, p)

    return counted


class Judge:
    """Whether a point is the optimum."""

    def __init__(self, fit: Fit):
        self._problem = fit.problem(JUDGE, fit.optimum)
        self.least = bounded.minimize(self._problem, self._problem.parameters.point).evaluation.sum_of_squares
        sizes = fit.observations.weights * np.nan_to_num(fit.observations.values)
        self._limit = self.least * (1.0 + SAME) + UNTOLD**2 * float((sizes**2).sum())

    def verdict(self, active: Array) -> str:
        """Nothing if it is, and otherwise what it is."""
        total = self._problem.evaluate(active).sum_of_squares
        if not np.isfinite(total):
            return "failed"
        return "" if total <= self._limit else f"other: F={total:.2g}"


# ---- measuring


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "problems", nargs="*", metavar="problem", help=f"all of them, or some of {', '.join(PROBLEMS)}"
    )
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    parser.add_argument("--no-copasi", action="store_true", help="without COPASI")
    given = parser.parse_args()
    unknown = [name for name in given.problems if name not in PROBLEMS]
    if unknown:
        parser.error(f"no such problem: {', '.join(unknown)}; choose among {', '.join(PROBLEMS)}")
    with_copasi = not given.no_copasi
    if with_copasi and find_spec("basico") is None:
        sys.stdout.write("COPASI is not installed and left out: pip install parfit[benchmark]\n\n")
        with_copasi = False
    rounds = 2 if given.quick else 7
    rows = [measure(PROBLEMS[name](), rounds, with_copasi) for name in given.problems or PROBLEMS]
    sys.stdout.write(table([HEAD, *rows]))


def measure(fit: Fit, rounds: int, with_copasi: bool) -> list[str]:
    """A row of the table."""
    judge = Judge(fit)
    contestants: list[Contestant] = [Parfit(fit, 1), Parfit(fit, 3), best_scipy(fit, judge)]
    with tempfile.TemporaryDirectory() as folder:
        if with_copasi:
            contestants.append(best_copasi(fit, judge, Path(folder)))
        seconds = fastest(contestants, rounds)
    failures = [judge.verdict(each.solution) for each in contestants]
    own = min((k for k in (0, 1) if not failures[k]), key=seconds.__getitem__, default=None)
    words = [fit.name, str(len(fit.model.states)), str(len(fit.active)), f"{1e6 * contestants[0].ready:.0f}"]
    if own is None:
        return [*words, failures[0], *[""] * (len(HEAD) - len(words) - 1)]
    option, n = ("1", "3")[own], contestants[own].n_evaluations
    words += [f"{1e6 * seconds[own]:.0f}", option, str(n), f"{1e6 * seconds[own] / n:.0f}"]
    ratio = by_bare(fit, int(option), rounds)
    words += [f"{ratio:.2f}", f"{BARE_TARGET:.1f}", verdict(ratio, BARE_TARGET, at_most=True)]
    for k, target in ((2, fit.target), (3, fit.copasi_target)):
        if k >= len(contestants):
            words += [""] * 7
            continue
        n = contestants[k].n_evaluations
        words += [f"{1e6 * contestants[k].ready:.0f}"] if k == 3 else []
        words += [f"{1e6 * seconds[k]:.0f}", str(n)]
        words += [f"{1e6 * seconds[k] / n:.0f}"] if k == 3 else []
        ratio = seconds[k] / seconds[own]
        words += [failures[k], "", ""] if failures[k] else [f"{ratio:.1f}", f"{target:.0f}", verdict(ratio, target)]
    return words


def best_scipy(fit: Fit, judge: Judge) -> Contestant:
    return best([Scipy(fit, step) for step in STEPS], judge)


def best_copasi(fit: Fit, judge: Judge, folder: Path) -> Contestant:
    from copasi import Estimation

    scaled = EPS * float(fit.scale[fit.scale > 0.0].min())
    make = partial(Estimation, fit.model, fit.observations, fit.active, EPS, folder=folder)
    return best([make(atol=atol) for atol in (COPASI_ATOL, scaled)], judge)


def best(variants: Sequence[Contestant], judge: Judge) -> Contestant:
    """The one that gets to the optimum fastest; if none does, the fastest."""
    seconds = fastest(variants, 2)
    failed = [bool(judge.verdict(each.solution)) for each in variants]
    return variants[min(range(len(variants)), key=lambda k: (failed[k], seconds[k]))]


def fastest(contestants: Sequence[Contestant], rounds: int) -> list[float]:
    """Least seconds of each, all running in turn in every round, as often as fills a sample."""
    least = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LSODA's, about parameters that no fit should try
        for each in contestants:
            each.run()  # to warm up
            least.append(each.run())
        gc.collect()
        collecting = gc.isenabled()
        gc.disable()
        try:
            for _ in range(rounds):
                for k, each in enumerate(contestants):
                    for _ in range(max(1, round(2.0 * SAMPLE / least[k]))):
                        least[k] = min(least[k], each.run())
                gc.collect()
        finally:
            if collecting:
                gc.enable()
    return least


if __name__ == "__main__":
    main()
