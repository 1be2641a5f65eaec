"""The experiments of a problem: what was done and observed in each, and how well it is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

from parfit.api.given import Given
from parfit.api.inputs import Files, data_of
from parfit.arguments import FLAG, TEXT, checked, optional
from parfit.data.leaving import all_on, off_names, switched_off
from parfit.data.loading import checked as possible
from parfit.data.observations import Observations
from parfit.data.stacking import Experiment, added, apart, name_of
from parfit.errors import ParfitError
from parfit.estimation.diagnosis.by_experiment import by_experiment
from parfit.model.conditions.design import Design, settable
from parfit.model.model import Model
from parfit.model.naming import number, spelled
from parfit.session.carrying import default_samples
from parfit.session.environment import Environment
from parfit.text import experiment as text


class Experiments(Mapping[str, Experiment]):
    """The experiments by name: `condition` says what was set and given, `observations` what was seen."""

    def __init__(self, env: Environment):
        self._env = env
        found = [] if env.observations is None else apart(env.observations)
        self._found = {each.name: each for each in found}
        self._lower = {each.name.lower(): each for each in found}

    def __getitem__(self, name: str) -> Experiment:
        return self._found[spelled(name, list(self._found), "experiment")[0]]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._lower

    def get(self, name: str, default: Any = None) -> Any:
        """The experiment, or something else where there is none of that name."""
        return self._lower.get(name.lower(), default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def table(self) -> str:
        """Settings, doses, observations, sum of squares and worst residual of each, at the present values."""
        env = self._env
        env.require("observations")
        data = env.observations
        assert data is not None
        env = env.with_samples(default_samples(env.model, data))
        return text.table(
            by_experiment(env.simulator()(env.values), data, env.noise_residuals()), env.model, env.design
        )

    def __repr__(self) -> str:
        return self.table() if self else "no experiments"


class Several(Given):
    """A problem with one experiment or several."""

    @property
    def experiments(self) -> Experiments:
        """What was done and observed in each, by name; data without names are one experiment called "".

        >>> problem = parfit.load("models/decay.ode", "models/decay.csv")
        >>> list(problem.experiments), problem.experiments["high"].condition.settings
        (['low', 'high'], {'a(0)': 5.0})
        """
        return Experiments(self.environment)

    @checked(name=optional(TEXT))
    def with_experiment(self, data: Any, name: str | None = None, **settings: float) -> Self:
        """With further experiments: data in any of the forms that `load` takes, beside those that there are.

        A single one gets the name, and settings: values of constants and parameters, or of initial values as
        `**{"a(0)": 3}`.

        >>> problem = parfit.load("models/decay.ode", "models/decay.csv")
        >>> more = problem.with_experiment({"t": [0, 2], "a": [3, 1.5]}, "middle", **{"a(0)": 3})
        >>> list(more.experiments), more.active
        (['low', 'high', 'middle'], ('k[low]', 'k[high]', 'k[middle]', 'b'))
        """
        files = Files()
        given, first_values, _ = data_of(data, self.model, files, self.environment.observations is not None)
        if given is None or first_values is not None:
            raise ParfitError("an experiment needs observations, and a deck of cards cannot be added")
        env = self.environment
        new = _with_condition(given, name, _settings(env.model, settings))
        both = possible(added(env.observations, new), env.model)
        return self._with(env.with_observations(both), files.checksums)

    @checked(is_off=FLAG)
    def with_off(self, *names: str, is_off: bool = True) -> Self:
        """With experiments left out of fits, their weights kept; `is_off=False` takes them in again.

        >>> problem = parfit.load("models/decay.ode", "models/decay.csv").with_off("low")
        >>> problem.fit().values["k[low]"]
        0.2
        """
        self.environment.require("observations")
        data = self.environment.observations
        chosen = spelled(names, list(self.experiments), "experiment")
        assert data is not None
        off = [name for name in off_names(data) if name not in chosen] + (chosen if is_off else [])
        if len(set(off)) == len(self.experiments):
            raise ParfitError("at least one experiment must stay on")
        return self._with(self.environment.with_weights(*switched_off(data, all_on(data)[0], off)))


def _with_condition(data: Observations, name: str | None, settings: Mapping[str, float]) -> Observations:
    """Data of one experiment with a name and settings."""
    found = apart(data)
    if len(found) > 1 and (name is not None or settings):
        raise ParfitError("these data are several experiments, which have names and settings of their own")
    if len(found) > 1:
        return data
    old = found[0].condition
    condition = replace(old, name=name_of(name or old.name), settings={**old.settings, **settings})
    return replace(data, design=replace(data.design or Design(()), conditions=(condition,)))


def _settings(model: Model, given: Mapping[str, float]) -> dict[str, float]:
    """Settings as the model spells them."""
    known = settable(model)
    found = {}
    for name, value in given.items():
        if name.lower() not in known:
            raise ParfitError(f"{name} is no setting; expected one of {', '.join(known.values())}")
        found[known[name.lower()]] = number(name, value)
    return found
