# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Where within a step of Gear's method a condition of a jump crosses zero, by the polynomials of the step."""

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from parfit.kernel.jumping cimport Jumping
from parfit.kernel.corrector cimport Stepper
from parfit.kernel.vectors cimport horner

cdef double ULP = 2.2e-16
cdef int MOST_HALVINGS = 200
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


cdef double _condition_at(Stepper* S, Jumping jump, int k, double t) noexcept nogil:
    cdef int level
    memcpy(jump.y, S.z + S.q * S.n, S.n * sizeof(double))
    for level in range(S.q - 1, -1, -1):
        horner(jump.y, (t - S.t) / S.h, S.z + level * S.n, S.n)
    return jump.condition(k, t, jump.y)
