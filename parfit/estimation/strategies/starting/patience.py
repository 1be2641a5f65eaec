"""How long a search goes on before what it found is believed: the less the data and the model agree, the longer."""

from __future__ import annotations

import sys
from typing import NamedTuple

from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.judgement import Judgement


class Explanation(NamedTuple):
    """What a solution makes of the data."""

    explains: bool = False  # whether what is left could be errors of measurement
    hardly: bool = False  # whether it could be at least by a rare chance
    follows: bool = False  # whether the solution has at least the course of the data


@dataclass(frozen=True)
class Patience:
    """When a search is over: how many ways must have been gone to their end, have led to the best, and not to better
    since that was found; and which part of all ways must have led to the best."""

    ways: int
    agreeing: int
    since: int
    part: float = 0.0

    def is_agreed(self, n_agreeing: int, n_ways: int) -> bool:
        """Whether enough of all ways have led to the best."""
        return n_agreeing >= self.agreeing and n_agreeing >= self.part * n_ways


EXPLAINED = Patience(12, 4, 8)  # what is left could be errors of measurement
HARDLY = Patience(24, 6, 16)  # it could by a rare chance only, as happens to one of a hundred data
# So it could, in a valley: there are many places in it, and lower ones too.
LOOSE = Patience(60, 6, 30, 0.125)
UNEXPLAINED = Patience(150, 15, 75, 0.125)  # it could not: the model may not be able to do better; or signs changed
# Neither, or not even the course of the data: a part of the model is switched off there, and many starts lead to that.
NEVER = Patience(sys.maxsize, sys.maxsize, sys.maxsize)
# Nor is that believed, but nearly all ways lead to one sharp minimum: another model is needed, and not more of them.
GIVEN_UP = Patience(150, 135, 75, 0.9)


def patience(fit: Explanation, is_sharp: bool, has_turned: bool) -> Patience:
    """What is wanted of a place that explains the data so well, and perhaps is a minimum of all parameters.

    Far more if these have other signs than they began with: where they cannot have them, there is another minimum.
    """
    if fit.explains and not has_turned:
        return EXPLAINED if is_sharp else LOOSE
    if fit.hardly and is_sharp and not has_turned:
        return HARDLY
    return UNEXPLAINED if fit.follows and is_sharp else NEVER


def is_sharp(judgement: Judgement, redundant: int) -> bool:
    """Whether it is of a minimum where the data see all that they could see of the parameters, wherever these are."""
    return judgement.is_minimum and judgement.undetermined <= redundant
