"""What GUIDE says of residuals that are not all of one size."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from parfit.advice.errors import _by_chance
from parfit.data.columns import observations_from
from parfit.model.model import Model


@pytest.mark.parametrize("is_relative", [True, False])
def test_errors_that_grow_are_seen_across_experiments(begin, is_relative):
    """Six values of each concentration tell nothing by themselves; together they do."""
    beginnings, t = np.array([0.1, 0.3, 1.0, 3.0, 10.0, 30.0]), np.array([1.0, 2.0, 5.0, 10.0, 20.0, 30.0])
    model = Model.from_text("par k=.05\nx'=-k*x\ninit x=1\ndone", "doses")
    exact = np.outer(beginnings, np.exp(-0.07 * t)).ravel()
    draw = np.random.default_rng(4).standard_normal(exact.size)
    values = exact * (1.0 + 0.05 * draw) if is_relative else exact + 0.05 * draw
    columns = {"t": np.tile(t, beginnings.size), "x(0)": np.repeat(beginnings, t.size), "x": values}
    session = begin(model, observations_from(columns, model))
    said = " ".join(session("FIT MORE", "STATS 95", "GUIDE").split())
    assert ("NOISE x RELATIVE and another FIT" in said) is is_relative


@pytest.mark.parametrize("seed", range(5))
def test_ranks_that_rise_together_by_chance_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    one = rng.integers(0, 12, 30).astype(float)  # with values that are the same
    other = one + 8.0 * rng.normal(size=30)
    expected = spearmanr(one, other, alternative="greater").pvalue
    assert _by_chance(one, other) == pytest.approx(expected, rel=1e-9)
    assert _by_chance(np.arange(9.0), np.arange(9.0) ** 3) == 0.0
    assert _by_chance(np.arange(9.0), -np.arange(9.0)) == pytest.approx(1.0)
