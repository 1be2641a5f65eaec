"""Another place to begin, when everything else was tried: one parameter larger or smaller, as short fits tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import DIGITS, FACTORS, MUCH
from parfit.advice.short_fit import fitted_total
from parfit.advice.words import few, plain, situation
from parfit.arrays import Array
from parfit.session.questions import quoted


def begin_elsewhere(facts: Facts) -> Advice | None:
    """The first values with one of them changed, from where a fit gets much further than all that was tried."""
    if facts.at.usable and not (facts.stuck or facts.blind):
        return None
    env = facts.env
    reached = facts.at.sum_of_squares if facts.at.usable else np.inf
    tried = [(fitted_total(env.with_values(values).problem()), k, values) for k, values in _others(facts)]
    best = min(tried, default=None, key=lambda each: each[0])
    if best is None or not best[0] < MUCH * reached:
        return None
    name, values = env.model.parameters[best[1]], best[2]
    return Advice(
        situation(facts),
        f"From the first values, but with {name} = {plain(values[best[1]])}, a fit gets further, to a sum of squares "
        f"of about {few(best[0])}.",
        " ".join(["SET", *(f"{quoted(env.model.parameters[k])} {plain(values[k])}" for k in env.parameters.active)]),
    )


def _others(facts: Facts) -> Iterator[tuple[int, Array]]:
    """The starting values with one active parameter changed by a factor; not those that were tried already."""
    map_, start = facts.env.parameters, facts.env.first_values
    active = list(map_.active)
    known = {each.values.tobytes() for each in (*facts.trail, *(change.after for change in facts.made))}
    for factor in FACTORS:
        for k in active:
            values = map_.full.copy()
            values[active] = start[active]
            values[k] = float(f"{factor * start[k]:.{DIGITS}g}")
            bounded = (values < map_.lower).any() or (values > map_.upper).any()
            scaled = any(map_.scaling[j] and not values[j] > 0.0 for j in active)
            if start[k] != 0.0 and not bounded and not scaled and values.tobytes() not in known:
                yield k, values
