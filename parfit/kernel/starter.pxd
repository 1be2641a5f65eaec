# The first step of an integration.

from parfit.kernel.corrector cimport Stepper
from parfit.kernel.sensitivities cimport Sensitivities
from parfit.kernel.system cimport Blend, System

cdef bint start(System system, const Blend* blend, Stepper* S, Sensitivities* V, double end) noexcept nogil
cdef void leave_start(Stepper* S) noexcept nogil
cdef void find_sizes(System system, const Blend* blend, Stepper* S, double* y0, double t0, double t_end) noexcept nogil
