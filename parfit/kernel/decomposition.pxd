# A Jacobian by its singular values, with the steps that follow from it.


cdef class Decomposition:
    cdef readonly int n, m
    cdef double* memory
    cdef double* sizes      # of the columns, or what they are divided by, (m,)
    cdef double* s          # singular values, in no order, (m,)
    cdef double* slopes     # J'f of the columns so divided, (m,)
    cdef double* v          # (m, m) by columns
    cdef double* sf         # S U'f, (m,)
    cdef double* a          # (n, m) by columns, and f behind
    cdef double least       # singular value that counts

    cdef void take(self, const double* jac, const double* f, const bint* held, const double* units,
                   bint scaled, double rank) noexcept nogil
    cdef void find_step(self, double lam, double* step) noexcept nogil
