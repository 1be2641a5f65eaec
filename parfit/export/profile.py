"""Profiles as plain data."""

from __future__ import annotations

from typing import Any

from parfit.estimation.profiles.profile import Profile
from parfit.estimation.profiles.walk import Side
from parfit.export.plain import known


def profile_data(found: Profile) -> dict[str, Any]:
    """Limits, why each side has ended, and the points, as `schema.json` describes them."""
    limit = found.threshold
    return {
        "name": found.name,
        "value": found.best,
        "level": limit.level,
        "rise": limit.rise,
        "distribution": "chi2" if limit.is_known else "F",
        "degrees_of_freedom": [limit.n_together] if limit.is_known else [limit.n_together, limit.n_free],
        "limits": [known(each) for each in found.limits],
        "finding": found.finding.name.lower(),
        "lower": _side(found.lower, found.pressed(0)),
        "upper": _side(found.upper, found.pressed(1)),
        "points": [
            {"value": known(value), "rise": known(rise * limit.rise), "parameters": list(map(known, parameters))}
            for value, rise, parameters in zip(found.values, found.rises, found.parameters.tolist(), strict=True)
        ],
    }


def _side(side: Side, pressed: tuple[str, ...]) -> dict[str, Any]:
    return {"end": side.end.name.lower(), "others_at_bounds": list(pressed), "status": side.status}
