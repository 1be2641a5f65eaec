"""Simulation of a model, with the derivatives of everything by the active parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parfit.arguments import FLAG, instance, number, optional
from parfit.arrays import Array, distinct
from parfit.errors import ParfitError
from parfit.kernel.gear import Gear
from parfit.kernel.integrator import Integrator
from parfit.kernel.system import Blending
from parfit.kernel.together import Together
from parfit.kernel.trapezoid import Trapezoid
from parfit.model.calculus.jumping import Jumping
from parfit.model.language.expression import Call, Name, nodes
from parfit.model.model import Model
from parfit.model.naming import Values, numbers, place_of, vector
from parfit.simulation.beside import Beside, one_by_one
from parfit.simulation.blending import Blended, compiled_blending
from parfit.simulation.first_states import Beginning, Beginnings, beginning_of, from_rest
from parfit.simulation.late import Late, up_to_rest
from parfit.simulation.method import Method
from parfit.simulation.status import Reason
from parfit.simulation.trajectory import Result, Step, Trajectory

LONGEST_PART = 0.01  # of the whole time: the longest step for a model that depends on time, if HMAX is no limit
N_FINE = 300  # times at least of a solution that is drawn as a smooth curve
WAITS = (
    "the model has events that wait for a state (`global`), which only Gear's method can locate, and not where curves "
    "stand in place of states: choose GEAR by OPTION PROCEDURE"
)
UNREACHED = (Reason.NOT_FINITE, Reason.CORRECTOR, Reason.ERROR_TEST)
WATCHED = 1000  # steps of Gear's method from one that joins the trace of an integration to the next

MODEL = instance(Model, "a Model")
METHOD = optional(instance(Method, "a Method"))
BLENDED = optional(instance(Blended, "a Blended"))
ACTIVE = instance(Iterable, "a list of names or subscripts of parameters")


class Simulator:
    """A model prepared to be integrated again and again at the same times by the same method.

    `active` (names, or subscripts from 0) says by which parameters to differentiate, by default all. `scale`
    (n_states,) gives sizes of the states that errors are relative to, such as the largest observations; 0 means
    unknown. Parameters that are given by name take the place of the model's own. The trapezoidal rule steps from one
    time to the next, whatever the error. Gear's method takes steps of at most 1 % of the whole time where the model
    depends on time and HMAX is no limit: no error estimate sees a pulse that is yet to come. `begin` is where it
    begins, by default at the model's initial time; elsewhere the states there must be given with every call. The last
    times may be infinite: there the equations have come to rest. `ends` says of a model of several experiments up to
    which time each is integrated; later rows are NaN. Threads can share a simulator.
    """

    def __init__(
        self,
        model: Model,
        times: ArrayLike,
        method: Method | None = None,
        active: Sequence[int | str] | None = None,
        scale: ArrayLike | None = None,
        blended: Blended | None = None,
        begin: float | None = None,
        ends: Sequence[float] | None = None,
    ):
        self.model = MODEL("model", model)
        self.method = METHOD("method", method) or Method()
        # Where experiments are integrated by themselves, nobody needs the equations of all of them together.
        whole = model.hollow if model.parts and blended is None else model
        self.compiled = whole.compiled(_active(model, active))
        self.begin = model.t0 if begin is None else number()("begin", begin)
        self.times, grid, skip = _grid(self.begin, times)
        n_late = int(self.times.size - self.times.searchsorted(np.inf))
        BLENDED("blended", blended)
        sizes = np.zeros(len(model.states)) if scale is None else vector(scale, len(model.states), "scale")
        if not (np.isfinite(sizes) & (sizes >= 0)).all():
            raise ParfitError("scale must be finite sizes, 0 where nothing is known")
        self._sizes, self._blended, self.ends = sizes, blended, ends
        on_times_only = self.method.on_times_only or blended is not None
        if on_times_only and model.waits:
            raise ParfitError(WAITS)
        if n_late and blended is not None:
            raise ParfitError("where curves stand in place of states nothing comes to rest: leave out the time inf")
        self.integrator: Callable[..., Any]  # of the kernel
        self._beginning: Beginning | Beginnings | None = None
        if model.parts and blended is None:
            self.integrator = self._together(grid, skip)
            return
        jumping = model.jumping(self.compiled.active, on_times_only)
        blending = None if blended is None else compiled_blending(self.compiled, blended)
        self.integrator = self._prepared(jumping, grid, blending, skip)
        if jumping is not None and jumping.locates and not model.waits:
            known = model.jumping(self.compiled.active, on_times_only=True)
            self.integrator = partial(_in_either_way, self.integrator, self._prepared(known, grid, blending, skip))
        if model.rest is not None and self.begin == model.t0:
            self._beginning = beginning_of(model, self.compiled.active, self.method)
            shape = grid.size - skip, sizes.size, len(self.compiled.active)
            self.integrator = partial(from_rest, self._beginning, self.integrator, shape)
        if n_late:
            late = Late(model, self.compiled.active, self.method, float(grid[-1]))
            self.integrator = partial(up_to_rest, late, self.integrator, n_late, n_late == self.times.size)

    def _together(self, grid: Array, skip: int) -> Callable[..., Any]:
        """One integration of all experiments: of the kernel, unless one of them is more than that."""
        parts = self._of_parts()
        if all(isinstance(each.integrator, Integrator) for each in parts) and not np.isinf(self.times[-1]):
            plain = [(each.integrator, each.parameters.tolist(), each.columns, each.states.start) for each in parts]
            together: Callable[..., Any] = Together(self.compiled.system, grid, skip, plain)
            return together
        return partial(one_by_one, parts, self.times.size, len(self.compiled.active))

    def _of_parts(self) -> list[Beside]:
        """The integrations of all experiments, each with its own parameters and states."""
        found, first, active = [], 0, self.compiled.active
        rests: dict[Hashable, Any] = {}  # of experiments that come to the same
        ends = self.ends or [np.inf] * len(self.model.parts)
        for part, end in zip(self.model.parts, ends, strict=True):
            times = self.times[: max(1, np.searchsorted(self.times, end, side="right"))]
            own = [k for k, place in enumerate(part.places) if place in active]
            columns = [active.index(part.places[k]) for k in own]
            states = slice(first, first + len(part.model.states))
            sizes = self._sizes[states]
            simulator = Simulator(part.model, times, self.method, own, sizes, begin=self.begin)
            if isinstance(simulator._beginning, Beginning):
                simulator._beginning.share(rests, part.places)
            found.append(Beside(simulator.integrator, np.array(part.places, dtype=np.intp), columns, states))
            first = states.stop
        return found

    def _prepared(self, jumping: Jumping | None, grid: Array, blending: Blending | None, skip: int) -> Any:
        """The kernel's integration, waiting for parameters."""
        how, model = self.method, self.model
        system = self.compiled.system if jumping is None else jumping.system
        jumps = () if jumping is None else (jumping.jumps, self.begin != model.t0)
        if how.procedure == "trapezoid":
            return Trapezoid(system, grid, blending, skip, *jumps)
        longest = _longest_step(how, system.autonomous if jumping is None else jumping.autonomous, grid)
        options = (how.formula, how.eps, min(how.h_min, longest), longest, how.max_steps)
        stops = _stops(model, self._blended, grid)
        return Gear(system, grid, blending, skip, stops, self._sizes, *options, *jumps)

    def __call__(
        self,
        parameters: Values | None = None,
        sensitivities: bool = False,
        y_start: Array | None = None,
        s_start: Array | None = None,
    ) -> Trajectory:
        """Integrate at the given parameters, by default the model's own.

        `y_start` (n_states,) and `s_start` (n_states, n_active) replace the initial values and their derivatives.
        """
        p = self.model.values if parameters is None else self.model.values_with(parameters)
        sensitivities = FLAG("sensitivities", sensitivities)
        if y_start is not None:
            return Trajectory(self, p, self.integrator(p, sensitivities, y_start, s_start))
        if s_start is not None:
            raise ParfitError("derivatives at the start go with states there: give y_start too")
        return Trajectory(self, p, self._result(p, sensitivities), partial(self._result, p, sensitivities))

    def _result(self, p: Array, sensitivities: bool) -> Result:
        result: Result = self.integrator(p, sensitivities)
        return result

    def __reduce__(self) -> tuple[type[Simulator], tuple[Any, ...]]:
        """What makes it again, in another process too, where the kernel's part of it cannot go."""
        how = self.model, self.times, self.method, self.compiled.active, self._sizes, self._blended, self.begin
        return Simulator, (*how, self.ends)

    @cached_property
    def finer(self) -> Simulator:
        """The same with more times, all finite, for a smooth curve; the trapezoidal rule knows its points only."""
        finite = self.times[np.isfinite(self.times)]
        if not finite.size:
            finite = np.array([self.begin])
        if self.method.procedure != "trapezoid":
            return self._at(_finer(finite))
        return self if finite.size == self.times.size else self._made_at(finite)

    def between(self, low: float, high: float) -> Simulator:
        """The same at many times between two of them, for a smooth curve of that part."""
        ends = max(low, self.begin), max(high, self.begin)
        return self._at(distinct(np.linspace(*ends, 2 * N_FINE)))

    def _at(self, times: Array) -> Simulator:
        """The same at other times, if it can be had at any."""
        return self if self.method.procedure == "trapezoid" else self._made_at(times)

    def _made_at(self, times: Array) -> Simulator:
        make, (model, _, *others) = self.__reduce__()
        return make(model, times, *others)

    def watched(self, trace: list[Any], parameters: Values, sensitivities: bool = False) -> Trajectory:
        """Integrate while somebody may look at the trace, to which Gear's method adds a step now and then, time first.

        Nothing else is different from a call.
        """
        if self.method.procedure != "gear":
            return self(parameters, sensitivities)
        p = self.model.values_with(parameters)
        result = self.integrator(p, sensitivities, every=WATCHED, trace=trace)
        return Trajectory(self, p, result, partial(self._result, p, sensitivities))

    def steps(self, parameters: Values, every: int, y_start: Array | None = None) -> list[Step]:
        """The steps of an integration, one in `every`, up to its end or the point where it stops."""
        p = self.model.values_with(parameters)
        start = () if y_start is None else (y_start, None)
        if self.method.procedure == "gear":
            trace: list[tuple[float, float, int, list[float]]] = []
            self.integrator(p, False, *start, every=every, trace=trace)
            return [Step(t, h, order, np.array(y)) for t, h, order, y in trace]
        y = self.integrator(p, False, *start)[0]
        lengths = np.diff(self.times, prepend=self.begin)
        found = [Step(t, h, 2, row) for t, h, row in zip(self.times, lengths, y, strict=True) if 0 < h < np.inf]
        return [step for step in found[every - 1 :: every] if np.isfinite(step.y).any()]


def _in_either_way(locating: Callable[..., Any], plain: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Locate the switches of the equations; where these end before a switch is reached, evaluate them as they stand.

    One branch of a choice may have no value beyond the place where the other takes over: sqrt(x) below 0.
    """
    found = locating(*given, **options)
    return plain(*given, **options) if found[2][0] in UNREACHED else found


def simulate(
    model: Model,
    times: ArrayLike,
    parameters: Values | None = None,
    method: Method | None = None,
    sensitivities: bool = False,
    active: Sequence[int | str] | None = None,
    scale: ArrayLike | None = None,
) -> Trajectory:
    """Integrate a model once from its initial time and give the solution at `times`; see `Simulator`."""
    return Simulator(model, times, method, active, scale)(parameters, sensitivities)


def _active(model: Model, active: Sequence[int | str] | None) -> tuple[int, ...]:
    n = len(model.parameters)
    given = range(n) if active is None else ACTIVE("active", active)
    chosen = tuple(place_of(each, model.parameters) if isinstance(each, str) else each for each in given)
    if any(not isinstance(k, int | np.integer) or not 0 <= k < n for k in chosen):
        raise ParfitError(f"the active parameters must be subscripts from 0 to {n - 1}, not {chosen}")
    if len(set(chosen)) < len(chosen):
        raise ParfitError(f"every active parameter may be named once, not as in {chosen}")
    return chosen


def _grid(begin: float, times: ArrayLike) -> tuple[Array, Array, int]:
    """The times; those to integrate to, with the initial time in front; and how many of these get no rows."""
    given = numbers(times, "the times")
    if given.ndim != 1 or given.size == 0 or np.isnan(given).any() or given[0] == -np.inf:
        raise ParfitError("the times must be a list of finite numbers, of which the last may be inf")
    if given[0] < begin or (given[1:] < given[:-1]).any():
        raise ParfitError(f"the times must not decrease nor lie before the initial time {begin:g}")
    finite = given[: given.searchsorted(np.inf)] if given[0] < np.inf else np.array([begin])
    return (given, finite, 0) if finite[0] == begin else (given, np.append(begin, finite), 1)


def _finer(times: Array) -> Array:
    """The times with others between them: more in a longer interval, some in a short one, where much may go on."""
    times = distinct(times)
    lengths = np.diff(times)
    parts = np.ceil(N_FINE * (lengths / lengths.sum() + 1.0 / lengths.size)) if lengths.size else lengths
    pieces = zip(times[:-1], times[1:], parts.astype(int), strict=True)
    return np.append(
        np.concatenate([np.empty(0), *(np.linspace(a, b, n, endpoint=False) for a, b, n in pieces)]), times[-1:]
    )


def _longest_step(method: Method, autonomous: bool, grid: Array) -> float:
    """HMAX, or a part of the whole time where there is none and the equations depend on time."""
    whole = float(grid[-1] - grid[0])
    if np.isfinite(method.h_max) or autonomous or whole == 0.0:
        return method.h_max
    return LONGEST_PART * whole


def _stops(model: Model, blended: Blended | None, grid: Array) -> Array:
    """Times that no step may pass: where a curve that drives the model changes its formula, and the end."""
    curves = [curve for name, curve in model.tables if _follows_time(model, name)]
    if blended is not None:
        seen = zip(blended.curves, blended.gamma, strict=True)
        curves += [curve for curve, gamma in seen if curve is not None and gamma != 1.0]
    if not curves:
        return grid[-1:]
    breaks = distinct(np.concatenate([curve.breaks for curve in curves]))
    inside = breaks[(breaks > grid[0]) & (breaks < grid[-1])]
    return np.append(inside, grid[-1])


def _follows_time(model: Model, table: str) -> bool:
    """Whether a table is looked up at the time itself."""
    roots = [*model.equations, *(node for _, node in model.quantities)]
    calls = [each for root in roots for each in nodes(root) if isinstance(each, Call) and each.function == table]
    return any(isinstance(call.arguments[0], Name) and call.arguments[0].name == "t" for call in calls)
