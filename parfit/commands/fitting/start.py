"""START: searches from many places."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.estimation.strategies.starting import start as strategy
from parfit.estimation.strategies.starting.start import SEED_WORD, N, Request, read
from parfit.live.bar import working
from parfit.pictures.waterfall import waterfall
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.session.runs.pieces import kept
from parfit.text import starting as text

LINE = Question(
    "places",
    "ENTER NUMBER OF PLACES",
    "From how many places searches begin, such as 100: around the present values, at factors up to 1000, or anywhere "
    "between BOUNDS. SEED and a number gives others.",
    words=(SEED_WORD,),
)


@command(
    "START",
    "computing",
    (LINE,),
    ("START 20", "START 20 SEED 7"),
    ("parameters", "observations", "observation times"),
)
def start(env: Environment, ask: Dialogue) -> Environment:
    """Search from many places, and take the best minimum that was found; the best three are marked.

    Places are numbered, and lie around the present values at factors up to 1000, or between BOUNDS. The table and the
    picture show the sums of squares that the searches have ended at: a minimum to which many lead is to be trusted
    more. Searches run on all cores, and the same numbers give the same results. Ctrl-C keeps what is finished, and
    what a crash cuts off goes on when given again. AUTO does more: it knows when to stop.
    """
    request = ask.one(LINE, _request, str(N), REST)
    ask.refuse_rest()
    with working(ask.console, "START") as tell, kept(ask.run, request.written()) as pieces:
        found = strategy.start(env, request, tell, pieces)
    ask.record_as(found.request.written(), [])
    if found.is_interrupted:
        ask.warn(f"interrupted; the first {found.request.n} of {request.n} searches are kept")
    ask.say(ask.console.drawn(waterfall([each.total for each in found.ended])))
    ask.report(text.told(found))
    return found.env


def _request(line: str) -> Answer[Request]:
    return Answer(read(line), line)
