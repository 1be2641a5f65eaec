# The equations as an integrator sees them: g, its derivatives, initial values, and the structure of all these.

from libc.math cimport isfinite

from parfit.kernel.linalg cimport Matrix
from parfit.kernel.status cimport NOT_FINITE, NOT_SMOOTH, OK
from parfit.kernel.tape cimport CurveData, Tape, curve_value, run_section
from parfit.kernel.vectors cimport add

# Sections of the tapes.
cdef enum:
    VALUES = 1   # g, or y0
    BY_STATE = 2  # g_y
    BY_PARAMETER = 3  # g_p

cdef extern from "coupling.h":
    ctypedef struct Pattern "parfit_pattern":
        int* start
        int* column
        int* reg

    double slope_of "parfit_slope"(const Pattern* g_y, const double* r, const double* gamma, long k) noexcept nogil

    ctypedef struct Coupling "parfit_coupling":
        long n
        long m
        bint triangular
        Pattern g_y
        Pattern g_p
        const int* middle
        const int* low
        const int* high

# What the model sees is (1 - gamma_i) curve_i(t) + gamma_i y_i.
cdef struct Blend:
    const double* gamma  # NULL: no blending
    const CurveData* curves


cdef class System:
    cdef readonly int n, m, n_params        # states, active parameters, all parameters
    cdef readonly Tape dynamics, initial
    cdef Matrix shape                       # kind and bandwidth of I - h beta g_y, or where its factors fill it
    cdef Matrix outline                     # the same with factors that may be incomplete
    cdef readonly bint iterates             # whether sensitivities are solved for with old or incomplete factors
    cdef Pattern g_y, g_p, y0_p
    cdef Coupling coupling                  # of the rows of dy/dp
    cdef int* order                         # order[i]: the model's subscript of the i-th state here
    cdef object place                       # where the model's states are here, None if in the same places
    cdef int* low                           # columns of row i of dy/dp that can differ from zero:
    cdef int* high                          # low[i] <= j < high[i]
    cdef int n_segments                     # the same as pieces of dy/dp stored by rows:
    cdef int* segment_first                 # segment_first[k] <= position < segment_last[k]
    cdef int* segment_last
    cdef readonly bint autonomous           # g does not depend on t
    cdef list _keep
    cdef tuple _made_of                     # what makes another one like it, in another process too

    cdef int extend_by_parameter(self, double* r) noexcept nogil
    cdef int bad_state(self, const double* r, int section) noexcept nogil
    cdef int factor_shifted(self, const double* r, const Blend* blend, double h, Matrix* matrix) noexcept nogil
    cdef void put_shifted(self, const double* r, const Blend* blend, double h, Matrix* matrix) noexcept nogil
    cdef void sensitivity_rates(self, const double* r, const Blend* blend, const double* s, double* rates) noexcept nogil
    cdef int start(self, const double* p, double t0, double* work, double* y, double* s, int* state) noexcept nogil

    cdef Coupling _coupled(self, g_y) except *
    cdef Matrix _sparse(self, fill, g_y, bint complete) except *
    cdef inside(self, array)
    cdef in_order(self, array)


# These are called for every step, from other modules: the compiler puts them in place.

cdef inline bint all_finite(const double* r, const int* registers, int count) noexcept nogil:
    cdef int i = 0
    cdef double total = 0.0, other = 0.0  # two sums, so that one addition need not wait for the other
    while i + 1 < count:
        total += r[registers[i]] * 0.0  # NaN as soon as one is infinite or NaN
        other += r[registers[i + 1]] * 0.0
        i += 2
    if i < count:
        total += r[registers[i]] * 0.0
    return total + other == 0.0


cdef inline void run_at(System system, double* r, const Blend* blend, double t, const double* y,
                        int section) noexcept nogil:
    """Run the tape at (t, y) up to `section`; whether it gave numbers is not looked at."""
    cdef int i
    r[0] = t
    if blend.gamma == NULL:
        for i in range(system.n):
            r[1 + i] = y[i]
    else:
        for i in range(system.n):
            r[1 + i] = blend.gamma[i] * y[i]
            if blend.gamma[i] != 1.0:
                r[1 + i] += (1.0 - blend.gamma[i]) * curve_value(blend.curves + i, t, 0)
    run_section(system.dynamics, r, section)


cdef inline bint has_values(System system, const double* r) noexcept nogil:
    """Whether g, in the registers, is all numbers."""
    return all_finite(r, system.dynamics.outputs[0], system.n)


cdef inline bint is_smooth(System system, const double* r) noexcept nogil:
    """Whether g_p is. Entries of g_y that are not finite are found when the matrix is factored."""
    return all_finite(r, system.g_p.reg, system.g_p.start[system.n])


cdef inline int evaluate_at(System system, double* r, const Blend* blend, double t, const double* y,
                            int section) noexcept nogil:
    """Run the tape at (t, y) up to `section`: OK, or NOT_FINITE (g) or NOT_SMOOTH (g_p)."""
    run_at(system, r, blend, t, y, section)
    if not has_values(system, r):
        return NOT_FINITE
    return OK if section < BY_PARAMETER or is_smooth(system, r) else NOT_SMOOTH


cdef inline void read_g(System system, const double* r, double* g) noexcept nogil:
    cdef int i
    for i in range(system.n):
        g[i] = r[system.dynamics.outputs[0][i]]


cdef inline double slope_at(System system, const Blend* blend, const double* r, int k) noexcept nogil:
    """Entry k of g_y."""
    return slope_of(&system.g_y, r, blend.gamma, k)


cdef inline void add_product(System system, const double* r, const Blend* blend, double h, const double* s, int i,
                             double* row) noexcept nogil:
    """row += h times row i of g_y s, with the derivatives in the registers.

    A slope may be infinite for a moment (that of sqrt(x) where x begins at 0): it moves nothing where s is 0.
    """
    cdef int k, c, j
    cdef double slope
    for k in range(system.g_y.start[i], system.g_y.start[i + 1]):
        c = system.g_y.column[k]
        slope = h * slope_at(system, blend, r, k)
        if isfinite(slope):
            add(row + system.low[c], slope, s + <size_t> c * system.m + system.low[c], system.high[c] - system.low[c])
            continue
        for j in range(system.low[c], system.high[c]):
            if s[<size_t> c * system.m + j] != 0.0:
                row[j] += slope * s[<size_t> c * system.m + j]


cdef class Blending:
    cdef readonly int n
    cdef CurveData* curves
    cdef Blend blend
    cdef list _keep
    cdef tuple _made_of


cdef int check_times(const double[::1] times) except -1
cdef long steps_between_polls(System system, int m) noexcept nogil
