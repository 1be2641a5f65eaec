"""Experiments as a table: what was done, what was observed, how well it is fitted."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.estimation.diagnosis.by_experiment import Fitted
from parfit.model.conditions.design import START, Condition, Design
from parfit.model.conditions.specialising import statements_of
from parfit.model.language.statements import Statement
from parfit.model.language.writing import expression_text
from parfit.model.model import Model
from parfit.text.report import columns, number

LONGEST = 34  # characters of doses in a table
SETTINGS = ("initial value", "parameter", "constant", "rest")  # kinds of statements that give values
OFF = " (off)"  # behind the name of an experiment that is left out of fits


def table(found: Sequence[Fitted], model: Model, design: Design | None) -> str:
    """Name, settings, doses, observations, sum of squares and the worst residual of each.

    Settings and doses are those of the data, and those that statements give to some experiments only.
    """
    conditions = [each.experiment.condition for each in found]
    stated = [] if design is None else [*statements_of(model.template or model), *design.spoken()]
    own = [_own(stated, each.name) for each in conditions]
    names = [
        f"{each.name or '(the data)'}{OFF if one.is_off else ''}" for each, one in zip(conditions, found, strict=True)
    ]
    cells = [
        names,
        [
            _joined(", ", settings(each), _cut(", ".join(said)))
            for each, (said, _) in zip(conditions, own, strict=True)
        ],
        [_cut(_joined("; ", doses(each), *said)) for each, (_, said) in zip(conditions, own, strict=True)],
        [str(each.experiment.observations.n_observations) for each in found],
        ["" if _is_unknown(each) else number(each.sum_of_squares) for each in found],
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


def _own(stated: Sequence[Statement], experiment: str) -> tuple[list[str], list[str]]:
    """What statements set in an experiment and not in all of them, and how its states jump."""
    scoped = [item for item in stated if item.kind == "experiment"]
    inner = [each for item in scoped if experiment.lower() in map(str.lower, item.arguments) for each in item.inner]
    jumps = [item.name for item in inner if item.kind == "jump"]
    return [_setting(item) for item in inner if item.kind in SETTINGS], jumps


def _setting(item: Statement) -> str:
    if item.kind == "rest":
        return item.name
    return f"{item.name}{START if item.kind == 'initial value' else ''}={expression_text(item.body)}"


def _joined(mark: str, *parts: str) -> str:
    return mark.join(part for part in parts if part)


def _is_unknown(found: Fitted) -> bool:
    """Whether nothing is known of the residuals, as noise models have it of what is left out."""
    return found.is_off and found.sum_of_squares == 0.0


def _worst(found: Fitted) -> str:
    return "" if _is_unknown(found) else f"{found.worst:.3g} ({found.variable} at {found.time:g})"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
