"""What can be required of an environment, and what supplies it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Whether an environment has it; what is said if not, and which command supplies it.
NEEDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "parameters": (
        lambda env: bool(env.model.parameters),
        "the model has no parameters",
        "add one with MODEL par NAME=VALUE",
    ),
    "observations": (
        lambda env: env.observations is not None and env.observations.n_observations > 0,
        "there are no observations",
        "LOAD DATA FILE reads some, CREATE simulates some",
    ),
    "observation times": (
        lambda env: not env.samples.uniform,
        "the sample times are a uniform mesh without connection to the observations",
        "SAMPLE 1 restores them",
    ),
    "integration": (
        lambda env: env.integration is not None,
        "nothing has been integrated yet at these sample times",
        "INTEG does it",
    ),
    "jacobian": (
        lambda env: env.integration is not None and env.integration.trajectory.s is not None,
        "the last integration was made without the Jacobian",
        "INTEG Y makes one with it",
    ),
    "standard deviations": (
        lambda env: env.observations is not None and env.observations.sds is not None,
        "the data have no standard deviations",
        "give them in columns named like y1.sd, or enter weights with WEIGHT 2",
    ),
    "smoothing": (
        lambda env: env.smoothing is not None,
        "the observations have not been smoothed",
        "SMOOTH does it",
    ),
    "guesses": (
        lambda env: bool(env.guesses),
        "no observations have been guessed",
        "CREOBS does it",
    ),
    "iterates": (
        lambda env: bool(env.iterates),
        "no iterated method has been used yet",
        "DFIT 3, IFIT 3 and IFIT 4 are such",
    ),
    "marks": (lambda env: bool(env.marks), "no parameter values have been marked yet", "MARK NAME does it"),
    "notes": (lambda env: bool(env.notes), "there are no notes yet", "NOTE TEXT makes one"),
    "creation": (lambda env: env.creation is not None, "the observations were not simulated", "CREATE does it"),
    "statistics": (
        lambda env: env.statistics is not None,
        "no statistics have been computed for the present parameters, data and settings",
        "STATS does it",
    ),
    "profiles": (
        lambda env: bool(env.profiles),
        "no profiles have been computed for the present parameters, data and settings",
        "PROFILE does it",
    ),
    "bootstrap": (
        lambda env: env.bootstrap is not None,
        "no bootstrap has been computed for the present parameters, data and settings",
        "BOOT does it",
    ),
    "details": (
        lambda env: bool(env.details),
        "nothing was written out by an integration or optimization",
        "OPTION OUTPUT 1 and then INTEG does it",
    ),
}
