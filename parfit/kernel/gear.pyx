# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gear's method: error-controlled integration of the states, and of the sensitivities over exactly the same steps.

Each sensitivity system advances by one linear solve with the matrix at the accepted point (staggered direct) and
never influences the states.
"""

from libc.math cimport INFINITY, NAN, fabs, isfinite
from libc.string cimport memcpy, memset

from parfit.kernel.corrector cimport ADAMS, BDF, N_LEVELS, L, Stepper
from parfit.kernel.integrator cimport Integration, Integrator
from parfit.kernel.linalg cimport Matrix, matrix_size, solve_many
from parfit.kernel.nordsieck cimport correct, predict, rescale
from parfit.kernel.status cimport OK, TOO_MANY_STEPS
from parfit.kernel.stepper cimport begin, lay_out, limit_step, reconsider, step, stepper_size, stop_at
from parfit.kernel.system cimport BY_PARAMETER, VALUES, Blend, Blending, System, check_times, steps_between_polls
from parfit.kernel.vectors cimport add, horner, larger, multiply_subtract, smaller

import numpy as np

# A state that starts at 0 and is not observed gets its size from a rough integration: its error criterion, and a limit
# on its work. Only a part of the size that it finds is believed, because too large a size would hide errors, while too
# small a one soon grows.
cdef double ROUGH_EPS = 0.3
cdef long ROUGH_STEPS = 40
cdef double ROUGH_PART = 0.1

cdef double SAME_TIME = 1e-14  # next to t

cdef struct Sensitivities:
    int m
    double* s       # (N_LEVELS - 1, n, m): h^k s^(k) / k!
    double* e       # (n, m): the correction of the last step
    double h        # the step for which s is scaled
    Matrix matrix


cdef class Gear(Integrator):
    """Gear's method at `times`, of which the first is the initial time and the first `skip` get no rows.

    No step passes one of the increasing `stops`. `scale` (n,) holds sizes of the states that errors are relative to
    until larger values are met, 0 where nothing is known. `family` is "adams", "bdf" or "auto", `max_steps` the limit
    between two times.
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
                  double h_min, double h_max, long max_steps):
        cdef int i
        self.bind(system, times, blending, skip)
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
                         h_min, h_max, max_steps)
        stops, scale = np.append(stops, INFINITY), np.array(system.inside(np.asarray(scale)))
        self.stops, self.scale, self.n_stops, self._keep = &stops[0], &scale[0], stops.shape[0] - 1, (stops, scale)
        self.formulas, self.automatic = BDF if family == "bdf" else ADAMS, family == "auto"
        self.eps, self.h_min, self.h_max, self.max_steps = eps, h_min, h_max, max_steps

    cdef size_t n_numbers(self, int m) noexcept nogil:
        """Three rows of states are behind what the stepper needs, and then what belongs to the sensitivities."""
        cdef size_t n_s = <size_t> self.system.n * m
        return (stepper_size(self.system) + 3 * self.system.n
                + (N_LEVELS * n_s + matrix_size(&self.system.shape) if m else 0))

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
        if status == OK:
            _find_sizes(run.system, &self.blend, &S, y0, self.times[0], self.times[self.n_times - 1])
            S.eps, S.family, S.automatic = self.eps, self.formulas, self.automatic
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
    cdef size_t n_s = <size_t> run.n * run.m
    cdef double* rows = run.work + stepper_size(run.system)
    memset(S, 0, sizeof(Stepper))
    memset(V, 0, sizeof(Sensitivities))
    lay_out(S, run.system, run.work, run.pivots)
    S.bad_state = -1
    if run.m:
        V.m, V.s = run.m, rows + 3 * run.n
        V.e = V.s + (N_LEVELS - 1) * n_s
        V.matrix = run.system.shape
        V.matrix.a, V.matrix.pivots = V.e + n_s, run.pivots + run.n
    return rows


cdef void _find_sizes(System system, const Blend* blend, Stepper* S, double* y0, double t0, double t_end) noexcept nogil:
    """Put into `largest` the sizes of states that start at 0 and are otherwise unknown, by a rough integration.

    If that fails they stay unknown. The solution may be blowing up: then it says little, so a size counts for as much
    less as the states of known size have grown, and for no more than the state's first speed would bring about.
    """
    cdef int i, n = S.n, status
    cdef double* known = y0 + n
    cdef double* speed = y0 + 2 * n
    cdef double growth = 1.0, size
    cdef bint unknown = False
    for i in range(n):
        known[i] = larger(S.largest[i], fabs(y0[i]))
        unknown = unknown or known[i] == 0.0
    if not unknown or t_end <= t0:
        return
    S.eps, S.family, S.automatic = ROUGH_EPS, BDF, False
    memcpy(S.z, y0, n * sizeof(double))
    status = begin(system, blend, S, t0, t_end - t0, VALUES)
    for i in range(n):
        speed[i] = fabs(S.z[n + i]) / S.h if status == OK else 0.0
    while status == OK and S.t < t_end and S.steps < ROUGH_STEPS:
        status = step(system, blend, S)
        reconsider(S)
    for i in range(n):
        if known[i] > 0.0:
            growth = larger(growth, S.largest[i] / known[i])
    for i in range(n):
        if known[i] == 0.0 and status == OK:
            size = ROUGH_PART * S.largest[i] / growth
            if speed[i] > 0.0:
                size = smaller(size, speed[i] * (t_end - t0))
            known[i] = size if isfinite(size) else 0.0
    memcpy(S.largest, known, n * sizeof(double))


cdef int _integrate(System system, Gear how, Integration run, Stepper* S, Sensitivities* V) except -1 nogil:
    cdef Py_ssize_t k = 0, row, next_stop = 0, n_stops = how.n_stops, n_times = how.n_times
    cdef const Blend* blend = &how.blend
    cdef const double* times = how.times
    cdef const double* stops = how.stops
    cdef int status
    # A function of time may have a pulse that no error estimate sees before it is met. Whoever asks for times close
    # together shall not miss what happens between them.
    cdef bint driven = not system.autonomous or blend.gamma != NULL
    cdef double gap = 0.0
    cdef size_t n_s = <size_t> S.n * V.m
    cdef long n_steps = 0, steps_here = 0, poll_every = steps_between_polls(system, V.m)
    while k < n_times and times[k] == times[0]:
        k += 1
    status = begin(system, blend, S, times[0], times[k] - times[0] if k < n_times else 1.0,
                   BY_PARAMETER if V.m else VALUES)
    if status != OK:
        return status
    if V.m:
        _begin_sensitivities(system, blend, S, V)
    for row in range(run.skip, k):
        _interpolate(system, S, V, times[0], run.y_row(row), run.s_row(row))
    run.n_done = k
    while k < n_times:
        if driven and times[k] - times[k - 1] != gap:
            gap = times[k] - times[k - 1]
            if gap > 0.0:
                limit_step(S, smaller(how.h_max, gap))
        while next_stop < n_stops and stops[next_stop] <= S.t:
            next_stop += 1
        if next_stop < n_stops:
            stop_at(S, stops[next_stop])
        status = step(system, blend, S)
        if next_stop < n_stops and fabs(S.t - stops[next_stop]) <= SAME_TIME * fabs(S.t):
            S.t = stops[next_stop]
        if status == OK and V.m:
            status = _advance_sensitivities(system, blend, S, V)
        if status != OK:
            return status
        n_steps += 1
        if run.every and n_steps % run.every == 0:
            _note_step(run, S)
        while k < n_times and times[k] <= S.t:
            if k >= run.skip:
                _interpolate(system, S, V, times[k], run.y_row(k), run.s_row(k))
            k += 1
            run.n_done = k
            steps_here = 0
        reconsider(S)
        if V.m and S.raised != 0.0:
            memset(V.s + S.q * n_s, 0, n_s * sizeof(double))
            add(V.s + S.q * n_s, S.raised, V.e, n_s)
        steps_here += 1
        if steps_here > how.max_steps:
            return TOO_MANY_STEPS
        if S.steps % poll_every == 0:
            run.poll()
    return OK


cdef int _note_step(Integration run, const Stepper* S) except -1 with gil:
    cdef int i
    y = [0.0] * S.n
    for i in range(S.n):
        y[run.system.order[i]] = S.z[i]
    run.trace.append((S.t, S.h, S.q, y))
    return 0


cdef void _begin_sensitivities(System system, const Blend* blend, Stepper* S, Sensitivities* V) noexcept nogil:
    """The first derivatives, with g_y and g_p at the initial time in the registers."""
    cdef size_t n_s = <size_t> S.n * V.m
    memset(V.s + n_s, 0, (N_LEVELS - 1) * n_s * sizeof(double))  # and V.e behind it
    system.sensitivity_rates(S.r, blend, V.s, V.e)
    add(V.s + n_s, S.h, V.e, n_s)
    V.h = S.h


cdef int _advance_sensitivities(System system, const Blend* blend, Stepper* S, Sensitivities* V) noexcept nogil:
    """The step just accepted, for dy/dp: (I - h l[0] g_y) e = h (g_y s + g_p) - s1 with s, s1 predicted."""
    cdef int segment, q = S.q, status
    cdef size_t n_s = <size_t> S.n * V.m, first, last
    cdef const double* l = L[S.family][q]
    S.evaluations += 1
    S.jacobians += 1
    S.factorizations += 1
    status = system.evaluate(S.r, blend, S.t, S.z, BY_PARAMETER)
    if status == OK:
        status = system.factor_shifted(S.r, blend, S.h * l[0], &V.matrix)
    if status != OK:
        S.bad_state = system.bad_state(S.r, BY_PARAMETER)
        return status
    for segment in range(system.n_segments):
        first, last = system.segment_first[segment], system.segment_last[segment]
        if S.h != V.h:
            rescale(V.s, q, n_s, S.h / V.h, first, last)
        predict(V.s, q, n_s, first, last)
    V.h = S.h
    system.sensitivity_rates(S.r, blend, V.s, V.e)
    for segment in range(system.n_segments):
        first = system.segment_first[segment]
        multiply_subtract(V.e + first, S.h, V.s + n_s + first, system.segment_last[segment] - first)
    solve_many(&V.matrix, V.e, V.m, system.low, system.high)
    for segment in range(system.n_segments):
        first, last = system.segment_first[segment], system.segment_last[segment]
        correct(V.s, q, n_s, l, V.e, first, last)
    return OK


cdef void _interpolate(System system, const Stepper* S, const Sensitivities* V, double t, double* y_out,
                       double* s_out) noexcept nogil:
    """States and sensitivities at t, by the polynomials of the last step."""
    cdef int k, segment
    cdef size_t n_s = <size_t> S.n * V.m, first, last
    cdef double x = (t - S.t) / S.h
    memcpy(y_out, S.z + S.q * S.n, S.n * sizeof(double))
    for k in range(S.q - 1, -1, -1):
        horner(y_out, x, S.z + k * S.n, S.n)
    if V.m == 0:
        return
    memcpy(s_out, V.s + S.q * n_s, n_s * sizeof(double))
    for segment in range(system.n_segments):
        first, last = system.segment_first[segment], system.segment_last[segment]
        for k in range(S.q - 1, -1, -1):
            horner(s_out + first, x, V.s + k * n_s + first, last - first)
