"""Which parameter occurs where, and how, seen without numbers."""

import pytest

from parfit import Model
from parfit.model.calculus.structure import Structure


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
