"""What the table of commands says of itself: the overview, one command, one question, and the README's list."""

from __future__ import annotations

import re
import textwrap

from parfit.commands.format_text import FORMAT
from parfit.commands.table import Command, Table
from parfit.errors import CommandError
from parfit.library import guide
from parfit.session.questions import shown

TITLES = {
    "problem": "The problem",
    "parameters": "Parameters",
    "settings": "Settings",
    "computing": "Computing",
    "looking": "Looking",
    "session": "The session",
}
FORMAT_TOPIC = "FORMAT"  # how files are written
STRATEGY = "STRATEGY"  # the topic of the guide
FOOT = (
    "HELP STRATEGY tells which command helps when, HELP FORMAT how model and data are written. "
    "A command may be shortened while it stays clear. Give it with its answers in one line (HELP PLOT shows how), or "
    "alone, to be asked. At a question ? explains it, RETURN takes what is in brackets, Ctrl-C abandons the command."
)


def explain(table: Table, topic: str, width: int = 79) -> str:
    """Help on everything, on a command, or on one of its questions."""
    words = topic.split(maxsplit=1)
    if not words:
        return overview(table, width)
    if words[0].upper() == STRATEGY:
        return guide()
    if words[0].upper() == FORMAT_TOPIC:
        return FORMAT
    chosen = table.find(words[0])
    return about(chosen, width) if len(words) == 1 else about_question(chosen, words[1], width)


def overview(table: Table, width: int = 79) -> str:
    """All commands by groups, one line each where it is wide enough."""
    indent = 4 + max(len(each.name) for each in table.commands)
    parts = []
    for group, commands in table.groups().items():
        rows = [
            textwrap.fill(f"  {each.name:{indent - 2}}{each.summary}", width, subsequent_indent=" " * indent)
            for each in commands
        ]
        parts.append("\n".join([TITLES[group], *rows]))
    return "\n\n".join([*parts, textwrap.fill(FOOT, width)])


def about(command: Command, width: int = 79) -> str:
    """One command: what it does, how to give it, what it asks."""
    parts = [
        flowing(f"{command.name}: {command.help}", width),
        "Examples:\n" + "\n".join(f"  {each}" for each in command.examples),
    ]
    if command.also:
        parts.append(f"Other words for it: {', '.join(command.also)}")
    if command.questions:
        asked = [f"  {each.label}: {each.text.splitlines()[0]}" for each in command.questions]
        head = f"What it may ask (HELP {command.name} and the words before a colon tell more):"
        parts.append("\n".join(textwrap.fill(line, width, subsequent_indent="    ") for line in [head, *asked]))
    return "\n\n".join(parts)


def about_question(command: Command, label: str, width: int = 79) -> str:
    """One question of a command."""
    found = [each for each in command.questions if each.label.lower().startswith(label.lower())]
    if not found:
        labels = ", ".join(each.label for each in command.questions) or "nothing"
        raise CommandError(f"{command.name} does not ask for {shown(label)}; it asks for {labels}")
    return f"{found[0].shown}\n\n{textwrap.fill(found[0].help, width)}"


def flowing(text: str, width: int) -> str:
    """Paragraphs filled to a width; a line with a digit first begins a new one, an indented one stays as it is."""
    parts = re.split(r"\n(?=\n|\d|  )", text)
    return "\n".join(
        part
        if part.startswith("  ")
        else ("\n" if part.startswith("\n") else "") + textwrap.fill(" ".join(part.split()), width)
        for part in parts
    )


def readme(table: Table) -> str:
    """The list of the README, in Markdown."""
    rows = ["| about | commands |", "|---|---|"]
    for group, commands in table.groups().items():
        rows.append(f"| {TITLES[group].lower()} | {' '.join(each.name for each in commands)} |")
    return "\n".join(rows)
