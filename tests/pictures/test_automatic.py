"""Pictures that commands draw by themselves, as OPTION SHOW wants them."""

from dataclasses import replace

import numpy as np
import pytest

from parfit.pictures.automatic import automatic
from parfit.pictures.residuals import over_time as residuals
from parfit.pictures.solution import fitted
from parfit.plotting import Bars, Figure, Grid


@pytest.fixture
def env(begin):
    session = begin(keeping=False)
    session("INTEG N")
    return session.env


def wanting(env, **display):
    return env.with_display(replace(env.display, **display))


def variables(picture):
    return {each.variable for each in picture.series}


def test_all_variables_by_default_and_none_when_off(env):
    picture = fitted(env, env.integrated)
    assert automatic(env, picture) is picture
    assert automatic(wanting(env, shown=()), picture) is None
    assert automatic(env, None) is None


def test_only_some_variables_with_the_name_of_a_single_one_at_the_axis(env):
    picture = automatic(wanting(env, shown=("y2",)), fitted(env, env.integrated, "title"))
    assert isinstance(picture, Figure)
    assert variables(picture) == {"y2"}
    assert (picture.y_label, picture.title) == ("y2", "title")


def test_each_in_a_plot_of_its_own(env):
    picture = automatic(wanting(env, each=True), fitted(env, env.integrated))
    assert isinstance(picture, Grid)
    assert [panel.y_label for panel in picture.panels] == ["y1", "y2"]
    one = automatic(wanting(env, shown=("y1",)), picture)
    assert isinstance(one, Figure)
    assert (one.y_label, one.x_label) == ("y1", "TIME")


def test_what_belongs_to_no_variable_stays_and_other_pictures_are_left_alone(env):
    picture = automatic(wanting(env, shown=("y1",)), residuals(env, ["y1", "y2"]))
    assert variables(picture) == {"y1", ""}
    assert picture.y_label == residuals(env, ["y1", "y2"]).y_label
    bars = Bars(("a",), (np.ones(1),), ("1",))
    assert automatic(wanting(env, shown=("y1",)), bars) is bars
    only = automatic(wanting(env, shown=("y2",)), fitted(env, env.integrated))
    assert automatic(wanting(env, shown=("y1",)), only) is only, "a picture of another variable alone"
