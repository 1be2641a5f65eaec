"""STATS: how reliable the fitted parameters are."""

from __future__ import annotations

from dataclasses import replace

from parfit import plotting
from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.strategies.reliability import stats as strategy
from parfit.live.bar import working
from parfit.pictures.automatic import automatic
from parfit.pictures.residuals import studied
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import report_items
from parfit.text.diagnosis import statistics_summary

PERCENTILE = Question(
    "percentile",
    "ENTER PERCENTILE FOR F DISTRIBUTION",
    "Enter a percentile such as 95 or 99.5: with this probability, in per cent, an interval holds the true parameter. "
    "FULL, before it or after it, shows all there is: joint regions, matrices, tests and residuals.",
    words=("FULL",),
)
EXTENT = Question("extent", "HOW MUCH IS TO BE SHOWN", "FULL shows all there is.", words=("FULL",))
OF_1977 = replace(PERCENTILE, text="ENTER (INTEGER) PERCENTILE FOR F DISTRIBUTION")
FULL = "FULL"


@command(
    "STATS",
    "computing",
    (PERCENTILE,),
    ("STATS 95", "STATS 99.5", "STATS FULL"),
    ("parameters", "observations", "observation times"),
)
def stats(env: Environment, ask: Dialogue) -> Environment:
    """Standard errors, confidence intervals and what is doubtful at the current parameters, best after FIT.

    Shown is what fits a screen. STATS FULL adds joint intervals and regions, correlations, covariances, residuals and
    their signs, whether the model is consistent with the data, and two checks: of the linear theory on the boundary of
    the confidence region, and of the integration. All of it goes to the report; REPORT 9 shows it again, PLOT
    RESIDUALS and PLOT BAND draw it.
    """
    percentile, is_full = _asked(ask, OF_1977 if env.options.of_1977 else PERCENTILE)
    ask.refuse_rest()
    with working(ask.console, "STATS") as progress:
        found = strategy.stats(env, strategy.Request(percentile), progress)
    if found.study is None:
        ask.warn(statistics_summary.none(found.evaluation))
        return found.env
    if env.loss:
        ask.warn(
            f"the parameters were fitted with the loss {env.loss}, which has no standard errors; FIT MORE has them"
        )
    full = report_items.statistics(found.env)
    ask.write("report", full)
    figure = studied(found.study.residuals, env.variables, env.model.name)
    ask.write("report", plotting.draw(figure))
    is_full = is_full or env.display.talk == FULL
    ask.say(full if is_full else statistics_summary.summary(found.study))
    if is_full:
        ask.show(automatic(env, figure))
    return found.env


def _asked(ask: Dialogue, question: Question) -> tuple[float, bool]:
    """The percentile, and whether FULL stands on the line, before it or after it."""
    default = questions.plain(strategy.PERCENTILE)
    percentile = ask.one(question, _percentile_or_full, default)
    if percentile is not None:
        return percentile, ask.more and ask.one(EXTENT, _full)
    if not ask.more:
        return strategy.PERCENTILE, True
    return ask.one(question, percentile_of, default), True


def percentile_of(token: str) -> Answer[float]:
    """A percentile, with or without its sign."""
    return questions.number(strategy.refused)(token.removesuffix("%"))


def _percentile_or_full(token: str) -> Answer[float | None]:
    """None for FULL."""
    if token and FULL.startswith(token.upper()):
        return Answer(None, FULL)
    return Answer[float | None](*percentile_of(token))


def _full(token: str) -> Answer[bool]:
    if token and FULL.startswith(token.upper()):
        return Answer(True, FULL)
    raise CommandError(f"{questions.shown(token)} is too much: after the percentile only {FULL} may stand")
