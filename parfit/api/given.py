"""What a problem consists of, as values that never change: `with_*` makes another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parfit.api import page
from parfit.api.inputs import Files, data_of, model_of
from parfit.api.readonly import ReadOnly
from parfit.arguments import MAPPING, NUMBERS, TEXT, checked, instance, optional, shown, word
from parfit.arrays import Array, read_only
from parfit.data.observations import Observations
from parfit.errors import ParfitError
from parfit.estimation.noise import Noise
from parfit.estimation.parameters import Scaling
from parfit.estimation.prior import read_prior
from parfit.estimation.strategies.changing.noise import NONE, with_errors, with_prior
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.naming import Values, number, numbers, place_of, places_of, spelled, values_with
from parfit.session.carrying import default_samples
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Samples
from parfit.simulation.method import Method
from parfit.text import observations, report

SCALINGS = {scaling.short: scaling for scaling in Scaling}
METHOD = instance(Method, "a Method of integration")
Prior = str | Sequence[str | float] | None  # "normal 2 .5", or ("normal", 2, .5)


def _words(name: str, prior: object) -> list[str]:
    if isinstance(prior, str):
        return prior.split()
    if isinstance(prior, tuple | list):
        return [str(each) for each in prior]
    raise ParfitError(f"the prior of {name} is a text such as 'normal 2 0.5', not {shown(prior)}")


class Given:
    """Model, data, parameters and settings; `environment` is all of it as the rest of the program sees it.

    `files` are those that were read, by their full names, each with the checksum of what it held.
    """

    def __init__(self, environment: Environment, files: Mapping[str, str] | None = None):
        self.environment, self.files = environment, dict(files or {})

    def __repr__(self) -> str:
        return f"{report.opening(self.environment)}\n{report.map_table(self.environment.parameters)}"

    def _repr_html_(self) -> str:
        return page.section(report.opening(self.environment), page.parameters(self.environment))

    # ---- what it consists of

    @property
    def model(self) -> Model:
        return self.environment.model

    @property
    def data(self) -> Observations | None:
        return self.environment.observations

    @property
    def method(self) -> Method:
        """How the equations are integrated."""
        return self.environment.options.method

    @property
    def times(self) -> Array:
        """Where they are integrated: the initial time and those of the observations."""
        return self.environment.samples.times

    @property
    def values(self) -> Mapping[str, float]:
        """All parameters by name.

        >>> parfit.load("models/tour.ode").values["p2"]
        0.1
        """
        named = zip(self.model.parameters, self.environment.values.tolist(), strict=True)
        return ReadOnly(named, "with_values(name=...) makes a problem with other values")

    @property
    def active(self) -> tuple[str, ...]:
        """The parameters that are fitted."""
        return tuple(self.model.parameters[k] for k in self.environment.parameters.active)

    @property
    def frozen(self) -> tuple[str, ...]:
        """The parameters that are held."""
        return tuple(self.model.parameters[k] for k in sorted(self.environment.parameters.frozen))

    @property
    def bounds(self) -> Mapping[str, tuple[float, float]]:
        """Lower and upper limits of the parameters that have one."""
        map_ = self.environment.parameters
        pairs = zip(map_.names, map_.lower.tolist(), map_.upper.tolist(), strict=True)
        found = {name: (low, high) for name, low, high in pairs if np.isfinite([low, high]).any()}
        return ReadOnly(found, "with_bounds(name=(low, high)) makes a problem with other bounds")

    @property
    def scaling(self) -> Mapping[str, str]:
        """How parameters are transformed, those that are: "log" or "sqrt"."""
        map_ = self.environment.parameters
        found = {name: each.short for name, each in zip(map_.names, map_.scaling, strict=True) if each}
        return ReadOnly(found, 'with_scaling(name="log") makes a problem with another scaling')

    @property
    def curves(self) -> Mapping[str, Curve]:
        """The curves through the observations, if they have been smoothed, and those that were guessed."""
        smoothing = self.environment.smoothing
        guessed = {name: guess.curve for name, guess in self.environment.guesses.items()}
        found = {**guessed, **({} if smoothing is None else smoothing.curves)}
        return ReadOnly(found, "smooth() makes a problem with other curves")

    @property
    def remarks(self) -> tuple[str, ...]:
        """What one should know of the model and the data: what was passed over, surprises, unequal sizes."""
        env = self.environment
        advised = observations.remarks(env)
        return (*env.model.remarks, *(each.fact for each in advised))

    # ---- other parameters

    def with_values(self, values: Values | None = None, /, **by_name: float) -> Self:
        """With other values of parameters: all of them in their order, or some by name.

        >>> parfit.load("models/tour.ode").with_values(p2=2.5).values["p2"]
        2.5
        """
        env = self.environment
        given = values_with(env.model.parameters, env.values, values)
        return self._with(env.with_values(values_with(env.model.parameters, given, by_name)))

    def with_frozen(self, *names: str) -> Self:
        """With these parameters held at their values, beside those that are held already.

        >>> parfit.load("models/tour.ode").with_frozen("p5", "p6").frozen
        ('p5', 'p6')
        """
        return self._with(self.environment.with_frozen([*self.frozen, *self._names(names)]))

    def with_free(self, *names: str) -> Self:
        """With these parameters fitted again, or with all of them if none is named.

        >>> parfit.load("models/tour.ode").with_frozen("p5", "p6").with_free("p5").frozen
        ('p6',)
        """
        free = self._names(names) if names else list(self.model.parameters)
        return self._with(self.environment.with_frozen([name for name in self.frozen if name not in free]))

    @checked(bounds=optional(MAPPING))
    def with_bounds(
        self, bounds: Mapping[str, tuple[float | None, float | None]] | None = None, /, **by_name: Any
    ) -> Self:
        """With limits for parameters, lower and upper; None is no limit.

        >>> parfit.load("models/tour.ode").with_bounds(p1=(0, 10), p5=(0, None)).bounds
        {'p1': (0.0, 10.0), 'p5': (0.0, inf)}
        """
        map_ = self.environment.parameters
        lower, upper = map_.lower.copy(), map_.upper.copy()
        for name, pair in {**(bounds or {}), **by_name}.items():
            k = places_of(name, map_.names)
            try:
                low, high = pair
            except (TypeError, ValueError):
                raise ParfitError(f"the bounds of {name} are a lower and an upper one, not {pair!r}") from None
            lower[k] = -np.inf if low is None else number(name, low)
            upper[k] = np.inf if high is None else number(name, high)
        return self._with(self.environment.with_bounds(lower, upper))

    @checked(scaling=optional(MAPPING))
    def with_scaling(self, scaling: Mapping[str, str] | None = None, /, **by_name: str) -> Self:
        """With parameters fitted as their logarithm ("log") or square root ("sqrt"), or as they are ("none").

        >>> parfit.load("models/tour.ode").with_scaling(p1="log").scaling
        {'p1': 'log'}
        """
        map_ = self.environment.parameters
        chosen = dict(zip(map_.names, map_.scaling, strict=True))
        for name, each in {**(scaling or {}), **by_name}.items():
            for one in spelled(name, map_.names):
                chosen[one] = SCALINGS[word(SCALINGS)(f"the scaling of {one}", each)]
        return self._with(self.environment.with_scaling(chosen))

    @checked(noise=optional(MAPPING))
    def with_noise(self, noise: Mapping[str, str | None] | None = None, /, **by_name: str | None) -> Self:
        """With the errors of observed variables as NOISE says them; None: as their weights have it.

        "additive", "relative", "lognormal", "laplace", "loglaplace", "both", "proportional 1+y1", or an expression
        that is the standard deviation: "0.1+0.05*y1". Variables that share one name it: "additive s".

        >>> fit = parfit.load("models/tour.ode", "models/tour.csv").with_noise(y1="additive", y2="relative")
        >>> [model.form.name for model in fit.noise.models.values()]
        ['ADDITIVE', 'RELATIVE']
        """
        env = self.environment
        for name, said in {**(noise or {}), **by_name}.items():
            observed = () if env.observations is None else env.observations.names
            columns = spelled(name, observed, "observed variable")
            env = with_errors(env, columns, NONE if said is None else TEXT(name, said))
        return self._with(env)

    @checked(priors=optional(MAPPING))
    def with_prior(self, priors: Mapping[str, Prior] | None = None, /, **by_name: Prior) -> Self:
        """With what is known of parameters beforehand, as PRIOR says it, in one text or in several values.

        None takes it back.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").with_prior(p1="normal 0.03 0.01")
        >>> str(problem.noise.priors["p1"])
        'NORMAL 0.03 0.01'
        """
        env = self.environment
        for name, said in {**(priors or {}), **by_name}.items():
            prior = None if said is None else read_prior(_words(name, said))
            env = with_prior(env, spelled(name, env.model.parameters), prior)
        return self._with(env)

    @property
    def noise(self) -> Noise:
        """Noise models by observed variable and priors by parameter; empty where the weights say it all."""
        return self.environment.noise

    # ---- other settings

    @checked(method=optional(METHOD))
    def with_method(self, method: Method | None = None, /, **changes: Any) -> Self:
        """With another method of integration, or with the present one changed: `eps`, `formula`, `h_max` ...

        >>> parfit.load("models/tour.ode").with_method(eps=1e-9).method.eps
        1e-09
        """
        known = [each.name for each in fields(Method)]
        for name in changes:
            if name not in known:
                raise ParfitError(f"{name} is no setting of a method of integration; there are {', '.join(known)}")
        new = replace(method or self.method, **changes)
        return self._with(self.environment.with_options(replace(self.environment.options, method=new)))

    def with_defaults_of_1977(self) -> Self:
        """With all defaults of the manual of 1977: the trapezoidal rule from one time to the next, and others.

        >>> parfit.load("models/tour.ode").with_defaults_of_1977().method.procedure
        'trapezoid'
        """
        return self._with(self.environment.with_options(OF_1977))

    def with_times(self, times: ArrayLike | None = None) -> Self:
        """With other times in between at which the equations are integrated; without any, as it was.

        >>> parfit.load("models/tour.ode", "models/tour.csv").with_times([0.1, 0.2]).times[:4]
        array([0. , 0.1, 0.2, 0.5])
        """
        env = self.environment
        own = default_samples(env.model, env.observations)
        if times is None:
            return self._with(env.with_samples(own))
        more = np.array(NUMBERS("times", times))
        if (more < env.model.t0).any():
            raise ParfitError(f"the times must be finite numbers from the initial time {env.model.t0:g} on")
        return self._with(env.with_samples(Samples(read_only(np.union1d(own.times, more)), own.uniform)))

    def with_weights(self, weights: Mapping[str, ArrayLike] | ArrayLike) -> Self:
        """With other weights of the residuals: for variables by name, or (n_rows, n_names) like the data's values.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv")
        >>> problem.with_weights({"y2": 10}).data.weights[0]
        array([ 1., 10.])
        """
        self.environment.require("observations")
        data = self.environment.observations
        assert data is not None
        if not isinstance(weights, Mapping):
            return self._with(self.environment.with_weights(numbers(weights, "weights")))
        changed = data.weights.copy()
        for name, each in weights.items():
            column = numbers(each, f"the weights of {name}")
            if column.shape not in ((), (len(changed),)):
                raise ParfitError(f"the weights of {name} must be one number, or {len(changed)} for its rows")
            changed[:, place_of(name, data.names, "observed variable")] = column
        return self._with(self.environment.with_weights(changed))

    # ---- another model, other data

    def with_data(self, data: Any) -> Self:
        """With other data, in any of the forms that `load` takes.

        >>> parfit.load("models/tour.ode").with_data({"t": [1, 2], "y1": [18, 20]}).data.names
        ('y1',)
        """
        files = Files()
        new, first_values, _ = data_of(data, self.model, files)
        return self._with(self.environment.with_observations(new, first_values), files.checksums)

    def with_model(self, model: Any) -> Self:
        """With another model; parameters that it has, too, keep settings, and values that it does not change.

        >>> problem = parfit.load("models/tour.ode").with_bounds(p1=(0, 1))
        >>> problem.with_model("models/predator-prey.ode").bounds
        {'p1': (0.0, 1.0)}
        """
        files = Files()
        new, folder = model_of(model, files)
        return self._with(replace(self.environment.with_model(new), folder=folder), files.checksums)

    def _names(self, names: Iterable[str]) -> list[str]:
        return spelled(names, self.model.parameters)

    def _with(self, environment: Environment, files: Mapping[str, str] | None = None) -> Self:
        return type(self)(environment, {**self.files, **(files or {})})
