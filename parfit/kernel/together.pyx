# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Several experiments beside each other, each integrated by itself, and where its numbers are among those of all."""

from libc.math cimport NAN
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from parfit.kernel.status cimport OK
from parfit.kernel.system cimport System
from parfit.kernel.tape cimport hold_integers

import os
from time import thread_time

import numpy as np

from parfit.kernel.tape import places_among

cdef double WORTH = 4e-3  # seconds of work that are worth being divided among threads
_helpers = None  # threads that do a part of one, made when first needed


cdef class Experiment:
    """Immutable; a method, where its parameters and its active ones are among all, and where its states begin among
    those of the joint model, which `place` (n_all,) finds in the kernel."""

    def __cinit__(self, Integrator method not None, places, columns, int first, Integrator whole not None, place):
        cdef System system = method.system
        cdef int i
        self.n_rows, self._keep = method.n_times - method.skip, []
        if system is None or not 0 <= first <= len(place) - system.n or self.n_rows > whole.n_times - whole.skip:
            raise ValueError("an experiment has states or times that all together have not")
        self.method, self.n_params, self.n, self.m, self.first = method, method.n_params, system.n, system.m, first
        self.places = hold_integers(self._keep, places_among(places, self.n_params, whole.n_params))
        self.columns = hold_integers(self._keep, places_among(columns, self.m, whole.system.m))
        self.states = hold_integers(self._keep, [int(place[first + system.order[i]]) for i in range(self.n)])


cdef class Seat:
    """Room for the integrations of one experiment, one after another."""

    def __cinit__(self, Experiment experiment not None, bint sensitivities):
        cdef size_t n = experiment.n, m = experiment.m if sensitivities else 0, n_y = experiment.n_rows * n
        self.experiment, self.run = experiment, experiment.method.room(sensitivities)
        self.work = <double*> malloc((experiment.n_params + n_y + n_y * m + n + n * m + 1) * sizeof(double))
        if not self.work:
            raise MemoryError
        self.p, self.y = self.work, self.work + experiment.n_params
        self.s, self.y_start = self.y + n_y, self.y + n_y * (1 + m)
        self.s_start = self.y_start + n
        self.run.p, self.run.y_rows, self.run.s_rows = self.p, self.y, self.s

    def __dealloc__(self):
        free(self.work)

    cdef int sit(self, Integration whole) except -1:
        """Take the parameters, and the states to begin with, from those of all."""
        cdef Experiment own = self.experiment
        cdef int i, j, m = self.run.m
        self.run.whole, self.run.every, self.run.trace = whole, whole.every, [] if whole.every else None
        self.run.looseness, self.run.most_steps = whole.looseness, whole.most_steps
        self.run.y_start = self.run.s_start = NULL
        for i in range(own.n_params):
            self.p[i] = whole.p[own.places[i]]
        if whole.y_start != NULL:
            self.run.y_start = self.y_start
            for i in range(own.n):
                self.y_start[i] = whole.y_start[own.states[i]]
        if whole.s_start != NULL and m:
            self.run.s_start = self.s_start
            for i in range(own.n):
                for j in range(m):
                    self.s_start[i * m + j] = whole.s_start[<size_t> own.states[i] * whole.m + own.columns[j]]
        return 0

    cdef int rise(self, Integration whole) except -1:
        """Put the rows, the work and the end among those of all; what it does not depend on has derivatives of 0."""
        cdef Experiment own = self.experiment
        cdef Integration run = self.run
        cdef Py_ssize_t row
        cdef int i, j, m = run.m
        cdef double* to
        for row in range(own.n_rows):
            for i in range(own.n):
                whole.y_rows[row * whole.n + own.states[i]] = self.y[row * own.n + i]
                if m:
                    to = whole.s_rows + (row * whole.n + own.states[i]) * whole.m
                    memset(to, 0, whole.m * sizeof(double))
                    for j in range(m):
                        to[own.columns[j]] = self.s[(row * own.n + i) * m + j]
        for i in range(run.n_counts):
            whole.counts[i] += run.counts[i]
        whole.n_counts = max(whole.n_counts, run.n_counts)
        if run.stiff_time < whole.stiff_time or whole.stiff_time != whole.stiff_time:
            whole.stiff_time = run.stiff_time
        whole.status, whole.time = run.status, run.time
        whole.state = run.state + own.first if run.state >= 0 else run.state
        if whole.every:  # steps, in which the states of others are not known
            before, after = [NAN] * own.first, [NAN] * (whole.n - own.first - own.n)
            whole.trace += [(*step, [*before, *states, *after]) for *step, states in run.trace]
        return 0


cdef class Together(Integrator):
    """Experiments beside each other, each integrated by itself, with steps of its own; all make one solution.

    `experiments` are tuples of a method, the places of its parameters, the columns of its active ones and its first
    state. The rows of an experiment are the first of all; later ones are NaN. The first that fails says how it ended, and
    those after it have no rows. How many threads there are changes nothing.
    """

    def __cinit__(self, System system not None, const double[::1] times not None, Py_ssize_t skip, experiments):
        self.bind(system, times, None, skip, None, False)
        place = np.argsort([system.order[i] for i in range(system.n)])
        self.experiments = [Experiment(*each, self, place) for each in experiments]
        self._made_of = system, np.asarray(self._times), skip, experiments

    cdef Integration room(self, bint sensitivities, Integration run=None):
        run = Integrator.room(self, sensitivities, run)
        run.seats = [Seat(each, sensitivities) for each in self.experiments]
        return run

    cdef int integrate(self, Integration run) except -1 nogil:
        with gil:
            return self.all_of(run)

    cdef int all_of(self, Integration run) except -1:
        cdef Seat seat
        for seat in run.seats:
            seat.sit(run)
        try:
            if self.work > WORTH and len(run.seats) > 1 and not run.every:
                self.work = self.divided(run)
            else:
                self.work = self.some(run, 0, 1)
        finally:
            for seat in run.seats:
                seat.run.whole = None
        run.n_counts, run.stiff_time, run.n_done = 0, NAN, 0
        memset(run.counts, 0, sizeof(run.counts))
        run.blank(self.n_times)
        for seat in run.seats:
            seat.rise(run)
            if run.status != OK:
                break
        return 0

    def some(self, Integration run not None, int first, int step):
        """Integrate every so manyth experiment, up to one that fails; how much work it was, in seconds."""
        cdef double began = thread_time()  # which others that are busy do not change
        cdef Seat seat
        cdef Integrator method
        cdef Integration own
        for seat in run.seats[first::step]:
            method, own = seat.experiment.method, seat.run
            with nogil:
                method.integrate(own)
            if own.status != OK:
                break
        return thread_time() - began

    def divided(self, Integration run not None):
        """The same in several threads; an interruption ends all of them, and nobody is left to work in the room."""
        global _helpers
        from concurrent.futures import ThreadPoolExecutor, wait  # late, because it takes long to import
        cdef int n = min(os.cpu_count() or 1, len(run.seats)), k
        _helpers = _helpers or ThreadPoolExecutor(os.cpu_count() or 1, "parfit experiments")
        work, caught = [_helpers.submit(self.some, run, k, n) for k in range(n)], None
        while not all([each.done() for each in work]):
            try:
                wait(work)
            except BaseException as error:
                caught, run.stopped = error, True
        if caught is not None:
            run.stopped = False
            raise caught
        return sum([each.result() for each in work])
