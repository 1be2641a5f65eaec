"""PROBE: what the Jacobian says about the parameters."""

from __future__ import annotations

from parfit.commands.looking import report
from parfit.commands.table import command
from parfit.errors import StateError
from parfit.estimation.problem import Evaluation
from parfit.estimation.strategies.integ import steps_of
from parfit.estimation.strategies.reliability import anywhere
from parfit.estimation.strategies.reliability import probe as strategy
from parfit.live.bar import working
from parfit.pictures.vectors import vector_bars
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Answer, Question
from parfit.simulation.simulator import Simulator
from parfit.text.details import written_out
from parfit.text.diagnosis import anywhere as of_anywhere
from parfit.text.diagnosis.probe import probed
from parfit.text.report import titled

ANYWHERE = "ANYWHERE"
INTEGRATION = Question(
    "integration",
    "IS AN INTEGRATION REQUIRED? Y OR N",
    "Y integrates the equations with the Jacobian; N uses the last integration, if it was made at these parameters. "
    "ANYWHERE looks at random points within the bounds instead, or within a decade of the values.",
    words=(*YES_NO, ANYWHERE),
)
POINTS = Question("points", "ENTER NUMBER OF POINTS", "At how many random points the Jacobian is looked at.")
REPORT = Question(
    "report",
    "IS A REPORT OF PROBE REQUIRED?, Y OR N",
    "Y puts what was shown into the file report.txt of this run too.",
    words=YES_NO,
)
DISPLAY = Question(
    "details displayed",
    "IS INTEG OUTPUT TO BE DISPLAYED? Y OR N",
    "Y shows the steps of the integration, as control parameter 1 asks for them.",
    words=YES_NO,
)
ACCUMULATE = Question(
    "details accumulated",
    "IS INTEG OUTPUT TO BE ACCUMULATED? Y OR N",
    "Y adds these steps to the file details.txt of this run, under a reference number.",
    words=YES_NO,
)


@command(
    "PROBE",
    "computing",
    (INTEGRATION, REPORT, DISPLAY, ACCUMULATE),
    ("PROBE Y", "PROBE N Y", "PROBE ANYWHERE 20"),
    ("parameters", "observations", "observation times"),
)
def probe(env: Environment, ask: Dialogue) -> Environment:
    """Examine the Jacobian at the current parameters: what the data determine, what not, and what would help.

    Shown are singular values, condition number, and in words the parameters that the data do not see, those that make
    up for each other, combinations that are poorly determined and parameters at a bound; for each the command that
    helps, and where one more observation would tell most. Bars show what the singular vectors consist of; PLOT VECTORS
    draws them alone, or into a file. PROBE ANYWHERE looks at random points, before anything is fitted: what is
    determined at none of them can never be determined by such data, wherever the parameters are.
    """
    anew = ask.one(INTEGRATION, _where, "Y")
    if anew is None:
        return _anywhere(env, ask)
    try:
        with working(ask.console, "PROBE"):
            result = strategy.probe(env, strategy.Request(anew))
    except strategy.StaleError as error:
        raise StateError(str(error), "PROBE Y makes a new one") from error
    env, found = result.env, result.probe
    bars = None if len(found.spectrum.s) < 2 else vector_bars(found.parameters, found.spectrum)
    ask.say(probed(env, found, "" if bars is None else ask.console.drawn(bars)))
    if ask.yes(REPORT, default=False):
        ask.write("report", probed(env, found, "" if bars is None else ask.console.drawn(bars, colour=False)))
    if env.options.output:
        _show_details(env, result.evaluation, ask)
    return env


def _where(token: str) -> Answer[bool | None]:
    """Yes or no; None for ANYWHERE."""
    if len(token) > 1 and ANYWHERE.startswith(token.upper()):
        return Answer(None, ANYWHERE)
    return Answer[bool | None](*questions.yes_or_no(token))


def _anywhere(env: Environment, ask: Dialogue) -> Environment:
    n = ask.whole(POINTS, 1, anywhere.MOST, anywhere.N)
    ask.refuse_rest()
    with working(ask.console, "PROBE ANYWHERE") as tell:
        found = anywhere.anywhere(env, anywhere.Request(n), tell)
    ask.report(of_anywhere.told(found))
    return env


def _show_details(env: Environment, evaluation: Evaluation, ask: Dialogue) -> None:
    """What control parameter 1 asks to be written out; made anew, as an older integration may have left nothing."""
    assert evaluation.trajectory is not None
    if not ask.yes(DISPLAY, default=False):
        return
    simulator = evaluation.trajectory.simulator
    assert isinstance(simulator, Simulator)
    text = titled("INTEGRATION IN PROBE", "\n".join(written_out(env.model, steps_of(env, simulator))))
    ask.say(text)
    if ask.yes(ACCUMULATE, default=False):
        report.accumulate(text, ask)
