"""BOOT: limits of parameters from fits to data that are drawn anew."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.estimation.strategies.reliability import boot as strategy
from parfit.estimation.strategies.reliability.boot import LEVEL_WORD, RESIDUALS, SEED_WORD, N, Request, read
from parfit.live.bar import working
from parfit.pictures.bootstrap import histograms
from parfit.session.dialogue import REST, Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.session.runs.pieces import kept
from parfit.text.diagnosis import bootstrap as text

LINE = Question(
    "data sets",
    "ENTER NUMBER OF DATA SETS",
    "How many data sets are drawn, such as 200; 1000 for limits of two figures. RESIDUALS draws errors from the "
    "residuals, else they are normal. SEED and a number draws others, LEVEL 90 gives other limits than 95 %.",
    words=(RESIDUALS, SEED_WORD, LEVEL_WORD),
)


@command(
    "BOOT",
    "computing",
    (LINE,),
    ("BOOT 200", "BOOT 200 RESIDUALS", "BOOT 1000 SEED 7", "BOOT 200 LEVEL 90"),
    ("parameters", "observations", "observation times"),
)
def boot(env: Environment, ask: Dialogue) -> Environment:
    """Limits of parameters from a bootstrap: data are drawn anew, again and again, and fitted like the real ones.

    The errors of new data are normal, or as NOISE says, of the size that the data or the residuals tell; or drawn from
    the residuals (RESIDUALS). Priors, which count as observations, are drawn anew as well, about the values. The table
    has the standard errors and percentiles of the fits; below it stands how many data sets could not be fitted, and
    which parameters ended at a bound. The same seed draws the same data, on any machine. PLOT BOOT draws the
    histograms again. Ctrl-C keeps what is finished, and what a crash cuts off goes on when given again.
    """
    request = ask.one(LINE, _request, str(N), REST)
    ask.refuse_rest()
    with working(ask.console, "BOOT") as tell, kept(ask.run, request.written()) as pieces:
        found = strategy.boot(env, request, tell, pieces)
    ask.record_as(found.request.written(), [])
    if found.is_interrupted:
        ask.warn(f"interrupted; the first {found.request.n} of {request.n} data sets are kept")
    ask.report(text.told(found))
    ask.say(ask.console.drawn(histograms(found.bootstrap)))
    return found.env


def _request(line: str) -> Answer[Request]:
    return Answer(read(line), line)
