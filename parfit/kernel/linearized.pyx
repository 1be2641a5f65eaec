# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The linear model of a least-squares problem about a point, for the steps of More's method (MINPACK's lmpar)."""

import numpy as np

from libc.float cimport DBL_EPSILON, DBL_MIN
from libc.math cimport fabs, hypot, isfinite, sqrt
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from parfit.kernel.thresholds cimport DEPENDENT
from parfit.kernel.vectors cimport add, dot, norm

cdef enum:
    MAX_SOLUTIONS = 10  # of the secular equation, as in MINPACK

cdef double TINY = 1e-290  # a column this short is none: a step along it may be too long for a number

RANK = DEPENDENT  # the same for those who decompose matrices in Python


cdef class Linearized:
    """Residuals f + J x about a point, for the steps x of More's method, in parameters scaled by D.

    D are the greatest lengths that the columns of J have had, or 1 where they had none. There must not be fewer rows
    (n) than columns (m); `precision` is how well columns agree that should, next to their lengths. Pivoting and
    rotations bear columns of very different sizes, as parameters have that go to infinity. A column that depends on
    others but for that says nothing that they do not say: steps are the shortest of those that do the same, so that
    what the residuals do not see stays where it is.
    """

    def __cinit__(self, int n, int m, double precision=0.0):
        if m < 1 or n < m:
            raise ValueError("there are fewer residuals than parameters")
        if not 0.0 <= precision <= 1.0:
            raise ValueError("the precision is a part of a column's length")
        self.dependent = max(DEPENDENT, precision)
        self.n, self.m = n, m
        self.order = <int*> malloc(m * sizeof(int))
        self.memory = <double*> calloc(
            <size_t> n * m + n + <size_t> (m + 1) * (m + 1) + <size_t> m * m + 5 * m, sizeof(double)
        )
        if not self.order or not self.memory:
            raise MemoryError
        self.scale = self.memory
        self.a = self.scale + m
        self.qf = self.a + <size_t> n * m
        self.gradient = self.qf + n
        self.w = self.gradient + m
        self.x = self.w + <size_t> (m + 1) * (m + 1)
        self.z = self.x + m
        self.tau = self.z + m
        self.null = self.tau + m

    def __dealloc__(self):
        free(self.order)
        free(self.memory)

    def load(self, const double[:, ::1] jac not None, const double[::1] f not None):
        """Go to another point, with Jacobian (n, m) and residuals (n,) there."""
        if f.shape[0] != self.n or jac.shape[0] != self.n or jac.shape[1] != self.m:
            raise ValueError("residuals and Jacobian do not fit together")
        with nogil:
            self.enter(&jac[0, 0], &f[0], self.n, NULL)

    cdef void enter(self, const double* jac, const double* f, int n_given, const bint* held) noexcept nogil:
        """The same with the first rows given, the others being zeros; columns that are held are zeros too."""
        cdef int n = self.n, m = self.m, i, j
        for i in range(n):
            self.qf[i] = f[i] if i < n_given else 0.0
            for j in range(m):
                self.a[<size_t> j * n + i] = jac[<size_t> i * m + j] if i < n_given else 0.0
        for j in range(m):
            if held != NULL and held[j]:
                memset(self.a + <size_t> j * n, 0, n * sizeof(double))
        self.factorize()
        self.loaded = True

    cdef void factorize(self) noexcept nogil:
        cdef int n = self.n, m = self.m, j
        cdef double length
        for j in range(m):
            self.order[j] = j
            self.x[j] = norm(self.a + <size_t> j * n, n, 1)
            self.scale[j] = max(self.scale[j], self.x[j])
            if self.scale[j] < TINY:
                self.scale[j] = 1.0
            self.z[j] = self.tau[j] = self.x[j]
        for j in range(m):
            self.pivot(j)
            self.reflect(j)
        self.rank = m
        self.steepest = 0.0
        for j in range(m):
            self.gradient[j] = dot(self.a + <size_t> j * n, self.qf, j + 1)
            length = self.x[self.order[j]]
            if length > 0.0:
                self.steepest = max(self.steepest, fabs(self.gradient[j]) / length)
            if fabs(self.a[<size_t> j * n + j]) <= max(TINY, self.dependent * length):
                self.rank = min(self.rank, j)
        self.forget()

    cdef void pivot(self, int j) noexcept nogil:
        """Bring the column that is longest below row j to place j; those that depend on others come last."""
        cdef int i, k, n = self.n, best = j
        cdef double* here = self.a + <size_t> j * n
        cdef double* there
        cdef double kept
        for k in range(j + 1, self.m):
            if self.left(k) > self.left(best):
                best = k
        if best != j:
            there = self.a + <size_t> best * n
            for i in range(n):
                kept = here[i]
                here[i] = there[i]
                there[i] = kept
            self.order[j], self.order[best] = self.order[best], self.order[j]
            self.z[best], self.tau[best] = self.z[j], self.tau[j]

    cdef double left(self, int k) noexcept nogil:
        """What is left of a column; nothing where that is rounding."""
        return self.z[k] if self.z[k] > self.dependent * self.x[self.order[k]] else 0.0

    cdef void forget(self) noexcept nogil:
        """Clear what rounding left of dependent columns, and find the changes that are not seen."""
        cdef int i, j, k, m = self.m
        cdef double* row
        cdef double part
        for i in range(self.rank, m):
            for j in range(self.rank, i + 1):
                self.a[<size_t> i * self.n + j] = 0.0
            row = self.null + <size_t> (i - self.rank) * m
            for j in range(m):
                row[j] = 0.0
            row[i] = 1.0
            for j in range(self.rank - 1, -1, -1):
                row[j] = -self.a[<size_t> i * self.n + j]
                for k in range(j + 1, self.rank):
                    row[j] -= self.a[<size_t> k * self.n + j] * row[k]
                row[j] /= self.a[<size_t> j * self.n + j]
            for j in range(m):
                row[j] *= self.column_scale(j)
            for k in range(i - self.rank):
                part = -dot(row, self.null + <size_t> k * m, m)
                add(row, part, self.null + <size_t> k * m, m)
            part = norm(row, m, 1)
            for j in range(m):
                row[j] /= part

    cdef void reflect(self, int j) noexcept nogil:
        """Householder's reflection that clears column j below row j, of the columns behind it and of the residuals.

        By hand, because LAPACK's dgeqp3 and dormqr take twice as long for the few columns of a fit.
        """
        cdef int k, below = self.n - j
        cdef double* v = self.a + <size_t> j * self.n + j
        cdef double* other
        cdef double length = norm(v, below, 1), part
        if length == 0.0:
            return
        if v[0] < 0.0:
            length = -length
        for k in range(below):
            v[k] /= length
        v[0] += 1.0
        for k in range(j + 1, self.m + 1):  # behind the last column are the residuals
            other = self.a + <size_t> k * self.n + j
            part = -dot(v, other, below) / v[0]
            add(other, part, v, below)
            if k < self.m and self.z[k] > 0.0:
                part = other[0] / self.z[k]
                self.z[k] *= sqrt(max(0.0, 1.0 - part * part))
                part = self.z[k] / self.tau[k]
                if 0.05 * part * part <= DBL_EPSILON:  # too much has cancelled
                    self.z[k] = self.tau[k] = norm(other + 1, below - 1, 1)
        v[0] = -length

    def scaled_norm(self, const double[::1] p not None):
        """|D p|."""
        self.check_loaded()
        if p.shape[0] != self.m:
            raise ValueError("there is not one parameter for every column")
        return self.length_of(&p[0])

    cdef double length_of(self, const double* p) noexcept nogil:
        """|D p|."""
        cdef int j
        for j in range(self.m):
            self.z[j] = self.column_scale(j) * p[self.order[j]]
        return norm(self.z, self.m, 1)

    def step(self, double radius, double par):
        """The step x (m,) of least |f + J x|^2 + par |D x|^2, its par, |D x| and |J x|.

        par is 0, or such that |D x| is the radius but for a tenth of it, by More's solution of the secular equation
        |D x(par)| = radius: Newton's method between safe bounds, from the par that is given.
        """
        self.check_loaded()
        if not (radius >= 0.0 and par >= 0.0):
            raise ValueError("the radius and par must not be below 0")
        step = np.empty(self.m)
        cdef double[::1] x = step
        cdef double length = self.find_step(radius, &par, &x[0])
        return step, par, length, self.jac_step_norm()

    cdef double find_step(self, double radius, double* par, double* x) noexcept nogil:
        """The step and its par; gives |D x|."""
        cdef int j
        cdef double length = self.solve_secular(radius, par)
        for j in range(self.m):
            x[self.order[j]] = self.x[j]
        return length

    cdef double find_step_at(self, double par, double* x) noexcept nogil:
        """The step for a par; gives |D x|."""
        cdef int j
        cdef double length = self.solve(par)
        for j in range(self.m):
            x[self.order[j]] = self.x[j]
        return length

    cdef double solve_secular(self, double radius, double* par) noexcept nogil:
        """Find par and x, in the order of pivoting; gives |D x|."""
        cdef int j, k
        cdef double low = 0.0, high, slope, before, length = self.solve(0.0), over = length - radius, now = par[0]
        if over <= 0.1 * radius:
            par[0] = 0.0
            return length
        if self.rank == self.m and isfinite(length):
            low = self.newton_update(length, over, radius)
        for j in range(self.m):
            self.z[j] = self.gradient[j] / self.column_scale(j)
        slope = norm(self.z, self.m, 1)
        high = slope / radius if slope > 0.0 else DBL_MIN / min(radius, 0.1)
        now = min(max(now, low), high)
        if now == 0.0:
            now = slope / length
        for k in range(MAX_SOLUTIONS):
            now = now if now > 0.0 else max(DBL_MIN, 0.001 * high)
            before, length = over, self.solve(now)
            over = length - radius
            if fabs(over) <= 0.1 * radius or (low == 0.0 and over <= before < 0.0) or k == MAX_SOLUTIONS - 1:
                break
            if over > 0.0:
                low = max(low, now)
            else:
                high = min(high, now)
            now = max(low, now + self.newton_update(length, over, radius))
        par[0] = now
        return length

    cdef int check_loaded(self) except -1:
        if not self.loaded:
            raise ValueError("there is no Jacobian yet")
        return 0

    cdef double column_scale(self, int j) noexcept nogil:
        """What scales the parameter of a column of R."""
        return self.scale[self.order[j]]

    cdef double solve(self, double par) noexcept nogil:
        """Find x for par; gives |D x|, and leaves D x in z."""
        cdef int j, k, m = self.m
        cdef double total
        cdef double* row
        for j in range(m):
            row = self.w + <size_t> j * (m + 1)
            for k in range(j, m):
                row[k] = self.a[<size_t> k * self.n + j]
            row[m] = self.qf[j] if j < self.rank else 0.0
        if par > 0.0:
            self.rotate(sqrt(par))
        for j in range(m - 1, -1, -1):
            row = self.w + <size_t> j * (m + 1)
            total = row[m]
            for k in range(j + 1, m):
                total += row[k] * self.x[k]
            self.x[j] = -total / row[j] if j < self.rank or par > 0.0 else 0.0
            self.z[j] = self.column_scale(j) * self.x[j]
        if self.rank < m:
            self.shorten()
        return norm(self.z, m, 1)

    cdef void shorten(self) noexcept nogil:
        """Take from a step what the residuals do not see of it."""
        cdef int j, k, m = self.m
        cdef double part
        for k in range(m - self.rank):
            part = -dot(self.z, self.null + <size_t> k * m, m)
            add(self.z, part, self.null + <size_t> k * m, m)
        for j in range(m):
            self.x[j] = self.z[j] / self.column_scale(j)

    cdef void rotate(self, double root) noexcept nogil:
        """Bring the rows of root D below R into it: by rotations, which bear rows of very different sizes."""
        cdef int i, j, k, m = self.m
        cdef double c, s, length, kept
        cdef double* new = self.w + <size_t> m * (m + 1)
        cdef double* row
        for i in range(m):
            for k in range(i, m + 1):
                new[k] = 0.0
            new[i] = root * self.column_scale(i)
            for j in range(i, m):
                row = self.w + <size_t> j * (m + 1)
                if new[j] == 0.0:
                    continue
                length = hypot(row[j], new[j])
                c, s = row[j] / length, new[j] / length
                for k in range(j, m + 1):
                    kept = row[k]
                    row[k] = c * kept + s * new[k]
                    new[k] = c * new[k] - s * kept

    cdef double newton_update(self, double length, double over, double radius) noexcept nogil:
        """Newton's change of par after a solution, from 1 / |D x|, which is nearly a straight line; spoils z."""
        cdef int j, k, m = self.m
        cdef double slope
        cdef double* row
        for j in range(m):
            self.z[j] *= self.column_scale(j) / length
        for j in range(m):
            row = self.w + <size_t> j * (m + 1)
            self.z[j] /= row[j]
            for k in range(j + 1, m):
                self.z[k] -= self.z[j] * row[k]
        slope = norm(self.z, m, 1)
        return over / radius / slope / slope

    cdef double jac_step_norm(self) noexcept nogil:
        """|J x|."""
        cdef int j, k, m = self.m
        for j in range(m):
            self.z[j] = 0.0
            for k in range(j + 1):
                self.z[k] += self.x[j] * self.a[<size_t> j * self.n + k]
        return norm(self.z, m, 1)
