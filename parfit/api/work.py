"""What all that takes time has in common: progress, Ctrl-C, settings by name, and a `Fit` at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar

from parfit import interrupts
from parfit.api.drawing import Drawing
from parfit.api.fit import Fit
from parfit.api.progress import Interrupted, Progress, Watching
from parfit.arguments import FLAG, FUNCTION, NUMBERS, Kind, number, optional, whole, word
from parfit.errors import ParfitError
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.problem import Ending
from parfit.session.environment import Environment
from parfit.session.records import Continuation

Tell = Callable[[Progress], object]
TELL = optional(FUNCTION)
T = TypeVar("T")
ABOVE_0, NOT_NEGATIVE = number(0.0, above=True), number(0.0)
# What can be set by name, and what it may be.
SETTINGS: dict[type, dict[str, Kind]] = {
    bounded.Settings: {
        "tol": number(1e-15, 1.0, words="a number between 1e-15 and 1"),
        "max_evaluations": whole(1),
        "loss": word(bounded.LOSSES),
        "loss_scale": number(1.0 / bounded.LARGEST_SCALE, bounded.LARGEST_SCALE),
    },
    marquardt.Settings: {
        "lam": optional(number()),
        "rtol": NOT_NEGATIVE,
        "atol": optional(NOT_NEGATIVE),
        "scaled": FLAG,
        "max_iterations": whole(1),
        "max_errors": whole(0),
        "relative": ABOVE_0,
    },
    Continuation: {
        "alpha": NUMBERS,
        "weights": NUMBERS,
        "lam": optional(number()),
        "rtol": number(),
        "atol": optional(number()),
    },
}


class Found(Protocol):
    """What every strategy gives."""

    @property
    def env(self) -> Environment: ...


R = TypeVar("R", bound=Found)


class Working(Drawing):
    """A problem at work."""

    def _watched(self, work: Callable[[Watching], R], progress: Tell | None) -> R:
        """Do the work of a search; an interrupt says which point had been reached."""
        watching = Watching(self.environment, progress)
        return self._finished(lambda: work(watching), lambda: self._with(watching.best))

    def _finished(self, work: Callable[[], R], reached: Callable[[], Self] | None = None) -> R:
        """Do work; an interrupt says what is finished of it, or else where it stood: by default, where it began."""
        try:
            with interrupts.remembered():
                result = work()
        except KeyboardInterrupt:
            raise Interrupted(self if reached is None else reached()) from None
        if _is_interrupted(result):
            raise Interrupted(self._with(result.env))
        return result

    def _fit(self, result: Any, method: str) -> Fit[Self]:
        return Fit(self._with, result, method)


def _is_interrupted(result: Any) -> bool:
    """Whether a strategy has kept what an interrupt left of it."""
    reached = getattr(result, "reached", None)
    return getattr(result, "is_interrupted", False) or getattr(reached, "ending", None) is Ending.INTERRUPTED


def changed(default: T, changes: dict[str, Any]) -> T:
    """Settings with some of them changed."""
    if not changes:
        return default
    kinds = SETTINGS[type(default)]
    for name in changes:
        if name not in kinds:
            raise ParfitError(f"{name} is no setting; there are {', '.join(kinds)}")
    read = {name: kinds[name](name, value) for name, value in changes.items()}
    return replace(default, **read)  # type: ignore[type-var]
