"""The models and data that come with PARFIT: they can be used as they stand, and their numbers are the published ones.

A digit misread in the scanned reports would move the optimum or the first sum of squares; so both are compared with
an independent computation, or with the reports where these are right. All sums are of squares of weighted residuals.
"""

import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import curve_fit, least_squares
from scipy.stats import f as fisher

from parfit import Method, Simulator, load, load_data, load_model
from parfit.model.calculus import assembly

MODELS = Path(__file__).parent.parent / "models"
MODEL_NAMES = sorted(path.stem for path in MODELS.glob("*.ode"))
TABLES = {"algae-zooplankton"}  # what a model reads itself
STUDIES = ("decay", "michaelis", "pk", "receptor", "theophylline")  # several experiments, made for PARFIT
FOREIGN = ("stat",)  # models in SBML, made for PARFIT
DATA_NAMES = sorted({path.stem for path in MODELS.glob("*.csv")} - TABLES - {*STUDIES, *FOREIGN})
SAME_DATA = {"mice-2": "mice", "mice-3": "mice"}  # other models for the data of the first
TRAPEZOID = Method("trapezoid")
GEAR = Method("gear", eps=1e-6, h_min=0)
ACCURATE = Method("gear", eps=1e-8, h_min=0)

PREDATOR_PREY = {  # thesis, section 4.2: true parameters and initial values of problems 4.2.1, 4.2.2 and 4.2.3
    "predator-prey": ((1, 0.1, 3, 1, 0.1, 0.15), (2, 8)),
    "predator-prey-2": ((0.5, 0.1, 5, 1, 0.15, 0.01), (24, 8)),
    "predator-prey-3": ((1, 0.1, 3, 1, 0.2, 0.15), (10, 10)),
}


def model_name(data_name):
    """Data belong to the model with the longest name that theirs begins with: escep-a.csv to escep.ode."""
    return max((name for name in MODEL_NAMES if f"{data_name}-".startswith(f"{name}-")), key=len)


@cache
def pair(data_name):
    model = load_model(MODELS / f"{model_name(data_name)}.ode")
    return model, load_data(MODELS / f"{data_name}.csv", model)


class Problem:
    """The weighted residuals of a model and its data, and their derivatives by the parameters or the logarithms."""

    def __init__(self, data_name, method=ACCURATE, logarithms=False):
        self.model, self.data = pair(data_name)
        self.simulator = Simulator(self.model, self.data.sample_times(self.model.t0), method)
        self.logarithms = logarithms

    def parameters(self, x):
        return np.exp(x) if self.logarithms else x

    def _chosen(self, values):
        """Of what was simulated, (n_times, n_names, ...), that which was observed."""
        return values[np.searchsorted(self.simulator.times, self.data.times)][self.data.observed]

    def residuals(self, x):
        run = self.simulator(self.parameters(x))
        assert run.status, str(run.status)
        simulated = self._chosen(np.stack([run.column(name) for name in self.data.names], axis=1))
        seen = self.data.observed
        return self.data.weights[seen] * (simulated - self.data.values[seen])

    def jac(self, x):
        p = self.parameters(x)
        run = self.simulator(p, sensitivities=True)
        s = self._chosen(np.stack([run.sensitivity(name) for name in self.data.names], axis=1))
        return self.data.weights[self.data.observed][:, None] * s * (p if self.logarithms else 1.0)

    def fit(self, start=None):
        """The parameters at the minimum and scipy's result, from the starting values of the model or others."""
        start = self.model.values if start is None else np.array(start, dtype=float)
        x = np.log(start) if self.logarithms else start
        tight = dict.fromkeys(("xtol", "ftol", "gtol"), 1e-13)
        result = least_squares(self.residuals, x, self.jac, method="lm", x_scale="jac", max_nfev=500, **tight)
        assert result.success, result.message
        return self.parameters(result.x), result


def to_printed_digits(text):
    """A number as it is printed, and the error that rounding there and the integration here allow."""
    return pytest.approx(float(text), abs=0.6 * 10.0 ** Decimal(text).as_tuple().exponent, rel=0)


# ---- every file


def header(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    end = next(k for k, line in enumerate(lines) if not line.startswith("#"))
    return " ".join(line.lstrip("# ") for line in lines[:end])


@pytest.mark.parametrize("path", sorted([*MODELS.glob("*.ode"), *MODELS.glob("*.csv")]), ids=lambda path: path.name)
def test_its_header_says_where_it_comes_from(path):
    if path.stem in (*STUDIES, *FOREIGN):
        assert re.search(r"[Mm]ade for PARFIT in 2026" if path.suffix == ".ode" else "^SIMULATED", header(path))
        return
    assert re.search(r"(Benson|Hemker)\b.*\b19\d\d\b.*(section|[Ee]quations?|[Tt]able|problem) \(?\d", header(path))


@pytest.mark.parametrize("name", MODEL_NAMES)
def test_a_model_loads_without_remarks_and_has_data(name):
    model = load_model(MODELS / f"{name}.ode")
    assert model.remarks == ()
    assert SAME_DATA.get(name, name) in map(model_name, (*DATA_NAMES, *STUDIES))


@pytest.mark.parametrize("name", DATA_NAMES)
def test_a_run_without_data_ends_where_the_data_end(name):
    model, data = pair(name)
    assert model.t0 < data.times[0]
    assert data.times[-1] <= model.t0 + model.total * (1 + 1e-12)


@pytest.mark.parametrize("method", [TRAPEZOID, GEAR], ids=lambda method: method.procedure)
@pytest.mark.parametrize("name", DATA_NAMES)
def test_the_data_can_be_simulated_from_the_starting_values(name, method):
    model, data = pair(name)
    run = Simulator(model, data.sample_times(model.t0), method)(sensitivities=True)
    assert run.status, str(run.status)
    for column in data.names:
        assert np.isfinite(run.column(column)).all()
        assert np.isfinite(run.sensitivity(column)).all()
        assert run.sensitivity(column)[-1].any()


@pytest.mark.parametrize("name", FOREIGN)
def test_a_model_of_another_program_loads_and_fits_its_data(name):
    assert "made for PARFIT in 2026" in (MODELS / f"{name}.xml").read_text()
    fit = load(MODELS / f"{name}.xml", MODELS / f"{name}.csv").fit()
    assert fit.verdict == "minimum"
    for each, made_with in zip(fit.values, (0.45, 0.2, 0.08, 14.0), strict=True):
        assert abs(fit.values[each] - made_with) < 3 * fit.errors[each]


# ---- several experiments

MADE_WITH = {  # what their headers say
    "decay": {"k[low]": 0.3, "k[high]": 0.45, "b": 0.05},
    "michaelis": {"vmax": 0.8, "km": 2.5, "ki": 4},
    "pk": {"ka": 1.2, "cl": 3, "v": 30},
    "receptor": {"kon": 0.5, "koff": 0.4, "k0": 0.03, "k1": 0.8, "k2": 0.3},
}


@pytest.mark.parametrize("name", STUDIES)
def test_experiments_can_be_simulated_from_the_starting_values(name):
    problem = load(MODELS / f"{name}.ode", MODELS / f"{name}.csv")
    assert problem.remarks == ()
    times = problem.data.sample_times(problem.model.t0)
    run = problem.simulate(times, sensitivities=True)
    assert run.status, str(run.status)
    assert times[-1] <= problem.model.t0 + problem.model.total


@pytest.mark.parametrize("name", MADE_WITH)
def test_a_fit_of_experiments_finds_what_they_were_made_with(name):
    """Within four standard errors each; from logarithms, for the starts are far away."""
    problem = load(MODELS / f"{name}.ode", MODELS / f"{name}.csv")
    fit = problem.with_scaling(dict.fromkeys(problem.values, "log")).fit()
    assert fit.is_minimum
    for parameter, made in MADE_WITH[name].items():
        assert abs(fit.values[parameter] - made) < 4 * fit.errors[parameter]


# ---- the minima


class Minimum(NamedTuple):
    """What an independent computation of a published fit gave, to the digits that it gave."""

    data: str
    parameters: str
    sum_of_squares: str | None = None
    logarithms: bool = False
    method: Method = ACCURATE


MINIMA = [
    # Hemker 1972, section 6.2: .44435E-5, .16062E-3, 25.124, not converged; PEIDE 1975: .45E-5, .27E-3, 22.0
    Minimum("bellman", "4.57043E-6 2.78448E-4", "22.03094", logarithms=True),
    Minimum("bellman", "4.57043E-6 2.78448E-4", "22.03094"),
    # Hemker 1972, section 6.3: .79508, .84478, .89284, .94011; PEIDE: .7943, .8441, .8956, .9433
    Minimum("gear", ".79506 .84476 .89212 .93923"),
    # Hemker 1972, section 6.4: .87224, 2.1363, 1.8422, .16984, not converged; PEIDE: .86, 2.07, 1.81, .164
    Minimum("barnes", ".860941 2.079029 1.814944", ".1644614"),
    # PEIDE 1975, section 8, problem 6: .27, 2.65, .364, .21, 4038.2
    Minimum("heart", ".27264 2.65313 .36619 .20766", "4034.84"),
    # Hemker 1972, section 6.1, test 1: 999.97, .99000, .010000
    Minimum("escep-a", "999.894 .989997 .0099988", logarithms=True),
    # PEIDE 1975, appendix II: least norm .1430776E-3; this is the square of 1.410E-4
    Minimum("escep-b", "1.0E+3 .990 .0100", "1.99E-8", logarithms=True),
    # Hemker 1972, section 6.1, test 3: residue .12465E-7 on its way
    Minimum("escep-c", "1.0E+3 .990 .0100", "1.27E-8", logarithms=True),
    # Hemker 1972, section 6.1, test 4: 123.93, .98654, .99806E-2 (the text says 1239); hardly anything fixes p1
    Minimum("escep-d", "124 .9865 .00998", "1.135E-8", logarithms=True),
    # Hemker 1972, section 6.1, test 5, and PEIDE, section 8, stop in a narrow valley on the way to this
    Minimum("escep-e", "999.89 .9888 .0111", "8.5E-9", logarithms=True),
    # Thesis, section 3.2, FIT with Table 3.2.1
    Minimum("enzyme", "999.938 .99005 .0099987", "1.089E-7"),
    # Thesis, Table 2.4.2: half the sum of squares 21.38429
    Minimum("bard", "6.35841E-3 6.77464E-2 5.926E-5 4.9425E-4 .101845 4.200E-4", "42.7701"),
    # Thesis, section 4.3: "C", the true parameters. The trapezoidal rule with steps of .5 has its minimum elsewhere
    Minimum("predator-prey", ".99902 .09209 2.71531 .82349 .06986 .14883", ".0078589", method=TRAPEZOID),
    # Thesis, Table 4.3.1: FIT on problem 4.2.3 from problem 4.2.1's parameters converges to the true ones
    Minimum("predator-prey-3", "1.0000 .10000 3.0000 1.0000 .20000 .15000", "0E-10"),
]


@pytest.mark.parametrize("minimum", MINIMA, ids=lambda m: f"{m.data}-log" if m.logarithms else m.data)
def test_a_fit_from_the_starting_values_ends_at_the_known_minimum(minimum):
    parameters, result = Problem(minimum.data, minimum.method, minimum.logarithms).fit()
    for value, text in zip(parameters, minimum.parameters.split(), strict=True):
        assert value == to_printed_digits(text)
    if minimum.sum_of_squares is not None:
        assert 2 * result.cost == to_printed_digits(minimum.sum_of_squares)


@pytest.mark.parametrize(
    ("name", "logarithms", "expected"),
    [
        ("bellman", False, (5.860e-7, 2.0397e-4)),  # PEIDE 1975, section 8: .54E-6, .19E-3
        ("gear", False, (0.034, 0.030, 0.064, 0.078)),  # PEIDE's own: rounded there, and 6 % away
        ("barnes", False, (0.2191, 0.3622, 0.3787)),  # PEIDE: .19, .35, .38
        ("escep-b", True, (3.354e-4, 1.677e-4, 2.306e-3)),  # PEIDE: .32E-3, .25E-3 (.17E-3 by its matrix), .23E-2
        ("heart", False, (0.079, 0.117, 0.099, 0.283)),  # PEIDE: .08, .32 (probably .12), .098, .29
    ],
)
def test_confidence_intervals_of_99_percent(name, logarithms, expected):
    _, result = Problem(name, logarithms=logarithms).fit()
    n, m = result.jac.shape
    variance = 2 * result.cost / (n - m)
    squares = m * fisher.ppf(0.99, m, n - m) * variance * np.diag(np.linalg.inv(result.jac.T @ result.jac))
    assert np.sqrt(squares) == pytest.approx(expected, rel={"gear": 0.07, "heart": 5e-3}.get(name, 1e-3))


@pytest.mark.parametrize(
    ("name", "start", "text"),
    [
        ("escep-a", None, "7.10483"),  # Hemker 1972, section 6.1: 7.1050
        ("escep-b", None, "1.77175"),  # 1.7718; PEIDE 1975, appendix II: 1.331071 squared
        ("escep-c", None, ".92489"),  # .92495
        ("escep-d", (10, 0.5, 0.5), "1.333"),  # 1.3332
        ("escep-e", (10, 0.5, 0.5), "1.7749"),  # 1.7749
        ("bellman", None, "4084.275"),  # section 6.2: 4084.3
        ("bellman", (0.43748e-5, 0.23346e-3), "25.124"),  # 25.124 at its last iterate but one
        ("gear", None, "3.0E-4"),  # section 6.3: 2.9886E-4
        ("barnes", None, "20.3501"),  # section 6.4: 20.345
    ],
)
def test_the_sum_of_squares_where_a_report_prints_it(name, start, text):
    problem = Problem(name)
    residuals = problem.residuals(problem.model.values if start is None else np.array(start))
    assert residuals @ residuals == to_printed_digits(text)


# ---- the simulated data


@pytest.mark.parametrize("name", PREDATOR_PREY)
def test_predator_prey_data_are_exact(name):
    """By another method than the Taylor series they were computed with."""
    p, start = PREDATOR_PREY[name]

    def rhs(_, y):
        eaten = y[0] * y[1] / (1 + p[4] * y[0])
        return p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten

    data = pair(name)[1]
    assert data.times.tolist() == [0.5 * k for k in range(1, 26)]  # .5(.5)12.5
    exact = solve_ivp(rhs, (0, 12.5), start, "DOP853", data.times, rtol=1e-12, atol=1e-14).y.T
    assert data.values == pytest.approx(exact, rel=6e-10)  # half a unit of the tenth digit is at most 5e-10


@pytest.mark.parametrize("name", PREDATOR_PREY)
def test_predator_prey_models_have_the_true_parameters_as_minimum(name):
    parameters, result = Problem(name).fit(PREDATOR_PREY[name][0])
    assert parameters == pytest.approx(PREDATOR_PREY[name][0], rel=1e-5)
    assert 2 * result.cost < 1e-11


@pytest.mark.parametrize("name", ["escep-a", "escep-b", "escep-c", "escep-d", "escep-e"])
def test_escep_data_are_the_exact_solution_to_four_decimals(name):
    """But y2(2), which all the reports' lists round in the wrong direction."""

    def rhs(_, y):
        return -(1 - y[1]) * y[0] + 0.99 * y[1], 1000 * ((1 - y[1]) * y[0] - (0.99 + 0.01) * y[1])

    data = pair(name)[1]
    solution = solve_ivp(rhs, (0, 30), (1, 0), "Radau", data.times, rtol=1e-10, atol=1e-12).y
    exact = np.stack([solution[("y1", "y2").index(column)] for column in data.names], axis=1)
    exact[data.times == 2, -1] -= 1e-4
    assert data.values == pytest.approx(exact, rel=0, abs=0.51e-4)


def test_escep_data_are_parts_of_one_another():
    """PEIDE 1975, section 8, problem 1: B is y2 of A; C every second of B; D without t < .04; E without t > .04."""
    a, b, c, d, e = (np.column_stack([pair(f"escep-{k}")[1].times, pair(f"escep-{k}")[1].values]) for k in "abcde")
    assert len(a) == 23
    for part, expected in ((b, a[:, [0, 2]]), (c, b[::2]), (d, b[b[:, 0] >= 0.04]), (e, b[b[:, 0] <= 0.04])):
        assert part.tolist() == expected.tolist()


def test_exponentials_are_the_formula_and_are_fitted_like_it():
    """PEIDE 1975, formula (8.1): true parameters (-3, -20, 2, -1, 1), observations to four decimals."""

    def formula(t, p1, p2, p3, p4, p5):
        return p5 + p1 * np.exp(p2 * t) + p3 * np.exp(p4 * t)

    true = (-3, -20, 2, -1, 1)
    data = pair("exponentials")[1]
    assert data.n_observations == 17
    assert data.values[:, 0] == pytest.approx(formula(data.times, *true), rel=0, abs=0.5e-4)
    parameters, _ = Problem("exponentials").fit()
    best, _ = curve_fit(formula, data.times, data.values[:, 0], true, xtol=1e-12, ftol=1e-12)
    assert parameters == pytest.approx(best, rel=1e-5)
    assert parameters == pytest.approx(true, rel=1e-4)  # PEIDE gives the true values


def test_freezing_differentiates_nothing_and_builds_what_is_integrated_once(monkeypatch):
    built = []

    original = assembly.assemble
    monkeypatch.setattr(assembly, "assemble", lambda *given: built.append(given[2]) or original(*given))
    model = load_model(MODELS / "bard.ode")
    times = [1.0, 2.0]
    Simulator(model, times)
    derivation = model.derivation
    for active in ((0, 1, 2), (0, 1, 2, 3, 4), (0, 1, 2), (0, 1, 2, 3, 4, 5)):
        Simulator(model, times, active=active)
    assert built == [(0, 1, 2, 3, 4, 5), (0, 1, 2), (0, 1, 2, 3, 4)]
    assert model.derivation is derivation
