# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The equations as an integrator sees them, and the operations that all integrators share."""

from libc.math cimport isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from parfit.kernel.linalg cimport (BANDED, DENSE, SMALL, SPARSE, Fill, as_dense, clear, element, factor,
                                  matrix_shape, prepare, sparse_shape)
from parfit.kernel.status cimport NOT_SMOOTH, OK, SINGULAR, START
from parfit.kernel.tape cimport hold_curve, hold_integers, run_section
from parfit.kernel.vectors cimport clear_row

import numpy as np

from parfit.kernel.tape import whole_numbers

cdef extern from "coupling.h":
    void put_small "parfit_put_small"(double* a, int n, const Pattern* g_y, const double* r, const double* gamma,
                                      double h) noexcept nogil

# How often a system with factors at hand is solved to solve it to the accuracy that sensitivities need, as measured.
SOLUTIONS = 2.5

cdef int check_times(const double[::1] times) except -1:
    """Times must be finite and must not decrease."""
    cdef Py_ssize_t k
    for k in range(times.shape[0]):
        if not isfinite(times[k]) or (k and times[k] < times[k - 1]):
            raise ValueError("times must be finite and must not decrease")
    return 0


cdef long steps_between_polls(System system, int m) noexcept nogil:
    """How many steps take well under a tenth of a second: a step costs up to n^3 / 3 + n m operations, and a tape."""
    cdef double n = system.n
    cdef double band = n
    if system.shape.kind == BANDED:
        band = system.shape.kl + system.shape.ku + 1
    if system.shape.kind == SPARSE:
        band = system.outline.fill.start[system.n] / n
    return 1 + <long> (2e6 / (100.0 + system.dynamics.n_registers + n * band * band + n * m * (10.0 + band)))


cdef Pattern _pattern(list keep, pattern, int* registers) except *:
    return Pattern(hold_integers(keep, pattern[0]), hold_integers(keep, pattern[1]), registers)


def _whole_pair(pair, what):
    first, second = pair
    return whole_numbers(first, what), whole_numbers(second, what)


def _check_values(n, n_rates, n_initial):
    if n_rates != n or n_initial != n:
        raise ValueError("a tape does not give one value for every state")


def _check_pattern(pattern, n_rows, n_columns, n_entries):
    start, column = pattern
    if start.size != n_rows + 1 or start[0] != 0 or (np.diff(start) < 0).any() or start.max() != column.size:
        raise ValueError("the rows of a pattern do not divide its entries")
    if column.size != n_entries or ((column < 0) | (column >= n_columns)).any():
        raise ValueError("the entries of a pattern are not those of the tape, or are outside the matrix")


def _check_structure(n, m, g_y, order, bandwidths, ranges, segments):
    low, high = ranges
    first, last = segments
    if m < 0 or not np.array_equal(np.sort(order), np.arange(n)):
        raise ValueError("the order must name every state once")
    row = np.repeat(np.arange(n), np.diff(g_y[0]))
    if (np.diff(row * n + g_y[1]) <= 0).any():
        raise ValueError("the columns of g_y must increase in every row")
    below, above = (row - g_y[1]).max(initial=0), (g_y[1] - row).max(initial=0)
    if bandwidths.size != 2 or not (below <= bandwidths[0] < n and above <= bandwidths[1] < n):
        raise ValueError("the matrix is wider than its band, or narrower than none")
    if low.size != n or high.size != n or ((low < 0) | (low > high) | (high > m)).any():
        raise ValueError("the ranges of columns do not fit the parameters")
    if first.size != last.size or ((first < 0) | (first > last) | (last > n * m)).any():
        raise ValueError("the segments do not fit the sensitivities")


def _check_ranges(g_y, direct, low, high):
    """A row has the columns of what it depends on."""
    row = np.repeat(np.arange(low.size), np.diff(g_y[0]))
    used = low[g_y[1]] < high[g_y[1]]
    within = (low[row] <= low[g_y[1]]) & (high[g_y[1]] <= high[row])
    for start, column in direct:
        at = np.repeat(np.arange(low.size), np.diff(start))
        if ((column < low[at]) | (column >= high[at])).any():
            raise ValueError("a derivative by a parameter lies outside the range of its row")
    if not within[used].all():
        raise ValueError("a row does not have all columns of a row that it depends on")


def _check_fill(fill, n, g_y):
    """Gives the columns and the places of the diagonal in the rows of a sparse matrix, and those of g_y's entries."""
    start, column = fill
    _check_pattern(fill, n, n, column.size)
    places = np.repeat(np.arange(n), np.diff(start)) * n + column
    if (np.diff(places) <= 0).any():
        raise ValueError("the columns of a sparse matrix must increase in every row")
    wanted = np.concatenate((np.arange(n) * (n + 1), np.repeat(np.arange(n), np.diff(g_y[0])) * n + g_y[1]))
    found = np.searchsorted(places, wanted)
    if found.max() >= places.size or (places[found] != wanted).any():
        raise ValueError("a sparse matrix has no place for one of its entries")
    return whole_numbers(found[:n], "fill"), whole_numbers(found[n:], "fill")


def _iteration_pays(n, m, fill, outline, g_y):
    """Whether it is less work to solve SOLUTIONS times with factors at hand than to factor completely for every step."""
    row = np.repeat(np.arange(n), np.diff(fill[0]))
    above = np.bincount(row[fill[1] > row], minlength=n)
    direct = above[fill[1][fill[1] < row]].sum() + m * len(fill[1])
    return bool(direct > SOLUTIONS * m * (len(outline[1]) + len(g_y[1]) + 3 * n))


cdef class System:
    """Immutable; holds tapes and structure, so that any number of threads can integrate it at once."""

    def __cinit__(self, Tape dynamics not None, Tape initial not None, patterns, order, bandwidths, int m, ranges,
                  segments, bint autonomous, fill=None, outline=None):
        """Structure as `model.assembly` finds it; see the fields.

        patterns: (start, column) of g_y, g_p and dy0/dp; bandwidths: below, above; ranges: low, high, each (n,);
        segments: first, last; fill: (start, column) of the factors of I - h g_y if they are to be sparse; outline: of
        incomplete ones that usually serve in their place.
        """
        if dynamics.n_sections < 3 or initial.n_sections < 2 or dynamics.n_states < 1:
            raise ValueError("the tapes lack states, or sections of derivatives")
        if (initial.n_states, initial.n_params) != (dynamics.n_states, dynamics.n_params):
            raise ValueError("the tapes are those of different models")
        g_y, g_p, y0_p = [_whole_pair(pattern, "patterns") for pattern in patterns]
        order, bandwidths = whole_numbers(order, "the order"), whole_numbers(bandwidths, "bandwidths")
        ranges, segments = _whole_pair(ranges, "ranges"), _whole_pair(segments, "segments")
        _check_values(dynamics.n_states, dynamics.n_outputs[0], initial.n_outputs[0])
        _check_pattern(g_y, dynamics.n_states, dynamics.n_states, dynamics.n_outputs[1])
        _check_pattern(g_p, dynamics.n_states, m, dynamics.n_outputs[2])
        _check_pattern(y0_p, dynamics.n_states, m, initial.n_outputs[1])
        _check_structure(dynamics.n_states, m, g_y, order, bandwidths, ranges, segments)
        _check_ranges(g_y, (g_p, y0_p), *ranges)
        patterns = g_y, g_p, y0_p
        self._made_of = dynamics, initial, patterns, order, bandwidths, m, ranges, segments, autonomous, fill, outline
        self.dynamics, self.initial = dynamics, initial
        self.n, self.n_params = dynamics.n_states, dynamics.n_params
        self._keep = []
        self.g_y = _pattern(self._keep, patterns[0], dynamics.outputs[1])
        self.g_p = _pattern(self._keep, patterns[1], dynamics.outputs[2])
        self.y0_p = _pattern(self._keep, patterns[2], initial.outputs[1])
        self.order = hold_integers(self._keep, order)
        self.place = None if np.array_equal(order, np.arange(self.n)) else np.argsort(order)
        self.low, self.high = hold_integers(self._keep, ranges[0]), hold_integers(self._keep, ranges[1])
        self.m = m
        self.coupling = self._coupled(g_y)
        self.n_segments = len(segments[0])
        self.segment_first = hold_integers(self._keep, segments[0])
        self.segment_last = hold_integers(self._keep, segments[1])
        self.autonomous = autonomous
        prepare(self.n)
        self.shape = matrix_shape(self.n, bandwidths[0], bandwidths[1])
        self.outline = self.shape
        if fill is not None:
            fill = _whole_pair(fill, "fill")
            self.shape = self.outline = self._sparse(fill, g_y, True)
            outline = fill if outline is None else _whole_pair(outline, "outline")
            self.iterates = _iteration_pays(self.n, m, fill, outline, g_y)
        if outline is not fill:
            if fill is None or outline[1].size > fill[1].size:
                raise ValueError("an outline belongs to a sparse matrix, and is smaller")
            self.outline = self._sparse(outline, g_y, False)

    cdef Coupling _coupled(self, g_y) except *:
        """How the rows of dy/dp depend on each other."""
        row = np.repeat(np.arange(self.n), np.diff(g_y[0]))
        middle = g_y[0][: self.n] + np.bincount(row[g_y[1] < row], minlength=self.n)
        triangular = bool((g_y[1] <= row).all())
        return Coupling(self.n, self.m, triangular, self.g_y, self.g_p, hold_integers(self._keep, middle), self.low,
                        self.high)

    cdef Matrix _sparse(self, fill, g_y, bint complete) except *:
        middle, at = _check_fill(fill, self.n, g_y)
        cdef Fill places
        places.n, places.complete = self.n, complete
        places.start, places.column = hold_integers(self._keep, fill[0]), hold_integers(self._keep, fill[1])
        places.middle, places.at = hold_integers(self._keep, middle), hold_integers(self._keep, at)
        return sparse_shape(places)

    def __reduce__(self):
        return System, self._made_of

    @property
    def solver(self):
        """How the linear systems of this model are solved."""
        return {SMALL: "small", DENSE: "dense", BANDED: "banded", SPARSE: "sparse"}[self.shape.kind]

    cdef int extend_by_parameter(self, double* r) noexcept nogil:
        """Compute g_p too, at the point where g and g_y were computed: OK or NOT_SMOOTH."""
        self.dynamics.extend(r, BY_STATE, BY_PARAMETER)
        return OK if is_smooth(self, r) else NOT_SMOOTH

    cdef int bad_state(self, const double* r, int section) noexcept nogil:
        """The model's subscript of the first state whose equation gave something that is not finite, or -1."""
        cdef int i, k
        for i in range(self.n):
            if not isfinite(r[self.dynamics.outputs[0][i]]):
                return self.order[i]
        for i in range(self.n):
            for k in range(self.g_y.start[i], self.g_y.start[i + 1]):
                if section >= BY_STATE and not isfinite(r[self.g_y.reg[k]]):
                    return self.order[i]
            for k in range(self.g_p.start[i], self.g_p.start[i + 1]):
                if section >= BY_PARAMETER and not isfinite(r[self.g_p.reg[k]]):
                    return self.order[i]
        return -1

    cdef int factor_shifted(self, const double* r, const Blend* blend, double h, Matrix* matrix) noexcept nogil:
        """Factor I - h g_y with the derivatives in the registers: OK, SINGULAR or NOT_SMOOTH."""
        cdef Matrix dense
        cdef bint done
        self.put_shifted(r, blend, h, matrix)
        done = factor(matrix)
        if not done and matrix.kind == SPARSE and not matrix.fill.complete:
            matrix.fill = self.shape.fill
            self.put_shifted(r, blend, h, matrix)
            done = factor(matrix)
        if not done and matrix.kind == SPARSE:  # its rows must be exchanged
            dense = as_dense(matrix)
            self.put_shifted(r, blend, h, &dense)
            done = factor(&dense)
            matrix.permuted = 1
        if done:
            return OK
        return SINGULAR if all_finite(r, self.g_y.reg, self.g_y.start[self.n]) else NOT_SMOOTH

    cdef void put_shifted(self, const double* r, const Blend* blend, double h, Matrix* matrix) noexcept nogil:
        """matrix = I - h g_y."""
        cdef int i, k, j
        cdef bint sparse = matrix.kind == SPARSE
        if matrix.kind == SMALL:
            put_small(matrix.a, self.n, &self.g_y, r, blend.gamma, h)
            return
        clear(matrix)
        for i in range(self.n):
            (matrix.a + matrix.fill.middle[i] if sparse else element(matrix, i, i))[0] = 1.0
            for k in range(self.g_y.start[i], self.g_y.start[i + 1]):
                j = self.g_y.column[k]
                (matrix.a + matrix.fill.at[k] if sparse else element(matrix, i, j))[0] -= h * slope_at(self, blend, r, k)

    cdef void sensitivity_rates(
        self, const double* r, const Blend* blend, const double* s, double* rates
    ) noexcept nogil:
        """rates = g_y s + g_p, all (n, m) by rows, with the derivatives in the registers."""
        cdef int i, k
        cdef double* row
        for i in range(self.n):
            row = rates + <size_t> i * self.m
            clear_row(row + self.low[i], self.high[i] - self.low[i])
            add_product(self, r, blend, 1.0, s, i, row)
            for k in range(self.g_p.start[i], self.g_p.start[i + 1]):  # single numbers last: what is stored one by one
                row[self.g_p.column[k]] += r[self.g_p.reg[k]]          # cannot be loaded by twos at once

    cdef int start(self, const double* p, double t0, double* work, double* y, double* s, int* state) noexcept nogil:
        """Initial values y and, unless s is NULL, their derivatives s (n, m): OK, START or NOT_SMOOTH."""
        cdef int i, k, status = OK
        self.initial.prepare(work, p)
        work[0] = t0
        run_section(self.initial, work, 1 if s == NULL else 2)
        if s != NULL:
            memset(s, 0, <size_t> self.n * self.m * sizeof(double))
        for i in range(self.n):
            y[i] = work[self.initial.outputs[0][i]]
            if not isfinite(y[i]) and status == OK:
                status, state[0] = START, self.order[i]
            for k in range(self.y0_p.start[i], self.y0_p.start[i + 1] if s != NULL else 0):
                s[<size_t> i * self.m + self.y0_p.column[k]] = work[self.y0_p.reg[k]]
                if not isfinite(work[self.y0_p.reg[k]]) and status == OK:
                    status, state[0] = NOT_SMOOTH, self.order[i]
        return status

    cdef inside(self, array):
        """Values (n, ...) of the states as the kernel has them, from the model's order."""
        return array if self.place is None else array[[self.order[i] for i in range(self.n)]]

    cdef in_order(self, array):
        """Results (n_times, n, ...) with the states in the model's order."""
        return array if array is None or self.place is None else np.take(array, self.place, axis=1)


cdef class Blending:
    """gamma and a curve for every state of a system; see `Blend`."""

    def __cinit__(self, System system not None, gamma, curves):
        """gamma (n,) and n curves (breaks, coefs) in the model's order; a curve may be None where gamma is 1."""
        cdef int i
        gamma, curves = np.array(gamma, dtype=float), list(curves)
        if gamma.shape != (system.n,) or len(curves) != system.n:
            raise ValueError("blending takes a gamma and a curve for every state")
        self._made_of = system, gamma, curves
        self.n = system.n
        cdef double[::1] weights = np.empty(system.n)
        self._keep = [weights]
        self.curves = <CurveData*> malloc(max(1, system.n) * sizeof(CurveData))
        if not self.curves:
            raise MemoryError
        for i in range(system.n):
            weights[i] = gamma[system.order[i]]
            curve = curves[system.order[i]]
            if curve is None:
                if weights[i] != 1.0:
                    raise ValueError("a state with gamma below 1 needs a curve")
                continue
            self.curves[i] = hold_curve(self._keep, curve)
        self.blend.gamma, self.blend.curves = &weights[0], self.curves

    def __reduce__(self):
        return Blending, self._made_of

    def __dealloc__(self):
        free(self.curves)
