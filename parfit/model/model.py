"""A model: equations with their parameters, initial values, quantities and driving tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parfit.arguments import TEXT
from parfit.arrays import Array, Unchanging
from parfit.dataclass import dataclass
from parfit.model.curves import Curve
from parfit.model.jumps import Jump
from parfit.model.language.expression import Expression, Number, names_in
from parfit.model.naming import Values, values_with
from parfit.model.said.lines import NoiseLine, PriorLine

if TYPE_CHECKING:
    from parfit.model.calculus.assembly import Compiled
    from parfit.model.calculus.derivation import Derivation
    from parfit.model.calculus.jumping import Jumping
    from parfit.model.calculus.stages import Stages

Definition = tuple[str, Expression]


@dataclass(frozen=True, eq=False)
class Part(Unchanging):
    """One experiment of a joint model: its own equations, which share nothing but parameters with the others."""

    name: str
    model: Model
    places: tuple[int, ...]  # where its parameters are among those of the joint model


@dataclass(frozen=True)
class Regimen:
    """A dose that has been given again and again until nothing changes from one to the next."""

    state: str
    amount: float
    every: float
    over: float | None  # how long an infusion takes
    time: float  # of the dose before which it begins


@dataclass(frozen=True, eq=False)
class Rest(Unchanging):
    """Where a model begins that has come to rest before: at the rest of the same states under other settings."""

    model: Model  # without jumps, reached from its own initial values
    own: frozenset[str]  # states that begin at their own initial values all the same
    regimen: Regimen | None = None  # doses under which it has come to a steady state, rather than to rest


@dataclass(frozen=True, eq=False, repr=False)
class Model(Unchanging):
    """y' = g(t, y, p), y(t0) = y0(p), and the quantities h(t, y, p) that can be observed beside the states.

    Every name in an expression is `t`, a state, a parameter or a quantity, spelled as it was defined; every
    function is one of `operations.OPERATIONS` or the name of a table.
    """

    name: str
    parameters: tuple[str, ...]
    values: Array  # starting values of the parameters, (n_params,), read-only
    states: tuple[str, ...]
    equations: tuple[Expression, ...]  # dy/dt, one per state
    initial: tuple[Expression, ...]  # y(t0), one per state, of parameters and of quantities of these
    quantities: tuple[Definition, ...] = ()  # each uses only earlier ones
    aux: tuple[Definition, ...] = ()
    tables: tuple[tuple[str, Curve], ...] = ()
    files: tuple[tuple[tuple[str, ...], Curve], ...] = ()  # curves by the words behind `table`, of experiments too
    jumps: tuple[Jump, ...] = ()
    infused: tuple[Expression, ...] = ()  # times that infusions begin at, whose rates are in the equations
    held: tuple[str, ...] = ()  # states that only jump: constants that something is assigned to
    rest: Rest | None = None  # what comes to rest before it begins
    t0: float = 0.0
    says_t0: bool = True  # whether the model itself says when it begins; if not, its data do
    unset: tuple[str, ...] = ()  # states without an initial value, which begin at 0
    total: float = 0.0  # how long a simulation without data runs, 0 if the model does not say
    dt: float = 0.0  # between two times of such a run, 0 if the model does not say
    sets: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()  # values of parameters, by names of sets
    noise: tuple[NoiseLine, ...] = ()  # what it says of the errors of observations
    priors: tuple[PriorLine, ...] = ()  # and of its parameters
    linear: tuple[str, ...] = ()  # parameters in which what is observed is linear, to be solved for
    remarks: tuple[str, ...] = ()  # what the reader passed over
    source: str = ""  # the text it was read from
    parts: tuple[Part, ...] = ()  # of a model of several experiments, whose states stand one experiment after another
    template: Model | None = None  # the model as it was written, where experiments make another one of it
    stages: Stages | None = None  # of an experiment: what others with the same equations have begun to derive

    def __repr__(self) -> str:
        return f"<Model {self.name}: {len(self.states)} states, {len(self.parameters)} parameters>"

    def __str__(self) -> str:
        """Its text, as an `.ode` file has it."""
        from parfit.model.language.editing import text_of

        return text_of(self).rstrip("\n")

    def __getstate__(self) -> dict[str, object]:
        """What is copied and pickled: everything but the compiled tapes, which are soon made again."""
        made = ("_compiled", "_jumping", "hollow", "last_joint")
        return {name: value for name, value in self.__dict__.items() if name not in made}

    @classmethod
    def from_text(cls, text: str, name: str = "model") -> Model:
        """A model from the text of an `.ode` file."""
        from parfit.model.language.reader import model_from_text

        return model_from_text(TEXT("the text of a model", text), TEXT("its name", name))

    @classmethod
    def trace(
        cls,
        function: Callable[..., Sequence[object]],
        states: Mapping[str, object] | Sequence[str],
        parameters: Mapping[str, float] | Sequence[str],
        t0: float = 0.0,
        name: str | None = None,
    ) -> Model:
        """A model from a Python function g(t, y, p), called once with symbols.

        `states` gives each state its initial value: a number, or a function of p; `parameters` gives starting values.
        Where they are lists of names, states begin at 0 and parameters at 1. `y` and `p` can be indexed by position or
        by name; use `parfit.functions` (exp, log, ...) and `parfit.where` inside. g may return, after
        the derivatives, a dictionary of quantities that can be observed.
        """
        from parfit.model.language.tracing import trace

        return trace(function, states, parameters, t0, name)

    def values_with(self, given: Values | None = None) -> Array:
        """All parameters, (n_params,): an array of them, or the model's own with those that are given by name."""
        return values_with(self.parameters, self.values, given)

    @cached_property
    def derivation(self) -> Derivation:
        """All exact derivatives; made when first needed."""
        from parfit.model.calculus.differentiation import derive

        return derive(self)

    @cached_property
    def _compiled(self) -> dict[tuple[int, ...], Compiled]:
        return {}

    def compiled(self, active: tuple[int, ...]) -> Compiled:
        """The model ready to be integrated with derivatives by the active parameters (subscripts from 0)."""
        if active not in self._compiled:
            from parfit.model.calculus.assembly import assemble

            self._compiled[active] = assemble(self, self.derivation, active)
        return self._compiled[active]

    @cached_property
    def last_joint(self) -> list[tuple[object, Model]]:
        """The design of the last experiments that a model was made for, and that model; see `joined`."""
        return []

    @cached_property
    def hollow(self) -> Model:
        """The states and what is observed of them, but no equations: all that a model needs whose parts have them."""
        nothing = (Number(0.0),) * len(self.states)
        used = {name for _, node in self.aux for name in names_in(node)}
        for name, node in reversed(self.quantities):  # each uses only earlier ones
            if name in used:
                used |= names_in(node)
        own = tuple(each for each in self.quantities if each[0] in used)
        return replace(self, equations=nothing, initial=nothing, quantities=own, jumps=(), rest=None, parts=())

    @cached_property
    def waits(self) -> bool:
        """Whether a jump waits for a condition whose time is not known beforehand."""
        from parfit.model.calculus.jumping import waits

        return bool(self.jumps) and waits(self)

    @cached_property
    def _jumping(self) -> dict[tuple[tuple[int, ...], bool], Jumping | None]:
        return {}

    def jumping(self, active: tuple[int, ...], on_times_only: bool = False) -> Jumping | None:
        """The same with what happens on the way; None if nothing does. See `assemble_jumps`."""
        key = active, on_times_only
        if key not in self._jumping:
            from parfit.model.calculus.jumping import assemble_jumps

            self._jumping[key] = assemble_jumps(self, active, on_times_only)
        return self._jumping[key]
