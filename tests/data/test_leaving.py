"""Experiments that are left out keep their weights."""

import numpy as np

from parfit.data.columns import observations_from
from parfit.data.leaving import all_on, off_names, switched_off
from parfit.data.observations import make_observations, relative_weights, sizes_of, weights_by_size
from parfit.model.model import Model

MODEL = Model.from_text("par k=0\na'=-k*a\nb'=k\ninit a=1\ndone\n")
DATA = observations_from(
    {"t": [0, 1, 0, 1], "run": ["x", "x", "y", "y"], "a": [0, 0.1, 3, 5], "b": [1, None, 2, 2]}, MODEL
)


def weighted(weights, design):
    old = DATA
    return make_observations(old.times, old.names, old.values, weights, design=design)


def test_what_is_off_weighs_nothing_and_comes_back():
    weights = np.where(DATA.observed, 2.0, 0.0)
    left = weighted(*switched_off(DATA, weights, ["x"]))
    assert off_names(left) == ("x",)
    assert left.weights.sum(axis=0).tolist() == [0, 0, 4, 4]
    found, design = all_on(left)
    np.testing.assert_array_equal(found, weights)
    assert not design.off


def test_data_without_experiments_have_nothing_to_leave_out():
    plain = make_observations([0, 1], ["a"], [[1], [2]])
    assert off_names(plain) == ()
    assert all_on(plain)[1] is None
    assert switched_off(plain, plain.weights, ())[1] is None


def test_a_quantity_has_one_size_in_all_experiments():
    assert sizes_of(DATA) == {"a": np.std([0, 0.1, 3, 5]), "b": np.std([1, 2, 2])}
    assert len(set(weights_by_size(DATA)[:, [0, 2]].ravel())) == 1
    assert relative_weights(DATA)[0, 0] == 1 / (0.01 * 5)  # 1 % of the largest of all experiments
