# One step after another of a linear multistep method in Nordsieck form, for the states alone.

from parfit.kernel.corrector cimport Stepper
from parfit.kernel.system cimport Blend, System

cdef size_t stepper_size(System system) noexcept nogil
cdef void lay_out(Stepper* S, System system, double* work, int* pivots) noexcept nogil
cdef int begin(System system, const Blend* blend, Stepper* S, double t0, double span, int section) noexcept nogil
cdef int step(System system, const Blend* blend, Stepper* S) noexcept nogil
cdef void heed_hidden(System system, const Blend* blend, Stepper* S) noexcept nogil
cdef void reconsider(System system, const Blend* blend, Stepper* S) noexcept nogil
cdef void stop_at(Stepper* S, double t) noexcept nogil
cdef void limit_step(Stepper* S, double h_max) noexcept nogil
cdef void change_step(Stepper* S, double ratio) noexcept nogil
cdef double smallest_step(const Stepper* S) noexcept nogil

# |h lambda| up to which the Adams formula of order q is stable (Petzold 1983).
cdef double STABLE[13]
