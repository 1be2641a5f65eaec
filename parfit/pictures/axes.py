"""What stands at the axes: the names of the variables, with the units that the data give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parfit.plotting import Series
from parfit.session.environment import Environment

TIME, STATE = "TIME", "STATE"  # where nothing more is known
UNIT = re.compile(r"\[[^\[\]]*\]")


def label_of(env: Environment, name: str) -> str:
    """A variable as the data call it."""
    return name if env.observations is None else env.observations.label(name)


def time_label(env: Environment) -> str:
    """The time as the data call it, if they give its unit."""
    return TIME if env.observations is None else env.observations.labels.get("t", TIME)


def state_label(env: Environment, series: Sequence[Series]) -> str:
    """The one variable that is shown, or what all of them are, with their unit if it is the same."""
    names = list(dict.fromkeys(each.variable for each in series if each.variable))
    if len(names) == 1:
        return label_of(env, names[0])
    units = {tuple(UNIT.findall(label_of(env, name))) for name in names}
    common = " ".join(units.pop()) if len(units) == 1 else ""
    return f"{STATE} {common}".rstrip()
