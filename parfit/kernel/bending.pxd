# How a valley bends that steps creep along.

from parfit.kernel.linearized cimport Linearized
from parfit.kernel.search cimport Found


cdef class Bending:
    cdef int n, m
    cdef int creeping    # steps in a row that crept
    cdef bint is_known   # whether the last trial has shown something
    cdef double part     # of the bend, for the step at hand
    cdef double* along   # the step to that trial, (m,)
    cdef double* bend    # the second derivative of the residuals along it, (n,)

    cdef void count(self, bint limited, double reduction) noexcept nogil
    cdef void forget(self) noexcept nogil
    cdef void look(self, const double* p, const double* f, const double* jac, const double* trial, const Found* found,
                   bint taken) noexcept nogil
    cdef bint bends(self, Linearized near, const double* step, double length) noexcept nogil
    cdef void find_part(self, Linearized near, double par, double length, double* x) noexcept nogil
