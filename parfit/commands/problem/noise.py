"""NOISE: how the errors of the observations are distributed, where nobody knows their size."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import partial

import numpy as np

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.noise import ESTIMATED, Form, Noise, VariableNoise, read_noise
from parfit.model.naming import base_of, experiment_of, family, labelled
from parfit.session import questions
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import noise as text

ALL, NONE = "ALL", "NONE"
VARIABLE = Question(
    "variable",
    "WHICH OBSERVED VARIABLE",
    "Enter the name of an observed variable, or ALL; 0 gives all of them back to their weights.",
    names="variables",
    words=(ALL,),
)
MODEL = Question(
    "noise",
    "WHAT ARE ITS ERRORS",
    "ADDITIVE: all have one unknown standard deviation. RELATIVE: it is an unknown part of the computed value. "
    "LOGNORMAL: that of the logarithm is unknown. PROPORTIONAL and an expression, such as 1+b*c: it is an unknown "
    "multiple of that. NONE: the weights, as they are. A name behind the first three is that of a standard deviation "
    "that several variables share.",
    words=(*(each.name for each in Form if each is not Form.GIVEN), NONE),
)


@command(
    "NOISE",
    "problem",
    (VARIABLE, MODEL),
    (
        "NOISE y1 ADDITIVE",
        "NOISE ALL RELATIVE",
        "NOISE y1 LOGNORMAL",
        "NOISE y1 PROPORTIONAL 1+y1",
        "NOISE 0",
        "NOISE",
    ),
    ("observations",),
)
def noise(env: Environment, ask: Dialogue) -> Environment:
    """Say what is known of the errors of the observations; unknown standard deviations are estimated with the fit.

    ADDITIVE, RELATIVE and LOGNORMAL errors have an unknown standard deviation for each variable, or for those that
    share its name (NOISE y1 ADDITIVE s, NOISE y2 ADDITIVE s). It is solved for in every step of a fit, never searched
    for. Of several experiments a variable has one in all of them, unless it is named with its experiment and a name
    for its standard deviation (NOISE c[low] ADDITIVE s). After PROPORTIONAL stands what it is an unknown multiple of,
    an expression that may have parameters of its own: NOISE y1 PROPORTIONAL 1+b*y1. It becomes the aux quantity sd_y1
    of the model. Standard deviations that are
    known stand in the data, in a column y1.sd.
    The sum of squares of FIT, PROFILE and STATS is then that of the likelihood: the smaller it is, the likelier are
    the data; with one variable and ADDITIVE errors it is what it was. Weights count within a variable. NOISE alone
    shows what is set; NOISE 0 takes it all back.
    """
    assert env.observations is not None
    observed = env.observations.names
    if not ask.is_one_line and not ask.more:
        ask.say(text.settings(env.noise, observed))
        return env
    which = ask.one(VARIABLE, partial(_variable, observed))
    if which is None:
        ask.refuse_rest()
        new = env.with_noise(Noise())
    else:
        said = ask.one(MODEL, _said, None, REST)
        new = env
        for name in which:  # first, for what they share must be of one form
            new = new.with_noise(new.noise.with_model(name, None))
        for name in which:
            new = _with(new, name, said, ask)
    ask.say(text.settings(new.noise, observed))
    return new


def _variable(observed: tuple[str, ...], token: str) -> Answer[tuple[str, ...] | None]:
    """One observed variable, or all of them; None gives them back to their weights."""
    if token == "0":
        return Answer(None, token)
    if token.upper() == ALL:
        return Answer(observed, ALL)
    found = questions.name(observed, "observed variable", families=True)(token)
    return Answer(tuple(family(found.value, observed)), found.text)


def _said(token: str) -> Answer[str]:
    if not token.strip():
        raise CommandError("say what the errors are: ADDITIVE, RELATIVE, LOGNORMAL, PROPORTIONAL or NONE")
    first, *rest = token.split(maxsplit=1)
    meant = [word for word in MODEL.words if word.startswith(first.upper())]
    said = " ".join([meant[0], *rest]) if len(meant) == 1 else token  # the beginning of a word stands for it
    return Answer(said, said)


def _with(env: Environment, name: str, said: str, ask: Dialogue) -> Environment:
    """The environment with the noise of one variable as it was said."""
    first, *rest = said.split()
    word = first.upper()
    if word == NONE and not rest:
        return env.with_noise(env.noise.with_model(name, None))
    if word == Form.PROPORTIONAL.name:
        return _proportional(env, name, " ".join(rest), ask)
    if word not in ESTIMATED:
        raise CommandError(f"{first!r} is no form of errors", _advice(name, said))
    model = read_noise(said)
    if experiment_of(name) and not model.group:  # it was measured alike in all experiments
        model = replace(model, group=base_of(name))
    if model.form is Form.LOGNORMAL:
        _refuse_logarithms(env, name)
    new = env.with_noise(env.noise.with_model(name, model))
    if len({each.form for each in new.noise.models.values() if model.group and each.group == model.group}) > 1:
        raise CommandError(f"{model.group} is shared by errors of another form")
    return new


def _advice(name: str, said: str) -> str:
    """What may have been meant: a word that is spelled nearly so, or an expression."""
    near = get_close_matches(said.split()[0].upper(), MODEL.words, 1)
    if near:
        return f"did you mean {near[0]}?"
    return (
        f"NOISE {name} PROPORTIONAL {said} estimates a multiple of an expression; standard deviations that are "
        f"known stand in the data, in a column {name}.sd"
    )


def _refuse_logarithms(env: Environment, name: str) -> None:
    data = env.observations
    assert data is not None
    column = data.values[:, data.names.index(name)]
    wrong = np.flatnonzero(column <= 0.0)
    if wrong.size:
        at = f"{column[wrong[0]]:g} at t = {data.times[wrong[0]]:g}"
        raise CommandError(f"{name} was observed to be {at}, which has no logarithm", "use ADDITIVE or RELATIVE")


def _proportional(env: Environment, name: str, said: str, ask: Dialogue) -> Environment:
    """What the standard deviation is a multiple of, as an expression, which becomes an aux quantity."""
    from parfit.model.language import editing

    if not said:
        raise CommandError("after PROPORTIONAL stands an expression, such as 1+b*y1")
    own = f"sd_{base_of(name)}"
    changed = editing.edit(env.model, f"aux {own}={said}", env.folder, ask.run.read)
    quantity, shared = (labelled(own, experiment_of(name)), base_of(name)) if experiment_of(name) else (own, "")
    ask.effects.append(partial(ask.run.replace, "model", editing.text_of(changed)))
    new = env.with_model(changed)
    new = new.with_noise(new.noise.with_model(name, VariableNoise(Form.PROPORTIONAL, shared, quantity)))
    assert new.observations is not None
    run = new.simulator()(new.values)
    sds = run.column(quantity) if run.status else np.ones(1)
    wrong = np.flatnonzero(~(sds > 0.0))
    if wrong.size:
        place = f"{sds[wrong[0]]:g} at t = {run.times[wrong[0]]:g}"
        raise CommandError(f"the standard deviation of {name} would be {place}; it must be positive")
    return new
