"""What is carried over to another model: parameters, observations and sample times."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array, read_only
from parfit.data.observations import Observations, make_observations
from parfit.estimation.likelihood.said import check_priors, said, with_limits
from parfit.estimation.likelihood.said import kept as kept_noise
from parfit.estimation.noise import Noise
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.model import Model
from parfit.model.naming import base_of
from parfit.session.builders import Builders
from parfit.session.records import Samples
from parfit.session.results import Mark

DEFAULT_TOTAL = 10.0  # length of a run without data, where the model does not say
DEFAULT_STEPS, MOST_STEPS = 50, 10_000  # of such a run


def default_samples(model: Model, observations: Observations | None) -> Samples:
    """The initial time and the observation times; without observations a uniform mesh over the model's length."""
    if observations is not None and observations.times.size:
        return Samples(read_only(observations.sample_times(model.t0)))
    total = model.total or DEFAULT_TOTAL
    steps = min(round(total / model.dt), MOST_STEPS) if 0.0 < model.dt < total else DEFAULT_STEPS
    return Samples(read_only(np.linspace(model.t0, model.t0 + total, steps + 1)), uniform=True)


def marks_of(model: Model) -> tuple[Mark, ...]:
    """The sets of values that a model file names, as marks."""
    known = dict(zip(model.parameters, model.values.tolist(), strict=True))
    found = []
    for name, values in model.sets:
        full = known | dict(values)
        found.append(
            Mark(name, model.parameters, read_only(np.array([full[each] for each in model.parameters])), None)
        )
    return tuple(found)


def carried(before: Model, old_start: Array, old_map: ParameterMap, model: Model) -> tuple[Array, ParameterMap]:
    """Starting values and map for a changed model: those of the surviving parameters, the model's for new ones.

    A parameter that has a value in every experiment now, or had one before, goes on with that of its name.
    """
    old = {base_of(name).lower(): k for k, name in reversed(list(enumerate(before.parameters)))}
    old |= {name.lower(): k for k, name in enumerate(before.parameters)}
    places = [old.get(name.lower(), old.get(base_of(name).lower())) for name in model.parameters]
    start, full = model.values.copy(), model.values.copy()
    lower, upper = np.full(len(places), -np.inf), np.full(len(places), np.inf)
    scaling = [Scaling.NONE] * len(places)
    for j, k in enumerate(places):
        if k is None:
            continue
        lower[j], upper[j], scaling[j] = (part[k] for part in (old_map.lower, old_map.upper, old_map.scaling))
        # A starting value that was changed in the model's text is what the user wants now.
        if model.values[j] == before.values[k]:
            start[j], full[j] = old_start[k], old_map.full[k]
    frozen = frozenset(j for j, k in enumerate(places) if k in old_map.frozen)
    if len(frozen) == len(places):
        frozen = frozenset()
    return read_only(start), ParameterMap(model.parameters, full, frozen, tuple(scaling), lower, upper)


def kept(before: Model, start: Array, map_: ParameterMap, model: Model) -> tuple[Array, ParameterMap]:
    """The same for a model of other experiments; where these have the same parameters nothing changes."""
    return (start, map_) if model.parameters == before.parameters else carried(before, start, map_, model)


def is_whole(new: Observations | None, old: Observations | None) -> bool:
    """Whether nothing of the observations was left out."""
    return new is not None and old is not None and new.names == old.names


def noise_for(old: Builders, model: Model, observations: Observations | None) -> Noise:
    """The noise models and priors that still hold, with those that the model says where they are new."""
    before, seen = (() if each is None else each.names for each in (old.observations, observations))
    return kept_noise(old.noise, old.model, model, seen, [name for name in seen if name not in before])


def fresh(model: Model, values: Array) -> ParameterMap:
    """Parameters as a model has them: within what its uniform priors allow."""
    noise = said(model, ())
    map_ = with_limits(ParameterMap(model.parameters, values), noise)
    check_priors(noise, map_)
    return map_


def observations_for(model: Model, observations: Observations | None) -> Observations | None:
    """The observations of what is still a state or an aux quantity of the model."""
    if observations is None:
        return None
    spelled = {name.lower(): name for name in (*model.states, *(name for name, _ in model.aux))}
    kept = [k for k, name in enumerate(observations.names) if name.lower() in spelled]
    if not kept:
        return None
    return make_observations(
        observations.times,
        [spelled[observations.names[k].lower()] for k in kept],
        observations.values[:, kept],
        observations.weights[:, kept],
        None if observations.sds is None else observations.sds[:, kept],
        observations.source,
        observations.begin,
        {spelled.get(name.lower(), name): label for name, label in observations.labels.items()},
        observations.design,
    )
