# Factored matrices: small dense ones by inlined elimination, larger ones by LAPACK, banded where that pays.

cdef enum Kind:
    SMALL, DENSE, BANDED

cdef struct Matrix:
    Kind kind
    int n
    int kl          # diagonals below and above the main one (BANDED)
    int ku
    int rows        # leading dimension of the band storage
    int permuted    # whether the factorization exchanged rows
    double* a
    int* pivots

cdef size_t matrix_size(Kind kind, int n, int kl, int ku) noexcept nogil
cdef void clear(Matrix* matrix) noexcept nogil
cdef bint factor(Matrix* matrix) noexcept nogil
cdef void solve(const Matrix* matrix, double* b) noexcept nogil
cdef void solve_many(const Matrix* matrix, double* b, int m, const int* low, const int* high) noexcept nogil

cdef inline double* element(const Matrix* matrix, int i, int j) noexcept nogil:
    """Where entry (i, j) is stored."""
    if matrix.kind == BANDED:
        return matrix.a + matrix.kl + matrix.ku + i - j + j * matrix.rows
    if matrix.kind == SMALL:
        return matrix.a + i * matrix.n + j
    return matrix.a + i + j * matrix.n
