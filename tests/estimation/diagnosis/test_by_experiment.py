"""Residuals experiment by experiment."""

import numpy as np

from parfit.data.beginning import begun
from parfit.data.columns import observations_from
from parfit.estimation.diagnosis.by_experiment import by_experiment, seen_by_experiment
from parfit.estimation.problems.trajectory_fit import sum_of_squares
from parfit.model.model import Model
from parfit.simulation.simulator import simulate

WRITTEN = Model.from_text("par k=0\na'=-k*a\ninit a=1\ndone\n")
DATA = {
    "t": [0, 1, 0, 1],
    "run": ["x", "x", "y", "y"],
    "a(0)": [1, 1, 3, None],
    "a": [1, 0.5, 3, 5],
    "a.weight": [1, 2, 1, 1],
}


def test_sums_and_the_worst_residual_of_each():
    data = observations_from(DATA, WRITTEN)
    run = simulate(begun(WRITTEN, data), [0, 1])
    one, two = by_experiment(run, data)
    assert (one.experiment.name, one.sum_of_squares, one.worst, one.variable, one.time) == ("x", 1.0, 1.0, "a", 1.0)
    assert (two.experiment.name, two.sum_of_squares, two.worst, two.time) == ("y", 4.0, -2.0, 1.0)
    assert one.sum_of_squares + two.sum_of_squares == sum_of_squares(run, data)


def test_data_without_experiments_are_one():
    data = observations_from({"t": [0, 1], "a": [1, np.nan]}, WRITTEN)
    (only,) = by_experiment(simulate(WRITTEN, [0, 1]), data)
    assert (only.experiment.name, only.sum_of_squares, only.is_off) == ("", 0.0, False)


def test_what_each_determines_without_the_others():
    data = observations_from(DATA, WRITTEN)
    jac = np.array([[1.0, 1, 0], [1.0, 0, 3], [2.0, 2, 0], [2.0, 0, 7]])  # x, y, x, y in order of time
    assert [tuple(each) for each in seen_by_experiment(jac, data, 0.0)] == [("x", 2, 2, 1), ("y", 2, 2, 2)]
