"""Improving guesses: SPARSE_GN step by step, dense least squares, iterated methods of sections 3.4 and 4.4."""

import numpy as np
import pytest
from scipy.optimize import least_squares as scipy_least_squares
from smoothed import guess, lotka_volterra, minimum, predator_prey, smoothed, solved

from parfit import Model, ParfitError
from parfit.estimation.curves.guessing import guessed_curve
from parfit.estimation.optimizers.linear import is_linear, solve_linear
from parfit.estimation.optimizers.sparse_gauss_newton import ATOL, MAX_ITERATIONS, Guesses, Outcome, improve
from parfit.estimation.problems.derivative_fit import DefectFit
from parfit.estimation.problems.integral_fit import QuadratureFit
from parfit.model.curves import interpolating

# ---- the method of 1977, step by step

SATIATED = """
par p1=1, p2=.4, p3=.8, p4=.1
y1'=p1*y1-p2*y1*y2^2/(1+y2)
y2'=-p3*y2+p4*y1*y2^3/(1+y2^2)
init y1=3, y2=2
done
"""


def satiated(t, y, p):
    """The same in plain Python, with its derivatives by y2."""
    a, b = y
    g = [p[0] * a - p[1] * a * b**2 / (1 + b), -p[2] * b + p[3] * a * b**3 / (1 + b**2)]
    by_b = [-p[1] * a * (2 * b + b**2) / (1 + b) ** 2, -p[2] + p[3] * a * (3 * b**2 + b**4) / (1 + b**2) ** 2]
    return g, by_b


def listing(curve, times, p, creobs, start, fixed, tol):
    """SPARSE_GN of the listing (Appendix B, SPRGN) for one guessed state, dense and one time after the other."""

    def function(c):
        full = np.append(creobs[0], c) if fixed else c
        rows, columns = [], []
        previous = None
        for i, t in enumerate(times):
            s = start if fixed and i == 0 else float(curve(t))
            g, by = satiated(t, [s, full[i]], p)
            if i > 0 or not fixed:
                rows.append(g[0] - float(curve(t, 1)))
                columns.append({i: by[0]})
            if i > 0:
                h = t - times[i - 1]
                rows.append(0.5 * (g[1] + previous[0]) - (full[i] - full[i - 1]) / h)
                columns.append({i - 1: 0.5 * previous[1] + 1 / h, i: 0.5 * by[1] - 1 / h})
            previous = (g[1], by[1])
        jac = np.zeros((len(rows), times.size))
        for row, entries in zip(jac, columns, strict=True):
            for k, value in entries.items():
                row[k] = value
        return np.array(rows), jac[:, 1:] if fixed else jac

    c, jay, sums = np.array(creobs[1:] if fixed else creobs), 0, []
    for iteration in range(1, 26):
        f, jac = function(c)
        total, gradient = f @ f, f @ jac
        jay //= 2
        r0 = 1 / 2**jay
        delta = np.linalg.solve(jac.T @ jac, -gradient)
        c1 = c + r0 * delta
        converged = (np.abs(c - c1) <= tol * np.abs(c1) + 0.001).all()
        if not converged:
            new = np.sum(function(c1)[0] ** 2)
            if new > total:
                ga = 2 * delta @ gradient  # the slope of F; the listing has half of it
                for _ in range(5):
                    jay += 1
                    r1 = ga * r0**2 / (2 * (ga * r0 + total - new))
                    r0 = max(0.25 * r0, min(0.75 * r0, r1))
                    c1 = c + r0 * delta
                    converged = (np.abs(c - c1) <= tol * np.abs(c1) + 0.001).all()
                    new = np.sum(function(c1)[0] ** 2)
                    if converged or new < total:
                        break
                else:
                    return c, iteration, sums
        c = c1
        sums.append(np.sum(function(c)[0] ** 2))
        if converged:
            return c, iteration, sums
    return c, 25, sums


def nonlinear_case():
    model = Model.from_text(SATIATED)
    times = np.linspace(0.0, 4.0, 21)
    y = solved(lambda t, y: satiated(t, y, model.values)[0], [3.0, 2.0], times)
    # Not quite the solution, nor its initial value: with fixed initial values y0(p) counts there and not the curve.
    return model, times, interpolating(times, y[:, 0] + 0.2 * np.cos(3 * times), "spline")


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize(
    ("size", "wave"),
    [
        (1.0, 5.0),  # full steps
        (8.0, 5.0),
        (0.1, 5.0),  # a step is cut to a quarter
        (0.2, 2.0),  # to the minimum of the parabola
        (-0.5, 9.0),  # twice in one iteration, so that the next one begins with half a step
    ],
)
def test_every_iteration_is_that_of_the_listing(fixed, size, wave):
    model, times, curve = nonlinear_case()
    creobs, seen = size * (1 + 0.3 * np.sin(wave * times)), []
    problem = Guesses(model, model.values, times, {"y1": curve}, {"y2": creobs}, fixed)
    found = improve(problem, 1e-3, 0.001, lambda _, total: seen.append(total))
    c, iterations, sums = listing(curve, times, model.values, creobs, 3.0, fixed, 1e-3)
    assert found.n_iterations == iterations
    assert seen == pytest.approx(sums, rel=1e-6)
    assert found.guessed["y2"][int(fixed) :] == pytest.approx(c, rel=1e-6)
    if fixed:
        assert found.guessed["y2"][0] == creobs[0]
    assert found.before > found.sum_of_squares
    assert found.outcome is Outcome.CONVERGED


def test_steps_are_shortened():
    """Otherwise the test above would not see the interpolation: from here the full step raises the sum."""
    model, times, curve = nonlinear_case()
    problem = Guesses(model, model.values, times, {"y1": curve}, {"y2": 0.1 * (1 + 0.3 * np.sin(5 * times))}, True)
    point = problem.at(problem.start, True)
    step, slope, singular = problem.direction(point)
    assert not singular
    assert slope < 0
    assert problem.at(problem.start + step, False).sum_of_squares > point.sum_of_squares


# ---- against dense least squares

THREE = """
par a=1, b=.5, c=.3, d=.2
x'=-a*x+b*y*z
y'=c*x-b*y*z
z'=a*x-d*z
init x=2, y=1, z=.5
aux both=y+x*z
done
"""


def three_states():
    model = Model.from_text(THREE)
    a, b, c, d = model.values

    def g(t, u):
        x, y, z = u
        return [-a * x + b * y * z, c * x - b * y * z, a * x - d * z]

    times = np.linspace(0.0, 5.0, 26)
    u = solved(g, [2.0, 1.0, 0.5], times)
    values = np.column_stack((u, u[:, 1] + u[:, 0] * u[:, 2]))
    joints = {"x": [1, 2], "y": [1, 2], "z": [1, 2], "both": [1, 2]}
    return smoothed(model, times, values, joints, "spline", tuple(model.values)), u


def dense(case, guesses, start, fixed):
    """The same residuals in plain numpy, minimized by scipy."""
    a, b, c, d = case.model.values
    times, h = case.times, np.diff(case.times)
    x = case.curves["x"](times)
    seen = x.copy()
    if fixed:
        seen[0] = 2.0

    def residuals(unknown):
        full = (
            np.concatenate((start[:1], unknown.reshape(-1, len(guesses)))) if fixed else unknown.reshape(start.shape)
        )
        y, z = full.T if len(guesses) == 2 else (full[:, 0], case.curves["z"](times).copy())
        if fixed and len(guesses) == 1:
            z[0] = 0.5
        rates = {"x": -a * seen + b * y * z, "y": c * seen - b * y * z, "z": a * seen - d * z}
        rows = [(rates[n] - case.curves[n](times, 1))[int(fixed) :] for n in ("x", "z") if n not in guesses]
        for n, values in zip(guesses, full.T, strict=True):
            rows.append((rates[n][1:] + rates[n][:-1]) / 2 - np.diff(values) / h)
        return np.concatenate(rows)

    first = start[1:] if fixed else start
    return scipy_least_squares(residuals, first.ravel(), method="lm", xtol=1e-14, ftol=1e-14, gtol=1e-14), residuals


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("guesses", [("y",), ("y", "z")])
def test_against_dense_least_squares(guesses, fixed):
    case, u = three_states()
    curves = {name: case.curves[name] for name in ("x", "z") if name not in guesses}
    columns = {"y": 1, "z": 2}
    start = np.stack([u[:, columns[n]] * (1 + 0.2 * np.cos(case.times)) for n in guesses], axis=1)
    problem = Guesses(
        case.model, case.model.values, case.times, curves, dict(zip(guesses, start.T, strict=True)), fixed
    )
    found = improve(problem, 1e-10, atol=1e-10)
    expected, residuals = dense(case, guesses, start, fixed)
    first = start[1:] if fixed else start
    assert found.before == pytest.approx(np.sum(residuals(first.ravel()) ** 2), rel=1e-10)
    assert found.outcome is Outcome.CONVERGED
    assert not found.singular
    assert found.sum_of_squares == pytest.approx(2 * expected.cost, rel=1e-9, abs=1e-18)
    values = np.stack([found.guessed[n] for n in guesses], axis=1)[int(fixed) :]
    assert values == pytest.approx(expected.x.reshape(values.shape), rel=1e-5, abs=1e-6)


def test_derivatives_of_its_residuals():
    case, u = three_states()
    curves = {"x": case.curves["x"], "both": case.curves["both"]}
    for fixed in (True, False):
        guessed = {"y": u[:, 1], "z": u[:, 2]}
        problem = Guesses(case.model, case.model.values, case.times, curves, guessed, fixed)
        point = problem.at(problem.start, True)
        gradient = point.blocks.transposed(point.slopes, point.defects)
        for row, k in ((1, 0), (7, 1), (25, 0)):
            change = np.zeros_like(problem.start)
            change[row, k] = 1e-5
            rise = (
                problem.at(problem.start + change, False).sum_of_squares
                - problem.at(problem.start - change, False).sum_of_squares
            )
            assert gradient[row, k] == pytest.approx(rise / 4e-5, rel=1e-6, abs=1e-9)


def test_an_observed_aux_quantity_helps():
    """x and an aux quantity of all states determine two guessed states."""
    case, u = three_states()
    seen = {"x": u[:, 0], "both": u[:, 1] + u[:, 0] * u[:, 2]}
    curves = {name: interpolating(case.times, values, "spline") for name, values in seen.items()}
    start = {"y": np.full(26, 0.8), "z": np.full(26, 1.0)}
    found = improve(Guesses(case.model, case.model.values, case.times, curves, start, fixed=False), 1e-8)
    assert found.outcome is Outcome.CONVERGED
    assert found.guessed["y"] == pytest.approx(u[:, 1], abs=0.05)
    assert found.guessed["z"] == pytest.approx(u[:, 2], abs=0.05)


def test_two_guessed_states_and_the_parameters():
    """DFIT 3 with three states of which one is observed: p and c in turn lower (3.4.1), exact data give p back."""
    case, u = three_states()
    curves = {"x": interpolating(case.times, u[:, 0], "spline")}
    guessed = {"y": u[:, 1] * 1.2, "z": u[:, 2] * 0.8}
    guessed["y"][0], guessed["z"][0] = 1.0, 0.5
    parameters, totals = case.parameters([1.1, 0.4, 0.35, 0.25]), []
    for _ in range(30):
        p, total = minimum(DefectFit(case.model, parameters, case.times, curves, guessed), parameters)
        found = improve(Guesses(case.model, p, case.times, curves, guessed), 1e-6)
        assert found.sum_of_squares <= found.before
        guessed, parameters = found.guessed, case.parameters(p)
        totals.append(total)
    assert totals[-1] < 0.1 * totals[0]
    assert totals == sorted(totals, reverse=True)


# ---- when it cannot be done


def test_what_the_equations_do_not_determine():
    """The observed equation does not contain the guessed state: only its slope is known, not its level."""
    model = Model.from_text("par a=1\nx'=-a*x\nz'=x\ninit x=1,z=0\ndone\n")
    times = np.linspace(0, 2, 11)
    curves, guessed = {"x": interpolating(times, np.exp(-times), "spline")}, {"z": np.full(11, 5.0)}
    free = improve(Guesses(model, [1.0], times, curves, guessed, fixed=False), 1e-6)
    assert free.singular
    assert "fixed" in str(free)
    assert free.sum_of_squares < 1e-6 * free.before
    held = improve(Guesses(model, [1.0], times, curves, guessed, fixed=True), 1e-6)
    assert not held.singular
    assert held.guessed["z"] == pytest.approx(6 - np.exp(-times), abs=0.01)


def test_endings():
    model = Model.from_text("par a=1\nx'=-a*x+log(z)\nz'=-z\ninit x=1,z=1\ndone\n")
    times = np.linspace(0, 2, 11)
    curves = {"x": interpolating(times, np.exp(-times), "spline")}
    found = improve(Guesses(model, [1.0], times, curves, {"z": np.full(11, -5.0)}), 1e-6)
    assert found.outcome is Outcome.START
    assert found.n_iterations == 0
    assert found.guessed["z"].tolist() == [-5.0] * 11
    model, times, curve = nonlinear_case()
    problem = Guesses(model, model.values, times, {"y1": curve}, {"y2": np.full(21, 3.0)})
    never = improve(problem, -1.0)  # a tolerance that cannot be met
    assert never.outcome in (Outcome.LIMIT, Outcome.NO_REDUCTION)
    assert never.n_iterations <= MAX_ITERATIONS
    assert never.sum_of_squares <= never.before
    assert improve(problem, 1e6).n_iterations == 1
    assert ATOL == 0.001


def test_what_makes_no_sense_is_refused():
    case = predator_prey()
    with pytest.raises(ParfitError, match="nothing to improve"):
        Guesses(case.model, case.model.values, case.times, case.curves, {})


def test_a_long_series_takes_few_iterations():
    """The problem is linear in c: one step, and one that finds nothing to change, whatever the number of times."""
    case = predator_prey().only("y1")
    for n in (1_000, 100_000):
        times = np.linspace(0.0, 12.5, n)
        problem = Guesses(case.model, case.model.values, times, case.curves, {"y2": guess("b")(times)})
        found = improve(problem, 1e-6)
        assert found.outcome is Outcome.CONVERGED
        assert found.n_iterations == 2
        assert not found.singular


# ---- iterated methods


@pytest.mark.parametrize("kind", ["DFIT 3", "IFIT 4"])
def test_iterated_methods_from_guess_b(kind):
    """Section 4.4: three iterations lead to parameters from which FIT converges to the desired solution."""
    case = predator_prey().only("y1")
    guessed, p = {"y2": guess("b")(case.times)}, case.start
    inner = DefectFit if kind == "DFIT 3" else QuadratureFit
    for _ in range(3):
        parameters = case.parameters(p)
        p, _ = minimum(inner(case.model, parameters, case.times, case.curves, guessed), parameters)
        found = improve(Guesses(case.model, p, case.times, case.curves, guessed, fixed=True), 1e-4)
        assert found.outcome is Outcome.CONVERGED
        assert found.guessed["y2"][0] == 8.0
        guessed = found.guessed
    best, least = case.fit(case.model.values)
    found_p, total = case.fit(p)
    assert total == pytest.approx(least, rel=1e-6)
    assert found_p == pytest.approx(best, rel=1e-4)


def iterate_lotka_volterra(case, points, iterations=5):
    """IFIT 4: linear in p and in c."""
    guessed = {"y2": guessed_curve(*points)(case.times)}
    assert is_linear(case.model, case.parameters(), ["y1", "y2"], integral=True)
    for _ in range(iterations):
        problem = QuadratureFit(case.model, case.parameters(), case.times, case.curves, guessed)
        p = solve_linear(problem, case.parameters().point).p
        found = improve(Guesses(case.model, p, case.times, case.curves, guessed), 1e-6)
        assert found.n_iterations <= 3
        guessed = found.guessed
    return p, guessed["y2"]


@pytest.mark.of_1977
@pytest.mark.parametrize("height", [8.0, 14.0, 20.0])
def test_lotka_volterra_needs_the_position_of_the_peak_and_not_its_height(height):
    """Section 3.4, first example: the true peak is 14.4 at t = 5; the optimum of FIT was computed independently."""
    case = lotka_volterra()
    for peak in (5.0, 6.0, 8.0):
        points = [0, peak / 2, peak, 1.6 * peak, 20], [2, height / 2, height, height / 3, 1]
        p, _ = iterate_lotka_volterra(case, points)
        best, total = case.fit(p)
        assert best == pytest.approx([0.1409, 0.0245, 0.8858, 0.1106], rel=2e-3)
        assert total == pytest.approx(0.01421062, rel=1e-5)


@pytest.mark.parametrize("height", [14.0, 20.0])
def test_lotka_volterra_with_the_peak_in_the_wrong_place(height):
    case = lotka_volterra()
    p, _ = iterate_lotka_volterra(case, ([0, 5, 10, 16, 20], [2, height / 2, height, height / 3, 1]))
    assert p[0] < 0, "prey that die out by themselves"
    assert p[1] < 0


@pytest.mark.of_1977
def test_lotka_volterra_from_a_guess_that_knows_little():
    """Second example: the guesses stay far below the true maximum of 14.4, and FIT finds the optimum all the same."""
    case = lotka_volterra(second=True)
    p, y2 = iterate_lotka_volterra(case, ([0, 6, 12.5], [2, 4, 2]))
    assert y2.max() < 8
    best, _ = case.fit(p)
    assert best == pytest.approx([0.1474, 0.0285, 0.8229, 0.1028], rel=2e-3)
