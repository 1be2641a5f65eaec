"""Where parameters occur in a model, and how: read from the graph of its exact derivatives, without sympy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from parfit.model.calculus.derivation import Equations
from parfit.model.calculus.graph import arguments, needed
from parfit.model.calculus.jumping import switch_parts
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.jumps import jump_parts
from parfit.model.language.expression import Expression, names_in
from parfit.model.language.operations import OPERATIONS
from parfit.model.model import Model, Part
from parfit.model.naming import base_of, experiment_of
from parfit.model.variables import split

# Their derivatives do not show what they depend on.
STEPS = frozenset(name for name, row in OPERATIONS.items() if row.is_step)

Row = tuple[Equations, int]


class Structure:
    """Questions to the derivation of a model. Inputs are nodes: t, then the states, then the parameters."""

    def __init__(self, model: Model):
        self.model, self._derivation = model, model.derivation
        self._graph = self._derivation.graph
        self._n = len(model.states)

    def is_affine(self, rows: Iterable[str], active: Sequence[int]) -> bool:
        """Whether equations of states and aux quantities are linear, up to a constant, in the active parameters."""
        return self._affine([self._row(name) for name in rows], {1 + self._n + k for k in active})

    def integral_is_affine(self, active: Sequence[int], aux: Sequence[str]) -> bool:
        """The same of integrals along given curves, and of aux quantities of these integrals."""
        parameters = {1 + self._n + k for k in active}
        if self.model.jumps or self.model.rest is not None:
            return False  # what is assigned may be anything, and a rest is the root of equations
        initial = [(self._derivation.initial, i) for i in range(self._n)]
        equations = [self._row(name) for name in self.model.states]
        states = set(range(1, 1 + self._n))
        return self._affine([*initial, *equations], parameters) and self._affine(
            [self._row(name) for name in aux], parameters | states
        )

    def moved(self, active: Sequence[int], states: Collection[str]) -> bool:
        """Whether an active parameter is in the equations or initial values of these states."""
        found = self.parameters(self._row(name) for name in states)
        found |= self._used(jump_parts(self.model, states))[0]
        return not found.isdisjoint(active) or not self.initial(states).isdisjoint(active)

    def parameters(self, rows: Iterable[Row | str]) -> set[int]:
        """Subscripts of the parameters that occur in these rows."""
        pairs = [self._row(row) if isinstance(row, str) else row for row in rows]
        found = needed(self._graph, [equations.values[i] for equations, i in pairs])
        first = 1 + self._n
        return {k - first for k in found if first <= k < first + self._graph.n_params}

    def initial(self, states: Iterable[str]) -> set[int]:
        """Subscripts of the parameters that occur in the initial values of these states."""
        names = list(states)
        return self.parameters((self._derivation.initial, self.model.states.index(name)) for name in names) | (
            self._of_rest(names)
        )

    def _of_rest(self, states: Iterable[str]) -> set[int]:
        """Subscripts of the parameters on which the rest depends in which these states begin."""
        rest = self.model.rest
        names = [] if rest is None else [name for name in states if name in rest.model.states and name not in rest.own]
        if rest is None or not names:
            return set()
        found = Structure(rest.model).occurring(names)
        return {self.model.parameters.index(rest.model.parameters[k]) for k in found}

    def occurring(self, names: Sequence[str]) -> set[int]:
        """Subscripts of the parameters on which the named states and aux quantities can depend at all."""
        states = self._reached_states(names)
        jumps = self._used(jump_parts(self.model, states))
        return self.parameters([*names, *states]) | self.initial(states) | jumps[0]

    def switched(self, names: Sequence[str], on_times_only: bool) -> dict[int, str]:
        """Those of them that no derivative shows, because they act only through a switch, each with its name.

        What is located on the way hides nothing: with `on_times_only` the switches whose time is known beforehand.
        """
        exact = self._used([*jump_parts(self.model), *switch_parts(self.model, on_times_only)])
        smooth = self._smooth([*names, *exact[1]]) | self._of_rest(self._reached_states(names))
        only = self.occurring(names) - exact[0] - smooth
        return {k: self._switch(names, k) for k in sorted(only)}

    def _used(self, expressions: Iterable[Expression]) -> tuple[set[int], set[str]]:
        """Subscripts of the parameters, and the states, that expressions use, through quantities too."""
        definitions = dict(self.model.quantities)
        stack, seen = list(expressions), set[str]()
        while stack:
            new = names_in(stack.pop()) - seen
            seen |= new
            stack += [definitions[name] for name in new if name in definitions]
        return {k for k, name in enumerate(self.model.parameters) if name in seen}, seen & set(self.model.states)

    def _reached_states(self, names: Sequence[str]) -> set[str]:
        return self.reached(names, ()) | {name for name in names if name in self.model.states}

    def _smooth(self, names: Sequence[str]) -> set[int]:
        """Subscripts of the parameters by which these have a derivative that is not 0 everywhere."""
        parts = self._derivation
        stack = [self._row(name) for name in names]
        found: set[int] = set()
        visited: set[int] = set()
        for equations, i in stack:
            if equations is parts.dynamics:
                if i in visited:
                    continue
                visited.add(i)
                found |= {k for row, k in parts.initial.by_parameter if row == i}
            found |= {k for row, k in equations.by_parameter if row == i}
            stack += [(parts.dynamics, j) for row, j in equations.by_state if row == i]
        return found

    def _switch(self, names: Sequence[str], parameter: int) -> str:
        """The first function that hides a parameter from the derivatives, as it is called in a model."""
        states = self._reached_states(names)
        rows = [*(self._row(name) for name in (*names, *states))]
        rows += [(self._derivation.initial, self.model.states.index(name)) for name in states]
        found = sorted(needed(self._graph, [equations.values[i] for equations, i in rows]))
        hiding = [k for k in found if self._graph.nodes[k][0] in STEPS]
        acts = [k for k in hiding if 1 + self._n + parameter in needed(self._graph, [k])] or hiding
        op = self._graph.nodes[acts[0]][0] if acts else "a switch"
        return OPERATIONS[op].in_messages or op if op in OPERATIONS else op

    def reached(self, rows: Iterable[str], given: Collection[str]) -> set[str]:
        """The states without a given curve on which these rows depend, through each other too."""
        found: set[str] = set()
        stack = list(rows)
        while stack:
            equations, i = self._row(stack.pop())
            used = needed(self._graph, [equations.values[i]])
            names = {self.model.states[k - 1] for k in used if 1 <= k <= self._n}
            names |= self._used(jump_parts(self.model, names))[1] if self.model.jumps else set()
            names -= found | set(given)
            found |= names
            stack.extend(names)
        return found

    def _row(self, name: str) -> Row:
        if name in self.model.states:
            return self._derivation.dynamics, self.model.states.index(name)
        return self._derivation.outputs, [aux for aux, _ in self.model.aux].index(name)

    def _affine(self, rows: Sequence[Row], variables: set[int]) -> bool:
        return not self._jumps(rows, variables) and variables.isdisjoint(self._in_derivatives(rows, variables))

    def _in_derivatives(self, rows: Sequence[Row], variables: set[int]) -> set[int]:
        """The nodes that the derivatives of the rows by the variables need."""
        found = []
        for equations, i in rows:
            offsets = ((equations.by_state, 1), (equations.by_parameter, 1 + self._n))
            for entries, first in offsets:
                found += [node for (row, j), node in entries.items() if row == i and first + j in variables]
        return needed(self._graph, found)

    def _jumps(self, rows: Sequence[Row], variables: set[int]) -> bool:
        """Whether a step or a choice depends on a variable: no derivative would tell."""
        nodes = self._graph.nodes
        for k in needed(self._graph, [equations.values[i] for equations, i in rows]):
            decides = arguments(nodes[k]) if nodes[k][0] in STEPS else arguments(nodes[k])[:1]
            if (nodes[k][0] in STEPS or nodes[k][0] == "if") and not variables.isdisjoint(
                needed(self._graph, list(decides))
            ):
                return True
        return False


@lru_cache(maxsize=256)
def switches(model: Model, names: tuple[str, ...], on_times_only: bool) -> Mapping[int, str]:
    """Parameters (subscripts from 0) that act on the named variables only through a switch, with its name.

    Gear's method locates all switches of the equations; the trapezoidal rule those `on_times_only`.
    """
    if not model.parts:
        return Structure(model).switched(names, on_times_only)
    found, seen = dict[int, str](), set[int]()
    for part, own in _by_experiment(model, names):
        hidden = switches(part.model, own, on_times_only)
        found |= {part.places[k]: switch for k, switch in hidden.items()}
        seen |= {part.places[k] for k in used(part.model, own) if k not in hidden}
    return {k: found[k] for k in sorted(found) if k not in seen}


@lru_cache(maxsize=256)
def used(model: Model, names: tuple[str, ...]) -> frozenset[int]:
    """Parameters (subscripts from 0) on which the named variables can depend at all."""
    if not model.parts:
        return frozenset(Structure(model).occurring(names))
    own = _by_experiment(model, names)
    return frozenset(part.places[k] for part, names in own for k in used(part.model, names))


def _by_experiment(model: Model, names: Iterable[str]) -> list[tuple[Part, tuple[str, ...]]]:
    """The variables that belong to each experiment, by the names that they have there."""
    own = {part.name: list[str]() for part in model.parts}
    for name in names:
        own[experiment_of(name)].append(base_of(name))
    return [(part, tuple(own[part.name])) for part in model.parts]


def only_initial(model: Model, active: Iterable[int]) -> tuple[str, ...]:
    """Active parameters that occur in initial values and in no equation (section 3.2)."""
    structure = Structure(model)
    equations, initial = structure.parameters(model.states), structure.initial(model.states)
    return tuple(model.parameters[k] for k in active if k in initial and k not in equations)


def without_effect(model: Model, active: Iterable[int], names: Iterable[str]) -> tuple[str, ...]:
    """Active parameters on which no residual of derivative fitting depends; `names` are all that have a curve.

    Freeze them first: their columns of the Jacobian are zero.
    """
    states, aux = split(model, names)
    structure = Structure(with_rates(model, aux))
    rows = (*states, *map(rate_name, aux))
    integrated = structure.reached(rows, states)
    found = structure.parameters((*rows, *integrated)) | structure.initial(integrated)
    return tuple(model.parameters[k] for k in active if k not in found)
