"""The pictures of NUDGE."""

import numpy as np
import pytest
from conversation import data_of, model_of
from numpy.testing import assert_allclose, assert_array_equal

from parfit.data.observations import make_observations
from parfit.errors import ParfitError
from parfit.estimation.problems.trajectory_fit import residuals
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import OF_1977
from parfit.simulation.simulator import simulate
from parfit.views.curves import PHASE, RESIDUALS, STATES, Look, all_times, choices, figure

ENV = Environment.of(model_of("predator-prey"), data_of("predator-prey"), options=OF_1977)
ALONE = Environment.of(Model.from_text("par k=1\nx'=-k*x\ninit x=1\ndone", "alone"))
ENDS = (0.0, 12.5)


def run_of(env, values=None):
    return simulate(env.model, env.samples.times, env.values if values is None else values, env.options.method)


def seen(look=None, values=None, env=ENV):
    found = figure(env, run_of(env, values), look or Look())
    return {series.label: series for series in found.series}


def test_states_with_their_observations():
    found = seen()
    assert list(found) == ["y1", "y2", "y1 observed", "y2 observed"]
    assert_array_equal(found["y2"].y, run_of(ENV).column("y2"))
    assert_array_equal(found["y1 observed"].y, ENV.observations.values[:, 0])
    assert list(seen(Look(choice=2))) == ["y2", "y2 observed"]


def test_a_curve_that_goes_far_away_does_not_flatten_the_observations():
    values = ENV.values * [1, 1, 1, 1, 1, 0]  # prey that nothing limits
    run, found = run_of(ENV, values), seen(values=values)
    y2 = ENV.observations.values[:, 1]
    assert np.nanmax(run.column("y2")) > 3 * y2.max()
    line = found["y2 (goes beyond)"]
    assert_allclose(np.nanmax(line.y), 2 * y2.max() - y2.min())
    assert found["y2 observed"].y.max() == y2.max()


def test_residuals_are_those_of_the_sum_of_squares():
    run, found = run_of(ENV), seen(Look(picture=RESIDUALS))
    all_of_them = np.column_stack([found["y1 residuals"].y, found["y2 residuals"].y]).ravel()
    assert_allclose(all_of_them, residuals(run, ENV.observations))
    assert_array_equal(found["0"].y, [0, 0])


def test_phase_plane():
    found = seen(Look(picture=PHASE))
    assert_array_equal(found["y2 against y1"].x, run_of(ENV).column("y1"))
    assert_array_equal(found["observed"].y, ENV.observations.values[:, 1])


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ParfitError, match="two variables"):
        choices(ALONE, PHASE)
    with pytest.raises(ParfitError, match="without observations"):
        choices(ALONE, RESIDUALS)
    assert list(seen(env=ALONE)) == ["x"]


def test_zooming_keeps_the_middle_and_stays_within_the_times():
    look = Look().zoomed(ENDS, 0.5)
    assert look.window == (3.125, 9.375)
    assert look.shifted(ENDS, 0.25).window == (4.6875, 10.9375)
    assert look.shifted(ENDS, 4).window == (6.25, 12.5)
    assert look.shifted(ENDS, -4).window == (0, 6.25)
    assert look.zoomed(ENDS, 2).window is None
    with pytest.raises(ParfitError, match="all times"):
        Look().shifted(ENDS, 1)
    for _ in range(60):
        look = look.zoomed(ENDS, 0.5)
    assert look.window[1] > look.window[0]
    assert all_times(ENV) == ENDS


def test_only_the_times_of_the_window_are_drawn():
    look, run = Look(window=(3.1, 5.2)), run_of(ENV)
    found = seen(look)
    assert_array_equal(found["y1 observed"].x, [3.5, 4, 4.5, 5])
    assert (found["y1"].x[0], found["y1"].x[-1]) == (3.1, 5.2)
    assert_allclose(found["y1"].y, np.interp(found["y1"].x, run.times, run.column("y1")))
    assert seen(Look(PHASE, 0, (3.1, 5.2)))["observed"].x.size == 4
    assert seen(Look(RESIDUALS, 0, (3.1, 5.2)))["y1 residuals"].x.size == 4


def test_what_could_not_be_integrated_is_a_gap():
    values = ENV.values * [5, 1, 1, 1, 1, 1]
    assert not run_of(ENV, values).status
    found = seen(values=values)
    line = next(series for label, series in found.items() if label.split()[0] == "y1" and series.is_line)
    assert np.isnan(line.y[-1])


def test_what_was_observed_is_shown_first():
    """Beside states of other sizes that nobody has seen, the data could be flat."""
    model = Model.from_text("par k=1\nA'=-k*A\nB'=k*A\nC'=k*B\nA(0)=1000", "chain")
    data = make_observations([0.0, 1.0], ["B"], np.array([[0.0], [3.0]]))
    sets = choices(Environment.of(model, data), STATES)
    assert sets == [("B",), ("A", "B", "C"), ("A",), ("C",)]
    both = make_observations([0.0, 1.0], ["B", "C"], np.array([[0.0, 0.0], [3.0, 1.0]]))
    assert choices(Environment.of(model, both), STATES)[:2] == [("B", "C"), ("A", "B", "C")]
    assert choices(Environment.of(model, None), STATES)[0] == ("A", "B", "C")
