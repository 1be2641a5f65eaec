"""NOTE and NOTES: remarks with their date."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.session.records import Note
from parfit.text import report

NOTE_TEXT = Question("text", "TEXT OF THE NOTE", "Enter one line; it is kept with the date and the parameters.")


@command("NOTE", "session", (NOTE_TEXT,), ("NOTE p5 wants to be negative",))
def note(env: Environment, ask: Dialogue) -> Environment:
    """Write a remark down, with the date and the parameters of the moment."""
    return env.with_note(Note(ask.text(NOTE_TEXT), ask.now(), env.model.parameters, env.values))


@command("NOTES", "session", (), ("NOTES",), ("notes",))
def notes(env: Environment, ask: Dialogue) -> Environment:
    """Show the notes."""
    ask.say(report.notes(env.notes))
    return env
