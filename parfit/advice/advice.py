"""What GUIDE says: a piece of advice, and what a rule that gives one is."""

from __future__ import annotations

from collections.abc import Callable

from parfit.advice.facts import Facts
from parfit.dataclass import dataclass


@dataclass(frozen=True)
class Advice:
    """Where the user stands, which command to type next, and why; `done` where there is no more to advise.

    `after` is said in place of why, once the command was given and there is nothing else to do.
    """

    situation: str
    why: str
    command: str
    done: bool = False
    after: str = ""


Rule = Callable[[Facts], "Advice | None"]  # None where the rule does not apply
