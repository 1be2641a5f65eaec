"""What the data say of the present parameters: the sum of squares there, errors of the parameters, and a verdict."""

from __future__ import annotations

import math

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.judgement import Judgement, judged_at
from parfit.estimation.diagnosis.minimum import Standing
from parfit.estimation.diagnosis.standard_errors import standard_errors
from parfit.estimation.diagnosis.statistics import Statistics
from parfit.estimation.diagnosis.study import problem_statistics
from parfit.estimation.likelihood.estimates import Likelihood
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.session.carrying import default_samples
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory
from parfit.text.fit import reservation

LEVEL = 95.0  # per cent, of the intervals
VERDICTS = {
    "stopped": "The search was stopped before it had converged.",
    "minimum": "The sum of squares has a minimum here.",
    "undetermined": "The sum of squares has a minimum here",
    "saddle": "This is a saddle point, not a minimum.",
    "switch": "Parameters act only through a switch, so that no derivative tells whether this is a minimum.",
    "flat": "The sum of squares is flat here, because the data do not see parameters at these values.",
    "not_a_minimum": "The sum of squares is lower elsewhere.",
    "not_integrable": "There is no sum of squares at these parameters.",
}

WORDS = {
    "estimated": "",
    "frozen": "frozen",
    "at_bound": "at a bound",
    "robust": "robust loss",
    "not_determined": "not determined",
}


@dataclass(frozen=True, eq=False)
class Appraisal:
    """What is known at the present parameters; arrays have an entry for each parameter, NaN where none is known."""

    trajectory: Trajectory  # at the sample times
    evaluation: Evaluation | None = None  # at the observations; None if there are none, or no parameters
    statistics: Statistics | None = None
    judgement: Judgement | None = None  # of the fit that ended here, or of the point; None if it has no numbers
    errors: Array | None = None  # standard errors of the parameters themselves, (n_params,)
    low: Array | None = None  # ends of their intervals
    high: Array | None = None
    words: tuple[str, ...] = ()  # a key of `WORDS` for each parameter; only what is estimated has errors
    likelihood: Likelihood | None = None  # where there are noise models

    @property
    def verdict(self) -> str:
        """A key of `VERDICTS`; empty where there is nothing to judge."""
        if self.evaluation is None:
            return ""
        return "not_integrable" if self.judgement is None else self.judgement.code

    @property
    def sentence(self) -> str:
        """The verdict in words, which are those of a loss where one was minimized."""
        words = self._words
        return words if self.judgement is None else words.replace("sum of squares", self.judgement.measure)

    @property
    def _words(self) -> str:
        if not self.verdict:
            return "There is nothing to compare with."
        if self.verdict == "stopped" and self.is_minimum:
            return f"{VERDICTS['minimum']} {VERDICTS['stopped']}"
        if self.judgement is not None and self.verdict == "undetermined":
            return f"{VERDICTS[self.verdict]}{reservation(self.judgement.undetermined)}."
        return VERDICTS[self.verdict]

    @property
    def is_minimum(self) -> bool:
        """Whether what is minimized has a minimum here, whatever ended a search."""
        return self.judgement is not None and self.judgement.is_minimum

    @property
    def sum_of_squares(self) -> float:
        """Infinite where there is none."""
        return math.inf if self.evaluation is None else self.evaluation.sum_of_squares


@np.errstate(all="ignore")  # what cannot be computed becomes NaN or infinite, and is told to be unknown
def appraised(env: Environment) -> Appraisal:
    """Appraise the present parameters by the linear theory there, as STATS does, whether they were fitted or not."""
    trajectory = env.integrated or env.simulator()(env.values)
    if not env.model.parameters or env.observations is None or not env.observations.n_observations:
        return Appraisal(trajectory)
    there = env.with_samples(default_samples(env.model, env.observations)) if env.samples.uniform else env
    problem = there.problem()
    at = problem.evaluate(env.parameters.point)
    if not at.usable:
        return Appraisal(trajectory, at)
    found = problem_statistics(problem, at, LEVEL)
    judgement = env.judgement or judged_at(problem, at)
    errors, low, high = _errors(problem, at, judgement.standing, found)
    words = _words(env, judgement.standing, errors)
    known = np.array([word == "estimated" for word in words])
    errors, low, high = (np.where(known, each, np.nan) for each in (errors, low, high))
    likelihood = problem.likelihood(at)
    return Appraisal(trajectory, at, found, judgement, errors, low, high, words, likelihood)


def _errors(problem: TrajectoryFit, at: Evaluation, stands: Standing, found: Statistics) -> tuple[Array, Array, Array]:
    """Standard errors of the parameters themselves, whatever their scaling, and both ends of their intervals.

    What presses against a bound is held there, unlike in the statistics that were `found`.
    """
    map_, active = problem.parameters, list(problem.parameters.active)
    low, high = (np.full(len(map_.names), np.nan) for _ in range(2))
    held = stands.pressed
    if held:
        found = problem_statistics(problem, at, LEVEL, held)
    if found.intervals is not None:
        widths = np.full(len(active), np.nan)
        widths[np.delete(np.arange(len(active)), held)] = found.intervals.single
        low[active], high[active] = map_.ends(widths)
    return standard_errors(problem, at, held=held, found=found.determination).values, low, high


def _words(env: Environment, found: Standing, errors: Array) -> tuple[str, ...]:
    """How each parameter stands; errors (n_params,) are infinite where the data do not determine it."""
    map_, fitted = env.parameters, "robust" if env.loss else "estimated"
    words = ["frozen" if k in map_.frozen else fitted for k in range(len(map_.names))]
    for j, k in enumerate(map_.active):
        if np.isinf(errors[k]) or j in (*found.flat, *found.unused):
            words[k] = "not_determined"
        if j in found.pressed:
            words[k] = "at_bound"
    return tuple(words)
