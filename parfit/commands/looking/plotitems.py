"""What the items of PLOT ask for, and what is drawn then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parfit.commands.looking.plotquestions import (
    ACROSS,
    FIRST_MARK,
    GUESSED,
    OBSERVED,
    PARAMETERS,
    PERCENTILE,
    SECOND_MARK,
    SMOOTHED,
    STATES,
    UP,
)
from parfit.dataclass import dataclass
from parfit.errors import CommandError, NumericalError
from parfit.estimation.profiles.profile import Profile
from parfit.estimation.strategies.reliability import band as bands
from parfit.live.bar import working
from parfit.model.naming import experiment_of
from parfit.pictures import series
from parfit.pictures.bands import banded
from parfit.pictures.bootstrap import histograms
from parfit.pictures.marks import NOW, at_marks, compared, when
from parfit.pictures.phase import phase
from parfit.pictures.profile import along, risen
from parfit.pictures.residuals import against_computed, over_time, weighted
from parfit.pictures.rounds import successive_guesses, successive_integrations
from parfit.pictures.sensitivities import followed, sensitivities
from parfit.pictures.small import where_many
from parfit.pictures.vectors import vector_bars
from parfit.plotting import Picture, Series
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, Reader
from parfit.session.results import Mark
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import decompose
from parfit.text import pictures as text
from parfit.text import profile as profile_text
from parfit.text.diagnosis import bootstrap as boot_text


@dataclass(frozen=True, eq=False)
class Drawn:
    """What an item gives: series over time, which can be combined, or a picture with axes of its own."""

    series: Sequence[Series] = ()
    picture: Picture | None = None
    remarks: Sequence[str] = ()  # sentences below the picture
    is_stale: bool = False  # whether it shows an integration with other parameters than the present ones
    is_usual: bool = False  # whether variables of other sizes may have plots of their own


@dataclass(frozen=True, eq=False)
class Request:
    """The environment, the dialogue, and what was said among the items."""

    env: Environment
    ask: Dialogue
    marks: Sequence[Mark] = ()
    percentile: int | None = None  # of a confidence band
    basis: bands.Basis = bands.Basis.LINEAR  # of one
    measured: bool = False  # whether it is that of new observations
    named: Sequence[str] = ()  # variables
    profiled: Sequence[str] = ()  # what has a profile

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """Those that were named, or all."""
        self.env.require("profiles")
        return tuple(each for each in self.env.profiles if each.name in self.profiled or not self.profiled)

    @property
    def run(self) -> Trajectory:
        """The last integration."""
        self.env.require("integration")
        assert self.env.integration is not None
        return self.env.integration.trajectory

    def variables(self, few: bool = False) -> list[str]:
        """States and aux quantities to be chosen; by default the states and what else was observed.

        Where `few` are wanted, those of several experiments that were not observed are left out.
        """
        env = self.env
        if self.named:
            return list(self.named)
        observed = () if env.observations is None else env.observations.names
        states = () if few and any(experiment_of(name) for name in observed) else env.model.states
        default = (*states, *(name for name in observed if name not in states))
        return self.ask.names(STATES, env.variables, "state or aux quantity", default=env.sighted(default))

    def observed(self) -> list[str]:
        """Observed variables to be chosen, by default all."""
        self.env.require("observations")
        assert self.env.observations is not None
        return self._of(self.env.observations.names, OBSERVED, "observed")

    def _of(self, known: Sequence[str], question: Question, what: str) -> list[str]:
        """Variables of those that something is known about."""
        if self.named:
            names = [name for name in self.named if name in known] or list(self.named)
        else:
            default = self.env.sighted(known)
            names = self.ask.names(question, self.env.variables, f"{what} variable", default=default)
        for name in names:
            if name not in known:
                raise CommandError(f"{name} was not {what}; {what} are {', '.join(known)}")
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


def usual(request: Request) -> Drawn:
    """The observed variables, or those that were named, with the solution at the present parameters."""
    env = request.env
    seen = () if env.observations is None else env.observations.names
    names = request.named or env.sighted(seen or env.model.states)
    run = env.integrated or env.simulator()(env.values)
    shown = [*series.solution(env, run, names), *series.observed(env, names)]
    return Drawn(shown, remarks=text.stopped(run), is_usual=True)


def marks_to_compare(env: Environment) -> list[tuple[Question, Reader[Mark]]]:
    """What must be known for a comparison: two marks."""
    env.require("marks")
    marks = [*env.marks, env.marked(NOW)]
    find = questions.name([mark.name for mark in marks], "mark")

    def read(token: str) -> Answer[Mark]:
        name, text = find(token)
        return Answer(next(mark for mark in marks if mark.name == name), text)

    return [(FIRST_MARK, read), (SECOND_MARK, read)]


def _states(request: Request) -> Drawn:
    run = request.run
    return Drawn(series.solution(request.env, run, request.variables()))


def _observations(request: Request) -> Drawn:
    return Drawn([series.points(request.env, name) for name in request.observed()])


def _smoothed(request: Request) -> Drawn:
    return Drawn(series.smoothed(request.env, request.smoothed()))


def _guessed(request: Request) -> Drawn:
    return Drawn(series.guessed(request.env, request.guessed()))


def _phase(request: Request) -> Drawn:
    run = request.run
    return Drawn(picture=phase(request.env, run, *request.pair()))


def _rounds(request: Request) -> Drawn:
    request.env.require("iterates")
    return Drawn(successive_guesses(request.env))


def _integrations(request: Request) -> Drawn:
    request.env.require("iterates", "observations")
    return Drawn(successive_integrations(request.env))


def _residuals(picture: Callable[[Environment, Sequence[str]], Picture], request: Request) -> Drawn:
    env = request.env
    env.require("integration", "observations", "observation times")
    names = request.observed()
    if not names:
        raise CommandError("no variables were chosen to be plotted; RETURN in place of 0 takes all of them")
    found = {name: weighted(env, request.run, name)[2] for name in names}
    return Drawn(picture=picture(env, names), remarks=text.of_residuals(found))


def _residuals_over_time(request: Request) -> Drawn:
    return _residuals(lambda env, names: where_many(env, over_time(env, names)), request)


def _residuals_against_computed(request: Request) -> Drawn:
    return _residuals(against_computed, request)


def _band(request: Request) -> Drawn:
    env = request.env
    env.require("parameters", "observations", "observation times")
    names = request.variables(few=True)
    percentile = request.percentile or request.ask.whole(PERCENTILE, 1, 99, default=bands.DEFAULT_PERCENTILE)
    with working(request.ask.console, "PLOT BAND") as tell:
        found = bands.band(env, bands.Request(names, percentile, request.basis, request.measured), bands.How(tell))
    return Drawn(banded(env, found), remarks=text.of_band(found), is_usual=True)


def _sensitivities(request: Request) -> Drawn:
    env = request.env
    env.require("parameters")
    variables = request.variables()
    default = [env.parameters.names[k] for k in env.parameters.active]
    names = request.ask.names(PARAMETERS, env.model.parameters, "parameter", default=default)
    if not variables or not names:
        raise CommandError("no variables or no parameters were chosen; RETURN in place of 0 takes all of them")
    found = sensitivities(env, names)
    run = found.run
    told = [text.most_and_least(each, run.times, names, found.values, found.of(run, each)) for each in variables]
    return Drawn(picture=followed(env, found, variables), remarks=[*told, *text.stopped(found.run)])


def _marks(request: Request) -> Drawn:
    env, marks = request.env, request.marks
    names, runs = request.variables(), at_marks(env, marks)
    stopped = [each for mark, run in zip(marks, runs, strict=True) for each in text.stopped(run, when(mark))]
    table = text.of_marks(marks, runs, None if env.samples.uniform else env.observations, env.noise)
    return Drawn(compared(env, marks, runs, names), remarks=[*stopped, table])


def _vectors(request: Request) -> Drawn:
    env = request.env
    with np.errstate(all="ignore"):
        at = env.problem().evaluate(env.parameters.point)
    if not at.usable:
        raise NumericalError(f"there is no Jacobian at these parameters: {at.status}")
    return Drawn(picture=vector_bars(env.parameters, decompose(at.jac)))


def _profiles(request: Request) -> Drawn:
    found = request.profiles
    return Drawn(picture=risen(found), remarks=[profile_text.table(found), profile_text.basis(found[0].threshold)])


def _along(request: Request) -> Drawn:
    return Drawn(picture=along(request.profiles, request.env.parameters))


def _boot(request: Request) -> Drawn:
    request.env.require("bootstrap")
    found = request.env.bootstrap
    assert found is not None
    return Drawn(picture=histograms(found), remarks=[boot_text.table(found), boot_text.basis(found)])


SHOWN: dict[str, Callable[[Request], Drawn]] = {
    "STATES": _states,
    "OBSERVATIONS": _observations,
    "SMOOTHED": _smoothed,
    "GUESSED": _guessed,
    "PHASE": _phase,
    "ROUNDS": _rounds,
    "INTEGRATIONS": _integrations,
    "RESIDUALS": _residuals_over_time,
    "COMPUTED": _residuals_against_computed,
    "BAND": _band,
    "SENSITIVITIES": _sensitivities,
    "MARKS": _marks,
    "VECTORS": _vectors,
    "PROFILES": _profiles,
    "ALONG": _along,
    "BOOT": _boot,
}
