# The map between all parameters of a model and the scaled active ones that a search sees.

cdef enum:
    PLAIN = 0
    LOGARITHM = 1
    SQUARE_ROOT = 2


cdef inline bint presses(double value, double slope, double low, double high) noexcept nogil:
    """Whether a value is at a bound that steepest descent would lead it across.

    Exactly there, because values beyond a bound are put there; how near another one is says nothing of where it goes.
    """
    return value <= low and slope > 0.0 or value >= high and slope < 0.0


cdef class Mapping:
    cdef readonly int n, m          # parameters, active ones
    cdef readonly bint bounded
    cdef int* active                # (m,)
    cdef int* scaling               # (m,)
    cdef double* memory
    cdef double* full               # (n,), unscaled; the frozen ones keep these values
    cdef double* lower              # (n,), unscaled
    cdef double* upper
    cdef double* low                # (m,), scaled
    cdef double* high
    cdef tuple _made_of

    cdef void fill(self, const double* values, double* full) noexcept nogil
    cdef double _rounded(self, int j, double scaled) noexcept nogil
    cdef double slope(self, int j, double value) noexcept nogil
    cdef void put_inside(self, double* values) noexcept nogil
    cdef bint find_pressed(self, const double* values, const double* gradient, bint* pressed) noexcept nogil
