"""Equations at arrays of points, against derivatives worked out by hand."""

import numpy as np

from parfit import Model
from parfit.simulation.pointwise import Initial, Pointwise, status_of
from parfit.simulation.status import Reason

MODEL = Model.from_text("par a=2, b=3, c=5\nx'=a*x*y-t\ny'=-b*y\ninit x=a^2*c, y=7\naux q=x^2+c*y\n")
TIMES = np.array([0.0, 1.0, 4.0])
Y = np.array([[1.0, 2.0], [3.0, 5.0], [-2.0, 0.5]])
X, V = Y.T


def test_values_and_derivatives_of_rows_in_any_order():
    found, by_p, by_y = Pointwise(MODEL, ("q", "x"), (0, 2), ("y",))(TIMES, Y, MODEL.values, by_state=True)
    np.testing.assert_allclose(found, np.column_stack((X**2 + 5 * V, 2 * X * V - TIMES)))
    zero = np.zeros(3)
    np.testing.assert_allclose(by_p[:, 0], np.column_stack((zero, V)))
    np.testing.assert_allclose(by_p[:, 1], np.column_stack((X * V, zero)))
    np.testing.assert_allclose(by_y[:, :, 0], np.column_stack((zero + 5, 2 * X)))


def test_what_is_not_wanted_has_no_columns():
    function = Pointwise(MODEL, ("y",), (), ("x", "y"))
    _, by_p, by_y = function(TIMES, Y, MODEL.values)
    assert (by_p.shape, by_y.shape) == ((3, 1, 0), (3, 1, 0))
    assert function(TIMES, Y, MODEL.values, by_state=True)[2][:, 0].tolist() == [[0.0, -3.0]] * 3


def test_initial_values_and_their_derivatives():
    y0, by_p = Initial(MODEL, (0, 1, 2))(np.array([2.0, 3.0, 5.0]))
    assert y0.tolist() == [20.0, 7.0]
    assert by_p.tolist() == [[20.0, 0.0, 4.0], [0.0, 0.0, 0.0]]


def test_the_model_is_not_changed_by_what_is_asked_of_it():
    n = len(MODEL.derivation.graph.nodes)
    Pointwise(MODEL, ("x", "y"), (0, 1, 2), ("x", "y"))
    assert len(MODEL.derivation.graph.nodes) == n


def test_the_first_number_that_is_not_finite_is_named():
    values, jac = np.ones((3, 2)), np.ones((3, 2, 4))
    assert status_of(TIMES, ("x", "q"), values, jac)
    jac[1, 1, 3] = np.nan
    found = status_of(TIMES, ("x", "q"), values, jac)
    assert (found.reason, found.time, found.state) == (Reason.NOT_SMOOTH, 1.0, "q")
    values[2, 0] = np.inf
    found = status_of(TIMES, ("x", "q"), values, jac)
    assert (found.reason, found.time, found.state) == (Reason.NOT_FINITE, 4.0, "x"), "values before derivatives"
    assert status_of(TIMES, ("x", "q"), np.full((3, 2), 1e308), np.ones((3, 2, 4))), "a sum that overflows"
