# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Tapes: straight-line code over registers, for one point or for whole arrays of points.

Registers hold t, then y, then p, then constants, then results; each instruction is (op, out, a, b, c). A tape
has sections that build on each other: section 0 depends on parameters alone and is run once per parameter
vector, sections 1, 2, ... give the results that are wanted at a point (say g, then g_y, then g_p).
"""

from libc.limits cimport INT_MAX, INT_MIN
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

cdef extern from "running.h":
    void run "parfit_run"(const Instruction* i, unsigned int last, double* r, const CurveData* curves) noexcept nogil
    const void* operation_of "parfit_operation"(int op) noexcept nogil

OPCODES = {operation_name(k).decode(): k for k in range(N_OPERATIONS)}


cdef void run_instructions(const Instruction* i, unsigned int last, double* r, const CurveData* curves) noexcept nogil:
    """Run a tape from an instruction on, to the end of section `last`."""
    run(i, last, r, curves)


def whole_numbers(values, str what, int dimensions=1):
    """An array of C integers; nothing else is taken for one, and nothing is rounded or cut off."""
    array = np.asarray(values)
    if array.size == 0:
        array = np.empty((0, 5)[:dimensions], dtype=np.intc)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be whole numbers")
    if array.ndim != dimensions:
        raise ValueError(f"{what} must have {dimensions} dimensions, not {array.ndim}")
    if array.size and not (array.min() >= INT_MIN and array.max() <= INT_MAX):
        raise ValueError(f"{what} are too large")
    return np.array(array, dtype=np.intc, order="C")


def places_among(numbers, int n, int n_all):
    """So many whole numbers, each the place of something among so many."""
    found = whole_numbers(numbers, "places")
    if found.size != n or ((found < 0) | (found >= n_all)).any():
        raise ValueError(f"{n} places among {n_all} are needed")
    return found


def _check_tape(n_states, n_params, code, n_registers, marks, outputs, n_curves):
    """The interpreter of tapes trusts every subscript."""
    if n_states < 0 or n_params < 0 or n_registers < 1 + n_states + n_params:
        raise ValueError("a tape needs registers for t, all states and all parameters")
    if code.shape[1] != 5:
        raise ValueError("an instruction has five numbers")
    op, out, a, b, c = code.T
    is_curve = (op == CURVE) | (op == SLOPE)
    if ((op < 0) | (op >= N_OPERATIONS)).any():
        raise ValueError("there is no such instruction")
    if ((out <= n_states + n_params) | (out >= n_registers)).any():
        raise ValueError("an instruction writes where no results are kept")
    for argument in (a, np.where(is_curve, 0, b), c):
        if ((argument < 0) | (argument >= n_registers)).any():
            raise ValueError("an instruction reads a register that there is not")
    if (is_curve & ((b < 0) | (b >= n_curves))).any():
        raise ValueError("an instruction refers to a curve that there is not")
    if marks.size != len(outputs) + 1 or (np.diff(marks) < 0).any() or marks.min() < 0 or marks.max() > len(code):
        raise ValueError("the marks do not divide the instructions into sections")
    if any(((each < 0) | (each >= n_registers)).any() for each in outputs):
        raise ValueError("a result is in a register that there is not")


cdef int* hold_integers(list keep, values) except NULL:
    """A C array of the values, never empty, that lives as long as `keep`."""
    cdef int[::1] view = np.append(np.asarray(values, dtype=np.intc), np.intc(0))
    keep.append(view)
    return &view[0]


cdef CurveData hold_curve(list keep, curve) except *:
    """A piecewise cubic given as (breaks, coefs), whose arrays live as long as `keep`."""
    at, cubics = curve
    cdef const double[::1] breaks = np.ascontiguousarray(at, dtype=float)
    cdef const double[:, ::1] coefs = np.ascontiguousarray(cubics, dtype=float)
    if coefs.shape[0] != 4 or coefs.shape[1] < 1 or breaks.shape[0] != coefs.shape[1] + 1:
        raise ValueError("a curve needs breaks (k + 1,) and coefs (4, k)")
    keep.append((breaks, coefs))
    return CurveData(coefs.shape[1], &breaks[0], &coefs[0, 0])


cdef class Tape:
    """Immutable code; `n_states` + 1 registers from 0 hold t and y, the next `n_params` hold p."""

    def __cinit__(self, int n_states, int n_params, code, image, marks, outputs, curves=()):
        """code (k, 5) int32; image (n_registers,); marks (n_sections + 1,); outputs: registers per section."""
        cdef int[:, ::1] code_view = whole_numbers(code, "instructions", 2)
        cdef double[::1] image_view = np.ascontiguousarray(image, dtype=float)
        cdef int k
        marks = whole_numbers(marks, "marks")
        outputs = [whole_numbers(each, "outputs") for each in outputs]
        curves = list(curves)
        _check_tape(n_states, n_params, code_view.base, image_view.shape[0], marks, outputs, len(curves))
        self._made_of = n_states, n_params, code_view.base, image_view.base, marks, outputs, curves
        self.n_states, self.n_params, self.n_registers = n_states, n_params, image_view.shape[0]
        self.n_sections = len(outputs)
        self.code = <Instruction*> malloc((code_view.shape[0] + len(marks)) * sizeof(Instruction))
        self.sections = <Instruction**> malloc((len(marks) + 1) * sizeof(Instruction*))
        self.image = <double*> malloc(self.n_registers * sizeof(double))
        self.outputs = <int**> malloc(max(1, self.n_sections) * sizeof(int*))
        self.n_outputs = <int*> malloc(max(1, self.n_sections) * sizeof(int))
        self.curves = <CurveData*> malloc(max(1, len(curves)) * sizeof(CurveData))
        if not (self.code and self.sections and self.image and self.outputs and self.n_outputs and self.curves):
            raise MemoryError
        self.write(code_view, marks)
        memcpy(self.image, &image_view[0], self.n_registers * sizeof(double))
        self._keep = []
        for k in range(self.n_sections):
            self.outputs[k] = hold_integers(self._keep, outputs[k])
            self.n_outputs[k] = len(outputs[k])
        for k in range(len(curves)):
            self.curves[k] = hold_curve(self._keep, curves[k])

    def __reduce__(self):
        return Tape, self._made_of

    def __dealloc__(self):
        free(self.code)
        free(self.sections)
        free(self.image)
        free(self.outputs)
        free(self.n_outputs)
        free(self.curves)

    cdef int write(self, const int[:, ::1] code, const int[::1] marks) except -1:
        """Put down the instructions (k, 5) with an end behind every section."""
        cdef Instruction* i = self.code
        cdef int section, row = 0
        for section in range(marks.shape[0]):
            self.sections[section] = i
            for row in range(row, marks[section]):
                i[0] = Instruction(operation_of(code[row, 0]), code[row, 1], code[row, 2], code[row, 3], code[row, 4])
                i += 1
            row = marks[section]
            i[0] = Instruction(operation_of(N_OPERATIONS), section, 0, 0, 0)
            i += 1
        self.sections[marks.shape[0]] = i
        return 0

    cdef void prepare(self, double* r, const double* p) noexcept nogil:
        """Fill the registers with constants and parameters, and compute what depends on these alone."""
        memcpy(r, self.image, self.n_registers * sizeof(double))
        if self.n_params:
            memcpy(r + 1 + self.n_states, p, self.n_params * sizeof(double))
        run(self.sections[0], 0, r, self.curves)

    cdef void extend(self, double* r, int done, int section) noexcept nogil:
        """Compute sections after `done` up to `section`, at the point where `done` was computed."""
        if done < section:
            run(self.sections[done + 1], section, r, self.curves)

    @property
    def n_instructions(self):
        """Instructions per section, that of the parameters first."""
        return tuple([self.sections[k + 1] - self.sections[k] - 1 for k in range(self.n_sections + 1)])

    def evaluate(self, const double[::1] t not None, const double[:, ::1] y not None, const double[::1] p not None,
                 int sections):
        """Results of the first sections at many points: a list of arrays (n_points, n_outputs)."""
        cdef Py_ssize_t n_points = t.shape[0], k
        cdef int section, i
        if y.shape[0] != n_points or y.shape[1] != self.n_states or p.shape[0] != self.n_params:
            raise ValueError("t, y and p do not fit each other and the model")
        if not 0 < sections <= self.n_sections:
            raise ValueError(f"this tape has {self.n_sections} sections")
        results = [np.empty((n_points, self.n_outputs[section])) for section in range(sections)]
        work = np.empty(self.n_registers + sections)
        cdef double[::1] work_view = work
        cdef double* r = &work_view[0]
        cdef double** targets = <double**> malloc(sections * sizeof(double*))
        if not targets:
            raise MemoryError
        cdef double[:, ::1] result
        for section in range(sections):
            if n_points and self.n_outputs[section]:
                result = results[section]
                targets[section] = &result[0, 0]
        with nogil:
            self.prepare(r, &p[0] if self.n_params else NULL)
            for k in range(n_points):
                r[0] = t[k]
                if self.n_states:
                    memcpy(r + 1, &y[k, 0], self.n_states * sizeof(double))
                run_section(self, r, sections)
                for section in range(sections):
                    for i in range(self.n_outputs[section]):
                        targets[section][k * self.n_outputs[section] + i] = r[self.outputs[section][i]]
        free(targets)
        return results
