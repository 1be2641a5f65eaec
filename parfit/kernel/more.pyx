# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The Levenberg-Marquardt method as More has it (1978): steps within a trust region in scaled parameters.

J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, pages
105-116; with the constants of MINPACK's lmder, so that it goes the same way. A point where the problem has no solution
is a step rejected. What would cross a bound stops there, and the others do what is best then. A robust loss is
minimized by least-squares problems that have its slopes; whether a step is taken, and whether it was the last, is
judged by the loss itself.

Two things that MINPACK has not: where steps creep along a curved valley they bend with it, and while they gain much,
the residuals may have larger errors than at the end.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs, fmax, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from parfit.kernel.linearized cimport Linearized
from parfit.kernel.losses cimport LINEAR, N_LOSSES, loss_name, loss_of
from parfit.kernel.mapping cimport presses
from parfit.kernel.search cimport CONVERGED, GOES_ON, LIMIT, NO_START, Found
from parfit.kernel.vectors cimport add, dot, larger, smaller

LOSSES = tuple([loss_name(kind).decode() for kind in range(N_LOSSES)])

cdef double FACTOR = 100.0  # of the scaled length of the start, for the first radius
cdef double ORTHOGONAL = 1e-15  # cosine between residuals and columns below which there is nothing to gain
cdef double ENOUGH = 1e-4  # of the expected reduction, for a step to be taken
# Of what a residual counts, the least of its curvature that is believed, because a loss bends downwards too: of .02,
# .1, .3 and 1 this one took the fewest evaluations (13 on 720 problems with outliers, from starts up to 3 times off).
cdef double BENT = 0.3

# Errors of the residuals may change the sum by this part of what a step gains: with .1 a fit went astray.
cdef double UNFELT = 0.01
cdef double WORTH = 4.0  # so many times as large at least: less saves no steps
cdef double ROUNDING = 1e-12  # sums of squares in another order differ by less
# Nothing is left to gain where a step would have this part of the tolerance, if the last one had what was expected.
cdef double CERTAIN = 0.01


def adapted(double radius, double par, double ratio, double reduction, double slope, double length):
    """Radius and par after a step: by the part of the expected reduction that was had, and the slope along the step."""
    adapt(&radius, &par, ratio, reduction, slope, length)
    return radius, par


cdef class More(Search):
    """One search for n residuals and m parameters, within bounds (m,) each, or None.

    `precision` is that of the Jacobian, next to the lengths of its columns: no step has a part along what it does not
    see. The search has converged if the reduction that was had and the one that was expected are within the tolerance,
    relative to what is minimized, or the region is, relative to the parameters. `error` is the length of the errors
    that the residuals have; while a step can tell, they may be up to `loosest` times as large. The search ends where
    they are not.
    """

    def __cinit__(self, int n, int m, double tol, long max_evaluations, str loss not None, double scale, bounds=None,
                  double precision=0.0, double error=0.0, double loosest=1.0):
        cdef size_t rows = n
        cdef const double[::1] low, high
        self.make(n, m, rows * m + 3 * rows + 7 * <size_t> m)
        if loss not in LOSSES or not scale > 0.0 or tol != tol:
            raise ValueError("there is no such loss, scale or tolerance")
        if not (0.0 <= error < INFINITY and 1.0 <= loosest < INFINITY):
            raise ValueError("there is no such error or looseness")
        self.error, self.loosest, self.base_looseness = error, loosest, 1.0
        self.near = Linearized(max(n, m), m, precision)
        self.pressed = <bint*> calloc(2 * m, sizeof(bint))
        if not self.pressed:
            raise MemoryError
        self.held = self.pressed + m
        self.tol, self.max_evaluations = larger(tol, DBL_EPSILON), max_evaluations
        self.loss, self.scale = LOSSES.index(loss), scale
        self.low = self.room()
        self.high, self.change, self.free_change = self.low + m, self.low + 2 * m, self.low + 3 * m
        self.gradient, self.origin = self.low + 4 * m, self.low + 5 * m
        self.valley.along, self.f = self.low + 6 * m, self.low + 7 * m
        self.moved, self.valley.bend, self.jac = self.f + rows, self.f + 2 * rows, self.f + 3 * rows
        self.bounded = bounds is not None
        if self.bounded:
            low, high = bounds
            if low.shape[0] != m or high.shape[0] != m:
                raise ValueError("there is not a bound for every parameter")
            memcpy(self.low, &low[0], m * sizeof(double))
            memcpy(self.high, &high[0], m * sizeof(double))

    def __dealloc__(self):
        free(self.pressed)

    cdef void start(self, const double* p, const Found* found) noexcept nogil:
        memcpy(self.p, p, self.m * sizeof(double))
        memcpy(self.origin, p, self.m * sizeof(double))
        self.n_evaluations = 1
        self.value = self.total = self.least = self.total_of(found)
        if not found.usable:
            self.ending = NO_START
        elif self.max_evaluations <= 1:
            self.ending = LIMIT
        else:
            self.load(found)
            self.begin_region()
            self.propose()

    cdef void hear(self, const Found* found) noexcept nogil:
        self.n_evaluations += 1
        self.value, self.accepted = self.total_of(found), False
        if self.again:
            self.settle(found)
        elif not (found.usable or found.hopeless or found.too_long) and self.looseness > 1.0:
            self.looseness, self.is_repeated = 1.0, True  # the same trial without larger errors
        else:
            self.judge(found)
        if self.ending == GOES_ON and self.n_evaluations >= self.max_evaluations:
            self.ending = LIMIT

    cdef void judge(self, const Found* found) noexcept nogil:
        """Whether a step is taken, and what is to be done next."""
        cdef double expected = self.gain / self.total
        cdef double reduction = 1.0 - self.value / self.total if found.usable else -INFINITY
        cdef bint taken, limited = self.par > 0.0
        self.ratio = reduction / expected if expected > 0.0 else 0.0
        taken = self.ratio >= ENOUGH
        if self.is_repeated and (found.usable or found.hopeless):  # larger errors were to blame
            self.loosest = 1.0
        self.is_repeated = False
        self.n_rejected = 0 if taken else self.n_rejected + 1
        if not taken and self.base_looseness > 1.0 and (
                self.n_rejected > 1 or self.value - self.total <= self.most_error()):
            self.renew()
            return
        self.accepted = found.usable and self.value < self.least
        if self.accepted:
            self.n_iterations += 1
            self.least = self.value
        adapt(&self.radius, &self.par, self.ratio, reduction, self.slope / self.total, self.length)
        self.told_radius, self.told_par = self.radius, self.par
        count_step(&self.valley, taken, limited, reduction)
        if found.usable and self.loss == LINEAR:
            see_bend(&self.valley, self.n, self.m, self.p, self.f, self.jac, self.trial, found.f, found.jac, taken)
        if taken:
            self.stand_at_trial()
            self.norm = self.near.length_of(self.p)
        if (fabs(reduction) <= self.tol and expected <= self.tol and self.ratio <= 2.0
                or self.radius <= self.tol * self.norm):
            self.finish()
        elif self.n_evaluations < self.max_evaluations:
            if taken:
                self.load(found)
            self.propose()

    cdef void stand_at_trial(self) noexcept nogil:
        memcpy(self.p, self.trial, self.m * sizeof(double))
        self.is_first, self.total, self.base_looseness = False, self.value, self.looseness

    cdef void finish(self) noexcept nogil:
        """The search has converged; where errors were larger that is seen without them."""
        if self.base_looseness > 1.0:
            self.renew()
        else:
            self.ending = CONVERGED

    cdef double most_error(self) noexcept nogil:
        """How much of a rise of the sum errors at both ends of a step can have brought about."""
        return 2.0 * self.size * self.error * (self.base_looseness + self.looseness)

    cdef double ruled_out(self) noexcept nogil:
        """The sum of squares above which the trial is rejected, the region shrinks as much as it can, and the search has
        not converged: how far above is all the same. Infinite where more can be learned from a bad trial."""
        cdef double rise = larger(rise_enough(self.slope), larger(self.most_error(), self.tol * self.total))
        if self.loss != LINEAR or self.slope >= 0.0 or creeps(&self.valley):
            return INFINITY
        return (self.total + rise) * (1.0 + ROUNDING)

    cdef void renew(self) noexcept nogil:
        """Find anew what is where steps begin, and from then on without larger errors."""
        memcpy(self.trial, self.p, self.m * sizeof(double))
        self.again, self.looseness, self.loosest, self.most = True, 1.0, 1.0, INFINITY

    cdef void settle(self, const Found* found) noexcept nogil:
        """Go on from what was found anew; if there is nothing without larger errors, from where the search began."""
        if not found.usable:
            memcpy(self.trial, self.origin, self.m * sizeof(double))
            return
        self.again, self.accepted, self.least = False, True, self.value
        self.valley.known = False
        self.n_iterations += 1
        self.stand_at_trial()
        if self.n_evaluations < self.max_evaluations:
            self.load(found)
            self.begin_region()
            self.propose()

    cdef void begin_region(self) noexcept nogil:
        self.norm = self.near.length_of(self.p)
        self.radius = FACTOR * self.norm if self.norm > 0.0 else FACTOR
        self.par, self.is_first = 0.0, True

    cdef double total_of(self, const Found* found) noexcept nogil:
        """What is minimized: the sum of squares, or that of a robust loss."""
        cdef int i
        cdef double z, rho, first, second, total = 0.0
        if self.loss == LINEAR or not found.usable:
            return found.total
        for i in range(self.n):
            z = found.f[i] / self.scale
            loss_of(self.loss, z * z, &rho, &first, &second)
            total += rho
        return self.scale * self.scale * total

    cdef void load(self, const Found* found) noexcept nogil:
        """Go to a point: solve the least-squares problem that is like the loss near it.

        For a robust loss that has its slopes and its curvature, if upward: B. Triggs et al. (2000), "Bundle
        adjustment: a modern synthesis", section 4.3.
        """
        cdef int n = self.n, m = self.m, i, j
        cdef double z, rho, first, second, root
        memcpy(self.f, found.f, n * sizeof(double))
        memcpy(self.jac, found.jac, <size_t> n * m * sizeof(double))
        for i in range(n if self.loss != LINEAR else 0):
            z = self.f[i] / self.scale
            z = z * z
            loss_of(self.loss, z, &rho, &first, &second)
            root = sqrt(fmax(first + 2.0 * z * second, BENT * first))
            self.f[i] *= first / root if root > 0.0 else 0.0
            for j in range(m):
                self.jac[<size_t> i * m + j] *= root
        self.size = sqrt(dot(self.f, self.f, n))
        self.near.enter(self.jac, self.f, n, NULL)  # with all columns, so that the scales know them
        if self.bounded:
            self.press()

    cdef void press(self) noexcept nogil:
        """Hold what presses against a bound."""
        cdef int j, m = self.m
        cdef bint is_any = False
        for j in range(m):
            self.gradient[j] = 0.0
        for i in range(self.n):
            add(self.gradient, self.f[i], self.jac + <size_t> i * m, m)
        for j in range(m):
            self.pressed[j] = presses(self.p[j], self.gradient[j], self.low[j], self.high[j])
            is_any = is_any or self.pressed[j]
        if is_any:
            self.near.enter(self.jac, self.f, self.n, self.pressed)

    cdef void propose(self) noexcept nogil:
        """The next trial: the best step within the region, if there is anything to gain."""
        cdef int j
        cdef bint is_moved = False
        if not self.near.steepest > ORTHOGONAL * self.size:
            self.finish()
            return
        self.length = self.near.find_step(self.radius, &self.par, self.change)
        if self.bounded:
            self.bend()
        else:
            self.gain = self.near.jac_step_norm()
            self.gain *= self.gain
            self.slope = self.par * self.length * self.length
            self.gain, self.slope = self.gain + 2.0 * self.slope, -(self.gain + self.slope)
        if not self.is_first and self.gain <= CERTAIN * self.tol * self.total and POOR <= self.ratio <= 2.0:
            self.finish()
            return
        if self.is_first:
            self.radius = smaller(self.radius, self.length)
        self.follow_bend()
        self.looseness = 1.0
        if (self.loss == LINEAR and self.near.rank == self.m  # else larger errors would hide what depends on others
                and self.gain * UNFELT > WORTH * 2.0 * self.size * self.error > 0.0):
            self.looseness = smaller(self.loosest, self.gain * UNFELT / (2.0 * self.size * self.error))
        self.most = self.ruled_out()
        for j in range(self.m):
            if not (self.bounded and self.held[j] and not self.pressed[j]):  # those are at their bound
                self.trial[j] = self.p[j] + self.change[j]
            is_moved = is_moved or self.trial[j] != self.p[j]
        if not is_moved:  # steps have become shorter than numbers can tell
            self.finish()

    cdef void follow_bend(self) noexcept nogil:
        """Bend a step that creeps, unless it or what bends it stops at a bound."""
        cdef int j
        cdef const bint* held = self.pressed if self.bounded else NULL
        cdef double part = part_of_bend(&self.valley, self.m, self.near.scale, self.change, self.length)
        cdef double bent
        cdef bint should
        if part == 0.0 or self.bounded and self.is_any_held():
            return
        self.near.enter(self.jac, self.valley.bend, self.n, held)
        bent = part * self.near.find_step_at(self.par, self.free_change)
        should = should_bend(&self.valley, self.n, self.length, bent, self.near.jac_step_norm())
        self.near.enter(self.jac, self.f, self.n, held)
        for j in range(self.m if self.bounded else 0):
            if not self.low[j] <= self.p[j] + self.change[j] + part * self.free_change[j] <= self.high[j]:
                should = False
        if should:
            add(self.change, part, self.free_change, self.m)

    cdef void bend(self) noexcept nogil:
        """What would cross a bound stops there, and the others follow; with the length of that step, gain and slope."""
        cdef int i, j, n = self.n, m = self.m
        cdef double par = self.par, moved
        memcpy(self.held, self.pressed, m * sizeof(bint))
        while self.stop_at_bounds():
            for i in range(n):
                self.moved[i] = self.f[i]
                for j in range(m):
                    if self.held[j]:
                        self.moved[i] += self.jac[<size_t> i * m + j] * self.change[j]
            self.near.enter(self.jac, self.moved, n, self.held)
            self.par = par
            self.near.find_step(self.radius, &self.par, self.free_change)
            for j in range(m):
                if not self.held[j]:
                    self.change[j] = self.free_change[j]
        if self.is_any_held():
            self.near.enter(self.jac, self.f, n, self.pressed)
        self.gain = 0.0
        for i in range(n):
            moved = dot(self.jac + <size_t> i * m, self.change, m)
            self.gain -= moved * moved
        self.slope = dot(self.gradient, self.change, m)
        self.gain -= 2.0 * self.slope
        self.length = self.near.length_of(self.change)

    cdef bint is_any_held(self) noexcept nogil:
        """Whether a step brings anything to a bound that was not there."""
        cdef int j
        for j in range(self.m):
            if self.held[j] != self.pressed[j]:
                return True
        return False

    cdef bint stop_at_bounds(self) noexcept nogil:
        """Let what would cross a bound stop there; whether there was anything that would."""
        cdef int j
        cdef bint is_any = False
        cdef double reached
        for j in range(self.m):
            reached = self.p[j] + self.change[j]
            if not self.held[j] and not self.low[j] <= reached <= self.high[j]:
                self.trial[j] = self.low[j] if reached < self.low[j] else self.high[j]
                self.change[j] = self.trial[j] - self.p[j]
                self.held[j] = is_any = True
        return is_any
