"""Rules for sessions that cannot be fitted yet."""

from __future__ import annotations

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.words import WRITTEN


def no_parameters(facts: Facts) -> Advice | None:
    if facts.env.model.parameters:
        return None
    return Advice(
        "The model has no parameters, so that there is nothing to fit.",
        "MODEL shows its text; MODEL par NAME=VALUE adds a parameter.",
        "MODEL",
    )


def no_data(facts: Facts) -> Advice | None:
    data = facts.env.observations
    if data is not None and data.n_observations and data.weights.any():
        return None
    if data is not None and data.n_observations:
        return Advice("All observations have weight 0, so that none counts.", "WEIGHT 1 sets them to 1.", "WEIGHT 1")
    return Advice(
        "There is a model, but nothing was observed yet.",
        "Parameters are fitted to observations; a file of them is to be read (CREATE would simulate some).",
        "LOAD DATA",
    )


def no_connection(facts: Facts) -> Advice | None:
    """Sample times on which the solution cannot be compared with the data, or the curves have no hold."""
    times, data = facts.env.samples.times, facts.data
    if not facts.env.samples.uniform and times[-1] <= data.times[-1]:
        return None
    return Advice(
        "The sample times have no connection to the observations, or go beyond them.",
        "A fit compares the solution with the data at the times of the data.",
        "SAMPLE 1",
    )


def robust(facts: Facts) -> Advice | None:
    if not facts.env.loss:
        return None
    return Advice(
        f"The parameters were fitted with the loss {facts.env.loss}, which lets outliers count less.",
        "That is a result of its own, which least squares would only change: write it down. "
        "FIT MORE would go on with least squares.",
        "REPORT PAR",
        done=True,
        after=WRITTEN,
    )
