"""The line below the prompt: where the session stands, as much of it as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parfit.estimation.parameters import Scaling
from parfit.session.environment import Environment
from parfit.session.timeline import Timeline
from parfit.text.report import counted

BETWEEN = " | "
SQUARES = "sum of squares"
CUT = "..."
LARGE = 2.0  # times as much, from which on a change is a factor
WHOLE = 10.0  # per cent, from which on they are whole
TINY = 0.005  # per cent, below which nothing has changed that could be seen in the sum beside it
FORMULAS = {"adams": "Adams", "bdf": "stiff", "auto": "auto"}

Forms = Sequence[str]  # a part of the line, the longest form first
MODEL, DATA, PARAMETERS, SUM, METHOD = range(5)
# Which part gives way, one form at a time, where there is little room.
GIVES_WAY: tuple[int, ...] = (METHOD, DATA, DATA, METHOD, PARAMETERS, SUM, PARAMETERS, SUM, SUM)
GIVES_WAY += (PARAMETERS, DATA, MODEL, PARAMETERS, METHOD)


def status(timeline: Timeline, width: int, measure: Callable[[str], int] = len, reached: str = "") -> str:
    """Model, data, parameters, sum of squares and integration method in one line of at most `width` columns.

    `measure` counts the columns that a text takes; what a command has `reached` that goes on stands for the sum.
    """
    env = timeline.present
    parts = [_model(env), _data(env), _parameters(env), [reached] if reached else _sum(timeline), _method(env)]
    return fitted(parts, GIVES_WAY, width, measure)


def fitted(parts: Sequence[Forms], gives_way: Sequence[int], width: int, measure: Callable[[str], int] = len) -> str:
    """The parts in one line, each in the longest form for which there is room."""
    forms = [0] * len(parts)
    for k in gives_way:
        if measure(_line(parts, forms)) <= width:
            break
        forms[k] = min(forms[k] + 1, len(parts[k]) - 1)
    for k in reversed(gives_way):  # what gave way before something longer did may have room again
        longer = [form - (form > 0 and j == k) for j, form in enumerate(forms)]
        if measure(_line(parts, longer)) <= width:
            forms = longer
    line = _line(parts, forms)
    return line if measure(line) <= width else _cut(line, width, measure)


def _line(parts: Sequence[Forms], forms: Sequence[int]) -> str:
    texts = [part[form] for part, form in zip(parts, forms, strict=True)]
    return BETWEEN.join(text for text in texts if text)


def _cut(line: str, width: int, measure: Callable[[str], int]) -> str:
    """As much of a line as there is room for."""
    if width <= len(CUT):
        return ""
    while line and measure(line) > width - len(CUT):
        line = line[:-1]
    return line + CUT


def _model(env: Environment) -> Forms:
    name = env.model.name
    return [name, name if len(name) <= 12 else name[: 12 - len(CUT)] + CUT]


def _data(env: Environment) -> Forms:
    data = env.observations
    if data is None:
        return ["no data", "no data", "no data", ""]
    seen = counted(data.n_observations, "observation")
    return [f"{seen} on {' '.join(data.names)}", seen, f"{data.n_observations} obs", ""]


def _parameters(env: Environment) -> Forms:
    """How many are fitted, and which are frozen or scaled."""
    map_ = env.parameters
    n = len(map_.names)
    if n == 0:
        return ["no parameters", ""]
    groups = {"frozen": [map_.names[k] for k in sorted(map_.frozen)]}
    groups |= {
        kind.typed.lower(): [map_.names[k] for k in range(n) if map_.scaling[k] is kind] for kind in Scaling if kind
    }
    named = [f"{word} {' '.join(names)}" for word, names in groups.items() if names]
    numbers = [f"{len(names)} {word}" for word, names in groups.items() if names]
    share = f"{len(map_.active)}/{n}" if map_.frozen else str(n)
    active = f"{len(map_.active)} of {n} active" if map_.frozen else f"{n} active"
    short = f"{share} active"
    return [", ".join(words) for words in ([active, *named], [short, *named], [short, *numbers], [short], [share])]


def _sum(timeline: Timeline) -> Forms:
    """The sum of squares, if it is known, and how it compares with the one before."""
    env = timeline.present
    if env.observations is None:
        return [""]
    now, before = env.sum_of_squares, _sum_before(timeline)
    if now is None:
        was = "" if before is None else f" (was {before:.6g})"
        return [f"{SQUARES} not computed{was}", f"{SQUARES} ?{was}", f"{SQUARES} ?", "F ?"]
    if not np.isfinite(now):
        return [f"no {SQUARES}, integration stopped", f"no {SQUARES}", "F none"]
    change = "" if before is None or before <= 0 or _is_tiny(now, before) else f" ({_change(now, before)})"
    return [
        *(f"{SQUARES} {text}" for text in (f"{now:.6g}{change}", f"{now:.4g}{change}", f"{now:.4g}")),
        f"F {now:.4g}",
    ]


def _sum_before(timeline: Timeline) -> float | None:
    """The last sum of squares for the same data and noise, by the same method, that was another than the present."""
    env = timeline.present
    now = env.sum_of_squares
    for past in reversed(timeline.past):
        if past.observations is not env.observations or past.noise != env.noise:
            return None
        if past.options.method != env.options.method:
            return None
        before = past.sum_of_squares
        if before is not None and np.isfinite(before) and before != now:
            return before
    return None


def _is_tiny(now: float, before: float) -> bool:
    return 100 * abs(now - before) < TINY * before


def _change(now: float, before: float) -> str:
    """A change in a few characters: in per cent, or by how many times."""
    ratio = now / before
    percent = 100 * (ratio - 1)
    if ratio >= LARGE:
        return f"{ratio:.3g} times as much"
    if 0 < ratio <= 0.1:
        return f"{1 / ratio:.3g} times less"
    return f"{percent:+.0f}%" if abs(percent) >= WHOLE else f"{percent:+.2g}%"


def _method(env: Environment) -> Forms:
    method = env.options.method
    if method.procedure != "gear":
        return ["trapezoidal rule", "trapezoidal", "trap"]
    formula = FORMULAS[method.formula]
    return [f"Gear {formula}, eps {method.eps:g}", f"Gear {formula}", "Gear"]
