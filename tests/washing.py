"""The wash-out problem in conversation: its data, its minimum by scipy, and what FIT shows on the way to it."""

import numpy as np
import pytest
from certified import WASH_OUT, WASH_OUT_TIMES, WASH_OUT_VALUES, wash_out
from scipy.optimize import least_squares

from parfit.data.observations import make_observations
from parfit.model.model import Model

START = np.array([1.0, 2.0, 5.0])
TIGHT = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-15)
DATA = make_observations(WASH_OUT_TIMES, ["x"], WASH_OUT_VALUES[:, np.newaxis])
FITS = ["FIT 3", "FIT 1 .01 1e-12 1e-20 100", "FIT 1 -1 -1e-12 -1e-20 100"]


def optimum(function=wash_out, start=START, **more):
    """By scipy, without any integration."""
    found = least_squares(function, start, **TIGHT | more)
    return found.x, 2 * found.cost


BEST, LEAST = optimum()


def wash_model(extra=""):
    return Model.from_text(WASH_OUT.replace("@", f"{extra}@"), "wash-out")


def near(expected):
    return pytest.approx(expected, rel=1e-5)


def table(said):
    """The progress: iterations, what is minimized, and reductions."""
    lines = said.split("\n")
    top = next(k for k, line in enumerate(lines) if line.split()[:1] == ["iteration"])
    rows = []
    for line in lines[top + 1 :]:
        cells = line.split()
        if not cells or not cells[0].isdigit():
            break
        rows.append([int(cells[0]), float(cells[1]), float(cells[2])])
    return np.array(rows)
