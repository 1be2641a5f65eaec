# Where within a step a condition of a jump crosses zero, by the polynomials of the step.

cdef double ULP = 2.2e-16
cdef int MOST_HALVINGS = 200
cdef double AMPLIFIED = 10.0  # what equations may make of the permitted error of a step
cdef int PARTS = 16  # of a step, where a condition that began at 0 is looked at


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
