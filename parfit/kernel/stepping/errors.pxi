# The errors that are permitted, next to the sizes of the states.

cdef extern from "sizes.h":
    bint permit "parfit_permit"(long n, double eps, double least, double negligible, const double* recent,
                                const double* largest, const double* around, double* permitted,
                                double* weight) noexcept nogil
    bint note "parfit_note_sizes"(long n, const double* z, double fading, double eps, double least, double negligible,
                                  double* recent, double* largest, const double* around, double* permitted,
                                  double* weight) noexcept nogil

# Local errors add up; with this factor on EPS the error of a whole run stays near EPS.
cdef double SAFETY = 0.3
# No error is demanded below this part of what a state would be if the terms of its equation did not cancel: a state that
# is 0 but for rounding errors of the others must not be followed.
cdef double NEGLIGIBLE = 1e-18
# A state that has become small may steer what comes next (an excitable system between two spikes), so its size
# fades by this factor a step, down to this part of the largest value met.
cdef double FADING = 0.97
cdef double LEAST = 0.003


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
    """For states that had been 0 until this step of length h: at their speed they would go far in the reference time.

    At the end of a long chain they are so small that nothing is smaller.
    """
    cdef int i
    cdef double most = 1.0 / DBL_MIN
    for i in range(S.n if S.has_unmoved else 0):
        if S.largest[i] == 0.0 and S.y[i] != 0.0:
            S.weight[i] = smaller(h / (SAFETY * S.eps * larger(S.reference, h) * fabs(S.y[i])), most)


cdef void note_sizes(Stepper* S) noexcept nogil:
    """The states of an accepted step tell what errors of the next one are relative to."""
    S.has_unmoved = note(S.n, S.z, FADING, SAFETY * S.eps, LEAST, NEGLIGIBLE, S.recent, S.largest, S.around, S.permitted,
                         S.weight)


cdef int worst_state(System system, const Stepper* S, const double* v) noexcept nogil:
    """The state for which v is largest next to the permitted error."""
    cdef int i, worst = 0
    for i in range(S.n):
        if fabs(v[i]) * S.weight[i] > fabs(v[worst]) * S.weight[worst]:
            worst = i
    return system.order[worst]
