"""Noise models and priors that stand in the text of a model, and what is left of them with other models and data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from parfit.errors import ModelError, ParfitError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.prior import Prior, read_prior
from parfit.model.conditions.specialising import file_of
from parfit.model.model import Model
from parfit.model.said.lines import NoiseLine, PriorLine


def said(model: Model, seen: Collection[str]) -> Noise:
    """What a model says of the errors of what was observed, and of its parameters."""
    models = {line.variable: _errors(line) for line in model.noise if line.variable in seen}
    return Noise(models, {line.parameter: _prior(model, line) for line in model.priors})


def kept(noise: Noise, before: Model, model: Model, seen: Collection[str], new: Collection[str]) -> Noise:
    """What holds of noise for another model and data; lines of the model count where they, or their data, are new."""
    known = {*model.states, *(name for name, _ in model.aux), *model.parameters}
    models = {name: each for name, each in noise.models.items() if name in seen and (each.quantity or name) in known}
    priors = {name: each for name, each in noise.priors.items() if name in model.parameters}
    told, old = said(model, seen), (set(_bare(before)), {(line.parameter, line.words) for line in before.priors})
    for bare, line in zip(_bare(model), model.noise, strict=True):
        if line.variable in told.models and (bare not in old[0] or line.variable in new):
            models[line.variable] = told.models[line.variable]
    for each in model.priors:
        if (each.parameter, each.words) not in old[1]:
            priors[each.parameter] = told.priors[each.parameter]
    found = Noise(models, priors)
    return noise if found == noise else found


def _bare(model: Model) -> list[tuple[str, ...]]:
    """What lines say, whatever their places; a quantity counts by its formula."""
    formulas = {name: str(node) for name, node in model.aux}
    return [(each.variable, each.form, formulas.get(each.quantity, each.quantity), each.group) for each in model.noise]


def _errors(line: NoiseLine) -> VariableNoise:
    return VariableNoise(Form[line.form], line.group, line.quantity)


def _prior(model: Model, line: PriorLine) -> Prior:
    try:
        return read_prior(list(line.words))
    except ParfitError as error:
        raise ModelError(f"`prior {line.parameter}`: {error}", file_of(model), line.line) from None


def with_limits(map_: ParameterMap, noise: Noise) -> ParameterMap:
    """The map within what uniform priors allow."""
    lower, upper = map_.lower.copy(), map_.upper.copy()
    for name, prior in noise.priors.items():
        if not prior.is_felt:
            k = map_.names.index(name)
            lower[k], upper[k] = max(lower[k], prior.first), min(upper[k], prior.second)
    return replace(map_, lower=lower, upper=upper) if any(not each.is_felt for each in noise.priors.values()) else map_


def check_priors(noise: Noise, map_: ParameterMap, names: Collection[str] | None = None) -> None:
    """Refuse a prior, of these parameters or of all, whose largest value no bound allows."""
    for name, prior in noise.priors.items():
        if names is not None and name not in names:
            continue
        k = map_.names.index(name)
        low, high = float(map_.lower[k]), float(map_.upper[k])
        a, b = (prior.first, prior.second) if not prior.is_felt else (prior.center, prior.center)
        if b < low or a > high:
            raise ParfitError(
                f"the prior of {name}, {prior}, is outside its bounds, {low:g} to {high:g}",
                f"BOUNDS {name} changes them, PRIOR {name} OFF takes the prior back",
            )
