# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""LU factors of I - h beta g_y and their use on one right-hand side or on a row of them.

Many right-hand sides are stored by rows, b[i * m + j], so that the inner loops run over neighbours in memory.
`low` and `high` give, for each row, the columns that can differ from zero.
"""

from libc.math cimport isfinite
from libc.string cimport memset
from parfit.kernel.vectors cimport add, multiply


cdef extern from "small_lu.h":
    bint factor_small "parfit_factor"(double* a, int* pivots, int n) noexcept nogil
    void solve_small "parfit_solve"(const double* a, const int* pivots, double* b, int n) noexcept nogil
    void solve_columns "parfit_solve_columns"(const double* a, const int* pivots, double* b, long m, int n) noexcept nogil
    int SMALL_LIMIT "PARFIT_MOST_SMALL"


cdef extern from "sparse_lu.h":
    bint factor_sparse "parfit_factor_sparse"(const Fill* fill, double* a, double* row) noexcept nogil
    void solve_sparse "parfit_solve_sparse"(const Fill* fill, const double* a, double* b) noexcept nogil
    void solve_rows "parfit_solve_rows"(const Fill* fill, const double* a, double* b, long m, const int* low,
                                        const int* high) noexcept nogil


# BLAS and LAPACK: NULL until the first matrix that needs them is given its shape.
cdef Dtrsm dtrsm = NULL
cdef Dgbtrf dgbtrf = NULL
cdef Dgbtrs dgbtrs = NULL
cdef Dgetrf dgetrf = NULL
cdef Dgetrs dgetrs = NULL

# A banded matrix pays when its band is narrower than this part of the full width.
cdef double BAND_LIMIT = 0.5


cdef int prepare(int n) except -1:
    """Have at hand what n x n matrices will be factored with; to be called before any of them is."""
    if n > SMALL_LIMIT and dgetrs == NULL:
        import parfit.kernel.lapack  # which has them adopted
    return 0


cdef void adopt(Dtrsm trsm, Dgbtrf gbtrf, Dgbtrs gbtrs, Dgetrf getrf, Dgetrs getrs) noexcept:
    """From now on matrices are factored and solved for with these."""
    global dtrsm, dgbtrf, dgbtrs, dgetrf, dgetrs
    dtrsm, dgbtrf, dgbtrs, dgetrf, dgetrs = trsm, gbtrf, gbtrs, getrf, getrs


cdef Matrix matrix_shape(int n, int kl, int ku) noexcept nogil:
    """How to store an n x n matrix with kl diagonals below the main one and ku above it; no storage yet."""
    cdef Matrix shape
    memset(&shape, 0, sizeof(Matrix))
    shape.n, shape.kl, shape.ku, shape.rows = n, kl, ku, 2 * kl + ku + 1
    if n <= SMALL_LIMIT:
        shape.kind, shape.down, shape.right = SMALL, n, 1
    elif kl + ku + 1 < BAND_LIMIT * n:
        shape.kind, shape.diagonal, shape.down, shape.right = BANDED, kl + ku, 1, shape.rows - 1
    else:
        shape.kind, shape.down, shape.right = DENSE, 1, n
    return shape


cdef Matrix sparse_shape(Fill fill) noexcept nogil:
    """How to store a matrix whose factors fill known places; no storage yet."""
    cdef Matrix shape
    memset(&shape, 0, sizeof(Matrix))
    shape.kind, shape.n, shape.fill = SPARSE, fill.n, fill
    return shape


cdef Matrix as_dense(const Matrix* sparse) noexcept nogil:
    """A dense matrix in the room that is kept for it, which costs nothing until it is used."""
    cdef Matrix dense = matrix_shape(sparse.n, sparse.n - 1, sparse.n - 1)
    dense.a = sparse.a + sparse.fill.start[sparse.n] + sparse.n
    dense.pivots = sparse.pivots
    return dense


cdef size_t matrix_size(const Matrix* matrix) noexcept nogil:
    """Doubles needed to store and factor a matrix."""
    cdef size_t n = matrix.n
    if matrix.kind == SPARSE:
        return matrix.fill.start[matrix.n] + n + n * n
    return n * (matrix.rows if matrix.kind == BANDED else matrix.n)


cdef void clear(Matrix* matrix) noexcept nogil:
    cdef size_t size = matrix.fill.start[matrix.n] if matrix.kind == SPARSE else matrix_size(matrix)
    memset(matrix.a, 0, size * sizeof(double))


cdef bint factor(Matrix* matrix) noexcept nogil:
    """Factor in place; False if the matrix is singular or not finite, or if a sparse one must exchange rows."""
    cdef int n = matrix.n, info = 0, i
    if matrix.kind == SMALL:
        return factor_small(matrix.a, matrix.pivots, n)
    if matrix.kind == SPARSE:
        matrix.permuted = 0
        return factor_sparse(&matrix.fill, matrix.a, matrix.a + matrix.fill.start[n])
    if matrix.kind == BANDED:
        dgbtrf(&n, &n, &matrix.kl, &matrix.ku, matrix.a, &matrix.rows, matrix.pivots, &info)
    else:
        dgetrf(&n, &n, matrix.a, &n, matrix.pivots, &info)
    matrix.permuted = 0
    for i in range(n):
        if matrix.pivots[i] != i + 1:
            matrix.permuted = 1
        if not isfinite(element(matrix, i, i)[0]):
            info = 1
    return info == 0


cdef void solve(const Matrix* matrix, double* b) noexcept nogil:
    """Replace b by the solution."""
    cdef int n = matrix.n, one = 1, info
    cdef const double* a = matrix.a
    cdef Matrix dense
    if matrix.kind == SPARSE and matrix.permuted:
        dense = as_dense(matrix)
        solve(&dense, b)
        return
    if matrix.kind == SPARSE:
        solve_sparse(&matrix.fill, a, b)
        return
    if matrix.kind == BANDED:
        dgbtrs("N", <int*> &matrix.n, <int*> &matrix.kl, <int*> &matrix.ku, &one, <double*> a, <int*> &matrix.rows,
               <int*> matrix.pivots, b, &n, &info)
        return
    if matrix.kind == DENSE:
        dgetrs("N", &n, &one, <double*> a, &n, <int*> matrix.pivots, b, &n, &info)
        return
    solve_small(a, matrix.pivots, b, n)


cdef inline void _eliminate(double* row, double factor, const double* other, int low, int high) noexcept nogil:
    """row -= factor * other in columns low to high."""
    if factor != 0.0 and low < high:
        add(row + low, -factor, other + low, high - low)


cdef inline void _swap_rows(double* b, int m, int i, int p) noexcept nogil:
    cdef int j
    cdef double x
    if p != i:
        for j in range(m):
            x = b[i * m + j]
            b[i * m + j] = b[p * m + j]
            b[p * m + j] = x


cdef void solve_many(const Matrix* matrix, double* b, int m, const int* low, const int* high) noexcept nogil:
    """Replace the n x m right-hand sides b, stored by rows, by the solutions."""
    cdef int n = matrix.n, i
    cdef double one = 1.0
    cdef const double* a = matrix.a
    cdef Matrix dense
    if matrix.kind == SPARSE and matrix.permuted:
        dense = as_dense(matrix)
        solve_many(&dense, b, m, low, high)
    elif matrix.kind == SPARSE:
        solve_rows(&matrix.fill, a, b, m, low, high)
    elif matrix.kind == BANDED:
        _solve_many_banded(matrix, b, m, low, high)
    elif matrix.kind == DENSE:
        # By rows b is the transpose: x' U' L' = b' P'.
        for i in range(n):
            _swap_rows(b, m, i, matrix.pivots[i] - 1)
        dtrsm("R", "L", "T", "U", &m, &n, &one, <double*> a, &n, b, &m)
        dtrsm("R", "U", "T", "N", &m, &n, &one, <double*> a, &n, b, &m)
    else:
        solve_columns(a, matrix.pivots, b, m, n)


cdef void _solve_many_banded(const Matrix* matrix, double* b, int m, const int* low, const int* high) noexcept nogil:
    """The factors are as dgbtrf leaves them. An exchange of rows mixes the structures of the rows: then none is used."""
    cdef int n = matrix.n, kl = matrix.kl, reach = matrix.kl + matrix.ku, i, k, lo = 0, hi = m
    for k in range(n):
        _swap_rows(b, m, k, matrix.pivots[k] - 1)
        if not matrix.permuted:
            lo, hi = low[k], high[k]
        for i in range(k + 1, min(n, k + kl + 1)):
            _eliminate(b + i * m, element(matrix, i, k)[0], b + k * m, lo, hi)
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, min(n, i + reach + 1)):
            if not matrix.permuted:
                lo, hi = low[k], high[k]
            _eliminate(b + i * m, element(matrix, i, k)[0], b + k * m, lo, hi)
        if not matrix.permuted:
            lo, hi = low[i], high[i]
        multiply(b + i * m + lo, 1.0 / element(matrix, i, i)[0], hi - lo)
