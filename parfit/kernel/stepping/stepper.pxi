# Adams and backward differentiation formulas of variable order and step in Nordsieck form.
#
# z[k] = h^k y^(k) / k!, k = 0 ... q. A step: predict z by Taylor's formula, then find the correction e for which
# z[1] + e = h g(t, z[0] + l[0] e), and add l e to z. Strategy of step and order after Gear (1971) and Hindmarsh
# (LSODE, 1983), of stiffness after Petzold (1983).

cdef extern from "resting.h":
    bint rests "parfit_rests"(const Coupling* rows, const double* motion, const double* weight, double most) noexcept nogil
    double hidden_slope "parfit_hidden_slope"(const Coupling* rows, const Pattern* y0_p, const double* r,
                                              const double* gamma, double h, const double* motion, const double* weight,
                                              double* moved) noexcept nogil

cdef int MAX_FAILURES = 10
cdef int MAX_ORDER[2]
MAX_ORDER[:] = list(coefficients.MAX_ORDER)

# |h lambda| up to which the Adams formula of order q is stable (Petzold 1983).
cdef double STABLE[13]
STABLE[:] = [0, 0.5, 0.575, 0.55, 0.45, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025]

# A step that errors permit is not shortened by more than this unless it is not stable. Errors that grow and are damped
# in turn would hide that other formulas could take much longer ones.
cdef double UNSTABLE = 0.8
cdef double BDF_ADVANTAGE = 5.0       # the BDF step must be so much longer to be worth its matrices
cdef double SMALLEST_STEP = 16 * 2.2e-16  # next to t
# Where a state rests, steps could be of any length, but its derivatives may still be on their way.
cdef double BRIEF = 0.1   # a step that is short enough for them, in parts of the time in which they would get there
cdef double GENTLE = 2.0  # by how much longer ones may grow


cdef size_t stepper_size(System system) noexcept nogil:
    """Doubles needed by `lay_out`."""
    cdef int n_registers = max(system.dynamics.n_registers, system.initial.n_registers)
    return n_registers + (2 * N_LEVELS + 9) * system.n + matrix_size(&system.shape)


cdef void lay_out(Stepper* S, System system, double* work, int* pivots) noexcept nogil:
    """Put the arrays into one piece of memory."""
    cdef size_t n = system.n
    S.n = system.n
    S.z = work
    S.saved = S.z + N_LEVELS * n
    S.e = S.saved + N_LEVELS * n
    S.y = S.e + n
    S.g = S.y + n
    S.recent = S.g + n
    S.largest = S.recent + n
    S.weight = S.largest + n
    S.matrix = system.outline
    S.permitted = S.weight + n
    S.around = S.permitted + n
    S.moved = S.around + n
    memset(S.moved, 0, n * sizeof(double))
    S.matrix.a, S.matrix.pivots = S.moved + n, pivots
    S.r = S.matrix.a + matrix_size(&system.shape)


cdef int begin(System system, const Blend* blend, Stepper* S, double t0, double span, int section) noexcept nogil:
    """Start at t0 from z[0], with sizes of the states in `largest`; evaluates the tape there up to `section`.

    The first step is such that h |g| is about sqrt(eps) of the size of y, and h at most sqrt(eps) of the span.
    """
    cdef int i, n = S.n, status
    cdef double speed = 0.0, eps = SAFETY * S.eps
    S.reference = smaller(span, S.h_max)
    S.t, S.q, S.bad_state, S.stiff_time, S.matrix_h, S.raised = t0, 1, -1, NAN, 0.0, 0.0
    S.lipschitz = S.earlier = S.hidden = 0.0
    S.steps = 0
    S.evaluations += 1
    memset(S.z + n, 0, (N_LEVELS - 1) * n * sizeof(double))
    for i in range(n):
        S.largest[i] = larger(S.largest[i], fabs(S.z[i]))
        S.recent[i] = S.largest[i]
    # g_y too, for sizes; the same whether or not somebody needs g_p.
    status = evaluate_at(system, S.r, blend, t0, S.z, max(section, BY_STATE))
    if status != OK:
        S.bad_state = system.bad_state(S.r, section)
        return status
    look_around(system, blend, S)
    set_weights(S)
    read_g(system, S.r, S.z + n)
    for i in range(n):
        speed = larger(speed, fabs(S.z[n + i]) * S.weight[i] * eps)
    S.h = smaller(sqrt(eps) / sqrt(1.0 / (span * span) + speed * speed), smaller(S.h_max, span))
    S.h = larger(S.h, smallest_step(S))
    if not S.h > 0.0:  # the derivative is so large that no step is short enough
        S.bad_state = worst_state(system, S, S.z + n)
        return ERROR_TEST
    S.starting = S.leaps and S.family == ADAMS
    multiply(S.z + n, S.h, n)
    S.growth, S.wait, S.rate = 1e4, 2, 0.7
    return OK


cdef void heed_hidden(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """After `begin`, whose registers are still there: look for states that rest but have derivatives on their way."""
    if S.section < BY_PARAMETER:
        system.dynamics.extend(S.r, BY_STATE, BY_PARAMETER)
    S.hidden = _hidden_now(system, blend, S)
    if S.hidden > 0.0:
        if S.family == BDF and S.h * S.hidden > BRIEF:
            change_step(S, BRIEF / (S.h * S.hidden))
            S.wait = 2
        S.growth = _gentle(S, S.hidden)


cdef inline double _hidden_now(System system, const Blend* blend, const Stepper* S) noexcept nogil:
    """The steepest slope of a state that rests, with the derivatives in the registers."""
    return hidden_slope(&system.coupling, &system.y0_p, S.r, blend.gamma, S.h, S.z + S.n, S.weight, S.moved)


cdef inline double _gentle(const Stepper* S, double slope) noexcept nogil:
    """By how much a step may grow where a state rests that has such a slope."""
    return larger(GENTLE, BRIEF / (S.h * slope))


cdef double smallest_step(const Stepper* S) noexcept nogil:
    return larger(S.h_min, SMALLEST_STEP * fabs(S.t))


cdef int step(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """One accepted step, or the reason why there is none."""
    cdef int failures = 0, tests = 0, outcome
    cdef double t_old = S.t
    while True:
        S.t = t_old + S.h
        predict(S.z, S.saved, S.q, S.n)
        outcome = find_correction(system, blend, S)
        if outcome == OK:
            weigh_first_motion(S, S.h)
            S.error = norm(S, S.e) / TEST[S.family][S.q][1]
            if S.error <= 1.0:
                outcome = _is_finite(system, S)
                if outcome == OK:
                    _accept(S)
                    return OK
        S.t, S.growth = t_old, 2.0
        memcpy(S.z, S.saved, (S.q + 1) * S.n * sizeof(double))
        if outcome != OK:
            S.failed_corrections += 1
            failures += 1
            if not S.h > smallest_step(S) * 1.00001 or (failures >= MAX_FAILURES and outcome == CORRECTOR):
                return outcome
            change_step(S, 0.25)
            continue
        S.failed_tests += 1
        tests += 1
        if not S.h > smallest_step(S) * 1.00001:
            S.bad_state = worst_state(system, S, S.e)
            return ERROR_TEST
        if tests < 3:
            _shrink(S, tests)
        else:
            outcome = _restart(system, blend, S)
            if outcome != OK:
                return outcome


cdef int _is_finite(System system, Stepper* S) noexcept nogil:
    """OK, or NOT_FINITE where the equations bear an infinite state."""
    cdef int i
    for i in range(S.n):
        if not isfinite(S.y[i]):
            S.bad_state = system.order[i]
            return NOT_FINITE
    return OK


cdef void _accept(Stepper* S) noexcept nogil:
    correct(S.z, S.q, S.n, L[S.family][S.q], S.e, 0, S.n)
    note_sizes(S)
    S.steps += 1
    S.matrix_age += 1


cdef void change_step(Stepper* S, double ratio) noexcept nogil:
    """Change the step, within its limits."""
    ratio = smaller(ratio, S.h_max / S.h)
    ratio = larger(ratio, smaller(1.0, smallest_step(S) / S.h))
    rescale(S.z, S.q, S.n, ratio, 0, S.n)
    S.h *= ratio
    S.wait = S.q + 1


cdef void stop_at(Stepper* S, double t) noexcept nogil:
    """No step beyond t, which lies ahead; what remains to t is not left for a tiny step of its own."""
    if S.t + 1.1 * S.h > t:
        change_step(S, (t - S.t) / S.h)


cdef void limit_step(Stepper* S, double h_max) noexcept nogil:
    """From now on no step longer than h_max."""
    S.h_max = h_max
    if S.h > h_max:
        change_step(S, h_max / S.h)


cdef double _ratio_below(const Stepper* S) noexcept nogil:
    """Factor for the step if the order were one lower."""
    if S.q == 1:
        return 0.0
    return 1.0 / (1.3 * pow(norm(S, S.z + S.q * S.n) / TEST[S.family][S.q][0], 1.0 / S.q) + 1.3e-6)


cdef double _ratio_same(const Stepper* S) noexcept nogil:
    return 1.0 / (1.2 * pow(S.error, 1.0 / (S.q + 1)) + 1.2e-6)


cdef double _ratio_above(Stepper* S) noexcept nogil:
    """Factor for the step if the order were one higher: from the difference of two corrections."""
    cdef int i
    cdef double* last = S.z + (N_LEVELS - 1) * S.n
    if S.q >= MAX_ORDER[S.family]:
        return 0.0
    for i in range(S.n):
        S.g[i] = S.e[i] - last[i]
    return 1.0 / (1.4 * pow(norm(S, S.g) / TEST[S.family][S.q][2], 1.0 / (S.q + 2)) + 1.4e-6)


cdef void _shrink(Stepper* S, int tests) noexcept nogil:
    """After a failed error test: a smaller step, with the order one lower if that allows a longer one."""
    cdef double ratio = _ratio_same(S), below = _ratio_below(S)
    if below > ratio:
        S.q -= 1
        ratio = below
    change_step(S, smaller(ratio, 0.9 if tests < 2 else 0.2))


cdef int _restart(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """The history is of no use: order 1, a tenth of the step, and a new derivative."""
    cdef int outcome = evaluate(system, blend, S, S.t, S.z, VALUES)
    S.h = larger(0.1 * S.h, smallest_step(S))
    read_g(system, S.r, S.z + S.n)
    multiply(S.z + S.n, S.h, S.n)
    S.q, S.wait, S.matrix_h = 1, 5, 0.0
    return outcome


cdef void reconsider(System system, const Blend* blend, Stepper* S) noexcept nogil:
    """After an accepted step: choose order and step for what comes next."""
    cdef double same, below, above, limit, now = 0.0
    S.raised = 0.0
    S.wait -= 1
    if S.wait > 0:
        if S.wait == 1:
            memcpy(S.z + (N_LEVELS - 1) * S.n, S.e, S.n * sizeof(double))
        elif S.wait == 2:
            S.earlier, S.lipschitz = S.lipschitz, 0.0  # what was estimated while sizes were smaller may be too large
        return
    if S.lipschitz == 0.0:
        S.lipschitz = S.earlier  # but nothing was since
    S.earlier = 0.0
    if S.family == ADAMS and rests(&system.coupling, S.z + S.n, S.weight, 1.0):
        if evaluate(system, blend, S, S.t, S.z, BY_PARAMETER) == OK:
            now = _hidden_now(system, blend, S)  # it may have become steep on the way
    if S.hidden > 0.0 and rests(&system.coupling, S.z + S.n, S.weight, S.hidden * S.h):
        now = larger(now, S.hidden)
    if now > 0.0:
        S.lipschitz, S.growth = larger(S.lipschitz, now), smaller(S.growth, _gentle(S, now))
    if S.automatic and S.family == ADAMS and _turn_to_bdf(S):
        return
    same, below, above = _ratio_same(S), _ratio_below(S), _ratio_above(S)
    if S.family == ADAMS and S.lipschitz > 0.0:  # never longer than stability allows
        limit = S.lipschitz * S.h
        same = smaller(same, STABLE[S.q] / limit)
        below = smaller(below, STABLE[S.q - 1] / limit)
        if above > 0.0:
            above = smaller(above, STABLE[S.q + 1] / limit)
        S.lipschitz = 0.0
    if UNSTABLE < larger(same, larger(below, above)) < 1.1:
        S.wait = 3
        return
    if above > same and above > below:
        same = above
        _raise_order(S)
    elif below > same:
        same = below
        S.q -= 1
    change_step(S, smaller(same, S.growth))
    S.growth = 10.0


cdef void _raise_order(Stepper* S) noexcept nogil:
    """One more derivative, from the last correction."""
    S.raised = L[S.family][S.q][S.q] / (S.q + 1)
    S.q += 1
    memset(S.z + S.q * S.n, 0, S.n * sizeof(double))
    add(S.z + S.q * S.n, S.raised, S.e, S.n)


cdef bint _turn_to_bdf(Stepper* S) noexcept nogil:
    """Change the formulas if stability, not accuracy, limits the Adams step so much that BDF would be much faster."""
    cdef int order = min(S.q, MAX_ORDER[BDF])
    cdef double adams = _ratio_same(S), bdf, error = TEST[BDF][order][1] * L[BDF][order][order]
    if S.lipschitz * S.h * adams > 1e-5:
        adams = smaller(adams, STABLE[S.q] / (S.lipschitz * S.h))
    if order < S.q:
        error = norm(S, S.z + (order + 1) * S.n) * (order + 1) / error
    else:
        error = S.error * TEST[ADAMS][order][1] * L[ADAMS][order][order] / error
    bdf = smaller(1.0 / (1.2 * pow(error, 1.0 / (order + 1)) + 1.2e-6), S.h_max / S.h)
    if bdf < BDF_ADVANTAGE * adams:
        return False
    S.family, S.q, S.stiff_time, S.matrix_h, S.rate = BDF, order, S.t, 0.0, 0.7
    change_step(S, smaller(bdf, S.growth))
    S.growth = 10.0
    return True
