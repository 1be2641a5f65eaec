"""What an SBML model is made of, as values; formulas are expressions in the names of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from parfit.dataclass import dataclass
from parfit.model.language.expression import Expression


@dataclass(frozen=True)
class Compartment:
    id: str
    line: int
    size: float | None


@dataclass(frozen=True)
class Species:
    id: str
    line: int
    compartment: str
    amount: float | None  # at the beginning, if given as such
    concentration: float | None
    counts: bool  # whether its name means an amount rather than a concentration
    fixed: bool  # whether reactions leave it as it is


@dataclass(frozen=True)
class Parameter:
    id: str
    line: int
    value: float | None


@dataclass(frozen=True)
class Function:
    id: str
    line: int
    arguments: tuple[str, ...]
    body: Expression


@dataclass(frozen=True)
class Formula:
    """A rule, or an initial assignment: what a symbol is, becomes or begins with."""

    symbol: str
    line: int
    body: Expression


@dataclass(frozen=True)
class Reaction:
    id: str
    line: int
    law: Expression
    changes: tuple[tuple[str, Expression], ...]  # how much of each species, negative for what is used up
    equation: str  # A + 2 B -> C


@dataclass(frozen=True)
class Event:
    id: str
    line: int
    trigger: Expression
    assignments: tuple[Formula, ...]
    was_true: bool = True  # what the trigger counts as before the beginning


@dataclass(frozen=True)
class Components:
    """A whole model; all tables are by id."""

    name: str
    compartments: Mapping[str, Compartment] = field(default_factory=dict)
    species: Mapping[str, Species] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    starts: Mapping[str, Formula] = field(default_factory=dict)  # initial assignments
    rules: Mapping[str, Formula] = field(default_factory=dict)  # assignment rules
    rates: Mapping[str, Formula] = field(default_factory=dict)
    reactions: Mapping[str, Reaction] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """All that formulas may name."""
        return frozenset({*self.compartments, *self.species, *self.parameters, *self.reactions})

    @property
    def jumping(self) -> frozenset[str]:
        """What events assign to."""
        return frozenset(each.symbol for event in self.events for each in event.assignments)
