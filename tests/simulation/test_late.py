"""The end of time: against closed forms, and what is observed there against long integrations."""

import numpy as np
import pytest

import parfit
from parfit.errors import ParfitError
from parfit.model.conditions.design import Condition, Design
from parfit.model.conditions.joining import joined
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator, simulate
from parfit.simulation.status import Reason

INF = np.inf
GROWTH = "par k=.5, v=2\nx'=v-k*x\ninit x=1\ndone"


@pytest.mark.parametrize("procedure", ["gear", "trapezoid"])
def test_the_last_row_is_the_rest_with_its_derivatives(procedure):
    model = parfit.Model.from_text(GROWTH)
    run = simulate(model, [0.0, 1.0, INF, INF], method=Method(procedure), sensitivities=True)
    assert run.status
    assert run.y.shape == (4, 1)
    np.testing.assert_allclose(run.y[2:], 4.0, rtol=1e-10)
    np.testing.assert_allclose(run.s[2:, 0], [[-8.0, 2.0]] * 2, rtol=1e-10)
    plain = simulate(model, [0.0, 1.0], method=Method(procedure), sensitivities=True)
    np.testing.assert_array_equal(run.y[:2], plain.y)
    np.testing.assert_array_equal(run.s[:2], plain.s)


def test_the_end_alone():
    run = simulate(parfit.Model.from_text(GROWTH), [INF], sensitivities=True)
    assert run.y.shape == (1, 1)
    np.testing.assert_allclose(run.y, 4.0, rtol=1e-10)
    assert run.fine.status


def test_doses_after_the_last_time_count_and_so_does_their_time():
    """a -> b is closed: all that was given ends in b, and what a gets at lag passes on as well."""
    text = "par k=1, lag=3, f=.5\na'=-k*a\nb'=k*a\ninit a=2\ndose a=5 at lag\ndose b=f over 2 at 2*lag\ndone"
    run = simulate(parfit.Model.from_text(text), [0.0, 1.0, INF], method=Method(eps=1e-10), sensitivities=True)
    np.testing.assert_allclose(run.y[-1], [0.0, 7.5], atol=1e-8)
    np.testing.assert_allclose(run.s[-1], [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], atol=1e-8)


def test_a_quantity_that_is_observed_at_the_end():
    model = parfit.Model.from_text("par k=.5, v=2\nx'=v-k*x\naux c=v*x\ndone")
    run = simulate(model, [1.0, INF], sensitivities=True)
    np.testing.assert_allclose(run.column("c")[-1], 8.0, rtol=1e-9)
    np.testing.assert_allclose(run.sensitivity("c")[-1], [-16.0, 8.0], rtol=1e-9)  # c = v^2/k


def test_what_has_no_end_says_so():
    run = simulate(parfit.Model.from_text("par w=1\nx'=w*y\ny'=-w*x\ninit x=1\ndone"), [0.0, 1.0, INF])
    assert run.status.reason is Reason.NO_REST
    assert np.isfinite(run.y[:2]).all()
    assert np.isnan(run.y[2]).all()


@pytest.mark.parametrize("times", [[0.0, INF, 1.0], [-INF, 1.0], [0.0, np.nan]])
def test_times_that_are_none(times):
    with pytest.raises(ParfitError, match="the times must"):
        simulate(parfit.Model.from_text(GROWTH), times)


def test_only_the_experiments_that_are_observed_there_must_come_to_rest():
    text = "par k=1\nnumber c=0\nx'=c-k*x\ny'=c*y\ninit x=2, y=1\nlocal k\ndone"
    model = joined(parfit.Model.from_text(text), Design((Condition("calm"), Condition("wild", {"c": 1.0}))))
    run = Simulator(model, [0.0, 1.0, 2.0, INF], ends=[INF, 1.0])(sensitivities=True)
    assert run.status
    np.testing.assert_allclose(run.y[-1, :2], [0.0, 1.0], atol=1e-9)
    assert np.isnan(run.y[2:, 2:]).all()
    assert np.isfinite(run.y[:2, 2:]).all()


def test_an_experiment_is_integrated_no_further_than_its_end():
    """x of the hot one would be infinite at 1; what is seen of it ends before."""
    text = "par p=1\nx'=p*x^2\ninit x=.1\nexperiment hot: init x=1\naux q=2*x\ndone"
    model = joined(parfit.Model.from_text(text), Design((Condition("cold"), Condition("hot"))))
    run = Simulator(model, [0.0, 0.5, 5.0], ends=[5.0, 0.5])(sensitivities=True)
    assert run.status
    np.testing.assert_allclose(run.column("x[cold]"), [0.1, 0.1 / 0.95, 0.2], rtol=1e-5)
    np.testing.assert_allclose(
        run.sensitivity("q[cold]")[:, 0], 2.0 * np.array([0, 0.5, 5]) * run.y[:, 0] ** 2, rtol=1e-4
    )
    assert np.isnan(run.column("q[hot]")[2])
    assert run.fine.status
