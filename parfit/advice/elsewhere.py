"""Many other places to begin at, when everything else was tried."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.history import word_of_line
from parfit.advice.words import situation

ASTRAY = 1e4  # factor by which a parameter may grow without suspicion
AUTO, FIRST = "AUTO", "FIRST"  # as it is typed
SECONDS = "3 s"  # so long somebody waits who has asked for advice


def search_everywhere(facts: Facts) -> Advice | None:
    """From where a fit cannot go on."""
    if facts.at.usable and not (facts.stuck or facts.blind):
        return None
    return _auto(facts, "Searches from many other places may find the way")


def search_for_better(facts: Facts) -> Advice | None:
    """Where a minimum does not explain the data."""
    if not facts.minimal or not facts.seeking:
        return None
    return _auto(facts, "There may be a better minimum: searches from many other places would find it")


def search_nearer(facts: Facts) -> Advice | None:
    """Where a minimum lies so far from the first values that it is hardly the one that is meant."""
    env, active = facts.env, list(facts.env.parameters.active)
    first, now = np.abs(env.first_values[active]), np.abs(env.values[active])
    is_far = bool((now[first > 0.0] > ASTRAY * first[first > 0.0]).any())
    if not is_far or not facts.minimal or facts.settled or facts.standing.exact:
        return None
    return _auto(facts, "Parameters have gone far from where they began: there may be a better minimum nearer to that")


def _auto(facts: Facts, why: str) -> Advice | None:
    if any(word_of_line(each.line) == AUTO for each in facts.timeline.failed):
        return None
    env, active = facts.env, list(facts.env.parameters.active)
    is_begun = np.array_equal(env.values[active], env.first_values[active])
    around = "." if is_begun else ", around the first values."
    return Advice(situation(facts), f"{why}{around}", f"{AUTO} {SECONDS}" if is_begun else f"{AUTO} {FIRST} {SECONDS}")
