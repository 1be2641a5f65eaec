"""Commands on parameters: their values, freezing, scaling, and values worth keeping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from parfit.commands.table import command
from parfit.errors import CommandError, StateError
from parfit.estimation.parameters import Scaling
from parfit.pictures.marks import NOW
from parfit.session import questions
from parfit.session.dialogue import END, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question
from parfit.session.results import Mark
from parfit.text import report

SET_LIST = Question(
    "parameters and values",
    "GIVE LIST OF PARAMETERS AND VALUES (END WITH 0)",
    "Enter a parameter's name or subscript and its new value, then the next; 0 or RETURN ends. Example: 1 3. 4 6.2 0",
)
VALUE = Question("value", "NEW VALUE", "Enter a number: the value of the parameter itself, also if it is scaled.")
FREEZE_LIST = Question(
    "parameters to freeze",
    "ENTER LIST OF SUBSCRIPTS FOR FROZEN PARAMETERS (0 TO END)\n(AN ENTRY OF 0 REMOVES ALL FREEZING)",
    "Enter names or subscripts of parameters that are to keep their values; they join those that are frozen already. "
    "0 ends the list; 0 alone frees all.",
)
UNFREEZE_LIST = Question(
    "parameters to free",
    "ENTER LIST OF SUBSCRIPTS FOR PARAMETERS TO BE FREED (0 TO END)",
    "Enter names or subscripts of frozen parameters that are to become active again; 0 ends the list.",
)
SCALE_LIST = Question(
    "parameters and scaling",
    "ENTER LIST OF PARAMETER SUBSCRIPTS AND SCALING INDICATORS (0 SUBSCRIPT TO END)\n"
    "INDICATOR OF 1 GIVES LOG SCALING\nINDICATOR OF 2 GIVES SQUARE ROOT SCALING",
    "Enter a parameter and 1 (LOG) or 2 (ROOT), then the next; NONE takes the scaling of one away, 0 alone that of "
    "all. The logarithm keeps a parameter positive and makes equal factors equal steps.",
)
INDICATOR = Question(
    "scaling",
    "SCALING INDICATOR",
    "1 or LOG: the logarithm; 2 or ROOT: the square root; NONE: the parameter itself.",
    (Item(1, "LOG SCALING", "LOG"), Item(2, "SQUARE ROOT SCALING", "ROOT"), Item(0, "NO SCALING", "NONE")),
)
MARK_NAME = Question("name", "NAME OF THE MARK", "Enter a word under which RECALL finds these values again.")
RECALL_NAME = Question(
    "name", "MARK TO RECALL (0 FOR NONE)", "Enter the name of a mark; its parameter values are set. 0 changes nothing."
)


@command("SET", "parameters", (SET_LIST, VALUE), ("SET 1 3. 4 6.2", "SET p1=3 p4=6.2"), ("parameters",))
def set_values(env: Environment, ask: Dialogue) -> Environment:
    """Give parameters new values.

    Subscripts refer to all parameters, frozen ones too. The value is that of the parameter itself, whatever its
    scaling; results computed before stay as they are until something is computed anew.
    """
    reader = questions.name(env.model.parameters, "parameter")
    values = env.values.copy()
    for name, value in ask.many(SET_LIST, reader, lambda name: [(VALUE, questions.number())]):
        values[env.model.parameters.index(name)] = value
    return _shown(env.with_values(values), ask)


@command("FREEZE", "parameters", (FREEZE_LIST,), ("FREEZE 1 3", "FREEZE p1 p3", "FREEZE 0"), ("parameters",))
def freeze(env: Environment, ask: Dialogue) -> Environment:
    """Hold parameters at their current values; 0 alone frees them all.

    Frozen parameters take no part in fitting and cost nothing. At least one parameter must stay active.
    """
    names = ask.names(FREEZE_LIST, env.model.parameters, "parameter")
    frozen = [env.model.parameters[k] for k in env.parameters.frozen] if names else []
    return _shown(env.with_frozen([*frozen, *names]), ask)


@command("UNFREEZE", "parameters", (UNFREEZE_LIST,), ("UNFREEZE p1",), ("parameters",))
def unfreeze(env: Environment, ask: Dialogue) -> Environment:
    """Let frozen parameters be fitted again."""
    names = ask.names(UNFREEZE_LIST, env.model.parameters, "parameter")
    frozen = [env.model.parameters[k] for k in env.parameters.frozen]
    return _shown(env.with_frozen(name for name in frozen if name not in names), ask)


@command(
    "SCALE",
    "parameters",
    (SCALE_LIST, INDICATOR),
    ("SCALE 5 1 7 1", "SCALE p5 LOG p7 ROOT", "SCALE 0"),
    ("parameters",),
)
def scale(env: Environment, ask: Dialogue) -> Environment:
    """Fit the logarithm or the square root of parameters instead of themselves; 0 alone ends all scaling.

    The current values are transformed at once. A parameter that is not positive has no logarithm.
    """
    reader = questions.name(env.model.parameters, "parameter")
    changes = ask.many(SCALE_LIST, reader, lambda name: [(INDICATOR, questions.item(INDICATOR.menu))])
    scaling = dict(zip(env.model.parameters, env.parameters.scaling, strict=True)) if changes else {}
    scaling |= {name: Scaling(indicator.number) for name, indicator in changes}
    return _shown(env.with_scaling(scaling), ask)


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
    return _shown(env.recalled(chosen), ask)


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


def _mark_name(ask: Dialogue, token: str) -> questions.Answer[str]:
    if token.upper() == NOW:
        raise CommandError(f"{NOW} stands for the present parameters; enter another word")
    if len(token) > 30 or not token[:1].isalpha() or ask.is_command(token):
        raise CommandError(
            f"{questions.shown(token)} will not do as a name; enter a word of up to 30 letters that is not a command"
        )
    return questions.word(token)


def _shown(env: Environment, ask: Dialogue) -> Environment:
    ask.say(report.parameters(env))
    return env
