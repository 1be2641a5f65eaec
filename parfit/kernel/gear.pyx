# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gear's method: error-controlled integration of the states, and of the sensitivities over exactly the same steps.

Each sensitivity system is linear and advances after the step was accepted (staggered); it never influences the states.
"""

from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, NAN, fabs, isfinite, pow, sqrt
from libc.string cimport memcpy, memset

from parfit.kernel.integrator cimport Integration, Integrator
from parfit.kernel.jumping cimport Jumping
from parfit.kernel.jumps cimport EVENT, Jumps
from parfit.kernel.linalg cimport Matrix, matrix_size, solve, solve_many
from parfit.kernel.nordsieck cimport correct, correct_and_predict, interpolate, predict, rescale
from parfit.kernel.status cimport (CORRECTOR, ERROR_TEST, HOPELESS, LONG, LOOSE, NOT_FINITE, NOT_SMOOTH, OK,
                                   TOO_MANY_STEPS)
from parfit.kernel.system cimport (BY_PARAMETER, BY_STATE, VALUES, Blend, Blending, Coupling, Pattern, System,
                                   add_product, all_finite, check_times, evaluate_at, has_values, is_smooth, read_g,
                                   run_at, slope_at, steps_between_polls)
from parfit.kernel.thresholds cimport SAME_TIME
from parfit.kernel.vectors cimport add, larger, largest_of, multiply, smaller

import numpy as np

from parfit.kernel.formulas import coefficients, dormand_prince

# All of one piece: the compiler puts one into the other, and a step calls little.
include "stepping/state.pxi"
include "stepping/errors.pxi"
include "stepping/corrector.pxi"
include "stepping/stepper.pxi"
include "stepping/sensitivities.pxi"
include "stepping/starter.pxi"
include "stepping/crossing.pxi"

# Steps between two times where errors may be larger: who needs more is asked again for what errors should be.
cdef long MAX_LOOSE_STEPS = 200

# After a jump: the least part of what remains that the next times may be away to tell how fast things happen.
cdef double SHORTEST_SPAN = 1e-3
# By how much steps may grow after a jump where the next may wait close by.
cdef double CAUTIOUS_GROWTH = 10.0


cdef class Gear(Integrator):
    """Gear's method at `times`, of which the first is the initial time and the first `skip` get no rows.

    No step passes one of the increasing `stops`. `scale` (n,) holds sizes of the states that errors are relative to
    until larger values are met, 0 where nothing is known. `family` is "adams", "bdf" or "auto", `max_steps` the limit
    between two times. `jumps` are those of the model, `begun` says that what happens at the first time has happened.
    """

    cdef const double* stops
    cdef const double* scale  # in the order of the kernel
    cdef Py_ssize_t n_stops
    cdef tuple _keep
    cdef int formulas
    cdef bint automatic
    cdef double eps, h_min, h_max
    cdef long max_steps

    def __cinit__(self, System system not None, const double[::1] times not None, Blending blending, Py_ssize_t skip,
                  const double[::1] stops not None, const double[::1] scale not None, str family not None, double eps,
                  double h_min, double h_max, long max_steps, Jumps jumps=None, bint begun=False):
        cdef int i
        self.bind(system, times, blending, skip, jumps, begun)
        check_times(stops)
        if scale.shape[0] != system.n:
            raise ValueError("the sizes of the states do not fit the model")
        for i in range(system.n):
            if not 0.0 <= scale[i] < INFINITY:
                raise ValueError("sizes of states must be finite and not below 0")
        if family not in ("adams", "bdf", "auto"):
            raise ValueError(f"there are no formulas of the name {family!r}")
        if not (eps > 0.0 and h_min >= 0.0 and h_max > 0.0 and max_steps >= 1):
            raise ValueError("eps, h_max and max_steps must be above 0, h_min not below it")
        self._made_of = (system, np.asarray(self._times), blending, skip, np.array(stops), np.array(scale), family, eps,
                         h_min, h_max, max_steps, jumps, begun)
        stops, scale = np.append(stops, INFINITY), np.array(system.inside(np.asarray(scale)))
        self.stops, self.scale, self.n_stops, self._keep = &stops[0], &scale[0], stops.shape[0] - 1, (stops, scale)
        self.formulas, self.automatic = BDF if family == "bdf" else ADAMS, family == "auto"
        self.eps, self.h_min, self.h_max, self.max_steps = eps, h_min, h_max, max_steps

    cdef size_t n_numbers(self, int m) noexcept nogil:
        """Three rows of states are behind what the stepper needs, and then what belongs to the sensitivities."""
        return stepper_size(self.system) + 3 * self.system.n + sensitivities_size(self.system, m)

    cdef size_t n_pivots(self) noexcept nogil:
        return 2 * self.system.n

    cdef int integrate(self, Integration run) except -1 nogil:
        cdef Stepper S
        cdef Sensitivities V
        cdef double* y0 = _lay_out(&S, &V, run)
        cdef int i, status = run.begin(self.times[0], S.r, y0, V.s)
        S.bad_state = run.state
        for i in range(run.n):
            S.largest[i] = self.scale[i]
        S.h_min, S.h_max = self.h_min, self.h_max
        S.t, S.stiff_time = self.times[0], NAN
        S.eps, S.family, S.automatic = self.eps * run.looseness, self.formulas, self.automatic
        if status == OK and run.jump is not None:
            run.jump.moved = S.moved
            status = run.jump.begin(S.r, &self.blend, S.t, y0, V.s)
            S.bad_state = run.jump.bad_state
        if status == OK:
            S.leaps = run.jump is None or run.jump.jumps.n_conditions == 0
            find_sizes(run.system, &self.blend, &S, y0, self.times[0], self.times[self.n_times - 1])
            memcpy(S.z, y0, run.n * sizeof(double))
            status = _integrate(run.system, self, run, &S, &V)
        run.status, run.time, run.state, run.stiff_time = status, S.t, S.bad_state, S.stiff_time
        run.n_counts = 6
        run.counts[0], run.counts[1], run.counts[2] = S.steps, S.evaluations, S.factorizations
        run.counts[3], run.counts[4], run.counts[5] = S.jacobians, S.failed_tests, S.failed_corrections
        run.blank(self.n_times)
        return 0


cdef double* _lay_out(Stepper* S, Sensitivities* V, Integration run) noexcept nogil:
    """Divide the room of a run; gives three rows of states behind what the stepper needs."""
    cdef double* rows = run.work + stepper_size(run.system)
    memset(S, 0, sizeof(Stepper))
    lay_out(S, run.system, run.work, run.pivots)
    lay_out_sensitivities(V, run.system, run.m, rows + 3 * run.n, run.pivots + run.n)
    S.bad_state, S.section = -1, BY_PARAMETER if run.m else VALUES
    return rows


cdef int _integrate(System system, Gear how, Integration run, Stepper* S, Sensitivities* V) except -1 nogil:
    cdef Py_ssize_t k = 0, seen = 0, row, next_stop = 0, n_stops = how.n_stops, n_times = how.n_times
    cdef const Blend* blend = &how.blend
    cdef const double* times = how.times
    cdef const double* stops = how.stops
    cdef int status
    cdef bint final = run.jump is None or run.jump.jumps.n_conditions == 0  # no row is taken back
    # A function of time may have a pulse that no error estimate sees before it is met. Whoever asks for times close
    # together shall not miss what happens between them.
    cdef bint driven = not system.autonomous or blend.gamma != NULL
    cdef double gap = 0.0, stop, before
    cdef long n_steps = 0, steps_here = 0, poll_every = steps_between_polls(system, V.m), next_poll = poll_every
    while k < n_times and times[k] == times[0]:
        k += 1
    status = begin(system, blend, S, times[0], times[k] - times[0] if k < n_times else 1.0,
                   BY_PARAMETER if V.m else VALUES)
    if status != OK:
        return status
    heed_hidden(system, blend, S)
    if V.m:
        status = begin_sensitivities(system, blend, S, V)
        if status != OK:
            return status
    for row in range(run.skip, k):
        _interpolate(system, S, V, times[0], run.y_row(row), run.s_row(row))
    run.n_done = k
    while k < n_times:
        if k > seen and final and run.is_hopeless():
            return HOPELESS
        seen = k
        if driven and times[k] - times[k - 1] != gap:
            gap = times[k] - times[k - 1]
            if gap > 0.0:
                limit_step(S, smaller(how.h_max, gap))
        while next_stop < n_stops and stops[next_stop] <= S.t:
            next_stop += 1
        stop = stops[next_stop] if next_stop < n_stops else INFINITY
        if run.jump is not None:
            stop = smaller(stop, run.jump.next_time())
        before = S.t
        if S.starting and start(system, blend, S, V, smaller(stop, times[n_times - 1])):
            status = OK
        else:
            if stop < INFINITY:
                stop_at(S, stop)
            status = step(system, blend, S)
        if fabs(S.t - stop) <= SAME_TIME * larger(fabs(S.t), fabs(before)):
            S.t = stop
        if status == OK and V.m and not S.starting:
            status = advance_sensitivities(system, blend, S, V)
        if status != OK:
            return status
        n_steps += 1
        if run.every and n_steps % run.every == 0:
            _note_step(run, S)
        if run.jump is not None and (run.jump.crossed(S.t, S.z) or run.jump.is_due(S.t)
                                     or (S.t == times[n_times - 1] and awaits_event(S, run.jump))):
            settle_sensitivities(system, S, V)
            k = _pass_jump(system, how, run, S, V, before, k, &status)
            steps_here = 0 if k > run.n_done else steps_here + 1
            run.n_done = k
            if status == OK:
                status = _limit_met(how, run, S, steps_here)
            if status != OK:
                return status
            if S.steps >= next_poll:
                next_poll = S.steps + poll_every
                run.poll()
            continue
        if run.jump is not None and run.jump.undefined:
            return NOT_FINITE
        while k < n_times and times[k] <= S.t:
            if k >= run.skip:
                _interpolate(system, S, V, times[k], run.y_row(k), run.s_row(k))
            k += 1
            run.n_done = k
            steps_here = 0
        if S.starting:
            leave_start(S)
        else:
            reconsider(system, blend, S)
        if V.m and S.raised != 0.0:
            raise_sensitivities(S, V)
        steps_here += 1
        status = _limit_met(how, run, S, steps_here)
        if status != OK:
            return status
        if S.steps >= next_poll:
            next_poll = S.steps + poll_every
            run.poll()
    return OK


cdef inline int _limit_met(Gear how, Integration run, const Stepper* S, long steps_here) noexcept nogil:
    """OK, or the reason to take no more steps after so many since the last time that was reached."""
    if run.looseness > 1.0 and steps_here > MAX_LOOSE_STEPS:
        return LOOSE
    if S.steps > run.most_steps:
        return LONG
    return TOO_MANY_STEPS if steps_here > how.max_steps else OK


cdef Py_ssize_t _pass_jump(System system, Gear how, Integration run, Stepper* S, Sensitivities* V, double before,
                           Py_ssize_t k, int* status) noexcept nogil:
    """Go back to where the first condition was hit, if one was; jump, and begin again. Gives the times reached.

    Rows at the time of a jump hold what is after it; that of an event is known as far as the states are.
    """
    cdef Py_ssize_t row
    cdef size_t n_s = <size_t> S.n * V.m
    cdef const double* times = how.times
    cdef bint hit = run.jump.crossed(S.t, S.z)
    cdef double t = first_crossing(S, run.jump, before) if hit else S.t
    hit = hit or (t == times[how.n_times - 1] and not run.jump.is_due(t) and awaits_event(S, run.jump))
    cdef double near = SAME_TIME * fabs(t)
    while hit and k > run.skip and times[k - 1] >= before and is_at_event(S, run.jump, times[k - 1], t):
        k -= 1  # something else happened there, and now this does
    while k < how.n_times and times[k] < t - near and not (hit and is_at_event(S, run.jump, times[k], t)):
        if k >= run.skip:
            _interpolate(system, S, V, times[k], run.y_row(k), run.s_row(k))
        k += 1
    if hit:
        _interpolate(system, S, V, t, run.jump.y, V.change)
        memcpy(S.z, run.jump.y, S.n * sizeof(double))
        if V.m:
            memcpy(V.s, V.change, n_s * sizeof(double))
        S.t = t
        status[0] = run.jump.fire_crossed(S.r, &how.blend, t, S.z, V.s)
    if status[0] == OK and run.jump.is_due(t):
        status[0] = run.jump.fire_timed(S.r, &how.blend, t, S.z, V.s)
    if status[0] != OK:
        S.bad_state = run.jump.bad_state
        return k
    for row in range(k, how.n_times):
        if times[row] > t + near:
            break
        k = row + 1
        if row >= run.skip:
            memcpy(run.y_row(row), S.z, S.n * sizeof(double))
            if V.m:
                memcpy(run.s_row(row), V.s, n_s * sizeof(double))
    if k < how.n_times:
        status[0] = _begin_again(system, how, run, S, V, times[k] - t)
        if run.jump.jumps.n_conditions:
            S.growth = smaller(S.growth, CAUTIOUS_GROWTH)
    return k


cdef int _begin_again(System system, Gear how, Integration run, Stepper* S, Sensitivities* V, double span) noexcept nogil:
    """From the states after a jump; what was counted and found out so far stays."""
    cdef long steps = S.steps
    cdef double stiff_time = S.stiff_time
    cdef double rest = how.times[how.n_times - 1] - S.t
    cdef double* y = run.work + stepper_size(system)
    cdef int status
    memcpy(y, S.z, S.n * sizeof(double))
    find_sizes(system, &how.blend, S, y, S.t, S.t + rest)
    memcpy(S.z, y, S.n * sizeof(double))
    status = begin(system, &how.blend, S, S.t, larger(span, SHORTEST_SPAN * rest),
                            BY_PARAMETER if V.m else VALUES)
    S.steps, S.stiff_time = steps + 1, stiff_time
    if status == OK:
        heed_hidden(system, &how.blend, S)
    if status == OK and V.m:
        status = begin_sensitivities(system, &how.blend, S, V)
    return status


cdef int _note_step(Integration run, const Stepper* S) except -1 with gil:
    cdef int i
    y = [0.0] * S.n
    for i in range(S.n):
        y[run.system.order[i]] = S.z[i]
    run.trace.append((S.t, S.h, S.q, y))
    return 0


cdef void _interpolate(System system, const Stepper* S, const Sensitivities* V, double t, double* y_out,
                       double* s_out) noexcept nogil:
    """States and sensitivities at t, by the polynomials of the last step."""
    cdef double x = (t - S.t) / S.h
    interpolate(y_out, S.z, S.q, S.n, x, 0.0, NULL, 0, S.n)
    if V.m:
        interpolate_sensitivities(system, S, V, x, s_out)
