"""What may be typed next."""

from __future__ import annotations

from collections.abc import Iterable

from parfit.commands.table import Table
from parfit.environment import Environment
from parfit.errors import ParfitError


def words_for(text: str, table: Table, env: Environment) -> Iterable[str]:
    """Words that could follow on a text: commands first, then menu words and names."""
    words = text.split()
    if len(words) < 2 and not text.endswith(" "):
        return [each.name for each in table.commands]
    try:
        command = table.find(words[0])
    except ParfitError:
        return []
    if command.name == "HELP":
        return [each.name for each in table.commands]
    menu = [item.word for question in command.questions for item in question.menu]
    marks = [mark.name for mark in env.marks] if command.name == "RECALL" else []
    return [*menu, *marks, *env.model.parameters, *env.variables]
