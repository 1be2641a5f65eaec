"""PROBE: what the Jacobian says about the parameters."""

from __future__ import annotations

from parfit.commands.fitting.integ import steps_of
from parfit.commands.looking import report
from parfit.commands.table import command
from parfit.errors import StateError
from parfit.estimation.diagnosis import probing
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems import trajectory_fit
from parfit.live.bar import working
from parfit.pictures.vectors import vector_bars
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Question
from parfit.session.results import OF_JACOBIANS
from parfit.simulation.simulator import Simulator
from parfit.text.probe import probed
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
    if ask.yes(INTEGRATION, default=True):
        problem = env.problem()
        with working(ask.console, "PROBE: THE JACOBIAN"):
            evaluation = problem.evaluate(env.parameters.point)
        assert evaluation.trajectory is not None
        details = steps_of(env, problem.simulator) if env.options.output else []
        env = env.with_integration(evaluation.trajectory, details)
    else:
        evaluation = integrated(env)
    assert env.observations is not None
    with working(ask.console, "PROBE"):
        found = probing.probe(evaluation, env.parameters, env.observations)
    bars = None if len(found.spectrum.s) < 2 else vector_bars(found.parameters, found.spectrum)
    ask.say(probed(env, found, "" if bars is None else ask.console.drawn(bars)))
    if ask.yes(REPORT, default=False):
        ask.write("report", probed(env, found, "" if bars is None else ask.console.drawn(bars, colour=False)))
    if env.options.output:
        _show_details(env, evaluation, ask)
    return env


def integrated(env: Environment) -> Evaluation:
    """The problem at the last integration, if that belongs to the present parameters."""
    env.require("integration", "jacobian")
    assert env.integration is not None
    assert env.observations is not None
    now, run = env.parameters, env.integration.trajectory
    stale = env.stale(OF_JACOBIANS)
    if stale:
        raise StateError(f"the last integration was made with {' and '.join(stale)}; PROBE Y makes a new one")
    residuals = trajectory_fit.residuals(run, env.observations)
    return Evaluation(residuals, trajectory_fit.jacobian(run, now, env.observations), run.status, run)


def _show_details(env: Environment, evaluation: Evaluation, ask: Dialogue) -> None:
    """What control parameter 1 asks to be written out; made anew, as an older integration may have left nothing."""
    assert evaluation.trajectory is not None
    if not ask.yes(DISPLAY, default=False):
        return
    simulator = evaluation.trajectory.simulator
    assert isinstance(simulator, Simulator)
    text = titled("INTEGRATION IN PROBE", "\n".join(steps_of(env, simulator)))
    ask.say(text)
    if ask.yes(ACCUMULATE, default=False):
        report.accumulate(text, ask)
