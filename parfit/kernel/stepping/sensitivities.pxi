# Sensitivities over the steps of the states, which they never influence (staggered).
#
# Their equations are linear: for each step (I - h l[0] g_y) e = h (g_y s + g_p) - s1 with the levels s, s1 predicted. For
# Adams formulas a sweep over the rows solves them where h g_y is small; else a matrix does, perhaps a sparse one of an
# earlier step, or incomplete factors, with which the solution is refined.

cdef extern from "coupling.h":
    ctypedef struct Corrections "parfit_corrections":
        const Coupling* rows
        double h
        double l0
        const double* r
        const double* gamma
        const double* weight
        const double* permitted
        const double* s
        const double* s1
        double* e
        double* swept

# Factors of I - h l[0] g_y that serve the sensitivities of several steps.
cdef struct Factors:
    Matrix matrix
    double h              # h l[0] in them, 0 when there are none
    double rate           # estimated rate of convergence with them
    double* room          # what `_room_to_refine` says

cdef struct Sensitivities:
    int m
    double* s             # (N_LEVELS - 1, n, m): h^k s^(k) / k!, but for the correction of the last step
    double* e             # (n, m): that correction,
    double l[14]          # of which so much belongs to each level
    double* change        # (n, m): room, 0 where sensitivities cannot be anything else
    double h              # the step for which s is scaled
    Corrections corrections
    Factors factors

cdef extern from "sweep.h":
    void find_residual "parfit_residual"(const Corrections* all) noexcept nogil
    bint sweep "parfit_sweep"(const Corrections* all) noexcept nogil

# The corrections of the sensitivities are solved for to this part of themselves. They are of the order of the local
# error, so that what is left of it is no error to speak of.
cdef double SOLVED = 1e-4
cdef double LAST_REFINEMENT = 0.1     # the most that a refinement may change to be the last, whatever is estimated
cdef int MAX_REFINEMENTS = 8
cdef int SLOW_REFINEMENT = 3          # more iterations call for a new matrix before the next step


cdef size_t sensitivities_size(System system, int m) noexcept nogil:
    """Doubles needed by `lay_out_sensitivities`."""
    return (N_LEVELS + 1) * <size_t> system.n * m + matrix_size(&system.shape) + _room_to_refine(system, m) if m else 0


cdef void lay_out_sensitivities(Sensitivities* V, System system, int m, double* work, int* pivots) noexcept nogil:
    """Put the arrays into one piece of memory."""
    cdef size_t n_s = <size_t> system.n * m
    memset(V, 0, sizeof(Sensitivities))
    if m == 0:
        return
    V.m, V.s, V.e = m, work, work + (N_LEVELS - 1) * n_s
    V.change = V.e + n_s
    V.factors.matrix, V.factors.room = system.shape, V.change + n_s
    if system.iterates:
        V.factors.matrix.fill = system.outline.fill
    V.factors.matrix.a = V.factors.room + _room_to_refine(system, m)
    V.factors.matrix.pivots = pivots
    memset(V.change, 0, n_s * sizeof(double))


cdef int begin_sensitivities(System system, const Blend* blend, Stepper* S, Sensitivities* V) noexcept nogil:
    """The first derivatives, with g_y and g_p at the initial time in the registers: OK or NOT_SMOOTH."""
    cdef size_t n_s = <size_t> S.n * V.m, k
    memset(V.s + n_s, 0, (N_LEVELS - 1) * n_s * sizeof(double))  # and V.e behind it
    memset(V.l, 0, sizeof(V.l))
    system.sensitivity_rates(S.r, blend, V.s, V.e)
    add(V.s + n_s, S.h, V.e, n_s)
    V.h, V.factors.h = S.h, 0.0
    V.corrections = Corrections(&system.coupling, 0.0, 0.0, S.r, blend.gamma, S.weight, S.permitted, V.s, V.s + n_s,
                                V.e, V.change)
    for k in range(n_s):
        if not isfinite(V.e[k]):
            S.bad_state = system.order[k // V.m]
            return NOT_SMOOTH
    return OK


cdef int advance_sensitivities(System system, const Blend* blend, Stepper* S, Sensitivities* V) noexcept nogil:
    """The step just accepted."""
    cdef int segment, q = S.q, status = OK
    cdef size_t n_s = <size_t> S.n * V.m, first, last
    S.jacobians += 1
    if not S.differentiated:
        S.evaluations += 1
        status = evaluate_at(system, S.r, blend, S.t, S.z, BY_PARAMETER)
    if status == OK:
        for segment in range(system.n_segments):
            first, last = system.segment_first[segment], system.segment_last[segment]
            correct_and_predict(V.s, q, n_s, V.l, V.e, S.h / V.h, first, last)
        V.h = S.h
        V.corrections.h, V.corrections.l0 = S.h, L[S.family][q][0]
        if S.family != ADAMS or not sweep(&V.corrections):
            find_residual(&V.corrections)
            status = _solve(system, blend, S, &V.factors, V.e)
    if status != OK:
        S.bad_state = system.bad_state(S.r, BY_PARAMETER)
        return status
    memcpy(V.l, L[S.family][q], sizeof(V.l))
    return OK


cdef void raise_sensitivities(const Stepper* S, Sensitivities* V) noexcept nogil:
    """The order has just been raised: one more level, from the correction."""
    cdef size_t n_s = <size_t> S.n * V.m
    memset(V.s + S.q * n_s, 0, n_s * sizeof(double))
    V.l[S.q] = S.raised


cdef void settle_sensitivities(System system, const Stepper* S, Sensitivities* V) noexcept nogil:
    """Add the correction of the last step to all levels."""
    cdef int segment
    for segment in range(system.n_segments if V.m else 0):
        correct(V.s, S.q, <size_t> S.n * V.m, V.l, V.e, system.segment_first[segment], system.segment_last[segment])
    memset(V.l, 0, sizeof(V.l))


cdef void interpolate_sensitivities(System system, const Stepper* S, const Sensitivities* V, double x,
                                    double* s_out) noexcept nogil:
    """At x steps from the end of the last step, by its polynomials."""
    cdef int k, segment
    cdef size_t n_s = <size_t> S.n * V.m, first, last
    cdef double part = V.l[S.q]
    for k in range(S.q - 1, -1, -1):
        part = part * x + V.l[k]
    memset(s_out, 0, n_s * sizeof(double))
    for segment in range(system.n_segments):
        first, last = system.segment_first[segment], system.segment_last[segment]
        interpolate(s_out, V.s, S.q, n_s, x, part, V.e, first, last)


cdef size_t _room_to_refine(System system, int m) noexcept nogil:
    """Doubles: a residual, a correction of the correction, what is solved for, and three sizes of each column."""
    return 3 * (<size_t> system.n * m + m) if system.iterates else 0


cdef int _solve(System system, const Blend* blend, Stepper* S, Factors* F, double* e) noexcept nogil:
    """(I - h l[0] g_y) e = what is in e, (n, m), with the derivatives at the end of the step in the registers."""
    cdef size_t n_s = <size_t> system.n * system.m
    cdef double h = S.h * L[S.family][S.q][0]
    cdef bint fresh = False
    cdef int status
    if system.iterates:
        memcpy(F.room, e, n_s * sizeof(double))
    while True:
        if not system.iterates or F.h == 0.0 or fabs(h / F.h - 1.0) > MATRIX_DRIFT:
            S.factorizations += 1
            status = system.factor_shifted(S.r, blend, h, &F.matrix)
            if status != OK:
                return status
            F.h, F.rate, fresh = h, 0.0, True
        if fresh and (not system.iterates or F.matrix.fill.complete or F.matrix.permuted):
            solve_many(&F.matrix, e, system.m, system.low, system.high)
            return OK
        if _refine(system, blend, S, F, h, e):
            return OK
        if fresh:
            F.matrix.fill = system.shape.fill
        F.h = 0.0
        memcpy(e, F.room, n_s * sizeof(double))


cdef bint _refine(System system, const Blend* blend, Stepper* S, Factors* F, double h, double* e) noexcept nogil:
    """Solve with old or incomplete factors, and solve for what is left, until that is small; False if it does not get so.

    What was on the right is in e, which becomes the solution.
    """
    cdef int m = system.m, i, j, iteration
    cdef size_t n_s = <size_t> system.n * m, k
    cdef double* left = F.room + n_s
    cdef double* d = left + n_s
    cdef double* sizes = d + n_s  # of the correction, of the one before, of all together
    cdef double ratio, part
    memcpy(left, e, n_s * sizeof(double))
    memset(e, 0, n_s * sizeof(double))
    for iteration in range(MAX_REFINEMENTS):
        memcpy(d, left, n_s * sizeof(double))
        solve_many(&F.matrix, d, m, system.low, system.high)
        if F.h != h:
            multiply(d, 2.0 / (1.0 + h / F.h), n_s)
        add(e, 1.0, d, n_s)
        memcpy(sizes + m, sizes, m * sizeof(double))
        _find_sizes(system, S, d, sizes)
        if iteration:
            ratio = 0.0
            for j in range(m):
                if sizes[m + j] > 0.0:
                    ratio = larger(ratio, sizes[j] / sizes[m + j])
            if not ratio < 1.0:
                return False
            F.rate = larger(0.5 * F.rate, ratio)
            part = smaller(SOLVED / smaller(1.0, 1.5 * F.rate), LAST_REFINEMENT)
            _find_sizes(system, S, e, sizes + 2 * m)
            if _is_small(system, S, part, d, e, sizes + 2 * m):
                if iteration >= SLOW_REFINEMENT:
                    F.h = 0.0
                return True
        for i in range(system.n):
            k = <size_t> i * m
            for j in range(system.low[i], system.high[i]):
                left[k + j] -= d[k + j]
            add_product(system, S.r, blend, h, d, i, left + k)
    return False


cdef void _find_sizes(System system, const Stepper* S, const double* d, double* sizes) noexcept nogil:
    """The largest number of each column, each next to the permitted error of its state."""
    cdef int i, j
    memset(sizes, 0, system.m * sizeof(double))
    for i in range(system.n):
        for j in range(system.low[i], system.high[i]):
            sizes[j] = larger(sizes[j], fabs(d[<size_t> i * system.m + j]) * S.weight[i])


cdef bint _is_small(System system, const Stepper* S, double part, const double* d, const double* e,
                    const double* sizes) noexcept nogil:
    """Whether all of d is this part of e: each number of it, or of its column in the units of the permitted errors."""
    cdef int i, j
    cdef size_t k
    cdef double size
    for i in range(system.n):
        for j in range(system.low[i], system.high[i]):
            k = <size_t> i * system.m + j
            size = fabs(d[k])
            if not size <= part * fabs(e[k]) and not 0.0 < size * S.weight[i] <= part * sizes[j]:
                return False
    return True
