"""Several experiments as one set of observations, in which a[low] is what was observed of a in experiment low."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations, make_observations
from parfit.dataclass import dataclass
from parfit.errors import DataError
from parfit.model.conditions.design import Condition, Design, Said, told_by_both
from parfit.model.naming import base_of, labelled

UNFIT = re.compile(r"[\s,;:+=\[\]()\"'#]+")  # in the name of an experiment, which stands in lists and in brackets


@dataclass(frozen=True, eq=False)
class Experiment:
    """What was done and what was observed."""

    condition: Condition
    observations: Observations  # by the names of the model itself

    @property
    def name(self) -> str:
        return self.condition.name


def name_of(text: str) -> str:
    """A name that an experiment can have."""
    return UNFIT.sub("_", text.strip()).strip("_")


def together(experiments: Sequence[Experiment], statements: Sequence[Said] = (), source: str = "") -> Observations:
    """The observations of all experiments; those of a single one keep the names of the model."""
    design = Design(tuple(each.condition for each in experiments), tuple(statements), source)
    if len(experiments) == 1:
        return replace(experiments[0].observations, design=design)
    names = [labelled(name, each.name) for each in experiments for name in each.observations.names]
    blocks = [each.observations for each in experiments]
    rows = _Rows([block.times for block in blocks])
    sds = None
    if any(block.sds is not None for block in blocks):
        sds = rows.stacked([np.full(b.values.shape, np.nan) if b.sds is None else b.sds for b in blocks], np.nan)
    labels = next(({"t": block.labels["t"]} for block in blocks if "t" in block.labels), {})
    for each in experiments:
        for name in each.observations.names:
            if name in each.observations.labels:
                new = labelled(name, each.name)
                labels[new] = each.observations.labels[name].replace(name, new, 1)
    begins = [block.begin for block in blocks if block.begin is not None]
    return make_observations(
        rows.times,
        names,
        rows.stacked([block.values for block in blocks], np.nan),
        rows.stacked([block.weights for block in blocks], 0.0),
        sds,
        source,
        min(begins, default=None),
        labels,
        design,
    )


class _Rows:
    """The times of all experiments, each as often as it is repeated in the one that repeats it most."""

    def __init__(self, times: Sequence[Array]):
        keys = [_repeated(each) for each in times]
        all_keys = sorted({key for each in keys for key in each})
        place = {key: k for k, key in enumerate(all_keys)}
        self.times = np.array([time for time, _ in all_keys])
        self._places = [np.array([place[key] for key in each], dtype=np.intp) for each in keys]

    def stacked(self, blocks: Sequence[Array], other: float) -> Array:
        """Matrices side by side, each in the rows of its times, with something else in all other places."""
        found = np.full((self.times.size, sum(block.shape[1] for block in blocks)), other)
        column = 0
        for block, rows in zip(blocks, self._places, strict=True):
            found[rows, column : column + block.shape[1]] = block
            column += block.shape[1]
        return found


def _repeated(times: Array) -> list[tuple[float, int]]:
    """Each time, and how often it has occurred before."""
    seen: Counter[float] = Counter()
    found = []
    for time in times.tolist():
        found.append((time, seen[time]))
        seen[time] += 1
    return found


def apart(observations: Observations) -> list[Experiment]:
    """The experiments one by one; data without a design are one that has no name."""
    design = observations.design
    if design is None or len(design.conditions) == 1:
        condition = Condition("") if design is None else design.conditions[0]
        return [Experiment(condition, replace(observations, design=None))]
    return [Experiment(each, _own(observations, each.name)) for each in design.conditions]


def columns_of_experiment(observations: Observations, experiment: str) -> list[int]:
    """The columns of what was observed in one of several experiments."""
    return [j for j, name in enumerate(observations.names) if name == labelled(base_of(name), experiment)]


def _own(observations: Observations, experiment: str) -> Observations:
    own = columns_of_experiment(observations, experiment)
    columns = np.array(own, dtype=np.intp)
    rows = observations.observed[:, columns].any(axis=1)
    names = {observations.names[j]: base_of(observations.names[j]) for j in own}
    labels = {
        names[name]: label.replace(name, names[name], 1)
        for name, label in observations.labels.items()
        if name in names
    }
    labels |= {name: label for name, label in observations.labels.items() if name == "t"}
    return make_observations(
        observations.times[rows],
        names.values(),
        observations.values[np.ix_(rows, columns)],
        observations.weights[np.ix_(rows, columns)],
        None if observations.sds is None else observations.sds[np.ix_(rows, columns)],
        observations.source,
        observations.begin,
        labels,
    )


def added(old: Observations | None, new: Observations) -> Observations:
    """The experiments of both; what has no name yet is called like its file."""
    if old is None:
        return new
    parts = [_named(each) for each in (old, new)]
    both = [each for part in parts for each in part]
    names = [each.name.lower() for each in both]
    again = next((each.name for k, each in enumerate(both) if names[k] in names[:k]), None)
    if again is not None:
        raise DataError(f"there are two experiments {again}; give one of them another name", new.source or None)
    designs = [_design(part, each) for part, each in zip(parts, (old, new), strict=True)]
    found = together(both, told_by_both(*designs), new.source)
    assert found.design is not None
    off = {name: weights for each in designs for name, weights in each.off.items()}
    unused = tuple(dict.fromkeys(name for each in designs for name in each.unused))
    silent = tuple(name for each in designs for name in each.silent)
    return replace(found, design=replace(found.design, off=off, unused=unused, silent=silent))


def _design(experiments: Sequence[Experiment], observations: Observations) -> Design:
    """What differs between experiments, with the names that these have now."""
    conditions = tuple(each.condition for each in experiments)
    return replace(observations.design or Design(()), conditions=conditions)


def _named(observations: Observations) -> list[Experiment]:
    found = apart(observations)
    if len(found) > 1 or found[0].name:
        return found
    name = name_of(Path(observations.source).stem) or "first"
    return [replace(found[0], condition=replace(found[0].condition, name=name))]
