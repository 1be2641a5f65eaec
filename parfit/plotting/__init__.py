"""Results as plots: as text through plotext, as PNG, SVG and PDF files through matplotlib.

No other part of the package knows either of them, and both are imported only when something is drawn.
"""

from parfit.plotting.figure import Array, Bars, Figure, Grid, Picture, Series, band
from parfit.plotting.files import save
from parfit.plotting.style import ASCII_SYMBOLS, SYMBOLS
from parfit.plotting.text import draw

__all__ = ["ASCII_SYMBOLS", "SYMBOLS", "Array", "Bars", "Figure", "Grid", "Picture", "Series", "band", "draw", "save"]
