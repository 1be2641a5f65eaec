"""PARAMETERS: the table of the parameters."""

from __future__ import annotations

from parfit.commands.parameters.set import shown
from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment


@command("PARAMETERS", "parameters", (), ("PARAMETERS",), ("parameters",), False, ("SHOW", "PARAMS", "LIST"))
def parameters(env: Environment, ask: Dialogue) -> Environment:
    """Show the parameters: their values, what is frozen, scaled and bounded, and where they started."""
    return shown(env, ask)
