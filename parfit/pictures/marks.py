"""Marked parameter values compared in one picture."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.pictures.series import observed, solution
from parfit.plotting import Series
from parfit.session.environment import Environment
from parfit.session.results import Mark
from parfit.simulation.trajectory import Trajectory

NOW = "NOW"  # the name of the mark that stands for the present parameters
KINDS = ("solid", "dashed")


def at_marks(env: Environment, marks: Sequence[Mark]) -> list[Trajectory]:
    """The solutions at the parameters of marks."""
    simulator = env.simulator()
    return [simulator(mark.values_of(env.model.parameters, env.values)) for mark in marks]


def compared(
    env: Environment, marks: Sequence[Mark], runs: Sequence[Trajectory], names: Sequence[str]
) -> list[Series]:
    """The solutions at two marks, with the observations."""
    lines = [
        line
        for mark, run, kind in zip(marks, runs, KINDS, strict=True)
        for line in solution(env, run, names, when(mark), kind)
    ]
    return [*lines, *observed(env, names)]


def when(mark: Mark) -> str:
    return "now" if mark.name == NOW else f"at {mark.name}"
