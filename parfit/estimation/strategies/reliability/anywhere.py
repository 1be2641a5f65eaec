"""Which parameters data of this kind can never determine: the Jacobian at random points, before anything is fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import NumericalError
from parfit.estimation.diagnosis import probing
from parfit.estimation.diagnosis.probing import Probe
from parfit.estimation.diagnosis.tradeoffs import TradeOff
from parfit.estimation.noise import Noise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.strategies.parallel import Crew, spread
from parfit.session.environment import Environment
from parfit.spectrum import column_lengths

N, SEED, MOST = 10, 1, 1000
DECADES = 1.0  # to either side of a value without bounds
DIGITS = 4  # of coefficients that are the same


@dataclass(frozen=True)
class Request:
    """How many points, and which."""

    n: int = N
    seed: int = SEED


@dataclass(frozen=True, eq=False)
class Result:
    """The Jacobian at random points, where it could be had."""

    request: Request
    parameters: ParameterMap  # as they are now
    probes: tuple[Probe, ...]
    sizes: Array  # around 0, of active parameters that are 0 and not bounded on both sides; NaN of others, (n_active,)

    @property
    def around_zero(self) -> dict[str, float]:
        """How far parameters that are 0 were moved from there; 0 for those of which nobody knows a size."""
        return {
            self.parameters.names[k]: 0.0 if np.isnan(size) else float(size)
            for k, size in zip(self.parameters.active, self.sizes, strict=True)
            if _needs_size(self.parameters, k)
        }

    @property
    def n_failed(self) -> int:
        return self.request.n - len(self.probes)

    @property
    def rank(self) -> int:
        """How many combinations are determined where most are."""
        return max(each.rank for each in self.probes)

    @property
    def n_seen(self) -> Array:
        """At how many points each active parameter is seen, (n_active,)."""
        return self._counts(lambda probe: {each.parameter for each in probe.unseen})

    @property
    def n_determined(self) -> Array:
        """At how many it is determined alone, (n_active,)."""
        return self._counts(
            lambda probe: (
                {each.parameter for each in probe.unseen} | {k for each in probe.undetermined for k in each.members}
            )
        )

    @property
    def always(self) -> list[TradeOff]:
        """Trade-offs that are the same at all points at which most is determined, as the first of these has them."""
        found = [{_signature(each) for each in probe.undetermined if each.exact} for probe in self.best]
        kept = set.intersection(*found)
        return [each for each in self.best[0].undetermined if _signature(each) in kept]

    @property
    def best(self) -> list[Probe]:
        """Where most is determined: elsewhere a state may be gone before it is observed."""
        return [each for each in self.probes if each.rank == self.rank]

    @property
    def never(self) -> tuple[str, ...]:
        """The parameters that are determined nowhere."""
        names = (self.parameters.names[k] for k in self.parameters.active)
        return tuple(name for name, n in zip(names, self.n_determined, strict=True) if n == 0)

    def _counts(self, lost: Callable[[Probe], set[int]]) -> Array:
        rows = [[k not in missing for k in self.parameters.active] for missing in map(lost, self.probes)]
        counts: Array = np.array(rows, dtype=float).sum(axis=0)
        return counts


def _signature(each: TradeOff) -> tuple[object, ...]:
    return each.members, each.form, tuple(np.round(each.coefficients, DIGITS).tolist())


def anywhere(
    env: Environment,
    request: Request,
    tell: Callable[[float], None] = lambda part: None,
    crew: Crew | None = None,
) -> Result:
    """Examine the Jacobian at points between the bounds, or within a decade of the values where there are none."""
    env.require("parameters", "observations", "observation times")
    found: dict[int, Probe] = {}
    sizes = _sizes(env)
    spread(_Look(env, request.seed, sizes), range(request.n), found.__setitem__, tell, crew)
    usable = tuple(found[k] for k in range(request.n) if found[k].usable)
    if not usable:
        raise NumericalError(f"the equations could be integrated at none of {request.n} random points")
    return Result(request, env.parameters, usable, sizes)


def _sizes(env: Environment) -> Array:
    """By how much parameters that are 0 change what is computed as much as the data differ, or are large."""
    map_, data = env.parameters, env.observations
    sizes = np.full(len(map_.active), np.nan)
    if data is None or not any(_needs_size(map_, k) for k in map_.active):
        return sizes
    problem = replace(env, noise=Noise()).problem()
    at = problem.evaluate(map_.point)
    if not at.usable:
        return sizes
    of_data = np.sqrt(problem.spread) or float(np.linalg.norm((data.weights * data.values)[data.observed]))
    lengths = column_lengths(at.jac)
    wanted = (lengths > 0.0) & np.array([_needs_size(map_, k) for k in map_.active])
    sizes[wanted] = of_data / lengths[wanted]
    return sizes


def _needs_size(map_: ParameterMap, k: int) -> bool:
    return bool(map_.full[k] == 0.0 and not np.isfinite([map_.lower[k], map_.upper[k]]).all())


@dataclass(frozen=True, eq=False)
class _Look:
    """Probes a point of a number."""

    env: Environment
    seed: int
    sizes: Array

    def __call__(self, number: int, tell: Callable[[float], None]) -> Probe:
        env = replace(self.env, parameters=drawn(self.env.parameters, self.seed, number, self.sizes))
        problem = env.problem()
        assert env.observations is not None
        with np.errstate(all="ignore"):
            return probing.probe(problem.evaluate(env.parameters.point), env.parameters, env.observations)


def drawn(map_: ParameterMap, seed: int, number: int, sizes: Array | None = None) -> ParameterMap:
    """The map at a random point of a number; `sizes` are those of parameters that are 0, (n_active,)."""
    random = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, number]))
    full = map_.full.copy()
    known = [0.0] * len(map_.active) if sizes is None else np.nan_to_num(sizes).tolist()
    for k, part, size in zip(map_.active, random.random(len(map_.active)).tolist(), known, strict=True):
        full[k] = _between(full[k], float(map_.lower[k]), float(map_.upper[k]), part, size)
    return map_.with_values(full)


def _between(value: float, low: float, high: float, part: float, size: float) -> float:
    """A part of the way from one bound to the other, by factors where both have the same sign.

    Without these it lies around the value; around 0, for which factors are nothing, as far as the size.
    """
    if not np.isfinite([low, high]).all():
        around = value * 10.0 ** (DECADES * (2.0 * part - 1.0)) if value else size * (2.0 * part - 1.0)
        return float(np.clip(around, low, high))
    if low * high > 0.0:
        return float(low * (high / low) ** part)
    return low + part * (high - low)
