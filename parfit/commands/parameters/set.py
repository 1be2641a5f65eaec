"""SET: other values of the parameters."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.model.naming import places_of
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.text import report

SET_LIST = Question(
    "parameters and values",
    "GIVE LIST OF PARAMETERS AND VALUES (END WITH 0)",
    "Enter a parameter's name or subscript and its new value, then the next; 0 or RETURN ends. Example: 1 3. 4 6.2 0",
    names="parameters",
)
VALUE = Question("value", "NEW VALUE", "Enter a number: the value of the parameter itself, also if it is scaled.")


@command("SET", "parameters", (SET_LIST, VALUE), ("SET 1 3. 4 6.2", "SET p1=3 p4=6.2"), ("parameters",))
def set_values(env: Environment, ask: Dialogue) -> Environment:
    """Give parameters new values.

    Subscripts refer to all parameters, frozen ones too. The value is that of the parameter itself, whatever its
    scaling; results computed before stay as they are until something is computed anew.
    """
    reader = questions.name(env.model.parameters, "parameter", families=True)
    values = env.values.copy()
    for name, value in ask.many(SET_LIST, reader, lambda name: [(VALUE, questions.number())]):
        values[places_of(name, env.model.parameters)] = value
    return shown(env.with_values(values), ask)


def shown(env: Environment, ask: Dialogue) -> Environment:
    """The environment, after its parameters were shown."""
    ask.say(report.parameters(env))
    return env
