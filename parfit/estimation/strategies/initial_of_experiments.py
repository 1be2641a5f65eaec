"""Initial values in several experiments: for all of them, for one, what was observed first, or parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from parfit.data.beginning import first_observation
from parfit.errors import CommandError
from parfit.model.conditions.design import START
from parfit.model.language.expression import Expression, Name, names_in, value
from parfit.model.model import Model
from parfit.model.naming import base_of, experiment_of, labelled
from parfit.session.environment import Environment
from parfit.session.questions import plain

Edit = Callable[[Model, str], Model]  # a model with one statement more, or another


def families(env: Environment, states: Iterable[str]) -> list[str]:
    """States without their experiments, each once."""
    return list(dict.fromkeys(map(base_of, states))) if env.model.parts else list(states)


def is_something_given(env: Environment, state: str, time: float) -> bool:
    """Whether a dose, or whatever else happens at a time, has come to the experiment of a state by a time."""
    own = experiment_of(state)
    model = next((part.model for part in env.model.parts if part.name == own), env.model)
    times = [each for jump in model.jumps for each in jump.times]
    return any(_may_be_by(each, time) for each in (*times, *model.infused))


def _may_be_by(moment: Expression, time: float) -> bool:
    """Whether a time is not after another; one that a parameter says, such as a lag, may be as early as any."""
    return bool(names_in(moment)) or value(moment, {}) <= time


def at_number(model: Model, state: str, value: float, edit: Edit) -> Model:
    """One experiment, or all that do not say otherwise, begin at a number."""
    experiment = experiment_of(state)
    where = f"experiment {experiment}: " if experiment else ""
    return edit(model, f"{where}init {base_of(state)}={plain(value)}")


def at_first(env: Environment, model: Model, state: str, edit: Edit) -> Model:
    """One experiment, or all in which the state was observed, begin at what was observed first."""
    found = _seen(env, base_of(state))
    own = {name: value for name, value in found.items() if experiment_of(state) in ("", name)}
    if not own:
        raise CommandError(f"{state} was not observed; enter a number, or FREE")
    for name, first in own.items():
        model = at_number(model, labelled(base_of(state), name), first, edit)
    return model


def at_parameter(env: Environment, model: Model, state: str, name: str, edit: Edit) -> Model:
    """All experiments begin at a parameter that has a value in each of them, first that which was observed."""
    assert env.design is not None
    given = [each.name for each in env.design.conditions if f"{state}{START}" in each.settings]
    if given:
        raise CommandError(f"the data say where {state} begins in {', '.join(given)}; leave out that column to fit it")
    node = model.initial[model.states.index(state)]
    if isinstance(node, Name) and node.name in model.parameters:
        raise CommandError(f"{state} begins at the parameter {node.name} already")
    seen = _seen(env, state)
    mean = float(np.mean(list(seen.values()))) if seen else 0.0
    for statement in (f"par {name}={plain(mean)}", f"init {state}={name}", f"local {name}"):
        model = edit(model, statement)
    for experiment, first in seen.items():
        model = edit(model, f"experiment {experiment}: par {name}={plain(first)}")
    return model


def _seen(env: Environment, state: str) -> dict[str, float]:
    """What was observed first, by experiment."""
    data = env.observations
    assert data is not None
    found = {part.name: first_observation(data, labelled(state, part.name)) for part in env.model.parts}
    return {name: each[1] for name, each in found.items() if each is not None}
