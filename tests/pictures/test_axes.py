"""What stands at the axes."""

import numpy as np
import pytest
from conversation import model_of

from parfit.data.observations import make_observations
from parfit.pictures.series import series_of
from parfit.pictures.solution import together
from parfit.session.environment import Environment

T = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("labels", "names", "expected"),
    [
        ({}, ["y1"], ("TIME", "y1")),
        ({}, ["y1", "y2"], ("TIME", "STATE")),
        ({"t": "Time [h]", "y1": "y1 [mg/L]"}, ["y1"], ("Time [h]", "y1 [mg/L]")),
        ({"t": "Time [h]", "y1": "y1 [mg/L]"}, ["y1", "y2"], ("Time [h]", "STATE")),
        ({"y1": "y1 [mg/L]", "y2": "y2 [mg/L]"}, ["y1", "y2"], ("TIME", "STATE [mg/L]")),
        ({"y1": "y1 [mg/L]", "y2": "y2 [mol]"}, ["y1", "y2"], ("TIME", "STATE")),
    ],
)
def test_names_and_units_of_the_data(labels, names, expected):
    data = make_observations(T, ["y1", "y2"], np.ones((2, 2)), labels=labels)
    env = Environment.of(model_of("predator-prey"), data)
    figure = together(env, [series_of(env, name, "", T, T) for name in names], "")
    assert (figure.x_label, figure.y_label) == expected
