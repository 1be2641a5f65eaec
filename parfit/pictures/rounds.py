"""The rounds of an iterated method one after another, as in Figures 3.4.2 to 3.4.5 of the thesis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parfit.pictures.series import observed, series_of, solution
from parfit.plotting import Series
from parfit.session.environment import Environment
from parfit.session.records import Iterate

MOST_SHOWN = 5  # rounds in one picture, the first and the last among them: more cannot be told apart


def successive_guesses(env: Environment) -> list[Series]:
    """The guesses after each round, of many rounds after some; the last ones as solid lines."""
    return [
        replace(series_of(env, name, _when(k), each.times, values, _kind(env, k)), number=look)
        for look, (k, each) in enumerate(_shown(env))
        for name, values in each.guesses.items()
    ]


def successive_integrations(env: Environment) -> list[Series]:
    """What was observed, and the solutions of the full problem at the parameters of these rounds."""
    assert env.observations is not None
    simulator = env.simulator()
    lines = [
        replace(line, number=look)
        for look, (k, each) in enumerate(_shown(env))
        for line in solution(env, simulator(each.values), env.observations.names, _when(k), _kind(env, k))
    ]
    return [*lines, *observed(env)]


def _shown(env: Environment) -> list[tuple[int, Iterate]]:
    """Rounds at equal distances, with their numbers."""
    last = len(env.iterates) - 1
    chosen = np.linspace(0, last, min(last + 1, MOST_SHOWN)).round().astype(int).tolist()
    return [(k, env.iterates[k]) for k in chosen]


def _when(k: int) -> str:
    return "at first" if k == 0 else f"after {k}"


def _kind(env: Environment, k: int) -> str:
    return "solid" if k == len(env.iterates) - 1 else "dotted"
