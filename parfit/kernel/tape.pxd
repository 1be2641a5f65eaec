# A tape: straight-line code over a file of registers.

cdef extern from "operations.h":
    int N_OPERATIONS "PARFIT_N_OPERATIONS"
    int CURVE "PARFIT_CURVE"
    int SLOPE "PARFIT_SLOPE"

    ctypedef struct Instruction "parfit_instruction":
        const void* operation
        unsigned int out
        unsigned int a
        unsigned int b
        unsigned int c

    ctypedef struct CurveData "parfit_curve":
        int n_pieces
        const double* breaks
        const double* coefs

    const char* operation_name "parfit_operation_name"(int op) noexcept nogil
    double curve_value "parfit_curve_value"(const CurveData* curve, double t, int derivative) noexcept nogil


cdef class Tape:
    cdef readonly int n_registers, n_states, n_params
    cdef Instruction* code
    cdef Instruction** sections  # where each begins, 0 being what depends on parameters alone, and the end of all
    cdef double* image           # initial registers: t, y, p, constants, then room for results
    cdef int** outputs           # registers of the results of each section
    cdef int* n_outputs
    cdef readonly int n_sections
    cdef CurveData* curves
    cdef list _keep              # the arrays that the curves point into
    cdef tuple _made_of          # what makes another one like it, in another process too

    cdef int write(self, const int[:, ::1] code, const int[::1] marks) except -1
    cdef void prepare(self, double* r, const double* p) noexcept nogil
    cdef void extend(self, double* r, int done, int section) noexcept nogil


cdef void run_instructions(const Instruction* i, unsigned int last, double* r, const CurveData* curves) noexcept nogil


cdef inline void run_section(Tape tape, double* r, int section) noexcept nogil:
    """Compute sections 1 to `section` for the t and y in the registers."""
    run_instructions(tape.sections[1], section, r, tape.curves)


cdef int* hold_integers(list keep, values) except NULL
cdef CurveData hold_curve(list keep, curve) except *
