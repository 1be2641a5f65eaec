# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sizes of states that start at 0 and are not observed, for the first error criteria of Gear's method."""

from libc.math cimport fabs, isfinite
from libc.string cimport memcpy

from parfit.kernel.corrector cimport BDF, Stepper
from parfit.kernel.status cimport OK
from parfit.kernel.stepper cimport begin, reconsider, step
from parfit.kernel.system cimport VALUES, Blend, System
from parfit.kernel.vectors cimport larger, smaller

# A state that starts at 0 and is not observed gets its size from a rough integration: its error criterion, and a limit
# on its work. Only a part of the size that it finds is believed, because too large a size would hide errors, while too
# small a one soon grows.
cdef double ROUGH_EPS = 0.3
cdef long ROUGH_STEPS = 40
cdef double ROUGH_PART = 0.1


cdef void find_sizes(System system, const Blend* blend, Stepper* S, double* y0, double t0, double t_end) noexcept nogil:
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
    cdef double eps = S.eps
    cdef int family = S.family
    cdef bint automatic = S.automatic
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
    S.eps, S.family, S.automatic, S.t = eps, family, automatic, t0
