# What all integrators take and give: checked arguments, room to work, and rows of a solution.

from parfit.kernel.system cimport Blend, Blending, System


cdef class Integration:
    cdef System system
    cdef const double* times
    cdef const double* p         # NULL if the model has no parameters
    cdef Py_ssize_t n_times, skip
    cdef int n, m                # states, and parameters to differentiate by
    cdef bint sensitivities
    cdef Blend blend
    cdef double* y_rows          # (n_times - skip, n)
    cdef double* s_rows          # (n_times - skip, n, m), NULL without sensitivities
    cdef double* work
    cdef int* pivots
    cdef object y, s

    cdef int make_room(self, size_t n_numbers, size_t n_pivots) except -1
    cdef int begin(self, double* r, double* y, double* s, int* state, y_start, s_start) except -1
    cdef double* y_row(self, Py_ssize_t k) noexcept nogil
    cdef double* s_row(self, Py_ssize_t k) noexcept nogil
    cdef tuple solution(self, Py_ssize_t n_done)


cdef Integration integration(
    System system, const double[::1] times, Blending blending, Py_ssize_t skip, const double[::1] p, bint sensitivities
)
