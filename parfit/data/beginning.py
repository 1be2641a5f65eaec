"""When a model begins: at the time that it says, that its data came with, or that their times suggest."""

from __future__ import annotations

import numpy as np

from parfit.data.observations import Observations
from parfit.errors import DataError
from parfit.model.conditions.joining import begun_at, joined
from parfit.model.language.assigning import first_time
from parfit.model.model import Model

FAR = 10.0  # times their own length: data that lie further from 0 count in years, or from another beginning


def beginning(model: Model, observations: Observations | None) -> float:
    """The initial time of a model with these observations."""
    return model.t0 if model.says_t0 else min(_of_data(observations), first_time(model.jumps, model.infused))


def _of_data(observations: Observations | None) -> float:
    if observations is None or not observations.times.size:
        return 0.0
    if observations.begin is not None:
        return observations.begin
    times = observations.times[np.isfinite(observations.times)]
    if not times.size:
        return 0.0
    first, last = float(times[0]), float(times[-1])
    return first if max(first, -last) > FAR * (last - first) > 0.0 else 0.0


def begun(model: Model, observations: Observations | None) -> Model:
    """The model for the experiments of the data, with its initial time; the same one where nothing changes."""
    model = joined(model, None if observations is None else observations.design)
    t0 = beginning(model, observations)
    _check_steady(model, t0, observations)
    return model if t0 == model.t0 else begun_at(model, t0)


def _check_steady(model: Model, t0: float, observations: Observations | None) -> None:
    """A steady state of doses is one of the beginning."""
    for name, each in [(part.name, part.model) for part in model.parts] or [("", model)]:
        regimen = None if each.rest is None else each.rest.regimen
        if regimen is not None and regimen.time != t0:
            where = f" of experiment {name}" if name else ""
            raise DataError(
                f"the dose at steady state (ss){where} is at t = {regimen.time:g}, but all begins at t = {t0:g}; "
                "count the time of every experiment from that dose",
                None if observations is None else observations.source or None,
            )


def first_observation(observations: Observations, name: str) -> tuple[float, float] | None:
    """The first time at which a variable was observed, and the mean of what was observed then."""
    if name not in observations.names:
        return None
    j = observations.names.index(name)
    seen = observations.observed[:, j]
    if not seen.any():
        return None
    t = float(observations.times[seen][0])
    return t, float(observations.values[seen & (observations.times == t), j].mean())
