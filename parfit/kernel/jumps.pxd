# Jumps of the states and switches of the equations, at known times and where a condition crosses zero.

from parfit.kernel.tape cimport Tape

# What happens where a condition crosses zero.
cdef enum:
    EVENT = 0    # its action, if it crosses in its direction
    SWITCH = 1   # its mode follows its sign; its direction is its side while it rests at 0
    ABOVE = 2    # its mode grows by 1, where the condition rises
    BELOW = 3    # its mode falls by 1, where the condition falls


cdef class Rows:
    cdef readonly Tape tape
    cdef readonly int n_rows
    cdef int* value
    cdef int* by_time
    cdef int* by_state
    cdef int* by_parameter
    cdef int* y_start
    cdef int* y_column
    cdef int* p_start
    cdef int* p_column
    cdef list _keep
    cdef tuple _made_of        # the arguments

    cdef void run(self, double* r, double t, const double* y, int section) noexcept nogil
    cdef double rate(self, const double* r, int row, const double* f) noexcept nogil
    cdef double size(self, const double* r, int row, double t, const double* y) noexcept nogil
    cdef double error(self, const double* r, int row, const double* weight) noexcept nogil
    cdef void derivative(self, const double* r, int row, int m, const double* s, const double* tau_p,
                         double* out) noexcept nogil


cdef class Jumps:
    cdef readonly int n, m, n_params, n_modes, n_timed, n_conditions, n_actions
    cdef readonly Rows times, conditions, values
    cdef int* timed_action     # (n_timed,), -1 for none
    cdef int* timed_mode       # (n_timed,), -1 for none
    cdef double* timed_before  # (n_timed,): values of the mode before and after
    cdef double* timed_after
    cdef int* timed_given      # (n_timed,): whether it must not lie before the beginning
    cdef int* timed_group      # (n_timed,): those of one group and one time happen at once
    cdef int* kind             # (n_conditions,)
    cdef int* direction        # (n_conditions,): 1 upwards, -1 downwards, 0 both; of a switch 1 or -1, see there
    cdef int* action           # (n_conditions,), -1 for none
    cdef int* mode             # (n_conditions,), -1 for none
    cdef int* first_row        # (n_actions + 1,): rows of `values` of each action
    cdef int* target           # (n_rows,): the state that gets the value
    cdef int* adds             # (n_rows,): whether the value is added
    cdef list _keep
    cdef tuple _made_of        # the arguments
