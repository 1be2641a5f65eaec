# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A Jacobian by its singular values J = U S V', with the steps -V (S^2 + lambda)^-1 S U'f that follow from it."""

import numpy as np

from libc.float cimport DBL_EPSILON
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from parfit.kernel.vectors cimport add, dot, larger, lengths_of, norm


cdef extern from "svd.h":
    void triangle "parfit_triangle"(double* a, double* f, long n, long m) noexcept nogil
    void orthogonalize "parfit_orthogonalize"(double* columns, double* g, long m, long k) noexcept nogil


cdef class Decomposition:
    """Room for that of Jacobians (n, m), one after another."""

    def __cinit__(self, int n, int m):
        if n < 1 or m < 1:
            raise ValueError("there are no residuals or no parameters")
        self.n, self.m = n, m
        self.memory = <double*> calloc(<size_t> n * m + n + <size_t> m * min(n, m) + 3 * <size_t> m, sizeof(double))
        if not self.memory:
            raise MemoryError
        self.sizes = self.memory
        self.s, self.slopes, self.parts = self.sizes + m, self.sizes + 2 * m, self.sizes + 3 * m
        self.a = self.parts + <size_t> m * min(n, m)

    def __dealloc__(self):
        free(self.memory)

    cdef void take(self, const double* jac, const double* f, const bint* held, const double* units,
                   bint scaled, double rank) noexcept nogil:
        """Decompose jac (n, m) by rows, with columns of zeros where they are held.

        The columns are divided by `units`, or by their own lengths if they are to be scaled. Singular values up to
        `rank` of the largest count as 0, and so do those that are rounding.
        """
        cdef int n = self.n, m = self.m, k = min(n, m), i, j
        cdef bint is_held
        cdef double size
        cdef double* column
        cdef double* rest = self.a + <size_t> n * m  # the residuals, turned as the rows are
        memcpy(rest, f, n * sizeof(double))
        if units == NULL and scaled:
            lengths_of(jac, n, m, self.sizes)
        for j in range(m):
            column, is_held = self.a + <size_t> j * n, held != NULL and held[j]
            size = units[j] if units != NULL else self.sizes[j] if scaled and not is_held else 1.0
            self.sizes[j] = size = size if size > 0.0 else 1.0
            for i in range(n):
                column[i] = 0.0 if is_held else jac[<size_t> i * m + j]
            for i in range(n if size != 1.0 else 0):
                column[i] /= size
            self.slopes[j] = dot(column, f, n)
        if n > m:
            triangle(self.a, rest, n, m)
        for i in range(k):
            for j in range(m):
                self.parts[<size_t> i * m + j] = self.a[<size_t> j * n + i]
        orthogonalize(self.parts, rest, m, k)
        self.least = 0.0
        for i in range(k):
            self.s[i] = norm(self.parts + <size_t> i * m, m, 1)
            self.least = larger(self.least, self.s[i])
        self.least *= larger(k * DBL_EPSILON, rank)

    cdef void find_step(self, double lam, double* step) noexcept nogil:
        """In units of the columns' lengths, (m,); a singular value that counts as 0 moves nothing."""
        cdef int i, j, m = self.m
        cdef double size
        cdef const double* f = self.a + <size_t> self.n * m
        for j in range(m):
            step[j] = 0.0
        for i in range(min(self.n, m)):
            size = self.s[i] * self.s[i] + lam
            if size > 0.0 and self.s[i] > self.least:
                add(step, -f[i] / size, self.parts + <size_t> i * m, m)

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
