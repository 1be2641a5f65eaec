"""Numbered places to begin a search at: the same number is the same place, whoever asks and in whatever order.

They lie around the values there are, at factors up to 1000, in a sequence that leaves no gaps (Roberts 2018: multiples
of powers of a generalized golden ratio, modulo 1). What the data tell, the value with which an observed state begins,
is taken from them. Numbers are short, so that what is typed is the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np

from parfit.arrays import Array
from parfit.data.beginning import first_observation
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.calculus.structure import only_initial
from parfit.session.environment import Environment
from parfit.simulation.pointwise import Initial

FACTORS = (10.0, 30.0, 3.0, 300.0, 1000.0)  # by which places differ at most from the present values, in turn
NEARER = (3.0, 10.0, 30.0)  # the same around what explains the data: from farther hardly a search comes back
PLAIN_EVERY = 4  # of so many places one is searched in the parameters themselves: signs can change there
EARLY = 0.05  # of the whole time: what was observed so soon is about the initial value
KNOWN = 1.5  # factor by which initial values differ from what was observed
DIGITS = 4
APART = 10_007  # places between the sequences of two factors
MOST_PAIRS = 45  # of parameters that change their roles
SIZES = (0.01, 1.0, 100.0)  # times the present value of a parameter that did nothing where a search has ended


@dataclass(frozen=True, eq=False)
class Place:
    """Values of all parameters, and how those are scaled in a search from there."""

    number: int  # of the sequence, below 0 for others
    values: Array  # (n_params,)
    scaling: tuple[Scaling, ...]
    before: Followed | None = None  # the search that has led there, if these are not its own numbers


@dataclass(frozen=True, eq=False)
class Followed:
    """A search along curves: where it began, and how many evaluations each of its parts was allowed."""

    place: Place
    limits: tuple[int, ...]


class Places:
    """The places around the present values of an environment; `seed` moves all of them."""

    def __init__(self, env: Environment, seed: int = 0, factors: tuple[float, ...] = FACTORS):
        self._map, self._factors = env.parameters, factors
        self._begun = observed_beginnings(env)
        self._centre = _sizes(env, self._begun)
        opposed = [k for k, value in self._begun.items() if value * env.values[k] < 0.0]
        self._opposed = {k: float(env.values[k]) for k in opposed}
        n = len(self._map.active)
        self._steps = _golden(n) ** -np.arange(1.0, n + 1.0)
        self._shift = np.random.Generator(np.random.Philox(key=seed)).uniform(size=n) if seed else np.full(n, 0.5)

    def __call__(self, number: int) -> Place:
        """Place 1 and those that follow."""
        map_, active = self._map, list(self._map.active)
        along, which = divmod(number, len(self._factors))  # every factor has a sequence of its own
        spread = 2.0 * ((self._shift + (APART * which + along) * self._steps) % 1.0) - 1.0
        factors = np.full(len(active), self._factors[which])
        if number % 2:
            factors[[active.index(k) for k in self._begun]] = KNOWN
        values = map_.full.copy()
        centre = self._centre.copy()
        if not number % 2:  # errors may have changed the sign of what was observed first
            centre[list(self._opposed)] = list(self._opposed.values())
        values[active] = centre[active] * factors**spread
        values = _within(map_, shortened(values, active), spread)
        return Place(number, values, self._scaling(values, number))

    def _scaling(self, values: Array, number: int) -> tuple[Scaling, ...]:
        return self._map.scaling if number % PLAIN_EVERY == 0 else logarithms(self._map, values)


def around(env: Environment, values: Array) -> Iterator[Place]:
    """Places from which a lower minimum beside one that was found is reached: two parameters have changed roles."""
    map_ = env.parameters
    pairs = [(j, k) for j, k in combinations(map_.active, 2) if values[j] * values[k] > 0.0 and values[j] != values[k]]
    for j, k in pairs[:MOST_PAIRS]:
        there = values.copy()
        there[[j, k]] = there[[k, j]]
        yield _beside(env, there)


def along(env: Environment, values: Array, changes: Iterable[Array]) -> Iterator[Place]:
    """Places beside values that were found, where the logarithms of the active ones have changed, (n_active,) each."""
    active = list(env.parameters.active)
    for change in changes:
        there = values.copy()
        with np.errstate(over="ignore"):
            there[active] *= np.exp(change)
        if np.isfinite(there).all():
            yield _beside(env, there)


def awake(env: Environment, values: Array, idle: Iterable[int]) -> Iterator[Place]:
    """Places where one of the active parameters that did nothing is about as large as in the present values."""
    centre = _sizes(env, {})
    for j in idle:
        k = env.parameters.active[j]
        for factor in SIZES:
            there = values.copy()
            there[k] = factor * centre[k]
            yield _beside(env, there)


def _beside(env: Environment, values: Array) -> Place:
    """A place that is none of the sequence."""
    map_ = env.parameters
    there = np.clip(shortened(values, list(map_.active)), map_.lower, map_.upper)
    return Place(-1, there, logarithms(map_, there))


def logarithms(map_: ParameterMap, values: Array) -> tuple[Scaling, ...]:
    """The logarithms of active parameters that are positive and may not be 0; of the others what there is."""
    return tuple(
        Scaling.LOGARITHM if k in map_.active and values[k] > 0.0 and _may_be_log(map_, k) else map_.scaling[k]
        for k in range(len(map_.names))
    )


def _may_be_log(map_: ParameterMap, k: int) -> bool:
    return map_.scaling[k] is Scaling.NONE and bool(map_.upper[k] > 0.0)


def observed_beginnings(env: Environment) -> Mapping[int, float]:
    """Active parameters that are nothing but the initial value of a state that was observed soon, and that value."""
    data, model = env.observations, env.model
    active = env.parameters.active
    names = only_initial(model, active)
    if data is None or not names:
        return {}
    slopes = Initial(model, active)(env.values)[1]
    soon = model.t0 + EARLY * (env.samples.times[-1] - model.t0)
    found = {}
    for j, k in enumerate(active):
        states = np.flatnonzero(slopes[:, j])
        if model.parameters[k] not in names or states.size != 1 or slopes[states[0], j] != 1.0:
            continue
        first = first_observation(data, model.states[int(states[0])])
        if first is not None and first[0] <= soon and first[1] != 0.0:
            found[k] = first[1]
    return found


def _sizes(env: Environment, begun: Mapping[int, float]) -> Array:
    """Around which values the places lie; what is 0 has no size of its own, and the reciprocal time has one."""
    length = float(env.samples.times[-1] - env.samples.times[0])
    centre = np.where(env.values == 0.0, 1.0 / length if length > 0.0 else 1.0, env.values)
    for k, value in begun.items():
        centre[k] = value
    return centre


def _golden(n: int) -> float:
    """The root of x^(n+1) = x + 1."""
    root = 2.0
    for _ in range(60):
        root = (1.0 + root) ** (1.0 / (n + 1.0))
    return root


def shortened(values: Array, active: list[int]) -> Array:
    """Active values with few digits, so that what is typed is the same place."""
    short = values.copy()
    short[active] = [float(f"{value:.{DIGITS}g}") for value in values[active]]
    return short


def _within(map_: ParameterMap, values: Array, spread: Array) -> Array:
    """Where there are two bounds, anywhere between them: in equal factors if both are positive."""
    inside = np.clip(values, map_.lower, map_.upper)
    for part, k in zip(0.5 * (1.0 + spread), map_.active, strict=True):
        low, high = map_.lower[k], map_.upper[k]
        if np.isfinite(low) and np.isfinite(high) and low < high:
            value = low * (high / low) ** part if low > 0.0 else low + part * (high - low)
            inside[k] = np.clip(float(f"{value:.{DIGITS}g}"), low, high)
    return inside
