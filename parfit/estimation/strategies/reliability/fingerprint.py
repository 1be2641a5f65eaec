"""What results depend on, as a short text: equal for what is equal, on any day."""

from __future__ import annotations

from hashlib import sha256

from parfit.model.language.editing import text_of
from parfit.session.environment import Environment


def fingerprint(env: Environment, *words: object) -> str:
    """Of model, data, parameters and method, and of what is asked of them."""
    map_, data = env.parameters, env.observations
    assert data is not None
    told = (
        *(text_of(env.model), data.names, data.design, env.options.method, env.noise),
        *(map_.names, sorted(map_.frozen), map_.scaling, *words),
    )
    found = sha256("\n".join(map(repr, told)).encode("utf-8", "backslashreplace"))
    for array in (env.samples.times, data.times, data.values, data.weights, map_.full, map_.lower, map_.upper):
        found.update(array.tobytes())
    return found.hexdigest()[:24]
