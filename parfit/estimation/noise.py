"""What is known of the errors of the observations, as a value: noise models by variable, and priors by parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from parfit.dataclass import dataclass
from parfit.estimation.prior import Prior


class Form(Enum):
    """What the standard deviation of an observation is."""

    ADDITIVE = "unknown, the same for all"
    RELATIVE = "an unknown fraction of the computed value"
    LOGNORMAL = "unknown, of the logarithm"
    LAPLACE = "unknown, the same for all; outliers are expected"
    LOGLAPLACE = "unknown, of the logarithm; outliers are expected"
    PROPORTIONAL = "an unknown multiple of"
    GIVEN = "standard deviation"

    @property
    def is_of_logarithm(self) -> bool:
        return self in (Form.LOGNORMAL, Form.LOGLAPLACE)

    @property
    def is_laplace(self) -> bool:
        """Whether the density falls with the size of an error rather than with its square."""
        return self in (Form.LAPLACE, Form.LOGLAPLACE)


@dataclass(frozen=True)
class VariableNoise:
    """The errors of one variable; those that share a `group` have one standard deviation.

    With a `quantity`, which is a state, an aux quantity or a parameter of the model, the standard deviation is known
    where that is: it is the quantity itself, or of RELATIVE errors the quantity times the computed value. Only of
    PROPORTIONAL errors it is an unknown multiple. Of LAPLACE errors it is the scale, the mean of their sizes.
    """

    form: Form
    group: str = ""
    quantity: str = ""

    @property
    def is_estimated(self) -> bool:
        """Whether a standard deviation is solved for."""
        return self.form is Form.PROPORTIONAL or (not self.quantity and self.form is not Form.GIVEN)

    @property
    def is_shaped(self) -> bool:
        """Whether it follows the solution or parameters."""
        return bool(self.quantity) or self.form is Form.RELATIVE


WORDS = {form.name: form for form in Form if form is not Form.GIVEN}  # that are typed


@dataclass(frozen=True)
class Noise:
    """Noise models by variable and priors by parameter; where there is none at all, it is plain least squares."""

    models: Mapping[str, VariableNoise] = field(default_factory=dict)
    priors: Mapping[str, Prior] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.models or (self.priors and any(each.is_felt for each in self.priors.values())))

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Noise) and dict(self.models) == dict(other.models)
        return same and isinstance(other, Noise) and dict(self.priors) == dict(other.priors)

    def __hash__(self) -> int:
        return hash((frozenset(self.models.items()), frozenset(self.priors.items())))

    @property
    def felt(self) -> dict[str, Prior]:
        """The priors that pull."""
        return {name: each for name, each in self.priors.items() if each.is_felt}

    @property
    def quantities(self) -> tuple[str, ...]:
        """What standard deviations are made of."""
        return tuple(each.quantity for each in self.models.values() if each.quantity)

    def with_model(self, variable: str, model: VariableNoise | None) -> Noise:
        """Another model of one variable; None takes it away."""
        kept = {name: each for name, each in self.models.items() if name != variable}
        return Noise(kept if model is None else {**kept, variable: model}, self.priors)

    def without_priors(self) -> Noise:
        return Noise(self.models) if self.priors else self

    def with_prior(self, parameter: str, prior: Prior | None) -> Noise:
        """Another prior of one parameter; None takes it away."""
        kept = {name: each for name, each in self.priors.items() if name != parameter}
        return Noise(self.models, kept if prior is None else {**kept, parameter: prior})
