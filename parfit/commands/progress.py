"""What is seen of an optimization while it runs: plain lines in files, one picture that moves at a terminal."""

from __future__ import annotations

import time

import numpy as np

from parfit import plotting, report
from parfit.console import Console
from parfit.environment import Environment
from parfit.estimation.problem import Evaluation, Trial
from parfit.plotting import Figure, Series

HEADINGS = ("iteration", "sum of squares", "reduction", "lambda")
WIDTHS = (9, 14, 11, 9)
PLOT_SIZE = 60, 12
SHOWN_EVERY = 0.1  # seconds between pictures
ROWS_SHOWN = 5  # of the table, above the picture


class Progress:
    """Follows the trials of an optimization; what it wrote down goes to the details of the run."""

    def __init__(self, env: Environment, console: Console, first: float, has_lambda: bool = True):
        self._env, self._console = env, console
        self._before = first
        self._n_columns = len(WIDTHS) if has_lambda else len(WIDTHS) - 1
        self._shown_at = 0.0
        self._rows = 0  # lines of the picture on the screen
        self._table: list[str] = []
        self._latest: Trial | None = None
        self.lines: list[str] = [f"INITIAL SUM OF SQUARES IS {report.number(first)}"]
        console.say(self.lines[0])
        if not console.is_live:
            console.say(self._line(*HEADINGS))

    def __call__(self, trial: Trial) -> None:
        self.lines.append(_detail(trial))
        if not trial.accepted:
            return
        line = self._row(trial)
        self._before, self._latest = trial.evaluation.total, trial
        self._table = [*self._table, line][-ROWS_SHOWN:]
        if not self._console.is_live:
            self._console.say(line)
        elif time.monotonic() - self._shown_at > SHOWN_EVERY:
            self._show(trial)

    def finish(self) -> None:
        """Leave the picture of the last point on the screen."""
        if self._latest is not None and self._console.is_live:
            self._show(self._latest)

    def _row(self, trial: Trial) -> str:
        total = trial.evaluation.total
        reduction = f"{self._before - total:.4g}"
        return self._line(str(trial.iteration), report.number(total), reduction, f"{trial.lam:.3g}")

    def _line(self, *cells: str) -> str:
        return "  ".join(
            f"{cell:>{width}}" for cell, width in list(zip(cells, WIDTHS, strict=True))[: self._n_columns]
        )

    def _show(self, trial: Trial) -> None:
        text = "\n".join([self._line(*HEADINGS), *self._table])
        figure = figure_of(self._env, trial.evaluation)
        if figure is not None:
            text += "\n" + plotting.draw(figure, *PLOT_SIZE, self._console.colour, self._console.unicode)
        self._rows = self._console.redraw(text, self._rows)
        self._shown_at = time.monotonic()


def figure_of(env: Environment, evaluation: Evaluation) -> Figure | None:
    """The observations and the solution at a point."""
    run, data = evaluation.trajectory, env.observations
    if run is None or data is None:
        return None
    series = [Series(name, run.times, run.column(name), "solid", env.variables.index(name)) for name in data.names]
    series += [
        Series(f"{name} observed", data.times, data.values[:, j], "points", env.variables.index(name))
        for j, name in enumerate(data.names)
    ]
    return Figure(tuple(series), title=f"sum of squares {report.number(evaluation.total)}")


def _detail(trial: Trial) -> str:
    """A trial as the listing writes it to -SC1."""
    total = trial.evaluation.total
    outcome = f"SUM OF SQUARES {report.number(total)}" if np.isfinite(total) else str(trial.evaluation.status)
    parameters = " ".join(report.number(value) for value in trial.p)
    part = "" if trial.part == 1.0 else f", PART {report.number(trial.part)} OF THE STEP"
    lam = f"LAMBDA {report.number(trial.lam)}{part}, " if trial.lam else ""
    return f"TRIAL {lam}PARAMETERS {parameters}: {outcome}"
