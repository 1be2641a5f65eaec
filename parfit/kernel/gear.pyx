# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gear's method: error-controlled integration of the states, and of the sensitivities over exactly the same steps.

Each sensitivity system advances by one linear solve with the matrix at the accepted point (staggered direct) and
never influences the states.
"""

from libc.math cimport INFINITY, NAN, fabs
from libc.string cimport memcpy, memset

from parfit.kernel.crossing cimport first_crossing
from parfit.kernel.integrator cimport Integration, integration
from parfit.kernel.jumping cimport Jumping, jumping
from parfit.kernel.jumps cimport Jumps
from parfit.kernel.linalg cimport Matrix, matrix_size, solve_many
from parfit.kernel.nordsieck cimport correct, predict, rescale
from parfit.kernel.sizes cimport find_sizes
from parfit.kernel.status cimport NOT_FINITE, OK, TOO_MANY_STEPS
from parfit.kernel.stepper cimport (ADAMS, BDF, N_LEVELS, L, Stepper, begin, lay_out, limit_step, reconsider, step,
                                    stepper_size, stop_at)
from parfit.kernel.system cimport (BY_PARAMETER, VALUES, Blend, Blending, System, check_times, poll,
                                   steps_between_polls)
from parfit.kernel.vectors cimport add, horner, larger, multiply_subtract, smaller

cdef double SAME_TIME = 1e-14  # next to t

# After a jump: the least part of what remains that the next times may be away to tell how fast things happen.
cdef double SHORTEST_SPAN = 1e-3

# By how much steps may grow after a jump where the next may wait close by.
cdef double CAUTIOUS_GROWTH = 10.0

cdef struct Sensitivities:
    int m
    double* s       # (N_LEVELS - 1, n, m): h^k s^(k) / k!
    double* e       # (n, m): the correction of the last step
    double h        # the step for which s is scaled
    Matrix matrix


cdef struct Steering:
    double h_max
    long max_steps  # between two times
    long every      # steps between two that join the trace, 0 for none
    void* trace     # a list
    Py_ssize_t n_done  # times reached


def gear(System system not None, const double[::1] times not None, Blending blending, Py_ssize_t skip,
         const double[::1] stops not None, const double[::1] scale not None, str family not None, double eps,
         double h_min, double h_max, long max_steps, const double[::1] p not None, bint sensitivities, y_start=None,
         s_start=None, long every=0, list trace=None, Jumps jumps=None, bint begun=False):
    """States (n_rows, n) and sensitivities (n_rows, n, m) at `times`, of which the first is the initial time.

    The first `skip` times get no rows. No step passes one of the increasing `stops`. `scale` (n,) holds sizes of the
    states that errors are relative to until larger values are met, 0 where nothing is known; `max_steps` is the limit
    between two times. Returns y, s (or None), and (status, time, state, counts, stiff time or NaN). `y_start`,
    `s_start` replace the initial values. After `every` so many steps (t, h, order, states) joins the `trace`.
    `begun`: what jumps at the first time has jumped already.
    """
    cdef double[::1] extended
    cdef Jumping jump = None
    if jumps is not None:
        p = extended = jumps.extended(p)
        jump = jumping(jumps, system, extended, system.m if sensitivities else 0, begun)
    cdef Integration run = integration(system, times, blending, skip, p, sensitivities)
    cdef Steering how = Steering(h_max, max_steps, every, <void*> trace, 0)
    cdef Stepper S
    cdef Sensitivities V
    cdef double* y0
    cdef int i, status
    _check(system, stops, scale, family, trace is not None, eps, h_min, &how)
    y0 = _lay_out(&S, &V, run)
    status = run.begin(S.r, y0, V.s, &S.bad_state, y_start, s_start)
    for i in range(run.n):
        S.largest[i] = scale[system.order[i]]
    S.h_min, S.h_max = h_min, h_max
    S.t, S.stiff_time = times[0], NAN
    cdef int formulas = BDF if family == "bdf" else ADAMS
    cdef bint automatic = family == "auto"
    S.eps, S.family, S.automatic = eps, formulas, automatic
    with nogil:
        if status == OK and jump is not None:
            status = _begin_jumps(jump, run, &S, y0, V.s)
        if status == OK:
            find_sizes(system, &run.blend, &S, y0, times[0], times[run.n_times - 1])
            memcpy(S.z, y0, run.n * sizeof(double))
            status = _integrate(system, run, &S, &V, stops, &how, jump)
    y, s = run.solution(how.n_done)
    counts = (S.steps, S.evaluations, S.factorizations, S.jacobians, S.failed_tests, S.failed_corrections)
    return y, s, (status, S.t, S.bad_state, counts, S.stiff_time)


cdef int _check(System system, const double[::1] stops, const double[::1] scale, str family, bint traced, double eps,
                double h_min, const Steering* how) except -1:
    cdef int i
    check_times(stops)
    if scale.shape[0] != system.n:
        raise ValueError("the sizes of the states do not fit the model")
    for i in range(system.n):
        if not 0.0 <= scale[i] < INFINITY:
            raise ValueError("sizes of states must be finite and not below 0")
    if family not in ("adams", "bdf", "auto"):
        raise ValueError(f"there are no formulas of the name {family!r}")
    if not (eps > 0.0 and h_min >= 0.0 and how.h_max > 0.0 and how.max_steps >= 1 and how.every >= 0):
        raise ValueError("eps, h_max and max_steps must be above 0, h_min and every not below it")
    if how.every and not traced:
        raise ValueError("steps are to be noted, but there is no list for them")
    return 0


cdef double* _lay_out(Stepper* S, Sensitivities* V, Integration run) except NULL:
    """Gives room for three rows of states behind what the stepper needs."""
    cdef System system = run.system
    cdef size_t n_s = <size_t> run.n * run.m
    cdef size_t n_sensitivities = N_LEVELS * n_s + matrix_size(&system.shape) if run.m else 0
    cdef double* rows
    memset(S, 0, sizeof(Stepper))
    memset(V, 0, sizeof(Sensitivities))
    run.make_room(stepper_size(system) + 3 * run.n + n_sensitivities, 2 * run.n)
    lay_out(S, system, run.work, run.pivots)
    S.bad_state = -1
    rows = run.work + stepper_size(system)
    if run.m:
        V.m, V.s = run.m, rows + 3 * run.n
        V.e = V.s + (N_LEVELS - 1) * n_s
        V.matrix = system.shape
        V.matrix.a, V.matrix.pivots = V.e + n_s, run.pivots + run.n
    return rows


cdef int _begin_jumps(Jumping jump, Integration run, Stepper* S, double* y, double* s) noexcept nogil:
    """What happens at the beginning."""
    cdef int status = jump.begin(S.r, &run.blend, S.t, y, s)
    if status != OK:
        S.bad_state = jump.bad_state
    return status


cdef int _integrate(System system, Integration run, Stepper* S, Sensitivities* V, const double[::1] stops,
                    Steering* how, Jumping jump) except -1 nogil:
    cdef Py_ssize_t k = 0, row, next_stop = 0, n_stops = stops.shape[0], n_times = run.n_times
    cdef const Blend* blend = &run.blend
    cdef const double* times = run.times
    cdef int status
    # A function of time may have a pulse that no error estimate sees before it is met. Whoever asks for times close
    # together shall not miss what happens between them.
    cdef bint driven = not system.autonomous or blend.gamma != NULL
    cdef double gap = 0.0, stop, before
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
    how.n_done = k
    while k < n_times:
        if driven and times[k] - times[k - 1] != gap:
            gap = times[k] - times[k - 1]
            if gap > 0.0:
                limit_step(S, smaller(how.h_max, gap))
        while next_stop < n_stops and stops[next_stop] <= S.t:
            next_stop += 1
        stop = stops[next_stop] if next_stop < n_stops else INFINITY
        if jump is not None:
            stop = smaller(stop, jump.next_time())
        if stop < INFINITY:
            stop_at(S, stop)
        before = S.t
        status = step(system, blend, S)
        if fabs(S.t - stop) <= SAME_TIME * fabs(S.t):
            S.t = stop
        if status == OK and V.m:
            status = _advance_sensitivities(system, blend, S, V)
        if status != OK:
            return status
        n_steps += 1
        if how.every and n_steps % how.every == 0:
            _note_step(system, S, how.trace)
        if jump is not None and (jump.crossed(S.t, S.z) or jump.is_due(S.t)):
            k = _pass_jump(system, run, S, V, jump, before, k, &status)
            steps_here = 0 if k > how.n_done else steps_here + 1
            how.n_done = k
            if status != OK:
                return status
            if steps_here > how.max_steps:
                return TOO_MANY_STEPS
            if S.steps % poll_every == 0:
                poll()
            continue
        if jump is not None and jump.undefined:
            return NOT_FINITE
        while k < n_times and times[k] <= S.t:
            if k >= run.skip:
                _interpolate(system, S, V, times[k], run.y_row(k), run.s_row(k))
            k += 1
            how.n_done = k
            steps_here = 0
        reconsider(S)
        if V.m and S.raised != 0.0:
            memset(V.s + S.q * n_s, 0, n_s * sizeof(double))
            add(V.s + S.q * n_s, S.raised, V.e, n_s)
        steps_here += 1
        if steps_here > how.max_steps:
            return TOO_MANY_STEPS
        if S.steps % poll_every == 0:
            poll()
    return OK


cdef Py_ssize_t _pass_jump(System system, Integration run, Stepper* S, Sensitivities* V, Jumping jump, double before,
                           Py_ssize_t k, int* status) noexcept nogil:
    """Go back to where the first condition was hit, if one was; jump, and begin again. Gives the times reached.

    Rows at the time of a jump hold what is after it.
    """
    cdef Py_ssize_t row
    cdef size_t n_s = <size_t> S.n * V.m
    cdef const double* times = run.times
    cdef bint hit = jump.crossed(S.t, S.z)
    cdef double t = first_crossing(S, jump, before) if hit else S.t
    cdef double near = SAME_TIME * fabs(t)
    while k < run.n_times and times[k] < t - near:
        if k >= run.skip:
            _interpolate(system, S, V, times[k], run.y_row(k), run.s_row(k))
        k += 1
    if hit:
        _interpolate(system, S, V, t, jump.y, V.e)
        memcpy(S.z, jump.y, S.n * sizeof(double))
        if V.m:
            memcpy(V.s, V.e, n_s * sizeof(double))
        S.t = t
        status[0] = jump.fire_crossed(S.r, &run.blend, t, S.z, V.s)
    if status[0] == OK and jump.is_due(t):
        status[0] = jump.fire_timed(S.r, &run.blend, t, S.z, V.s)
    if status[0] != OK:
        S.bad_state = jump.bad_state
        return k
    for row in range(k, run.n_times):
        if times[row] > t + near:
            break
        k = row + 1
        if row >= run.skip:
            memcpy(run.y_row(row), S.z, S.n * sizeof(double))
            if V.m:
                memcpy(run.s_row(row), V.s, n_s * sizeof(double))
    if k < run.n_times:
        status[0] = _begin_again(system, run, S, V, times[k] - t)
        if jump.jumps.n_conditions:
            S.growth = CAUTIOUS_GROWTH
    return k


cdef int _begin_again(System system, Integration run, Stepper* S, Sensitivities* V, double span) noexcept nogil:
    """From the states after a jump; what was counted and found out so far stays."""
    cdef long steps = S.steps
    cdef double stiff_time = S.stiff_time
    cdef double rest = run.times[run.n_times - 1] - S.t
    cdef double* y = run.work + stepper_size(system)
    cdef int status
    memcpy(y, S.z, S.n * sizeof(double))
    find_sizes(system, &run.blend, S, y, S.t, S.t + rest)
    memcpy(S.z, y, S.n * sizeof(double))
    status = begin(system, &run.blend, S, S.t, larger(span, SHORTEST_SPAN * rest),
                            BY_PARAMETER if V.m else VALUES)
    S.steps, S.stiff_time = steps + 1, stiff_time
    if status == OK and V.m:
        _begin_sensitivities(system, &run.blend, S, V)
    return status


cdef int _note_step(System system, const Stepper* S, void* trace) except -1 with gil:
    cdef int i
    y = [0.0] * S.n
    for i in range(S.n):
        y[system.order[i]] = S.z[i]
    (<list> trace).append((S.t, S.h, S.q, y))
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
