# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What all integrators take and give: checked arguments, room to work, and rows of a solution.

The first time is the initial time; the first `skip` times get no rows. Rows that are not reached are NaN.
"""

from libc.stdlib cimport free, malloc

from parfit.kernel.status cimport OK
from parfit.kernel.system cimport Blend, Blending, System, check_times

import numpy as np


cdef class Integration:
    """One integration of a system, from its arguments, which must outlive it, to what it returns."""

    def __dealloc__(self):
        free(self.work)
        free(self.pivots)

    cdef int make_room(self, size_t n_numbers, size_t n_pivots) except -1:
        """Have so many numbers in `work`, and so many in `pivots`."""
        self.work = <double*> malloc(n_numbers * sizeof(double))
        self.pivots = <int*> malloc(n_pivots * sizeof(int))
        if not self.work or not self.pivots:
            raise MemoryError
        return 0

    cdef int begin(self, double* r, double* y, double* s, int* state, y_start, s_start) except -1:
        """The initial values, or those that replace them, and the registers ready for the equations; gives a status."""
        cdef int status = self.system.start(self.p, self.times[0], r, y, s if self.m else NULL, state)
        if self.system.replace_start(y, s, self.m, y_start, s_start):
            status = OK
        self.system.dynamics.prepare(r, self.p)
        return status

    cdef double* y_row(self, Py_ssize_t k) noexcept nogil:
        """Where the states at time k belong; NULL if it gets no row."""
        return self.y_rows + (k - self.skip) * self.n if k >= self.skip else NULL

    cdef double* s_row(self, Py_ssize_t k) noexcept nogil:
        """Where the sensitivities at time k belong; NULL if it gets no row, and without sensitivities."""
        return self.s_rows + (k - self.skip) * self.n * self.m if self.m and k >= self.skip else NULL

    cdef tuple solution(self, Py_ssize_t n_done):
        """States and sensitivities (or None) in the order of the model, NaN after the times that were reached."""
        if n_done < self.n_times:
            first = max(0, n_done - self.skip)
            self.y[first:] = np.nan
            if self.sensitivities:
                self.s[first:] = np.nan
        return self.system.in_order(self.y), self.system.in_order(self.s)


cdef Integration integration(System system, const double[::1] times, Blending blending, Py_ssize_t skip,
                             const double[::1] p, bint sensitivities):
    """An integration with its arguments checked and its rows made."""
    cdef Integration run = Integration.__new__(Integration)  # without passing arrays through Python once more
    cdef double[:, ::1] y
    cdef double[:, :, ::1] s
    if p.shape[0] != system.n_params or not 0 <= skip < times.shape[0]:
        raise ValueError("parameters and times do not fit the model")
    check_times(times)
    if blending is not None and blending.n != system.n:
        raise ValueError("the blending is that of another model")
    run.system, run.times, run.p = system, &times[0], &p[0] if system.n_params else NULL
    run.n_times, run.skip, run.sensitivities = times.shape[0], skip, sensitivities
    run.n, run.m = system.n, system.m if sensitivities else 0
    run.blend = blending.blend if blending is not None else Blend(NULL, NULL)
    y = run.y = np.empty((run.n_times - skip, run.n))
    run.y_rows = &y[0, 0]
    if sensitivities:
        run.s = np.empty((run.n_times - skip, run.n, run.m))
    if run.m:
        s = run.s
        run.s_rows = &s[0, 0, 0]
    return run
