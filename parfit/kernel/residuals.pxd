# Observations against a solution of the equations: residuals and their derivatives, from scaled active parameters.

from parfit.kernel.integrator cimport Integration, Integrator
from parfit.kernel.mapping cimport Mapping
from parfit.kernel.system cimport System
from parfit.kernel.tape cimport Tape

cdef enum:
    NO_FAULT = 0
    FAULT_OF_RUN = 1    # the equations could not be integrated
    FAULT_OF_SIZE = 2   # a scaled parameter is too large for a number
    FAULT_OF_ROW = 3    # a residual or a derivative of it is no number, or their squares are too large

# A problem at a point, and how its integration ended.
cdef struct Slot:
    double* p           # scaled active parameters, (m,); the memory of all that follows begins here
    double* f           # (n,)
    double* jac         # (n, m)
    double* y           # (n_rows, n_states), in the order of the kernel
    double* s           # (n_rows, n_states, m)
    double total        # sum of squares, infinite where it cannot be had
    double looseness
    int fault
    int row             # of a fault in the residuals, -1 for none
    int status, state
    double time, stiff_time
    int n_counts
    long counts[6]


# A run that ends where the squares of what is observed up to there are more than is allowed.
cdef class Tallied(Integration):
    cdef Residuals problem
    cdef double* r          # registers of the outputs
    cdef double most, total # of the squares
    cdef int n_counted      # observations

    cdef void count_from(self, const double* full) noexcept nogil


cdef class Desk:
    cdef Tallied run
    cdef double* work
    cdef double* full   # all parameters
    cdef double* slopes # of the scaling, (m,)
    cdef double* row    # derivatives of an output, (m,)
    cdef double* r      # registers of the outputs


cdef class Residuals:
    cdef readonly int n, m              # residuals, active parameters
    cdef readonly Integrator method
    cdef readonly Mapping mapping
    cdef System system
    cdef Py_ssize_t n_rows              # of the solution
    cdef Tape outputs                   # of the quantities that are no states, None without them
    cdef int* rows                      # of the solution, (n,)
    cdef int* by_row                    # the observations as their rows follow each other, (n,)
    cdef int* variables                 # a place among the states of the kernel, or behind them one of the outputs
    cdef int* place                     # in the kernel, of the model's states
    cdef int* used                      # whether anything observed depends on an active parameter, (m,)
    cdef bint all_used
    cdef double* weights
    cdef double* values
    cdef int* h_y_start
    cdef int* h_y_column                # places of states in the kernel
    cdef int* h_p_start
    cdef int* h_p_column
    cdef list _keep
    cdef tuple _made_of

    cdef Desk desk(self)
    cdef int make(self, Slot* slot) except -1
    cdef tuple told(self, const Slot* slot)
    cdef int evaluate(self, Desk desk, const double* active, Slot* slot) except -1 nogil
    cdef void compare(self, Desk desk, Slot* slot) noexcept nogil
    cdef void put_states(self, const double* y, int row, double* r) noexcept nogil
    cdef int _wrong_row(self, const Slot* slot) noexcept nogil
    cdef double put_output(self, Desk desk, const Slot* slot, int row, int k, double* derivatives) noexcept nogil
