# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The map between all parameters of a model and the scaled active ones that a search sees: freezing, scaling, bounds."""

from libc.float cimport DBL_MIN
from libc.math cimport INFINITY, exp
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from parfit.kernel.vectors cimport larger

import numpy as np

from parfit.kernel.tape import whole_numbers

cdef double ROUNDING = 1e-14  # relative, of an exponential or a square


cdef inline double _unscaled(int scaling, double value) noexcept nogil:
    if scaling == LOGARITHM:
        return larger(exp(value), DBL_MIN)  # what is left of a logarithm that is too small: 0 would have none
    return value * value if scaling == SQUARE_ROOT else value


cdef class Mapping:
    """Immutable; all parameters (n,), places of the active ones and how they are scaled (m,), bounds of both kinds."""

    def __cinit__(self, full, active, scaling, bounds, scaled_bounds):
        cdef double[::1] numbers
        cdef int[::1] places = whole_numbers(active, "places of parameters")
        cdef int[::1] kinds = whole_numbers(scaling, "scalings")
        cdef int j, n = np.size(full), m = places.shape[0]
        sizes = [n, n, n, m, m]
        arrays = [np.asarray(each, dtype=float) for each in (full, *bounds, *scaled_bounds)]
        if [each.size for each in arrays] != sizes or kinds.shape[0] != m:
            raise ValueError("parameters, scalings and bounds do not fit together")
        if any([not 0 <= k < n for k in places]) or any([not 0 <= k <= 2 for k in kinds]):
            raise ValueError("there is no such parameter or scaling")
        self.n, self.m, self.bounded = n, m, bool(np.isfinite(arrays[3]).any() or np.isfinite(arrays[4]).any())
        self.active = <int*> malloc((2 * m + 1) * sizeof(int))
        self.memory = <double*> malloc((3 * n + 2 * m + 1) * sizeof(double))
        if not self.active or not self.memory:
            raise MemoryError
        self.scaling = self.active + m
        self.full = self.memory
        self.lower, self.upper, self.low = self.full + n, self.full + 2 * n, self.full + 3 * n
        self.high = self.low + m
        numbers = np.concatenate([*[each.ravel() for each in arrays], np.zeros(1)])
        memcpy(self.memory, &numbers[0], (3 * n + 2 * m) * sizeof(double))
        for j in range(m):
            self.active[j], self.scaling[j] = places[j], kinds[j]
        self._made_of = arrays[0], places.base, kinds.base, tuple(arrays[1:3]), tuple(arrays[3:])

    def __reduce__(self):
        return Mapping, self._made_of

    def __dealloc__(self):
        free(self.active)
        free(self.memory)

    cdef void fill(self, const double* values, double* full) noexcept nogil:
        """All parameters, unscaled, from the scaled active ones."""
        cdef int j
        memcpy(full, self.full, self.n * sizeof(double))
        for j in range(self.m):
            full[self.active[j]] = values[j] if self.scaling[j] == PLAIN else self._rounded(j, values[j])

    cdef double _rounded(self, int j, double scaled) noexcept nogil:
        """A parameter, unscaled: at a bound where the scaled one is, or if only rounding leads it across."""
        cdef double value = _unscaled(self.scaling[j], scaled)
        cdef double lower = self.lower[self.active[j]], upper = self.upper[self.active[j]]
        if -INFINITY < scaled == self.low[j]:
            return upper if self.scaling[j] == SQUARE_ROOT and scaled < 0.0 else lower  # the root may be the negative one
        if INFINITY > scaled == self.high[j]:
            return upper
        if lower * (1.0 - ROUNDING) <= value < lower:
            return lower
        return upper if upper < value <= upper * (1.0 + ROUNDING) else value

    cdef double slope(self, int j, double value) noexcept nogil:
        """d(unscaled)/d(scaled) of an active parameter at its scaled value."""
        if self.scaling[j] == LOGARITHM:
            return _unscaled(LOGARITHM, value)
        return 2.0 * value if self.scaling[j] == SQUARE_ROOT else 1.0

    cdef void put_inside(self, double* values) noexcept nogil:
        """Scaled values beyond a bound go to it."""
        cdef int j
        for j in range(self.m):
            if values[j] < self.low[j]:
                values[j] = self.low[j]
            elif values[j] > self.high[j]:
                values[j] = self.high[j]

    cdef bint find_pressed(self, const double* values, const double* gradient, bint* pressed) noexcept nogil:
        """Which active parameters are at a bound that steepest descent would lead them across; whether any is."""
        cdef int j
        cdef bint is_any = False
        for j in range(self.m):
            pressed[j] = presses(values[j], gradient[j], self.low[j], self.high[j])
            is_any = is_any or pressed[j]
        return is_any

    def expanded(self, const double[::1] values not None):
        """All parameters, unscaled, (n,), from the scaled active ones (m,)."""
        cdef double[::1] view
        if values.shape[0] != self.m:
            raise ValueError("there is not a value for every active parameter")
        full = np.empty(self.n)
        if self.n:
            view = full
            self.fill(&values[0] if self.m else NULL, &view[0])
        return full

    def pressed(self, const double[::1] values not None, const double[::1] gradient not None):
        """Which active parameters (m,) are at a bound that steepest descent would lead them across, (m,)."""
        if values.shape[0] != self.m or gradient.shape[0] != self.m:
            raise ValueError("there is not a value and a slope for every active parameter")
        found = [presses(values[j], gradient[j], self.low[j], self.high[j]) for j in range(self.m)]
        return np.array(found, dtype=bool)

    def slopes(self, const double[::1] values not None):
        """d(unscaled)/d(scaled) of the active parameters at scaled values, (m,)."""
        cdef int j
        if values.shape[0] != self.m:
            raise ValueError("there is not a value for every active parameter")
        slopes = np.empty(self.m)
        cdef double[::1] view = slopes
        for j in range(self.m):
            view[j] = self.slope(j, values[j])
        return slopes
