"""The environment: everything the commands work in and on, as one value that never changes.

What depends on what is written in the `with_*` methods and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array, Unchanging, read_only
from parfit.awaited import Awaited
from parfit.data.beginning import begun
from parfit.data.observations import Observations, make_observations
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.diagnosis.judgement import Judgement
from parfit.estimation.likelihood.said import check_priors, said, with_limits
from parfit.estimation.noise import Noise
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Result
from parfit.estimation.problems.trajectory_fit import total
from parfit.model.conditions.design import Design
from parfit.model.model import Model
from parfit.session import carrying
from parfit.session.builders import Builders
from parfit.session.records import Continuation, Creation, Display, Guess, Iterate, Note, Options, Samples, Smoothing
from parfit.session.results import (
    OF_SOLUTIONS,
    OF_SUMS,
    Basis,
    Computed,
    FitRecord,
    Integration,
    Mark,
    Profiled,
    Resampled,
    Results,
    Studied,
    but,
    differences,
)
from parfit.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from parfit.estimation.diagnosis.study import Study
    from parfit.estimation.profiles.profile import Profile
    from parfit.estimation.resampling import Bootstrap


@dataclass(frozen=True, eq=False)
class Environment(Unchanging, Builders, Computed):
    """Model, data, parameters, settings and the latest results."""

    model: Model
    parameters: ParameterMap
    first_values: Array  # the values the parameters began with
    samples: Samples
    observations: Observations | None = None
    options: Options = field(default_factory=Options)
    results: Results = field(default_factory=Results)  # of this model and these data
    noise: Noise = field(default_factory=Noise)  # of the observations, beside their weights
    smoothing: Smoothing | None = None
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    linear: bool | None = None  # what LINEAR said of curve fitting; None leaves it to the program
    creation: Creation | None = None
    notes: tuple[Note, ...] = ()
    marks: tuple[Mark, ...] = ()
    fits: tuple[FitRecord, ...] = ()  # that led here, of other models and data too
    echo: bool = False
    display: Display = field(default_factory=Display)
    folder: str = ""  # where the model was read, and its tables are
    origin: str = ""  # the command that made this environment of the one before

    @classmethod
    def of(
        cls,
        model: Model,
        observations: Observations | None = None,
        first_values: Array | None = None,
        folder: str = "",
        options: Options | None = None,
    ) -> Environment:
        """The environment in which a conversation about a model begins."""
        model = begun(model, observations)
        values = read_only(model.values if first_values is None else first_values)
        parameters, seen = carrying.fresh(model, values), () if observations is None else observations.names
        samples = carrying.default_samples(model, observations)
        marks = carrying.marks_of(model)
        data = samples, observations, options or Options(), Results(), said(model, seen)
        return cls(model, parameters, values, *data, marks=marks, folder=folder)

    # ---- what it has

    @property
    def values(self) -> Array:
        """All parameters, unscaled, (n_params,)."""
        return self.parameters.full

    # ---- what was computed

    @property
    def basis(self) -> Basis:
        """What is computed now is computed from this."""
        times, method = self.samples.times, self.options.method
        return Basis(self.model, self.observations, times, method, self.values, self.parameters, self.loss, self.noise)

    def stale(self, aspects: Iterable[str] = OF_SOLUTIONS) -> list[str]:
        """What the last solution was made with that is not so any more: "other values of the parameters"."""
        return [] if self.integration is None else differences(self.integration.basis, self.basis, aspects)

    def stale_sum(self, mark: Mark) -> list[str]:
        """What the sum of squares of a mark was computed with that is not so any more."""
        return [] if mark.basis is None else differences(mark.basis, self.basis, OF_SUMS)

    @property
    def integrated(self) -> Trajectory | None:
        """The last solution, if it is that of the present parameters by the present method."""
        return None if self.integration is None or self.stale() else self.integration.trajectory

    @property
    def sum_of_squares(self) -> float | None:
        """F at the present parameters, if they were integrated with the observation times among the sample times."""
        run = self.integrated
        if run is None or self.observations is None or self.samples.uniform:
            return None
        return total(run, self.observations, self.noise)

    # ---- transitions

    def with_other_model(self, model: Model, folder: str) -> Environment:
        """Another model altogether; settings, notes and what can be kept of the observations stay."""
        model = begun(model, self.observations)
        fresh = carrying.fresh(model, read_only(model.values))
        env = replace(
            self,
            noise=self.noise.without_priors(),
            parameters=fresh,
            first_values=fresh.full,
            creation=None,
            folder=folder,
        )
        for mark in carrying.marks_of(model):
            env = env.with_mark(mark)
        return env._with_model(model, fresh.full, fresh)

    def with_model(self, model: Model) -> Environment:
        """The model changed: parameters that survive keep value, freezing, scaling and bounds; results are gone."""
        model = begun(model, self.observations)
        return self._with_model(model, *carrying.carried(self.model, self.first_values, self.parameters, model))

    def _with_model(self, model: Model, first_values: Array, parameters: ParameterMap) -> Environment:
        observations = carrying.observations_for(model, self.observations)
        whole = carrying.is_whole(observations, self.observations)
        model = begun(model, observations)
        uniform = self.samples.uniform and self.samples.times[0] == model.t0
        samples = self.samples if uniform else carrying.default_samples(model, observations)
        return replace(
            self,
            model=model,
            parameters=parameters,
            first_values=first_values,
            samples=samples,
            observations=observations,
            noise=carrying.noise_for(self, model, observations),
            results=Results(),
            smoothing=self.smoothing if whole else None,
            creation=self.creation if whole else None,
            guesses={name: guess for name, guess in self.guesses.items() if name in model.states},
            linear=None,
        )

    def with_observations(self, observations: Observations | None, first_values: Array | None = None) -> Environment:
        """Other data, at whose times the equations are to be integrated."""
        seen = () if observations is None else observations.names
        model = begun(self.model, observations)
        start, parameters = carrying.kept(self.model, self.first_values, self.parameters, model)
        env = replace(
            self,
            model=model,
            parameters=parameters,
            first_values=start,
            observations=observations,
            noise=carrying.noise_for(self, model, observations),
            guesses={name: guess for name, guess in self.guesses.items() if name not in seen},
            samples=carrying.default_samples(model, observations),
            results=Results(),
            smoothing=None,
            creation=None,
        )
        if first_values is None:
            return env
        return replace(env.with_values(first_values), first_values=read_only(first_values))

    def with_weights(self, weights: ArrayLike, design: Design | None = None) -> Environment:
        """The same observations, weighted otherwise, (n_rows, n_names)."""
        assert self.observations is not None
        old = self.observations
        given = (old.sds, old.source, old.begin, old.labels, design or old.design)
        new = make_observations(old.times, old.names, old.values, weights, *given)
        return replace(self, observations=new, smoothing=None)

    def with_noise(self, noise: Noise) -> Environment:
        before = self.noise.priors
        check_priors(noise, self.parameters, {name for name, each in noise.priors.items() if before.get(name) != each})
        return replace(self, noise=noise)

    def with_values(self, values: ArrayLike) -> Environment:
        """Other values of all parameters; the last integration stays, with the values it was made at."""
        return but(self, parameters=self._moved(values)).with_loss("")

    def _moved(self, values: ArrayLike) -> ParameterMap:
        full = np.array(values, dtype=float)
        if not np.isfinite(full).all():
            raise ParfitError("a parameter must be a finite number")
        return self.parameters.with_values(full)

    def with_frozen(self, names: Iterable[str]) -> Environment:
        """These parameters are held, and no others."""
        frozen = frozenset(self.model.parameters.index(name) for name in names)
        return replace(self, parameters=replace(self.parameters, frozen=frozen))

    def with_scaling(self, scaling: Mapping[str, Scaling]) -> Environment:
        """These parameters are transformed, and no others."""
        scalings = tuple(scaling.get(name, Scaling.NONE) for name in self.model.parameters)
        return replace(self, parameters=replace(self.parameters, scaling=scalings))

    def with_bounds(self, lower: ArrayLike, upper: ArrayLike) -> Environment:
        """Limits between which the parameters must stay, (n_params,) each; those of uniform priors hold as well."""
        before = self.parameters
        parameters = replace(before, lower=np.array(lower), upper=np.array(upper))
        moved = (parameters.lower != before.lower) | (parameters.upper != before.upper)
        check_priors(self.noise, parameters, {name for name, new in zip(before.names, moved, strict=True) if new})
        return replace(self, parameters=with_limits(parameters, self.noise))

    def with_samples(self, samples: Samples) -> Environment:
        """Other sample times, at which nothing has been integrated yet."""
        return replace(self, samples=samples, results=replace(self.results, integration=None))

    def with_options(self, options: Options) -> Environment:
        """Other control parameters; where the defaults are others, none are remembered."""
        env = replace(self, options=options)
        same = options.of_1977 == self.options.of_1977
        return env if same else env._with_results(marquardt=None, more=None)

    def with_search(self, settings: marquardt.Settings | bounded.Settings) -> Environment:
        """What the next FIT of the kind begins with, if somebody is asked."""
        kind = "marquardt" if isinstance(settings, marquardt.Settings) else "more"
        return self._with_results(**{kind: settings})

    def with_display(self, display: Display) -> Environment:
        return replace(self, display=display)

    def with_integration(self, trajectory: Trajectory, details: Iterable[object] = ()) -> Environment:
        """A solution, which knows itself how it was made; the parameters count as they are now."""
        solved = self._integration(trajectory, self.parameters, self.loss)
        return self._with_results(integration=solved, details=tuple(details))

    def with_solution(self, values: ArrayLike, trajectory: Trajectory, details: Iterable[object]) -> Environment:
        """Other values of all parameters, with the solution that was found there."""
        parameters = self._moved(values)
        solved = self._integration(trajectory, parameters, "")
        results = but(self.results, integration=solved, details=tuple(details), loss="")
        return but(self, parameters=parameters, results=results)

    def _integration(self, trajectory: Trajectory, parameters: ParameterMap, loss: str) -> Integration:
        how, times = trajectory.simulator, trajectory.times
        made = times if times[-1] < np.inf else times[times < np.inf], how.method, trajectory.parameters
        return Integration(trajectory, Basis(self.model, self.observations, *made, parameters, loss, self.noise))

    def with_details(self, details: Iterable[object]) -> Environment:
        return self._with_results(details=tuple(details))

    def with_statistics(self, study: Study) -> Environment:
        return self._with_results(studied=Studied(study, self.basis))

    def with_profiles(self, profiles: Sequence[Profile]) -> Environment:
        """These profiles, and those there are of other quantities with the same threshold."""
        from parfit.estimation.profiles.profile import together

        return self._with_results(profiled=Profiled(together(self.profiles, profiles), self.basis))

    def with_bootstrap(self, bootstrap: Bootstrap) -> Environment:
        return self._with_results(resampled=Resampled(bootstrap, self.basis))

    def with_loss(self, loss: str) -> Environment:
        """The parameters were fitted with this loss."""
        return self if loss == self.loss else self._with_results(loss=loss)

    def _with_results(self, **changes: Any) -> Environment:
        return but(self, results=but(self.results, **changes))

    def with_smoothing(self, smoothing: Smoothing) -> Environment:
        """Other curves through the observations."""
        return replace(self, smoothing=smoothing)

    def with_guesses(self, guesses: Mapping[str, Guess]) -> Environment:
        """These guesses beside those on other states; what is no state of the model is left out."""
        kept = {name: guess for name, guess in guesses.items() if name in self.model.states}
        return replace(self, guesses={**self.guesses, **kept}) if kept else self

    def with_iterates(self, iterates: Iterable[Iterate]) -> Environment:
        return self._with_results(iterates=tuple(iterates))

    def with_continuation(self, settings: Continuation) -> Environment:
        return self._with_results(continuation=settings)

    def with_linear(self, linear: bool | None) -> Environment:
        return replace(self, linear=linear)

    def with_creation(self, creation: Creation) -> Environment:
        return replace(self, creation=creation)

    def with_fit(self, method: str, result: Result, judged: Awaited[Judgement]) -> Environment:
        """The parameters are where a fit has ended: remember it, and what is to be thought of it."""
        total, work = result.evaluation.sum_of_squares, (result.n_iterations, result.n_evaluations)
        return but(self, fits=(*self.fits, FitRecord(method, self.basis, total, *work, judged)))

    def with_note(self, note: Note) -> Environment:
        return replace(self, notes=(*self.notes, note))

    def with_mark(self, mark: Mark) -> Environment:
        """Keep a mark, in place of one of the same name."""
        others = tuple(old for old in self.marks if old.name.lower() != mark.name.lower())
        return replace(self, marks=(*others, mark))

    def marked(self, name: str) -> Mark:
        """The present parameters and guesses as a mark."""
        map_, total = self.parameters, self.sum_of_squares
        solved = None if total is None else self.integration
        return Mark(name, map_.names, map_.full, total, self.basis, self.guesses, self.loss, solved)

    def recalled(self, mark: Mark) -> Environment:
        """The parameters of a mark, as far as the model has them, and its guesses; the others stay."""
        env = self.with_values(mark.values_of(self.model.parameters, self.values))
        env = env.with_guesses(mark.guesses).with_loss(mark.loss)
        solved = mark.integration
        is_same = solved is not None and not differences(solved.basis, env.basis, OF_SOLUTIONS)
        return env._with_results(integration=solved) if is_same else env

    def made_by(self, command: str) -> Environment:
        return replace(self, origin=command)

    def with_echo(self, echo: bool) -> Environment:
        return replace(self, echo=echo)
