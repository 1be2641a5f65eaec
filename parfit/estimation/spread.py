"""How far data are spread: what their sums of squares are compared with, whatever their units and offsets."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array


def spread(values: Array, weights: Array) -> float:
    """The weighted sum of squares of each column about its mean, of all columns; both are (n_rows, n_columns).

    NaN is no value. Where no column has any spread, it is the sum of the squares themselves.
    """
    seen = np.isfinite(values) & (weights > 0.0)
    w, v = np.where(seen, weights, 0.0), np.where(seen, values, 0.0)
    about = sum(_about_mean(w[:, k], v[:, k]) for k in range(v.shape[1]))
    return float(about) or float(np.sum((w * v) ** 2))


def _about_mean(weights: Array, values: Array) -> float:
    size = float(weights.max(initial=0.0))
    if size == 0.0:
        return 0.0
    parts = (weights / size) ** 2
    about = weights * (values - float(parts @ values) / float(parts.sum()))
    rounding = np.finfo(float).eps * float(np.abs(weights * values).max())
    return float(about @ about) if float(np.abs(about).max()) > 4.0 * rounding else 0.0
