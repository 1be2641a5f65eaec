"""What the Jacobian at the present parameters says about them."""

from __future__ import annotations

from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.estimation.diagnosis import probing
from parfit.estimation.diagnosis.probing import Probe
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems import trajectory_fit
from parfit.estimation.strategies.integ import steps_of
from parfit.session.environment import Environment
from parfit.session.results import OF_JACOBIANS


@dataclass(frozen=True)
class Request:
    """Whether to integrate anew, or to take the last integration."""

    anew: bool = True


@dataclass(frozen=True, eq=False)
class Result:
    """The environment with its solution, and what was found there."""

    env: Environment
    evaluation: Evaluation
    probe: Probe


class StaleError(StateError):
    """The last integration does not belong to the present parameters."""


def probe(env: Environment, request: Request | None = None) -> Result:
    """Examine the Jacobian at the present parameters."""
    env.require("parameters", "observations", "observation times")
    if (request or Request()).anew:
        problem = env.problem()
        evaluation = problem.evaluate(env.parameters.point)
        assert evaluation.trajectory is not None
        env = env.with_integration(evaluation.trajectory, steps_of(env, problem.simulator))
    else:
        evaluation = integrated(env)
    assert env.observations is not None
    return Result(env, evaluation, probing.probe(evaluation, env.parameters, env.observations))


def integrated(env: Environment) -> Evaluation:
    """The problem at the last integration, if that belongs to the present parameters."""
    env.require("integration", "jacobian")
    assert env.integration is not None
    assert env.observations is not None
    now, run = env.parameters, env.integration.trajectory
    stale = env.stale(OF_JACOBIANS)
    if stale:
        raise StaleError(f"the last integration was made with {' and '.join(stale)}")
    if env.noise:
        return env.problem().of_run(now.point, run)
    residuals = trajectory_fit.residuals(run, env.observations)
    return Evaluation(residuals, trajectory_fit.jacobian(run, now, env.observations), run.status, run)
