# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Jumps of the states and switches of the equations, as plain data: when, what, and all derivatives.

A model with switches sees modes in their place: numbers behind the parameters that stay as they are until something
happens.
"""

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from parfit.kernel.tape cimport Tape, hold_integers, run_section
from parfit.kernel.vectors cimport add

import numpy as np

from parfit.kernel.tape import whole_numbers


cdef class Rows:
    """A vector function of t, y and p with its derivatives, by a tape of two sections: values, then derivatives."""

    def __cinit__(self, Tape tape not None, by_state, by_parameter, int m):
        """The derivatives: by t of every row, then the entries of two patterns (start, column) by y and p."""
        if tape.n_sections != 2:
            raise ValueError("the tape of a jump has two sections")
        self._made_of = tape, by_state, by_parameter, m
        self.tape, self.n_rows, self._keep = tape, tape.n_outputs[0], []
        y_start, y_column = (whole_numbers(each, "patterns") for each in by_state)
        p_start, p_column = (whole_numbers(each, "patterns") for each in by_parameter)
        for start, column, width in ((y_start, y_column, tape.n_states), (p_start, p_column, m)):
            if start.size != self.n_rows + 1 or start[0] != 0 or (np.diff(start) < 0).any() or start.max() != column.size:
                raise ValueError("the rows of a pattern do not divide its entries")
            if ((column < 0) | (column >= width)).any():
                raise ValueError("the entries of a pattern are outside the matrix")
        if tape.n_outputs[1] != self.n_rows + y_column.size + p_column.size:
            raise ValueError("the tape of a jump lacks derivatives")
        self.y_start, self.y_column = hold_integers(self._keep, y_start), hold_integers(self._keep, y_column)
        self.p_start, self.p_column = hold_integers(self._keep, p_start), hold_integers(self._keep, p_column)
        self.value, self.by_time = tape.outputs[0], tape.outputs[1]
        self.by_state = self.by_time + self.n_rows
        self.by_parameter = self.by_state + <Py_ssize_t> y_column.size

    def __reduce__(self):
        return Rows, self._made_of

    cdef void run(self, double* r, double t, const double* y, int section) noexcept nogil:
        r[0] = t
        memcpy(r + 1, y, self.tape.n_states * sizeof(double))
        run_section(self.tape, r, section)

    cdef double rate(self, const double* r, int row, const double* f) noexcept nogil:
        """The total derivative of a row by time, along states that move by f."""
        cdef int k
        cdef double total = r[self.by_time[row]]
        for k in range(self.y_start[row], self.y_start[row + 1]):
            total += r[self.by_state[k]] * f[self.y_column[k]]
        return total

    cdef double size(self, const double* r, int row, double t, const double* y) noexcept nogil:
        """How large a row would be if nothing in it cancelled."""
        cdef int k
        cdef double total = fabs(r[self.by_time[row]] * t)
        for k in range(self.y_start[row], self.y_start[row + 1]):
            total += fabs(r[self.by_state[k]] * y[self.y_column[k]])
        return total

    cdef double error(self, const double* r, int row, const double* weight) noexcept nogil:
        """By how much a row may be wrong where the states may be by 1 / weight; one that never moved is not."""
        cdef int k
        cdef double total = 0.0
        for k in range(self.y_start[row], self.y_start[row + 1]):
            if weight[self.y_column[k]] > 0.0:
                total += fabs(r[self.by_state[k]]) / weight[self.y_column[k]]
        return total

    cdef void derivative(self, const double* r, int row, int m, const double* s, const double* tau_p,
                         double* out) noexcept nogil:
        """out (m,) = by_state s + by_parameter + by_time tau_p, the last only if tau_p is given."""
        cdef int k
        memset(out, 0, m * sizeof(double))
        for k in range(self.y_start[row], self.y_start[row + 1]):
            add(out, r[self.by_state[k]], s + <size_t> self.y_column[k] * m, m)
        for k in range(self.p_start[row], self.p_start[row + 1]):
            out[self.p_column[k]] += r[self.by_parameter[k]]
        if tau_p != NULL:
            add(out, r[self.by_time[row]], tau_p, m)


cdef double* _hold_numbers(list keep, values) except NULL:
    cdef double[::1] view = np.append(np.asarray(values, dtype=float), 0.0)
    keep.append(view)
    return &view[0]


def _places(values, int count, int limit, str what, int lowest=-1):
    """Whole numbers from the lowest to below a limit, so many of them."""
    found = whole_numbers(values, what)
    if found.size != count or ((found < lowest) | (found >= limit)).any():
        raise ValueError(f"{what} are not those of the jumps")
    return found


def _check_crossing(kinds, directions, actions, modes):
    """An event acts, a switch has a mode and a side at 0, a number that steps has a condition for either end."""
    if ((kinds == EVENT) & (actions < 0)).any() or ((kinds != EVENT) & (modes < 0)).any():
        raise ValueError("a jump lacks an action or a mode")
    if ((kinds == SWITCH) & (directions == 0)).any():
        raise ValueError("a switch lacks its side at 0")
    upper, lower = np.flatnonzero(kinds == ABOVE), np.flatnonzero(kinds == BELOW)
    if not np.array_equal(upper + 1, lower) or (modes[upper] != modes[lower]).any():
        raise ValueError("the two conditions of a number that steps do not belong together")


cdef class Jumps:
    """All jumps of a model; immutable, so that threads can share it."""

    def __cinit__(self, Rows times not None, timed, Rows conditions not None, crossing, Rows values not None, actions,
                  int m, int n_modes):
        """timed: actions, modes, values of these before and after, groups, whether it is given and must not lie before
        the beginning; crossing: kinds, directions, actions, modes.

        actions: first row of each and behind the last, states in the order of the system, whether values are added.
        """
        self._made_of = times, timed, conditions, crossing, values, actions, m, n_modes
        tape, others = times.tape, (conditions.tape, values.tape)
        if any((each.n_states, each.n_params) != (tape.n_states, tape.n_params) for each in others):
            raise ValueError("the tapes are those of different models")
        if any((<Rows> each)._made_of[3] != m for each in (times, conditions, values)) or n_modes < 0:
            raise ValueError("the derivatives or the modes are not those of the jumps")
        if times.y_start[times.n_rows]:
            raise ValueError("a time that is known beforehand does not depend on states")
        # Without checks of bounds Cython reads past the end of a short list: so all are taken apart by unpacking.
        timed_actions, timed_modes, before, after, groups, given = timed
        kinds, directions, crossing_actions, crossing_modes = crossing
        first, targets, additions = actions
        first = whole_numbers(first, "actions")
        if first.size == 0 or first[0] != 0 or (np.diff(first) < 0).any() or first.max() != values.n_rows:
            raise ValueError("the actions do not divide their rows")
        self.times, self.conditions, self.values, self._keep = times, conditions, values, []
        self.n, self.m, self.n_modes, self.n_params = tape.n_states, m, n_modes, tape.n_params - n_modes
        self.n_timed, self.n_conditions, self.n_actions = times.n_rows, conditions.n_rows, first.size - 1
        held, n_a, n_t, n_c = self._keep, self.n_actions, self.n_timed, self.n_conditions
        self.timed_action = hold_integers(held, _places(timed_actions, n_t, n_a, "actions"))
        self.timed_mode = hold_integers(held, _places(timed_modes, n_t, n_modes, "modes"))
        if len(before) != n_t or len(after) != n_t or self.n_params < 0:
            raise ValueError("the values of the modes are not those of the jumps")
        self.timed_before, self.timed_after = _hold_numbers(held, before), _hold_numbers(held, after)
        self.timed_group = hold_integers(held, _places(groups, n_t, n_t, "groups", 0))
        self.timed_given = hold_integers(held, _places(given, n_t, 2, "what is given", 0))
        self.kind = hold_integers(held, _places(kinds, n_c, 4, "kinds", 0))
        self.direction = hold_integers(held, _places(directions, n_c, 2, "directions"))
        self.action = hold_integers(held, _places(crossing_actions, n_c, n_a, "actions"))
        self.mode = hold_integers(held, _places(crossing_modes, n_c, n_modes, "modes"))
        self.first_row = hold_integers(held, first)
        self.target = hold_integers(held, _places(targets, values.n_rows, self.n, "targets", 0))
        self.adds = hold_integers(held, _places(additions, values.n_rows, 2, "additions", 0))
        _check_crossing(*(whole_numbers(each, "conditions") for each in crossing))

    def __reduce__(self):
        return Jumps, self._made_of
