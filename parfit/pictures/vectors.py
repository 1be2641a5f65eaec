"""Singular vectors as bars."""

from __future__ import annotations

import numpy as np

from parfit.estimation.parameters import ParameterMap
from parfit.plotting import Bars
from parfit.spectrum import Spectrum

TITLE = "SINGULAR VECTORS, each with its number and singular value"


def vector_bars(map_: ParameterMap, spectrum: Spectrum) -> Bars:
    """A column of bars for every vector; its sign means nothing, so the largest component is positive."""
    names = map_.labels
    signs = [np.sign(row[np.argmax(np.abs(row))]) or 1.0 for row in spectrum.v]
    rows = tuple(sign * row for sign, row in zip(signs, spectrum.v, strict=True))
    headings = tuple(f"{j + 1}: {value:.4g}" for j, value in enumerate(spectrum.s))
    return Bars(names, rows, headings, TITLE)
