"""Variable projection: parameters in which what is observed is linear are solved for in every evaluation.

Scale factors and offsets of observables are best where the residuals are orthogonal to their columns. What is left is
a problem in the other parameters, whose gradient is exact at that point and whose Jacobian, projected onto what the
solved ones cannot imitate, is that of Kaufman (1975) for the method of Golub and Pereyra (1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array, Mask
from parfit.errors import StateError
from parfit.estimation.parameters import TINY, Scaling
from parfit.estimation.problem import Evaluation, Slack
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.calculus.structure import Structure
from parfit.model.model import Model
from parfit.model.naming import base_of
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import directions, within_bounds

MOST = 50  # steps, where noise models make the inner problem one of several
ORTHOGONAL = 1e-10  # what is left of the residuals, next to all of them, that the solved parameters could imitate
HALVINGS = 20


class Projected(TrajectoryFit):
    """A problem in some parameters, the linear ones being solved for; `whole` is that of all of them."""

    def __init__(self, problem: TrajectoryFit, whole: TrajectoryFit):
        super().__init__(problem.simulator, problem.parameters, problem.observations, problem.noise)
        map_ = whole.parameters
        own = [k for k in map_.active if k not in problem.parameters.active]
        plain = tuple(Scaling.NONE if k in own else each for k, each in enumerate(map_.scaling))
        self._map = replace(map_, scaling=plain)
        self._whole = TrajectoryFit(whole.simulator, self._map, whole.observations, whole.noise)
        self._own = own
        positive = np.array([map_.scaling[k] is not Scaling.NONE for k in own], dtype=bool)
        low = np.where(positive, np.maximum(map_.lower[own], TINY), map_.lower[own])
        self._limits = low, map_.upper[own]
        self._solved = np.array([k in own for k in map_.active], dtype=bool)

    @property
    def kernel(self) -> None:
        """Such a problem is evaluated here."""
        return None

    @property
    def slack(self) -> Slack:
        """None: whatever is solved for is so at every accuracy."""
        return Slack()

    def _evaluated(self, active: Array) -> Evaluation:
        full = self.parameters.expand(active)
        run = self._whole.simulator(full, sensitivities=True)
        found = self._solve(active, run, np.clip(full[self._own], *self._limits))
        if not found.usable:
            return replace(found, jac=found.jac[:, ~self._solved])
        assert found.trajectory is not None
        free = self._free(found, found.trajectory.parameters[self._own])
        columns, others = found.jac[:, np.flatnonzero(self._solved)[free]], found.jac[:, ~self._solved]
        basis = directions(columns, found.precision).u
        return replace(found, jac=others - basis @ (basis.T @ others))

    def _at(self, active: Array, run: Trajectory, solved: Array) -> Evaluation:
        """The whole problem at one solution of the equations, which the solved parameters do not change."""
        point, full = np.empty(self._solved.size), run.parameters.copy()
        point[~self._solved], point[self._solved], full[self._own] = active, solved, solved
        return self._whole.of_run(point, replace(run, parameters=full))

    def _solve(self, active: Array, run: Trajectory, solved: Array) -> Evaluation:
        """The best values of the linear parameters: one step, or a few where noise models weigh anew."""
        at = self._at(active, run, solved)
        for _ in range(MOST):
            if not at.usable:
                return at
            low, high = self._limits
            step = within_bounds(at.jac[:, self._solved], at.residuals, (low - solved, high - solved))
            moved = float(np.linalg.norm(at.jac[:, self._solved] @ step))
            if moved <= ORTHOGONAL * np.sqrt(at.sum_of_squares):
                return at
            for _ in range(HALVINGS):
                there = self._at(active, run, solved + step)
                if there.usable and there.sum_of_squares <= at.sum_of_squares:
                    break
                step = 0.5 * step
            else:
                return at
            at, solved = there, solved + step
            if not self.noise:
                return at
        return at

    def _free(self, at: Evaluation, solved: Array) -> Mask:
        """Which of the solved parameters no bound holds."""
        low, high = self._limits
        pull = at.gradient[self._solved]
        held: Mask = ((solved <= low) & (pull > 0.0)) | ((solved >= high) & (pull < 0.0))
        return ~held


def is_projected(problem: TrajectoryFit) -> bool:
    """Whether parameters are solved for."""
    return isinstance(problem, Projected)


def reached_values(problem: TrajectoryFit, p: Array, at: Evaluation) -> Array:
    """All parameters where a search has ended, those that were solved for among them."""
    if is_projected(problem) and at.trajectory is not None:
        return at.trajectory.parameters
    return problem.parameters.expand(p)


def refuse_what_is_not_linear(model: Model, names: Sequence[str], problem: TrajectoryFit) -> None:
    """Refuse parameters that cannot be solved for, with the reason."""
    structure, observed = Structure(model), problem.observations.fitted_names
    places = [model.parameters.index(name) for name in names]
    elsewhere = structure.occurring(model.states)
    for name, k in zip(names, places, strict=True):
        if k in elsewhere:
            raise StateError(
                f"`linear {name}`: the solution depends on {name}, which only what is observed may",
                f"MODEL remove linear {base_of(name)} has it searched for like the others",
            )
    aux = [name for name in observed if name not in model.states]
    if not structure.is_affine(aux, places):
        raise StateError(
            f"`linear {', '.join(names)}`: what is observed is not linear in all of them together",
            "MODEL remove linear NAME has one searched for like the others",
        )
    for variable in aux:
        noise = problem.noise.models.get(variable)
        own = [names[places.index(k)] for k in structure.parameters([variable]) if k in places]
        if noise is not None and noise.form.is_of_logarithm and own and not _is_factor(problem, variable, own):
            raise StateError(
                f"`linear {', '.join(own)}`: with errors of logarithms {variable} may have a factor, but no offset",
                f"NOISE {variable} ADDITIVE or RELATIVE, or MODEL remove linear {base_of(own[0])}",
            )


def _is_factor(problem: TrajectoryFit, variable: str, own: Sequence[str]) -> bool:
    """Whether a variable is 0 where these parameters are."""
    values = problem.parameters.full.copy()
    values[[problem.parameters.names.index(name) for name in own]] = 0.0
    return len(own) == 1 and not problem.simulator(values).column(variable).any()
