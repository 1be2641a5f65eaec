"""What was tried, as the environments of a session tell it by the commands that made them."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.environment import Environment

# Commands that leave the parameters, and what is fitted to what, as they are.
LOOKING = frozenset({"INTEG", "STATS", "PROBE", "EQUIL", "NOTE", "MARK", "ECHO", "LINEAR"})
CURVES = frozenset({"SMOOTH", "RESMOOTH", "CREOBS"})
LEAVING = LOOKING | CURVES
# Commands after which whatever was tried may end otherwise.
RENEWING = frozenset({"SET", "RECALL", "FREEZE", "UNFREEZE", "SCALE", "BOUNDS"})
WITH_CURVES = frozenset({"DFIT", "IFIT", "CONTIN"})  # methods that begin anew with other curves, too


def word_of(env: Environment) -> str:
    """The command that made an environment."""
    return env.origin.split(maxsplit=1)[0].upper() if env.origin.strip() else ""


def last_word(trail: Sequence[Environment]) -> str:
    """The command that led to the parameters and settings at the end of a trail."""
    return next((word for word in map(word_of, reversed(trail)) if word not in LEAVING), "")


def was_tried(trail: Sequence[Environment], undone: Sequence[Environment], words: Sequence[str]) -> bool:
    """Whether one of these commands was given since the last that renews its chances, or was undone."""
    if any(word_of(each) in words for each in undone):
        return True
    renewing = RENEWING | CURVES if WITH_CURVES & set(words) else RENEWING
    for word in map(word_of, reversed(trail)):
        if word in words:
            return True
        if word in renewing:
            return False
    return False
