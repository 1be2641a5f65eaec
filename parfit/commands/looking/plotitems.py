"""What the items of PLOT show: states, observations and curves over time, and one quantity against another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parfit.commands.looking import pictures
from parfit.commands.looking.pictures import fine_times, number
from parfit.commands.looking.plotquestions import ACROSS, GUESSED, OBSERVED, SMOOTHED, STATES, UP
from parfit.commands.looking.successive import successive_guesses, successive_integrations
from parfit.errors import CommandError, NumericalError
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.plotting import Figure, Picture, Series
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.session.results import Mark


@dataclass(frozen=True, eq=False)
class Drawn:
    """What an item gives: series over time, which can be combined, or a picture with axes of its own."""

    series: Sequence[Series] = ()
    picture: Picture | None = None
    remarks: Sequence[str] = ()  # sentences below the picture
    is_stale: bool = False  # whether it shows an integration with other parameters than the present ones


@dataclass(frozen=True, eq=False)
class Request:
    """The environment, the dialogue, and what was said among the items."""

    env: Environment
    ask: Dialogue
    marks: Sequence[Mark] = ()
    percentile: int | None = None  # of a confidence band
    named: Sequence[str] = ()  # variables

    def variables(self) -> list[str]:
        """States and aux quantities to be chosen; by default the states and what else was observed."""
        env = self.env
        if self.named:
            return list(self.named)
        observed = () if env.observations is None else env.observations.names
        default = (*env.model.states, *(name for name in observed if name not in env.model.states))
        return self.ask.names(STATES, env.variables, "state or aux quantity", default=default)

    def observed(self) -> list[str]:
        """Observed variables to be chosen, by default all."""
        self.env.require("observations")
        assert self.env.observations is not None
        known = self.env.observations.names
        return self._of(known, OBSERVED, "observed")

    def _of(self, known: Sequence[str], question: Question, what: str) -> list[str]:
        """Variables of those that something is known about."""
        if self.named:
            names = [name for name in self.named if name in known] or list(self.named)
        else:
            names = self.ask.names(question, self.env.variables, f"{what} variable", default=known)
        _refuse_others(names, known, f"was not {what}; {what} are")
        return names

    def smoothed(self) -> list[str]:
        """Smoothed variables to be chosen, by default all."""
        self.env.require("smoothing")
        assert self.env.smoothing is not None
        return self._of(list(self.env.smoothing.curves), SMOOTHED, "smoothed")

    def guessed(self) -> list[str]:
        """Guessed states to be chosen; where there is but one, nobody is asked, as in 1977."""
        self.env.require("guesses")
        known = list(self.env.guesses)
        if len(known) == 1 and not self._are_given(1):
            return known
        return self._of(known, GUESSED, "guessed")

    def pair(self) -> tuple[str, str]:
        """What is drawn across and up; where there are but two states, nobody is asked, as in 1977."""
        names = (*self.env.variables, "t")
        if len(self.named) == 2:
            return self.named[0], self.named[1]
        if len(self.env.variables) == 2 and not self._are_given(2):
            return names[0], names[1]
        reader = questions.name(names, "state or aux quantity")
        return self.ask.one(ACROSS, reader, names[0]), self.ask.one(UP, reader, names[1])

    def _are_given(self, n: int) -> bool:
        """Whether names follow all the same, and not the answer to the question whether the plot is to be kept."""
        reader = questions.name((*self.env.variables, "t"), "state or aux quantity")
        if n > 1 and self.ask.offers(reader, n):
            return True
        return self.ask.offers(reader) and not self.ask.offers(questions.yes_or_no)

    def evaluated(self, problem: TrajectoryFit, wanted: str) -> Evaluation:
        """The problem at the present parameters; where it cannot be had, an error says what is wanted in vain."""
        with np.errstate(all="ignore"):
            found = problem.evaluate(self.env.parameters.point)
        if not found.usable:
            raise NumericalError(f"there is no {wanted} at these parameters: {found.status}")
        return found


def states(request: Request) -> Drawn:
    env = request.env
    env.require("integration")
    assert env.integration is not None
    run = env.integration.trajectory
    names = request.variables()
    return Drawn([Series(name, run.times, run.column(name), "solid", number(env, name)) for name in names])


def observations(request: Request) -> Drawn:
    names = request.observed()
    found = {series.label: series for series in pictures.observed(request.env)}
    return Drawn([found[f"{name} observed"] for name in names])


def smoothed(request: Request) -> Drawn:
    return Drawn(pictures.smoothed(request.env, request.smoothed()))


def guessed(request: Request) -> Drawn:
    env = request.env
    names, t = request.guessed(), fine_times(env)
    curves = {name: env.guesses[name].curve(t) for name in names}
    return Drawn([Series(f"{name} guessed", t, y, "dotted", number(env, name)) for name, y in curves.items()])


def phase(request: Request) -> Drawn:
    env = request.env
    env.require("integration")
    assert env.integration is not None
    run = env.integration.trajectory
    x, y = request.pair()
    across, up = (run.times if name == "t" else run.column(name) for name in (x, y))
    series = Series(f"{y} against {x}", across, up, "solid", 0)
    return Drawn(picture=Figure((series,), x, y, env.model.name))


def rounds(request: Request) -> Drawn:
    request.env.require("iterates")
    return Drawn(successive_guesses(request.env))


def integrations(request: Request) -> Drawn:
    request.env.require("iterates", "observations")
    return Drawn(successive_integrations(request.env))


def _refuse_others(names: list[str], known: Sequence[str], problem: str) -> None:
    for name in names:
        if name not in known:
            raise CommandError(f"{name} {problem} {', '.join(known)}")
