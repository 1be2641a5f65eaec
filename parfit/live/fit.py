"""What is seen of an optimization while it runs: lines in files; at a terminal a picture that moves, and keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType

from parfit import interrupts, plotting
from parfit.errors import Abandoned
from parfit.estimation.loss import SUM_OF_SQUARES
from parfit.estimation.problem import Evaluation, Trial
from parfit.live.bar import Parts
from parfit.live.layout import arranged
from parfit.live.steering import Steering
from parfit.pictures.automatic import automatic
from parfit.pictures.solution import fitted
from parfit.plotting import Picture
from parfit.session.console import Console
from parfit.session.environment import Environment
from parfit.text import report
from parfit.text.details import trial_text

WORDS_BELOW = (
    8  # lines with the sum of squares, headings, the verdict, the prompt and the status, below the last picture
)
LOW_SCREEN = 16  # lines that the last picture may have on any screen
WIDTHS = (9, 14, 11, 9)
SHOWN_EVERY = 0.1  # seconds between pictures


class Progress:
    """Shows the trials of an optimization.

    As a context it also obeys keys: p waits, s makes a step, q raises `Abandoned`, and a raises `Accepted`, in which
    an optimizer sees a Ctrl-C. `figure` draws a trial, of a problem whose evaluations have no trajectory; `parts` are
    the whole work of which this is a part.
    """

    def __init__(
        self,
        env: Environment,
        console: Console,
        first: float,
        has_lambda: bool = True,
        figure: Callable[[Trial], Picture | None] | None = None,
        parts: Parts | None = None,
        measure: str = SUM_OF_SQUARES,
    ):
        self._env, self._console, self._parts = env, console, parts
        self._figure = figure or (lambda trial: figure_of(env, trial.evaluation))
        self._before = first
        self._n_columns = len(WIDTHS) if has_lambda else len(WIDTHS) - 1
        self._is_live = console.is_live and not console.quiet
        self._screen, self._rows = console.screen, 0  # its size, and the lines of the picture on it
        self._measure = measure
        self._table = [self._line("iteration", measure, "reduction", "lambda")]
        self._latest: Trial | None = None
        self._steering: Steering | None = None
        console.say(f"INITIAL {measure.upper()} IS {report.number(first)}")
        # Where nobody could ask for the trials with REPORT 8, they are told as they come.
        self._tells_trials = not console.is_terminal and (env.options.output > 0 or env.options.of_1977)
        self._tell(self._table[0])
        self._shown_at = time.monotonic()

    # ---- keys

    def __enter__(self) -> Progress:
        self._keys = ExitStack()
        if self._is_live and self._console.listen is not None:
            self._steering = Steering(self._keys.enter_context(self._console.listen()), self._show)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._keys.close()
        if kind is None or issubclass(kind, Abandoned):
            self.finish()

    @property
    def is_accepted(self) -> bool:
        """Whether somebody wanted no more than what was reached."""
        return self._steering is not None and self._steering.is_accepted

    # ---- what is shown

    def __call__(self, trial: Trial, more: Sequence[str] = ()) -> None:
        """Take notice of a trial, of which there may be more to be written down."""
        if self._tells_trials:
            at = trial.evaluation
            said = trial_text(trial.p, trial.lam, trial.part, trial.total, at.status, self._measure, trial.looseness)
            self._console.say("\n".join([said, *more]))
        if trial.accepted:
            self._take(trial)
        if self._steering is not None:
            self._steering.heed(trial.accepted)
        interrupts.check()
        if trial.accepted and self._is_live and time.monotonic() - self._shown_at > SHOWN_EVERY:
            self._show()

    def finish(self) -> None:
        """Leave the picture of the last point on the screen."""
        if self._is_live and (self._latest is not None or self._rows):
            self._show(is_last=True)
            figure = self._drawn()
            if figure is not None:
                self._console.typed(plotting.draw(figure, unicode=self._console.unicode))

    def _take(self, trial: Trial) -> None:
        total = trial.total
        reduction = f"{self._before - total:.4g}"
        line = self._line(str(trial.iteration), report.number(total), reduction, f"{trial.lam:.3g}")
        self._before, self._latest = total, trial
        self._table.append(line)
        self._tell(line)

    def _tell(self, line: str) -> None:
        """A line of the table; where a picture moves it has its place there, but the echo has it line by line."""
        (self._console.typed if self._console.is_live else self._console.say)(line)

    def _line(self, *cells: str) -> str:
        return "  ".join(
            f"{cell:>{width}}" for cell, width in list(zip(cells, WIDTHS, strict=True))[: self._n_columns]
        )

    def _show(self, is_last: bool = False) -> None:
        screen, console = self._console.screen, self._console
        figure = self._drawn()
        style = {"colour": console.colour, "unicode": console.unicode, "legend_within": True}
        picture = None if figure is None else partial(plotting.draw, figure, **style)
        lines = self._lines_at_the_end() if is_last else screen[1]
        text = arranged(self._table, picture, [] if is_last else self._foot(screen[0] - 1), screen[0], lines)
        self._rows = console.redraw(text, self._rows, afresh=screen != self._screen)
        self._screen, self._shown_at = screen, time.monotonic()

    def _lines_at_the_end(self) -> int:
        """So many that the table of the parameters fits on the same screen, if the picture does not get too low."""
        lines = self._console.screen[1]
        return min(max(lines - len(self._env.model.parameters) - WORDS_BELOW, LOW_SCREEN), lines)

    def _drawn(self) -> Picture | None:
        """The picture of the last point, as OPTION SHOW wants it."""
        return None if self._latest is None else automatic(self._env, self._figure(self._latest))

    def _foot(self, width: int) -> list[str]:
        """How far the whole work has come, and what the keys do."""
        bar = None if self._parts is None else self._parts.bar
        lines = [] if bar is None else [bar.text(width, self._console.unicode)]
        return lines if self._steering is None else [*lines, self._steering.text]


def figure_of(env: Environment, evaluation: Evaluation) -> Picture | None:
    """The observations and the solution at a point."""
    return fitted(env, evaluation.trajectory, f"sum of squares {report.number(evaluation.sum_of_squares)}")
