"""GUIDE: where the user stands, and what to do next."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.live.bar import working
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Answer, Question, shown

if TYPE_CHECKING:
    from parfit.advice.advice import Advice

ALL = "ALL"
TAKE = Question(
    "take it",
    "TAKE THE ADVICE? Y, N OR ALL",
    "Y obeys the command that was advised, as if you had typed it; N leaves everything as it is. ALL goes on, advice "
    "after advice, until there is no more.",
    words=(*YES_NO, "ALL"),
)


@command("GUIDE", "session", (TAKE,), ("GUIDE", "GUIDE Y", "GUIDE ALL"), journaled=False)
def guide(env: Environment, ask: Dialogue) -> Environment:
    """Say where you stand, which command comes next, and why; RETURN takes the advice.

    It looks at the environment and at what was tried, follows the flow charts of section 3.6 of the thesis, and never
    acts by itself: in a script GUIDE alone only advises, and GUIDE Y obeys. GUIDE ALL takes one advice after another
    until nothing is left to do, or a command fails twice. What is obeyed is written down as the advised command, and
    UNDO takes it back; what was undone is not advised again at the same point.
    """
    from parfit.advice import advise  # late, because only who asks for advice should wait for it

    with working(ask.console, "GUIDE"):
        advice = advise(ask.timeline)
    again = bool(advice.after) and _last_word(ask) == advice.command.split()[0]
    ask.say(told(advice, ask.console.width, again))
    if again or (advice.done and not advice.after):  # nothing is left to be taken
        if ask.more:
            ask.one(TAKE, _how_far)
        return env
    wanted = ask.one(TAKE, _how_far, "NY"[ask.source.interactive])
    if wanted == ALL and any(each.env is env and each.line == advice.command for each in ask.timeline.failed):
        ask.warn("that has failed here already, and so GUIDE ALL ends")
    elif wanted != "N":
        ask.then = (advice.command, *(["GUIDE ALL"] if wanted == ALL else []))
    return env


def _how_far(token: str) -> Answer[str]:
    """Reads whether the advice is taken, and all that follows it."""
    if token and ALL.startswith(token.upper()):
        return Answer(ALL, ALL)
    if token.lower() not in ("y", "yes", "n", "no"):
        raise CommandError(f"{shown(token)} is not an answer here; enter Y, N or ALL")
    return Answer(token[0].upper(), token[0].upper())


def _last_word(ask: Dialogue) -> str:
    """The command of the journal's last entry."""
    given = ask.run.commands()
    return given[-1][0].split()[0].upper() if given and given[-1] else ""


def told(advice: Advice, width: int, again: bool = False) -> str:
    """The advice as it is shown: the sentences, and the command on a line of its own unless it was done."""
    text = textwrap.fill(f"{advice.situation} {advice.after if again else advice.why}", width, break_on_hyphens=False)
    return text if again else f"{text}\n    {advice.command}"
