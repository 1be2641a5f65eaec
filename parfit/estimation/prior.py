"""What is known of a parameter beforehand: a density, whose -2 log is a square, which is a row of least squares."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

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

    @property
    def is_of_logarithm(self) -> bool:
        return self in (Density.LOGNORMAL, Density.LOGLAPLACE)

    @property
    def is_laplace(self) -> bool:
        return self in (Density.LAPLACE, Density.LOGLAPLACE)


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
        return self.first if self.is_felt else 0.5 * (self.first + self.second)

    def distance(self, value: float) -> float:
        """How far a value is from the center, in standard deviations or scales; with a sign."""
        if self.density.is_of_logarithm:
            value = math.log(value) - math.log(self.first) if value > 0.0 else math.nan
            return value / self.second
        return (value - self.first) / self.second if self.is_felt else 0.0

    def about(self, value: float, distance: float) -> Prior:
        """The same density with its center so many standard deviations or scales from a value."""
        away = distance * self.second
        if not self.density.is_of_logarithm:
            return replace(self, first=value + away)
        return replace(self, first=math.exp(min(max(math.log(value) + away, -LARGEST_LOG), LARGEST_LOG)))

    def row(self, value: float) -> tuple[float, float]:
        """What is squared, -2 log of the density but for a constant, and its derivative by the value."""
        z, slope = self.distance(value), 1.0 / self.second
        if self.density.is_of_logarithm:
            slope /= value or math.nan
        if not self.density.is_laplace:
            return z, slope
        by = rounded_root(z)
        return by[0], by[1] * slope

    @property
    def limits(self) -> tuple[float, float]:
        """Beyond which it is 0."""
        if self.density is Density.UNIFORM:
            return self.first, self.second
        return (0.0, math.inf) if self.density.is_of_logarithm else (-math.inf, math.inf)


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
