# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The formulas of a step, and the correction that solves them: by Newton's method, or by iteration (Adams).

z[1] + e = h g(t, z[0] + l[0] e) with the levels z predicted, h^k y^(k) / k!; after Hindmarsh (LSODE, 1983).
The errors that are permitted, next to the sizes of the states; and where within a step a condition of a jump crosses
zero, by the polynomials of the step.
"""

from libc.math cimport fabs, isfinite
from libc.string cimport memcpy, memset

from parfit.kernel.jumping cimport Jumping
from parfit.kernel.jumps cimport EVENT
from parfit.kernel.linalg cimport solve
from parfit.kernel.nordsieck cimport interpolate
from parfit.kernel.status cimport CORRECTOR, NOT_SMOOTH, OK
from parfit.kernel.system cimport BY_PARAMETER, BY_STATE, VALUES, evaluate_at, slope_at
from parfit.kernel.vectors cimport larger, multiply, smaller

from parfit.kernel.formulas import coefficients

cdef extern from "correction.h":
    double correction "parfit_correction"(bint first, long n, double h, double l0, const double* r, const int* place,
                                          const double* z, const double* weight, double* change, double* e,
                                          double* y) noexcept nogil

cdef extern from "sizes.h":
    void note "parfit_note_sizes"(long n, const double* z, double fading, double* recent, double* largest) noexcept nogil
    bint permit "parfit_permit"(long n, double eps, double least, double negligible, const double* recent,
                                const double* largest, const double* around, double* permitted,
                                double* weight) noexcept nogil

cdef enum:
    MAX_CORRECTIONS = 3
    STEPS_BETWEEN_MATRICES = 20

MATRIX_DRIFT = 0.3
cdef double UNKNOWN_RATE = 0.7        # what the rate of convergence is thought to be with a new matrix
cdef double SLOW = 0.3                # a rate with new but incomplete factors that calls for complete ones
cdef double ROUNDING = 1e-13          # corrections this small next to a state are rounding errors

SAFETY = 0.3
# No error is demanded below this part of what a state would be if the terms of its equation did not cancel: a state that
# is 0 but for rounding errors of the others must not be followed.
cdef double NEGLIGIBLE = 1e-18
# A state that has become small may steer what comes next (an excitable system between two spikes), so its size
# fades by this factor a step, down to this part of the largest value met.
cdef double FADING = 0.97
cdef double LEAST = 0.003

cdef double ULP = 2.2e-16
cdef int MOST_HALVINGS = 200
cdef double AMPLIFIED = 10.0  # what equations may make of the permitted error of a step
cdef int PARTS = 16  # of a step, where a condition that began at 0 is looked at

cdef double[:, :, ::1] _l = coefficients.CORRECTOR
cdef double[:, :, ::1] _test = coefficients.ERROR
memcpy(L, &_l[0, 0, 0], sizeof(L))
memcpy(TEST, &_test[0, 0, 0], sizeof(TEST))


cdef int find_correction(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """Find e: by Newton's method with a matrix that may be old, or for Adams by iteration."""
    cdef double h_l0 = S.h * L[S.family][S.q][0]
    cdef int outcome
    cdef bint have_g, incomplete
    S.matrix_fresh = S.differentiated = False
    if S.family == ADAMS:
        return _iterate(system, blend, S, False)
    while True:
        memcpy(S.y, S.z, S.n * sizeof(double))
        memset(S.e, 0, S.n * sizeof(double))
        have_g = _matrix_is_stale(S, h_l0)
        if have_g:
            outcome = _new_matrix(system, blend, S, h_l0)
            if outcome != OK:
                return outcome
        outcome = _iterate(system, blend, S, have_g)
        incomplete = S.matrix.fill.complete != system.shape.fill.complete
        if S.matrix_fresh and incomplete and SLOW < S.rate != UNKNOWN_RATE:
            S.matrix.fill, S.matrix_h = system.shape.fill, 0.0  # from now on
        if outcome != CORRECTOR or S.matrix_fresh and not incomplete:
            return outcome
        S.matrix_h = 0.0  # try again with a new matrix before the step is given up


cdef int _iterate(System system, const Blend* blend, Stepper* S, bint have_g) noexcept nogil:
    """The corrector's iteration; `have_g` says that g at the predicted point is in the registers."""
    cdef int iteration, outcome, section
    cdef double l0 = L[S.family][S.q][0], size, previous = 0.0
    cdef double tolerance = TEST[S.family][S.q][1] * 0.5 / (S.q + 2), noise = ROUNDING / S.eps
    cdef bint newton = S.family == BDF
    for iteration in range(MAX_CORRECTIONS):
        if iteration or not have_g:
            # What comes after a second iteration is so near that its derivatives are those of the step.
            section = S.section if iteration and not newton else VALUES
            outcome = evaluate(system, blend, S, S.t, S.y if iteration else S.z, section)
            S.differentiated = section == BY_PARAMETER and outcome == OK
            if outcome != OK and outcome != NOT_SMOOTH:
                return outcome
        size = _newton_change(system, S) if newton else correction(
            iteration == 0, S.n, S.h, l0, S.r, system.dynamics.outputs[0], S.z, S.weight, S.g, S.e, S.y)
        if iteration:
            if not newton and size > noise:
                S.lipschitz = larger(S.lipschitz, size / previous / (S.h * l0))
            S.rate = larger(0.2 * S.rate, size / previous)
        # To find out whether the equations are stiff takes the rate of convergence, and that takes two iterations.
        if size <= noise or size * smaller(1.0, 1.5 * S.rate) <= tolerance and (iteration or newton or not S.automatic):
            S.bad_state = -1
            return OK
        if iteration and size > 2.0 * previous or not isfinite(size):
            break
        previous = size
    S.bad_state = worst_state(system, S, S.g)
    return CORRECTOR


cdef inline double _newton_change(System system, Stepper* S) noexcept nogil:
    """Correct by what the formula lacks with the g in the registers, by Newton's method; how much that is.

    The change is kept in S.g.
    """
    cdef int i, n = S.n
    cdef double l0 = L[S.family][S.q][0]
    for i in range(n):
        S.g[i] = S.h * S.r[system.dynamics.outputs[0][i]] - (S.z[n + i] + S.e[i])
    solve(&S.matrix, S.g)
    if S.matrix_h != S.h * l0:  # the matrix of another h: Hindmarsh's correction of the scale
        multiply(S.g, 2.0 / (1.0 + S.h * l0 / S.matrix_h), n)
    for i in range(n):
        S.e[i] += S.g[i]
        S.y[i] = S.z[i] + l0 * S.e[i]
    return norm(S, S.g)


cdef int evaluate(System system, const Blend* blend, Stepper* S, double t, const double* y, int section) noexcept nogil:
    cdef int status = evaluate_at(system, S.r, blend, t, y, section)
    S.evaluations += 1
    if status != OK:
        S.bad_state = system.bad_state(S.r, section)
    return status


cdef int worst_state(System system, const Stepper* S, const double* v) noexcept nogil:
    """The state for which v is largest next to the permitted error."""
    cdef int i, worst = 0
    for i in range(S.n):
        if fabs(v[i]) * S.weight[i] > fabs(v[worst]) * S.weight[worst]:
            worst = i
    return system.order[worst]


cdef inline bint _matrix_is_stale(const Stepper* S, double h_l0) noexcept nogil:
    return (S.matrix_h == 0.0 or S.matrix_age >= STEPS_BETWEEN_MATRICES
            or fabs(h_l0 / S.matrix_h - 1.0) > MATRIX_DRIFT)


cdef int _new_matrix(System system, const Blend* blend, Stepper* S, double h_l0) noexcept nogil:
    """Evaluate g and g_y at the predicted point and factor I - h l[0] g_y."""
    cdef int outcome = evaluate(system, blend, S, S.t, S.y, BY_STATE)
    S.jacobians += 1
    if outcome != OK:
        return outcome
    S.factorizations += 1
    outcome = system.factor_shifted(S.r, blend, h_l0, &S.matrix)
    if outcome != OK:
        S.bad_state, S.matrix_h = system.bad_state(S.r, BY_STATE), 0.0
        return outcome
    S.matrix_h, S.matrix_age, S.matrix_fresh, S.rate = h_l0, 0, True, UNKNOWN_RATE
    look_around(system, blend, S)
    return OK


cdef void look_around(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """How far the other states would move each state, in the reference time or as long as it remembers.

    With the derivatives in the registers, which bring the others to its units.
    """
    cdef int i, j, k
    cdef double slope, speed, forgets
    for i in range(S.n):
        speed, forgets = 0.0, 1.0 / S.reference
        for k in range(system.g_y.start[i], system.g_y.start[i + 1]):
            j = system.g_y.column[k]
            slope = fabs(slope_at(system, blend, S.r, k))
            if not isfinite(slope):
                continue
            if j == i:
                forgets = larger(forgets, slope)
            else:
                speed += slope * S.largest[j]
        S.around[i] = speed / forgets


cdef void set_weights(Stepper* S) noexcept nogil:
    """Permitted errors are eps times the size of each state."""
    S.has_unmoved = permit(S.n, SAFETY * S.eps, LEAST, NEGLIGIBLE, S.recent, S.largest, S.around, S.permitted, S.weight)


cdef void weigh_first_motion(Stepper* S, double h) noexcept nogil:
    """For states that had been 0 until this step of length h: at their speed they would go far in the reference time."""
    cdef int i
    for i in range(S.n if S.has_unmoved else 0):
        if S.largest[i] == 0.0 and S.y[i] != 0.0:
            S.weight[i] = h / (SAFETY * S.eps * larger(S.reference, h) * fabs(S.y[i]))


cdef void note_sizes(Stepper* S) noexcept nogil:
    """The states of an accepted step tell what errors of the next one are relative to."""
    note(S.n, S.z, FADING, S.recent, S.largest)
    set_weights(S)


cdef double first_crossing(Stepper* S, Jumping jump, double before) noexcept nogil:
    """The time in the last step where the first of the conditions that were hit crossed zero; only that stays hit."""
    cdef int k
    cdef double first = S.t, t
    for k in range(jump.jumps.n_conditions):
        if jump.hit[k]:
            t = _crossing(S, jump, k, before)
            if t < first:
                memset(jump.hit, 0, k * sizeof(int))
                first = t
            elif t > first:
                jump.hit[k] = 0
    return first


cdef double _crossing(Stepper* S, Jumping jump, int k, double before) noexcept nogil:
    """Where a condition crosses zero within the last step, by regula falsi with weights halved (Illinois)."""
    cdef double a = before, b = S.t, c, at_a = _condition_at(S, jump, k, a), at_b = _condition_at(S, jump, k, b), at_c
    cdef int turn, kept = 0
    if at_a * at_b > 0.0:  # it came from 0: somewhere between it may have been on its side
        for turn in range(1, PARTS):
            at_c = _condition_at(S, jump, k, b - turn * (b - before) / PARTS)
            if at_c * at_b <= 0.0:
                a, at_a = b - turn * (b - before) / PARTS, at_c
                break
        else:
            return before
    for turn in range(MOST_HALVINGS):
        if at_a == 0.0 or at_b == 0.0 or not b - a > 2.0 * ULP * fabs(b):
            break
        c = (a * at_b - b * at_a) / (at_b - at_a)
        if turn % 3 == 2 or not a < c < b:
            c = 0.5 * (a + b)
        at_c = _condition_at(S, jump, k, c)
        if at_c * at_b > 0.0:
            b, at_b = c, at_c
            at_a *= 0.5 if kept == 1 else 1.0
            kept = 1
        else:
            a, at_a = c, at_c
            at_b *= 0.5 if kept == -1 else 1.0
            kept = -1
    return a if at_a == 0.0 else b


cdef bint is_at_event(Stepper* S, Jumping jump, double t, double hit) noexcept nogil:
    """Whether t is when an event was hit, but for the errors of the states: from t to `hit` its condition is theirs."""
    cdef int k
    for k in range(jump.jumps.n_conditions):
        if (jump.hit[k] and jump.jumps.kind[k] == EVENT and _is_zero(S, jump, k, t)
                and _is_zero(S, jump, k, 0.5 * (t + hit))):  # it has not come back to 0
            return True
    return False


cdef bint awaits_event(Stepper* S, Jumping jump) noexcept nogil:
    """Whether the condition of an event is 0 but for errors where all ends, and was on its way there: it is hit then."""
    cdef int k
    cdef bint any_hit = False
    for k in range(jump.jumps.n_conditions):
        jump.hit[k] = (jump.jumps.kind[k] == EVENT and jump.side[k] not in (0, jump.jumps.direction[k])
                       and _is_zero(S, jump, k, S.t)
                       and fabs(_condition_at(S, jump, k, S.t)) < fabs(_condition_at(S, jump, k, S.t - S.h / PARTS)))
        any_hit = any_hit or jump.hit[k]
    return any_hit


cdef bint _is_zero(Stepper* S, Jumping jump, int k, double t) noexcept nogil:
    """Whether a condition is 0 but for the errors of the states, which add up from step to step."""
    cdef double value = _condition_at(S, jump, k, t)
    jump.jumps.conditions.run(jump.r_conditions, t, jump.y, BY_STATE)
    return fabs(value) <= (AMPLIFIED + S.steps) * jump.jumps.conditions.error(jump.r_conditions, k, S.weight)


cdef double _condition_at(Stepper* S, Jumping jump, int k, double t) noexcept nogil:
    interpolate(jump.y, S.z, S.q, S.n, (t - S.t) / S.h, 0.0, NULL, 0, S.n)
    return jump.condition(k, t, jump.y)
