"""Marked parameter values compared in one picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.commands.looking import pictures
from parfit.commands.looking.pictures import number
from parfit.commands.looking.plotitems import Drawn, Request
from parfit.commands.looking.plotquestions import FIRST_MARK, NOW, SECOND_MARK
from parfit.estimation.problems.trajectory_fit import sum_of_squares
from parfit.plotting import Series
from parfit.session import questions
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, Reader
from parfit.session.results import Mark
from parfit.simulation.simulator import Trajectory
from parfit.text import report

KINDS = ("solid", "dashed")


def asked_for(env: Environment) -> list[tuple[Question, Reader[Mark]]]:
    """What must be known for a comparison: two marks."""
    env.require("marks")
    marks = [*env.marks, env.marked(NOW)]
    find = questions.name([mark.name for mark in marks], "mark")

    def read(token: str) -> Answer[Mark]:
        name, text = find(token)
        return Answer(next(mark for mark in marks if mark.name == name), text)

    return [(FIRST_MARK, read), (SECOND_MARK, read)]


def comparison(request: Request) -> Drawn:
    """The curves at marked parameter values with the observations, and what the marks differ in."""
    env = request.env
    marks = request.marks
    names = request.variables()
    simulator = env.simulator()
    points = [mark.values_of(env.model.parameters, env.values) for mark in marks]
    runs = [simulator(point) for point in points]
    series = [
        Series(f"{name} {_when(mark)}", run.times, run.column(name), kind, number(env, name))
        for mark, run, kind in zip(marks, runs, KINDS, strict=True)
        for name in names
    ]
    ends = zip(marks, runs, strict=True)
    stopped = [f"The integration {_when(mark)} stopped: {run.status}." for mark, run in ends if not run.status]
    table = _table(env, marks, np.array(points), runs)
    return Drawn([*series, *pictures.observed(env, names)], remarks=[*stopped, table])


def _when(mark: Mark) -> str:
    return "now" if mark.name == NOW else f"at {mark.name}"


def _table(env: Environment, marks: Sequence[Mark], values: Array, runs: Sequence[Trajectory]) -> str:
    """The sums of squares, and the parameters that differ."""
    rows: list[tuple[str, list[float]]] = []
    if env.observations is not None and not env.samples.uniform:
        rows.append(("sum of squares", [sum_of_squares(run, env.observations) for run in runs]))
    for k, name in enumerate(env.model.parameters):
        if np.ptp(values[:, k]):
            rows.append((name, values[:, k].tolist()))
    if values.size and not np.ptp(values, axis=0).any():
        return "The parameters are the same."
    cells = [[report.number(row[j]) for _, row in rows] for j in range(len(marks))]
    return report.columns(["", *(mark.name for mark in marks)], [[label for label, _ in rows], *cells], left=[0])
