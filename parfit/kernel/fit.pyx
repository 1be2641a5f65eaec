# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A whole fit: a search that looks where it wants to without Python, and what it has seen."""

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from parfit.kernel.residuals cimport NO_FAULT, Desk, Residuals, Slot
from parfit.kernel.search cimport GOES_ON, Found, Search
from parfit.kernel.status cimport OK

import numpy as np

cdef extern from "clock.h":
    double seconds_now "parfit_seconds"() noexcept nogil

# What is kept of a trial, and then its point (m,).
TRIAL = ("iteration", "accepted", "lam", "part", "value", "total", "fault", "row", "reason", "time", "state", "looseness")
cdef enum:
    N_KEPT = 12


cdef class Fit:
    """A search that has begun, in a problem, as far as it has gone."""

    cdef Residuals problem
    cdef Search search
    cdef Desk desk
    cdef Slot slots[2]
    cdef list arrays         # y, s, f and jac of the slots
    cdef int best            # the slot of the best trial, -1 while none is better than the start
    cdef Py_ssize_t best_trial
    cdef double best_time, best_stiff  # how its integration ended
    cdef long best_counts[6]
    cdef double* kept        # (n_room, N_KEPT + m): the trials
    cdef readonly Py_ssize_t n_trials
    cdef Py_ssize_t n_room

    def __cinit__(self, Residuals problem not None, Search search not None):
        if search.n != problem.n or search.m != problem.m or not search.n_evaluations:
            raise ValueError("the search is one of another problem, or has not begun")
        self.problem, self.search, self.best = problem, search, -1
        self.desk, self.arrays = problem.desk(), [problem.arrays(&self.slots[0]), problem.arrays(&self.slots[1])]

    def __dealloc__(self):
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
            self.problem.evaluate(self.desk, self.search.trial, slot)
            found = Found(slot.f, slot.jac, slot.total, slot.fault == NO_FAULT)
            self.search.hear(&found)
            row[0], row[1] = self.search.n_iterations + (not self.search.accepted), self.search.accepted
            row[4], row[5], row[6], row[7] = self.search.value, slot.total, slot.fault, slot.row
            row[8], row[9], row[10] = self.desk.run.status, self.desk.run.time, self.desk.run.state
            self.n_trials += 1
            if self.search.accepted:
                self.best, self.best_trial = 1 if self.best == 0 else 0, self.n_trials - 1
                self.best_time, self.best_stiff = self.desk.run.time, self.desk.run.stiff_time
                memcpy(self.best_counts, self.desk.run.counts, sizeof(self.best_counts))
            if self.desk.run.stopped:
                self.desk.run.poll()
            if seconds_now() > until:
                break
        return 0

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
        cdef double[:, ::1] view
        if not 0 <= first <= self.n_trials:
            raise ValueError("there is no such trial")
        found = np.empty((n, width))
        if n:
            view = found
            memcpy(&view[0, 0], self.kept + first * width, n * width * sizeof(double))
        return found

    def best_found(self):
        """The best trial: its point, residuals, Jacobian, what an integrator gives, and its looseness.

        None if the start was better.

        The arrays are those that it works with: only who lets it go no further may keep them.
        """
        if self.best < 0:
            return None
        y, s, f, jac = self.arrays[self.best]
        cdef double[::1] p = np.empty(self.search.m)
        cdef const double* row = self.kept + self.best_trial * (N_KEPT + self.search.m)
        memcpy(&p[0], row + N_KEPT, self.search.m * sizeof(double))
        counts = tuple([self.best_counts[k] for k in range(self.desk.run.n_counts)])
        end = OK, self.best_time, -1, counts, self.best_stiff
        return p.base, f, jac, (self.problem.system.in_order(y), self.problem.system.in_order(s), end), row[11]
