"""Experiments that are left out of fits: their observations weigh nothing, and the weights they had are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.data.stacking import columns_of_experiment
from parfit.model.conditions.design import Design


def off_names(observations: Observations) -> tuple[str, ...]:
    """The experiments that are left out."""
    return () if observations.design is None else tuple(observations.design.off)


def all_on(observations: Observations) -> tuple[Array, Design | None]:
    """The weights of all, and the design with nothing left out."""
    design, weights = observations.design, observations.weights.copy()
    if design is None:
        return weights, None
    for name, kept in design.off.items():
        weights[_own(observations, name)] = kept
    return weights, replace(design, off={})


def switched_off(observations: Observations, weights: Array, names: Iterable[str]) -> tuple[Array, Design | None]:
    """These weights, with those of some experiments kept for later, and 0 in their place."""
    design, found = observations.design, weights.copy()
    if design is None:
        return found, None
    off = {}
    for name in names:
        own = _own(observations, name)
        off[name] = tuple(found[own].tolist())
        found[own] = 0.0
    return found, replace(design, off=off)


def _own(observations: Observations, experiment: str) -> NDArray[np.bool_]:
    """Where an experiment has observations."""
    own = np.zeros(observations.values.shape, dtype=bool)
    own[:, columns_of_experiment(observations, experiment)] = True
    own &= observations.observed
    return own
