"""The rungs of a ladder: what was tried and why, what it led to, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from parfit.dataclass import dataclass


@dataclass(frozen=True)
class Rung:
    """A part of the work: what was tried and why, the least sum of squares after it, and the seconds it took."""

    name: str
    why: str
    total: float
    seconds: float


class Rungs:
    """All of them, in their order; `total` tells the least sum of squares so far.

    What is tried again, with nothing better since, is one rung, which stands where it was tried last.
    """

    def __init__(self, total: Callable[[], float]):
        self._total = total
        self.all: list[Rung] = []

    def climbed(self, name: str, why: str, work: Iterator[None]) -> Iterator[None]:
        """Work that is told of together."""
        begun, found = time.process_time(), self._again(name, why)
        for _ in work:
            self._note(found, begun)
            yield
        self._note(found, begun)

    def _again(self, name: str, why: str) -> Rung:
        before = [each for each in self.all if each.name == name and each.total <= self._total()]
        self.all = [each for each in self.all if each not in before]
        found = before[-1] if before else Rung(name, why, self._total(), 0.0)
        self.all.append(found)
        return found

    def _note(self, found: Rung, begun: float) -> None:
        self.all[-1] = replace(found, total=self._total(), seconds=found.seconds + time.process_time() - begun)
