"""GUIDE: where the user stands, and what to do next."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from parfit.commands.table import command
from parfit.live.bar import working
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Question

if TYPE_CHECKING:
    from parfit.advice.advice import Advice

TAKE = Question(
    "take it",
    "TAKE THE ADVICE? Y OR N",
    "Y obeys the command that was advised, as if you had typed it; N leaves everything as it is.",
    words=YES_NO,
)


@command("GUIDE", "session", (TAKE,), ("GUIDE", "GUIDE Y", "GUIDE N"), journaled=False)
def guide(env: Environment, ask: Dialogue) -> Environment:
    """Say where you stand, which command comes next, and why; RETURN takes the advice.

    It looks at the environment and at what was tried, follows the flow charts of section 3.6 of the thesis, and never
    acts by itself: in a script GUIDE alone only advises, and GUIDE Y obeys. What is obeyed is written down as the
    advised command, and UNDO takes it back; what was undone is not advised again at the same point.
    """
    from parfit.advice import advise  # late, because only who asks for advice should wait for it

    with working(ask.console, "GUIDE"):
        advice = advise(ask.timeline)
    again = bool(advice.after) and _last_word(ask) == advice.command.split()[0]
    ask.say(told(advice, ask.console.width, again))
    if again or (advice.done and not advice.after):  # nothing is left to be taken
        if ask.more:
            ask.yes(TAKE)
        return env
    if ask.yes(TAKE, default=ask.source.interactive):
        ask.then = advice.command
    return env


def _last_word(ask: Dialogue) -> str:
    """The command of the journal's last entry."""
    given = ask.run.commands()
    return given[-1][0].split()[0].upper() if given and given[-1] else ""


def told(advice: Advice, width: int, again: bool = False) -> str:
    """The advice as it is shown: the sentences, and the command on a line of its own unless it was done."""
    text = textwrap.fill(f"{advice.situation} {advice.after if again else advice.why}", width, break_on_hyphens=False)
    return text if again else f"{text}\n    {advice.command}"
