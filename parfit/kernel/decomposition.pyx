# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A Jacobian by its singular values J = U S V', with the steps -V (S^2 + lambda)^-1 S U'f that follow from it."""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.stdlib cimport calloc, free

from parfit.kernel.vectors cimport dot, larger, norm


cdef extern from "svd.h":
    void triangle "parfit_triangle"(double* a, double* f, long n, long m) noexcept nogil
    void orthogonalize "parfit_orthogonalize"(double* a, double* v, long rows, long k, long m) noexcept nogil


cdef class Decomposition:
    """Room for that of Jacobians (n, m), one after another."""

    def __cinit__(self, int n, int m):
        if n < 1 or m < 1:
            raise ValueError("there are no residuals or no parameters")
        self.n, self.m = n, m
        self.memory = <double*> calloc(<size_t> n * m + n + <size_t> m * m + 4 * <size_t> m, sizeof(double))
        if not self.memory:
            raise MemoryError
        self.sizes = self.memory
        self.s, self.slopes, self.sf = self.sizes + m, self.sizes + 2 * m, self.sizes + 3 * m
        self.v = self.sizes + 4 * m
        self.a = self.v + <size_t> m * m

    def __dealloc__(self):
        free(self.memory)

    cdef void take(self, const double* jac, const double* f, const bint* held, const double* units,
                   bint scaled, double rank) noexcept nogil:
        """Decompose jac (n, m) by rows, with columns of zeros where they are held.

        The columns are divided by `units`, or by their own lengths if they are to be scaled. Singular values up to
        `rank` of the largest count as 0, and so do those that are rounding.
        """
        cdef int n = self.n, m = self.m, k = min(n, m), i, j
        cdef double* column
        cdef double* rest = self.a + <size_t> n * m
        for i in range(n):
            rest[i] = f[i]
        for j in range(m):
            column = self.a + <size_t> j * n
            for i in range(n):
                column[i] = 0.0 if held != NULL and held[j] else jac[<size_t> i * m + j]
            self.sizes[j] = units[j] if units != NULL else norm(column, n, 1) if scaled else 1.0
            if not self.sizes[j] > 0.0:
                self.sizes[j] = 1.0
            for i in range(n):
                column[i] /= self.sizes[j]
            self.slopes[j] = dot(column, f, n)
        if n > m:
            triangle(self.a, rest, n, m)
        orthogonalize(self.a, self.v, n, k, m)
        self.least = 0.0
        for j in range(m):
            column = self.a + <size_t> j * n
            self.s[j], self.sf[j] = norm(column, k, 1), dot(column, rest, k)
            self.least = larger(self.least, self.s[j])
        self.least *= larger(m * DBL_EPSILON, rank)

    cdef void find_step(self, double lam, double* step) noexcept nogil:
        """In units of the columns' lengths, (m,); a singular value that counts as 0 moves nothing."""
        cdef int i, j, m = self.m
        cdef double z, size
        for j in range(m):
            step[j] = 0.0
        for i in range(m):
            size = self.s[i] * self.s[i] + lam
            if size > 0.0 and self.s[i] > self.least:
                z = self.sf[i] / size
                for j in range(m):
                    step[j] -= z * self.v[<size_t> i * m + j]

    def load(self, const double[:, ::1] jac not None, const double[::1] f not None, bint scaled=False):
        """Take a Jacobian (n, m) and residuals (n,)."""
        if f.shape[0] != self.n or jac.shape[0] != self.n or jac.shape[1] != self.m:
            raise ValueError("residuals and Jacobian do not fit together")
        self.take(&jac[0, 0], &f[0], NULL, NULL, scaled, 0.0)

    def step(self, double lam):
        """The change of the parameters in units of the columns' lengths, (m,)."""
        cdef double[::1] x = np.empty(self.m)
        self.find_step(lam, &x[0])
        return np.asarray(x)

    @property
    def lengths(self):
        """Of the columns, or 1, (m,)."""
        return np.array([self.sizes[j] for j in range(self.m)])

    @property
    def gradient(self):
        """J'f, (m,)."""
        return np.array([self.slopes[j] for j in range(self.m)])

    @property
    def singular_values(self):
        """Descending, (m,)."""
        return np.sort([self.s[j] for j in range(self.m)])[::-1]
