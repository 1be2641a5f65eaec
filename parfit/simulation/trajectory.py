"""A solution of the equations at certain times, with the derivatives of everything by the active parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from parfit.arguments import number, shown
from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.model.calculus.assembly import Compiled, Pattern
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.status import Reason, Status


@dataclass(frozen=True)
class Counts:
    """Work done."""

    steps: int
    evaluations: int  # of g
    factorizations: int
    jacobians: int = 0  # of g_y
    failed_tests: int = 0
    failed_corrections: int = 0


class Step(NamedTuple):
    """A step of an integration: where it ended, its length, its order and the states there."""

    t: float
    h: float
    order: int
    y: Array


Result = tuple[Array | None, Array | None, tuple[Any, ...]]  # y, s, and how it ended; no y where it was put away


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A solution at the times of a simulator; rows after the point where the integration stopped are NaN.

    What it computed can be put away, to save memory, and is computed again, to the last bit, when somebody asks.
    """

    simulator: Integrator
    parameters: Array  # (n_params,)
    _result: Result  # of the kernel
    _again: Callable[[], Result] | None = None  # computes it once more

    def __repr__(self) -> str:
        return f"<Trajectory of {self.model.name} at {self.times.size} times: {self.status}>"

    @property
    def y(self) -> Array:
        """The states, (n_times, n_states)."""
        return self._arrays[0]

    @property
    def s(self) -> Array | None:
        """Their derivatives by the active parameters, (n_times, n_states, n_active)."""
        return self._arrays[1]

    @property
    def _arrays(self) -> tuple[Array, Array | None]:
        y, s, end = self._result
        if y is None:
            assert self._again is not None
            y, s, _ = self._again()
            assert y is not None
            object.__setattr__(self, "_result", (y, s, end))
        return y, s

    @property
    def held(self) -> int:
        """Bytes of memory in its arrays."""
        arrays = [*self._result[:2], *self.__dict__.get("_outputs", ())]
        own = sum(array.nbytes for array in arrays if array is not None)
        fine: Trajectory = self.__dict__.get("fine", self)
        return int(own if fine is self else own + fine.held)

    def put_away(self) -> None:
        """Free the memory of what can be computed again."""
        if self._again is not None:
            object.__setattr__(self, "_result", (None, None, self._result[2]))
            for name in ("_outputs", "aux", "aux_s", "fine"):
                self.__dict__.pop(name, None)

    @property
    def _end(self) -> tuple[Any, ...]:
        return self._result[2]

    @property
    def model(self) -> Model:
        return self.simulator.model

    @property
    def times(self) -> Array:
        return self.simulator.times

    @property
    def active(self) -> tuple[int, ...]:
        """Subscripts of the parameters by which s differentiates."""
        return self.simulator.compiled.active

    @property
    def status(self) -> Status:
        """True if the last time was reached; otherwise its text says why not."""
        return status_of(self.simulator, *self._end[:3])

    @property
    def counts(self) -> Counts:
        return Counts(*self._end[3])

    @property
    def n_steps(self) -> int:
        """Steps taken, as `counts` has them, for who wants nothing else."""
        return int(self._end[3][0])

    @property
    def stiff_time(self) -> float | None:
        """Where the automatic choice of formulas found the equations to be stiff."""
        found = len(self._end) > 4 and self._end[4] == self._end[4]
        return self._end[4] if found else None

    @cached_property
    def fine(self) -> Trajectory:
        """Once more at times close enough for a smooth curve, without derivatives; itself where that cannot be had."""
        finer: Integrator = getattr(self.simulator, "finer", self.simulator)
        if self._again is None or finer is self.simulator:
            return self
        found = finer(self.parameters)
        return found if found.status or not self.status else self

    def between(self, low: float, high: float) -> Trajectory:
        """Once more at many times between two of them; as smooth as it is where that cannot be had."""
        low, high = number()("low", low), number()("high", high)
        between = getattr(self.simulator, "between", None)
        if self._again is None or between is None:
            return self.fine
        found: Trajectory = between(low, high)(self.parameters)
        return found

    @cached_property
    def aux(self) -> Array:
        """The aux quantities, (n_times, n_aux)."""
        return self._outputs[0]

    @cached_property
    def aux_s(self) -> Array | None:
        """Their derivatives, (n_times, n_aux, n_active)."""
        return self._outputs[1]

    @cached_property
    def _outputs(self) -> tuple[Array, Array | None]:
        return _aux(self.simulator.compiled, self.times, self.y, self.s, self.parameters)

    def columns(self) -> dict[str, Array]:
        """Time, states and aux quantities by name, as data frames take them."""
        names = (*self.model.states, *(name for name, _ in self.model.aux))
        return {"t": self.times, **{name: self.column(name) for name in names}}

    def column(self, name: str) -> Array:
        """The values of a state or an aux quantity."""
        is_state, k = self._locate(name)
        return (self.y if is_state else self.aux)[:, k]

    def sensitivity(self, name: str) -> Array:
        """d(name)/dp at the times, (n_times, n_active)."""
        is_state, k = self._locate(name)
        values = self.s if is_state else self.aux_s
        if values is None:
            raise ParfitError("this simulation was made without sensitivities")
        return values[:, k]

    def _locate(self, name: str) -> tuple[bool, int]:
        for is_state, names in ((True, self.model.states), (False, [name for name, _ in self.model.aux])):
            lowered = [n.lower() for n in names]
            if str(name).lower() in lowered:
                return is_state, lowered.index(str(name).lower())
        raise ParfitError(f"{shown(name)} is neither a state nor an aux quantity of {self.model.name}")


class Integrator(Protocol):
    """What makes trajectories: a model at certain times, by a method, with derivatives by certain parameters."""

    model: Model
    method: Method
    compiled: Compiled
    times: Array

    def __hash__(self) -> int:
        """By which what was computed for it is found again."""

    def __call__(self, parameters: ArrayLike | None = None, sensitivities: bool = False) -> Trajectory:
        """Integrate at the given parameters, by default the model's own."""


def status_of(simulator: Integrator, reason: int, time: float, state: int) -> Status:
    """From what the kernel says of an end."""
    name, method = simulator.model.states[state] if state >= 0 else None, simulator.method
    return _status(reason, time, name, method.max_steps, method.h_min)


@lru_cache  # nearly all end well, at the same time
def _status(reason: int, time: float, name: str | None, max_steps: int, h_min: float) -> Status:
    return Status(Reason(reason), time, name, max_steps, h_min)


def _aux(compiled: Compiled, times: Array, y: Array, s: Array | None, p: Array) -> tuple[Array, Array | None]:
    """The aux quantities and their sensitivities h_y s + h_p."""
    tape, m = compiled.outputs, len(compiled.active)
    if tape is None:
        return np.empty((times.size, 0)), None if s is None else np.empty((times.size, 0, m))
    y = np.ascontiguousarray(y)
    if s is None:
        return tape.evaluate(times, y, p, 1)[0], None
    h, h_y, h_p = tape.evaluate(times, y, p, 3)
    by_state = _dense(h_y, compiled.output_patterns[0], y.shape[1])
    if np.isnan(y).any():  # of experiments that have ended, which others do not depend on
        s = np.where(np.isnan(y)[:, :, np.newaxis], 0.0, s)
    with np.errstate(all="ignore"):  # an infinite derivative is a result like any other
        found = by_state @ s + _dense(h_p, compiled.output_patterns[1], m)
    found[np.isnan(h)] = np.nan
    return h, found


def _dense(values: Array, pattern: Pattern, n_columns: int) -> Array:
    """Sparse matrices (n_points, n_entries) in full, (n_points, n_rows, n_columns)."""
    start, column = pattern
    full = np.zeros((values.shape[0], start.size - 1, n_columns))
    full[:, np.repeat(np.arange(start.size - 1), np.diff(start)), column] = values
    return full
