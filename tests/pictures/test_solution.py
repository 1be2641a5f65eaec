"""What fits show of themselves."""

import numpy as np
from conversation import model_of
from drawn import at

from parfit.data.observations import make_observations
from parfit.pictures.solution import fitted
from parfit.plotting import Figure, Grid, draw
from parfit.session.environment import Environment

T = np.array([1.0, 2.0, 3.0])


def picture(sizes):
    data = make_observations(T, ["y1", "y2"], np.ones((3, 2)) * sizes)
    env = Environment.of(model_of("predator-prey"), data)
    run = env.simulator()(env.values)
    return run, fitted(env, run, "sum of squares 1")


def test_the_observed_variables_with_their_solution():
    run, found = picture([2.0, 3.0])
    assert isinstance(found, Figure)
    assert [each.label for each in found.series] == ["y1", "y2", "y1 observed", "y2 observed"]
    np.testing.assert_allclose(at(found.series[1], T), run.y[1:, 1], rtol=1e-6)
    assert found.title == "sum of squares 1"


def test_variables_of_other_sizes_have_plots_of_their_own_while_a_fit_runs_too():
    _, found = picture([2.0, 300.0])
    assert isinstance(found, Grid)
    assert [panel.y_label for panel in found.panels] == ["y1", "y2"]
    text = draw(found, 60, 16, legend_within=True)
    assert "sum of squares 1" in text
    assert len(text.split("\n")) <= 16


def test_without_a_solution_or_observations_there_is_nothing_to_show():
    env = Environment.of(model_of("predator-prey"))
    assert fitted(env, env.simulator()(env.values)) is None
    assert fitted(env, None) is None
