"""What can be done with a problem: simulate, fit, judge, draw; every result is a value."""

from __future__ import annotations

from os import PathLike
from typing import Any

from parfit.api.curves import Curves
from parfit.api.inputs import Files, data_of, model_of, path_of
from parfit.api.looks import Looks
from parfit.api.searches import Searches
from parfit.api.several import Several
from parfit.errors import DataError
from parfit.formats.kinds import is_petab
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Options


class Problem(Searches, Curves, Looks, Several):
    """A model with data, parameters and settings: a value, of which `with_*` makes others.

    >>> problem = parfit.load("models/tour.ode", "models/tour.csv")
    >>> problem.active
    ('p1', 'p2', 'p3', 'p4', 'p5', 'p6')
    """


def load(model: Any, data: Any = None) -> Problem:
    """A model with data, ready to be fitted.

    `model` is the path of an `.ode` file or of SBML, or a `Model`; that of a PEtab problem has data of its own. `data`
    are the path of a CSV file (or of a deck of cards of 1977, which brings the settings of its manual along), a
    mapping of column names to numbers, a data frame, or `Observations`; without data the problem can be simulated.

    >>> problem = parfit.load("models/tour.ode", "models/tour.csv")
    >>> problem.data.n_observations
    50
    """
    files = Files()
    if isinstance(model, str | PathLike) and is_petab(path_of(model), files):
        return _of_another_program(path_of(model), data, files)
    given, folder = model_of(model, files)
    observations, first_values, of_1977 = data_of(data, given, files)
    env = Environment.of(given, observations, first_values, folder, OF_1977 if of_1977 else Options())
    return Problem(env, files.checksums)


def _of_another_program(path: str, data: Any, files: Files) -> Problem:
    """A problem that has data of its own."""
    from parfit.session.adoption import read_environment

    if data is not None:
        raise DataError("has data of its own; give it alone", path)
    return Problem(read_environment(path, files), files.checksums)
