# Sensitivities over the steps of the states.

from parfit.kernel.corrector cimport Stepper
from parfit.kernel.linalg cimport Matrix
from parfit.kernel.system cimport Blend, Coupling, System

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

cdef size_t sensitivities_size(System system, int m) noexcept nogil
cdef void lay_out_sensitivities(Sensitivities* V, System system, int m, double* work, int* pivots) noexcept nogil
cdef void begin_sensitivities(System system, const Blend* blend, const Stepper* S, Sensitivities* V) noexcept nogil
cdef int advance_sensitivities(System system, const Blend* blend, Stepper* S, Sensitivities* V) noexcept nogil
cdef void raise_sensitivities(const Stepper* S, Sensitivities* V) noexcept nogil
cdef void settle_sensitivities(System system, const Stepper* S, Sensitivities* V) noexcept nogil
cdef void interpolate_sensitivities(System system, const Stepper* S, const Sensitivities* V, double x,
                                    double* s_out) noexcept nogil
