# Where within a step of Gear's method a condition of a jump crosses zero.

from parfit.kernel.jumping cimport Jumping
from parfit.kernel.corrector cimport Stepper

cdef double first_crossing(Stepper* S, Jumping jump, double before) noexcept nogil
