"""Noise models and what was estimated of them, as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.data.observations import Observations
from parfit.estimation.diagnosis.information import of_deviance
from parfit.estimation.diagnosis.residual_tests import has_known_errors
from parfit.estimation.likelihood.estimates import Estimate, Likelihood
from parfit.estimation.likelihood.groups import OTHERS
from parfit.estimation.likelihood.pulls import Pull
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.prior import Density
from parfit.model.naming import base_of
from parfit.text.report import columns, number

WORDS = {
    Form.ADDITIVE: "additive",
    Form.RELATIVE: "relative",
    Form.LOGNORMAL: "lognormal",
    Form.LAPLACE: "Laplace",
    Form.LOGLAPLACE: "Laplace of logs",
    Form.PROPORTIONAL: "proportional",
}
MADE_OF = {  # a quantity
    Form.ADDITIVE: "standard deviation {}",
    Form.RELATIVE: "relative: standard deviation {} times the computed value",
    Form.LOGNORMAL: "lognormal: standard deviation {} of the logarithm",
    Form.LAPLACE: "Laplace: scale {}; outliers are expected",
    Form.LOGLAPLACE: "Laplace of logs: scale {} of the logarithm; outliers are expected",
    Form.PROPORTIONAL: "standard deviation an unknown multiple of {}",
    Form.GIVEN: "standard deviation {}",
}
PLAIN = "weights as they are"
MOST_NAMED = 3  # variables that have one size of errors, by their names
KNOWN = "known: standard deviations of the data, the weights are 1/sd"
WEIGHTED = "These are of observations of weight 1; of others they are as much smaller as the weight is larger."
OF_LAPLACE = "Of Laplace errors the scale, which is the mean of their sizes, stands in place of the sd."


def settings(noise: Noise, observations: Observations) -> str:
    """The noise model of every observed variable."""
    rows = []
    for name in observations.names:
        model = noise.models.get(name)
        if model is None:
            rows.append((name, KNOWN if has_known_errors(observations, name) else PLAIN, ""))
        elif model.quantity:
            rows.append((name, MADE_OF[model.form].format(model.quantity), ""))
        else:
            rows.append((name, f"{WORDS[model.form]}: {model.form.value}", _shared(model, noise, observations)))
    return columns(["observed", "noise", ""], list(zip(*_gathered(rows), strict=True)), left=[0, 1, 2])


def _shared(model: VariableNoise, noise: Noise, observations: Observations) -> str:
    """That variables have one size of errors, if there are several that do."""
    key = model.group, model.form
    own = [
        name for name, each in noise.models.items() if (each.group, each.form) == key and name in observations.names
    ]
    if not model.group or len(own) < 2:
        return ""
    return f"one size for {', '.join(own) if len(own) <= MOST_NAMED else f'{len(own)} variables, {model.group}'}"


def _gathered(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """One line for what is the same in all experiments."""
    found = []
    for base in dict.fromkeys(base_of(name) for name, *_ in rows):
        own = [row for row in rows if base_of(row[0]) == base]
        is_one = len(own) > 1 and len({row[1:] for row in own}) == 1
        found += [(base, own[0][1], "in all experiments")] if is_one else own
    return found


def prior_settings(noise: Noise, map_: ParameterMap) -> str:
    """What is known of parameters beforehand, and how far they are from it."""
    if not noise.priors:
        return "no parameter has a prior"
    rows = [
        _prior_row(Pull(name, each, float(map_.full[map_.names.index(name)]), np.nan))
        for name, each in noise.priors.items()
    ]
    return columns(["parameter", "prior", "value", "away by"], list(zip(*rows, strict=True)), left=[0, 1, 3])


def pulled(found: Sequence[Pull]) -> str:
    """How far each prior has pulled its parameter."""
    rows = [(*_prior_row(each), _without(each)) for each in found]
    headings = ["parameter", "prior", "value", "away by", "without it about"]
    return columns(headings, list(zip(*rows, strict=True)), left=[0, 1, 3])


def _prior_row(each: Pull) -> tuple[str, ...]:
    unit = "scales" if each.prior.density.is_laplace or each.prior.density is Density.CAUCHY else "sd"
    low, high = each.prior.limits
    where = "within" if low <= each.value <= high else "outside"
    away = f"{each.distance:+.2f} {unit}" if each.prior.is_felt else where
    return each.name, str(each.prior), number(each.value), away


def _without(each: Pull) -> str:
    if not each.prior.is_felt:
        return ""
    return f"{each.without:.5g}" if np.isfinite(each.without) else "not determined"


def likelihood(found: Likelihood) -> str:
    """The estimated standard deviations, with both biases, and the criteria for comparing models."""
    lines = []
    if found.estimates:
        rows = [
            (
                _label(each, found.estimates),
                WORDS[each.form],
                str(each.n),
                *(f"{value:.5g}" for value in (each.sd, each.corrected, each.low, each.high)),
            )
            for each in found.estimates
        ]
        headings = ["errors of", "", "values", "sd (likelihood)", "sd (n - p)", "95 % from", "to"]
        lines.append(columns(headings, list(zip(*rows, strict=True)), left=[0, 1]))
        lines += [WEIGHTED] if found.is_weighted else []
        lines += [OF_LAPLACE] if any(each.form.is_laplace for each in found.estimates) else []
    return "\n".join([*lines, criteria(found)])


def _label(found: Estimate, every: Sequence[Estimate]) -> str:
    """The name of a group, or its variables where the name says nothing, or would stand for more than is in it."""
    elsewhere = {base_of(name) for each in every if each is not found for name in each.of}
    is_part = found.group == OTHERS or any(base_of(name) in elsewhere for name in found.of)
    return ", ".join(found.of) if is_part and len(found.of) <= MOST_NAMED else found.group


def criteria(found: Likelihood) -> str:
    """In one line; what is counted is said."""
    by = of_deviance(found.deviance, found.n, found.k)
    small = f"{by.aicc:.5g}" if np.isfinite(by.aicc) else "none (too few observations)"
    errors = f", {len(found.estimates)} of them of the errors" if found.estimates else ""
    return (
        f"LOG LIKELIHOOD {number(float(f'{found.log_likelihood:.7g}'))}, AIC {by.aic:.5g}, AICc {small}, "
        f"BIC {by.bic:.5g}\n({found.n} observations, {found.k} parameters{errors}; criteria without "
        "the constant n (1 + log 2 pi))"
    )
