"""Rates of observed quantities, against differences along the flow and slopes of a table."""

import numpy as np
import pytest

from parfit import Method, Model, Simulator
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.language.reader import read_model
from parfit.simulation.pointwise import Pointwise


@pytest.mark.parametrize(
    "h",
    [
        "a*x^3+y/x",
        "sqrt(x)*exp(-a*t)-log10(y)",
        "x^2.5*y^a",
        "abs(x-2)+min(x,a*y)+max(t,y)",
        "if(x>1.5)then(a*x*y)else(y^2)",
        "heav(t-1)*x+floor(t)+mod(x,1)",
        "atan2(x,y)*tanh(a*t)+erf(x)",
        "q*r^2",
    ],
)
def test_rates_of_all_kinds_of_functions(h):
    """Against differences of h along the flow, with derivatives by the parameter."""
    model = Model.from_text(f"par a=1.3\nq=x*y+sin(t)\nr=a*q-x\nx'=y-a*x\ny'=r\ninit x=1,y=1\naux h={h}\ndone\n")
    rich = with_rates(model, ["h"])
    t, y, p = np.array([0.6, 2.2]), np.array([[1.2, 0.7], [1.9, 2.3]]), model.values
    for chosen in (p, p + 0.1):
        g = Pointwise(model, ["x", "y"])(t, y, chosen)[0]
        ends = [Pointwise(model, ["h"])(t + d, y + d * g, chosen)[0] for d in (-1e-5, 1e-5)]
        rate = Pointwise(rich, [rate_name("h")])(t, y, chosen)[0]
        assert rate == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-7, abs=1e-7)
    _, by_p, by_y = Pointwise(rich, [rate_name("h")], [0], ["y"])(t, y, p, by_state=True)
    moved = [Pointwise(rich, [rate_name("h")])(t, y, p + d)[0] for d in (-1e-5, 1e-5)]
    assert by_p[:, :, 0] == pytest.approx((moved[1] - moved[0]) / 2e-5, rel=1e-6, abs=1e-6)
    moved = [Pointwise(rich, [rate_name("h")])(t, y + np.array([0, d]), p)[0] for d in (-1e-5, 1e-5)]
    assert by_y[:, :, 0] == pytest.approx((moved[1] - moved[0]) / 2e-5, rel=1e-6, abs=1e-6)


def test_the_rate_of_a_table(tmp_path):
    """Also where a parameter stretches the time."""
    (tmp_path / "z.tab").write_text("4\n0\n3\n0\n1\n4\n9\n")
    text = "par a=2, b=.5\ntable z z.tab\nx'=-a*x\ninit x=1\naux seen=z(t)*x\naux slow=z(b*t)\ndone\n"
    (tmp_path / "m.ode").write_text(text)
    model = with_rates(read_model(tmp_path / "m.ode"), ["seen", "slow"])
    run = Simulator(model, [0.5, 1.5, 2.5], Method("gear", eps=1e-9, h_min=0.0))(sensitivities=True)
    x, z, slope = np.exp([-1.0, -3.0, -5.0]), np.array([0.5, 2.5, 6.5]), np.array([1.0, 3.0, 5.0])
    assert run.column("seen'") == pytest.approx(slope * x - 2 * z * x, rel=1e-6)
    assert run.column("slow'") == pytest.approx([0.5, 0.5, 1.5])
    assert run.sensitivity("slow'")[:, 1] == pytest.approx([1.0, 1.0, 3.0])
