"""NUDGE with several experiments."""

from dataclasses import replace

import numpy as np
import pytest

from parfit.data.columns import observations_from
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.views import curves
from parfit.views.nudge_study import NudgeStudy

WRITTEN = Model.from_text("par k=.3\na'=-k*a\ninit a=1\nlocal k\ndone\n")
ROWS = {"run": ["x", "x", "y", "y"], "t": [0, 1, 0, 2], "a": [1, 0.5, 1, 0.2]}
ENV = Environment.of(WRITTEN, observations_from(ROWS, WRITTEN))


def shown(view):
    return {each.variable for each in curves.figure(view.env, view.content.run, view.look).series}


def test_one_experiment_is_in_sight_and_the_sum_is_that_of_all():
    view = NudgeStudy.of(ENV, ENV.simulator())
    assert [shown(each) for each in (view, view.press("e"), view.press("E"))] == [{"a[x]"}, {"a[y]"}, {"a[y]"}]
    assert view.content.total == pytest.approx((np.exp(-0.3) - 0.5) ** 2 + (np.exp(-0.6) - 0.2) ** 2, rel=1e-4)


def test_it_begins_with_the_one_in_sight():
    env = ENV.with_display(replace(ENV.display, experiment="y"))
    view = NudgeStudy.of(env, env.simulator())
    assert shown(view) == {"a[y]"}
    assert shown(view.press("v")) == {"a[y]"}
    assert "experiment" in view.render(79, 24)
    assert len(view.press("?").render(79, 24).split("\n")) <= 24
