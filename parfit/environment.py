"""The environment: everything the commands work in and on, as one value that never changes.

What depends on what is written in the `with_*` methods and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parfit.errors import ParfitError, StateError
from parfit.estimation.direct import sum_of_squares
from parfit.estimation.parameters import ROUNDING, ParameterMap, Scaling
from parfit.model.model import Model
from parfit.model.observations import Observations, make_observations, read_only
from parfit.model.simulation import Trajectory
from parfit.records import Continuation, Creation, Guess, Integration, Iterate, Mark, Note, Options, Samples, Smoothing

Array = NDArray[np.float64]

DEFAULT_TOTAL = 10.0  # length of a run without data, where the model does not say
DEFAULT_STEPS = 50  # of such a run


@dataclass(frozen=True, eq=False)
class Environment:
    """Model, data, parameters, settings and the latest results."""

    model: Model
    parameters: ParameterMap
    start: Array  # the values the parameters began with
    samples: Samples
    observations: Observations | None = None
    options: Options = field(default_factory=Options)
    integration: Integration | None = None
    smoothing: Smoothing | None = None
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    iterates: tuple[Iterate, ...] = ()  # the first guesses, and the rounds of the last iterated method
    continuation: Continuation | None = None  # the settings of the last CONTIN
    linear: bool | None = None  # what LINEAR said of curve fitting; None leaves it to the program
    creation: Creation | None = None
    notes: tuple[Note, ...] = ()
    marks: tuple[Mark, ...] = ()
    echo: bool = False
    details: tuple[str, ...] = ()  # what the last integration or optimization wrote (-SC1)
    statistics: str = ""  # the latest ones, as they are reported
    loss: str = ""  # the robust loss that the parameters were fitted with, if any
    folder: str = ""  # where the model was read, and its tables are
    origin: str = ""  # the command that made this environment of the one before

    @classmethod
    def of(
        cls,
        model: Model,
        observations: Observations | None = None,
        start: Array | None = None,
        folder: str = "",
        options: Options | None = None,
    ) -> Environment:
        """The environment in which a conversation about a model begins."""
        values = read_only(model.values if start is None else start)
        parameters = ParameterMap(model.parameters, values)
        samples = default_samples(model, observations)
        return cls(model, parameters, values, samples, observations, options or Options(), folder=folder)

    # ---- what it has

    @property
    def values(self) -> Array:
        """All parameters, unscaled, (n_params,)."""
        return self.parameters.full

    @property
    def variables(self) -> tuple[str, ...]:
        """What can be plotted and observed: the states and the aux quantities."""
        return (*self.model.states, *(name for name, _ in self.model.aux))

    @property
    def scale(self) -> Array:
        """Sizes of the states: the largest observations, 0 where there are none, (n_states,)."""
        largest: dict[str, float] = {}
        if self.observations is not None:
            largest = dict(zip(self.observations.names, self.observations.maxima, strict=True))
        return np.array([largest.get(name, 0.0) for name in self.model.states])

    @property
    def integrated(self) -> Trajectory | None:
        """The last solution, if it belongs to the present parameters."""
        last = self.integration
        # A value that went through a logarithm or a root comes back rounded, but is the same.
        if last is None or not np.allclose(last.trajectory.parameters, self.values, rtol=ROUNDING, atol=0.0):
            return None
        return last.trajectory

    @property
    def sum_of_squares(self) -> float | None:
        """F at the present parameters, if they were integrated with the observation times among the sample times."""
        if self.integrated is None or self.observations is None or self.samples.uniform:
            return None
        return sum_of_squares(self.integrated, self.observations)

    def require(self, *needs: str) -> None:
        """Raise a `StateError` if something is missing; `NEEDS` lists what there is to require."""
        for need in needs:
            present, sentence = NEEDS[need]
            if not present(self):
                raise StateError(sentence)

    # ---- transitions

    def with_other_model(self, model: Model, folder: str) -> Environment:
        """Another model altogether; settings, notes and what can be kept of the observations stay."""
        fresh = ParameterMap(model.parameters, read_only(model.values))
        env = replace(self, parameters=fresh, start=fresh.full, marks=(), folder=folder)
        return env._with_model(model, fresh.full, fresh)

    def with_model(self, model: Model) -> Environment:
        """The model changed: parameters that survive keep value, freezing, scaling and bounds; results are gone."""
        return self._with_model(model, *_carried(self, model))

    def _with_model(self, model: Model, start: Array, parameters: ParameterMap) -> Environment:
        observations = _observations_for(model, self.observations)
        uniform = self.samples.uniform and self.samples.times[0] == model.t0
        samples = self.samples if uniform else default_samples(model, observations)
        return replace(
            self,
            model=model,
            parameters=parameters,
            start=start,
            samples=samples,
            observations=observations,
            integration=None,
            smoothing=self.smoothing if _same_data(observations, self.observations) else None,
            guesses={name: guess for name, guess in self.guesses.items() if name in model.states},
            iterates=(),
            continuation=None,
            statistics="",
            marks=self.marks if _spelled(model) == _spelled(self.model) else (),
        )

    def with_observations(self, observations: Observations | None, start: Array | None = None) -> Environment:
        """Other data, at whose times the equations are to be integrated."""
        seen = () if observations is None else observations.names
        env = replace(
            self,
            observations=observations,
            guesses={name: guess for name, guess in self.guesses.items() if name not in seen},
            samples=default_samples(self.model, observations),
            integration=None,
            smoothing=None,
            iterates=(),
            continuation=None,
            creation=None,
            statistics="",
        )
        return env if start is None else replace(env.with_values(start), start=read_only(start))

    def with_weights(self, weights: ArrayLike) -> Environment:
        """The same observations, weighted otherwise, (n_rows, n_names)."""
        assert self.observations is not None
        old = self.observations
        new = make_observations(old.times, old.names, old.values, weights, old.sds, old.source)
        return replace(self, observations=new, smoothing=None)

    def with_values(self, values: ArrayLike) -> Environment:
        """Other values of all parameters; the last integration stays, with the values it was made at."""
        full = np.array(values, dtype=float)
        if not np.isfinite(full).all():
            raise ParfitError("a parameter must be a finite number")
        return replace(self, parameters=replace(self.parameters, full=full), loss="")

    def with_frozen(self, names: Iterable[str]) -> Environment:
        """These parameters are held, and no others."""
        frozen = frozenset(self.model.parameters.index(name) for name in names)
        return replace(self, parameters=replace(self.parameters, frozen=frozen))

    def with_scaling(self, scaling: Mapping[str, Scaling]) -> Environment:
        """These parameters are transformed, and no others."""
        scalings = tuple(scaling.get(name, Scaling.NONE) for name in self.model.parameters)
        return replace(self, parameters=replace(self.parameters, scaling=scalings))

    def with_bounds(self, lower: ArrayLike, upper: ArrayLike) -> Environment:
        """Limits between which the parameters must stay, (n_params,) each."""
        return replace(self, parameters=replace(self.parameters, lower=np.array(lower), upper=np.array(upper)))

    def with_samples(self, samples: Samples) -> Environment:
        """Other sample times, at which nothing has been integrated yet."""
        return replace(self, samples=samples, integration=None)

    def with_options(self, options: Options) -> Environment:
        return replace(self, options=options)

    def with_integration(self, trajectory: Trajectory, details: Iterable[str] = ()) -> Environment:
        return replace(self, integration=Integration(trajectory, self.parameters), details=tuple(details))

    def with_smoothing(self, smoothing: Smoothing) -> Environment:
        """Other curves through the observations."""
        return replace(self, smoothing=smoothing)

    def with_guesses(self, guesses: Mapping[str, Guess]) -> Environment:
        """These guesses beside those on other states; what is no state of the model is left out."""
        kept = {name: guess for name, guess in guesses.items() if name in self.model.states}
        return replace(self, guesses={**self.guesses, **kept}) if kept else self

    def with_iterates(self, iterates: Iterable[Iterate]) -> Environment:
        return replace(self, iterates=tuple(iterates))

    def with_continuation(self, settings: Continuation) -> Environment:
        """What the next CONTIN begins with."""
        return replace(self, continuation=settings)

    def with_linear(self, linear: bool | None) -> Environment:
        return replace(self, linear=linear)

    def with_creation(self, creation: Creation) -> Environment:
        return replace(self, creation=creation)

    def with_note(self, note: Note) -> Environment:
        return replace(self, notes=(*self.notes, note))

    def with_mark(self, mark: Mark) -> Environment:
        """Keep a mark, in place of one of the same name."""
        others = tuple(old for old in self.marks if old.name.lower() != mark.name.lower())
        return replace(self, marks=(*others, mark))

    def made_by(self, command: str) -> Environment:
        return replace(self, origin=command)

    def with_echo(self, echo: bool) -> Environment:
        return replace(self, echo=echo)


NEEDS: dict[str, tuple[Callable[[Environment], bool], str]] = {
    "parameters": (
        lambda env: bool(env.model.parameters),
        "the model has no parameters; add one with MODEL par NAME=VALUE",
    ),
    "observations": (
        lambda env: env.observations is not None and env.observations.n_observations > 0,
        "there are no observations; LOAD DATA FILE reads some, CREATE simulates some",
    ),
    "observation times": (
        lambda env: not env.samples.uniform,
        "the sample times are a uniform mesh without connection to the observations; SAMPLE 1 restores them",
    ),
    "integration": (
        lambda env: env.integration is not None,
        "nothing has been integrated yet at these sample times; INTEG does it",
    ),
    "jacobian": (
        lambda env: env.integration is not None and env.integration.trajectory.s is not None,
        "the last integration was made without the Jacobian; INTEG Y makes one with it",
    ),
    "standard deviations": (
        lambda env: env.observations is not None and env.observations.sds is not None,
        "the data have no standard deviations; give them in columns named like y1.sd, or enter weights with WEIGHT 2",
    ),
    "smoothing": (
        lambda env: env.smoothing is not None,
        "the observations have not been smoothed; SMOOTH does it",
    ),
    "guesses": (
        lambda env: bool(env.guesses),
        "no observations have been guessed; CREOBS does it",
    ),
    "iterates": (
        lambda env: bool(env.iterates),
        "no iterated method has been used yet; DFIT 3, IFIT 3 and IFIT 4 are such",
    ),
    "marks": (lambda env: bool(env.marks), "no parameter values have been marked yet; MARK NAME does it"),
    "notes": (lambda env: bool(env.notes), "there are no notes yet; NOTE TEXT makes one"),
    "creation": (lambda env: env.creation is not None, "the observations were not simulated; CREATE does it"),
    "statistics": (lambda env: bool(env.statistics), "no statistics have been computed; STATS does it"),
    "details": (
        lambda env: bool(env.details),
        "nothing was written out by an integration or optimization; OPTION OUTPUT 1 and then INTEG does it",
    ),
}


def default_samples(model: Model, observations: Observations | None) -> Samples:
    """The initial time and the observation times; without observations a uniform mesh over the model's length."""
    if observations is not None and observations.times.size:
        return Samples(read_only(observations.sample_times(model.t0)))
    total = model.total or DEFAULT_TOTAL
    return Samples(read_only(np.linspace(model.t0, model.t0 + total, DEFAULT_STEPS + 1)), uniform=True)


def _carried(env: Environment, model: Model) -> tuple[Array, ParameterMap]:
    """Starting values and map for a changed model: those of the surviving parameters, the model's for new ones."""
    old_map, old = env.parameters, {name.lower(): k for k, name in enumerate(env.model.parameters)}
    places = [old.get(name.lower()) for name in model.parameters]
    start, full = model.values.copy(), model.values.copy()
    lower, upper = np.full(len(places), -np.inf), np.full(len(places), np.inf)
    scaling = [Scaling.NONE] * len(places)
    for j, k in enumerate(places):
        if k is None:
            continue
        lower[j], upper[j], scaling[j] = (part[k] for part in (old_map.lower, old_map.upper, old_map.scaling))
        # A starting value that was changed in the model's text is what the user wants now.
        if model.values[j] == env.model.values[k]:
            start[j], full[j] = env.start[k], old_map.full[k]
    frozen = frozenset(j for j, k in enumerate(places) if k in old_map.frozen)
    if len(frozen) == len(places):
        frozen = frozenset()
    return read_only(start), ParameterMap(model.parameters, full, frozen, tuple(scaling), lower, upper)


def _same_data(new: Observations | None, old: Observations | None) -> bool:
    """Whether nothing of the observations was left out."""
    return new is not None and old is not None and new.names == old.names


def _spelled(model: Model) -> list[str]:
    return [name.lower() for name in model.parameters]


def _observations_for(model: Model, observations: Observations | None) -> Observations | None:
    """The observations of what is still a state or an aux quantity of the model."""
    if observations is None:
        return None
    spelled = {name.lower(): name for name in (*model.states, *(name for name, _ in model.aux))}
    kept = [k for k, name in enumerate(observations.names) if name.lower() in spelled]
    if not kept:
        return None
    return make_observations(
        observations.times,
        [spelled[observations.names[k].lower()] for k in kept],
        observations.values[:, kept],
        observations.weights[:, kept],
        None if observations.sds is None else observations.sds[:, kept],
        observations.source,
    )
