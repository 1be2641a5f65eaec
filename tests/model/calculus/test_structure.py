"""Which parameter occurs where, and how, seen without numbers."""

import pytest

from parfit import Model
from parfit.model.calculus.structure import Structure, switches, used
from parfit.model.conditions.design import Condition, Design
from parfit.model.conditions.joining import joined
from parfit.simulation.simulator import Simulator


@pytest.mark.parametrize("equation", ["a*x+b+floor(b)", "a*x+b+if(a>3)then(1)else(0)", "a*x+heav(b)"])
def test_steps_are_seen_without_numbers(equation):
    """Their derivatives are zero: whether they move at the points that are tried is a matter of luck."""
    structure = Structure(Model.from_text(f"par a=1,b=2\nx'={equation}\ninit x=1\ndone\n"))
    assert not structure.is_affine(["x"], [0, 1])
    assert not structure.integral_is_affine([0, 1], [])


def test_initial_values_are_seen_without_numbers():
    structure = Structure(Model.from_text("par a=1,b=2\nx'=a*x+b\ninit x=b^2\ndone\n"))
    assert structure.is_affine(["x"], [0, 1])
    assert not structure.integral_is_affine([0, 1], [])
    assert structure.integral_is_affine([0], [])


MADE = """par a=1,b=2,c=3,d=4,e=5
number u=1
x'=-a*x+u*b+heav(t-c)
y'=x-u*d*y+heav(floor(e))
x(0)=1
aux z=x+u*e
local b
done
"""


@pytest.mark.parametrize("names", [("x[p]", "x[q]"), ("y[p]", "x[q]"), ("z[q]",), ("y[p]", "z[q]"), ("y[q]", "y[p]")])
@pytest.mark.parametrize("on_times_only", [False, True])
def test_several_experiments_are_asked_one_by_one(names, on_times_only):
    """The same as the equations of all of them together would tell, which nobody has to differentiate."""
    conditions = (Condition("p", {"u": 0.0}), Condition("q", {"u": 2.0}))
    model = joined(Model.from_text(MADE), Design(conditions))
    found = used(model, names), switches(model, names, on_times_only)
    Simulator(model, [1.0, 2.0])(sensitivities=True)
    assert "derivation" not in model.__dict__
    together = Structure(model)
    assert found == (together.occurring(names), together.switched(names, on_times_only))
