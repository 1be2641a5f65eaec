# The jumps of one integration: what has happened, and what is to come.

from parfit.kernel.jumps cimport Jumps
from parfit.kernel.system cimport Blend, System


cdef class Jumping:
    cdef Jumps jumps
    cdef System system
    cdef int n, m
    cdef double* p             # parameters, then modes
    cdef double* memory
    cdef int* flags
    cdef double* r_conditions
    cdef double* r_values
    cdef double* tau           # (n_timed,)
    cdef double* tau_p         # (n_timed, m)
    cdef double* c             # (n_conditions,): values at the last look
    cdef double* f             # (n,)
    cdef double* before        # (n,): f before the jump under way
    cdef double* y             # (n,): room for whoever looks for a crossing
    cdef double* state         # (n,)
    cdef double* w             # (n, m)
    cdef double* moved         # (n,): where an action gives a state something, 1; NULL if nobody asks
    cdef double* shift         # (m,): derivatives of the time of the jump under way; and room for as many
    cdef bint acted            # the jump under way has changed states
    cdef int* order            # (n_timed,): by time
    cdef int* side             # (n_conditions,): 1 or -1; 0 of an event whose condition rests at 0
    cdef int* hit              # (n_conditions,): how it has come to 0 now, 0 if it has not
    cdef int* due              # (n_actions,)
    cdef bint begun            # what happens at the first time has happened
    cdef int next
    cdef int idle              # crossings in a row without progress
    cdef double last           # time of the last crossing
    cdef bint undefined        # a condition has no value
    cdef int bad_state

    cdef const double* with_modes(self, const double* p) noexcept nogil
    cdef int begin(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil
    cdef double next_time(self) noexcept nogil
    cdef bint is_due(self, double t) noexcept nogil
    cdef int fire_timed(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil
    cdef bint crossed(self, double t, const double* y) noexcept nogil
    cdef double condition(self, int k, double t, const double* y) noexcept nogil
    cdef int fire_crossed(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil
    cdef int _fire(self, double* r, const Blend* blend, double t, double* y, double* s) noexcept nogil
    cdef void _act(self, double t, double* y, double* s) noexcept nogil
    cdef void _move(self, int row, double* s, bint adding) noexcept nogil
    cdef void _turn(self, int k) noexcept nogil
    cdef bint _other_hit(self, int k) noexcept nogil
    cdef bint _look_again(self, double t, const double* y) noexcept nogil
    cdef bint _step(self, int k, double value) noexcept nogil
    cdef bint _leave(self) noexcept nogil
    cdef int _find_rates(self, double* r, const Blend* blend, double t, const double* y) noexcept nogil
    cdef int _settle(self, double t, const double* y) noexcept nogil
    cdef bint _is_past(self, int k, double t) noexcept nogil
    cdef void _prepare(self, double* r) noexcept nogil
    cdef void _set_sides(self, double* r, const Blend* blend, double t, const double* y) noexcept nogil
    cdef void _set_side(self, int k, double value) noexcept nogil
