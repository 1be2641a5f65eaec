"""The one place where an environment becomes a simulator, curves, and the problems that are fitted.

`Environment` is such a `Builders`. Advice, pictures, Python and the commands ask it, so that all of them look at the
very problem that a fit solves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.data.stacking import columns_of_experiment
from parfit.errors import StateError
from parfit.estimation.noise import Noise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.conditions.design import Design
from parfit.model.curves import Curve
from parfit.model.language.expression import Name
from parfit.model.model import Model
from parfit.model.naming import experiment_of
from parfit.session.needs import NEEDS
from parfit.session.records import Continuation, Display, Guess, Options, Samples, Smoothing
from parfit.simulation.method import Method
from parfit.simulation.simulator import WAITS, Simulator

if TYPE_CHECKING:  # what fits curves is imported by who builds it: a FIT does not wait for it
    from parfit.estimation.optimizers.sparse_gauss_newton import Guesses
    from parfit.estimation.problems.continuation import ContinuationFit
    from parfit.estimation.problems.derivative_fit import DefectFit, DerivativeFit
    from parfit.estimation.problems.integral_fit import IntegralFit, QuadratureFit

MOST_READY = 16  # simulators that wait for who asks for the same again, at other values of the parameters too


class Builders:
    """What can be built from the fields that an environment has."""

    model: Model
    parameters: ParameterMap
    samples: Samples
    observations: Observations | None
    options: Options
    smoothing: Smoothing | None
    guesses: Mapping[str, Guess]
    noise: Noise
    display: Display

    def require(self, *needs: str) -> None:
        """Raise a `StateError` if something is missing; `NEEDS` lists what there is to require."""
        for need in needs:
            present, lack, advice = NEEDS[need]
            if not present(self):
                raise StateError(lack, advice)

    @property
    def sizes(self) -> Array:
        """Sizes of the states: the largest observations, 0 where there are none, (n_states,)."""
        return _sizes(self.model, self.observations)

    @property
    def variables(self) -> tuple[str, ...]:
        """What can be plotted and observed: the states and the aux quantities."""
        return (*self.model.states, *(name for name, _ in self.model.aux))

    @property
    def design(self) -> Design | None:
        """The experiments, if the data tell of any."""
        return None if self.observations is None else self.observations.design

    @property
    def in_sight(self) -> str:
        """The one of several experiments that pictures and guesses speak of; nothing if they speak of all."""
        names = [part.name for part in self.model.parts]
        return self.display.experiment if self.display.experiment in names else ""

    def sighted(self, names: Sequence[str]) -> list[str]:
        """Those of the experiment in sight; all where there is none, or none of them belongs to it."""
        own = [name for name in names if self.in_sight in experiment_of(name).split("+")] if self.in_sight else []
        return own or list(names)

    # ---- the equations

    def simulator(self, active: Sequence[int] | None = None) -> Simulator:
        """What integrates the model at the sample times, with derivatives by the active parameters, or by others."""
        by = self.parameters.active if active is None else tuple(active)
        return _simulator(self.model, self.samples, self.observations, self.options.method, by)

    def problem(self) -> TrajectoryFit:
        """The full least-squares problem."""
        self.require("parameters", "observations", "observation times")
        assert self.observations is not None
        return TrajectoryFit(self.simulator(), self.parameters, self.observations, self.noise)

    def noise_residuals(self) -> Array | None:
        """The residuals of the observations as a fit with noise models has them; None where weights say all."""
        if not self.noise or self.observations is None:
            return None
        return self.problem().evaluate(self.parameters.point).residuals[: self.observations.n_observations]

    # ---- curves in place of solutions

    def curves(self) -> dict[str, Curve]:
        """The curves of the observed variables; one with too few values for a curve counts as not observed."""
        self.require("observations", "smoothing")
        assert self.observations is not None
        assert self.smoothing is not None
        last, end = float(self.observations.on_the_way.times[-1]), float(self.samples.times[-1])
        if end > last:  # where the curves are cubics that nothing holds
            raise StateError(
                f"the observations were smoothed up to {last:g}, but the sample times go to {end:g}",
                "SAMPLE 1 restores them, SAMPLE 2 makes a shorter mesh",
            )
        return dict(self.smoothing.curves)

    def guessed_values(self) -> dict[str, Array]:
        """The guesses of all states that were not observed, at the sample times."""
        smoothed = self.curves()
        needed = [name for name in self.model.states if name not in smoothed]
        missing = [name for name in needed if name not in self.guesses]
        if not needed:
            raise StateError("all states were observed, so that there is nothing to guess", "use option 1")
        if missing:
            raise StateError(
                f"{', '.join(missing)} {'was' if len(missing) == 1 else 'were'} neither observed nor guessed",
                "CREOBS guesses",
            )
        t = self.samples.times
        for name in needed:
            first, last = self.guesses[name].t[0], self.guesses[name].t[-1]
            if t[0] < first or t[-1] > last:
                raise StateError(
                    f"{name} was guessed from {first:g} to {last:g}, but the sample times go from {t[0]:g} to "
                    f"{t[-1]:g}",
                    "guess it again with CREOBS",
                )
        return {name: self.guesses[name].curve(t) for name in needed}

    def curve_weights(self, guessed: Mapping[str, Array] | None = None) -> dict[str, Array]:
        """What the residuals of curves, and of guesses, weigh at the sample times."""
        from parfit.estimation.curves.sampled import weights_of_curves

        curves = self.curves()
        assert self.observations is not None
        return weights_of_curves(self.observations, curves, self.samples.times, guessed or {}, self.options.of_1977)

    def _require_no_jumps(self) -> None:
        """Smooth curves pass through what jumps, and their slopes and integrals would be those of something else."""
        if self.model.jumps:
            raise StateError(
                "states of this model jump (set, dose, global), and smooth curves through data cannot",
                "FIT, CONTIN and SHOOT take the jumps as they are",
            )

    def derivative_problem(self, guessed: bool = False) -> DerivativeFit:
        """The slopes of the curves, with the guesses as curves, or with the other states integrated along."""
        from parfit.estimation.problems.derivative_fit import DerivativeFit

        self._require_no_jumps()
        curves, values = self.curves(), self.guessed_values() if guessed else {}
        curves |= {name: self.guesses[name].curve for name in values}
        weights = self.curve_weights(values)
        how, times = self.options.method, self.samples.times
        return DerivativeFit(self.model, self.parameters, times, curves, how, self.sizes, weights)

    def defect_problem(self, guessed: Mapping[str, Array]) -> DefectFit:
        """The slopes of the curves, and the defects of guesses, which are values at the sample times."""
        from parfit.estimation.problems.derivative_fit import DefectFit

        self._require_no_jumps()
        curves, weights = self.curves(), self.curve_weights(guessed)
        return DefectFit(self.model, self.parameters, self.samples.times, curves, guessed, weights)

    def integral_problem(self) -> IntegralFit:
        """Integrals of the equations along the curves, of which every state has one."""
        from parfit.estimation.problems.integral_fit import IntegralFit

        self._require_no_jumps()
        curves, weights = self.curves(), self.curve_weights()
        how, times = self.options.method, self.samples.times
        return IntegralFit(self.model, self.parameters, times, curves, how, self.sizes, weights)

    def quadrature_problem(self, guessed: Mapping[str, Array]) -> QuadratureFit:
        """Integrals along curves and guesses, which are values at the sample times."""
        from parfit.estimation.problems.integral_fit import QuadratureFit

        self._require_no_jumps()
        curves, weights = self.curves(), self.curve_weights(guessed)
        return QuadratureFit(self.model, self.parameters, self.samples.times, curves, guessed, weights)

    def guesses_problem(self, guessed: Mapping[str, Array], fixed: bool) -> Guesses:
        """The guesses themselves, at the present parameters; `fixed` holds their first values."""
        from parfit.estimation.optimizers.sparse_gauss_newton import Guesses

        self._require_no_jumps()
        curves, weights = self.curves(), self.curve_weights(guessed)
        return Guesses(self.model, self.parameters.full, self.samples.times, curves, guessed, fixed, weights)

    def continuation_problem(self, settings: Continuation) -> ContinuationFit:
        """Equations that see curves and solution mixed, with break points."""
        from parfit.estimation.problems.continuation import Broken, ContinuationFit

        if self.model.waits:
            raise StateError(WAITS, "FIT does without curves")
        times = self.samples.times
        breaks = tuple(int(k) for k in np.searchsorted(times, settings.breaks))
        broken = Broken(settings.gamma, breaks, settings.alpha, settings.weights)
        curves, weights, how = self.curves(), self.curve_weights(), self.options.method
        return ContinuationFit(self.model, self.parameters, times, curves, broken, how, self.sizes, weights)


@lru_cache(maxsize=MOST_READY)
def _simulator(
    model: Model, samples: Samples, data: Observations | None, method: Method, active: tuple[int, ...]
) -> Simulator:
    """What integrates the equations, made once for values that never change."""
    times = np.append(samples.times, np.inf) if data is not None and data.has_rest else samples.times
    return Simulator(model, times, method, active, _sizes(model, data), ends=_ends(model, samples, data))


def _sizes(model: Model, data: Observations | None) -> Array:
    """Of the states, by the data; an aux quantity that is a state by another name counts as one."""
    largest: dict[str, float] = {}
    if data is not None:
        names = {name: node.name for name, node in model.aux if isinstance(node, Name)}
        largest = {names.get(name, name): size for name, size in zip(data.names, data.maxima, strict=True)}
    return np.array([largest.get(name, 0.0) for name in model.states])


def _ends(model: Model, samples: Samples, data: Observations | None) -> list[float] | None:
    """Of several experiments, the last time at which something was observed in each.

    Who samples beyond all observations wants to see where all of them go.
    """
    if data is None or not model.parts or samples.times[-1] > data.on_the_way.times.max(initial=-np.inf):
        return None
    seen = [data.observed[:, columns_of_experiment(data, part.name)].any(axis=1) for part in model.parts]
    return [float(data.times[rows].max(initial=model.t0)) for rows in seen]
