"""Integral fitting: the figures of sections 3.3 and 4.4, exact Jacobians, noise, and integrated guesses."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from smoothed import (
    check_jacobian,
    enzyme,
    equilibrium,
    guess,
    minimum,
    predator_prey,
    smoothed,
)

from parfit import Method, Model, ParfitError
from parfit.estimation.optimizers.linear import solve_linear
from parfit.estimation.parameters import Scaling
from parfit.estimation.problem import Ending
from parfit.estimation.problems.derivative_fit import DerivativeFit
from parfit.estimation.problems.integral_fit import IntegralFit, QuadratureFit, integrated_guess
from parfit.model.curves import interpolating

GEAR = Method("gear", eps=1e-9, h_min=0.0)


def ifit(case, **options):
    parameters = case.parameters(**options)
    return IntegralFit(case.model, parameters, case.times, case.curves), parameters


def ifit_2(case, name, start=None):
    """IFIT 2 on problem 4.4.1 with one of its guesses."""
    parameters = case.parameters(start)
    guessed = {"y2": guess(name)(case.times)}
    return QuadratureFit(case.model, parameters, case.times, case.curves, guessed), parameters


# ---- published


@pytest.mark.of_1977
def test_stiff_problem():
    """Section 3.3: (607.3, .9901, .009281); 607.3 must be a misprint for 60.73."""
    p, total = minimum(*ifit(enzyme()))
    assert p == pytest.approx([60.9224, 0.990114, 0.00928196], rel=1e-5)
    assert total == pytest.approx(2.73140, rel=1e-5)


@pytest.mark.of_1977
def test_stiff_problem_with_the_square_root_of_p3_is_the_same():
    p, _ = minimum(*ifit(enzyme(), scaling=(Scaling.NONE, Scaling.NONE, Scaling.SQUARE_ROOT)))
    assert p == pytest.approx([60.9224, 0.990114, 0.00928196], rel=1e-5)


@pytest.mark.of_1977
def test_equilibrium_problem():
    """Section 3.3: (-.1006, -.9913, 2.569, .1004)."""
    p, _ = minimum(*ifit(equilibrium()))
    assert p == pytest.approx([-0.1005416, -0.991223, 2.566795, 0.1004100], rel=1e-5)


@pytest.mark.of_1977
def test_predator_prey_4_2_1():
    case = predator_prey()
    p, _ = minimum(*ifit(case))
    assert p == pytest.approx([0.97337, 0.10221, 2.92482, 1.00676, 0.11072, 0.14482], rel=1e-4)
    best, total = case.fit(p)
    assert best == pytest.approx([0.99902, 0.09209, 2.71531, 0.82349, 0.06986, 0.14883], rel=1e-4)
    assert total == pytest.approx(0.0078589, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", [1.05100, 0.051445, 1.13718, 0.170707, -0.082042, 0.150710]),
        ("b", [3.8842, 0.41875, 1.5395, 0.59743, 0.15030, 0.64778]),
    ],
)
def test_guessed_observations(name, expected):
    """Problem 4.4.1 (values computed independently), and the direct fit that follows: convergence."""
    case = predator_prey().only("y1")
    p, _ = minimum(*ifit_2(case, name))
    assert p == pytest.approx(expected, rel=1e-4)
    assert case.fit(p)[1] == pytest.approx(case.fit(case.model.values)[1], rel=1e-6)


def test_guess_c_ends_where_the_direct_fit_fails():
    """Section 4.4: parameters from which the FIT method was unsuccessful due to instabilities."""
    case = predator_prey().only("y1")
    p, _ = minimum(*ifit_2(case, "c"))
    assert case.marquardt(p).ending in (Ending.ERRORS, Ending.START)


def test_iterated_integral_fitting_by_integration():
    """IFIT 3 from guess (b): iterations 1 and 2 agree within 2.2 %, and FIT goes on to the optimum (section 4.4)."""
    case = predator_prey().only("y1")
    guessed, p, found = {"y2": guess("b")(case.times)}, case.start, []
    for _ in range(3):
        parameters = case.parameters(p)
        p, _ = minimum(QuadratureFit(case.model, parameters, case.times, case.curves, guessed), parameters)
        guessed, status = integrated_guess(case.model, p, case.times, case.curves)
        assert status
        found.append(p)
    assert found[2] == pytest.approx(found[1], rel=0.023)
    assert found[1] != pytest.approx(found[0], rel=0.5)
    # After an iteration the second equation is satisfied by construction: its parameters no longer move far.
    assert found[2][2:5] == pytest.approx(found[0][2:5], rel=0.05)
    assert case.fit(found[2])[1] == pytest.approx(case.fit(case.model.values)[1], rel=1e-6)


@pytest.mark.parametrize("sd", [1.0, 2.0])
def test_with_noise_integrals_are_better_than_derivatives(sd):
    """Section 3.3: "a substantial improvement over the corresponding results for the DFIT method"."""
    true = np.array([-0.1, -1.0, 2.4, 0.1])
    errors = {DerivativeFit: [], IntegralFit: []}
    for seed in range(40):
        case = equilibrium(sd, seed)
        for kind, found in errors.items():
            p = solve_linear(kind(case.model, case.parameters(), case.times, case.curves), np.zeros(4)).p
            found.append((p - true) / true)
    by_slopes, by_integrals = (np.array(errors[kind]) for kind in (DerivativeFit, IntegralFit))
    assert np.median(np.linalg.norm(by_integrals, axis=1)) < np.median(np.linalg.norm(by_slopes, axis=1))
    ratio = np.median(np.abs(by_integrals), axis=0) / np.median(np.abs(by_slopes), axis=0)
    assert (ratio < 1.0).all(), "every parameter"
    assert ratio[3] < 0.6, "p4, whose equation has the better data"


# ---- what they are


@pytest.mark.parametrize("method", [Method("trapezoid"), GEAR], ids=["trapezoid", "gear"])
def test_jacobian_of_integral_fitting(method):
    case = predator_prey()
    scaling = (Scaling.NONE, Scaling.LOGARITHM, Scaling.NONE, Scaling.SQUARE_ROOT, Scaling.NONE, Scaling.NONE)
    parameters = case.parameters(case.model.values, scaling=scaling)
    problem = IntegralFit(case.model, parameters, case.times, case.curves, method)
    check_jacobian(problem, parameters.point, 1e-6 if method.procedure == "trapezoid" else 1e-5)


def test_jacobian_of_integral_fitting_with_guesses():
    check_jacobian(ifit_2(predator_prey().only("y1"), "b")[0], [0.9, 0.1, 2.5, 0.8, 0.1, 0.13])


@pytest.mark.of_1977
def test_both_are_the_same_by_the_trapezoidal_rule():
    """But for the residuals at the initial time."""
    case, p = predator_prey(), predator_prey().model.values
    first = ifit(case)[0].evaluate(p)
    second = QuadratureFit(case.model, case.parameters(), case.times, case.curves).evaluate(p)
    assert second.residuals == pytest.approx(first.residuals[2:], rel=1e-10, abs=1e-11)
    assert second.jac == pytest.approx(first.jac[2:], rel=1e-10, abs=1e-11)
    start = [2.0 - case.curves["y1"](0.0), 8.0 - case.curves["y2"](0.0)]
    assert first.residuals[:2] == pytest.approx(start)


INITIAL = """
par a=.5, x0=2
x'=-a*x+z
z'=-z
init x=x0^2, z=1
aux ratio=x/z+a*t
done
"""


def initial_case():
    times = np.linspace(0.0, 3.0, 31)
    x = 4 * np.exp(-0.5 * times) + (np.exp(-0.5 * times) - np.exp(-times)) / 0.5
    values = np.stack([x, np.exp(-times), x / np.exp(-times) + 0.5 * times], axis=1)
    joints = {"x": [1, 2], "z": [1, 2], "ratio": [1, 2]}
    return smoothed(Model.from_text(INITIAL), times, values, joints, "spline", (1.0, 1.0))


@pytest.mark.parametrize("kind", [IntegralFit, QuadratureFit])
@pytest.mark.parametrize("aux", [(), ("ratio",)])
def test_parameters_of_initial_conditions_and_aux_quantities(kind, aux):
    """h(t, u, p) of the integral solution u against the curve of the aux quantity."""
    case = initial_case().only("x", "z", *aux)
    parameters = case.parameters()
    problem = kind(case.model, parameters, case.times, case.curves)
    assert problem.names == ("x", "z", *aux)
    check_jacobian(problem, [0.4, 1.9])
    p, _ = minimum(problem, parameters)
    assert p == pytest.approx([0.5, 2.0], rel=0.01)


def test_an_aux_quantity_beside_a_guess():
    case = initial_case().only("x", "ratio")
    guessed = {"z": np.exp(-case.times)}
    problem = QuadratureFit(case.model, case.parameters(), case.times, case.curves, guessed)
    assert problem.names == ("x", "z", "ratio")
    check_jacobian(problem, [0.4, 1.9])
    assert minimum(problem, case.parameters())[0] == pytest.approx([0.5, 2.0], rel=0.01)


@pytest.mark.parametrize("name", ["y1", "y2"])
def test_a_state_that_was_not_observed_is_driven_by_the_curve_of_the_other(name):
    """Against scipy, which integrates the same equations along the curve."""
    case, p = equilibrium().only(name), [-0.12, -0.9, 2.3, 0.11]
    problem = IntegralFit(case.model, case.parameters(), case.times, case.curves, GEAR)
    assert problem.names == (name,)
    check_jacobian(problem, p, rel=1e-4)  # sensitivities are as accurate as Gear's method, and no more
    curve = case.curves[name]

    def rates(t, u):
        y1, y2 = (curve(t), u[1]) if name == "y1" else (u[0], curve(t))
        return [p[0] * y1**3 + p[1] * y1**2 + p[2] * y1 - y2, p[3] * y1]

    run = solve_ivp(rates, (0.0, 20.0), [1.5, 1.0], t_eval=case.times, rtol=1e-9, atol=1e-9, max_step=0.1)
    expected = run.y[case.model.states.index(name)] - curve(case.times)
    assert problem.evaluate(np.array(p)).residuals == pytest.approx(expected, rel=1e-6, abs=1e-5)


def test_what_makes_no_sense_is_refused():
    seen = initial_case().only("ratio")
    with pytest.raises(ParfitError, match="x, z: not observed; integrals go along smoothed data of one state"):
        IntegralFit(seen.model, seen.parameters(), seen.times, seen.curves)
    case = predator_prey().only("y1")
    with pytest.raises(ParfitError, match="y2: neither smoothed nor guessed"):
        QuadratureFit(case.model, case.parameters(), case.times, case.curves)
    with pytest.raises(ParfitError, match="initial time 0"):
        QuadratureFit(case.model, case.parameters(), case.times[1:], predator_prey().curves)


def test_what_is_no_number_is_the_status():
    model = Model.from_text("par a=1\nx'=-x+log(a)\ninit x=1/a\ndone\n")
    curve = interpolating([0, 1, 2, 3], [1, 1, 2, 3], "spline")
    case = smoothed(model, np.linspace(0, 3, 9), np.zeros((9, 1)), {"x": []}, "spline", (1.0,))
    for kind in (IntegralFit, QuadratureFit):
        problem = kind(model, case.parameters(), [0, 1, 2, 3], {"x": curve})
        assert problem.evaluate(np.array([2.0])).usable
        for bad in (-1.0, 0.0):
            found = problem.evaluate(np.array([bad]))
            assert not found.status
            assert found.sum_of_squares == np.inf


def test_integrated_guesses_hold_the_observed_states_at_their_curves():
    case = predator_prey().only("y1")
    p = case.model.values
    found, status = integrated_guess(case.model, p, case.times, case.curves)
    assert status
    assert list(found) == ["y2"]
    y1, y2, h = case.curves["y1"](case.times), found["y2"], np.diff(case.times)
    rate = -p[2] + p[3] * y1 / (1 + p[4] * y1)
    assert y2[0] == 8.0
    assert np.diff(y2) / h == pytest.approx((rate[1:] * y2[1:] + rate[:-1] * y2[:-1]) / 2, rel=1e-9)


def test_an_integration_that_fails_says_so():
    model = Model.from_text("par a=1\nx'=-x*z\nz'=a*z^2\ninit x=1,z=1\ndone\n")
    curve = interpolating([0, 1, 2, 3], [1, 1, 2, 3], "spline")
    assert not integrated_guess(model, [1.0], np.linspace(0, 3, 31), {"x": curve})[1]
