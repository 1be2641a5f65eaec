"""What a notebook shows: pieces of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from parfit.session.environment import Environment
from parfit.text.report import number

LEFT = "text-align:left"


def section(title: str, *parts: str) -> str:
    """A line of text above what follows it."""
    return f"<div><p>{escape(title)}</p>{''.join(parts)}</div>"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Text in rows under headings; what stands first names its row."""
    head = "".join(f'<th style="{LEFT}">{escape(each)}</th>' for each in headings)
    body = "".join(
        f'<tr><th style="{LEFT}">{escape(name)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        for name, *cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def parameters(env: Environment) -> str:
    """The parameters with their values, and how they are held, scaled and bounded."""
    map_ = env.parameters
    rows = [
        [
            name,
            number(map_.full[k]),
            "frozen" if k in map_.frozen else "",
            map_.scaling[k].name.lower().replace("_", " ") if map_.scaling[k] else "",
            _limits(map_.lower[k], map_.upper[k]),
        ]
        for k, name in enumerate(map_.names)
    ]
    used = [j for j in range(5) if j < 2 or any(row[j] for row in rows)]
    headings = ["parameter", "value", "status", "scaling", "bounds"]
    return table([headings[j] for j in used], [[row[j] for j in used] for row in rows])


def _limits(lower: float, upper: float) -> str:
    if not np.isfinite([lower, upper]).any():
        return ""
    return f"{number(lower) if np.isfinite(lower) else ''} to {number(upper) if np.isfinite(upper) else ''}"
