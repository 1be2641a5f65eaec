"""INIT: where the states begin."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.strategies.initial import FREE, OBSERVED, unused_parameters, with_initial
from parfit.estimation.strategies.initial_of_experiments import families
from parfit.model.language import editing
from parfit.model.naming import base_of
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import TOKEN, Answer, Question
from parfit.text.observations import initial_table

VALUES = Question(
    "states and initial values",
    "ENTER LIST OF STATES AND INITIAL VALUES",
    "Enter a state and its initial value, then the next. FREE after states makes parameters of their initial values, "
    "which begin at what was observed first; OBSERVED holds them there.",
    names="variables",
    words=(FREE, OBSERVED),
)


@command("INIT", "problem", (VALUES,), ("INIT", "INIT y1 30", "INIT y1 y2 FREE", "INIT y1 y2 OBSERVED"))
def init(env: Environment, ask: Dialogue) -> Environment:
    """List the initial values and where they come from, or change them, or let them be fitted.

    FREE makes parameters of them (H0 for H) that begin at the first observations, or where the states begin now. The
    model is changed as by MODEL, and UNDO brings the old one back. With several experiments, INIT H 30 is for
    all that have no value of their own, INIT H[low] 30 for one; FREE makes a parameter that has a value in each.
    """
    if not ask.more:
        ask.say(initial_table(env))
        return env
    words = [next(filter(None, found), "") for found in TOKEN.findall(ask.text(VALUES))]
    states = (*env.model.states, *families(env, env.model.states)) if env.model.parts else env.model.states
    answers = [_reader(states)(word) for word in words]
    given = [each.value for each in answers]
    ask.record_as(" ".join(["INIT", *(each.text for each in answers)]), ())
    changed = env.model
    for state, wanted in _merged(env, _pairs(given)):
        changed = with_initial(env, changed, state, wanted, ask.run.read)
    new = env.with_model(changed)
    ask.effects.append(partial(ask.run.replace, "model", editing.text_of(changed)))
    ask.say(initial_table(new))
    before = unused_parameters(env)
    idle = [name for name in unused_parameters(new) if name not in before]
    if idle:
        ask.warn(f"the model no longer makes any use of {', '.join(idle)}: no fit can change what nothing depends on")
    return new


def _merged(env: Environment, pairs: list[tuple[str, str | float]]) -> list[tuple[str, str | float]]:
    """Without what is said of every experiment again: one parameter has a value in each of them."""
    return list(dict.fromkeys((base_of(state) if wanted == FREE else state, wanted) for state, wanted in pairs))


def _reader(states: Sequence[str]) -> questions.Reader[str | float]:
    """Reads a state, a number, or one of the words; a number is always a value."""
    find, number = questions.name(states, "state"), questions.number()

    def read(token: str) -> Answer[str | float]:
        word = token.upper()
        if word in (FREE, OBSERVED):
            return Answer[str | float](word, word)
        if token.lower() in (state.lower() for state in states):
            return Answer[str | float](*find(token))
        try:
            value, text = number(token)
        except CommandError:
            return Answer[str | float](*find(token))
        return Answer[str | float](value, text)

    return read


def _pairs(given: Sequence[str | float]) -> list[tuple[str, str | float]]:
    """Each state with what it is to begin at."""
    pairs: list[tuple[str, str | float]] = []
    waiting: list[str] = []
    for each in given:
        if isinstance(each, str) and each not in (FREE, OBSERVED):
            waiting.append(each)
            continue
        if not waiting:
            raise CommandError("a state stands before its initial value, as in INIT H 30 or INIT H L FREE")
        pairs += [(state, each) for state in waiting]
        waiting = []
    if waiting:
        raise CommandError(f"what {waiting[-1]} is to begin at is missing: a number, FREE or OBSERVED")
    return pairs
