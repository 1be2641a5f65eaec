# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What all integrators share: the method with its arguments checked, room for a run of it, and rows of a solution.

The first time is the initial time; the first `skip` times get no rows. Rows that are not reached are NaN.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.limits cimport LONG_MAX
from libc.math cimport INFINITY, NAN
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from parfit.kernel.jumping cimport Jumping
from parfit.kernel.jumps cimport Jumps
from parfit.kernel.status cimport OK
from parfit.kernel.system cimport Blend, Blending, System, check_times

import numpy as np


cdef class Integration:
    """Room for one run at a time, and how the last one ended; whoever makes a run sets `p` and the rows first."""

    def __dealloc__(self):
        free(self.work)
        free(self.pivots)

    cdef double* y_row(self, Py_ssize_t k) noexcept nogil:
        """Where the states at time k belong; NULL if it gets no row."""
        return self.y_rows + (k - self.skip) * self.n if k >= self.skip else NULL

    cdef double* s_row(self, Py_ssize_t k) noexcept nogil:
        """Where the sensitivities at time k belong; NULL if it gets no row, and without sensitivities."""
        return self.s_rows + (k - self.skip) * self.n * self.m if self.m and k >= self.skip else NULL

    cdef int begin(self, double t0, double* r, double* y, double* s) noexcept nogil:
        """The initial values, or those that replace them, and the registers ready for the equations; gives a status."""
        cdef int status
        cdef const double* p = self.p if self.jump is None else self.jump.with_modes(self.p)
        self.state, self.n_done, self.stiff_time = -1, 0, NAN
        status = self.system.start(p, t0, r, y, s if self.m else NULL, &self.state)
        if self.y_start != NULL:
            memcpy(y, self.y_start, self.n * sizeof(double))
        if self.s_start != NULL and self.m:
            memcpy(s, self.s_start, <size_t> self.n * self.m * sizeof(double))
        if self.y_start != NULL and (self.s_start != NULL or not self.m):
            status = OK  # nothing is left of the model's own
        self.system.dynamics.prepare(r, p)
        return status

    cdef void blank(self, Py_ssize_t n_times) noexcept nogil:  # rows of times that were not reached are NaN
        cdef Py_ssize_t first = max(0, self.n_done - self.skip), last = n_times - self.skip, k
        for k in range(first * self.n, last * self.n):
            self.y_rows[k] = NAN
        for k in range(first * self.n * self.m, last * self.n * self.m):
            self.s_rows[k] = NAN

    cdef bint is_hopeless(self) noexcept nogil:
        """Whether what the times reached have shown makes the rest useless; asked where no row is taken back."""
        return False

    cdef int poll(self) except -1 nogil:
        """Let a pending Ctrl-C be raised, or one that somebody else has asked for."""
        with gil:
            if self.stopped or (self.whole is not None and self.whole.stopped):
                raise KeyboardInterrupt
            return PyErr_CheckSignals()

    cdef tuple end(self):
        """Status, time, state, counts and where the equations were found to be stiff."""
        return self.status, self.time, self.state, tuple([self.counts[k] for k in range(self.n_counts)]), self.stiff_time


cdef class Integrator:
    """A system, the times and a method; it never changes, so that any number of threads can use it at once."""

    cdef int bind(self, System system, const double[::1] times, Blending blending, Py_ssize_t skip, Jumps jumps,
                  bint begun) except -1:
        if not 0 <= skip < times.shape[0]:
            raise ValueError("there are no times after those that get no rows")
        check_times(times)
        if blending is not None and blending.n != system.n:
            raise ValueError("the blending is that of another model")
        self.system, self.blending, self.jumps, self.begun = system, blending, jumps, begun
        self.n_params = system.n_params - (jumps.n_modes if jumps is not None else 0)
        self.blend = blending.blend if blending is not None else Blend(NULL, NULL)
        self._times = np.array(times)
        self.times = &self._times[0]
        self.n_times, self.skip = times.shape[0], skip
        return 0

    def __reduce__(self):
        return type(self), self._made_of

    cdef size_t n_numbers(self, int m) noexcept nogil:
        """Numbers that a run needs room for, differentiating by m parameters."""
        return 0

    cdef size_t n_pivots(self) noexcept nogil:
        """Whole numbers that it needs room for."""
        return 0

    cdef int integrate(self, Integration run) except -1 nogil:
        """From the parameters of a run to its rows, and to how it ended."""
        return 0

    cdef Integration room(self, bint sensitivities, Integration run=None):
        """Room for runs, one after another; in one that is new, or of a kind of its own."""
        run = Integration.__new__(Integration) if run is None else run
        run.system, run.skip, run.n, run.m = self.system, self.skip, self.system.n, self.system.m if sensitivities else 0
        run.looseness, run.most_steps = 1.0, LONG_MAX
        run.work = <double*> malloc(max(1, self.n_numbers(run.m)) * sizeof(double))
        run.pivots = <int*> malloc(max(1, self.n_pivots()) * sizeof(int))
        if not run.work or not run.pivots:
            raise MemoryError
        if self.jumps is not None:
            run.jump = _room_for_jumps(self.jumps, self.system, run.m, self.begun)
        return run

    def __call__(self, const double[::1] p not None, bint sensitivities, y_start=None, s_start=None, long every=0,
                 list trace=None, double looseness=1.0):
        """States (n_rows, n) and sensitivities (n_rows, n, m) or None, in the order of the model, and how it ended.

        That is (status, time, state, counts, stiff time or NaN). `y_start` (n,) and `s_start` (n, m) replace the
        initial values. After `every` so many steps of an error-controlled method (t, h, order, states) joins the
        `trace`; its errors may be larger by the `looseness`.
        """
        cdef System system = self.system
        cdef Py_ssize_t n_rows = self.n_times - self.skip
        cdef double[::1] y_first
        cdef double[:, ::1] s_first
        if system is None or p.shape[0] != self.n_params:
            raise ValueError("the parameters do not fit the model")
        if every < 0 or (every and trace is None):
            raise ValueError("steps are to be noted, but there is no list for them")
        if not 1.0 <= looseness < INFINITY:
            raise ValueError("the looseness is a number from 1 on")
        y = np.empty((n_rows, system.n))
        s = np.empty((n_rows, system.n, system.m)) if sensitivities else None
        cdef double[:, ::1] y_rows = y
        cdef double[:, :, ::1] s_rows = s
        cdef Integration run = self.room(sensitivities)
        run.looseness = looseness
        run.p, run.y_rows, run.every, run.trace = &p[0] if self.n_params else NULL, &y_rows[0, 0], every, trace
        if run.m:
            run.s_rows = &s_rows[0, 0, 0]
        if y_start is not None:
            y_first = system.inside(np.array(y_start, dtype=float).reshape(system.n))
            run.y_start = &y_first[0]
        if s_start is not None and run.m:
            s_first = system.inside(np.array(s_start, dtype=float).reshape(system.n, system.m))
            run.s_start = &s_first[0, 0]
        with nogil:
            self.integrate(run)
        return system.in_order(y), system.in_order(s), run.end()


cdef Jumping _room_for_jumps(Jumps jumps, System system, int m, bint begun):
    """The jumps of one integration that differentiates by m parameters."""
    cdef Jumping found = Jumping.__new__(Jumping)
    cdef size_t n_c = jumps.n_conditions, n_t = jumps.n_timed, n = system.n
    cdef size_t n_conditions = jumps.conditions.tape.n_registers, n_values = jumps.values.tape.n_registers
    if jumps.n != system.n or (m and jumps.m != m) or jumps.n_params + jumps.n_modes != system.n_params:
        raise ValueError("the jumps are those of another model")
    found.jumps, found.system, found.n, found.m, found.bad_state = jumps, system, system.n, m, -1
    found.begun = begun
    found.memory = <double*> malloc((n_conditions + n_values + n_t * (1 + m) + n_c + 4 * n + (n + 2) * m
                                     + system.n_params + 1)
                                    * sizeof(double))
    found.flags = <int*> malloc((n_t + 2 * n_c + jumps.n_actions + 1) * sizeof(int))
    if not found.memory or not found.flags:
        raise MemoryError
    found.r_conditions, found.r_values = found.memory, found.memory + n_conditions
    found.tau = found.r_values + n_values
    found.tau_p = found.tau + n_t
    found.c = found.tau_p + n_t * m
    found.f = found.c + n_c
    found.y, found.state, found.before = found.f + n, found.f + 2 * n, found.f + 3 * n
    found.w = found.f + 4 * n
    found.shift = found.w + n * m
    found.p = found.shift + 2 * m
    found.order, found.side, found.hit = found.flags, found.flags + n_t, found.flags + n_t + n_c
    found.due = found.order + n_t + 2 * n_c
    return found
