"""Methods of integration, and what is shown and said, as OPTION takes them."""

from __future__ import annotations

from math import inf

from parfit.session.records import Display
from parfit.simulation.method import (
    ACCURATE,
    FORMULA_WORDS,
    FORMULAS,
    NO_LIMIT,
    PROCEDURE_WORDS,
    PROCEDURES,
    Method,
)


def option_line(present: Method, wanted: Method) -> str:
    """The shortest OPTION command that leads from one method to another."""
    words = min(["ACCURATE", *_changes(ACCURATE, wanted)], _changes(present, wanted), key=len)
    return " ".join(["OPTION", *words])


def display_text(display: Display) -> str:
    """What is shown and how much is said, as it can be typed."""
    shown = "ALL" if display.shown is None else " ".join(display.shown) or "OFF"
    each = " EACH" if display.each else ""
    return f"PICTURES {display.pictures}; SHOW {shown}{each}; TALK {display.talk}"


def _changes(present: Method, wanted: Method) -> list[str]:
    """Control parameters and their new values."""
    return [
        word
        for (name, new), (_, old) in zip(_controls(wanted), _controls(present), strict=True)
        if new != old
        for word in (name, new)
    ]


def _controls(method: Method) -> list[tuple[str, str]]:
    """The control parameters of an integration with their values, as they can be typed."""
    return [
        ("PROCEDURE", PROCEDURE_WORDS[PROCEDURES.index(method.procedure)]),
        ("METHOD", FORMULA_WORDS[FORMULAS.index(method.formula)]),
        ("EPS", _typed(method.eps)),
        ("HMIN", _typed(method.h_min)),
        ("HMAX", _typed(method.h_max)),
    ]


def _typed(value: float) -> str:
    """Such as 1e-6."""
    return NO_LIMIT if value == inf else f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e")
