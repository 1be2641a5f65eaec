"""WEIGHT: how much each observation counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.commands.problem.storing import found, store
from parfit.commands.table import command
from parfit.data.leaving import all_on, off_names, switched_off
from parfit.data.loading import read_data
from parfit.data.observations import Observations, relative_weights, weights_by_size, weights_from
from parfit.data.tabulating import csv_text
from parfit.errors import CommandError, DataError
from parfit.model.naming import base_of, family, places_of
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.paths import full
from parfit.session.questions import YES_NO, Answer, Item, Question
from parfit.text import report, report_items

OPTION = Question(
    "option or variable",
    "INDICATE OPTION",
    "1: every observation counts alike. 2: enter weights one by one. 3: weights 1/sd from the standard deviations of "
    "the data. 4: weights from a file like the one that option 2 writes. 5: weights 1/y, for errors in proportion to "
    "what is measured. 6: each variable weighted by how much it varies, so that all of them count. The name of a "
    "variable and a number weights all its observations alike.",
    (
        Item(1, "SET ALL WEIGHTS TO 1", "ONE"),
        Item(2, "INDIVIDUAL ENTRY OF WEIGHTS", "INDIVIDUAL"),
        Item(3, "FROM THE STANDARD DEVIATIONS OF THE DATA", "SD"),
        Item(4, "FROM A FILE OF WEIGHTS", "FILE"),
        Item(5, "RELATIVE TO THE OBSERVATIONS", "RELATIVE"),
        Item(6, "BY HOW MUCH EACH VARIABLE VARIES", "AUTO"),
    ),
    names="variables",
)
STATES = Question(
    "variables",
    "ENTER LIST OF STATE VARIABLES WHOSE OBSERVATIONS ARE TO BE WEIGHTED. 0 TO END",
    "Enter names of observed variables, or their subscripts among the state variables; 0 or RETURN ends.",
    names="variables",
)
SEQUENCE = Question(
    "subscripts and weights",
    "ENTER SEQUENCE OF OBSERVATION TIME SUBSCRIPTS AND NEW WEIGHTS FOR THE STATE VARIABLE\n"
    "ENTER A ZERO SUBSCRIPT TO END INPUT",
    "Enter the subscript of an observation time (ALL for every one) and the weight, then the next; 0 or RETURN ends. "
    "A weight multiplies the residual; 0 leaves the observation out.",
    words=("ALL",),
)
WEIGHT = Question("weight", "NEW WEIGHT", "Enter a number, 0 or more.")
STORE = Question(
    "weights stored",
    "DO YOU WANT THE WEIGHTS STORED IN THE FILE -WEIGHT? Y,N",
    "Y writes them to the file weights.csv of this run, which WEIGHT 4 can read.",
    words=YES_NO,
)
FILE = Question(
    "file",
    "ENTER NAME OF THE FILE OF WEIGHTS",
    "Enter the name of a CSV file: time, then columns of weights.",
    names="files",
)


@command(
    "WEIGHT",
    "settings",
    (OPTION, STATES, SEQUENCE, WEIGHT, STORE, FILE),
    ("WEIGHT 1", "WEIGHT 2 y1 0 3 .5 4 .5", "WEIGHT y1 1000", "WEIGHT SD", "WEIGHT AUTO", "WEIGHT FILE weights.csv"),
    ("observations",),
)
def weight(env: Environment, ask: Dialogue) -> Environment:
    """Weight the observations; a weight multiplies the residual of its observation.

    To weight by the reliability of measurements use the reciprocal of the standard deviation, as WEIGHT SD does.
    WEIGHT RELATIVE weights by 1/y; observations below 1 % of the largest of their variable weigh like that 1 %.
    WEIGHT AUTO and RELATIVE look at a variable in all experiments together, for it was measured alike in all of them.
    What EXPERIMENT has left out stays out, and has its weights when it is taken in again.
    """
    assert env.observations is not None
    had_curves, off = env.smoothing is not None, off_names(env.observations)
    env = env.with_weights(*all_on(env.observations))  # what is off keeps the weights that it had, and gets others
    data = env.observations
    assert data is not None
    chosen = ask.one(OPTION, _option_or_name(data.names))
    if isinstance(chosen, str):
        weights = _by_name(data, chosen, ask)
    elif chosen.word == "ONE":
        weights = np.ones_like(data.weights)
    elif chosen.word == "SD":
        env.require("standard deviations")
        assert data.sds is not None
        weights = weights_from(data.sds)
    elif chosen.word == "FILE":
        weights = _from_file(env, ask)
    elif chosen.word == "RELATIVE":
        weights = relative_weights(data)
    elif chosen.word == "AUTO":
        weights = weights_by_size(data)
    else:
        weights = _entered(env, ask)
    changed = env.with_weights(*switched_off(data, weights, off))
    if had_curves:
        ask.warn("the smoothed curves were made with other weights and are gone; SMOOTH makes new ones")
    if isinstance(chosen, Item) and chosen.word == "INDIVIDUAL" and ask.yes(STORE, default=False):
        assert changed.observations is not None
        store(ask, "weights", to_csv(changed.observations), "WEIGHT FILE weights.csv")
    ask.say(report_items.weights(changed))
    return changed


def _option_or_name(names: Sequence[str]) -> questions.Reader[Item | str]:
    """Reads an item of the menu or the name of a variable, which wins over the beginning of an item's word."""
    find = questions.item(OPTION.menu)
    words = [item.word.lower() for item in OPTION.menu]

    def read(token: str) -> Answer[Item | str]:
        named = family(token, names)
        if named and token.lower() not in words:
            name = named[0] if len(named) == 1 else base_of(named[0])
            return Answer[Item | str](name, questions.quoted(name))
        return Answer[Item | str](*find(token))

    return read


def _by_name(data: Observations, name: str, ask: Dialogue) -> Array:
    """One weight for all observations of a variable, and for those of others that follow on the line."""
    weights = data.weights.copy()
    reader = questions.name(data.names, "observed variable", families=True)
    while True:
        weight = ask.one(WEIGHT, _weight)
        for column in places_of(name, data.names):
            weights[data.observed[:, column], column] = weight
        if not ask.more:
            return weights
        name = ask.one(STATES, reader)


def _entered(env: Environment, ask: Dialogue) -> Array:
    assert env.observations is not None
    data = env.observations
    weights = data.weights.copy()
    for name in ask.names(STATES, _subscripted(env), "observed variable", default=data.names):
        if name not in data.names:
            raise CommandError(f"{name} was not observed; observed are {', '.join(data.names)}")
        ask.say(f"STATE VARIABLE {name}")
        column = data.names.index(name)
        for rows, value in ask.many(SEQUENCE, _rows(data, column), lambda rows: [(WEIGHT, _weight)]):
            weights[rows, column] = value
    return weights


def _subscripted(env: Environment) -> list[str]:
    """The names that can be entered: subscripts are those of the states."""
    assert env.observations is not None
    return [*env.model.states, *(name for name in env.observations.names if name not in env.model.states)]


_weight = questions.number(lambda value: None if value >= 0 else "is negative; a weight is 0 or more")


def _rows(data: Observations, column: int) -> questions.Reader[list[int]]:
    """The rows of an observation time's subscript; replicates share it."""
    times = np.unique(data.times)
    subscript = questions.whole(1, times.size)

    def read(token: str) -> Answer[list[int]]:
        if token.lower() == "all":
            return Answer(np.flatnonzero(data.observed[:, column]).tolist(), "ALL")
        k, text = subscript(token)
        rows = np.flatnonzero((data.times == times[k - 1]) & data.observed[:, column]).tolist()
        if not rows:
            raise CommandError(f"{data.names[column]} was not observed at time {k}, t = {report.number(times[k - 1])}")
        return Answer(rows, text)

    return read


def _from_file(env: Environment, ask: Dialogue) -> Array:
    """Weights by time and name; what the file leaves open keeps its weight."""
    assert env.observations is not None
    data = env.observations
    name = ask.path(FILE)
    path = found(ask.run, name)
    given = read_data(path, env.model, ask.run.read)
    if path == name:  # a script stores the weights of its own run again, and finds them by their name
        ask.replace_path(name, full(path))
    if not set(given.names) <= set(data.names) or not np.array_equal(given.times, data.times):
        raise DataError("holds other times or variables than the observations; its rows must be theirs", path)
    if (given.values[given.observed] < 0).any():
        raise DataError("a weight is negative; a weight is 0 or more", path)
    weights = data.weights.copy()
    for j, name in enumerate(given.names):
        column = data.names.index(name)
        weights[:, column] = np.where(given.observed[:, j], given.values[:, j], weights[:, column])
    return weights


def to_csv(data: Observations) -> str:
    """Weights as a CSV file, which has the form of the data if they are of several experiments."""
    if data.design is not None:
        values, ones = np.where(data.observed, data.weights, np.nan), np.where(data.observed, 1.0, 0.0)
        return csv_text(replace(data, values=values, weights=ones, sds=None))
    rows = zip(data.times, data.weights, data.observed, strict=True)
    lines = [",".join(["t", *data.names])]
    for t, weights, seen in rows:
        cells = [questions.plain(float(w)) if s else "" for w, s in zip(weights, seen, strict=True)]
        lines.append(",".join([questions.plain(float(t)), *cells]))
    return "\n".join(lines) + "\n"
