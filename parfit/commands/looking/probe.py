"""PROBE: what the Jacobian says about the parameters."""

from __future__ import annotations

from parfit.commands.looking import report
from parfit.commands.table import command
from parfit.errors import StateError
from parfit.estimation.problem import Evaluation
from parfit.estimation.strategies import probe as strategy
from parfit.estimation.strategies.integ import steps_of
from parfit.live.bar import working
from parfit.pictures.vectors import vector_bars
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Question
from parfit.simulation.simulator import Simulator
from parfit.text.details import written_out
from parfit.text.diagnosis.probe import probed
from parfit.text.report import titled

INTEGRATION = Question(
    "integration",
    "IS AN INTEGRATION REQUIRED? Y OR N",
    "Y integrates the equations with the Jacobian; N uses the last integration, if it was made at these parameters.",
    words=YES_NO,
)
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
    ("PROBE Y", "PROBE N Y"),
    ("parameters", "observations", "observation times"),
)
def probe(env: Environment, ask: Dialogue) -> Environment:
    """Examine the Jacobian at the current parameters: what the data determine, what not, and what would help.

    Shown are singular values, condition number, and in words the parameters that the data do not see, those that make
    up for each other, combinations that are poorly determined and parameters at a bound; for each the command that
    helps, and where one more observation would tell most. Bars show what the singular vectors consist of; PLOT VECTORS
    draws them alone, or into a file.
    """
    anew = ask.yes(INTEGRATION, default=True)
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
