"""The problems of multiple shooting as they are minimized and shown, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parfit import plotting
from parfit.commands.fitting.integ import watching
from parfit.errors import Abandoned
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Problem, Result
from parfit.estimation.strategies.shooting_sequence import WEIGHTS
from parfit.live.bar import Parts
from parfit.live.fit import Progress, figure_of
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Array, Environment
from parfit.text import report

PLACES = {weight: k for k, weight in enumerate([*WEIGHTS, 0])}  # of the problems, in the sequence


class Ended(Exception):  # noqa: N818 (not an error)
    """The steps that were wanted have been made; `p` holds the parameters, and behind them values at break points."""

    def __init__(self, heading: str, p: Array):
        self.heading, self.p = heading, p
        super().__init__(heading)


class Minimizer:
    """Minimizes the problems, and shows each as it is done; what it wrote down goes to the details of the run.

    It raises `Ended` after as many steps in all as the limit says, or when somebody accepts what was reached.
    """

    def __init__(self, env: Environment, ask: Dialogue, limit: int | None):
        self._env, self._ask, self._limit = env, ask, limit
        self._parts = Parts("SHOOT")
        self.lines: list[str] = []
        self.n_steps = 0

    def __call__(
        self, problem: Problem, map_: ParameterMap, settings: Settings, weight: int, times: Sequence[float]
    ) -> Result:
        heading = "MINIMIZATION WITHOUT BREAK POINTS"
        if weight:
            at = " ".join(map(report.number, times))
            heading = f"MINIMIZATION WITH WEIGHT {weight} AND BREAK POINTS AT {at}"
        first = problem.evaluate(map_.project(map_.point))
        if not first.usable:
            return marquardt.minimize(problem, map_.point, settings, map_)
        self._ask.say(heading)
        self._parts.fraction = PLACES[weight] / len(PLACES)
        if self._limit is not None:
            settings = replace(settings, max_iterations=min(settings.max_iterations, self._limit - self.n_steps))
        with Progress(self._env, self._ask.console, first.sum_of_squares, parts=self._parts) as progress:
            result = marquardt.minimize(problem, map_.point, settings, map_, watching(self._env, problem, progress))
        self.n_steps += result.n_iterations
        if progress.is_accepted or self.n_steps == self._limit:
            self._end(heading, result, progress)
        self.lines += [heading, *progress.lines]
        if weight and not self._ask.console.is_live:
            self._draw(result)
        return result

    def _end(self, heading: str, result: Result, progress: Progress) -> None:
        if not self.n_steps:
            raise Abandoned("accepted before the first step was made; nothing was changed")
        if result.n_iterations:
            self.lines += [heading, *progress.kept]
        raise Ended(heading, result.p)

    def _draw(self, result: Result) -> None:
        """The solution with its gaps."""
        figure, console = figure_of(self._env, result.evaluation), self._ask.console
        if figure is not None:
            self._ask.say(plotting.draw(figure, *console.size, console.colour, console.unicode))
