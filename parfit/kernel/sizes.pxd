# Sizes of states that start at 0 and are not observed.

from parfit.kernel.corrector cimport Stepper
from parfit.kernel.system cimport Blend, System

cdef void find_sizes(System system, const Blend* blend, Stepper* S, double* y0, double t0, double t_end) noexcept nogil
