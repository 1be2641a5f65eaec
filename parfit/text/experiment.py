"""Experiments as a table: what was done, what was observed, how well it is fitted."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.estimation.diagnosis.by_experiment import Fitted
from parfit.model.conditions.design import Condition
from parfit.text.report import columns, number

LONGEST = 34  # characters of doses in a table
OFF = " (off)"  # behind the name of an experiment that is left out of fits


def table(found: Sequence[Fitted]) -> str:
    """Name, settings, doses, observations, sum of squares and the worst residual of each."""
    conditions = [each.experiment.condition for each in found]
    names = [
        f"{each.name or '(the data)'}{OFF if one.is_off else ''}" for each, one in zip(conditions, found, strict=True)
    ]
    cells = [
        names,
        [settings(each) for each in conditions],
        [_cut(doses(each)) for each in conditions],
        [str(each.experiment.observations.n_observations) for each in found],
        [number(each.sum_of_squares) for each in found],
        [_worst(each) for each in found],
    ]
    headings = ["experiment", "settings", "doses", "observations", "sum of squares", "worst residual"]
    empty = [k for k in (1, 2) if not any(cells[k])]
    kept = [k for k in range(len(cells)) if k not in empty]
    left = [kept.index(k) for k in (0, 1, 2, 5) if k in kept]
    return columns([headings[k] for k in kept], [cells[k] for k in kept], left)


def sight(name: str) -> list[str]:
    """Which of them is in sight, if one is."""
    return [f"in sight is {name}; EXPERIMENT ALL has all of them in sight"] if name else []


def settings(condition: Condition) -> str:
    """What was set: a(0)=5, ligand=.1."""
    return ", ".join(f"{name}={value:g}" for name, value in condition.settings.items())


def doses(condition: Condition) -> str:
    """What was given, as the model language has it."""
    return "; ".join(map(str, condition.doses))


def _worst(found: Fitted) -> str:
    return "" if found.is_off else f"{found.worst:.3g} ({found.variable} at {found.time:g})"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
