"""Initial values of states: numbers, what was observed first, or parameters that begin there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from parfit.data.beginning import first_observation
from parfit.errors import CommandError
from parfit.estimation.strategies.initial_of_experiments import (
    Edit,
    at_first,
    at_number,
    at_parameter,
    families,
    is_something_given,
)
from parfit.model.calculus.structure import Structure
from parfit.model.language import editing
from parfit.model.language.expression import Name, value
from parfit.model.model import Model
from parfit.model.naming import base_of
from parfit.model.textfile import Read, file_bytes
from parfit.session.environment import Environment
from parfit.session.questions import plain
from parfit.simulation.first_states import first_state

FREE, OBSERVED = "FREE", "OBSERVED"  # what an initial value may be beside a number


def first_values(env: Environment, states: Sequence[str]) -> dict[str, float]:
    """What was observed first of these states, if anything was."""
    data = env.observations
    found = {} if data is None else {name: first_observation(data, name) for name in states}
    return {name: each[1] for name, each in found.items() if each is not None}


def first_unexplained(env: Environment) -> dict[str, tuple[float, float]]:
    """When and where states without initial values were observed first, unless a dose can have brought them there."""
    found = dict[str, tuple[float, float]]()
    if env.observations is None:
        return found
    for state in env.model.unset:
        first = first_observation(env.observations, state)
        if first is not None and not is_something_given(env, state, first[0]):
            found[state] = first
    return found


def unused_parameters(env: Environment) -> list[str]:
    """Parameters that no equation and no initial value uses."""
    used = Structure(env.model).occurring(env.variables)
    return [name for k, name in enumerate(env.model.parameters) if k not in used]


def initial_values(env: Environment) -> list[float]:
    """Where the states begin at the present parameters."""
    if env.model.rest is not None:
        return [float(each) for each in first_state(env.model)(env.values)[0]]
    known: dict[str, Any] = dict(zip(env.model.parameters, env.values.tolist(), strict=True))
    for name, node in env.model.quantities:
        with suppress(KeyError):  # of what changes with time, and no initial value uses
            known[name] = value(node, known)
    return [float(value(node, known)) for node in env.model.initial]


def initial_name(env: Environment, state: str) -> str:
    """A name for the initial value of a state: that of a parameter which nothing uses, or one that nothing has."""
    model = env.model
    unused = unused_parameters(env)
    taken = {
        base_of(each).lower() for each in (*model.parameters, *env.variables, *(name for name, _ in model.quantities))
    }
    ready = next((name for name in unused if name.lower() == f"{state}0".lower()), "")
    names = (f"{state}0", *(f"{state}0_{k}" for k in range(1, 1000)))
    return ready or next(name for name in names if name.lower() not in taken)


def with_initial(env: Environment, model: Model, state: str, wanted: str | float, read: Read = file_bytes) -> Model:
    """The model with another initial value."""
    edit = partial(editing.edit, folder=env.folder, read=read)
    if env.model.parts:
        return _in_experiments(env, model.template or model, state, wanted, edit)
    if isinstance(wanted, float):
        return edit(model, f"init {state}={plain(wanted)}")
    seen = first_values(env, [state])
    if wanted == OBSERVED and not seen:
        raise CommandError(f"{state} was not observed; enter a number, or FREE")
    if wanted == OBSERVED:
        return edit(model, f"init {state}={plain(seen[state])}")
    node = model.initial[model.states.index(state)]
    if isinstance(node, Name) and node.name in model.parameters:
        raise CommandError(f"{state} begins at the parameter {node.name} already")
    name = initial_name(env, state)
    if name not in model.parameters:
        value = seen.get(state, initial_values(env)[model.states.index(state)])
        model = edit(model, f"par {name}={plain(value)}")
    return edit(model, f"init {state}={name}")


def _in_experiments(env: Environment, model: Model, state: str, wanted: str | float, edit: Edit) -> Model:
    if isinstance(wanted, float):
        return at_number(model, state, wanted, edit)
    if wanted == OBSERVED:
        return at_first(env, model, state, edit)
    state = base_of(state)
    return at_parameter(env, model, state, initial_name(env, state), edit)


def freed(env: Environment, states: Iterable[str], read: Read = file_bytes) -> Environment:
    """The initial values of states as parameters, as INIT FREE makes them."""
    model = env.model
    for state in families(env, states):
        model = with_initial(env, model, state, FREE, read)
    return env.with_model(model)
