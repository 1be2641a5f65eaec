"""What was computed, with what it was computed from, so that no number is shown beside something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from parfit.arrays import Array, Unchanging
from parfit.awaited import Awaited
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.judgement import Judgement
from parfit.estimation.noise import Noise
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.parameters import ParameterMap
from parfit.model.model import Model
from parfit.session.records import Continuation, Guess, Iterate
from parfit.simulation.method import Method
from parfit.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from parfit.estimation.diagnosis.study import Study
    from parfit.estimation.profiles.profile import Profile
    from parfit.estimation.resampling import Bootstrap

ROUNDING = 1e-14  # relative, of an exponential or a square
T = TypeVar("T")


def but(value: T, **changes: Any) -> T:
    """A copy of a frozen value with other fields, as of `dataclasses.replace`, which takes five times as long.

    For what every fit changes, and for values that check nothing when they are made.
    """
    assert changes.keys() <= value.__dict__.keys()
    new = object.__new__(type(value))
    new.__dict__.update(value.__dict__, **changes)
    return new


@dataclass(frozen=True, eq=False)
class Basis:
    """What something was computed from."""

    model: Model
    observations: Observations | None
    times: Array  # the sample times
    method: Method
    values: Array  # of all parameters
    parameters: ParameterMap  # and what is frozen, scaled and bounded
    loss: str = ""  # that the parameters were fitted with
    noise: Noise = field(default_factory=Noise)


def differences(then: Basis, now: Basis, aspects: Iterable[str] = ()) -> list[str]:
    """What is not as it was then, of these aspects or of all, in words: "other weights"."""
    return [phrase for aspect in aspects or ASPECTS for same, phrase in (ASPECTS[aspect],) if not same(then, now)]


def _same_values(then: Basis, now: Basis) -> bool:
    # A value that went through a logarithm or a root comes back rounded, but is the same.
    old, new = then.values, now.values
    return old.shape == new.shape and bool((np.abs(old - new) <= ROUNDING * np.abs(new)).all())


def _same_bounds(then: Basis, now: Basis) -> bool:
    old, new = then.parameters, now.parameters
    return np.array_equal(old.lower, new.lower) and np.array_equal(old.upper, new.upper)


def _same_data(then: Basis, now: Basis) -> bool:
    old, new = then.observations, now.observations
    if old is None or new is None or old is new:
        return old is new
    same = old.names == new.names and np.array_equal(old.times, new.times)
    return same and np.array_equal(old.values, new.values, equal_nan=True)


def _same_weights(then: Basis, now: Basis) -> bool:
    old, new = then.observations, now.observations
    if old is None or new is None or old is new:
        return True
    return np.array_equal(old.weights, new.weights, equal_nan=True)


ASPECTS: dict[str, tuple[Callable[[Basis, Basis], bool], str]] = {
    "model": (lambda then, now: then.model is now.model, "another model"),
    "data": (_same_data, "other data"),
    "weights": (_same_weights, "other weights"),
    "times": (lambda then, now: np.array_equal(then.times, now.times), "other sample times"),
    "method": (lambda then, now: then.method == now.method, "another method or accuracy of integration"),
    "values": (_same_values, "other values of the parameters"),
    "freezing": (lambda then, now: then.parameters.frozen == now.parameters.frozen, "other parameters frozen"),
    "scaling": (lambda then, now: then.parameters.scaling == now.parameters.scaling, "another scaling"),
    "bounds": (_same_bounds, "other bounds"),
    "noise": (lambda then, now: then.noise == now.noise, "other noise models"),
    "loss": (lambda then, now: then.loss == now.loss, "another loss"),
}
OF_SOLUTIONS = ("model", "times", "method", "values")
OF_JACOBIANS = (*OF_SOLUTIONS, "freezing", "scaling")
OF_SUMS = ("model", "data", "weights", "noise", "times", "method")  # of squares, at values that are known with them


@dataclass(frozen=True, eq=False)
class Integration:
    """The last solution of the equations."""

    trajectory: Trajectory
    basis: Basis

    @property
    def parameters(self) -> ParameterMap:
        """The parameters as they were then."""
        return self.basis.parameters


@dataclass(frozen=True, eq=False)
class Studied:
    """How reliable the parameters are."""

    study: Study
    basis: Basis


@dataclass(frozen=True, eq=False)
class Profiled:
    """Profiles, by their names, and what they were computed from."""

    profiles: tuple[Profile, ...]
    basis: Basis


@dataclass(frozen=True, eq=False)
class Resampled:
    """Fits to data drawn anew, and what they were computed from."""

    bootstrap: Bootstrap
    basis: Basis


@dataclass(frozen=True, eq=False)
class FitRecord:
    """A fit of the full problem that was made: how, where it ended, and what is to be thought of that."""

    method: str  # "more", "marquardt", "shooting", "sequential"
    basis: Basis  # where it ended
    sum_of_squares: float
    n_iterations: int
    n_evaluations: int
    judged: Awaited[Judgement]

    @property
    def judgement(self) -> Judgement:
        """What is to be thought of where it ended."""
        return self.judged()


@dataclass(frozen=True, eq=False)
class Results:
    """What was computed last, for one model and its data."""

    integration: Integration | None = None
    studied: Studied | None = None
    profiled: Profiled | None = None
    resampled: Resampled | None = None
    iterates: tuple[Iterate, ...] = ()  # the first guesses, and the rounds of the last iterated method
    continuation: Continuation | None = None  # the settings of the last CONTIN
    marquardt: marquardt.Settings | None = None  # of the last FIT of its kind, offered to who is asked again
    more: bounded.Settings | None = None
    details: tuple[object, ...] = ()  # what the last integration or optimization wrote (-SC1)
    loss: str = ""  # the robust loss that the parameters were fitted with, if any


class Computed:
    """What an environment knows of its results: nothing is given that belongs to something else."""

    results: Results
    fits: tuple[FitRecord, ...]

    @property
    def basis(self) -> Basis:
        """What is computed now is computed from this."""
        raise NotImplementedError

    @property
    def integration(self) -> Integration | None:
        """The last solution, whatever has been changed since; `stale` says what has."""
        return self.results.integration

    @property
    def iterates(self) -> tuple[Iterate, ...]:
        return self.results.iterates

    @property
    def continuation(self) -> Continuation | None:
        return self.results.continuation

    @property
    def details(self) -> tuple[object, ...]:
        return self.results.details

    @property
    def loss(self) -> str:
        return self.results.loss

    @property
    def statistics(self) -> Study | None:
        """How reliable the parameters are, if that was found for what there is now."""
        last = self.results.studied
        return None if last is None or differences(last.basis, self.basis) else last.study

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles that were computed for what there is now."""
        last = self.results.profiled
        return () if last is None or differences(last.basis, self.basis) else last.profiles

    @property
    def bootstrap(self) -> Bootstrap | None:
        """The last one, if it was computed for what there is now."""
        last = self.results.resampled
        return None if last is None or differences(last.basis, self.basis) else last.bootstrap

    @property
    def judgement(self) -> Judgement | None:
        """What the last fit found out about these very parameters; None where it ended elsewhere."""
        last = self.fits[-1] if self.fits else None
        return None if last is None or differences(last.basis, self.basis) else last.judgement


@dataclass(frozen=True, eq=False)
class Mark(Unchanging):
    """Parameters and guesses worth keeping, with the sum of squares at them if it was known.

    The parameters are kept by name, because the model may have others by the time they are wanted.
    """

    name: str
    names: tuple[str, ...]  # of the parameters then
    values: Array
    sum_of_squares: float | None
    basis: Basis | None = None  # of the sum of squares
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    loss: str = ""  # that the parameters had been fitted with
    integration: Integration | None = None  # of which the sum of squares is

    def values_of(self, names: Sequence[str], others: Array) -> Array:
        """Values of these parameters; those that the mark does not know are taken from `others`."""
        known = {name.lower(): value for name, value in zip(self.names, self.values.tolist(), strict=True)}
        return np.array([known.get(name.lower(), other) for name, other in zip(names, others.tolist(), strict=True)])

    def unknown(self, names: Sequence[str]) -> list[str]:
        """Those of the names for which it has no value."""
        known = {name.lower() for name in self.names}
        return [name for name in names if name.lower() not in known]
