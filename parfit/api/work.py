"""What all that takes time has in common: progress, Ctrl-C, settings by name, and a `Fit` at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Protocol, Self, TypeVar

from parfit import interrupts
from parfit.api.drawing import Drawing
from parfit.api.fit import Fit
from parfit.api.progress import Interrupted, Progress, Watching
from parfit.errors import ParfitError
from parfit.estimation.problem import Ending
from parfit.session.environment import Environment

Tell = Callable[[Progress], object]
T = TypeVar("T")


class Found(Protocol):
    """What every strategy gives."""

    @property
    def env(self) -> Environment: ...


R = TypeVar("R", bound=Found)


class Working(Drawing):
    """A problem at work."""

    def _watched(self, work: Callable[[Watching], R], progress: Tell | None) -> R:
        """Do the work; an interrupt says which point had been reached."""
        watching = Watching(self.environment, progress)
        try:
            with interrupts.remembered():
                result = work(watching)
        except KeyboardInterrupt:
            raise Interrupted(self._with(watching.best)) from None
        if _is_interrupted(result):
            raise Interrupted(self._with(result.env))
        return result

    def _fit(self, result: Any, method: str) -> Fit[Self]:
        return Fit(self._with(result.env), result.env, result, method)


def _is_interrupted(result: Any) -> bool:
    """Whether a strategy has kept what an interrupt left of it."""
    reached = getattr(result, "reached", None)
    return getattr(result, "is_interrupted", False) or getattr(reached, "ending", None) is Ending.INTERRUPTED


def changed(default: T, changes: dict[str, Any]) -> T:
    """Settings with some of them changed."""
    try:
        return replace(default, **changes)  # type: ignore[type-var]
    except TypeError:
        names = ", ".join(each.name for each in fields(default))  # type: ignore[arg-type]
        wrong = ", ".join(name for name in changes if name not in names)
        raise ParfitError(f"{wrong} is no setting; there are {names}") from None
