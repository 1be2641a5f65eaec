# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The trapezoidal rule on given times, without error control, with the exact derivative of its own solution."""

from libc.math cimport INFINITY, fabs, isfinite
from libc.string cimport memcpy, memset

from parfit.kernel.integrator cimport Integration, Integrator
from parfit.kernel.jumping cimport Jumping
from parfit.kernel.jumps cimport Jumps
from parfit.kernel.linalg cimport DENSE, SPARSE, Matrix, matrix_size, solve, solve_many
from parfit.kernel.system cimport (BY_PARAMETER, BY_STATE, VALUES, Blend, Blending, System, evaluate_at, read_g,
                                  slope_at, steps_between_polls)
from parfit.kernel.status cimport NO_CONVERGENCE, NOT_FINITE, OK
from parfit.kernel.vectors cimport difference, horner, larger, smaller

import numpy as np

# Newton's method stops when the correction of every state, next to the largest value of that state so far, is this
# small, the error left being of the order of its square; or when by the last two corrections the error left is that
# small. (Appendix B, TRAP, has 1e-5 and 12 iterations, with a test on the whole vector, which depends on units.)
cdef double SMALL_CORRECTION = 1e-6
cdef double SMALL_ERROR = 1e-12
# Derivatives are those of the point before the last correction if that was smaller still.
cdef double NEGLIGIBLE_CORRECTION = 1e-11
# Where to factor a matrix costs much more than to use it, it serves as long as corrections shrink by this factor, the
# first from the size of the states, and for steps that differ by no more than this part.
cdef double SHRINKING = 0.1
cdef double UNEVENLY = 0.01
cdef double ROUNDING = 1e-15  # errors this small next to a state are rounding errors
cdef int SPREADING = 3  # equations that rounding errors are followed through
cdef int NEWTON_ITERATIONS = 25
# g and rates at the end of a step follow from the rule itself, with a rounding error of the order of 1/h; before
# steps longer than this many times the shortest they are computed anew.
cdef double LONGER = 10.0

cdef struct Work:
    double* r       # registers
    double* y
    double* g       # derivative at the time reached
    double* base    # y + h/2 g at the previous time
    double* change
    double* largest # |y_i| so far
    double* noise   # what rounding errors can leave of a correction
    double* s       # (n, m) sensitivities
    double* rates   # their derivatives
    Matrix matrix
    double matrix_half  # h/2 in the factored matrix, -1 when there is none
    bint matrix_lasts   # it may serve for several corrections
    double finest       # smallest h/2 since g and rates were last computed from the model


cdef struct Outcome:
    int status
    int state       # the state in trouble, or -1
    long evaluations
    long factorizations


cdef class Trapezoid(Integrator):
    """The rule on `times`, of which the first is the initial time and the first `skip` get no rows.

    A step in which the states jump is divided there; `begun` says that what happens at the first time has happened.
    """

    def __cinit__(self, System system not None, const double[::1] times not None, Blending blending, Py_ssize_t skip,
                  Jumps jumps=None, bint begun=False):
        self.bind(system, times, blending, skip, jumps, begun)
        self._made_of = system, np.asarray(self._times), blending, skip, jumps, begun

    cdef size_t n_numbers(self, int m) noexcept nogil:
        cdef size_t n = self.system.n
        return _n_registers(self.system) + 6 * n + 2 * n * m + matrix_size(&self.system.shape)

    cdef size_t n_pivots(self) noexcept nogil:
        return self.system.n

    cdef int integrate(self, Integration run) except -1 nogil:
        cdef Work w
        cdef Outcome outcome
        _lay_out(&w, run)
        outcome.status = run.begin(self.times[0], w.r, w.y, w.s)
        outcome.state, outcome.factorizations, outcome.evaluations = run.state, 0, 0
        if outcome.status == OK and run.jump is not None:
            outcome.status = run.jump.begin(w.r, &self.blend, self.times[0], w.y, w.s)
            outcome.state = run.jump.bad_state
        _integrate(run.system, self, run, &w, &outcome)
        run.status, run.state = outcome.status, outcome.state
        run.time = self.times[min(run.n_done, self.n_times - 1)]
        run.n_counts = 3
        run.counts[0], run.counts[1], run.counts[2] = max(0, run.n_done - 1), outcome.evaluations, outcome.factorizations
        run.blank(self.n_times)
        return 0


cdef size_t _n_registers(System system) noexcept nogil:
    return max(system.dynamics.n_registers, system.initial.n_registers)


cdef void _lay_out(Work* w, Integration run) noexcept nogil:
    cdef size_t n = run.n, n_s = n * run.m
    w.r = run.work
    w.y = w.r + _n_registers(run.system)
    w.g, w.base, w.change, w.largest, w.noise = w.y + n, w.y + 2 * n, w.y + 3 * n, w.y + 4 * n, w.y + 5 * n
    w.s = w.y + 6 * n
    w.rates = w.s + n_s
    w.matrix = run.system.shape
    w.matrix.a, w.matrix.pivots, w.matrix_half = w.rates + n_s, run.pivots, -1.0
    w.finest = INFINITY
    w.matrix_lasts = w.matrix.kind == DENSE or w.matrix.kind == SPARSE


cdef int _integrate(System system, Trapezoid rule, Integration run, Work* w, Outcome* outcome) except -1 nogil:
    cdef Py_ssize_t k
    cdef int n = system.n, m = run.m, i
    cdef const Blend* blend = &rule.blend
    cdef const double* times = rule.times
    cdef long poll_every = steps_between_polls(system, m)
    memset(w.rates, 0, <size_t> n * m * sizeof(double))
    if outcome.status == OK:
        outcome.status = _refresh(system, blend, w, times[0], m, outcome)
    if outcome.status != OK:
        return 0
    for i in range(n):
        w.largest[i] = fabs(w.y[i])
    for k in range(rule.n_times):
        if k > 0 and times[k] > times[k - 1]:
            outcome.status = _advance(system, blend, w, times[k - 1], times[k], m, outcome, run.jump)
            if outcome.status != OK:
                return 0
            if k % poll_every == 0:
                run.poll()
        run.n_done = k + 1
        if k >= run.skip:
            memcpy(run.y_row(k), w.y, n * sizeof(double))
            if m:
                memcpy(run.s_row(k), w.s, <size_t> n * m * sizeof(double))
    return 0


cdef int _advance(System system, const Blend* blend, Work* w, double t, double t_end, int m, Outcome* outcome,
                  Jumping jump) noexcept nogil:
    """From one time to the next, in as many steps as there are times of jumps on the way."""
    cdef int status = OK
    cdef double stop
    while status == OK and t < t_end:
        stop = t_end
        if jump is not None and jump.next_time() < t_end:
            stop = jump.next_time()
        if stop > t:
            status = _step(system, blend, w, stop, stop - t, m, outcome)
        t = stop
        if status == OK and jump is not None and jump.is_due(t):
            status = jump.fire_timed(w.r, blend, t, w.y, w.s)
            if status == OK:
                status = _refresh(system, blend, w, t, m, outcome)
                w.matrix_half = -1.0
            elif jump.bad_state >= 0:
                outcome.state = jump.bad_state
    return status


cdef int _step(System system, const Blend* blend, Work* w, double t, double h, int m, Outcome* outcome) noexcept nogil:
    """From t - h to t: y = base + h/2 g(t, y) by Newton's method from the previous y, then the sensitivities.

    In the registers are the derivatives at the end of the last step, which serve the first iteration.
    """
    cdef int n = system.n, i, iteration, status = OK
    cdef double half = 0.5 * h, size = INFINITY, previous = INFINITY
    cdef bint at_start = system.autonomous and blend.gamma == NULL  # g at the start is known
    cdef bint is_old  # the matrix
    if half > LONGER * w.finest:
        status = _refresh(system, blend, w, t - h, m, outcome)
        if status != OK:
            return status
    for i in range(n):
        w.base[i] = w.y[i] + half * w.g[i]
        w.noise[i] = ROUNDING * w.largest[i]
    for iteration in range(NEWTON_ITERATIONS):
        is_old = (w.matrix_lasts and fabs(half - w.matrix_half) <= SHRINKING * half
                  and (iteration == 0 or size <= SHRINKING * smaller(1.0, previous)))
        if not at_start:
            status = _evaluate(system, blend, w, t, VALUES if is_old and iteration else BY_STATE, outcome)
            read_g(system, w.r, w.g)
        if status == OK and not is_old and not (at_start and half == w.matrix_half):
            status = _factor(system, blend, w, half, outcome)
        if status != OK:
            return status
        for i in range(n):
            w.change[i] = w.base[i] + half * w.g[i] - w.y[i]
        solve(&w.matrix, w.change)
        previous, size = size, _apply_correction(w, n)
        if not isfinite(size):
            outcome.state = _not_finite(system, w)
            return NOT_FINITE
        if iteration == 0 and size > SMALL_CORRECTION:
            for i in range(SPREADING):
                _spread_noise(system, blend, w, half)
            size = _size(w, n)
        if _is_solved(size, previous, is_old):
            return _finish_step(system, blend, w, t, half, size, m, outcome)
        at_start = False
    outcome.state = _worst(system, w)
    return NO_CONVERGENCE


cdef inline bint _is_solved(double size, double previous, bint is_old) noexcept nogil:
    """By the last two corrections, of which there may be one only.

    With an old matrix they shrink by a fixed factor, but not all states by the same.
    """
    if is_old:
        return size <= SMALL_ERROR or size * size <= UNEVENLY * SMALL_ERROR * previous < INFINITY
    return size <= SMALL_CORRECTION or size * size * size <= SMALL_ERROR * previous * previous < INFINITY


cdef int _evaluate(System system, const Blend* blend, Work* w, double t, int section, Outcome* outcome) noexcept nogil:
    cdef int status = evaluate_at(system, w.r, blend, t, w.y, section)
    outcome.evaluations += 1
    if status != OK:
        outcome.state = system.bad_state(w.r, section)
    return status


cdef int _factor(System system, const Blend* blend, Work* w, double half, Outcome* outcome) noexcept nogil:
    cdef int status = system.factor_shifted(w.r, blend, half, &w.matrix)
    outcome.factorizations += 1
    w.matrix_half = half
    if status != OK:
        outcome.state = system.bad_state(w.r, BY_STATE)
    return status


cdef int _worst(System system, const Work* w) noexcept nogil:
    """The state with the largest correction next to its size."""
    cdef int i, worst = 0
    for i in range(system.n):
        if fabs(w.change[i]) * w.largest[worst] > fabs(w.change[worst]) * w.largest[i]:
            worst = i
    return system.order[worst]


cdef double _apply_correction(Work* w, int n) noexcept nogil:
    """Add the correction to y; gives its size, which is not finite where y is not."""
    cdef int i
    cdef double total = 0.0
    for i in range(n):
        w.y[i] += w.change[i]
        w.largest[i] = larger(w.largest[i], fabs(w.y[i]))
        total += w.y[i] * 0.0  # NaN as soon as one is infinite or NaN
    return _size(w, n) + total


cdef double _size(const Work* w, int n) noexcept nogil:
    """The largest correction next to its own state's largest value so far, but for what is rounding errors."""
    cdef int i
    cdef double size = 0.0
    for i in range(n):
        if fabs(w.change[i]) > w.noise[i]:
            size = larger(size, fabs(w.change[i]) / w.largest[i])
    return size


cdef void _spread_noise(System system, const Blend* blend, Work* w, double half) noexcept nogil:
    """Rounding errors of the states in an equation become noise of its state, one equation further with every call.

    A state that should be 0 and consists of the rounding errors of others cannot be solved for to more than these.
    The derivatives at the beginning of the step bring them to its units (later ones may be those of a singularity on
    the way). Its own derivative only makes it forget.
    """
    cdef int i, j, k
    cdef double slope, noise, own
    for i in range(system.n):
        noise, own = 0.0, 1.0
        for k in range(system.g_y.start[i], system.g_y.start[i + 1]):
            j = system.g_y.column[k]
            slope = half * fabs(slope_at(system, blend, w.r, k))
            if j == i:
                own = larger(own, slope)
            else:
                noise += slope * w.noise[j]
        w.noise[i] = larger(w.noise[i], ROUNDING * w.largest[i] + noise / own)


cdef int _not_finite(System system, const Work* w) noexcept nogil:
    """The first state that is not finite."""
    cdef int i
    for i in range(system.n):
        if not isfinite(w.y[i]):
            return system.order[i]
    return -1


cdef int _refresh(System system, const Blend* blend, Work* w, double t, int m, Outcome* outcome) noexcept nogil:
    """Compute g and rates at the point reached from the model."""
    cdef int status = _evaluate(system, blend, w, t, BY_PARAMETER if m else BY_STATE, outcome)
    read_g(system, w.r, w.g)
    if m:
        system.sensitivity_rates(w.r, blend, w.s, w.rates)
    w.finest = INFINITY
    return status


cdef int _finish_step(System system, const Blend* blend, Work* w, double t, double half, double size, int m,
                      Outcome* outcome) noexcept nogil:
    """Derivatives at the new point; (I - h/2 g_y) s = s_old + h/2 (rates_old + g_p) for the sensitivities."""
    cdef int n = system.n, i, k, status = OK
    cdef size_t n_s = <size_t> n * m
    w.finest = smaller(w.finest, half)
    if size > NEGLIGIBLE_CORRECTION or w.matrix_lasts:
        status = _evaluate(system, blend, w, t, BY_STATE, outcome)
        read_g(system, w.r, w.g)
        if status == OK:
            status = _factor(system, blend, w, half, outcome)
    else:
        for i in range(n):
            w.g[i] = (w.y[i] - w.base[i]) / half  # as the rule itself says
    if status == OK and m:
        status = system.extend_by_parameter(w.r)
        if status != OK:
            outcome.state = system.bad_state(w.r, BY_PARAMETER)
    if status != OK or m == 0:
        return status
    horner(w.rates, half, w.s, n_s)  # s_old + h/2 rates_old, from which the rule gives the new rates afterwards
    memcpy(w.s, w.rates, n_s * sizeof(double))
    for i in range(n):
        for k in range(system.g_p.start[i], system.g_p.start[i + 1]):
            w.s[<size_t> i * m + system.g_p.column[k]] += half * w.r[system.g_p.reg[k]]
    solve_many(&w.matrix, w.s, m, system.low, system.high)
    difference(w.rates, 1.0 / half, w.s, n_s)
    return OK
