"""FREEZE and UNFREEZE: which parameters are held."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.commands.parameters.set import shown
from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.model.naming import family
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question

ALL, BUT = "ALL", "BUT"
FREEZE_LIST = Question(
    "parameters to freeze",
    "ENTER LIST OF SUBSCRIPTS FOR FROZEN PARAMETERS (0 TO END)\n(AN ENTRY OF 0 REMOVES ALL FREEZING)",
    "Enter names or subscripts of parameters that are to keep their values; they join those that are frozen already. "
    "0 ends the list; 0 alone frees all. ALL BUT and names holds all others.",
    names="parameters",
    words=("ALL", "BUT"),
)
UNFREEZE_LIST = Question(
    "parameters to free",
    "ENTER LIST OF SUBSCRIPTS FOR PARAMETERS TO BE FREED (0 TO END)",
    "Enter names or subscripts of frozen parameters that are to become active again; 0 ends the list.",
    names="parameters",
)


@command(
    "FREEZE",
    "parameters",
    (FREEZE_LIST,),
    ("FREEZE 1 3", "FREEZE p1 p3", "FREEZE ALL BUT p2", "FREEZE 0"),
    ("parameters",),
)
def freeze(env: Environment, ask: Dialogue) -> Environment:
    """Hold parameters at their current values; 0 alone frees them all.

    Frozen parameters take no part in fitting and cost nothing. At least one parameter must stay active.
    """
    reader = questions.name_or_word(env.model.parameters, "parameter", ALL, BUT)
    named = [each for (each,) in ask.many(FREEZE_LIST, reader)]
    given = [name for each in named for name in family(each, env.model.parameters) or [each]]
    if ALL in given or BUT in given:
        return shown(env.with_frozen(_all_but(env, given)), ask)
    frozen = [env.model.parameters[k] for k in env.parameters.frozen] if given else []
    return shown(env.with_frozen([*frozen, *given]), ask)


def _all_but(env: Environment, given: Sequence[str]) -> list[str]:
    """The parameters that ALL BUT and names leaves to be frozen."""
    if given[0] != ALL or given[1:2] not in ([], [BUT]) or given.count(ALL) + given.count(BUT) > 2:
        raise CommandError("'ALL' and 'BUT' stand first, as in FREEZE ALL BUT k1 k2")
    if len(given) < 3:
        raise CommandError("at least one parameter must stay active; FREEZE ALL BUT k1 freezes all others")
    return [name for name in env.model.parameters if name not in given[2:]]


@command("UNFREEZE", "parameters", (UNFREEZE_LIST,), ("UNFREEZE p1",), ("parameters",))
def unfreeze(env: Environment, ask: Dialogue) -> Environment:
    """Let frozen parameters be fitted again."""
    names = ask.names(UNFREEZE_LIST, env.model.parameters, "parameter")
    frozen = [env.model.parameters[k] for k in env.parameters.frozen]
    return shown(env.with_frozen(name for name in frozen if name not in names), ask)
