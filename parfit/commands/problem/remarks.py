"""What is said of a model and its data when one of them is new."""

from __future__ import annotations

from parfit.model.naming import base_of
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.text import observations, report


def summary(env: Environment) -> str:
    """The data, with what is remarkable about them."""
    if env.observations is None:
        return "the file has no observations yet"
    return "\n".join([report.data_summary(env), *remarks(env)])


def remarks(env: Environment) -> list[str]:
    """Where time and states begin, and what should be weighted."""
    return [*observations.beginnings(env), *observations.of_experiments(env), *observations.sizes(env)]


def say_beginnings(env: Environment, ask: Dialogue) -> None:
    """Say what was taken where the model says nothing."""
    found = observations.beginnings(env)
    if found:
        ask.say("\n".join(["", *found]))


def tell_lost(old: Environment, new: Environment, ask: Dialogue) -> None:
    """Say which observations the model has no use for."""
    before = () if old.observations is None else old.observations.names
    now = () if new.observations is None else new.observations.names
    kept = {base_of(name).lower() for name in now}
    lost = [name for name in before if base_of(name).lower() not in kept]
    if lost and new.model is not old.model:
        ask.warn(f"the observations of {', '.join(lost)} have no place in this model and were left out; UNDO restores")
