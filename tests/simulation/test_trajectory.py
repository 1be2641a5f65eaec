"""A solution by names: states, aux quantities and their derivatives, against the closed form of a decay."""

import numpy as np
import pytest

from parfit import Method, Model, ParfitError, Simulator

MODEL = Model.from_text("par k=.5, a=2\nx'=-k*x\ninit x=a\naux flow=k*x\n", "decay")
TIMES = np.array([0.0, 1.0, 3.0])
EXACT = 2.0 * np.exp(-0.5 * TIMES)


@pytest.fixture(scope="module")
def run():
    return Simulator(MODEL, TIMES, Method("gear", eps=1e-10, h_min=0.0))(sensitivities=True)


def test_columns_by_name(run):
    np.testing.assert_allclose(run.column("x"), EXACT, rtol=1e-8)
    np.testing.assert_allclose(run.column("flow"), 0.5 * EXACT, rtol=1e-8)
    assert list(run.columns()) == ["t", "x", "flow"]


def test_derivatives_by_name(run):
    np.testing.assert_allclose(run.sensitivity("x"), np.column_stack((-TIMES * EXACT, EXACT / 2)), atol=1e-7)
    by_k = EXACT - 0.5 * TIMES * EXACT
    np.testing.assert_allclose(run.sensitivity("flow"), np.column_stack((by_k, 0.25 * EXACT)), atol=1e-7)


def test_what_it_does_not_have_is_refused(run):
    with pytest.raises(ParfitError, match="z"):
        run.column("z")
    with pytest.raises(ParfitError):
        Simulator(MODEL, TIMES)().sensitivity("x")


def test_what_was_put_away_comes_again_to_the_last_bit(run):
    y, s, size = run.y.copy(), run.s.copy(), run.held
    run.put_away()
    assert run.held < size
    np.testing.assert_array_equal(run.y, y)
    np.testing.assert_array_equal(run.s, s)


def test_the_fine_solution_goes_through_the_same_points(run):
    fine = run.fine
    assert fine.times.size > run.times.size
    np.testing.assert_allclose(fine.column("x"), 2.0 * np.exp(-0.5 * fine.times), rtol=1e-8)
    assert set(run.times.tolist()) <= set(fine.times.tolist())
