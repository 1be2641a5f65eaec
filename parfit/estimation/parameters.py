"""The one map between all parameters of a model and the scaled active ones that an optimizer sees."""

from __future__ import annotations

import math
from dataclasses import field, fields
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parfit.arrays import Array, Unchanging, read_only
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.kernel.mapping import Mapping

TINY = float(np.finfo(float).tiny)  # what is left of a logarithm that is too small: 0 would have none
WHATEVER_VALUES = ("active", "active_bounds", "bounded")  # what a map derives from other things than its values
FARTHEST = 1e100  # a bound beyond it is none: it keeps nothing back, and computing with it ends in infinities


class Scaling(IntEnum):
    """How a parameter is transformed, with its words; the numbers are those of the SCALE command (Appendix A)."""

    NONE = 0
    LOGARITHM = 1
    SQUARE_ROOT = 2

    @property
    def word(self) -> str:
        """What it is called in a table, empty where there is none."""
        return ("", "log", "square root")[self]

    @property
    def noun(self) -> str:
        """What it is called in a sentence."""
        return ("value", "logarithm", "square root")[self]

    @property
    def short(self) -> str:
        """The same in a formula, and what it is called from Python."""
        return ("none", "log", "sqrt")[self]

    @property
    def typed(self) -> str:
        """The word that a command takes."""
        return ("NONE", "LOG", "ROOT")[self]

    def applied_to(self, name: str) -> str:
        """How the scaled parameter is called: log p1."""
        return f"{self.short} {name}" if self else name

    def takes(self, value: float) -> bool:
        """Whether a value has a scaled one."""
        return (True, value > 0, value >= 0)[self]

    def scaled(self, value: float) -> float:
        if self is Scaling.LOGARITHM:
            return float(np.log(value))
        return float(np.sqrt(value)) if self is Scaling.SQUARE_ROOT else float(value)

    def unscaled(self, value: float) -> float:
        if self is Scaling.LOGARITHM:
            with np.errstate(over="ignore"):
                return max(float(np.exp(value)), TINY)
        return value * value if self is Scaling.SQUARE_ROOT else value

    def slope(self, value: float) -> float:
        """d(unscaled)/d(scaled), at a scaled value."""
        if self is Scaling.LOGARITHM:
            return self.unscaled(value)
        return 2.0 * value if self is Scaling.SQUARE_ROOT else 1.0

    def scaled_bounds(self, lower: float, upper: float) -> tuple[float, float]:
        """Bounds as the optimizer sees them; those that the scaling keeps anyway are none."""
        if self is Scaling.NONE:
            return lower, upper
        high = self.scaled(upper)
        if lower > 0:
            return self.scaled(lower), high
        if self is Scaling.LOGARITHM:
            return -np.inf, high
        return (0.0 if lower == 0 else -high), high  # of both roots


@dataclass(frozen=True, eq=False)
class ParameterMap(Unchanging):
    """Freezing, scaling and bounds.

    `full` holds all parameters, unscaled, (n_params,); the frozen ones keep these values. Bounds are unscaled.
    """

    names: tuple[str, ...]
    full: Array
    frozen: frozenset[int] = frozenset()
    scaling: tuple[Scaling, ...] = ()
    lower: Array = field(default_factory=lambda: np.empty(0))
    upper: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        n = len(self.names)
        for name, default in (("full", None), ("lower", -np.inf), ("upper", np.inf)):
            array = np.array(getattr(self, name), dtype=float)
            if default is not None and not array.size:
                array = np.full(n, default)
            if array.shape != (n,):
                raise ParfitError(f"{name} must be {n} numbers, not of shape {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "scaling", self.scaling or (Scaling.NONE,) * n)
        if self.names and not self.active:
            raise ParfitError("at least one parameter must stay active; free one of the frozen parameters")
        for name, low, high in zip(self.names, self.lower.tolist(), self.upper.tolist(), strict=True):
            if not low <= high:
                raise ParfitError(f"the lower bound of {name} ({low:g}) is above its upper bound ({high:g})")
        self._check_scales()
        for k, scaling in enumerate(self.scaling):
            if scaling:
                _check_bound(self.names[k], self.upper[k], scaling)

    def _check_scales(self) -> None:
        for k, scaling in enumerate(self.scaling):
            if scaling:
                _check_scale(self.names[k], self.full[k], scaling)

    def with_values(self, full: ArrayLike) -> ParameterMap:
        """The same map with other values of all parameters, (n_params,).

        Every fit ends with one: only what depends on the values is checked and derived again.
        """
        values = read_only(full)
        if values.shape != self.full.shape:
            raise ParfitError(f"full must be {self.full.size} numbers, not of shape {values.shape}")
        new = object.__new__(type(self))
        known = self.__dict__
        new.__dict__.update({name: known[name] for name in (*FIELDS, *WHATEVER_VALUES) if name in known}, full=values)
        new._check_scales()
        return new

    @cached_property
    def active(self) -> tuple[int, ...]:
        """Subscripts, from 0, of the parameters that are not frozen."""
        return tuple(k for k in range(len(self.names)) if k not in self.frozen)

    @cached_property
    def kernel(self) -> Mapping:
        """The same for the kernel."""
        scaling = [int(self.scaling[k]) for k in self.active]
        return Mapping(self.full, list(self.active), scaling, (self.lower, self.upper), self.active_bounds)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the active parameters are called as they are scaled: log p1."""
        return tuple(self.scaling[k].applied_to(self.names[k]) for k in self.active)

    @property
    def point(self) -> Array:
        """The active parameters, scaled, (n_active,)."""
        return self._point.copy()

    @cached_property
    def _point(self) -> Array:
        return np.array([self.scaling[k].scaled(self.full[k]) for k in self.active])

    def expand(self, active: ArrayLike) -> Array:
        """All parameters, unscaled, from the scaled active ones."""
        full: Array = self.kernel.expanded(np.ascontiguousarray(active, dtype=float))
        return full

    def slopes(self, active: ArrayLike) -> Array:
        """d(unscaled)/d(scaled) of the active parameters, (n_active,)."""
        slopes: Array = self.kernel.slopes(np.ascontiguousarray(active, dtype=float))
        return slopes

    def chain(self, active: ArrayLike, derivatives: Array) -> Array:
        """Derivatives by the scaled active parameters from those by the unscaled, in the last axis (n_active)."""
        scaled: Array = derivatives * self.slopes(active)
        return scaled

    def turned(self, before: Array) -> list[str]:
        """The names of free parameters that were positive before, (n_params,), and are negative now."""
        return [
            self.names[k]
            for k in self.active
            if self.full[k] < 0.0 < before[k] and not self.scaling[k] and self.lower[k] == -np.inf
        ]

    def project(self, active: ArrayLike) -> Array:
        """The nearest point within the bounds, scaled."""
        point = np.array(active, dtype=float)
        return np.clip(point, *self.active_bounds, out=point) if self.bounded else point

    @cached_property
    def active_bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the active parameters, scaled; infinite where there is none."""
        low, high = self.lower.tolist(), self.upper.tolist()
        pairs = [self.scaling[k].scaled_bounds(_felt(low[k]), _felt(high[k])) for k in self.active]
        return np.array([low for low, _ in pairs]), np.array([high for _, high in pairs])

    @cached_property
    def bounded(self) -> bool:
        """Whether an active parameter has a bound."""
        return bool(np.isfinite(self.active_bounds).any())

    def pressed(self, active: ArrayLike, gradient: Array) -> NDArray[np.bool_]:
        """Which active parameters are at a bound that steepest descent would lead them across, (n_active,)."""
        given = (np.ascontiguousarray(each, dtype=float) for each in (active, gradient))
        pressed: NDArray[np.bool_] = self.kernel.pressed(*given)
        return pressed

    def sizes(self, active: ArrayLike) -> Array:
        """Changes of the active parameters that are large: their own size, or a factor e, (n_active,)."""
        largest = np.maximum(np.abs(np.asarray(active, dtype=float)), np.abs(self.point))
        is_log = np.array([self.scaling[k] is Scaling.LOGARITHM for k in self.active])
        sizes: Array = np.where(is_log | (largest == 0.0), 1.0, largest)
        return sizes

    @property
    def units(self) -> Array:
        """What relative changes of the active parameters are parts of: their values, or 1 where these are 0."""
        size = np.abs(self.full[list(self.active)])
        return np.where(size > 0, size, 1.0)

    def ends(self, widths: Array) -> tuple[Array, Array]:
        """Ends of intervals of the active parameters, unscaled, from half-widths of the scaled, (n_active,) each."""
        active, low = list(self.active), self.point - widths
        roots = np.array([self.scaling[k] is Scaling.SQUARE_ROOT for k in active], dtype=bool)
        low = np.where(roots, np.maximum(low, 0.0), low)  # a root below 0 is that of the same parameter as one above
        return self.expand(low)[active], self.expand(self.point + widths)[active]

    def moved(self, active: ArrayLike) -> ParameterMap:
        """The same map at other values of the active parameters."""
        return self.with_values(self.expand(active))


FIELDS = tuple(each.name for each in fields(ParameterMap))


def _felt(bound: float) -> float:
    """A bound, or none where it is too far away to be one."""
    return math.copysign(math.inf, bound) if abs(bound) > FARTHEST else bound


def _check_scale(name: str, value: float, scaling: Scaling) -> None:
    if not scaling.takes(value):
        allowed = "a positive value" if scaling is Scaling.LOGARITHM else "0 or a positive value"
        raise ParfitError(f"{name} = {value:g} has no {scaling.noun}: set it to {allowed} first")


def _check_bound(name: str, upper: float, scaling: Scaling) -> None:
    if not scaling.takes(upper):
        raise ParfitError(
            f"{name} up to {upper:g} has no {scaling.noun}", "change its BOUNDS, or its scaling with SCALE"
        )
