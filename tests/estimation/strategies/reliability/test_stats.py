"""The study of a fit without anybody to talk to."""

import numpy as np
import pytest
from conversation import Session, data_of, model_of

from parfit.errors import CommandError
from parfit.estimation.strategies.reliability.stats import Request, stats
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.text.diagnosis.statistics import statistics_text


def test_it_finds_what_the_command_finds_to_the_last_bit():
    env = Environment.of(model_of("barnes"), data_of("barnes"))
    found = stats(env, Request(99.5))
    session = Session(model_of("barnes"), data_of("barnes"))
    session("STATS 99.5")
    assert found.env.statistics is found.study
    assert statistics_text(found.study) == statistics_text(session.env.statistics)
    np.testing.assert_array_equal(found.study.errors.values, session.env.statistics.errors.values)


def test_where_nothing_can_be_integrated_there_is_the_evaluation_alone():
    model = Model.from_text("par p1=1\ny1'=p1*y1^2\ny2'=0\ninit y1=1, y2=1\ndone")
    env = Environment.of(model, data_of("barnes"))
    found = stats(env, Request())
    assert found.study is None
    assert not found.evaluation.usable
    assert found.env.integration is not None


@pytest.mark.parametrize("percentile", [0.5, 100, np.nan])
def test_what_is_no_percentile_is_refused(percentile):
    with pytest.raises(CommandError, match="percentile"):
        Request(percentile)
