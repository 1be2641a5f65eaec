"""All that is known of a problem at its present parameters, as plain data: `schema.json` describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from parfit import __version__
from parfit.data.observations import Observations
from parfit.estimation.diagnosis.information import criteria, of_deviance
from parfit.estimation.diagnosis.residual_tests import counted, has_known_errors
from parfit.estimation.likelihood.groups import OTHERS
from parfit.estimation.likelihood.pulls import pulls
from parfit.estimation.noise import Form, VariableNoise
from parfit.export.appraisal import LEVEL, Appraisal, appraised
from parfit.export.bootstrap import bootstrap_data
from parfit.export.plain import known
from parfit.export.profile import profile_data
from parfit.model.conditions.design import Condition
from parfit.model.language.editing import text_of
from parfit.model.naming import experiment_of
from parfit.session.environment import Environment
from parfit.session.paths import full
from parfit.session.results import FitRecord
from parfit.simulation.trajectory import Trajectory
from parfit.text.fit import sentence

SCHEMA = 1  # the version of schema.json: another one if something is renamed, left out or means something else
MEMBERS = (
    *("schema", "version", "model", "data", "settings", "parameters", "sum_of_squares", "n_observations"),
    *("degrees_of_freedom", "residual_standard_deviation", "chi2", "log_likelihood", "verdict", "fits", "residuals"),
    *(
        "noise",
        "priors",
        "criteria",
        "profiles",
        "bootstrap",
        "curves",
        "exit_code",
        "error",
    ),  # the last two are those of a run of the program
)
Plain = dict[str, Any]
NO_CHECKSUMS: Mapping[str, str] = MappingProxyType({})


def summary(env: Environment, checksums: Mapping[str, str] = NO_CHECKSUMS, curves: bool = False) -> Plain:
    """Model, data, settings, parameters with their errors, verdict, fits and residuals.

    `checksums` are those of the files that were read, by their full names; `curves` adds the solution.
    """
    found = appraised(env)
    return nothing() | {
        "model": _model(env, checksums),
        "data": _data(env, checksums),
        "settings": _settings(env),
        "parameters": _parameters(env, found),
        **_sums(env, found),
        "verdict": {"code": found.verdict, "sentence": found.sentence} if found.verdict else None,
        "fits": [_fit(each) for each in env.fits],
        "residuals": _residuals(env, found),
        "profiles": [profile_data(each) for each in env.profiles],
        "bootstrap": None if env.bootstrap is None else bootstrap_data(env.bootstrap),
        "curves": curves_of(found.trajectory) if curves else None,
    }


def nothing() -> Plain:
    """The summary of a problem that could not be opened."""
    lists = ("parameters", "fits", "residuals", "noise", "priors", "profiles")
    return {name: [] if name in lists else None for name in MEMBERS} | {"schema": SCHEMA, "version": __version__}


# ---- the problem


def _model(env: Environment, checksums: Mapping[str, str]) -> Plain:
    """The model with its text, and the file it was read from; without a file the checksum is that of the text."""
    model, text = env.model, text_of(env.model)
    folder = Path(full(env.folder))
    file = next((path for path in checksums if Path(path).stem == model.name and Path(path).parent == folder), None)
    return {
        "name": model.name,
        "file": file,
        "sha256": checksums[file] if file else sha256(text.encode("utf-8", "surrogateescape")).hexdigest(),
        "text": text,
        "states": list(model.states),
        "initial_time": model.t0,
    }


def _data(env: Environment, checksums: Mapping[str, str]) -> Plain | None:
    data = env.observations
    if data is None:
        return None
    source = full(data.source) if data.source else ""
    return {
        "file": source or None,
        "sha256": checksums.get(source),
        "experiments": [_experiment(each, data) for each in data.design.conditions] if data.design else [],
        "variables": [{"name": name, "label": data.label(name)} for name in data.names],
        "n_observations": data.n_observations,
        "first_time": float(data.times[0]) if data.times.size else None,
        "last_time": float(data.times[-1]) if data.times.size else None,
    }


def _experiment(condition: Condition, data: Observations) -> Plain:
    doses = [
        {
            "state": each.state or None,
            "amount": each.amount,
            "times": list(each.times),
            "over": each.over,
            "resets": each.resets,
            "steady": each.steady,
        }
        for each in condition.doses
    ]
    name, design = condition.name, data.design
    assert design is not None
    own = [k for k, each in enumerate(data.names) if len(design.conditions) == 1 or experiment_of(each) == name]
    return {
        "name": name,
        "settings": dict(condition.settings),
        "doses": doses,
        "is_fitted": name not in design.off,
        "n_observations": int(np.count_nonzero(data.observed[:, own])),
    }


def _settings(env: Environment) -> Plain:
    how = env.options.method
    return {
        "procedure": how.procedure,
        "formula": how.formula if how.procedure == "gear" else None,
        "eps": how.eps if how.procedure == "gear" else None,
        "h_min": how.h_min,
        "h_max": known(how.h_max),
        "loss": env.loss.lower() or "linear",
        "interval_percent": LEVEL,
    }


# ---- what was found


def _parameters(env: Environment, found: Appraisal) -> list[Plain]:
    map_ = env.parameters
    rows = []
    for k, name in enumerate(map_.names):
        low, high, error = (None if each is None else known(each[k]) for each in (found.low, found.high, found.errors))
        rows.append(
            {
                "name": name,
                "value": float(map_.full[k]),
                "standard_error": error,
                "standing": found.words[k] if found.words else None,
                "interval": None if low is None or high is None else [low, high],
                "lower": known(map_.lower[k]),
                "upper": known(map_.upper[k]),
                "frozen": k in map_.frozen,
                "scaling": map_.scaling[k].name.lower(),
            }
        )
    return rows


def _sums(env: Environment, found: Appraisal) -> Plain:
    """The sum of squares and what follows from it; chi-square and likelihood need known standard deviations."""
    stats, total = found.statistics, known(found.sum_of_squares)
    data = env.observations
    is_known = total is not None and data is not None and has_known_errors(data) and not env.noise
    return {
        "sum_of_squares": total,
        "n_observations": None if stats is None else stats.n_observations,
        "degrees_of_freedom": None if stats is None else stats.n_free,
        "residual_standard_deviation": None if stats is None or not stats.intervals else known(stats.intervals.sd),
        "chi2": total if is_known else None if found.likelihood is None else known(found.likelihood.chi2),
        "log_likelihood": _likelihood(env, found) if env.noise or is_known else None,
        "noise": _noise(env, found),
        "priors": _priors(env, found),
        "criteria": _criteria(env, found),
    }


def _likelihood(env: Environment, found: Appraisal) -> float | None:
    if not env.noise:
        return known(_log_likelihood(env, found))
    return None if found.likelihood is None else known(found.likelihood.log_likelihood)


def _criteria(env: Environment, found: Appraisal) -> Plain | None:
    """Akaike's and Schwarz's, with what they count; of plain least squares as STATS has them."""
    stats, data = found.statistics, env.observations
    if stats is None or data is None:
        return None
    n, rank, said = stats.n_observations, stats.determination.rank, found.likelihood
    by = (
        criteria(stats.sum_of_squares, n, rank, has_known_errors(data))
        if said is None
        else of_deviance(said.deviance, said.n, said.k)
    )
    if by is None:
        return None
    numbers = {"aic": known(by.aic), "aicc": known(by.aicc), "bic": known(by.bic)}
    return {"n_observations": n, "n_parameters": by.n_parameters, **numbers}


def _priors(env: Environment, found: Appraisal) -> list[Plain]:
    """What is known of parameters beforehand, and where they would be without it."""
    at = found.evaluation
    told = pulls(env.noise, env.parameters, at) if at is not None and at.usable else ()
    return [
        {
            "parameter": each.name,
            "density": each.prior.density.name.lower(),
            "numbers": [each.prior.first, each.prior.second],
            "distance": known(each.distance),
            "without": known(each.without),
        }
        for each in told
    ]


def _noise(env: Environment, found: Appraisal) -> list[Plain]:
    """The noise models, and the standard deviations that were estimated, also of what has no model."""
    estimates = {} if found.likelihood is None else {each.group: each for each in found.likelihood.estimates}
    observed = () if env.observations is None else env.observations.names
    others = {name: VariableNoise(Form.ADDITIVE, OTHERS) for name in observed if OTHERS in estimates}
    rows = []
    for name, model in {**others, **env.noise.models}.items():
        own = estimates.get(model.group or name)
        rows.append(
            {
                "variable": name,
                "form": model.form.name.lower(),
                "group": model.group or name,
                "quantity": model.quantity or None,
                "sd": None if own is None else known(own.sd),
                "sd_corrected": None if own is None else known(own.corrected),
                "interval": None if own is None else [known(own.low), known(own.high)],
            }
        )
    return rows


def _log_likelihood(env: Environment, found: Appraisal) -> float:
    """Of normally distributed errors with the standard deviations of the data."""
    data = env.observations
    assert data is not None
    assert data.sds is not None
    sds = data.sds[data.observed][counted(data)]
    return -0.5 * found.sum_of_squares - float(np.log(sds).sum()) - 0.5 * sds.size * math.log(2.0 * math.pi)


def _fit(made: FitRecord) -> Plain:
    basis, map_ = made.basis, made.basis.parameters
    data = basis.observations
    return {
        "method": made.method,
        "loss": basis.loss.lower() or "linear",
        "model": basis.model.name,
        "data": full(data.source) if data is not None and data.source else None,
        "values": dict(zip(map_.names, basis.values.tolist(), strict=True)),
        "frozen": [map_.names[k] for k in sorted(map_.frozen)],
        "sum_of_squares": known(made.sum_of_squares),
        "steps": made.n_iterations,
        "evaluations": made.n_evaluations,
        "ending": made.judgement.ending.name.lower(),
        "is_minimum": made.judgement.is_minimum,
        "verdict": {"code": made.judgement.code, "sentence": sentence(made.judgement).fact},
    }


def _residuals(env: Environment, found: Appraisal) -> list[Plain]:
    """The observations one by one in order of time; a residual is weight * (computed - observed)."""
    data, at = env.observations, found.evaluation
    if data is None or at is None or not at.usable:
        return []
    run = at.trajectory
    assert run is not None
    columns = {name: run.column(name) for name in data.names}
    rows = []
    for i, j in zip(*np.nonzero(data.observed), strict=True):
        computed = columns[data.names[j]][np.searchsorted(run.times, data.times[i])]
        observed, weight = data.values[i, j], data.weights[i, j]
        numbers = (data.times[i], observed, computed, weight, weight * (computed - observed))
        names = ("time", "observed", "computed", "weight", "residual")
        rows.append({"variable": data.names[j], **{n: known(v) for n, v in zip(names, numbers, strict=True)}})
    return rows


def curves_of(run: Trajectory) -> Plain:
    """States and aux quantities at the sample times, as far as the integration came."""
    reached = np.isfinite(run.times) & ~np.isnan(run.y).all(axis=1)
    names = [*run.model.states, *(name for name, _ in run.model.aux)]
    return {
        "time": run.times[reached].tolist(),
        "variables": {name: [known(value) for value in run.column(name)[reached]] for name in names},
    }
