"""What was tried, as the environments of a session tell it by the commands that made them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from parfit.session.environment import Environment

# Commands that leave the parameters, and what is fitted to what, as they are.
LOOKING = frozenset({"INTEG", "STATS", "PROBE", "EQUIL", "NOTE", "MARK", "ECHO", "LINEAR"})
CURVES = frozenset({"SMOOTH", "RESMOOTH", "CREOBS"})
LEAVING = LOOKING | CURVES
# Commands after which whatever was tried may end otherwise.
RENEWING = frozenset({"SET", "RECALL", "FREEZE", "UNFREEZE", "SCALE", "BOUNDS"})
FITTING = frozenset({"FIT", "SHOOT", "SEQ", "CONTIN", "IFIT", "DFIT", "SCAN"})  # commands that find parameters
WITH_CURVES = frozenset({"DFIT", "IFIT", "CONTIN"})  # methods that begin anew with other curves, too


def word_of(env: Environment) -> str:
    """The command that made an environment."""
    return word_of_line(env.origin)


def word_of_line(line: str) -> str:
    """The command that a line begins with."""
    return line.split(maxsplit=1)[0].upper() if line.strip() else ""


def last_word(trail: Sequence[Environment]) -> str:
    """The command that led to the parameters and settings at the end of a trail."""
    return next((word for word in map(word_of, reversed(trail)) if word not in LEAVING), "")


def was_tried(made: Sequence[Environment], undone: Collection[Environment], words: Sequence[str]) -> bool:
    """Whether one of these commands was given, and perhaps undone, since the last that renews its chances."""
    renewing = RENEWING | CURVES if WITH_CURVES & set(words) else RENEWING
    for each in reversed(made):
        word = word_of(each)
        if word in words:
            return True
        if word in renewing and each not in undone:
            return False
    return False


def is_same_line(command: str, origin: str) -> bool:
    """Whether an advised command is the one that made an environment.

    What was chosen for AUTO, and how break points are written, is left open.
    """
    words = command.partition(" AUTO")[0].partition(" BREAKS")[0].split()
    given = origin.split()
    return len(given) >= len(words) and all(_is_same(a, b) for a, b in zip(words, given, strict=False))


def _is_same(word: str, other: str) -> bool:
    try:
        return float(word) == float(other)
    except ValueError:
        return word.upper() == other.upper()


def _parts(env: Environment) -> dict[str, int]:
    """The guesses, told apart by identity."""
    return {name: id(guess) for name, guess in env.guesses.items()}


def is_same_point(env: Environment, other: Environment, with_curves: bool) -> bool:
    """Whether a command must lead to the same from both; fits of the solution itself know of no curves."""
    one, two = env.parameters, other.parameters
    if one.frozen != two.frozen or one.scaling != two.scaling or env.options != other.options:
        return False
    if not all(
        np.array_equal(*pair) for pair in ((one.full, two.full), (one.lower, two.lower), (one.upper, two.upper))
    ):
        return False
    return not with_curves or (env.smoothing is other.smoothing and _parts(env) == _parts(other))
