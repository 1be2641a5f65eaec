"""A problem that another program wrote, as an environment."""

from __future__ import annotations

import numpy as np

from parfit.formats.petab.problem import Opened
from parfit.session.environment import Environment
from parfit.session.records import Options


def environment_of(opened: Opened, folder: str = "", options: Options | None = None) -> Environment:
    """The environment with which a conversation about such a problem begins."""
    return adopted(Environment.of(opened.model, opened.observations, folder=folder, options=options), opened)


def adopted(env: Environment, opened: Opened) -> Environment:
    """An environment of the model and the data with what the problem says of bounds, scaling and noise."""
    listed = [opened.parameters[name] for name in env.model.parameters]
    env = env.with_bounds(np.array([each.low for each in listed]), np.array([each.high for each in listed]))
    scaling = {name: each.scaling for name, each in opened.parameters.items()}
    return env.with_scaling(scaling).with_noise(opened.noise)
