"""Which parameters data of this kind can never determine: the Jacobian at random points, before anything is fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from parfit.arrays import Array
from parfit.errors import NumericalError
from parfit.estimation.diagnosis import probing
from parfit.estimation.diagnosis.probing import Probe
from parfit.estimation.diagnosis.tradeoffs import TradeOff
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.strategies.parallel import Crew, spread
from parfit.session.environment import Environment

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
    spread(_Look(env, request.seed), range(request.n), found.__setitem__, tell, crew)
    usable = tuple(found[k] for k in range(request.n) if found[k].usable)
    if not usable:
        raise NumericalError(f"the equations could be integrated at none of {request.n} random points")
    return Result(request, env.parameters, usable)


@dataclass(frozen=True, eq=False)
class _Look:
    """Probes a point of a number."""

    env: Environment
    seed: int

    def __call__(self, number: int, tell: Callable[[float], None]) -> Probe:
        env = replace(self.env, parameters=drawn(self.env.parameters, self.seed, number))
        problem = env.problem()
        assert env.observations is not None
        with np.errstate(all="ignore"):
            return probing.probe(problem.evaluate(env.parameters.point), env.parameters, env.observations)


def drawn(map_: ParameterMap, seed: int, number: int) -> ParameterMap:
    """The map at a random point of a number."""
    random = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, number]))
    full = map_.full.copy()
    for k, part in zip(map_.active, random.random(len(map_.active)).tolist(), strict=True):
        full[k] = _between(full[k], float(map_.lower[k]), float(map_.upper[k]), part)
    return replace(map_, full=full)


def _between(value: float, low: float, high: float, part: float) -> float:
    """A part of the way from one bound to the other, by factors where both have the same sign."""
    if not np.isfinite([low, high]).all():
        around = value * 10.0 ** (DECADES * (2.0 * part - 1.0)) if value else 2.0 * part - 1.0
        return float(np.clip(around, low, high))
    if low * high > 0.0:
        return float(low * (high / low) ** part)
    return low + part * (high - low)
