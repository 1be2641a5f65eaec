"""Small plots where one frame would flatten a variable."""

import numpy as np
import pytest
from conversation import model_of

from parfit import plotting
from parfit.data.columns import observations_from
from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.pictures.small import MUCH, apart, small_multiples
from parfit.pictures.solution import together
from parfit.plotting import Figure, Grid, Series
from parfit.session.environment import Environment

T = np.array([0.0, 1.0, 2.0])
ENV = Environment.of(model_of("predator-prey"))


def points(name, size, what="observed", kind="points"):
    return Series(f"{name} {what}", T, size * np.array([0.5, -1.0, np.nan]), kind, 0, name, what)


@pytest.mark.parametrize(("ratio", "kind"), [(MUCH * 0.99, Figure), (MUCH * 1.01, Grid), (1 / (MUCH * 1.01), Grid)])
def test_sizes_decide(ratio, kind):
    found = apart(ENV, together(ENV, [points("y1", 3.0), points("y2", 3.0 * ratio)], "both"))
    assert type(found) is kind
    assert found.title == "both"


def test_what_was_observed_counts_so_that_a_picture_that_moves_keeps_its_form():
    far = [points("y1", 3.0), points("y2", 3.0), points("y1", 1e6, "", "solid")]
    assert isinstance(apart(ENV, together(ENV, far, "")), Figure)
    lines = [points("y1", 3.0, "", "solid"), points("y2", 1e6, "", "solid")]
    assert isinstance(apart(ENV, together(ENV, lines, "")), Grid)


def test_one_variable_or_one_that_is_zero_stays_in_the_frame():
    assert isinstance(apart(ENV, together(ENV, [points("y1", 3.0), points("y2", 0.0)], "")), Figure)
    assert isinstance(apart(ENV, together(ENV, [points("y1", 3.0)], "")), Figure)


def test_labels_of_panels_name_the_variable_once_and_have_its_unit():
    data = make_observations(T, ["y1", "y2"], np.ones((3, 2)), labels={"t": "Time [h]", "y1": "y1 [mg/L]"})
    env = Environment.of(model_of("predator-prey"), data)
    grid = small_multiples(env, together(env, [points("y1", 1.0), points("y2", 1.0, "", "solid")], "both"))
    assert [panel.y_label for panel in grid.panels] == ["y1 [mg/L]", "y2"]
    assert [panel.series[0].label for panel in grid.panels] == ["observed", "computed"]
    assert (grid.x_label, grid.title) == ("Time [h]", "both")


def test_experiments_share_a_scale_that_files_have_too():
    """Four experiments of sizes that can be compared; not where one of them would be flat."""
    model = Model.from_text("par k=1\nx'=-k*x\ninit x=1\ndone\n", "four")
    names = [f"e{k}" for k in range(4)]
    columns = {"run": np.repeat(names, 3), "t": np.tile(T, 4), "x": np.ones(12)}
    env = Environment.of(model, observations_from(columns, model))

    def drawn(sizes):
        series = [points(f"x[{name}]", size) for name, size in zip(names, sizes, strict=True)]
        return plotting.page_of(apart(env, together(env, series, ""))).axes

    like = {axes.get_ylim() for axes in drawn([1.0, 2.0, 3.0, 4.0])}
    assert len(like) == 1
    assert like.pop()[1] >= 2.0
    assert len({axes.get_ylim() for axes in drawn([1.0, 2.0, 3.0, 4.0 * MUCH])}) == 4
