"""What is to be said of a model and its data when they come together: where time and states begin, and sizes."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.data.beginning import first_observation
from parfit.data.observations import Observations, sizes_of
from parfit.session.environment import Environment
from parfit.session.questions import plain

UNLIKE = 100.0  # factor between sizes, from which on the smaller ones hardly count: 1e-4 of the sum of squares


def beginnings(env: Environment) -> list[str]:
    """What was taken where the model does not say it, each with the command that changes it."""
    return [*([] if env.model.says_t0 else [_time(env)]), *_states(env)]


def surprises(env: Environment) -> list[str]:
    """Those of them that nobody expects, for whoever only runs a script."""
    return [*([] if env.model.says_t0 or env.model.t0 == 0.0 else [_time(env)]), *_states(env)]


def _time(env: Environment) -> str:
    t0, data = env.model.t0, env.observations
    if data is not None and data.begin is None and t0 != 0.0:
        origin = ", the first time of the data,"
    else:
        origin = ", as the data say," if data is not None and data.begin is not None and t0 != 0.0 else ""
    return f"the model does not say when it begins: t = {t0:.7g}{origin} is taken; MODEL @ t0=TIME sets another"


def _states(env: Environment) -> list[str]:
    """The states without an initial value; what was observed first is offered for those that were."""
    model = env.model
    if not model.unset:
        return []
    one = len(model.unset) == 1
    text = (
        f"{', '.join(model.unset)} {'has' if one else 'have'} no initial value and {'begins' if one else 'begin'} at 0"
    )
    seen = first_values(env, model.unset)
    if not seen:
        return [text]
    first, second = as_parameters(env, seen)
    return [
        f"{text}; to begin with what was observed first, or to fit that as well:\n"
        f"    {fixed(seen)}\n    {first}   and then   {second}"
    ]


def first_values(env: Environment, states: Sequence[str]) -> dict[str, float]:
    """What was observed first of these states, if anything was."""
    data = env.observations
    found = {} if data is None else {name: first_observation(data, name) for name in states}
    return {name: each[1] for name, each in found.items() if each is not None}


def fixed(values: dict[str, float]) -> str:
    """The command that gives states their initial values."""
    return f"MODEL init {', '.join(f'{name}={plain(value)}' for name, value in values.items())}"


def as_parameters(env: Environment, values: dict[str, float]) -> tuple[str, str]:
    """The two commands that make parameters of initial values."""
    names = {name: initial_name(env, name) for name in values}
    first = ", ".join(f"{names[name]}={plain(value)}" for name, value in values.items())
    return f"MODEL par {first}", f"MODEL init {', '.join(f'{name}={names[name]}' for name in values)}"


def initial_name(env: Environment, state: str) -> str:
    """A name for the initial value of a state that nothing else has."""
    model = env.model
    taken = {each.lower() for each in (*model.parameters, *env.variables, *(name for name, _ in model.quantities))}
    return next(
        name for name in (f"{state}0", *(f"{state}0_{k}" for k in range(1, 1000))) if name.lower() not in taken
    )


def sizes(env: Environment) -> list[str]:
    """A remark where observations of very different sizes all weigh alike."""
    data = env.observations
    if data is None or not are_unlike(data):
        return []
    return [f"{small_and_large(data)}, and all weigh alike; to let all of them count:\n    WEIGHT AUTO"]


def small_and_large(data: Observations) -> str:
    """How much the values vary that vary least and most."""
    found = {name: size for name, size in sizes_of(data).items() if size > 0.0}
    small, large = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return (
        f"the values of {small} vary by about {found[small]:.2g}, those of {large} by {found[large]:.2g}, so that "
        f"{small} hardly counts"
    )


def are_unlike(data: Observations) -> bool:
    """Whether sizes of variables are very different, and nobody has weighted them."""
    found = [size for size in sizes_of(data).values() if size > 0.0]
    weights = data.weights[data.observed]
    return len(found) > 1 and bool((weights == weights[0]).all()) and max(found) > UNLIKE * min(found)
