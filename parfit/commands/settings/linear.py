"""LINEAR: whether derivative and integral fitting are linear problems."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question

SETTING = Question(
    "linearity",
    "ENTER 1 IF IFIT, DFIT GIVE LINEAR PROBLEMS\nENTER 0 TO REMOVE LINEARITY SETTING",
    "1 has them solved at once, without starting values and without asking for lambda. 0: by iteration. "
    "AUTO, which is how it begins, leaves it to the program, which reads it off the derivatives and proposes it.",
    (Item(1, "LINEAR PROBLEMS", "YES"), Item(0, "NO LINEARITY", "NO"), Item(2, "THE PROGRAM DECIDES", "AUTO")),
)


@command("LINEAR", "settings", (SETTING,), ("LINEAR 1", "LINEAR AUTO"))
def linear(env: Environment, ask: Dialogue) -> Environment:
    """Say whether DFIT and IFIT are linear problems, which need neither starting values nor iterations.

    The program knows it from its derivatives; a problem that is not linear is refused while this setting is 1.
    """
    chosen = ask.one(SETTING, questions.item(SETTING.menu))
    return env.with_linear({"YES": True, "NO": False}.get(chosen.word))
