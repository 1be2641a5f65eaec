# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Observations against a solution of the equations: residuals and their derivatives, from scaled active parameters; and
what is minimized of residuals.
"""

from libc.math cimport INFINITY, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from parfit.kernel.arrays cimport place_of
from parfit.kernel.integrator cimport Integration, Integrator
from parfit.kernel.losses cimport N_LOSSES, loss_name, loss_of
from parfit.kernel.mapping cimport Mapping
from parfit.kernel.status cimport OK
from parfit.kernel.system cimport BY_PARAMETER, VALUES
from parfit.kernel.tape cimport Tape, hold_integers, run_section
from parfit.kernel.vectors cimport add, dot, sum_of, weigh

import numpy as np

from parfit.kernel.tape import whole_numbers


BY_PARAMETER_SIZE, BY_ROW = FAULT_OF_SIZE, FAULT_OF_ROW


cdef class Tallied(Integration):
    """A run that is hopeless where the squares of the residuals up to there are more than `most`."""

    cdef void count_from(self, const double* full) noexcept nogil:
        """Before it begins, with all parameters."""
        self.total, self.n_counted = 0.0, 0
        if self.problem.outputs is not None:
            self.problem.outputs.prepare(self.r, full)

    cdef bint is_hopeless(self) noexcept nogil:
        cdef int i, v, row, last = -1, n = self.n
        cdef double residual
        while self.most < INFINITY and self.n_counted < self.problem.n:
            i = self.problem.by_row[self.n_counted]
            row, v = self.problem.rows[i], self.problem.variables[i]
            if row >= self.n_done - self.skip:
                break
            if v >= n and row != last:
                self.problem.put_states(self.y_rows, row, self.r)
                run_section(self.problem.outputs, self.r, VALUES)
                last = row
            residual = self.y_rows[<size_t> row * n + v] if v < n else self.r[self.problem.outputs.outputs[0][v - n]]
            residual = self.problem.weights[i] * (residual - self.problem.values[i])
            self.total += residual * residual
            self.n_counted += 1
        return self.total > self.most


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
        self.by_row = hold_integers(self._keep, np.argsort(rows, kind="stable"))
        self.used = hold_integers(self._keep, [int(bool(each)) for each in used])
        self.all_used, self.n_rows = all(used), method.n_times - method.skip
        self.rows = <int*> malloc((2 * <size_t> n + n_states) * sizeof(int))
        self.weights = <double*> malloc(2 * <size_t> n * sizeof(double))
        if not self.rows or not self.weights:
            raise MemoryError
        self.variables, self.place, self.values = self.rows + n, self.rows + 2 * n, self.weights + n
        for i in range(n_states):
            self.place[self.system.order[i]] = i
        for i in range(n):
            if not 0 <= rows[i] < self.n_rows:
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
        desk.run = self.method.room(True, Tallied.__new__(Tallied))
        desk.work = <double*> malloc((self.mapping.n + 2 * <size_t> self.m + n_registers + 1) * sizeof(double))
        if not desk.work:
            raise MemoryError
        desk.full = desk.work
        desk.slopes = desk.full + self.mapping.n
        desk.row = desk.slopes + self.m
        desk.r = desk.row + self.m
        desk.run.problem, desk.run.r, desk.run.most = self, desk.r, INFINITY
        return desk

    cdef int make(self, Slot* slot) except -1:
        """Room for a slot, which whoever makes it frees where its p is."""
        cdef size_t n_y = self.n_rows * self.system.n, n_f = self.n, m = self.m
        slot.p = <double*> malloc((m + (n_f + n_y) * (1 + m)) * sizeof(double))
        if not slot.p:
            raise MemoryError
        slot.f = slot.p + m
        slot.jac, slot.y = slot.f + n_f, slot.f + n_f * (1 + m)
        slot.s = slot.y + n_y
        return 0

    cdef tuple told(self, const Slot* slot):
        """What Python hears of a slot, in arrays of its own.

        That are all parameters, unscaled, residuals (n,) and Jacobian (n, m), what an integrator gives, the sum of
        squares, the fault and its row.
        """
        cdef int n = self.system.n, m = self.m, k
        cdef Py_ssize_t row, n_rows = self.n_rows
        full, f, jac = np.empty(self.mapping.n), np.empty(self.n), np.empty((self.n, m))
        y, s = np.empty((n_rows, n)), np.empty((n_rows, n, m))
        cdef double* y_out = place_of(y)
        cdef double* s_out = place_of(s)
        self.mapping.fill(slot.p, place_of(full))
        memcpy(place_of(f), slot.f, self.n * sizeof(double))
        memcpy(place_of(jac), slot.jac, <size_t> self.n * m * sizeof(double))
        if self.system.place is None:
            memcpy(y_out, slot.y, n_rows * n * sizeof(double))
            memcpy(s_out, slot.s, n_rows * n * m * sizeof(double))
        else:
            for row in range(n_rows):
                for k in range(n):
                    y_out[row * n + k] = slot.y[row * n + self.place[k]]
                    memcpy(s_out + (row * n + k) * m, slot.s + (row * n + self.place[k]) * m, m * sizeof(double))
        cdef tuple counts = tuple([slot.counts[k] for k in range(slot.n_counts)])
        cdef tuple end = (slot.status, slot.time, slot.state, counts, slot.stiff_time)
        return full, f, jac, (y, s, end), slot.total, slot.fault, slot.row

    cdef int evaluate(self, Desk desk, const double* active, Slot* slot) except -1 nogil:
        """Integrate, compare, and say in the slot what came of it."""
        cdef int j
        cdef double size = 0.0
        memcpy(slot.p, active, self.m * sizeof(double))
        self.mapping.fill(active, desk.full)
        for j in range(self.m):
            desk.slopes[j] = self.mapping.slope(j, active[j])
        for j in range(self.mapping.n):
            size += desk.full[j]
        desk.run.p, desk.run.y_rows, desk.run.s_rows = desk.full, slot.y, slot.s
        desk.run.count_from(desk.full)
        self.method.integrate(desk.run)
        slot.status, slot.state, slot.n_counts = desk.run.status, desk.run.state, desk.run.n_counts
        slot.time, slot.stiff_time, slot.looseness = desk.run.time, desk.run.stiff_time, desk.run.looseness
        memcpy(slot.counts, desk.run.counts, sizeof(slot.counts))
        self.compare(desk, slot)
        slot.total, slot.row, slot.fault = dot(slot.f, slot.f, self.n), -1, NO_FAULT
        if not isfinite(size):
            slot.fault = FAULT_OF_SIZE
        elif slot.status != OK:
            slot.fault = FAULT_OF_RUN
        elif not (isfinite(slot.total) and isfinite(sum_of(slot.jac, <long> self.n * self.m))):
            slot.fault, slot.row = FAULT_OF_ROW, self._wrong_row(slot)
        if slot.fault != NO_FAULT:
            slot.total = INFINITY
        return 0

    cdef void compare(self, Desk desk, Slot* slot) noexcept nogil:
        """The rows that were observed, weighted, with derivatives by the scaled parameters; after `count_from`."""
        cdef int i, j, n = self.system.n, m = self.m, row = -1
        cdef size_t at
        for i in range(self.n):
            if self.variables[i] < n:
                at = <size_t> self.rows[i] * n + self.variables[i]
                slot.f[i] = self.weights[i] * (slot.y[at] - self.values[i])
                weigh(slot.jac + <size_t> i * m, self.weights[i], slot.s + at * m, desk.slopes, m)
                continue
            if self.rows[i] != row:
                row = self.rows[i]
                self.put_states(slot.y, row, desk.r)
                run_section(self.outputs, desk.r, BY_PARAMETER)
            slot.f[i] = self.weights[i] * (self.put_output(desk, slot, row, self.variables[i] - n, desk.row) - self.values[i])
            weigh(slot.jac + <size_t> i * m, self.weights[i], desk.row, desk.slopes, m)
        for j in range(0 if self.all_used else m):
            if not self.used[j]:
                for i in range(self.n):
                    slot.jac[<size_t> i * m + j] = 0.0

    cdef void put_states(self, const double* y, int row, double* r) noexcept nogil:
        """Time and states of a row into the registers of the outputs."""
        cdef int j, n = self.system.n
        r[0] = self.method.times[self.method.skip + row]
        for j in range(n):
            r[1 + self.system.order[j]] = y[<size_t> row * n + j]

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
        """What is found at scaled active parameters (m,), as `told` says."""
        cdef Slot slot
        cdef Desk desk
        if active.shape[0] != self.m:
            raise ValueError("there is not a value for every active parameter")
        desk = self.desk()
        self.make(&slot)
        try:
            with nogil:
                self.evaluate(desk, &active[0], &slot)
            return self.told(&slot)
        finally:
            free(slot.p)


def sum_of_squares(const double[::1] residuals not None):
    """In an order that is the same on every machine."""
    return dot(&residuals[0], &residuals[0], residuals.shape[0]) if residuals.shape[0] else 0.0


def appraised(const double[::1] residuals not None, const double[:, :] jac not None):
    """The sum of squares of the residuals, and whether it and the Jacobian are finite numbers.

    In an order that is the same on every machine.
    """
    cdef Py_ssize_t n = residuals.shape[0], m = jac.shape[1], i, j
    cdef double total = dot(&residuals[0], &residuals[0], n) if n else 0.0
    cdef double sum_of_jac = 0.0  # finite only if all are, but for an overflow that nobody wants either
    if m and jac.shape[0] and jac.strides[1] == sizeof(double) and jac.strides[0] == m * <Py_ssize_t> sizeof(double):
        sum_of_jac = sum_of(&jac[0, 0], jac.shape[0] * m)
    else:
        for i in range(jac.shape[0]):
            for j in range(m):
                sum_of_jac += jac[i, j]
    return total, isfinite(total) and isfinite(sum_of_jac)


def loss_terms(str name not None, const double[::1] z not None):
    """rho, and its first and second derivatives, (n,) each, of a loss at (residual / scale)^2."""
    cdef Py_ssize_t i
    cdef int kind
    names = [loss_name(kind).decode() for kind in range(N_LOSSES)]
    if name not in names:
        raise ValueError(f"there is no loss of the name {name!r}")
    kind = names.index(name)
    terms = np.empty((3, z.shape[0]))
    cdef double[:, ::1] out = terms
    for i in range(z.shape[0]):
        loss_of(kind, z[i], &out[0, i], &out[1, i], &out[2, i])
    return terms[0], terms[1], terms[2]
