# The correction that solves the formula of a step: by Newton's method, or by iteration (Adams).
#
# z[1] + e = h g(t, z[0] + l[0] e) with the levels z predicted, h^k y^(k) / k!; after Hindmarsh (LSODE, 1983).

cdef extern from "correction.h":
    double correction "parfit_correction"(bint first, long n, double h, double l0, const double* r, const int* place,
                                          const double* z, const double* weight, double* change, double* e,
                                          double* y) noexcept nogil

cdef enum:
    MAX_CORRECTIONS = 3
    STEPS_BETWEEN_MATRICES = 20

cdef double MATRIX_DRIFT = 0.3        # relative change of h l[0] that calls for a new matrix
cdef double UNKNOWN_RATE = 0.7        # what the rate of convergence is thought to be with a new matrix
cdef double SLOW = 0.3                # a rate with new but incomplete factors that calls for complete ones
cdef double ROUNDING = 1e-13          # corrections this small next to a state are rounding errors


cdef int find_correction(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """Find e: by Newton's method with a matrix that may be old, or for Adams by iteration."""
    cdef double h_l0 = S.h * L[S.family][S.q][0]
    cdef int outcome
    cdef bint have_g, incomplete
    S.matrix_fresh = S.differentiated = False
    if S.family == ADAMS:
        return _iterate(system, blend, S, False)
    while True:
        have_g = _matrix_is_stale(S, h_l0)
        if have_g:
            outcome = _new_matrix(system, blend, S, h_l0)
            if outcome != OK:
                return outcome
        outcome = _iterate(system, blend, S, have_g)
        incomplete = S.matrix.fill.complete != system.shape.fill.complete
        if S.matrix_fresh and incomplete and (outcome == CORRECTOR or SLOW < S.rate != UNKNOWN_RATE):
            S.matrix.fill, S.matrix_h = system.shape.fill, 0.0  # from now on
        if outcome != CORRECTOR or S.matrix_fresh and not incomplete:
            return outcome
        S.matrix_h = 0.0  # try again with a new matrix before the step is given up


cdef int _iterate(System system, const Blend* blend, Stepper* S, bint have_g) noexcept nogil:
    """The corrector's iteration; `have_g` says that g at the predicted point is in the registers."""
    cdef int iteration, section
    cdef double l0 = L[S.family][S.q][0], size, previous = 0.0
    cdef double tolerance = TEST[S.family][S.q][1] * 0.5 / (S.q + 2), noise = ROUNDING / S.eps
    cdef bint newton = S.family == BDF
    for iteration in range(MAX_CORRECTIONS):
        if iteration or not have_g:
            # What comes after a second iteration is so near that its derivatives are those of the step.
            section = S.section if iteration and not newton else VALUES
            S.evaluations += 1
            run_at(system, S.r, blend, S.t, S.y if iteration else S.z, section)
            S.differentiated = section == BY_PARAMETER and is_smooth(system, S.r)
        size = _newton_change(system, S, iteration == 0) if newton else correction(
            iteration == 0, S.n, S.h, l0, S.r, system.dynamics.outputs[0], S.z, S.weight, S.g, S.e, S.y)
        # What is no number passes through solutions and norms, also by a weight of 0: only then need g be looked at.
        if not isfinite(size) and not has_values(system, S.r):
            S.differentiated, S.bad_state = False, system.bad_state(S.r, VALUES)
            return NOT_FINITE
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


cdef inline double _newton_change(System system, Stepper* S, bint first) noexcept nogil:
    """Correct by what the formula lacks with the g in the registers, by Newton's method; how much that is.

    The change is kept in S.g; e is 0 at first.
    """
    cdef int i, n = S.n
    cdef double l0 = L[S.family][S.q][0]
    for i in range(n):
        S.g[i] = S.h * S.r[system.dynamics.outputs[0][i]] - (S.z[n + i] if first else S.z[n + i] + S.e[i])
    solve(&S.matrix, S.g)
    if S.matrix_h != S.h * l0:  # the matrix of another h: Hindmarsh's correction of the scale
        multiply(S.g, 2.0 / (1.0 + S.h * l0 / S.matrix_h), n)
    for i in range(n):
        S.e[i] = S.g[i] if first else S.e[i] + S.g[i]
        S.y[i] = S.z[i] + l0 * S.e[i]
    return norm(S, S.g)


cdef int evaluate(System system, const Blend* blend, Stepper* S, double t, const double* y, int section) noexcept nogil:
    cdef int status = evaluate_at(system, S.r, blend, t, y, section)
    S.evaluations += 1
    if status != OK:
        S.bad_state = system.bad_state(S.r, section)
    return status


cdef inline bint _matrix_is_stale(const Stepper* S, double h_l0) noexcept nogil:
    return (S.matrix_h == 0.0 or S.matrix_age >= STEPS_BETWEEN_MATRICES
            or fabs(h_l0 / S.matrix_h - 1.0) > MATRIX_DRIFT)


cdef int _new_matrix(System system, const Blend* blend, Stepper* S, double h_l0) noexcept nogil:
    """Evaluate g and g_y at the predicted point and factor I - h l[0] g_y."""
    cdef int outcome = evaluate(system, blend, S, S.t, S.z, BY_STATE)
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
