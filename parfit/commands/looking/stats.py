"""STATS: how reliable the fitted parameters are."""

from __future__ import annotations

import numpy as np

from parfit import plotting
from parfit.commands.table import command
from parfit.estimation.diagnosis.study import study
from parfit.live.bar import working
from parfit.pictures.residuals import studied
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.text import report_items, statistics

PERCENTILE = Question(
    "percentile",
    "ENTER (INTEGER) PERCENTILE FOR F DISTRIBUTION",
    "Enter a whole number from 1 to 99, such as 95: with this probability, in per cent, the joint confidence region "
    "holds the true parameters.",
)
DEFAULT_PERCENTILE = 95


@command(
    "STATS",
    "computing",
    (PERCENTILE,),
    ("STATS 95", "STATS 99"),
    ("parameters", "observations", "observation times"),
)
def stats(env: Environment, ask: Dialogue) -> Environment:
    """Confidence intervals, correlations and tests of the residuals at the current parameters, best after FIT.

    Intervals: joint (all parameters at once), with the others held, and of one parameter alone. The linear theory
    behind them is checked on the boundary of the confidence region, and the integration against an accurate one.
    REPORT 9 shows the statistics again; PLOT BAND draws what they mean for the curves.
    """
    percentile = ask.whole(PERCENTILE, 1, 99, default=DEFAULT_PERCENTILE)
    ask.refuse_rest()
    problem = env.problem()
    with np.errstate(all="ignore"), working(ask.console, "STATS: THE JACOBIAN"):
        evaluation = problem.evaluate(env.parameters.point)
    assert evaluation.trajectory is not None
    env = env.with_integration(evaluation.trajectory, env.details)
    if not evaluation.usable:
        stopped = "" if evaluation.trajectory.status else "the integration stopped: "
        ask.warn(f"there are no statistics, because {stopped}{evaluation.status}")
        return env
    if env.loss:
        ask.warn(f"the parameters were fitted with the loss {env.loss}; these statistics assume least squares")
    with working(ask.console, "STATS") as progress:
        found = study(problem, evaluation, percentile, env.sizes, progress)
    env = env.with_statistics(statistics.statistics_text(found))
    ask.report(report_items.statistics(env))
    figure = studied(found.residuals, env.variables, env.model.name)
    ask.say(ask.console.drawn(figure))
    ask.write("report", plotting.draw(figure))
    return env
