# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A search for a minimum: it says where to look next, and is told what was found there.

So one text of a method serves a fit that runs in the kernel and problems that are evaluated in Python.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import numpy as np

ENDINGS = ("", "CONVERGED", "LIMIT", "ERRORS", "NO_REDUCTION", "START")


cdef class Search:
    """The state of a search; see the fields."""

    def __dealloc__(self):
        free(self.memory)

    cdef int make(self, int n, int m, size_t n_numbers) except -1:
        """Have room for the points and so many numbers more, all of them 0."""
        if n < 1 or m < 1:
            raise ValueError("there are no residuals or no parameters")
        self.n, self.m, self.part, self.looseness, self.most = n, m, 1.0, 1.0, INFINITY
        self.memory = <double*> calloc(2 * <size_t> m + n_numbers, sizeof(double))
        if not self.memory:
            raise MemoryError
        self.trial, self.p = self.memory, self.memory + m
        return 0

    cdef double* room(self) noexcept nogil:
        """Where those numbers are."""
        return self.memory + 2 * self.m

    cdef void start(self, const double* p, const Found* found) noexcept nogil:
        """Begin at a point with what was found there."""

    cdef void hear(self, const Found* found) noexcept nogil:
        """Take notice of what was found at the trial."""

    def begin(self, const double[::1] p not None, const double[::1] f not None, const double[:, ::1] jac not None,
              double total, bint usable):
        """Begin at p (m,) with residuals (n,), Jacobian (n, m) and the sum of squares there."""
        cdef Found found = self._found(f, jac, total, usable)
        if p.shape[0] != self.m or self.n_evaluations:
            raise ValueError("there is not one parameter for every column, or the search has begun already")
        with nogil:
            self.start(&p[0], &found)

    def tell(self, const double[::1] f not None, const double[:, ::1] jac not None, double total, bint usable):
        """Residuals, Jacobian and sum of squares at the `point`; where they are not usable they are not looked at."""
        cdef Found found = self._found(f, jac, total, usable)
        if self.ending != GOES_ON or not self.n_evaluations:
            raise ValueError("the search has ended, or has not begun")
        with nogil:
            self.hear(&found)

    cdef Found _found(self, const double[::1] f, const double[:, ::1] jac, double total, bint usable) except *:
        if self.memory == NULL or f.shape[0] != self.n or jac.shape[0] != self.n or jac.shape[1] != self.m:
            raise ValueError("residuals and Jacobian do not fit together")
        return Found(&f[0], &jac[0, 0], total, usable, False, False)

    @property
    def last_lam(self):
        """Lambda where the search has ended."""
        return self.lam

    @property
    def goes_on(self):
        """Whether there is another point to look at."""
        return self.ending == GOES_ON and self.n_evaluations > 0

    @property
    def point(self):
        """Where to look next, (m,)."""
        cdef double[::1] view
        point = np.empty(self.m)
        if self.memory != NULL:
            view = point
            memcpy(&view[0], self.trial, self.m * sizeof(double))
        return point
