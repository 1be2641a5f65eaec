"""The rounds of an iterated method one after another, as in Figures 3.4.2 to 3.4.5 of the thesis."""

from __future__ import annotations

from parfit.commands import pictures
from parfit.commands.integrating import simulator_of
from parfit.environment import Environment
from parfit.plotting import Series


def successive_guesses(env: Environment) -> list[Series]:
    """The guesses after each round; the last ones as solid lines."""
    return [
        Series(f"{name} {_label(k)}", each.times, values, _kind(env, k), k)
        for k, each in enumerate(env.iterates)
        for name, values in each.guesses.items()
    ]


def successive_integrations(env: Environment) -> list[Series]:
    """What was observed, and the solutions of the full problem at the parameters of each round."""
    assert env.observations is not None
    simulator = simulator_of(env)
    runs = [simulator(each.values) for each in env.iterates]
    series = [
        Series(f"{name} {_label(k)}", run.times, run.column(name), _kind(env, k), k)
        for k, run in enumerate(runs)
        for name in env.observations.names
    ]
    return [*series, *pictures.observed(env)]


def _label(k: int) -> str:
    return "at first" if k == 0 else f"after {k}"


def _kind(env: Environment, k: int) -> str:
    return "solid" if k == len(env.iterates) - 1 else "dotted"
