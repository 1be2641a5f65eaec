"""Numbered pieces of work on all cores, or wherever an executor has them done: in chunks, told as they arrive.

What a piece finds depends on its number alone, so that it does not matter who does it, with which others, and when.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Generic, Protocol, TypeVar

from parfit.dataclass import dataclass

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
LOOK_EVERY = 0.05  # seconds between two looks at what is done
CHUNK = 1.0  # seconds that a chunk is to take, so that handing it over costs next to nothing


class StoppedError(Exception):
    """Nobody wants the rest of the work any more."""


class Work(Protocol[R_co]):
    """A piece of work; who tells what part of it is done hears by an error that it is not wanted any more."""

    def __call__(self, number: int, tell: Callable[[float], None]) -> R_co: ...


class Kept(Protocol):
    """Where pieces that were finished are found again after a crash, by their names; they are what JSON can say."""

    def get(self, piece: str) -> Any: ...

    def put(self, piece: str, found: Any) -> None: ...


class Forgotten:
    """Nothing is kept."""

    def get(self, piece: str) -> Any:
        return None

    def put(self, piece: str, found: Any) -> None:
        pass


@dataclass(frozen=True)
class Crew:
    """Who does the work, and how many chunks at once."""

    executor: Executor
    size: int


class _Employed:
    """Those who do all work from now on; nobody where the cores of this machine do it."""

    crew: Crew | None = None


def employ(crew: Crew | None) -> None:
    """Have all work done by a crew, or again by the cores of this machine."""
    _Employed.crew = crew


def n_cores() -> int:
    """How many are for us; not every system can tell which of all these are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def threads(size: int | None = None) -> Iterator[Crew]:
    """As many as there are cores for us; the kernel lets them run at once."""
    size = size or n_cores()
    pool = ThreadPoolExecutor(size, "parfit")
    try:
        yield Crew(pool, size)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # what is under way notices that it is not wanted any more


def spread(
    work: Work[R],
    numbers: Iterable[int],
    hear: Callable[[int, R], None],
    tell: Callable[[float], None] = lambda part: None,
    crew: Crew | None = None,
) -> None:
    """Have pieces done; `hear` is called with each as it arrives, `tell` with the part that is done, both from here.

    An error of a piece, of `hear` or of `tell` ends it all, and so does Ctrl-C.
    """
    crew = crew or _Employed.crew
    if crew is None:
        with threads() as own:
            spread(work, numbers, hear, tell, own)
        return
    spreading = _Spreading(work, deque(numbers), _Tally(), crew)
    try:
        while spreading.goes_on:
            for number, found in spreading.next():
                hear(number, found)
            spreading.raise_failure()
            tell(spreading.part)
    finally:
        spreading.stop()


@dataclass
class _Tally:
    """What part of each piece is done, as far as this is known here; whether the rest is still wanted."""

    parts: dict[int, float] = field(default_factory=dict)
    is_over: threading.Event = field(default_factory=threading.Event)

    def __reduce__(self) -> tuple[type[_Tally], tuple[()]]:
        return _Tally, ()  # who works elsewhere tells nobody

    def tell(self, number: int, part: float) -> None:
        self.parts[number] = part
        if self.is_over.is_set():
            raise StoppedError


class _Spreading(Generic[R]):
    """Chunks that are to be done, and those that are under way."""

    def __init__(self, work: Work[R], left: deque[int], tally: _Tally, crew: Crew):
        self._work, self._left, self._tally, self._crew = work, left, tally, crew
        self._n, self._size = len(left), 1
        self._pending: set[Future[tuple[list[tuple[int, R]], float]]] = set()
        self._failure: BaseException | None = None

    @property
    def goes_on(self) -> bool:
        return bool(self._left or self._pending)

    @property
    def part(self) -> float:
        """Of all the work, what is done."""
        return sum(list(self._tally.parts.values())) / self._n if self._n else 1.0

    def next(self) -> list[tuple[int, R]]:
        """What has arrived, after a while."""
        while self._left and len(self._pending) < self._crew.size:
            numbers = [self._left.popleft() for _ in range(min(self._size, len(self._left)))]
            self._pending.add(self._crew.executor.submit(_chunk, self._work, numbers, self._tally))
        done, self._pending = wait(self._pending, LOOK_EVERY, FIRST_COMPLETED)
        found: list[tuple[int, R]] = []
        for each in done:
            self._failure = self._failure or each.exception()
            if each.exception() is not None:
                continue
            pieces, seconds = each.result()
            found += pieces
            self._tally.parts.update((number, 1.0) for number, _ in pieces)
            self._resize(seconds / len(pieces))
        return found

    def raise_failure(self) -> None:
        """Raise the error of a piece, once all that has arrived was heard of."""
        if self._failure is not None:
            raise self._failure

    def _resize(self, seconds: float) -> None:
        """Chunks of the right length, but none so long that some have nothing to do at the end."""
        fair = max(1, len(self._left) // (2 * self._crew.size))
        self._size = max(1, min(int(CHUNK / max(seconds, 1e-9)), 2 * self._size, fair))

    def stop(self) -> None:
        self._tally.is_over.set()
        for each in self._pending:
            each.cancel()


def _chunk(work: Work[R], numbers: list[int], tally: _Tally) -> tuple[list[tuple[int, R]], float]:
    """Pieces one after the other, and how long they took together."""
    begun = time.monotonic()
    found = []
    for number in numbers:
        tally.tell(number, 0.0)
        found.append((number, work(number, _Teller(tally, number))))
    return found, time.monotonic() - begun


@dataclass(frozen=True)
class _Teller:
    tally: _Tally
    number: int

    def __call__(self, part: float) -> None:
        self.tally.tell(self.number, part)
