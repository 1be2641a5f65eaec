"""A bootstrap as plain data."""

from __future__ import annotations

from typing import Any

from parfit.estimation.resampling import Bootstrap
from parfit.export.plain import known


def bootstrap_data(found: Bootstrap) -> dict[str, Any]:
    """Limits, standard errors and all fits, as `schema.json` describes them."""
    columns = found.best, found.errors, found.biases, found.limits[0], found.limits[1], found.at_bounds
    return {
        "kind": found.kind.name.lower(),
        "seed": found.seed,
        "n": found.n,
        "n_failed": found.n_failed,
        "level": found.level,
        "parameters": [
            {
                "name": name,
                "value": known(value),
                "standard_error": known(error),
                "bias": known(bias),
                "limits": [known(low), known(high)],
                "at_bounds": known(part),
            }
            for name, value, error, bias, low, high, part in zip(found.names, *columns, strict=True)
        ],
        "samples": [[known(value) for value in row] for row in found.values.tolist()],
    }
