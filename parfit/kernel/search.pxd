# A search for a minimum: it says where to look next, and is told what was found there.

cdef enum:
    GOES_ON = 0
    CONVERGED = 1
    LIMIT = 2
    ERRORS = 3
    NO_REDUCTION = 4
    NO_START = 5

# A least-squares problem at a point.
cdef struct Found:
    const double* f     # (n,)
    const double* jac   # (n, m) by rows
    double total        # the sum of squares, infinite where there is none
    bint usable         # whether there are numbers
    bint hopeless       # or none because what there was of the sum is above the `most` of the search,
    bint too_long       # or because it took too many steps


cdef class Search:
    cdef readonly int n, m             # residuals, parameters
    cdef readonly int ending           # GOES_ON until it has ended
    cdef readonly double lam           # the lambda of the step that is made next, 0 where there is none
    cdef readonly double part          # and the part of the step
    cdef readonly double looseness     # there errors may be so many times larger than those asked for
    cdef readonly double most          # and if the sum of squares is above this, it is all the same how large it is
    cdef readonly double value         # what is minimized, at the last trial
    cdef readonly bint accepted        # whether the last trial is the best so far
    cdef readonly long n_iterations    # trials accepted
    cdef readonly long n_evaluations
    cdef double* memory
    cdef double* trial                 # where to look next, (m,)
    cdef double* p                     # where steps begin, (m,)

    cdef int make(self, int n, int m, size_t n_numbers) except -1
    cdef double* room(self) noexcept nogil
    cdef Found _found(self, const double[::1] f, const double[:, ::1] jac, double total, bint usable) except *
    cdef void start(self, const double* p, const Found* found) noexcept nogil
    cdef void hear(self, const Found* found) noexcept nogil
