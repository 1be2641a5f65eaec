"""What the tests of data files share: a model written down by hand, and errors as values."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parfit.errors import DataError
from parfit.model.language.expression import Name, Number
from parfit.model.model import Model


def enzyme(t0: float = 0.0, name: str = "enzyme") -> Model:
    """The stiff problem (3.2.9) with its guess (50, 5, .5), and two quantities to observe."""
    y1, y2, p1, p2, p3 = map(Name, ("y1", "y2", "p1", "p2", "p3"))
    return Model(
        name=name,
        parameters=("p1", "p2", "p3"),
        values=np.array([50, 5, 0.5]),
        states=("y1", "y2"),
        equations=(-(1 - y2) * y1 + p2 * y2, p1 * ((1 - y2) * y1 - (p2 + p3) * y2)),
        initial=(Number(1), Number(0)),
        aux=(("Total", y1 + y2), ("P.E.", y1 * y2)),
        t0=t0,
    )


def outcome_of(function: Callable[..., Any], *arguments: object) -> Any:
    """What the function returns, or the data error that it raises."""
    try:
        return function(*arguments)
    except DataError as error:
        return error
