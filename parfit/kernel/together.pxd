# Several experiments beside each other, each integrated by itself.

from parfit.kernel.integrator cimport Integration, Integrator


# One of several experiments: what integrates it, and where its numbers are among those of all.
cdef class Experiment:
    cdef readonly Integrator method
    cdef int n_params, n, m
    cdef Py_ssize_t n_rows
    cdef int* places             # of its parameters among all
    cdef int* columns            # of its active parameters among all active ones
    cdef int* states             # of its states, in the order of the kernel, among all in theirs
    cdef int first               # of its states among those of the model
    cdef list _keep


cdef class Seat:
    cdef Experiment experiment
    cdef Integration run
    cdef double* work
    cdef double* p
    cdef double* y
    cdef double* s
    cdef double* y_start
    cdef double* s_start

    cdef int sit(self, Integration whole) except -1
    cdef int rise(self, Integration whole) except -1


cdef class Together(Integrator):
    cdef readonly list experiments
    cdef double work             # of the last integration, in seconds

    cdef int all_of(self, Integration run) except -1
