"""UNDO and REDO: back to earlier environments."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.session.timeline import Timeline
from parfit.text import report

HOW_MANY = Question("how many", "NUMBER OF CHANGES", "Enter how many changes of the environment are meant.")


@command("UNDO", "session", (HOW_MANY,), ("UNDO", "UNDO 3"))
def undo(env: Environment, ask: Dialogue) -> Timeline:
    """Go back to how things were before the last change of the environment."""
    timeline = ask.timeline.back(_how_many(ask))
    for each in reversed(timeline.future[: len(timeline.future) - len(ask.timeline.future)]):
        ask.say(f"undone: {_first_line(each)}")
    return _moved(ask, timeline)


@command("REDO", "session", (HOW_MANY,), ("REDO",))
def redo(env: Environment, ask: Dialogue) -> Timeline:
    """Take an UNDO back."""
    timeline = ask.timeline.forward(_how_many(ask))
    for each in (*timeline.past, timeline.present)[len(ask.timeline.past) + 1 :]:
        ask.say(f"done again: {_first_line(each)}")
    return _moved(ask, timeline)


def _how_many(ask: Dialogue) -> int:
    return ask.whole(HOW_MANY, 1, default=1) if ask.more else 1


def _first_line(env: Environment) -> str:
    return env.origin.split("\n")[0]


def _moved(ask: Dialogue, timeline: Timeline) -> Timeline:
    ask.say(report.parameters(timeline.present))
    return timeline
