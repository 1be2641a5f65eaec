# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The Levenberg-Marquardt method of the thesis (Appendix B, MARQUARDT), after Bard (1970).

With the singular value decomposition J = U S V' the step for lambda is -V (S^2 + lambda)^-1 S U'f. Lambda shrinks
tenfold after two successes and grows tenfold after a failure, unless the step is within 45 degrees of steepest
descent: then it is shortened instead. A point where the equations cannot be integrated counts as a failure.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from parfit.kernel.decomposition cimport Decomposition
from parfit.kernel.mapping cimport Mapping
from parfit.kernel.search cimport CONVERGED, ERRORS, LIMIT, NO_REDUCTION, NO_START, Found, Search
from parfit.kernel.thresholds cimport DEPENDENT
from parfit.kernel.vectors cimport add, clear_row, dot, larger, lengths_of, smaller

# Appendix B, MARQUARDT: the numbers of Bard's strategy.
cdef int MAX_INTERPOLATIONS = 4
cdef double SMALLEST_LAMBDA = 1e-10
cdef double COSINE = 0.707  # of 45 degrees
cdef double FACTOR = 10.0


cdef class Marquardt(Search):
    """One search for n residuals and m parameters, within the bounds of a mapping, or None.

    A relative lambda counts next to columns of J that are divided by the greatest lengths that they have had; one that
    is not may be scaled, with columns of length 1, or not. With a relative one steps have no part along directions that
    the residuals do not see, by the `precision` of the Jacobian. It has converged if the sum of squares falls by less than
    rtol of itself and `least`.
    """

    cdef Decomposition parts
    cdef Mapping mapping
    cdef bint relative, scaled
    cdef double rtol, least, rank
    cdef long max_iterations, max_errors
    cdef long successes        # in a row, since lambda changed
    cdef long errors           # in a row
    cdef long interpolations   # of the step that is being shortened
    cdef bint shortening
    cdef double next_lam       # lambda as the strategy has it now
    cdef double slope          # of a step that is being shortened
    cdef double total          # sum of squares at the best point
    cdef double before         # and at the one before it
    cdef double* step          # in units of the columns' lengths, (m,)
    cdef double* change        # (m,)
    cdef double* longest       # the greatest lengths of the columns so far, (m,)
    cdef double* units
    cdef bint* pressed

    def __cinit__(self, int n, int m, double lam, bint relative, bint scaled, double rtol, double least,
                  long max_iterations, long max_errors, Mapping mapping=None, double precision=0.0):
        self.make(n, m, 4 * <size_t> m)
        if not lam >= 0.0 or rtol != rtol or least != least or not 0.0 <= precision <= 1.0:
            raise ValueError("lambda must not be below 0, and tolerances must be numbers")
        if mapping is not None and mapping.m != m:
            raise ValueError("the mapping has other parameters")
        self.parts, self.mapping = Decomposition(n, m), mapping if mapping is not None and mapping.bounded else None
        self.pressed = <bint*> calloc(m, sizeof(bint))
        if not self.pressed:
            raise MemoryError
        self.lam = self.next_lam = lam
        self.relative, self.scaled, self.rtol, self.least = relative, scaled, rtol, least
        self.rank = larger(DEPENDENT, precision)
        self.max_iterations, self.max_errors = max_iterations, max_errors
        self.step = self.room()
        self.change, self.longest, self.units = self.step + m, self.step + 2 * m, self.step + 3 * m

    def __dealloc__(self):
        free(self.pressed)

    @property
    def last_lam(self):
        """Lambda where the search has ended."""
        return self.next_lam

    cdef void start(self, const double* p, const Found* found) noexcept nogil:
        memcpy(self.p, p, self.m * sizeof(double))
        self.n_evaluations = 1
        self.value = self.total = found.total
        if not found.usable:
            self.ending = NO_START
        else:
            self.go_on(found)

    cdef void go_on(self, const Found* found) noexcept nogil:
        """From a point, with what was found there."""
        if self.n_iterations >= self.max_iterations:
            self.ending = LIMIT
            return
        self.before = self.total
        self.decompose(found)
        self.propose()

    cdef void decompose(self, const Found* found) noexcept nogil:
        """With the parameters that press against a bound held there: they do not move."""
        cdef int i, j, m = self.m
        cdef bint* held = NULL
        if self.relative:
            lengths_of(found.jac, self.n, m, self.units)
            for j in range(m):
                self.longest[j] = larger(self.longest[j], self.units[j])
                self.units[j] = self.longest[j] if self.longest[j] > 0.0 else 1.0
        if self.mapping is not None:
            clear_row(self.change, m)
            for i in range(self.n):
                add(self.change, found.f[i], found.jac + <size_t> i * m, m)
            if self.mapping.find_pressed(self.p, self.change, self.pressed):
                held = self.pressed
        if self.relative:
            self.parts.take(found.jac, found.f, held, self.units, False, self.rank)
        else:
            self.parts.take(found.jac, found.f, held, NULL, self.scaled, 0.0)

    cdef void propose(self) noexcept nogil:
        """A whole step with the present lambda, if it leads downward."""
        cdef int j
        self.lam = self.next_lam
        self.parts.find_step(self.lam, self.step)
        self.slope = dot(self.step, self.parts.slopes, self.m)
        if self.slope >= -DBL_EPSILON * self.total:  # next to F, a gain this small cannot be seen
            self.ending = CONVERGED
            return
        for j in range(self.m):
            self.change[j] = self.step[j] / self.parts.sizes[j]
        self.shortening = False
        self.go(1.0)

    cdef void go(self, double part) noexcept nogil:
        """A part of the step."""
        cdef int j
        self.part = part
        for j in range(self.m):
            self.trial[j] = self.p[j] + part * self.change[j]
        if self.mapping is not None:
            self.mapping.put_inside(self.trial)

    cdef void hear(self, const Found* found) noexcept nogil:
        self.n_evaluations += 1
        self.value, self.accepted = found.total, found.usable and found.total < self.total
        if self.accepted:
            memcpy(self.p, self.trial, self.m * sizeof(double))
            self.total = found.total
            self.n_iterations += 1
        if found.usable:
            self.errors = 0
        else:
            self.errors += 1
            if self.errors == self.max_errors:
                self.ending = ERRORS
                return
        if self.accepted:
            if not self.shortening:
                self.succeed()
            self.settle(found)
        elif self.shortening:
            self.shorten(found)
        elif found.usable and self.cosine() >= COSINE:
            self.shortening, self.interpolations = True, 0
            self.interpolate(found)
        else:
            self.next_lam = larger(FACTOR * self.next_lam, SMALLEST_LAMBDA)
            self.successes = 0
            self.propose()

    cdef void succeed(self) noexcept nogil:
        """Lambda shrinks after two successes."""
        self.successes += 1
        if self.successes == 2:
            self.next_lam, self.successes = larger(self.next_lam / FACTOR, SMALLEST_LAMBDA), 0

    cdef void settle(self, const Found* found) noexcept nogil:
        """A better point: was it the last?"""
        if self.before - self.total < self.rtol * self.total + self.least or self.total < self.least:
            self.ending = CONVERGED
        else:
            self.go_on(found)

    cdef void shorten(self, const Found* found) noexcept nogil:
        """Another part of the step, after one that was no better."""
        if not found.usable:
            self.go(0.5 * self.part)
            return
        self.interpolations += 1
        if self.interpolations == MAX_INTERPOLATIONS:
            self.ending = NO_REDUCTION
        else:
            self.interpolate(found)

    cdef void interpolate(self, const Found* found) noexcept nogil:
        """Shorten a step that is close to steepest descent, by a parabola.

        As in the listing (R1:=GA*R0**2/(2*(GA*R0+F-F1))) it takes step'J'f for the slope of F, which is half of it, so
        that it leads to less than the minimum of the parabola that belongs to F; the published steps are these.
        """
        cdef double bend = self.slope * self.part + self.total - found.total
        # 0 where F is flat to rounding
        cdef double lowest = self.slope * (self.part * self.part) / (2.0 * bend) if bend < 0.0 else 0.0
        self.go(larger(0.25 * self.part, smaller(0.75 * self.part, lowest)))

    cdef double cosine(self) noexcept nogil:
        """Of the angle between the step and steepest descent; 1 where there is no direction left."""
        cdef int m = self.m
        cdef double product = sqrt(dot(self.step, self.step, m) * dot(self.parts.slopes, self.parts.slopes, m))
        return -self.slope / product if product > 0.0 else 1.0
