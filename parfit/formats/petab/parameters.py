"""The table of parameters: what is fitted, between which bounds, on which scale, and what is known beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.estimation.parameters import Scaling
from parfit.estimation.prior import Density, Prior
from parfit.formats.petab.tables import Row, unique
from parfit.model.textfile import real

SCALES = {"": Scaling.NONE, "lin": Scaling.NONE, "log": Scaling.LOGARITHM, "log10": Scaling.LOGARITHM}
PRIORS = {
    "normal": Density.NORMAL,
    "laplace": Density.LAPLACE,
    "logNormal": Density.LOGNORMAL,
    "log-normal": Density.LOGNORMAL,
    "logLaplace": Density.LOGLAPLACE,
    "log-laplace": Density.LOGLAPLACE,
    "parameterScaleNormal": Density.NORMAL,
    "parameterScaleLaplace": Density.LAPLACE,
    "uniform": Density.UNIFORM,
    "parameterScaleUniform": Density.UNIFORM,
    "log-uniform": Density.UNIFORM,  # of the logarithm, whose densities are ours
    "cauchy": Density.CAUCHY,
    "gamma": Density.GAMMA,
    "exponential": Density.GAMMA,  # of shape 1
    "chisquare": Density.GAMMA,  # of half the degrees of freedom, and scale 2
    "rayleigh": Density.RAYLEIGH,
}
OF_ONE: dict[str, Callable[[float], tuple[float, float]]] = {  # the two numbers of ours, from one
    "exponential": lambda scale: (1.0, scale),
    "chisquare": lambda degrees: (0.5 * degrees, 2.0),
    "rayleigh": lambda scale: (0.0, scale),
}
BOUNDS = ("uniform", "parameterScaleUniform", "log-uniform")  # what without numbers says no more than the bounds do
OF_SCALE = "parameterScale"
LOGARITHMIC = {Density.NORMAL: Density.LOGNORMAL, Density.LAPLACE: Density.LOGLAPLACE}


@dataclass(frozen=True)
class Listed:
    """One parameter of the table."""

    row: Row
    name: str
    value: float
    fitted: bool
    low: float = -math.inf
    high: float = math.inf
    scaling: Scaling = Scaling.NONE
    prior: Prior | None = None
    remark: str = ""  # what was passed over


def read_parameters(rows: list[Row]) -> dict[str, Listed]:
    return {name: _listed(name, row) for name, row in unique(rows, "parameterId").items()}


def _listed(name: str, row: Row) -> Listed:
    fitted = row.truth("estimate")
    scale = row.get("parameterScale")
    if scale not in SCALES:
        raise row.wrong(f"parameterScale is {scale!r}; expected lin, log or log10")
    low, high = row.number("lowerBound", -math.inf), row.number("upperBound", math.inf)
    low, high = (-math.inf if math.isnan(low) else low), (math.inf if math.isnan(high) else high)
    if low > high:
        raise row.wrong(f"lowerBound {low:g} is above upperBound {high:g}")
    value = row.number("nominalValue", math.nan)
    if math.isnan(value):
        value = _middle(row, low, high, SCALES[scale]) if fitted else math.nan
    if math.isnan(value):
        raise row.wrong("nominalValue is missing, and nothing is known of it, for it is not estimated")
    if not (fitted or low <= value <= high):  # bounds of what is not estimated need not hold
        low, high = -math.inf, math.inf
    scaling = SCALES[scale] if value > 0.0 and fitted else Scaling.NONE  # what is 0 has no logarithm to begin with
    kind = row.get("objectivePriorType") or row.get("priorDistribution")
    if fitted and _is_endless(row, kind):
        remark = f"the prior of {name} ({kind}) is infinite at 0, and is not used"
        return Listed(row, name, value, fitted, low, high, scaling, None, remark)
    return Listed(row, name, value, fitted, low, high, scaling, _prior(row, kind, scale) if fitted else None)


def _middle(row: Row, low: float, high: float, scaling: Scaling) -> float:
    """Where a parameter without a value begins."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise row.wrong("nominalValue is missing, and so are bounds between which it could begin")
    return math.sqrt(low * high) if scaling is Scaling.LOGARITHM and low > 0.0 else 0.5 * (low + high)


def _numbers(row: Row, kind: str) -> tuple[float, float]:
    """The two numbers of a prior of ours."""
    numbers = [real(each) for each in row.listed("objectivePriorParameters") or row.listed("priorParameters")]
    known = [each for each in numbers if each is not None]
    if kind in OF_ONE and len(known) == len(numbers) == 1:
        return OF_ONE[kind](known[0])
    if kind in OF_ONE or len(known) != 2 or len(numbers) != 2:
        need = "one number" if kind in OF_ONE else "two numbers with a semicolon between them"
        raise row.wrong(f"the prior {kind} needs {need}")
    return known[0], known[1]


def _is_endless(row: Row, kind: str) -> bool:
    """Whether a density of gamma has a shape below 1."""
    return PRIORS.get(kind) is Density.GAMMA and _numbers(row, kind)[0] < 1.0


def _prior(row: Row, kind: str, scale: str) -> Prior | None:
    if kind and kind not in PRIORS:
        raise row.wrong(f"the prior {kind} is not supported; expected one of {', '.join(PRIORS)}")
    listed = row.listed("objectivePriorParameters") or row.listed("priorParameters")
    if not kind or (kind in BOUNDS and not listed):
        return None
    density, (a, b) = PRIORS[kind], _numbers(row, kind)
    if kind.startswith(OF_SCALE) and scale in ("log", "log10"):
        unit = math.log(10.0) if scale == "log10" else 1.0
        density, a, b = LOGARITHMIC.get(density, density), a * unit, b * unit
    try:
        if density is Density.UNIFORM and kind.startswith(OF_SCALE) and scale in ("log", "log10"):
            return Prior(density, math.exp(a), math.exp(b))
        return Prior(density, math.exp(a) if density.is_of_logarithm else a, b)
    except (CommandError, OverflowError) as error:
        raise row.wrong(str(error)) from None
