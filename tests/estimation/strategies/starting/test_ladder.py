"""Where the rungs begin."""

import numpy as np
from coldstarts import begun

from parfit.estimation.strategies.starting.ladder import Ladder
from parfit.estimation.strategies.starting.places import FACTORS


def test_once_the_data_are_explained_other_ways_begin_around_the_best():
    """From a start that is wrong by decades, few places are near the answer; around it many are."""
    true, env = begun("chain", 1, 2.0)
    far = env.with_values(1e3 * true.values)
    ladder = Ladder(far, 10.0, 0)
    before = ladder._centred(17)(1).values
    assert (before > 0.999e3 / FACTORS[1] * true.values).all()
    for _ in ladder.climb():
        if ladder._explains:
            break
    assert ladder.best is not None
    after = ladder._centred(17)(1).values
    assert np.array_equal(ladder._centred(9)(1).values, before)  # where a better one may be
    assert (np.abs(np.log(after / ladder.best.values)) < 1.001 * np.log(FACTORS[1])).all()


def test_lower_minima_beside_the_best_are_looked_for_to_the_end():
    """What ends the search must not end the look around the best before it has seen all of it."""
    _, env = begun("reactor", 2, 30.0)
    ladder = Ladder(env, 10.0, 0)
    for _ in ladder.climb():
        if ladder.is_over():
            break
    assert ladder.is_examined
