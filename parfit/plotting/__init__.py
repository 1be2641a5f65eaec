"""Results as plots: as text through plotext, as PNG, SVG and PDF files through matplotlib.

No other part of the package knows either of them. They, and what draws with them, are imported only when something is
drawn; what pictures are made of is there from the beginning.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from parfit.arrays import Array
from parfit.plotting.figure import Bars, Figure, Grid, Picture, Series, band

if TYPE_CHECKING:
    from parfit.plotting.files import draw_on, page_of, save
    from parfit.plotting.style import ASCII_SYMBOLS, SYMBOLS
    from parfit.plotting.text import draw

__all__ = [
    "ASCII_SYMBOLS",
    "SYMBOLS",
    "Array",
    "Bars",
    "Figure",
    "Grid",
    "Picture",
    "Series",
    "band",
    "draw",
    "draw_on",
    "page_of",
    "save",
]

_HOMES = {
    "ASCII_SYMBOLS": "style",
    "SYMBOLS": "style",
    "draw": "text",
    "draw_on": "files",
    "page_of": "files",
    "save": "files",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
