# What all integrators share: the method with its arguments checked, room for a run of it, and rows of a solution.

from parfit.kernel.jumping cimport Jumping
from parfit.kernel.jumps cimport Jumps
from parfit.kernel.system cimport Blend, Blending, System


cdef class Integration:
    cdef System system
    cdef const double* p         # all parameters
    cdef Jumping jump            # None where nothing happens on the way
    cdef const double* y_start   # instead of the model's initial values, NULL for these
    cdef const double* s_start   # and instead of their derivatives
    cdef double* y_rows          # (n_times - skip, n)
    cdef double* s_rows          # (n_times - skip, n, m)
    cdef int n, m                # states, and parameters to differentiate by: 0 without sensitivities
    cdef Py_ssize_t skip
    cdef double looseness        # errors may be so many times larger than those asked for
    cdef long most_steps         # of one integration
    cdef double* work
    cdef int* pivots
    cdef long every              # steps between two that join the trace, 0 for none
    cdef list trace
    cdef bint stopped            # set it, and the run ends soon as if Ctrl-C had been pressed
    cdef Integration whole       # the run of which this is a part, None if it is none
    cdef list seats              # of a run that consists of others
    # how it ended
    cdef int status
    cdef int state               # the state in trouble, or -1
    cdef double time             # where
    cdef double stiff_time       # NaN where the equations were not found to be stiff
    cdef Py_ssize_t n_done       # times reached
    cdef int n_counts
    cdef long counts[6]

    cdef double* y_row(self, Py_ssize_t k) noexcept nogil
    cdef double* s_row(self, Py_ssize_t k) noexcept nogil
    cdef int begin(self, double t0, double* r, double* y, double* s) noexcept nogil
    cdef void blank(self, Py_ssize_t n_times) noexcept nogil
    cdef bint is_hopeless(self) noexcept nogil
    cdef int poll(self) except -1 nogil
    cdef tuple end(self)


cdef class Integrator:
    cdef readonly System system
    cdef Blending blending       # None where there is none
    cdef Blend blend
    cdef Jumps jumps             # None where nothing happens on the way
    cdef bint begun              # what happens at the first time has happened
    cdef readonly int n_params   # of the model
    cdef const double[::1] _times
    cdef const double* times
    cdef readonly Py_ssize_t n_times, skip
    cdef tuple _made_of          # the arguments

    cdef int bind(self, System system, const double[::1] times, Blending blending, Py_ssize_t skip, Jumps jumps,
                  bint begun) except -1
    cdef size_t n_numbers(self, int m) noexcept nogil
    cdef size_t n_pivots(self) noexcept nogil
    cdef Integration room(self, bint sensitivities, Integration run=*)
    cdef int integrate(self, Integration run) except -1 nogil
