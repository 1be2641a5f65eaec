"""The direct problem: the solution of the equations against the observations (thesis, section 1.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from parfit.arrays import Array, read_only
from parfit.data.observations import Observations, make_observations
from parfit.errors import ParfitError
from parfit.estimation.freedom import Freedom, freedom
from parfit.estimation.likelihood.estimates import Likelihood, likelihood
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.noise import Noise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation, Slack
from parfit.estimation.problems.compared_rows import TooLarge, observation_rows, rows_in_kernel
from parfit.estimation.spread import spread
from parfit.kernel.residuals import Residuals
from parfit.kernel.residuals import sum_of_squares as squared
from parfit.model.calculus.structure import used
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Reason
from parfit.simulation.trajectory import Integrator, Step, Trajectory
from parfit.simulation.trajectory import Result as Solution

LOOSEST, MOST = 1e-3, 1e4  # errors next to what is observed, and next to EPS, while a fit is far from its end


def residuals(trajectory: Trajectory, observations: Observations) -> Array:
    """w (y - v) of every observation, by time and then by variable (Appendix A, section 1), (n_observations,)."""
    return observation_rows(trajectory.simulator, observations).rows(trajectory, np.ones(len(trajectory.active)))[0]


def jacobian(trajectory: Trajectory, parameters: ParameterMap, observations: Observations) -> Array:
    """Derivatives of the residuals by the active parameters, scaled, (n_observations, n_active)."""
    return parameters.chain(parameters.point, sensitivities(trajectory, observations))


def sensitivities(trajectory: Trajectory, observations: Observations) -> Array:
    """Derivatives of the residuals by the active parameters themselves, whatever their scaling."""
    jac = observation_rows(trajectory.simulator, observations).rows(trajectory, np.ones(len(trajectory.active)))[1]
    if jac is None:
        raise ParfitError("this simulation was made without sensitivities")
    return jac


def sum_of_squares(trajectory: Trajectory, observations: Observations) -> float:
    """F = f'f; infinite if the integration did not reach the last observation."""
    total: float = squared(residuals(trajectory, observations))
    return total if np.isfinite(total) else np.inf


def total(trajectory: Trajectory, observations: Observations, noise: Noise) -> float:
    """F, or where there are noise models the sum of squares that stands for their likelihood."""
    if not noise:
        return sum_of_squares(trajectory, observations)
    rows = observation_rows(trajectory.simulator, observations)
    f = rows.rows(trajectory, np.ones(len(trajectory.active)))[0]
    return NoiseRows(noise, observations).total(f, partial(rows.quantity, trajectory, None))


class Compared:
    """The least-squares problem of whatever can be integrated in the scaled active parameters."""

    def __init__(
        self, simulator: Integrator, parameters: ParameterMap, observations: Observations, noise: Noise | None = None
    ):
        self.noise = Noise() if noise is None else noise
        self._noisy = NoiseRows(self.noise, observations) if self.noise else None
        self.simulator, self.parameters, self.observations = simulator, parameters, observations
        self._rows = observation_rows(simulator, observations)
        self._refuse_mismatch()
        self._last: tuple[bytes, Evaluation] | None = None

    def _refuse_mismatch(self) -> None:
        """What is not made for the same parameters and times would be compared with something else, silently."""
        by, active = self.simulator.compiled.active, self.parameters.active
        if by != active:
            raise ParfitError(
                f"the simulator differentiates by the parameters {by}, but {active} are active; both must be "
                "the same subscripts, in the same order"
            )
        if self._rows.missing.size:
            raise ParfitError(
                f"an observation at t = {self._rows.missing[0]:g} is not at one of the simulator's times"
            )

    @cached_property
    def spread(self) -> float:
        """That of the observations, a weighted sum of squares."""
        return spread(self.observations.values, self.observations.weights)

    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian from one integration; a failure of it is the result's status.

        The latest is remembered: who looks at the start before a fit does not integrate there twice.
        """
        key, last = active.tobytes(), self._last
        if last is None or last[0] != key:
            last = self._last = key, self._evaluated(active)  # threads that share the problem get their own
        return last[1]

    def _evaluated(self, active: Array) -> Evaluation:
        return self.of_run(active, self.simulator(self.parameters.expand(active), sensitivities=True))

    def of_run(self, active: Array, run: Trajectory) -> Evaluation:
        """Residuals and Jacobian from a solution with sensitivities."""
        p = run.parameters
        f, jac = self._rows.rows(run, self.parameters.slopes(active))
        assert jac is not None
        found = Evaluation(f, jac, run.status, run)
        if not math.isfinite(float(p.sum())):  # a scaled parameter has gone too far, and the equations did not notice
            found = replace(found, status=TooLarge(Reason.START))
        elif not found.usable and run.status:
            found = replace(found, status=self._rows.fault(f, jac))
        if self._noisy is None:
            return found
        if not found.usable:
            return self._noisy.padded(found)
        return self._noisy.applied(found, partial(self._rows.quantity, run, self.parameters.slopes(active)))

    def residuals(self, run: Trajectory) -> Array:
        """Those of a solution, whose sum of squares is minimized."""
        f = residuals(run, self.observations)
        return f if self._noisy is None else self._noisy.residuals(f, partial(self._rows.quantity, run, None))

    def weighted(self, at: Evaluation) -> Observations:
        """The observations with what they weigh at a point: the weights, unless there are noise models."""
        data = self.observations
        if self._noisy is None or at.trajectory is None:
            return data
        weights = data.weights.copy()
        f = residuals(at.trajectory, data)
        weights[data.observed] = self._noisy.weights(f, partial(self._rows.quantity, at.trajectory, None))
        return make_observations(data.times, data.names, data.values, weights)

    def likelihood(self, at: Evaluation) -> Likelihood | None:
        """What the data say of a usable evaluation by all active parameters, if there are noise models."""
        if self._noisy is None or at.trajectory is None:
            return None
        rows = NoiseRows(self.noise, self.observations, rounded=0.0)
        return likelihood(
            rows,
            residuals(at.trajectory, self.observations),
            partial(self._rows.quantity, at.trajectory, None),
            self.freedom(at),
        )

    def freedom(self, at: Evaluation, held: Sequence[int] = ()) -> Freedom:
        """What a usable evaluation determines, and how many errors are left; without what is `held`."""
        return freedom(self.expected(at), self.observations, held)

    def expected(self, at: Evaluation, p: Array | None = None) -> Evaluation:
        """A usable evaluation at p, by default the problem's own point, with the information expected of it."""
        if self._noisy is None or not self._noisy.has_laplace or at.trajectory is None:
            return at
        slopes = self.parameters.slopes(self.parameters.point if p is None else p)
        f, jac = self._rows.rows(at.trajectory, slopes)
        if jac is None:
            return at
        plain = Evaluation(f, jac, at.status, at.trajectory)
        found = self._noisy.applied(plain, partial(self._rows.quantity, at.trajectory, slopes), expected=True)
        if not found.usable or self.known_variance(at) is not None:
            return found
        same = math.sqrt(at.sum_of_squares / found.sum_of_squares)  # for both are shown as one
        of_priors = None if found.of_priors is None else same * found.of_priors
        return replace(found, residuals=same * found.residuals, jac=same * found.jac, of_priors=of_priors)

    def known_variance(self, at: Evaluation) -> float | None:
        """That of the rows of a usable evaluation with noise models or priors, if no error is estimated from them."""
        if self._noisy is None or at.trajectory is None:
            return None
        f = residuals(at.trajectory, self.observations)
        return self._noisy.known_variance(f, partial(self._rows.quantity, at.trajectory, None))

    def error_sizes(self, at: Evaluation) -> Array:
        """Those of the observations at a usable evaluation, as noise models have them, (n_observations,)."""
        assert at.trajectory is not None
        rows, f = NoiseRows(self.noise, self.observations, rounded=0.0), residuals(at.trajectory, self.observations)
        return rows.sizes(f, partial(self._rows.quantity, at.trajectory, None))

    @cached_property
    def depended_on(self) -> frozenset[int]:
        """Subscripts of the parameters that what is minimized depends on: by the data, their errors or a prior."""
        model, noise = self.simulator.model, self.noise
        names = {*self.observations.fitted_names, *noise.quantities} & {
            *model.states,
            *(name for name, _ in model.aux),
        }
        direct = {*noise.felt, *noise.quantities}
        own = {k for k, name in enumerate(model.parameters) if name in direct}
        return frozenset(used(model, tuple(names))) | own


class TrajectoryFit(Compared):
    """The least-squares problem of the full equations."""

    simulator: Simulator

    def __init__(
        self, simulator: Simulator, parameters: ParameterMap, observations: Observations, noise: Noise | None = None
    ):
        super().__init__(simulator, parameters, observations, noise)
        self.status = self._rows.status  # from what the kernel says of an evaluation

    @cached_property
    def kernel(self) -> Residuals | None:
        """The same problem for the kernel, where whole fits are made; None if it is evaluated here."""
        return None if self.noise else rows_in_kernel(self._rows, self.simulator, self.parameters)

    def _evaluated(self, active: Array) -> Evaluation:
        if self.kernel is None:
            return super()._evaluated(active)
        return self.evaluation(*self.kernel.at(np.ascontiguousarray(active, dtype=float)))

    @property
    def precision(self) -> float:
        """That of evaluations."""
        return self.simulator.method.precision

    @cached_property
    def slack(self) -> Slack:
        """Errors are EPS of what is observed, where the method has an EPS, and may be up to LOOSEST."""
        how = self.simulator.method
        if how.procedure != "gear" or self.noise or isinstance(self.simulator.integrator, partial):
            return Slack()
        return Slack(how.eps * self._rows.size, min(max(1.0, LOOSEST / how.eps), MOST))

    def evaluate_loosely(self, active: Array, looseness: float) -> Evaluation:
        """The same with errors so many times as large."""
        p = self.parameters.expand(active)
        solution = self.simulator.integrator(p, True, looseness=looseness)
        return self.of_run(active, Trajectory(self.simulator, p, solution))

    def evaluation(
        self, p: Array, f: Array, jac: Array, solution: Solution, total: float, fault: int, row: int
    ) -> Evaluation:
        """From what the kernel tells of a point."""
        run = Trajectory(self.simulator, p, solution, partial(self.simulator.integrator, p, True))
        reason, time, state = solution[2][:3]
        return Evaluation.summed(f, jac, self.status(fault, row, reason, time, state), run, total)

    def observing(self, values: Array, noise: Noise | None = None) -> TrajectoryFit:
        """The same problem, had other values been observed, (n_rows, n_names), with other noise if that is given."""
        data = replace(self.observations, values=read_only(values))
        return TrajectoryFit(self.simulator, self.parameters, data, self.noise if noise is None else noise)

    def remembered(self, active: Array) -> Evaluation | None:
        """The latest evaluation, if it was there."""
        last = self._last
        return last[1] if last is not None and last[0] == active.tobytes() else None

    def remember(self, active: Array, found: Evaluation) -> None:
        """Who asks for this point next does not wait for it."""
        self._last = active.tobytes(), found

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration, one in `every`."""
        return self.simulator.steps(self.parameters.expand(active), every)
