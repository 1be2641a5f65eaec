"""MARK and RECALL: values worth keeping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from parfit.commands.parameters.set import shown
from parfit.commands.table import command
from parfit.errors import CommandError, StateError
from parfit.pictures.marks import NOW
from parfit.session import questions
from parfit.session.answering import END
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.session.results import Mark
from parfit.text import report

START = "START"  # a command, but also the name that scripts give to the values they begin with
MARK_NAME = Question(
    "name", "NAME OF THE MARK", "Enter a word under which RECALL finds these values again.", names="marks"
)
RECALL_NAME = Question(
    "name",
    "MARK TO RECALL (0 FOR NONE)",
    "Enter the name of a mark; its parameter values are set. 0 changes nothing.",
    names="marks",
)


@command("MARK", "parameters", (MARK_NAME,), ("MARK start",), ("parameters",))
def mark(env: Environment, ask: Dialogue) -> Environment:
    """Keep the parameter values under a name, with the sum of squares if it is known.

    Marks outlive changes of the model: values are kept by the names of the parameters. A sum of squares is shown as
    long as model, data, weights and integration are those it was computed with. Guessed observations (CREOBS) are
    kept too. RECALL brings both back. A mark of the same name is replaced.
    """
    taken = [each.name.lower() for each in env.marks]
    unused = next(name for name in (f"m{k}" for k in range(1, len(taken) + 2)) if name not in taken)
    name = ask.one(MARK_NAME, partial(_mark_name, ask), unused)
    ask.refuse_rest()
    made = env.marked(name)
    ask.say(report.marks(env, [made]))
    return env.with_mark(made)


@command("RECALL", "parameters", (RECALL_NAME,), ("RECALL start",), ("marks",))
def recall(env: Environment, ask: Dialogue) -> Environment:
    """Set the parameters to the values of a mark; RECALL alone lists the marks.

    Observations that were guessed then (CREOBS) are guessed so again; guesses on other states stay. So do parameters
    that the model did not have when the mark was made.
    """
    if not ask.more:
        ask.say(report.marks(env, env.marks))
    if not ask.more and ask.source.interactive:
        return env
    name = ask.one(RECALL_NAME, _mark_or_none([each.name for each in env.marks]), END)
    ask.refuse_rest()
    if not name:
        return env
    chosen = next(each for each in env.marks if each.name == name)
    if len(chosen.unknown(env.model.parameters)) == len(env.model.parameters):
        values = report.assignments(chosen.names, chosen.values)
        raise StateError(f"the model has none of the parameters of the mark {questions.shown(name)}: {values}")
    if chosen.guesses:
        ask.say(f"guessed as then: {', '.join(chosen.guesses)}")
    for remark in _missing(env, chosen):
        ask.say(remark)
    return shown(env.recalled(chosen), ask)


def _mark_or_none(names: Sequence[str]) -> questions.Reader[str]:
    """Reads the name of a mark, or 0."""
    find = questions.name(names, "mark")
    return lambda token: questions.Answer("", END) if token == END else find(token)


def _missing(env: Environment, mark: Mark) -> Iterator[str]:
    """What a mark and the model's parameters do not have in common."""
    new, old = mark.unknown(env.model.parameters), [name for name in mark.names if name.lower() not in _spelled(env)]
    if new:
        stay = "stays as it is" if len(new) == 1 else "stay as they are"
        yield f"the mark has no value of {', '.join(new)}, which {stay}"
    if old:
        yield f"the model no longer has {', '.join(old)}, of which the mark has a value"


def _spelled(env: Environment) -> list[str]:
    return [name.lower() for name in env.model.parameters]


def _is_taken(ask: Dialogue, token: str) -> bool:
    """Whether a word is a command; one that has become one since a run was made was a good name then."""
    return ask.is_command(token) and token.upper() != START and not ask.run.replaying


def _mark_name(ask: Dialogue, token: str) -> questions.Answer[str]:
    if token.upper() == NOW:
        raise CommandError(f"{NOW} stands for the present parameters; enter another word")
    if len(token) > 30 or not token[:1].isalpha() or _is_taken(ask, token):
        raise CommandError(
            f"{questions.shown(token)} will not do as a name; enter a word of up to 30 letters that is not a command"
        )
    return questions.word(token)
