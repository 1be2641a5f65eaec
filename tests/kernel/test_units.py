"""No state is measured by another one: every state in units of its own gives the same solution."""

import numpy as np
import pytest

from parfit import Method, Model, Simulator

METHODS = {
    "trapezoid": Method(),
    "bdf": Method("gear", "bdf", 1e-6, 0.0),
    "adams": Method("gear", "adams", 1e-6, 0.0),
    "auto": Method("gear", "auto", 1e-6, 0.0),
}
# Of each state its equation, in which {i} stands for state i in units of 1, and its initial value.
PREY = [("{0}*(1.3-{1})", 1.0), ("{1}*({0}-.7)", 0.4)]
SECOND_ORDER = [("-4*k*{0}*{0}", 1.0), ("0*{1}", 1.0)]
CASCADE = [("-k*{0}*{3}", 1.0), ("k*{0}*{3}-2*{1}", 0.0), ("2*{1}-.1*{2}*{0}", 0.0), ("-.2*{3}+.01*{2}", 1.0)]
EPIDEMIC = [("-2*{0}*{1}", 1.0), ("2*{0}*{1}-{1}", 1e-3), ("{1}", 0.0)]
CANCELLING = [("-{0}+{1}", 0.7), ("{0}-{1}", 0.7), ("{0}-{1}-.5*{2}", 0.0), ("{2}*3-{3}", 0.0), ("-{4}*{4}+{3}", 1.0)]
MODELS = {"prey": PREY, "second order": SECOND_ORDER, "cascade": CASCADE, "epidemic": EPIDEMIC, "zero": CANCELLING}
TIMES = np.linspace(0.25, 5.0, 20)


def model(equations, units):
    """The states multiplied by their units."""
    inside = [f"(x{i}/{unit!r})" for i, unit in enumerate(units)]
    lines = ["par k=1"]
    for i, (equation, start) in enumerate(equations):
        lines += [f"x{i}'={units[i]!r}*({equation.format(*inside)})", f"x{i}(0)={start * units[i]!r}"]
    return Model.from_text("\n".join([*lines, "done"]))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_each_state_in_its_own_units(name, method):
    equations = MODELS[name]
    plain = Simulator(model(equations, [1.0] * len(equations)), TIMES, METHODS[method])(sensitivities=True)
    assert plain.status
    generator = np.random.default_rng(5)
    for _ in range(6):
        units = [float(unit) for unit in 2.0 ** generator.integers(-40, 41, len(equations))]
        run = Simulator(model(equations, units), TIMES, METHODS[method])(sensitivities=True)
        assert run.status
        # Where states consist of rounding errors, these may decide about a step.
        relative, rounding = (1e-5, 1e-13) if name == "zero" else (1e-9, 0.0)
        assert np.all(np.abs(run.y / units - plain.y) <= relative * np.abs(plain.y).max(axis=0) + rounding)
        error = np.abs(run.s / np.array(units)[:, np.newaxis] - plain.s)
        assert np.all(error <= 100 * relative * np.abs(plain.s).max(axis=0) + rounding)
        assert run.counts == plain.counts or name == "zero"


def test_a_state_that_is_small_in_its_units_is_solved_for():
    """b = b0 / (1 + 4 k t) beside a number of cells: 1/(1+4t) but for the error of the rule."""
    text = "par k=1\nb'=-k*b*b*4e9\nb(0)=1e-9\nA'=0\nA(0)=1e6\ndone"
    times = np.linspace(0.001, 2.0, 2000)
    run = Simulator(Model.from_text(text), times)(sensitivities=True)
    assert run.y[:, 0] / 1e-9 == pytest.approx(1.0 / (1.0 + 4.0 * times), rel=1e-5)
    assert run.s[:, 0, 0] / 1e-9 == pytest.approx(-4.0 * times / (1.0 + 4.0 * times) ** 2, rel=1e-4)


def test_a_state_that_is_zero_but_for_rounding_errors_takes_no_more_work():
    """What others leave of the difference of equal states is not solved for."""
    text = "par k=1\nx'=-k*x+y*k\ny'=x-y\nz'=1e3*(x-y)-z/3\nw'=z-w\nx(0)=1/3\ny(0)=1/3\ndone"
    run = Simulator(Model.from_text(text), np.linspace(0.1, 50.0, 500))()
    assert run.status
    assert np.abs(run.y[:, 2:]).max() < 1e-12
    assert run.counts.evaluations <= 3 * 500


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("equation", ["x", "1e308", "exp(-x)*1e308+1e308"])
def test_no_run_finishes_at_infinity(equation, method):
    run = Simulator(Model.from_text(f"x'={equation}\nx(0)=1.5e308\ny'=0\ndone"), [0.1, 1.0], METHODS[method])()
    assert not run.status
    assert run.status.state == "x"
    assert not np.isinf(run.y).any()
