"""Models driven by tables, states in very different units, and derivatives of what is looked up or observed."""

import numpy as np
import pytest

from parfit import Method, Model, Simulator
from parfit.model.language.reader import model_from_text

TRAPEZOID = Method("trapezoid")
FORMULAS = ["adams", "bdf", "auto"]


def gear(formula, eps=1e-6):
    return Method("gear", formula, eps, h_min=0.0)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("centre", [3.3, 17.0, 41.5])
@pytest.mark.parametrize("eps", [1e-2, 1e-6])
def test_a_pulse_of_a_table_is_never_missed(tmp_path, formula, centre, eps):
    """A triangle of height 1 and width 2, with few times asked for; the exact answer is elementary."""
    corners = [(0, 0), (centre - 1, 0), (centre, 1), (centre + 1, 0), (100, 0)]
    (tmp_path / "z.csv").write_text("".join(f"{t},{z}\n" for t, z in corners))
    model = model_from_text("par k=.1\ntable z z.csv\nx'=z-k*x\ndone", folder=tmp_path)
    run = Simulator(model, [2.0, 60.0], gear(formula, eps))()
    k = 0.1
    area = (np.exp(k) - 2 + np.exp(-k)) / k**2  # of the pulse, weighted by exp(k (t - centre))
    assert run.status
    assert run.y[0, 0] == 0.0
    exact = area * np.exp(-k * (60 - centre))
    peak = 0.95  # about the largest value of x
    assert abs(run.y[1, 0] - exact) <= 200 * eps * peak


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12, 1e15])
def test_other_units_of_a_bystander_change_nothing(formula, size):
    model = Model.from_text(f"par w=1,j=.01\nx'=-j*x\nu'=w*v\nv'=-w*u\nx(0)={size}\nu(0)=1\ndone")
    times = np.arange(1.0, 21.0)
    run = Simulator(model, times, gear(formula))()
    assert np.abs(run.column("u") - np.cos(times)).max() <= 200e-6
    assert run.column("x") == pytest.approx(size * np.exp(-0.01 * times), rel=200e-6)


@pytest.mark.parametrize("formula", FORMULAS)
def test_nothing_is_evaluated_beyond_the_last_time(formula):
    model = Model.from_text("par k=1\nx'=-k*sqrt(10-t)\ndone")
    run = Simulator(model, [5.0, 10.0], gear(formula))()
    assert run.status
    assert run.y[-1, 0] == pytest.approx(-(10**1.5) * 2 / 3, rel=200e-6)


@pytest.mark.parametrize("method", [TRAPEZOID, gear("bdf", 1e-10)], ids=["trapezoid", "gear"])
def test_sensitivities_of_tables_of_states_and_of_aux_quantities(tmp_path, method):
    """A table looked up at a state, and an aux quantity with parameters of its own, against differences."""
    x = np.linspace(0.0, 3.0, 13)
    (tmp_path / "f.csv").write_text("".join(f"{a:.17g},{np.sin(a):.17g}\n" for a in x))
    text = "par a=1,b=.3\ntable f f.csv spline\ny'=-a*f(y)+b\ny(0)=2+b\naux out=b*y^2+f(a*y/3)\ndone"
    model = model_from_text(text, folder=tmp_path)
    simulator = Simulator(model, np.linspace(0.1, 2.0, 20), method)
    run, h = simulator(sensitivities=True), 1e-5
    for j in range(2):
        shift = h * np.eye(2)[j]
        forward, backward = simulator(model.values + shift), simulator(model.values - shift)
        for name in ("y", "out"):
            slope = (forward.column(name) - backward.column(name)) / (2 * h)
            assert run.sensitivity(name)[:, j] == pytest.approx(slope, rel=2e-5, abs=1e-6)


@pytest.mark.parametrize(("n", "reach", "solver"), [(20, 1, "sparse"), (50, 8, "banded")])
def test_banded_systems_that_need_row_exchanges(n, reach, solver):
    """Rotations with h w/2 > 1 make I - h/2 g_y lose its dominant diagonal; the rule is solved by numpy beside it."""
    w, h = 7.0, 1.0
    matrix = np.zeros((n, n))
    for i in range(n):
        for k in range(1, min(reach, n - 1 - i) + 1):
            matrix[i, i + k], matrix[i + k, i] = (w + i) / k, -(w + i) / (2 * k)
    rows = [f"x{i}'=k*({'+'.join(f'({a})*x{j}' for j, a in enumerate(row) if a)})" for i, row in enumerate(matrix)]
    model = Model.from_text("\n".join(["par k=1", *rows, *(f"x{i}(0)={1 + i}" for i in range(n)), "done"]))
    run = Simulator(model, h * np.arange(1, 6), TRAPEZOID)(sensitivities=True)
    assert model.compiled((0,)).system.solver == solver
    left, right = np.eye(n) - h / 2 * matrix, np.eye(n) + h / 2 * matrix
    y, s = np.arange(1.0, n + 1), np.zeros(n)
    for k in range(5):
        new = np.linalg.solve(left, right @ y)
        s = np.linalg.solve(left, right @ s + h / 2 * matrix @ (y + new))
        y = new
        assert run.y[k] == pytest.approx(y, rel=1e-9, abs=1e-9)
        assert run.s[k, :, 0] == pytest.approx(s, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize(
    "text", ["max(log(-1-x*x),0)-x", "heav(log(-1-x*x))-x", "if(log(-1-x)>0)then(1)else(2)", "min(0,log(-1-x))"]
)
@pytest.mark.parametrize("method", [TRAPEZOID, gear("auto")], ids=["trapezoid", "gear"])
def test_functions_that_choose_do_not_hide_what_is_no_number(text, method):
    run = Simulator(Model.from_text(f"x'={text}\nx(0)=1\ndone"), [1.0], method)()
    assert not run.status
    assert run.status.state == "x"


# ---- no limit of steps


@pytest.mark.parametrize("unit", [1e-9, 1.0, 3e7], ids=["nanoseconds", "seconds", "years"])
@pytest.mark.parametrize("centre", [7.3, 50.0, 88.5])
@pytest.mark.parametrize("shape", ["switch", "bell"])
def test_a_late_dose_is_not_stepped_over_without_any_option(shape, centre, unit):
    """Nothing moves before it, and only the end is asked for; the width is 2 % of the time, in any unit of it."""
    dose = {
        "switch": "heav(t-{a!r})*heav({b!r}-t)/{width!r}",
        "bell": "exp(-((t-{c!r})/{width!r})^2)/({width!r}*sqrt(pi))",
    }[shape]
    width = 2.0 * unit
    words = dose.format(a=(centre - 1) * unit, b=(centre + 1) * unit, c=centre * unit, width=width)
    run = Simulator(Model.from_text(f"par dose=3\nx'=dose*{words}\nx(0)=1\ndone"), [100 * unit])()
    assert run.status
    assert run.y[-1, 0] == pytest.approx(4.0, rel=1e-4), "all of the dose"


def test_a_limit_that_was_given_holds_for_driven_models_too():
    model = Model.from_text("x'=cos(t)\nx(0)=0\ndone")
    long, short = (Simulator(model, [10.0], Method(h_max=h)).steps([], 1) for h in (np.inf, 0.01))
    assert max(step.h for step in long) <= 0.1 * (1 + 1e-12)
    assert max(step.h for step in short) <= 0.01 * (1 + 1e-12)
    alone = Simulator(Model.from_text("x'=-x\nx(0)=1\ndone"), [1000.0]).steps([], 1)
    assert max(step.h for step in alone) > 10, "what does not depend on time has no limit"


@pytest.mark.parametrize("unit", [1e-12, 1e-9, 1e-6, 1e6, 1e9, 3e16])
def test_any_scale_of_time_needs_no_option(unit):
    """The same equation in other units of time: the same steps, the same numbers."""

    def run(unit):
        model = Model.from_text(f"par k={1 / unit!r}\nx'=-k*x\nz'=k*(x-100*z)\nx(0)=1\nz(0)=0\ndone")
        return Simulator(model, unit * np.arange(1.0, 6.0))(sensitivities=True)

    here, there = run(1.0), run(unit)
    assert there.status
    assert there.y == pytest.approx(here.y, rel=1e-6)
    assert there.s == pytest.approx(here.s * unit, rel=1e-6)
    assert there.y[:, 0] == pytest.approx(np.exp(-np.arange(1.0, 6.0)), rel=1e-4)
    assert abs(there.counts.steps - here.counts.steps) <= 2
