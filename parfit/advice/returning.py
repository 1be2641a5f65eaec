"""Rules for what led astray: the best point so far is in the timeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.history import word_of
from parfit.advice.limits import BETTER, CHANCE
from parfit.advice.measures import evaluated, is_comparable
from parfit.advice.words import few, listed, plain, situation
from parfit.estimation.diagnosis.minimum import standing
from parfit.session.environment import Environment
from parfit.session.questions import quoted

FITS = ("FIT", "SHOOT")


def curves_led_astray(facts: Facts) -> Advice | None:
    """Curve fitting made it worse, and no fit was made yet."""
    before = facts.before
    if facts.last not in ("IFIT", "DFIT") or before is None or facts.minimal or not facts.at.usable:
        return None
    if facts.unobserved:  # a guess was tried to its end before it was advised
        return None
    if any(word_of(each) in FITS for each in facts.trail):  # it was meant to lead away from where that ended
        return None
    start = evaluated(before.problem())
    if not start.usable or start.sum_of_squares >= facts.at.sum_of_squares:
        return None
    return Advice(
        f"{facts.last} led to a larger sum of squares ({few(facts.at.sum_of_squares)}) than there was before "
        f"({few(start.sum_of_squares)}).",
        "The curves do not suit this problem; the parameters before them are the better start.",
        "UNDO",
    )


def shot_into_the_void(facts: Facts) -> Advice | None:
    """Multiple shooting ended where nothing can be integrated, but there was a fit before."""
    if facts.at.usable or facts.last != "SHOOT":
        return None
    best = min(_fits(facts, minima=False), default=None)
    if best is None:
        return None
    return Advice(
        f"SHOOT has ended where the equations cannot be integrated, but there was a sum of squares of {few(best[0])} "
        "before.",
        "Go back to it; what is undone is remembered as tried.",
        f"UNDO {best[1]}",
    )


def start_directly(facts: Facts) -> Advice | None:
    """A direct fit from where curves were used would have led further than they did."""
    if not facts.seeking or not (facts.minimal or facts.stuck):
        return None
    best = min(facts.other_ways, default=(np.inf, 0))
    if not best[0] < BETTER * facts.at.sum_of_squares:
        return None
    other = facts.trail[-1 - best[1]]
    if other.options.method != facts.env.options.method:  # UNDO would take the option back that this rests on
        return Advice(
            situation(facts),
            f"A direct fit from the parameters before {word_of(facts.trail[-best[1]])}, integrated as now, would lead "
            f"further, to a sum of squares of about {few(best[0])}: go back to them first.",
            _setting(other, facts.env.parameters.active),
        )
    return Advice(
        situation(facts),
        f"A direct fit from the parameters before {word_of(facts.trail[-best[1]])} would lead further, to a "
        f"sum of squares of about {few(best[0])}: go back there first.",
        f"UNDO {best[1]}",
    )


def turned_negative(facts: Facts) -> Advice | None:
    """The way that ended nowhere changed signs of parameters: the first half of keeping these positive."""
    if not facts.stuck or facts.refused("SCALE"):
        return None
    env, names = facts.env, facts.env.parameters.turned(facts.env.first_values)
    places = [env.model.parameters.index(name) for name in names]
    earlier = (each for each in reversed(facts.trail) if all(each.values[k] > 0.0 for k in places))
    target = next(earlier, None)
    if not names or target is None:
        return None
    return Advice(
        situation(facts, f", and {listed(names)} went negative on the way"),
        "Begin again where all of them were positive; then SCALE can keep them so.",
        _setting(target, env.parameters.active),
    )


def _setting(target: Environment, active: Sequence[int]) -> str:
    """The command that goes back to earlier values, and leaves everything else as it is."""
    return f"SET {' '.join(f'{quoted(target.model.parameters[k])} {plain(target.values[k])}' for k in active)}"


def all_was_tried(facts: Facts) -> Advice | None:
    """Nothing is left to be tried, and an earlier point was the best."""
    best = best_before(facts)
    if best is None:
        return None
    return Advice(
        f"What was tried last led to a sum of squares of {few(facts.at.sum_of_squares)}, but there was one of "
        f"{few(best[0])} before.",
        "Go back to it; what is undone is remembered as tried.",
        f"UNDO {best[1]}",
    )


def best_before(facts: Facts) -> tuple[float, int] | None:
    """The sum of squares of an earlier fit that was better than this one, and how many changes ago that was."""
    if not facts.at.usable or not (facts.stuck or facts.minimal) or facts.settled:
        return None
    best = min(_fits(facts, minima=facts.minimal), default=(np.inf, 0))
    return best if best[0] < BETTER * facts.at.sum_of_squares else None


def _fits(facts: Facts, minima: bool) -> Iterator[tuple[float, int]]:
    """Sums of squares where earlier fits have ended, and how many changes ago."""
    for back in range(1, len(facts.trail)):
        env = facts.trail[-1 - back]
        if word_of(env) not in FITS or not is_comparable(facts.env, env, scaled_alike=False):
            continue
        problem = env.problem()
        at = evaluated(problem)
        if not at.usable or (minima and not standing(problem, at).minimal):
            continue
        if not minima or is_comparable(facts.env, env) or _is_beyond_chance(facts, at.sum_of_squares):
            yield at.sum_of_squares, back


def _is_beyond_chance(facts: Facts, total: float) -> bool:
    """Whether the present sum of squares is higher than another by more than chance would have it.

    What was scaled to keep its sign may cost a little, but not more than that.
    """
    free = facts.study.statistics.n_free
    return free > 0 and facts.at.sum_of_squares - total > CHANCE * total / free
