"""A problem that another program wrote, as an environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from parfit.estimation.likelihood.said import with_limits
from parfit.formats.petab.problem import Opened, read_petab
from parfit.model.textfile import Read
from parfit.session.environment import Environment


def read_environment(path: str, read: Read, before: Environment | None = None) -> Environment:
    """The environment of a problem; settings and notes of the one before stay, its model and data do not."""
    opened, folder = read_petab(path, read), str(Path(path).parent)
    if before is None:
        return _adopted(Environment.of(opened.model, opened.observations, folder=folder), opened)
    env = before.with_observations(None).with_other_model(opened.model, folder)
    return _adopted(env.with_observations(opened.observations), opened)


def _adopted(env: Environment, opened: Opened) -> Environment:
    """With what the problem says of bounds and scaling; of noise and priors its model speaks."""
    listed = [opened.parameters[name] for name in env.model.parameters]
    lower, upper = (np.array([getattr(each, end) for each in listed]) for end in ("low", "high"))
    within = with_limits(replace(env.parameters, lower=lower, upper=upper), env.noise)
    env = replace(env, parameters=within)  # bounds may cut off the largest value of a prior
    scaling = {name: each.scaling for name, each in opened.parameters.items()}
    return env.with_scaling(scaling)
