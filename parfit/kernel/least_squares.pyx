# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Least-squares problems in small dense arrays: residuals and their derivatives, and what is minimized of them.

All of it is short work that is done again and again while fitting, where calls from Python would take longer.
"""

import numpy as np

from libc.math cimport isfinite

from parfit.kernel.losses cimport N_LOSSES, loss_name, loss_of
from parfit.kernel.vectors cimport dot, sum_of


def sum_of_squares(const double[::1] residuals not None):
    """In an order that is the same on every machine."""
    return dot(&residuals[0], &residuals[0], residuals.shape[0]) if residuals.shape[0] else 0.0


def appraised(const double[::1] residuals not None, const double[:, :] jac not None):
    """The sum of squares of the residuals, and whether it and the Jacobian are finite numbers.

    In an order that is the same on every machine.
    """
    cdef Py_ssize_t n = residuals.shape[0], m = jac.shape[1], i, j
    cdef double total = dot(&residuals[0], &residuals[0], n) if n else 0.0
    cdef double sum_of_jac = 0.0  # finite only if all are, but for an overflow that nobody wants either
    if m and jac.shape[0] and jac.strides[1] == sizeof(double) and jac.strides[0] == m * <Py_ssize_t> sizeof(double):
        sum_of_jac = sum_of(&jac[0, 0], jac.shape[0] * m)
    else:
        for i in range(jac.shape[0]):
            for j in range(m):
                sum_of_jac += jac[i, j]
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
