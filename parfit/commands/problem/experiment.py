"""EXPERIMENT: what was done in each experiment, and which of them are fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parfit.commands.table import command
from parfit.data.stacking import columns_of_experiment
from parfit.errors import CommandError, StateError
from parfit.estimation.diagnosis.by_experiment import by_experiment
from parfit.model.conditions.design import Design
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question
from parfit.text import experiment as text

NAME = Question("experiment", "EXPERIMENT", "Enter the name of an experiment.", names="experiments")
SWITCH = Question(
    "on or off",
    "ON OR OFF",
    "OFF leaves the experiment out of fits: its observations weigh nothing. ON takes it in again.",
    (Item(1, "ON", "ON"), Item(2, "OFF", "OFF")),
)


@command("EXPERIMENT", "problem", (NAME, SWITCH), ("EXPERIMENT", "EXPERIMENT low OFF"), ("observations",))
def experiment(env: Environment, ask: Dialogue) -> Environment:
    """Show the experiments: what was set and given, what was observed, and how well each is fitted.

    The name of one and OFF leaves it out of fits, ON takes it in again.
    """
    new = env
    if ask.more:
        names = _design(env).names
        name = ask.one(NAME, questions.name(names, "experiment"))
        new = _switched(env, name, ask.choice(SWITCH).word == "OFF")
    ask.refuse_rest()
    assert new.observations is not None
    run = new.integrated if new.integrated is not None and not new.samples.uniform else None
    if run is None:
        new.require("observation times")
        run = new.simulator()(new.values)
    ask.say(text.table(by_experiment(run, new.observations)))
    return new


def _design(env: Environment) -> Design:
    design = env.design
    if design is None or len(design.conditions) < 2:
        raise StateError(
            "there is one experiment only", "a column `experiment` in the data, or LOAD ADD, makes several"
        )
    return design


def _switched(env: Environment, name: str, is_off: bool) -> Environment:
    """One experiment left out, or taken in again with the weights that it had."""
    data, design = env.observations, _design(env)
    assert data is not None
    if is_off == (name in design.off):
        raise CommandError(f"{name} is {'off' if is_off else 'on'} already")
    if is_off and len(design.off) + 1 == len(design.names):
        raise CommandError("at least one experiment must stay on")
    own = np.zeros(data.values.shape, dtype=bool)
    own[:, columns_of_experiment(data, name)] = True
    own &= data.observed
    off, weights = dict(design.off), data.weights.copy()
    if is_off:
        off[name] = tuple(weights[own].tolist())
        weights[own] = 0.0
    else:
        weights[own] = off.pop(name)
    return env.with_weights(weights, replace(design, off=off))
