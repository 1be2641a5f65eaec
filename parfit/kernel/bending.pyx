# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How a valley bends that steps creep along, so that they can follow it.

M. K. Transtrum and J. P. Sethna, "Improvements to the Levenberg-Marquardt algorithm for nonlinear least-squares
minimization" (2012), arXiv:1201.5885: to a step belongs another half step that keeps the residuals where the linear
model has them, against their second derivative along it. Here that costs no evaluation: it is seen from the last
trial, whose residuals and Jacobian are known anyway, and serves steps of nearly the same direction.
"""

from libc.stdlib cimport calloc, free

from parfit.kernel.vectors cimport dot, norm

# A search creeps after so many steps in a row that had less than this part of the sum, with the region as their limit.
# With fewer some short searches get longer, with more those along narrow valleys.
cdef int CREEPS = 12
cdef double CREEP = 0.5
cdef double OWN = 0.5  # the least part of the bend that a step can undo, else it is not what makes steps creep
cdef double LIKE = 0.9  # the least cosine between a step and the one along which the bend was seen
cdef double MOST_BEND = 0.75  # of a step, twice what bends it (Transtrum and Sethna)


cdef class Bending:
    """What is known of it, for n residuals and m parameters."""

    def __cinit__(self, int n, int m):
        self.n, self.m = n, m
        self.along = <double*> calloc(<size_t> n + m + 1, sizeof(double))
        if not self.along:
            raise MemoryError
        self.bend = self.along + m

    def __dealloc__(self):
        free(self.along)

    cdef void count(self, bint limited, double reduction) noexcept nogil:
        """A step was taken that had such a part of the sum, and may have been limited by the region."""
        self.creeping = self.creeping + 1 if limited and reduction < CREEP else 0

    cdef void forget(self) noexcept nogil:
        self.is_known = False

    cdef void look(self, const double* p, const double* f, const double* jac, const double* trial, const Found* found,
                   bint taken) noexcept nogil:
        """From p to the trial, forwards, or if the step was taken backwards, from where the next begins."""
        cdef int i
        cdef double moved
        for i in range(self.m):
            self.along[i] = trial[i] - p[i]
        for i in range(self.n):
            moved = dot((found.jac if taken else jac) + <size_t> i * self.m, self.along, self.m)
            self.bend[i] = 2.0 * (f[i] - found.f[i] + moved if taken else found.f[i] - f[i] - moved)
        self.is_known = True

    cdef bint bends(self, Linearized near, const double* step, double length) noexcept nogil:
        """Whether steps creep, and this one leads where the bend was seen; lengths are scaled."""
        cdef int j
        cdef double both = 0.0, along = 0.0, square
        if self.creeping < CREEPS or not self.is_known:
            return False
        for j in range(self.m):
            square = near.scale[j] * near.scale[j]
            both += square * step[j] * self.along[j]
            along += square * self.along[j] * self.along[j]
        self.part = 0.5 * (both / along) * (both / along)
        return both * both > LIKE * LIKE * along * length * length

    cdef void find_part(self, Linearized near, double par, double length, double* x) noexcept nogil:
        """What bends a step of such a length, (m,), with the bend for the residuals; 0 if it would be too much."""
        cdef int j
        cdef double part = self.part
        if not 4.0 * part * near.find_step_at(par, x) <= MOST_BEND * length:
            part = 0.0
        if not near.jac_step_norm() > OWN * norm(self.bend, self.n, 1):
            part = 0.0
        for j in range(self.m):
            x[j] = part * x[j] if part > 0.0 else 0.0
