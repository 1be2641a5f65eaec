"""What can be done with a problem: simulate, fit, judge, draw; every result is a value."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from parfit.api.given import Given
from parfit.api.inputs import data_of, model_of
from parfit.arrays import read_only
from parfit.model.naming import Values, values_with
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Options, Samples
from parfit.simulation.trajectory import Trajectory


class Problem(Given):
    """A model with data, parameters and settings: a value, of which `with_*` makes others.

    >>> problem = parfit.load("models/tour.ode", "models/tour.csv")
    >>> problem.active
    ('p1', 'p2', 'p3', 'p4', 'p5', 'p6')
    """

    def simulate(
        self,
        times: ArrayLike | None = None,
        values: Values | None = None,
        /,
        *,
        sensitivities: bool = False,
        **by_name: float,
    ) -> Trajectory:
        """The solution at times, by default those of the problem, at its values or at others.

        >>> run = parfit.load("models/tour.ode").simulate([1, 2, 5], p1=3)
        >>> run.y.shape, bool(run.status)
        ((3, 2), True)
        """
        env = self.environment
        if times is not None:
            env = env.with_samples(Samples(read_only(times), uniform=True))
        given = values_with(env.model.parameters, env.values, values)
        return env.simulator()(values_with(env.model.parameters, given, by_name), sensitivities)


def load(model: Any, data: Any = None) -> Problem:
    """A model with data, ready to be fitted.

    `model` is the path of an `.ode` file, or a `Model`. `data` are the path of a CSV file (or of a deck of cards of
    1977, which brings the settings of its manual along), a mapping of column names to numbers, a data frame, or
    `Observations`; without data the problem can be simulated.

    >>> problem = parfit.load("models/tour.ode", "models/tour.csv")
    >>> problem.data.n_observations
    50
    """
    given, folder = model_of(model)
    observations, first_values, of_1977 = data_of(data, given)
    return Problem(Environment.of(given, observations, first_values, folder, OF_1977 if of_1977 else Options()))
