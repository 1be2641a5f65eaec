# A Jacobian by its singular values, with the steps that follow from it.


cdef class Decomposition:
    cdef readonly int n, m
    cdef double* memory
    cdef double* sizes      # of the columns, or what they are divided by, (m,)
    cdef double* s          # singular values, in no order, (min(n, m),)
    cdef double* slopes     # J'f of the columns so divided, (m,)
    cdef double* parts      # S V', (min(n, m), m) by rows
    cdef double* a          # (n, m) by columns, and behind it U'f
    cdef double least       # singular value that counts

    cdef void take(self, const double* jac, const double* f, const bint* held, const double* units,
                   bint scaled, double rank) noexcept nogil
    cdef void find_step(self, double lam, double* step) noexcept nogil
