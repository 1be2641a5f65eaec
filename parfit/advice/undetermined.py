"""A rule for minima that leave parameters open."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import RUNAWAY
from parfit.advice.words import few, listed, plain
from parfit.estimation.diagnosis.tradeoffs import TradeOff
from parfit.session.questions import quoted


def ran_away(facts: Facts) -> Advice | None:
    """A fit has carried off what the data do not see, or somebody has frozen it there: no minimum of the rest."""
    if not facts.at.usable:
        return None
    env, map_ = facts.env, facts.env.parameters
    unseen = {map_.active[k] for k in facts.standing.flat}
    if facts.minimal:
        unseen |= {each.parameter for each in facts.probe.unseen} if facts.probe.usable else set()
    gone = [k for k in sorted(unseen | set(map_.frozen)) if is_far_away(facts, k)]
    names = listed([map_.names[k] for k in gone])
    command = f"SET {' '.join(f'{quoted(map_.names[k])} {plain(env.first_values[k])}' for k in gone)}"
    if not gone or facts.given(command):
        return None
    return Advice(
        f"{names} {'has' if len(gone) == 1 else 'have'} run away, to {listed([few(map_.full[k]) for k in gone])}, "
        f"where the data do not see {'it' if len(gone) == 1 else 'them'}.",
        "What the others are there is no minimum of anything; take it back to where it began.",
        command,
    )


def is_far_away(facts: Facts, k: int) -> bool:
    """Whether a parameter (subscript from 0) has left the size that it began with."""
    start = float(facts.env.first_values[k])
    return start != 0.0 and abs(float(facts.env.values[k])) > RUNAWAY * abs(start)


def freeze(facts: Facts) -> Advice | None:
    """Parameters that trade off, or of which the data say nothing."""
    map_, found = facts.env.parameters, facts.probe if facts.minimal else None
    if found is None or not found.usable or len(map_.active) < 2:
        return None
    pressed = {map_.active[k] for k in facts.standing.pressed}
    blind = [
        map_.names[each.parameter]
        for each in found.unseen
        if each.parameter not in pressed and not is_far_away(facts, each.parameter)
    ]
    if not blind:
        return _one_of(facts, found.undetermined[0]) if found.undetermined else None
    blind = blind[: len(map_.active) - 1]
    return Advice(
        f"This is a minimum (sum of squares {few(facts.at.sum_of_squares)}), but the data do not see {listed(blind)}.",
        "What the data do not determine is better held at a known value than left to chance.",
        f"FREEZE {' '.join(map(quoted, blind))}",
    )


def _one_of(facts: Facts, trade: TradeOff) -> Advice:
    """Hold the parameter that the fit has moved least: its value was known best."""
    map_ = facts.env.parameters
    held = min(trade.members, key=lambda k: moved(float(facts.env.first_values[k]), float(map_.full[k])))
    name, names, n_free = map_.names[held], listed([map_.names[k] for k in trade.members]), len(map_.active)
    n_seen = int(np.count_nonzero(facts.data.weights[facts.data.observed]))
    too_few = f" There are fewer observations ({n_seen}) than free parameters ({n_free})." if n_seen < n_free else ""
    then = f"the {'other is' if n_free == 2 else 'others are'} determined near this point"
    if len(facts.probe.undetermined) > 1:
        then = "there is one such combination less"
    return Advice(
        f"This is a minimum (sum of squares {few(facts.at.sum_of_squares)}), but {names} trade off: they can change "
        f"together, and the data do not notice.{too_few}",
        f"With {name} held, {then}; FREEZE holds it at {few(map_.full[held])}, so SET it first if you know better.",
        f"FREEZE {quoted(name)}",
    )


def moved(start: float, now: float) -> float:
    """How far a fit has moved a parameter: the logarithm of a factor, infinite where it changed its sign."""
    if start == now:
        return 0.0
    return abs(float(np.log(now / start))) if start * now > 0.0 else np.inf
