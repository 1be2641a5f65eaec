"""Time that stands still: switches and tables as they are before all begins, or when all is over."""

import numpy as np
import pytest

from parfit.errors import ParfitError
from parfit.model.calculus.standstill import standing_still
from parfit.model.model import Model
from parfit.simulation.pointwise import Pointwise

TEXT = """par k=2, on=3
table z % 3 0 10 1+t
q=if(t<on)then(5)else(7)
x'=q+heav(5-t)+z(t)-k*x
done
"""


@pytest.mark.parametrize(("late", "rate"), [(False, 5 + 1 + 1), (True, 7 + 0 + 11)])
def test_switches_and_tables_have_their_first_or_last_values(late, rate):
    still = standing_still(Model.from_text(TEXT), late)
    g, g_p, _ = Pointwise(still, ("x",), (0, 1))(np.zeros(1), np.ones((1, 1)), np.array([2.0, 3.0]))
    assert g[0, 0] == rate - 2.0
    assert g_p[0, 0].tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("rate", ["t-x", "q", "exp(-t)", "z(2*t)"])
def test_what_else_depends_on_time_is_refused(rate):
    text = f"par k=2\nq=sin(t)\ntable z % 3 0 10 1+t\nx'={rate}\ndone"
    with pytest.raises(ParfitError, match="the equation of x depends on time by more than switches and tables"):
        standing_still(Model.from_text(text))


def test_a_quantity_that_no_equation_uses_may_follow_time():
    still = standing_still(Model.from_text("par k=2\nq=sin(t)\naux s=q\nx'=1-k*x\ndone"))
    assert still.aux == ()
