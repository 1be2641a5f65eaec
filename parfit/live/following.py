"""Somebody at a terminal who follows a strategy: each of its minimizations has a table, a picture and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from parfit.dataclass import dataclass
from parfit.estimation.problem import Evaluation, Trial
from parfit.estimation.strategies.watching import Follower, Part
from parfit.live.bar import Parts
from parfit.live.fit import Progress
from parfit.pictures.automatic import automatic
from parfit.plotting import Picture
from parfit.session.console import Console
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Step
from parfit.text import report
from parfit.text.details import heading


class Following:
    """The watch of one command; `figure` draws trials whose evaluations have no trajectory.

    With a label there is a bar for the whole work, beginning where the first part does. Where no picture moves,
    `after` draws what a part has led to.
    """

    def __init__(
        self,
        console: Console,
        label: str = "",
        figure: Callable[[Part, Trial], Picture | None] | None = None,
        after: Callable[[Part, Evaluation], Picture | None] = lambda part, reached: None,
        has_keys: bool = True,
    ):
        self._console, self._label, self._figure, self._after = console, label, figure, after
        self._has_keys = has_keys
        self._parts: Parts | None = None
        self._begin = 0.0  # of the whole work, when somebody began to wait for it

    @contextmanager
    def __call__(self, part: Part) -> Iterator[Follower]:
        title = heading(part.about)
        if title:
            self._console.say(title)
        figure = None if self._figure is None else partial(self._figure, part)
        parts = self._at(part.fraction)
        first = part.loss.total(part.first)
        progress = Progress(part.env, self._console, first, part.has_lambda, figure, parts, part.loss.measure)
        with progress if self._has_keys else _finished(progress):
            follower = _Trials(part.env, progress, part.first)
            yield follower
        picture = None if self._console.is_live else automatic(part.env, self._after(part, follower.reached))
        if picture is not None:
            self._console.show(picture)

    def _at(self, fraction: float | None) -> Parts | None:
        if fraction is None or not self._label:
            return None
        if self._parts is None:
            self._parts, self._begin = Parts(self._label), fraction
        self._parts.fraction = (fraction - self._begin) / (1.0 - self._begin)
        return self._parts


@contextmanager
def _finished(progress: Progress) -> Iterator[None]:
    """A minimization that no key can pause or end."""
    yield
    progress.finish()


@dataclass
class _Trials:
    """One minimization as it is shown."""

    env: Environment
    progress: Progress
    reached: Evaluation  # so far

    @property
    def is_accepted(self) -> bool:
        return self.progress.is_accepted

    def __call__(self, trial: Trial, steps: Sequence[Step] | None) -> None:
        if trial.accepted:
            self.reached = trial.evaluation
        self.progress(trial, () if steps is None else report.steps(self.env.model, steps))
