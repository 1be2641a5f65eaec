# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Least-squares problems in small dense arrays: residuals and their derivatives, and what is minimized of them.

All of it is short work that is done again and again while fitting, where calls from Python would take longer.
"""

import numpy as np

from libc.math cimport isfinite

from parfit.kernel.losses cimport N_LOSSES, loss_name, loss_of
from parfit.kernel.vectors cimport dot


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


def sum_of_squares(const double[::1] residuals not None):
    """In an order that is the same on every machine."""
    return dot(&residuals[0], &residuals[0], residuals.shape[0]) if residuals.shape[0] else 0.0


def appraised(const double[::1] residuals not None, const double[:, :] jac not None):
    """The sum of squares of the residuals, and whether it and the Jacobian are finite numbers.

    In an order that is the same on every machine.
    """
    cdef Py_ssize_t n = residuals.shape[0], i, j
    cdef double total = dot(&residuals[0], &residuals[0], n) if n else 0.0, sum_of_jac = 0.0
    for i in range(jac.shape[0]):
        for j in range(jac.shape[1]):
            sum_of_jac += jac[i, j]  # finite only if all are, but for an overflow that nobody wants either
    return total, isfinite(total) and isfinite(sum_of_jac)


def loss_terms(str name not None, const double[::1] z not None):
    """rho, and its first and second derivatives, (n,) each, of a loss at (residual / scale)^2."""
    cdef Py_ssize_t i
    cdef int kind
    names = [loss_name(kind).decode() for kind in range(N_LOSSES)]
    if name not in names:
        raise ValueError(f"there is no loss of the name {name!r}")
    kind = names.index(name)
    terms = np.empty((3, z.shape[0]))
    cdef double[:, ::1] out = terms
    for i in range(z.shape[0]):
        loss_of(kind, z[i], &out[0, i], &out[1, i], &out[2, i])
    return terms[0], terms[1], terms[2]
