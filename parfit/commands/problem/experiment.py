"""EXPERIMENT: what was done in each experiment, which of them are fitted, and which is in sight."""

from __future__ import annotations

from dataclasses import replace

from parfit.commands.table import command
from parfit.data.leaving import all_on, off_names, switched_off
from parfit.errors import CommandError, StateError
from parfit.estimation.diagnosis.by_experiment import by_experiment
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question
from parfit.text import experiment as text

ALL, NAMED = "ALL", "experiment"
NAME = Question(
    NAMED,
    "EXPERIMENT",
    "Enter the name of an experiment; ALL has all of them in sight again.",
    names="experiments",
    words=(ALL,),
)
SWITCH = Question(
    "on or off",
    "ON OR OFF",
    "OFF leaves the experiment out of fits: its observations weigh nothing. ON takes it in again.",
    (Item(1, "ON", "ON"), Item(2, "OFF", "OFF")),
)


@command(
    "EXPERIMENT",
    "problem",
    (NAME, SWITCH),
    ("EXPERIMENT", "EXPERIMENT low", "EXPERIMENT ALL", "EXPERIMENT low OFF"),
    ("observations",),
)
def experiment(env: Environment, ask: Dialogue) -> Environment:
    """Show the experiments: what was set and given, what was observed, and how well each is fitted.

    A name puts that experiment in sight: pictures show it alone, and CREOBS, RESMOOTH and NUDGE are about it; what is
    fitted stays as it is. ALL puts all of them in sight again. A name and OFF leave an experiment out of fits, ON
    takes it in again.
    """
    new = env
    if ask.more:
        names = _names(env)
        name = ask.one(NAME, _name_or_all(names))
        if ask.more and name:
            new = _switched(env, name, ask.choice(SWITCH).word == "OFF")
        else:
            new = env.with_display(replace(env.display, experiment=name))
    ask.refuse_rest()
    if env.smoothing is not None and new.smoothing is None:
        ask.warn("the smoothed curves were made with other weights and are gone; SMOOTH makes new ones")
    assert new.observations is not None
    run = new.integrated if new.integrated is not None and not new.samples.uniform else None
    if run is None:
        new.require("observation times")
        run = new.simulator()(new.values)
    found = by_experiment(run, new.observations, new.noise_residuals())
    ask.say("\n".join([text.table(found, new.model, new.design), *text.sight(new.in_sight)]))
    return new


def _names(env: Environment) -> tuple[str, ...]:
    design = env.design
    if design is None or len(design.conditions) < 2:
        raise StateError(
            "there is one experiment only", "a column `experiment` in the data, or LOAD ADD, makes several"
        )
    return design.names


def _name_or_all(names: tuple[str, ...]) -> questions.Reader[str]:
    """The name of an experiment; nothing for all of them, unless one is called so."""
    find = questions.name(names, NAMED)

    def read(token: str) -> Answer[str]:
        if token.upper() == ALL and ALL not in map(str.upper, names):
            return Answer("", ALL)
        return find(token)

    return read


def _switched(env: Environment, name: str, is_off: bool) -> Environment:
    """One experiment left out, or taken in again with the weights that it had."""
    data = env.observations
    assert data is not None
    off = list(off_names(data))
    if is_off == (name in off):
        raise CommandError(f"{name} is {'off' if is_off else 'on'} already")
    if is_off and len(off) + 1 == len(_names(env)):
        raise CommandError("at least one experiment must stay on")
    weights, _ = all_on(data)
    now = [*off, name] if is_off else [each for each in off if each != name]
    return env.with_weights(*switched_off(data, weights, now))
