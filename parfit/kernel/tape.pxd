# A tape: straight-line code over a file of registers.

cdef extern from "operations.h":
    int N_OPERATIONS "PARFIT_N_OPERATIONS"
    int CURVE "PARFIT_CURVE"
    int SLOPE "PARFIT_SLOPE"

    ctypedef struct Instruction "parfit_instruction":
        int op
        int out
        int a
        int b
        int c

    ctypedef struct CurveData "parfit_curve":
        int n_pieces
        const double* breaks
        const double* coefs

    const char* operation_name "parfit_operation_name"(int op) noexcept nogil
    double curve_value "parfit_curve_value"(const CurveData* curve, double t, int derivative) noexcept nogil
    void run_instructions "parfit_run"(
        const Instruction* i, const Instruction* end, double* r, const CurveData* curves
    ) noexcept nogil


cdef class Tape:
    cdef readonly int n_registers, n_states, n_params
    cdef Instruction* code
    cdef int* marks              # marks[0]: end of what depends on parameters alone; marks[k]: end of section k
    cdef double* image           # initial registers: t, y, p, constants, then room for results
    cdef int** outputs           # registers of the results of each section
    cdef int* n_outputs
    cdef readonly int n_sections
    cdef CurveData* curves
    cdef list _keep              # the arrays that the curves point into
    cdef tuple _made_of          # what makes another one like it, in another process too

    cdef void prepare(self, double* r, const double* p) noexcept nogil
    cdef void extend(self, double* r, int done, int section) noexcept nogil


cdef inline void run_section(Tape tape, double* r, int section) noexcept nogil:
    """Compute sections 1 to `section` for the t and y in the registers."""
    run_instructions(tape.code + tape.marks[0], tape.code + tape.marks[section], r, tape.curves)


cdef int* hold_integers(list keep, values) except NULL
cdef CurveData hold_curve(list keep, curve) except *
