"""What results depend on, as a short text: equal for what is equal, on any day."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import numpy as np

from parfit.model.conditions.design import Design
from parfit.model.language.editing import text_of
from parfit.session.environment import Environment


def fingerprint(env: Environment, *words: object) -> str:
    """Of model, data, parameters and method, and of what is asked of them."""
    map_, data = env.parameters, env.observations
    assert data is not None
    told = (
        *(text_of(env.model), data.names, _without_places(data.design), env.options.method, env.noise),
        *(map_.names, sorted(map_.frozen), map_.scaling, *words),
    )
    found = sha256("\n".join(map(repr, told)).encode("utf-8", "backslashreplace"))
    sds = np.empty(0) if data.sds is None else data.sds
    curves = [part for _, curve in env.model.tables for part in (curve.breaks, curve.coefs)]  # the text names files
    given = data.times, data.values, data.weights, sds
    for array in (env.samples.times, *given, map_.full, map_.lower, map_.upper, *curves):
        found.update(array.tobytes())
    return found.hexdigest()[:24]


def _without_places(design: Design | None) -> Design | None:
    """The experiments without where they were read: a run that is resumed reads copies."""
    if design is None:
        return None
    return replace(design, source="", statements=tuple(replace(each, source="") for each in design.statements))
