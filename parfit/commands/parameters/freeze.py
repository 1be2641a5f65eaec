"""FREEZE and UNFREEZE: which parameters are held."""

from __future__ import annotations

from parfit.commands.parameters.set import shown
from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question

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


@command("FREEZE", "parameters", (FREEZE_LIST,), ("FREEZE 1 3", "FREEZE p1 p3", "FREEZE 0"), ("parameters",))
def freeze(env: Environment, ask: Dialogue) -> Environment:
    """Hold parameters at their current values; 0 alone frees them all.

    Frozen parameters take no part in fitting and cost nothing. At least one parameter must stay active.
    """
    names = ask.names(FREEZE_LIST, env.model.parameters, "parameter")
    frozen = [env.model.parameters[k] for k in env.parameters.frozen] if names else []
    return shown(env.with_frozen([*frozen, *names]), ask)


@command("UNFREEZE", "parameters", (UNFREEZE_LIST,), ("UNFREEZE p1",), ("parameters",))
def unfreeze(env: Environment, ask: Dialogue) -> Environment:
    """Let frozen parameters be fitted again."""
    names = ask.names(UNFREEZE_LIST, env.model.parameters, "parameter")
    frozen = [env.model.parameters[k] for k in env.parameters.frozen]
    return shown(env.with_frozen(name for name in frozen if name not in names), ask)
