# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Observations against a solution of the equations: residuals and their derivatives, from scaled active parameters."""

from libc.math cimport INFINITY, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from parfit.kernel.integrator cimport Integrator
from parfit.kernel.mapping cimport Mapping
from parfit.kernel.status cimport OK
from parfit.kernel.tape cimport Tape, hold_integers, run_section
from parfit.kernel.vectors cimport add, dot

import numpy as np

from parfit.kernel.tape import whole_numbers


BY_PARAMETER_SIZE, BY_ROW = FAULT_OF_SIZE, FAULT_OF_ROW


cdef class Desk:
    """Room for one evaluation after another."""

    def __dealloc__(self):
        free(self.work)


cdef class Residuals:
    """Immutable, so that any number of threads can use it at once.

    Of every observation (n,) each: its row in the solution by the `method`, its variable (a state of the model, or
    behind these one of the `outputs`, whose patterns (start, column) of h_y and h_p are given), weight and value.
    Derivatives by parameters that are not `used` (m,) are 0: nothing observed depends on them, but solving for all states
    together leaves rounding errors.
    """

    def __cinit__(self, Integrator method not None, Mapping mapping not None, const int[::1] rows not None,
                  const int[::1] variables not None, const double[::1] weights not None,
                  const double[::1] values not None, used, Tape outputs=None, patterns=None):
        cdef int n = rows.shape[0], n_outputs = 0 if outputs is None else outputs.n_outputs[0], n_states, i
        self.system = method.system
        if self.system is None or method.n_params != mapping.n or self.system.m != mapping.m:
            raise ValueError("method and mapping are not those of the same parameters")
        self.n, self.m, n_states = n, mapping.m, self.system.n
        if not n or not self.m or variables.shape[0] != n or weights.shape[0] != n or values.shape[0] != n:
            raise ValueError("there is not a row, variable, weight and value for every observation")
        if np.shape(used) != (self.m,):
            raise ValueError("it is not said of every active parameter whether it is used")
        self.method, self.mapping, self.outputs, self._keep = method, mapping, outputs, []
        self._made_of = method, mapping, rows.base, variables.base, weights.base, values.base, used, outputs, patterns
        self.used = hold_integers(self._keep, [int(bool(each)) for each in used])
        self.rows = <int*> malloc((2 * <size_t> n + n_states) * sizeof(int))
        self.weights = <double*> malloc(2 * <size_t> n * sizeof(double))
        if not self.rows or not self.weights:
            raise MemoryError
        self.variables, self.place, self.values = self.rows + n, self.rows + 2 * n, self.weights + n
        for i in range(n_states):
            self.place[self.system.order[i]] = i
        for i in range(n):
            if not 0 <= rows[i] < method.n_times - method.skip:
                raise ValueError("an observation has no row in the solution")
            if not 0 <= variables[i] < n_states + n_outputs:
                raise ValueError("an observation is of a variable that there is not")
            self.rows[i], self.weights[i], self.values[i] = rows[i], weights[i], values[i]
            self.variables[i] = self.place[variables[i]] if variables[i] < n_states else variables[i]
        if outputs is not None:
            self._take_patterns(outputs, patterns)

    def __dealloc__(self):
        free(self.rows)
        free(self.weights)

    def __reduce__(self):
        return Residuals, self._made_of

    def _take_patterns(self, Tape outputs not None, patterns):
        cdef int k
        h_y, h_p = [(whole_numbers(start, "patterns"), whole_numbers(column, "patterns")) for start, column in patterns]
        if outputs.n_states != self.system.n or outputs.n_params != self.mapping.n or outputs.n_sections < 3:
            raise ValueError("the outputs are those of another model, or lack derivatives")
        for (start, column), n_entries, n_columns in (
            (h_y, outputs.n_outputs[1], self.system.n),
            (h_p, outputs.n_outputs[2], self.m),
        ):
            if start.size != outputs.n_outputs[0] + 1 or start[0] != 0 or (np.diff(start) < 0).any():
                raise ValueError("the rows of a pattern do not divide its entries")
            if start[start.size - 1] != column.size or column.size != n_entries or ((column < 0) | (column >= n_columns)).any():
                raise ValueError("the entries of a pattern are not those of the tape, or are outside the matrix")
        places = [self.place[<int> k] for k in h_y[1]]
        self.h_y_start, self.h_y_column = hold_integers(self._keep, h_y[0]), hold_integers(self._keep, places)
        self.h_p_start, self.h_p_column = hold_integers(self._keep, h_p[0]), hold_integers(self._keep, h_p[1])

    cdef Desk desk(self):
        cdef Desk desk = Desk.__new__(Desk)
        cdef size_t n_registers = 0 if self.outputs is None else self.outputs.n_registers
        desk.run = self.method.room(True)
        desk.work = <double*> malloc((self.mapping.n + self.m + n_registers + 1) * sizeof(double))
        if not desk.work:
            raise MemoryError
        desk.full = desk.work
        desk.slopes = desk.full + self.mapping.n
        desk.r = desk.slopes + self.m
        return desk

    cdef tuple arrays(self, Slot* slot):
        """New arrays y, s, f and jac for a slot to point into."""
        cdef Py_ssize_t n_rows = self.method.n_times - self.method.skip
        cdef double[:, ::1] y = np.empty((n_rows, self.system.n))
        cdef double[:, :, ::1] s = np.empty((n_rows, self.system.n, self.m))
        cdef double[::1] f = np.empty(self.n)
        cdef double[:, ::1] jac = np.empty((self.n, self.m))
        slot.y, slot.s, slot.f, slot.jac = &y[0, 0], &s[0, 0, 0], &f[0], &jac[0, 0]
        return y.base, s.base, f.base, jac.base

    cdef int evaluate(self, Desk desk, const double* active, Slot* slot) except -1 nogil:
        """Integrate, compare, and say in the slot what came of it."""
        cdef int i, j
        cdef double size = 0.0, sum_of_jac = 0.0
        self.mapping.fill(active, desk.full)
        for j in range(self.m):
            desk.slopes[j] = self.mapping.slope(j, active[j])
        for j in range(self.mapping.n):
            size += desk.full[j]
        desk.run.p, desk.run.y_rows, desk.run.s_rows = desk.full, slot.y, slot.s
        self.method.integrate(desk.run)
        self.compare(desk, slot)
        slot.total, slot.row, slot.fault = dot(slot.f, slot.f, self.n), -1, NO_FAULT
        for i in range(self.n * self.m):
            sum_of_jac += slot.jac[i]
        if not isfinite(size):
            slot.fault = FAULT_OF_SIZE
        elif desk.run.status != OK:
            slot.fault = FAULT_OF_RUN
        elif not (isfinite(slot.total) and isfinite(sum_of_jac)):
            slot.fault, slot.row = FAULT_OF_ROW, self._wrong_row(slot)
        if slot.fault != NO_FAULT:
            slot.total = INFINITY
        return 0

    cdef void compare(self, Desk desk, Slot* slot) noexcept nogil:
        """The rows that were observed, weighted, with derivatives by the scaled parameters."""
        cdef int i, j, n = self.system.n, m = self.m, row = -1
        cdef double value
        cdef double* jac
        cdef const double* s
        if self.outputs is not None:
            self.outputs.prepare(desk.r, desk.full)
        for i in range(self.n):
            jac = slot.jac + <size_t> i * m
            if self.variables[i] < n:
                value = slot.y[<size_t> self.rows[i] * n + self.variables[i]]
                s = slot.s + (<size_t> self.rows[i] * n + self.variables[i]) * m
                for j in range(m):
                    jac[j] = s[j]
            else:
                if self.rows[i] != row:
                    row = self.rows[i]
                    desk.r[0] = self.method.times[self.method.skip + row]
                    for j in range(n):
                        desk.r[1 + self.system.order[j]] = slot.y[<size_t> row * n + j]
                    run_section(self.outputs, desk.r, 3)
                value = self.put_output(desk, slot, row, self.variables[i] - n, jac)
            slot.f[i] = self.weights[i] * (value - self.values[i])
            for j in range(m):
                jac[j] = self.weights[i] * jac[j] * desk.slopes[j] if self.used[j] else 0.0

    cdef double put_output(self, Desk desk, const Slot* slot, int row, int k, double* derivatives) noexcept nogil:
        """Output k, whose tape has been run at that row: its value, and h_y s + h_p."""
        cdef int e, m = self.m
        cdef const double* s = slot.s + <size_t> row * self.system.n * m
        memset(derivatives, 0, m * sizeof(double))
        for e in range(self.h_y_start[k], self.h_y_start[k + 1]):
            add(derivatives, desk.r[self.outputs.outputs[1][e]], s + <size_t> self.h_y_column[e] * m, m)
        for e in range(self.h_p_start[k], self.h_p_start[k + 1]):
            derivatives[self.h_p_column[e]] += desk.r[self.outputs.outputs[2][e]]
        return desk.r[self.outputs.outputs[0][k]]

    cdef int _wrong_row(self, const Slot* slot) noexcept nogil:
        """The first row that has something that is no number, or -1."""
        cdef int i, j
        cdef double total
        for i in range(self.n):
            total = slot.f[i] * 0.0
            for j in range(self.m):
                total += slot.jac[<size_t> i * self.m + j] * 0.0
            if total != 0.0:
                return i
        return -1

    def at(self, const double[::1] active not None):
        """Residuals (n,) and Jacobian (n, m) at scaled active parameters (m,), what an integrator gives, and a fault.

        That is its kind and its row.
        """
        cdef Slot slot
        cdef Desk desk
        if active.shape[0] != self.m:
            raise ValueError("there is not a value for every active parameter")
        y, s, f, jac = self.arrays(&slot)
        desk = self.desk()
        with nogil:
            self.evaluate(desk, &active[0], &slot)
        return f, jac, (self.system.in_order(y), self.system.in_order(s), desk.run.end()), (slot.fault, slot.row)
