"""A rule for minima at which a parameter has another sign than it began with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import CHANCE, LONG
from parfit.advice.short_fit import fitted_total
from parfit.advice.words import few, listed, plain
from parfit.estimation.parameters import Scaling
from parfit.session.questions import quoted

AS_WELL = "with positive values the data could be met about as well"
UNNOTICED = "the data do not notice it, because others change along"


def negative(facts: Facts) -> Advice | None:
    """Parameters went negative, though they began positive and the data do not ask for it."""
    env = facts.env
    if not facts.minimal or facts.settled or facts.standing.exact:
        return None
    names = env.parameters.turned(env.first_values)
    for name in names:
        k = env.model.parameters.index(name)
        if _is_as_good(facts, _with_zero(facts, k)):
            return _positive(facts, [name], AS_WELL, f"give {name} a positive value", [k])
    if not names or not _can_begin_again(facts):
        return None
    again = "begin again from the first values"
    if _is_as_good(facts, _with_roots(facts, names)):
        return _positive(facts, names, AS_WELL, again, env.parameters.active)
    astray = _trading(facts, names)
    return _positive(facts, astray, UNNOTICED, again, env.parameters.active) if astray else None


def _trading(facts: Facts, names: Sequence[str]) -> list[str]:
    """Those that have moved along combinations of which the data say nothing."""
    open_ = {facts.env.model.parameters[k] for each in facts.probe.undetermined for k in each.members}
    return [name for name in names if name in open_]


def _positive(facts: Facts, names: Sequence[str], reason: str, what: str, places: Sequence[int]) -> Advice:
    """Go back to first values; the next advice is to keep them positive."""
    all_names, start = facts.env.model.parameters, facts.env.first_values
    first = listed([few(start[all_names.index(name)]) for name in names])
    it = "it" if len(names) == 1 else "them"
    return Advice(
        f"This is a minimum (sum of squares {few(facts.at.sum_of_squares)}), but {listed(names)} went negative, "
        f"having begun with {first}; {reason}.",
        f"If the model wants {it} positive, {what}; then SCALE can keep {it} so.",
        f"SET {' '.join(f'{quoted(all_names[k])} {plain(start[k])}' for k in places)}",
    )


def _can_begin_again(facts: Facts) -> bool:
    """Whether what is scaled began positive."""
    map_ = facts.env.parameters
    return all(facts.env.first_values[k] > 0.0 for k in map_.active if map_.scaling[k])


def _is_as_good(facts: Facts, total: float) -> bool:
    """Whether F rises by less than chance would have it."""
    free = facts.study.statistics.n_free
    return free > 0 and total - facts.at.sum_of_squares < CHANCE * facts.at.sum_of_squares / free


def _with_zero(facts: Facts, k: int) -> float:
    """The sum of squares of a fit from here with a parameter held at 0."""
    map_ = facts.env.parameters
    if len(map_.active) < 2:
        return np.inf
    held = facts.env.with_frozen([map_.names[j] for j in {*map_.frozen, k}])
    values = held.values.copy()
    values[k] = 0.0
    return fitted_total(held.with_values(values).problem())


def _with_roots(facts: Facts, names: Sequence[str]) -> float:
    """The sum of squares of a fit from the first values with these parameters kept positive."""
    env, map_ = facts.env, facts.env.parameters
    active = list(map_.active)
    values = env.values.copy()
    values[active] = env.first_values[active]
    scaling = dict(zip(map_.names, map_.scaling, strict=True)) | dict.fromkeys(names, Scaling.SQUARE_ROOT)
    return fitted_total(env.with_values(values).with_scaling(scaling).problem(), evaluations=LONG)
