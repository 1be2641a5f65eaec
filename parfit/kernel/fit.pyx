# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A whole fit: a search that looks where it wants to without Python, and what it has seen."""

from libc.limits cimport LONG_MAX
from libc.math cimport INFINITY
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from parfit.kernel.arrays cimport place_of
from parfit.kernel.residuals cimport NO_FAULT, Desk, Residuals, Slot
from parfit.kernel.search cimport GOES_ON, Found, Search
from parfit.kernel.status cimport HOPELESS, LONG

import numpy as np

cdef extern from "clock.h":
    double seconds_now "parfit_seconds"() noexcept nogil

# What is kept of a trial, and then its point (m,).
TRIAL = ("iteration", "accepted", "lam", "part", "value", "total", "fault", "row", "reason", "time", "state", "looseness")
cdef enum:
    N_KEPT = 12

# A trial may take so many steps, or so many times those at the best point.
cdef long LONG_ENOUGH = 5000
cdef long MANY_TIMES = 50


cdef inline long many_more(long n_steps) noexcept nogil:
    """Steps that are too many next to those; if these are not known, none are."""
    return max(LONG_ENOUGH, MANY_TIMES * n_steps) if 0 < n_steps < LONG_MAX // MANY_TIMES else LONG_MAX


cdef inline Found found_in(const Slot* slot) noexcept nogil:
    return Found(slot.f, slot.jac, slot.total, slot.fault == NO_FAULT, slot.status == HOPELESS, slot.status == LONG)


cdef class Fit:
    """A search in a problem, as far as it has gone: one that begins at `start` (m,), or has begun where the integration
    took `n_steps`, 0 if that is not known."""

    cdef Residuals problem
    cdef Search search
    cdef Desk desk
    cdef Slot slots[2]
    cdef int best            # the slot of the best that was found here, -1 while there is none
    cdef double* kept        # (n_room, N_KEPT + m): the trials
    cdef readonly Py_ssize_t n_trials
    cdef Py_ssize_t n_room
    cdef public bint patient # to compare with: trials that are hopeless or long are integrated to the end
    cdef long most_steps     # that a trial may take

    def __cinit__(self, Residuals problem not None, Search search not None, const double[::1] start=None,
                  long n_steps=0):
        cdef Found found
        if search.n != problem.n or search.m != problem.m or (search.n_evaluations == 0) != (start is not None):
            raise ValueError("the search is one of another problem, has not begun, or has begun elsewhere")
        if n_steps < 0:
            raise ValueError("there cannot be fewer steps than none")
        self.problem, self.search, self.best, self.most_steps = problem, search, -1, many_more(n_steps)
        self.desk = problem.desk()
        problem.make(&self.slots[0])
        problem.make(&self.slots[1])
        if start is None:
            return
        if start.shape[0] != search.m:
            raise ValueError("there is not a value for every active parameter")
        with nogil:
            problem.evaluate(self.desk, &start[0], &self.slots[0])
            found = found_in(&self.slots[0])
            search.start(&start[0], &found)
        self.best, self.most_steps = 0, many_more(self.slots[0].counts[0])

    def __dealloc__(self):
        free(self.slots[0].p)
        free(self.slots[1].p)
        free(self.kept)

    def stop(self):
        """End an integration that another thread is doing, as Ctrl-C would."""
        self.desk.run.stopped = True

    def advance(self, double seconds):
        """Go on for about so long; whether there is more to do."""
        with nogil:
            self.go(seconds_now() + seconds)
        return self.search.ending == GOES_ON

    cdef int go(self, double until) except -1 nogil:
        cdef Slot* slot
        cdef double* row
        cdef Found found
        while self.search.ending == GOES_ON:
            slot = &self.slots[1 if self.best == 0 else 0]
            row = self.next_row()
            memcpy(row + N_KEPT, self.search.trial, self.search.m * sizeof(double))
            row[2], row[3] = self.search.lam, self.search.part
            row[11] = self.desk.run.looseness = self.search.looseness
            self.set_limits()
            self.problem.evaluate(self.desk, self.search.trial, slot)
            found = found_in(slot)
            self.search.hear(&found)
            row[0], row[1] = self.search.n_iterations + (not self.search.accepted), self.search.accepted
            row[4], row[5], row[6], row[7] = self.search.value, slot.total, slot.fault, slot.row
            row[8], row[9], row[10] = slot.status, slot.time, slot.state
            self.n_trials += 1
            if self.search.accepted:
                self.best, self.most_steps = 1 if self.best == 0 else 0, many_more(slot.counts[0])
            elif found.too_long:  # a shorter step may take as many
                self.most_steps = many_more(self.most_steps)
            if self.desk.run.stopped:
                self.desk.run.poll()
            if seconds_now() > until:
                break
        return 0

    cdef void set_limits(self) noexcept nogil:
        """Of the next trial. A search that says what is hopeless can do without what takes too long."""
        self.desk.run.most, self.desk.run.most_steps = INFINITY, LONG_MAX
        if self.search.most < INFINITY and not self.patient:
            self.desk.run.most, self.desk.run.most_steps = self.search.most, self.most_steps

    cdef double* next_row(self) except NULL nogil:
        """Where the next trial is kept."""
        cdef size_t width = N_KEPT + self.search.m
        cdef double* more
        if self.n_trials == self.n_room:
            more = <double*> realloc(self.kept, 2 * (self.n_room + 8) * width * sizeof(double))
            if more == NULL:
                with gil:
                    raise MemoryError
            self.kept, self.n_room = more, 2 * (self.n_room + 8)
        return self.kept + self.n_trials * width

    def trials(self, Py_ssize_t first=0):
        """From such a one on, what is kept of them, as TRIAL says, and their points behind: (n, 12 + m)."""
        cdef Py_ssize_t width = N_KEPT + self.search.m, n = self.n_trials - first
        if not 0 <= first <= self.n_trials:
            raise ValueError("there is no such trial")
        found = np.empty((n, width))
        if n:
            memcpy(place_of(found), self.kept + first * width, n * width * sizeof(double))
        return found

    def best_found(self):
        """The best that was found here: its looseness, its point (m,), and what `Residuals` tell of it; None without one."""
        if self.best < 0:
            return None
        cdef const Slot* slot = &self.slots[self.best]
        p = np.empty(self.search.m)
        memcpy(place_of(p), slot.p, self.search.m * sizeof(double))
        return slot.looseness, p, self.problem.told(slot)
