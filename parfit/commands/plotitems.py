"""What the items of PLOT show: states, observations and curves over time, and one quantity against another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parfit import questions
from parfit.commands import pictures
from parfit.commands.pictures import fine_times, number
from parfit.commands.plotquestions import ACROSS, GUESSED, OBSERVED, SMOOTHED, STATES, UP
from parfit.commands.successive import successive_guesses, successive_integrations
from parfit.dialogue import Dialogue
from parfit.environment import Environment
from parfit.errors import CommandError, NumericalError
from parfit.estimation.direct import Direct
from parfit.estimation.problem import Evaluation
from parfit.plotting import Figure, Picture, Series
from parfit.results import Mark


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

    def variables(self) -> list[str]:
        """States and aux quantities to be chosen; by default the states and what else was observed."""
        env = self.env
        observed = () if env.observations is None else env.observations.names
        default = (*env.model.states, *(name for name in observed if name not in env.model.states))
        return self.ask.names(STATES, env.variables, "state or aux quantity", default=default)

    def observed(self) -> list[str]:
        """Observed variables to be chosen, by default all."""
        self.env.require("observations")
        assert self.env.observations is not None
        known = self.env.observations.names
        names = self.ask.names(OBSERVED, self.env.variables, "observed variable", default=known)
        _refuse_others(names, known, "was not observed; observed are")
        return names

    def evaluated(self, problem: Direct, wanted: str) -> Evaluation:
        """The problem at the present parameters; where it cannot be had, an error says what is wanted in vain."""
        with np.errstate(all="ignore"):
            found = problem.evaluate(self.env.parameters.start)
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
    env = request.env
    env.require("smoothing")
    assert env.smoothing is not None
    known = list(env.smoothing.curves)
    names = request.ask.names(SMOOTHED, env.variables, "smoothed variable", default=known)
    _refuse_others(names, known, "was not smoothed; smoothed are")
    return Drawn(pictures.smoothed(env, names))


def guessed(request: Request) -> Drawn:
    env = request.env
    env.require("guesses")
    names = request.ask.names(GUESSED, env.variables, "guessed state", default=list(env.guesses))
    _refuse_others(names, list(env.guesses), "was not guessed; guessed are")
    t = fine_times(env)
    curves = {name: env.guesses[name].curve(t) for name in names}
    return Drawn([Series(f"{name} guessed", t, y, "dotted", number(env, name)) for name, y in curves.items()])


def phase(request: Request) -> Drawn:
    env = request.env
    env.require("integration")
    assert env.integration is not None
    run = env.integration.trajectory
    names = (*env.variables, "t")
    reader = questions.name(names, "state or aux quantity")
    x = request.ask.one(ACROSS, reader, names[0])
    y = request.ask.one(UP, reader, names[1])
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
