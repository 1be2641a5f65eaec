"""Derivative fitting: the figures of section 3.2 and 4.4, exact Jacobians, unobserved states and aux quantities."""

import numpy as np
import pytest
from smoothed import (
    GUESSES,
    check_jacobian,
    enzyme,
    equilibrium,
    guess,
    minimum,
    predator_prey,
    smoothed,
    solved,
)

from parfit import Method, Model, ParfitError, Simulator
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.optimizers.marquardt import minimize as marquardt
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Ending
from parfit.estimation.problems.derivative_fit import DefectFit, DerivativeFit
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.curves import interpolating
from parfit.simulation.status import Reason

GEAR = Method("gear", eps=1e-9, h_min=0.0)


def dfit(case, curves=None, start=None, **options):
    parameters = case.parameters(start, **options)
    return DerivativeFit(case.model, parameters, case.times, case.curves if curves is None else curves), parameters


# ---- published


def test_stiff_problem():
    """Section 3.2: (969.6, 1.113, -.1080); with Table 3.2.1 as printed (970.724, 1.11314, -.107866)."""
    p, total = minimum(*dfit(enzyme()))
    assert p == pytest.approx([970.724, 1.11314, -0.107866], rel=1e-5)
    assert total == pytest.approx(1852.83, rel=1e-5)
    assert p == pytest.approx([969.6, 1.113, -0.1080], rel=2e-3)


def test_stiff_problem_with_the_square_root_of_p3():
    """Section 3.2: (969.6, 1.005, 9.33E-7): p3 goes to 0, and its value says only where the iteration stopped."""
    p, total = minimum(*dfit(enzyme(), scaling=(Scaling.NONE, Scaling.NONE, Scaling.SQUARE_ROOT)))
    assert p[:2] == pytest.approx([970.724, 1.00527], rel=1e-5)
    assert 0.0 <= p[2] < 1e-6
    assert total == pytest.approx(1852.887, rel=1e-6)


def test_marquardt_leads_there_too():
    problem, parameters = dfit(enzyme())
    found = marquardt(problem, parameters.point, Settings(rtol=1e-12, max_iterations=200))
    assert found.ending is Ending.CONVERGED
    assert found.p == pytest.approx([970.724, 1.11314, -0.107866], rel=1e-4)


def test_the_initial_time_counts_in_the_residuals():
    """Without it the stiff problem gives p1 = 1001."""
    case = enzyme()
    parameters = case.parameters()
    p, _ = minimum(DerivativeFit(case.model, parameters, case.times[1:], case.curves), parameters)
    assert p[0] == pytest.approx(1001, rel=1e-3)


def test_equilibrium_problem():
    """Section 3.2: (-.0774, -.7995, 1.725, .09948)."""
    p, _ = minimum(*dfit(equilibrium()))
    assert p == pytest.approx([-0.0774935, -0.800546, 1.725814, 0.0994478], rel=1e-5)


def test_predator_prey_4_2_1():
    p, _ = minimum(*dfit(predator_prey()))
    assert p == pytest.approx([0.86378, 0.04633, 1.20445, 0.19060, -0.07260, 0.11975], rel=1e-4)


@pytest.mark.of_1977
@pytest.mark.parametrize("name", ["a", "b"])
def test_guessed_observations_lead_the_direct_fit_to_the_optimum(name):
    """Problem 4.4.1, DFIT 2 + FIT: (a) C; (b) C where the thesis had a local minimum (stopped early)."""
    case = predator_prey().only("y1")
    p, _ = minimum(*dfit(case, {**case.curves, "y2": guess(name)}))
    _, total = case.fit(p)
    best, least = case.fit(case.model.values)
    assert total == pytest.approx(least, rel=1e-6)
    assert best == pytest.approx([0.985502, 0.091075, 2.909746, 0.880626, 0.06925, 0.149577], rel=1e-5)


def test_guess_c_ends_where_the_direct_fit_fails():
    """Section 4.4: parameters from which the FIT method was unsuccessful due to instabilities."""
    case = predator_prey().only("y1")
    p, _ = minimum(*dfit(case, {**case.curves, "y2": guess("c")}))
    assert case.marquardt(p).ending in (Ending.ERRORS, Ending.START)


def test_a_guess_has_the_slopes_of_its_end_pieces():
    """Appendix A, CREOBS."""
    for name, (t, y) in GUESSES.items():
        curve = guess(name)
        assert curve(t) == pytest.approx(y)
        ends = [(y[1] - y[0]) / (t[1] - t[0]), (y[-1] - y[-2]) / (t[-1] - t[-2])]
        assert curve([t[0], t[-1]], 1) == pytest.approx(ends)


# ---- Jacobians


def test_jacobian_of_derivative_fitting():
    check_jacobian(dfit(predator_prey())[0], [0.9, 0.1, 2.5, 0.8, 0.1, 0.13])


@pytest.mark.parametrize("method", [Method("trapezoid"), GEAR], ids=["trapezoid", "gear"])
@pytest.mark.parametrize("seen", ["y1", "y2"])
def test_jacobian_with_a_state_that_is_integrated(seen, method):
    """Exact, through the integrated state too: the Jacobian of 1977 was g_p alone."""
    case = predator_prey().only(seen)
    scaling = (Scaling.NONE, Scaling.LOGARITHM, Scaling.NONE, Scaling.SQUARE_ROOT, Scaling.NONE, Scaling.NONE)
    parameters = case.parameters(case.model.values, scaling=scaling)
    problem = DerivativeFit(case.model, parameters, case.times, case.curves, method)
    check_jacobian(problem, parameters.point, 1e-6 if method.procedure == "trapezoid" else 1e-5)


def test_jacobian_of_the_inner_problem_of_dfit_3():
    case = predator_prey().only("y1")
    guessed = {"y2": guess("b")(case.times)}
    problem = DefectFit(case.model, case.parameters(frozen=frozenset({3})), case.times, case.curves, guessed)
    check_jacobian(problem, [0.9, 0.1, 2.5, 0.1, 0.13])


@pytest.mark.of_1977
def test_jacobian_of_many_states_in_another_order():
    """From 16 states on the kernel has an order of its own."""
    n, random = 18, np.random.default_rng(0)
    order = random.permutation(n)
    lines = [
        f"x{i}'=-a*x{i}+b{i % 3}*sin(x{j})+c*x{k}"
        for i, j, k in zip(order, np.roll(order, 1), order[::-1], strict=True)
    ]
    text = "par a=1,b0=.5,b1=.7,b2=.9,c=.1\n" + "\n".join(lines)
    model = Model.from_text(f"{text}\ninit {','.join(f'x{i}={1 + i / 10}' for i in range(n))}\ndone\n")
    times = np.linspace(0.0, 2.0, 9)
    curves = {f"x{i}": interpolating(times, 1 + random.random(9), "spline") for i in range(0, n, 2)}
    parameters = ParameterMap(model.parameters, model.values)
    check_jacobian(DerivativeFit(model, parameters, times, curves), model.values)
    guessed = {name: 1 + random.random(9) for name in model.states if name not in curves}
    check_jacobian(DefectFit(model, parameters, times, curves, guessed), model.values)


# ---- what the residuals are


def test_residuals_by_hand():
    case, p = predator_prey(), np.array([0.9, 0.1, 2.5, 0.8, 0.1, 0.13])
    y = np.array([case.curves[name](case.times) for name in ("y1", "y2")])
    slope = np.array([case.curves[name](case.times, 1) for name in ("y1", "y2")])
    eaten = y[0] * y[1] / (1 + p[4] * y[0])
    g = np.array([p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten])
    found = dfit(case)[0].evaluate(p)
    assert found.residuals == pytest.approx((g - slope).T.ravel(), rel=1e-12, abs=1e-12)
    c = guess("b")(case.times)
    inner = DefectFit(case.model, case.parameters(), case.times, {"y1": case.curves["y1"]}, {"y2": c}).evaluate(p)
    eaten = y[0] * c / (1 + p[4] * y[0])
    g = np.array([p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * c + p[3] * eaten])
    first, second = inner.residuals.reshape(-1, 2).T
    assert first == pytest.approx((g[0] - slope[0])[1:], rel=1e-12, abs=1e-12)
    assert second == pytest.approx((g[1, 1:] + g[1, :-1]) / 2 - np.diff(c) / np.diff(case.times), abs=1e-12)


def test_unobserved_states_are_integrated_along_the_curves():
    """Where all is exact, the residuals are as small as the curves and the rule are good."""
    case = predator_prey()
    times = np.concatenate(([0.0], case.observations.times))
    y1 = interpolating(times, np.append(2.0, case.observations.values[:, 0]), "spline")
    fine = np.linspace(0.0, 12.5, 2001)
    problem = DerivativeFit(case.model, case.parameters(), fine, {"y1": y1})
    assert problem.names == ("y1",)
    assert np.abs(problem.evaluate(case.model.values).residuals).max() < 0.05
    assert np.abs(problem.evaluate(np.array([1, 0.1, 3, 0.9, 0.1, 0.15])).residuals).max() > 0.05


def test_sizes_of_states_say_how_accurately_these_are_integrated():
    """An unobserved state of about 4 may be in error by far more where it is said to be a thousand times as large."""
    case = predator_prey()
    times = np.concatenate(([0.0], case.observations.times))
    curve = {"y1": interpolating(times, np.append(2.0, case.observations.values[:, 0]), "spline")}

    def residuals(eps, scale):
        gear = Method("gear", eps=eps, h_min=0.0)
        return DerivativeFit(case.model, case.parameters(), case.times, curve, gear, scale).evaluate(case.model.values)

    exact = residuals(1e-11, None).residuals
    usual, said = (np.abs(residuals(1e-4, scale).residuals - exact).max() for scale in ([1.0, 4.0], [1.0, 4e3]))
    assert said > 10 * usual


def test_a_state_that_no_residual_depends_on_is_not_integrated():
    model = Model.from_text("par a=1\nx'=-a*x\nz'=z*z*x\ninit x=1,z=9\ndone\n")
    curve = interpolating([0, 1, 2, 3], np.exp([0, -1, -2, -3.0]), "spline")
    case = smoothed(model, np.linspace(0, 3, 9), np.zeros((9, 1)), {"x": []}, "spline", (1.0,))
    found = DerivativeFit(model, case.parameters(), [0, 1, 2, 3], {"x": curve}).evaluate(np.array([1.0]))
    assert found.status, "z blows up long before t = 3"


def test_a_failed_integration_is_the_status():
    model = Model.from_text("par a=1, b=1\nx'=-a*x*z\nz'=b*z*z\ninit x=1,z=1\ndone\n")
    times = np.linspace(0.0, 3.0, 31)
    curve = interpolating(times, np.exp(-times), "spline")
    case = smoothed(model, times, np.zeros((31, 1)), {"x": []}, "spline", (1.0, 1.0))
    problem = DerivativeFit(model, case.parameters(), times, {"x": curve}, GEAR)
    found = problem.evaluate(np.array([1.0, 1.0]))
    assert not found.status
    assert "z" in str(found.status)
    assert found.sum_of_squares == np.inf
    assert found.residuals.size == 31
    assert problem.evaluate(np.array([1.0, -1.0])).usable


def test_what_is_no_number_is_said_with_its_place():
    model = Model.from_text("par a=1\nx'=-a*x+log(a*t-1)\ny'=x+sqrt(a)\ninit x=1,y=0\ndone\n")
    curve = interpolating([0, 1, 2, 3], [1, 1, 2, 3], "spline")
    case = smoothed(model, np.linspace(0, 3, 9), np.zeros((9, 1)), {"x": []}, "spline", (1.0,))
    problem = DerivativeFit(model, case.parameters(), [2.0, 3.0], {"x": curve, "y": curve})
    assert problem.evaluate(np.array([1.0])).status
    found = problem.evaluate(np.array([0.4]))
    assert (found.status.reason, found.status.state, found.status.time) == (Reason.NOT_FINITE, "x", 2.0)
    flat = Model.from_text("par a=1\nx'=-x\ny'=x+sqrt(a)\ninit x=1,y=0\ndone\n")
    found = DerivativeFit(flat, case.parameters(), [2.0, 3.0], {"x": curve, "y": curve}).evaluate(np.array([0.0]))
    assert (found.status.reason, found.status.state) == (Reason.NOT_SMOOTH, "y")


@pytest.mark.parametrize(
    ("curves", "guessed", "words"),
    [
        ({}, {"y2": "b"}, "y1: neither smoothed nor guessed"),
        ({"y1": "a"}, {"y1": "b", "y2": "b"}, "both smoothed and guessed"),
        ({"y1": "a", "y3": "b"}, {"y2": "b"}, "y3: neither a state nor an aux"),
    ],
)
def test_what_makes_no_sense_is_refused(curves, guessed, words):
    case = predator_prey()
    chosen = {name: guess(which) for name, which in curves.items()}
    values = {name: guess(which)(case.times) for name, which in guessed.items()}
    with pytest.raises(ParfitError, match=words):
        DefectFit(case.model, case.parameters(), case.times, chosen, values)


def test_nothing_smoothed_and_times_that_do_not_increase_are_refused():
    case = predator_prey()
    with pytest.raises(ParfitError, match="needs a smoothed variable"):
        DerivativeFit(case.model, case.parameters(), case.times, {})
    with pytest.raises(ParfitError, match="increase"):
        DerivativeFit(case.model, case.parameters(), [0, 1, 1], case.curves)
    with pytest.raises(ParfitError, match="26 guessed values"):
        DefectFit(case.model, case.parameters(), case.times, {"y1": guess("a")}, {"y2": [1.0, 2.0]})


# ---- aux quantities


WITH_AUX = """
par p1=1, p2=.1, p3=3, p4=1, p5=.1, p6=.15, k=2
eaten=y1*y2/(1+p5*y1)
fed=p4*eaten+sin(t)
y1'=p1*y1-p2*eaten-p6*y1^2
y2'=-p3*y2+p4*eaten
init y1=2, y2=8
aux both=k*y1+y2
aux log_fed=k*exp(-t/20)*log(10+fed)+y1^k
aux constant=p1^2
done
"""


def test_rates_are_total_derivatives():
    model = Model.from_text(WITH_AUX)
    rich = with_rates(model, ["both", "log_fed", "constant"])
    assert [name for name, _ in rich.aux[3:]] == [rate_name(n) for n in ("both", "log_fed", "constant")]
    assert with_rates(model, []) is model
    times = np.linspace(0.0, 12.5, 1001)
    run = Simulator(rich, times, Method("gear", eps=1e-11, h_min=0.0))(sensitivities=True)
    for name in ("both", "log_fed"):
        slope = interpolating(times, run.column(name), "spline")(times, 1)
        assert run.column(rate_name(name)) == pytest.approx(slope, rel=1e-4, abs=1e-4)
        by_p = run.sensitivity(name)
        slopes = np.stack([interpolating(times, s, "spline")(times, 1) for s in by_p.T], axis=1)
        assert run.sensitivity(rate_name(name)) == pytest.approx(slopes, rel=1e-3, abs=2e-3)
    assert not run.column(rate_name("constant")).any()
    with pytest.raises(ParfitError, match="no aux quantity"):
        with_rates(model, ["y1"])


def aux_case():
    model = Model.from_text(WITH_AUX)
    p = model.values

    def g(t, y):
        eaten = y[0] * y[1] / (1 + p[4] * y[0])
        return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten]

    times = np.linspace(0.0, 12.5, 101)
    y = solved(g, [2.0, 8.0], times)
    values = np.stack([y[:, 0], y[:, 1], p[6] * y[:, 0] + y[:, 1]], axis=1)
    return smoothed(model, times, values, {"y1": [], "y2": [], "both": []}, "spline", tuple(p)), values


@pytest.mark.parametrize("states", [(), ("y1",), ("y1", "y2")])
def test_an_observed_aux_quantity(states):
    """Its rate against the slope of its curve, whatever else is observed; exact data give back the parameters."""
    case, values = aux_case()
    columns = {"y1": 0, "y2": 1, "both": 2}
    curves = {name: interpolating(case.times, values[:, columns[name]], "spline") for name in (*states, "both")}
    parameters = case.parameters([1.05, 0.11, 2.9, 0.95, 0.11, 0.14, 2.1], frozen=frozenset() if states else {6, 5})
    problem = DerivativeFit(case.model, parameters, case.times, curves, GEAR)
    assert problem.names == (*states, "both")
    check_jacobian(problem, parameters.point, 1e-4)
    p, _ = minimum(problem, parameters)
    if states:
        assert p == pytest.approx(case.model.values, rel=0.1, abs=0.02)


def test_an_aux_quantity_beside_a_guess():
    case, values = aux_case()
    curves = {name: interpolating(case.times, values[:, k], "spline") for name, k in (("y1", 0), ("both", 2))}
    problem = DefectFit(case.model, case.parameters(), case.times, curves, {"y2": values[:, 1]})
    assert problem.names == ("y1", "y2", "both")
    check_jacobian(problem, case.parameters().point)
    with pytest.raises(ParfitError, match="only states can be guessed"):
        DefectFit(case.model, case.parameters(), case.times, curves, {"y2": values[:, 1], "constant": values[:, 1]})
