# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Least-squares problems in small dense arrays: residuals, their derivatives, and the decomposition for a step.

All of it is short work that is done again and again while fitting, where calls from Python would take longer.
"""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.stdlib cimport free, malloc
from scipy.linalg.cython_blas cimport dnrm2
from scipy.linalg.cython_lapack cimport dgesdd


def weighted_rows(const double[:, ::1] y not None, s, const Py_ssize_t[::1] places not None,
                  const double[::1] weights not None, const double[::1] values not None,
                  const double[::1] slopes not None):
    """Residuals (n,) and Jacobian (n, m) from states y (n_times, n_vars) and s (n_times, n_vars, m) or None.

    `places` are subscripts of the observed ones in y taken flat, `slopes` (m,) the derivatives of the scaling.
    """
    cdef Py_ssize_t n = places.shape[0], m = slopes.shape[0], i, j, k, n_flat = y.shape[0] * y.shape[1]
    if weights.shape[0] != n or values.shape[0] != n:
        raise ValueError("there is not one weight and one value for every observation")
    residuals = np.empty(n)
    cdef double[::1] f = residuals
    cdef const double* flat = &y[0, 0] if n_flat else NULL
    cdef double w
    for i in range(n):
        k = places[i]
        if k < 0 or k >= n_flat:
            raise ValueError("an observation has no place in the solution")
        f[i] = weights[i] * (flat[k] - values[i])
    if s is None:
        return residuals, None
    jac = np.empty((n, m))
    cdef double[:, ::1] rows = jac
    cdef const double[:, :, ::1] sensitivities = s
    if (sensitivities.shape[0], sensitivities.shape[1], sensitivities.shape[2]) != (y.shape[0], y.shape[1], m):
        raise ValueError("solution and sensitivities do not fit together")
    cdef const double* source = &sensitivities[0, 0, 0] if n_flat and m else NULL
    for i in range(n):
        w = weights[i]
        k = places[i] * m
        for j in range(m):
            rows[i, j] = w * source[k + j] * slopes[j]
    return residuals, jac


def decompose(const double[:, ::1] jac not None, const double[::1] f not None, bint scaled):
    """The singular value decomposition of a Jacobian, and what a step needs of it.

    Gives the lengths of the columns (1 if not scaled or 0), singular values s (k,), V' (k, m), U'f (k,) and the
    gradient J'f (m,) of the scaled Jacobian; k is the smaller of both dimensions.
    """
    cdef int n = jac.shape[0], m = jac.shape[1], k = min(n, m), i, j, info = 0, lwork = -1
    if f.shape[0] != n or k == 0:
        raise ValueError("residuals and Jacobian do not fit together")
    out = np.empty(m), np.empty(k), np.empty((m, k)), np.empty(k), np.empty(m)
    cdef double[::1] lengths = out[0], s = out[1], uf = out[3], gradient = out[4]
    cdef double[:, ::1] v = out[2]  # V' by columns, as LAPACK writes it
    cdef double total, size
    cdef int* iwork = <int*> malloc(8 * k * sizeof(int))
    cdef double* a = <double*> malloc((<size_t> n * m + <size_t> n * k) * sizeof(double))
    cdef double* u = a + <size_t> n * m
    cdef double* work = NULL
    try:
        if not a or not iwork:
            raise MemoryError
        for j in range(m):
            size = norm(&jac[0, j], n, m) if scaled else 0.0
            lengths[j] = size if size > 0.0 else 1.0
            total = 0.0
            for i in range(n):
                a[<size_t> j * n + i] = jac[i, j] / lengths[j]
                total += a[<size_t> j * n + i] * f[i]
            gradient[j] = total
        dgesdd("S", &n, &m, a, &n, &s[0], u, &n, &v[0, 0], &k, &size, &lwork, iwork, &info)
        lwork = <int> size
        work = <double*> malloc(lwork * sizeof(double))
        if not work:
            raise MemoryError
        dgesdd("S", &n, &m, a, &n, &s[0], u, &n, &v[0, 0], &k, work, &lwork, iwork, &info)
        if info != 0:
            raise np.linalg.LinAlgError("the singular value decomposition did not converge")
        for j in range(k):
            total = 0.0
            for i in range(n):
                total += u[<size_t> j * n + i] * f[i]
            uf[j] = total
    finally:
        free(a)
        free(iwork)
        free(work)
    return out[0], out[1], out[2].T, out[3], out[4]


cdef double norm(const double* v, int n, int step) noexcept nogil:
    """Of numbers that stand `step` apart, however large or small they are."""
    return dnrm2(&n, <double*> v, &step)


def damped_step(const double[::1] s not None, const double[:, :] vt not None, const double[::1] uf not None,
                double lam):
    """-V (S^2 + lambda)^-1 S U'f, (m,); a singular value of 0 but for rounding moves nothing."""
    cdef Py_ssize_t k = s.shape[0], m = vt.shape[1], i, j
    if vt.shape[0] != k or uf.shape[0] != k:
        raise ValueError("singular values, V' and U'f do not fit together")
    step = np.zeros(m)
    cdef double[::1] d = step
    cdef double z, size
    for i in range(k):
        size = s[i] * s[i] + lam
        if size > 0.0 and s[i] > k * DBL_EPSILON * s[0]:
            z = uf[i] * s[i] / size
            for j in range(m):
                d[j] -= z * vt[i, j]
    return step
