# Factored matrices: small dense ones by inlined elimination, larger ones by LAPACK, banded or sparse where that pays.

cdef extern from "sparse_lu.h":
    ctypedef struct Fill "parfit_fill":  # where the factors of a sparse matrix differ from zero
        int n
        int complete
        const int* start
        const int* column
        const int* middle
        const int* at

cdef enum Kind:
    SMALL, DENSE, BANDED, SPARSE

cdef struct Matrix:
    Kind kind
    int n
    int kl          # diagonals below and above the main one (BANDED)
    int ku
    int rows        # leading dimension of the band storage
    int permuted    # whether the factorization exchanged rows; of a SPARSE one: whether its factors are dense
    int diagonal    # entry (i, j) is a[diagonal + i * down + j * right]
    int down
    int right
    Fill fill       # (SPARSE) a holds the factors, a row to work in, and room for dense ones
    double* a
    int* pivots

ctypedef void (*Dtrsm)(char*, char*, char*, char*, int*, int*, double*, double*, int*, double*, int*) noexcept nogil
ctypedef void (*Dgbtrf)(int*, int*, int*, int*, double*, int*, int*, int*) noexcept nogil
ctypedef void (*Dgbtrs)(char*, int*, int*, int*, int*, double*, int*, int*, double*, int*, int*) noexcept nogil
ctypedef void (*Dgetrf)(int*, int*, double*, int*, int*, int*) noexcept nogil
ctypedef void (*Dgetrs)(char*, int*, int*, double*, int*, int*, double*, int*, int*) noexcept nogil

cdef int prepare(int n) except -1
cdef void adopt(Dtrsm trsm, Dgbtrf gbtrf, Dgbtrs gbtrs, Dgetrf getrf, Dgetrs getrs) noexcept
cdef Matrix matrix_shape(int n, int kl, int ku) noexcept nogil
cdef Matrix sparse_shape(Fill fill) noexcept nogil
cdef Matrix as_dense(const Matrix* sparse) noexcept nogil
cdef size_t matrix_size(const Matrix* matrix) noexcept nogil
cdef void clear(Matrix* matrix) noexcept nogil
cdef bint factor(Matrix* matrix) noexcept nogil
cdef void solve(const Matrix* matrix, double* b) noexcept nogil
cdef void solve_many(const Matrix* matrix, double* b, int m, const int* low, const int* high) noexcept nogil

cdef inline double* element(const Matrix* matrix, int i, int j) noexcept nogil:
    """Where entry (i, j) is stored."""
    return matrix.a + (matrix.diagonal + i * matrix.down + j * matrix.right)
