"""What GUIDE says: a piece of advice, and what a rule that gives one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parfit.advice.facts import Facts


@dataclass(frozen=True)
class Advice:
    """Where the user stands, which command to type next, and why; `done` where there is no more to advise."""

    situation: str
    why: str
    command: str
    done: bool = False


Rule = Callable[[Facts], "Advice | None"]  # None where the rule does not apply
