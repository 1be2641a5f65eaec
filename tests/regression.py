"""Studies of fits in tests, and a straight line as a differential equation, for which textbooks give everything."""

import numpy as np

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.study import study
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

ACCURATE = Method("gear", "bdf", 1e-8, 0.0, 1e3)
LINE = Model.from_text("par a=0, b=0\ny'=b\ninit y=a\ndone", "line")
X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])


def problem_of(model, data, method=ACCURATE, values=None, **more):
    map_ = ParameterMap(model.parameters, model.values if values is None else np.array(values), **more)
    return TrajectoryFit(Simulator(model, data.sample_times(model.t0), method, map_.active), map_, data)


def study_of(model, data, percentile=95, **more):
    problem = problem_of(model, data, **more)
    evaluation = problem.evaluate(problem.parameters.point)
    assert evaluation.usable
    return study(problem, evaluation, percentile, np.zeros(len(model.states)))


def line_data(y=Y, **more):
    return make_observations(X, ["y"], np.array(y)[:, np.newaxis], **more)


def line_fit(weights=None):
    """Least squares by the normal equations."""
    w = np.ones(X.size) if weights is None else weights
    design = np.column_stack((np.ones(X.size), X)) * w[:, np.newaxis]
    return np.linalg.solve(design.T @ design, design.T @ (w * Y)), design
