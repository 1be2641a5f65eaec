"""What is known of a parameter beforehand: a density, whose -2 log is a square, which is a row of least squares."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import Enum

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.model.textfile import exact, real

ROUNDED = 1e-4  # part of its scale within which the tip of a Laplace density is a parabola, so that it has a slope

LARGEST_LOG = 700.0  # of a number that can be had


class Density(Enum):
    """What the two numbers of a prior are."""

    NORMAL = "mean and standard deviation"
    LOGNORMAL = "median, and standard deviation of the natural logarithm"
    LAPLACE = "median and scale, the mean distance from it"
    LOGLAPLACE = "median, and scale of the natural logarithm"
    UNIFORM = "lowest and highest value"
    CAUCHY = "median and scale, the half-width at half of its height"
    GAMMA = "shape, at least 1, and scale"
    RAYLEIGH = "lowest value, and how far above it the most probable one is"

    @property
    def is_of_logarithm(self) -> bool:
        return self in (Density.LOGNORMAL, Density.LOGLAPLACE)

    @property
    def is_laplace(self) -> bool:
        return self in (Density.LAPLACE, Density.LOGLAPLACE)

    @property
    def has_end(self) -> bool:
        """Whether it ends at a lowest value, without being that of a logarithm."""
        return self in (Density.GAMMA, Density.RAYLEIGH)


@dataclass(frozen=True)
class Prior:
    """The density of one parameter; a logarithmic one is the density of the logarithm, whose maximum is the median."""

    density: Density
    first: float
    second: float

    def __post_init__(self) -> None:
        what, a, b = self.density, self.first, self.second
        if not (math.isfinite(a) and math.isfinite(b)):
            raise CommandError("a prior needs two finite numbers")
        if what is Density.UNIFORM and not a < b:
            raise CommandError(f"UNIFORM {a:g} {b:g}: expected the lowest value first")
        if what is not Density.UNIFORM and not b > 0.0:
            raise CommandError(f"{what.name} {a:g} {b:g}: the second number must be positive; expected {what.value}")
        if what is Density.GAMMA and not a >= 1.0:
            raise CommandError(f"GAMMA {a:g} {b:g}: the shape must be at least 1, or 0 would be infinitely probable")
        if what.is_of_logarithm and not a > 0.0:
            raise CommandError(f"{what.name} {a:g} {b:g}: the median must be positive, for it has a logarithm")

    def __str__(self) -> str:
        return f"{self.density.name} {exact(self.first)} {exact(self.second)}"

    @property
    def is_felt(self) -> bool:
        """Whether it pulls; one that is uniform is nothing but bounds."""
        return self.density is not Density.UNIFORM

    @property
    def center(self) -> float:
        """Where it is largest; of a uniform one the middle."""
        if self.density is Density.GAMMA:
            return (self.first - 1.0) * self.second
        if self.density is Density.RAYLEIGH:
            return self.first + self.second
        return self.first if self.is_felt else 0.5 * (self.first + self.second)

    def distance(self, value: float) -> float:
        """How far a value is from the center, in standard deviations or scales; with a sign.

        Where a density ends, it is the distance at which a normal one has fallen as much.
        """
        if self.density.has_end:
            return self.row(value)[0]
        if self.density.is_of_logarithm:
            value = math.log(value) - math.log(self.first) if value > 0.0 else math.nan
            return value / self.second
        return (value - self.first) / self.second if self.is_felt else 0.0

    def about(self, value: float, distance: float) -> Prior:
        """The same density with its center so many standard deviations or scales from a value; where it ends, with
        another scale, if that moves its center."""
        if self.density.has_end:
            return self._stretched(value, -distance)
        away = distance * self.second
        if not self.density.is_of_logarithm:
            return replace(self, first=value + away)
        return replace(self, first=math.exp(min(max(math.log(value) + away, -LARGEST_LOG), LARGEST_LOG)))

    def row(self, value: float) -> tuple[float, float]:
        """What is squared, -2 log of the density but for a constant, and its derivative by the value."""
        if self.density.has_end:
            return self._row_with_end(value)
        z, slope = self.distance(value), 1.0 / self.second
        if self.density is Density.CAUCHY:
            factor = math.sqrt(2.0 * (math.log1p(z * z) / (z * z) if z else 1.0))
            return z * factor, 2.0 / ((1.0 + z * z) * factor) * slope
        if self.density.is_of_logarithm:
            slope /= value or math.nan
        if not self.density.is_laplace:
            return z, slope
        by = rounded_root(z)
        return by[0], by[1] * slope

    def _row_with_end(self, value: float) -> tuple[float, float]:
        """The same where the density ends, from the distance d of the center, as a part of its own."""
        above = (value - self.limits[0]) / self.second
        if self.density is Density.GAMMA and self.first == 1.0 and above >= 0.0:  # exponential
            row, slope = rounded_root(above)
            return row, slope / self.second
        if not above > 0.0:
            return math.nan, math.nan
        n, square = (self.first - 1.0, 0.0) if self.density is Density.GAMMA else (1.0, 1.0)  # d^2 counts beside
        u = above / n
        d = u - 1.0
        factor = math.sqrt(2.0 * n * _excess(d) + square)
        return d * factor, (n + square * u) / (u * factor) / (n * self.second)

    def _stretched(self, value: float, distance: float) -> Prior:
        """The density of the same shape from whose center the value is so far away; the same one if none is."""
        above, low, high = value - self.limits[0], -LARGEST_LOG, LARGEST_LOG
        if not above > 0.0 or self.center == self.limits[0]:
            return self
        while high - low > 1e-12 * max(1.0, abs(low), abs(high)):
            middle = 0.5 * (low + high)
            found = replace(self, second=math.exp(min(max(math.log(above) - middle, -LARGEST_LOG), LARGEST_LOG)))
            low, high = (middle, high) if found.distance(value) < distance else (low, middle)
        return found

    @property
    def limits(self) -> tuple[float, float]:
        """Beyond which it is 0."""
        if self.density is Density.UNIFORM:
            return self.first, self.second
        if self.density is Density.RAYLEIGH:
            return self.first, math.inf
        if self.density is Density.GAMMA:
            return 0.0, math.inf
        return (0.0, math.inf) if self.density.is_of_logarithm else (-math.inf, math.inf)


def _excess(d: float) -> float:
    """(d - log(1 + d)) / d^2, which is 1/2 at 0."""
    if d == -1.0:  # a value so far below the center that it cannot be told from the end
        return math.inf
    if abs(d) < 1e-4:
        return 0.5 - d / 3.0 + d * d / 4.0 - d**3 / 5.0
    return (1.0 - math.log1p(d) / d) / d


def rounded_root(z: float, rounded: float = ROUNDED) -> tuple[float, float]:
    """sqrt(2 |z|) with the sign of z, the tip of |z| being a parabola, and its derivative."""
    size = math.sqrt(z * z + rounded * rounded)
    factor = math.sqrt(2.0 / (size + rounded))
    return z * factor, 1.0 / (size * factor)


def read_prior(words: list[str]) -> Prior:
    """NORMAL 2 .5"""
    known = {each.name: each for each in Density}
    if not words or words[0].upper() not in known:
        said = f"{words[0]!r} is no prior; there are" if words else "say what is known:"
        raise CommandError(f"{said} {', '.join(known)}, each with two numbers")
    density = known[words[0].upper()]
    numbers = [real(each) for each in words[1:]]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        raise CommandError(f"{density.name} needs two numbers: {density.value}")
    return Prior(density, numbers[0], numbers[1])
