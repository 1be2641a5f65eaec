# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gear's method: Adams and backward differentiation formulas of variable order and step in Nordsieck form.

The error of the states is controlled; each sensitivity system advances over exactly the same steps and orders,
by one linear solve with the matrix at the accepted point, and never influences the states. Strategy of step and
order after Gear (1971) and Hindmarsh (LSODE, 1983), of stiffness after Petzold (1983).

z[k] = h^k y^(k) / k!, k = 0 ... q; a step is: predict z, correct by e so that z[1] + e = h g(t, z[0] + l[0] e).
"""

from libc.math cimport fabs, fmax, fmin, isfinite, pow, sqrt
from libc.string cimport memcpy, memset

from parfit.kernel.linalg cimport Matrix, matrix_size, solve, solve_many
from parfit.kernel.status cimport CORRECTOR, ERROR_TEST, NOT_FINITE, OK, START, TOO_MANY_STEPS
from parfit.kernel.system cimport BY_PARAMETER, BY_STATE, VALUES, Blend, Blending, System, poll

import numpy as np

from parfit.kernel import coefficients

cdef enum:
    ADAMS = 0
    BDF = 1
    N_LEVELS = 14           # z[0] ... z[12], and one to keep the last correction
    MAX_CORRECTIONS = 3
    STEPS_BETWEEN_MATRICES = 20
    MAX_FAILURES = 10

cdef double L[2][13][14]       # corrector coefficients
cdef double TEST[2][13][3]     # error constants for the order below, the order itself, the order above
cdef int MAX_ORDER[2]

# |h lambda| up to which the Adams formula of order q is stable (Petzold 1983).
cdef double STABLE[13]
STABLE[:] = [0, 0.5, 0.575, 0.55, 0.45, 0.35, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025]

cdef double BDF_ADVANTAGE = 5.0       # the BDF step must be so much longer to be worth its matrices
cdef double MATRIX_DRIFT = 0.3        # relative change of h l[0] that calls for a new matrix
cdef double ROUNDING = 1e-15          # no error is demanded below this part of the largest state
cdef double SMALLEST_STEP = 16 * 2.2e-16  # next to t
cdef int WORK_BETWEEN_POLLS = 2000000

cdef double[:, :, ::1] _l = coefficients.CORRECTOR
cdef double[:, :, ::1] _test = coefficients.ERROR
memcpy(L, &_l[0, 0, 0], sizeof(L))
memcpy(TEST, &_test[0, 0, 0], sizeof(TEST))
MAX_ORDER[:] = list(coefficients.MAX_ORDER)


cdef struct Gear:
    int n, m
    int family, q, automatic
    double t, h, h_min, h_max, eps
    double floor              # no state counts for less than this part of the largest
    double* z                 # (N_LEVELS, n)
    double* saved             # z before the step
    double* e                 # the correction
    double* y
    double* g
    double* largest           # |y_i| so far (Gear's YMAX)
    double* weight            # 1 / permitted error
    double* r                 # registers
    Matrix matrix             # I - h l[0] g_y, perhaps of an earlier step
    double matrix_h           # h l[0] in it, 0 when there is none
    int matrix_age
    bint matrix_fresh         # made for the step under way
    double rate               # estimated rate of convergence of the corrector
    double lipschitz          # estimate of |g_y| from the Adams corrector
    double error              # estimated local error of the step, 1 being permitted
    double growth             # by how much the next step may grow
    int wait                  # steps until order and step are reconsidered
    int bad_state
    double stiff_time
    # sensitivities
    double* s                 # (N_LEVELS - 1, n, m), scaled for s_h
    double* s_e
    double s_h
    Matrix s_matrix
    # counts
    long steps, failed_tests, failed_corrections, evaluations, jacobians, factorizations


def gear(System system, const double[::1] times, const double[::1] p, const double[::1] scale,
         bint sensitivities=False, Blending blending=None, str family="bdf", double eps=1e-2, double h_min=1e-5,
         double h_max=5.0, long max_steps=100_000, double floor=0.0, y_start=None, s_start=None):
    """States (n_times, n) and sensitivities (n_times, n, m) at `times`, of which the first is the initial time.

    `scale` (n,) holds sizes of the states that errors are relative to until larger values are met; `max_steps` is
    the limit between two times. Returns y, s (or None), and (status, time, state, counts, stiff time or NaN,
    largest |y| met).
    """
    cdef int n = system.n, m = system.m if sensitivities else 0, i
    cdef Py_ssize_t n_times = times.shape[0]
    if p.shape[0] != system.n_params or scale.shape[0] != n or n_times < 1:
        raise ValueError("parameters, scale and times do not fit the model")
    cdef size_t n_matrix = matrix_size(&system.shape)
    cdef size_t n_registers = max(system.dynamics.n_registers, system.initial.n_registers)
    cdef size_t n_s = <size_t> n * m
    cdef double[::1] work = np.empty(
        n_registers + (2 * N_LEVELS + 5) * n + n_matrix + (N_LEVELS * n_s + n_matrix if m else 0)
    )
    cdef int[::1] pivots = np.empty(2 * n, dtype=np.intc)
    y_out, s_out = np.empty((n_times, n)), np.empty((n_times, n, m)) if sensitivities else None
    cdef double[:, ::1] y_view = y_out
    cdef double[:, :, ::1] s_view
    cdef double* s_target = NULL
    if m:
        s_view = s_out
        s_target = &s_view[0, 0, 0]
    cdef Gear G
    memset(&G, 0, sizeof(Gear))
    G.n, G.m, G.eps, G.h_min, G.h_max, G.floor = n, m, eps, h_min, h_max, floor
    G.family, G.automatic = (BDF if family == "bdf" else ADAMS), family == "auto"
    _carve(&G, system, &work[0], &pivots[0], n_registers, n_matrix)
    cdef Blend blend = Blend(NULL, NULL)
    if blending is not None:
        blend = blending.blend
    cdef const double* p_data = &p[0] if system.n_params else NULL
    system.start(p_data, times[0], G.r, G.z, G.s if m else NULL)
    _replace_start(system, &G, y_start, s_start)
    for i in range(n):
        G.largest[i] = scale[system.order[i]]
    system.dynamics.prepare(G.r, p_data)
    cdef int status = OK, n_done = 0
    with nogil:
        status = _integrate(system, &blend, &G, &times[0], n_times, max_steps, &y_view[0, 0], s_target, &n_done)
    if n_done < n_times:
        y_out[n_done:] = np.nan
        if sensitivities:
            s_out[n_done:] = np.nan
    largest = np.empty(n)
    for i in range(n):
        largest[system.order[i]] = G.largest[i]
    counts = (G.steps, G.evaluations, G.factorizations, G.jacobians, G.failed_tests, G.failed_corrections)
    return y_out, s_out, (status, G.t, G.bad_state, counts, G.stiff_time, largest)


cdef void _carve(Gear* G, System system, double* work, int* pivots, size_t n_registers, size_t n_matrix) noexcept nogil:
    """Lay the arrays out in one piece of memory."""
    cdef size_t n = G.n, n_s = <size_t> G.n * G.m
    G.r = work
    work += n_registers
    G.z = work
    G.saved = G.z + N_LEVELS * n
    G.e = G.saved + N_LEVELS * n
    G.y = G.e + n
    G.g = G.y + n
    G.largest = G.g + n
    G.weight = G.largest + n
    G.matrix = system.shape
    G.matrix.a, G.matrix.pivots = G.weight + n, pivots
    if G.m:
        G.s_matrix = system.shape
        G.s_matrix.a, G.s_matrix.pivots = G.matrix.a + n_matrix, pivots + n
        G.s = G.s_matrix.a + n_matrix
        G.s_e = G.s + (N_LEVELS - 1) * n_s
    memset(G.z, 0, N_LEVELS * n * sizeof(double))


cdef _replace_start(System system, Gear* G, y_start, s_start):
    cdef int i, j
    if y_start is not None:
        for i in range(system.n):
            G.z[i] = y_start[system.order[i]]
    if s_start is not None:
        for i in range(system.n):
            for j in range(G.m):
                G.s[i * G.m + j] = s_start[system.order[i], j]


cdef int _integrate(System system, const Blend* blend, Gear* G, const double* times, Py_ssize_t n_times, long max_steps,
                    double* y_out, double* s_out, int* n_done) except -1 nogil:
    cdef Py_ssize_t k = 1
    cdef int status
    cdef long steps_here = 0, poll_every = 1 + WORK_BETWEEN_POLLS // (100 + G.n * (G.n + 10 * G.m))
    status = _begin(system, blend, G, times[0], times[1] - times[0] if n_times > 1 else 1.0)
    if status != OK:
        return status
    _interpolate(system, G, times[0], y_out, s_out)
    n_done[0] = 1
    while k < n_times:
        status = _step(system, blend, G)
        if status != OK:
            return status
        if G.m:
            _advance_sensitivities(system, blend, G)
        while k < n_times and times[k] <= G.t:
            _interpolate(system, G, times[k], y_out + k * G.n, s_out + k * G.n * G.m if G.m else NULL)
            k += 1
            n_done[0] = k
            steps_here = 0
        _reconsider(G)
        steps_here += 1
        if steps_here > max_steps:
            return TOO_MANY_STEPS
        if G.steps % poll_every == 0:
            poll()
    return OK


cdef int _begin(System system, const Blend* blend, Gear* G, double t0, double span) noexcept nogil:
    """Derivatives and a first step at t0: h |g| is about sqrt(eps) of the size of y, h at most sqrt(eps) of the span."""
    cdef int i, n = G.n
    cdef size_t j, n_s = <size_t> G.n * G.m
    cdef double speed = 0.0
    G.t, G.q, G.bad_state, G.stiff_time = t0, 1, -1, _nan()
    for i in range(n):
        if not isfinite(G.z[i]):
            G.bad_state = system.order[i]
            return START
        G.largest[i] = fmax(G.largest[i], fabs(G.z[i]))
    _set_weights(G)
    G.evaluations = 1
    if not system.evaluate(G.r, blend, t0, G.z, BY_PARAMETER if G.m else VALUES):
        G.bad_state = system.first_bad(G.r)
        return NOT_FINITE
    system.read_g(G.r, G.z + n)
    for i in range(n):
        speed = fmax(speed, fabs(G.z[n + i]) * G.weight[i] * G.eps)
    G.h = fmin(sqrt(G.eps) / sqrt(1.0 / (span * span) + speed * speed), fmin(G.h_max, span))
    G.h = fmax(G.h, _smallest_step(G))
    for i in range(n):
        G.z[n + i] *= G.h
    G.growth, G.wait, G.rate = 1e4, 2, 0.7
    if G.m:
        memset(G.s + n_s, 0, (N_LEVELS - 1) * n_s * sizeof(double))  # and s_e behind it
        system.sensitivity_rates(G.r, blend, G.s, G.s_e)
        for j in range(n_s):
            G.s[n_s + j] = G.h * G.s_e[j]
        G.s_h = G.h
    return OK


cdef inline double _nan() noexcept nogil:
    cdef double zero = 0.0
    return zero / zero


cdef inline double _smallest_step(const Gear* G) noexcept nogil:
    return fmax(G.h_min, SMALLEST_STEP * fabs(G.t))


cdef void _set_weights(Gear* G) noexcept nogil:
    """Permitted errors are eps times the largest |y_i| so far."""
    cdef int i
    cdef double overall = 0.0
    for i in range(G.n):
        overall = fmax(overall, G.largest[i])
    if overall == 0.0:
        overall = 1.0
    for i in range(G.n):
        G.weight[i] = 1.0 / fmax(G.eps * fmax(G.largest[i], G.floor * overall), ROUNDING * overall)


cdef inline double _norm(const Gear* G, const double* v) noexcept nogil:
    """Largest component next to the permitted error."""
    cdef int i
    cdef double size, largest = 0.0
    for i in range(G.n):
        size = fabs(v[i]) * G.weight[i]
        if not size <= largest:
            largest = size
    return largest


cdef inline void _predict(double* z, int q, size_t n, size_t first, size_t last) noexcept nogil:
    """Multiply by Pascal's triangle: Taylor's formula for z over one step."""
    cdef int j, k
    cdef size_t i
    cdef double* a
    for j in range(q):
        for k in range(q - 1, j - 1, -1):
            a = z + k * n
            for i in range(first, last):
                a[i] += a[i + n]


cdef inline void _rescale_levels(
    double* z, int q, size_t n, size_t first, size_t last, double ratio
) noexcept nogil:
    """Turn h^k y^(k) / k! into that of the step ratio * h."""
    cdef int k
    cdef size_t i
    cdef double power = 1.0
    for k in range(1, q + 1):
        power *= ratio
        for i in range(first, last):
            z[k * n + i] *= power


cdef int _step(System system, const Blend* blend, Gear* G) noexcept nogil:
    """One accepted step, or the reason why there is none."""
    cdef int n = G.n, failures = 0, tests = 0, outcome, i, k
    cdef double t_old = G.t
    cdef const double* l
    while True:
        l = L[G.family][G.q]
        memcpy(G.saved, G.z, (G.q + 1) * n * sizeof(double))
        G.t = t_old + G.h
        _predict(G.z, G.q, n, 0, n)
        outcome = _correct(system, blend, G)
        if outcome != OK:
            G.failed_corrections += 1
            failures += 1
            G.t, G.growth = t_old, 2.0
            memcpy(G.z, G.saved, (G.q + 1) * n * sizeof(double))
            if G.h <= _smallest_step(G) * 1.00001 or (failures >= MAX_FAILURES and outcome != NOT_FINITE):
                return outcome
            _rescale(G, fmax(0.25, _smallest_step(G) / G.h))
            continue
        G.error = _norm(G, G.e) / TEST[G.family][G.q][1]
        if G.error <= 1.0:
            break
        G.failed_tests += 1
        tests += 1
        G.t, G.growth = t_old, 2.0
        memcpy(G.z, G.saved, (G.q + 1) * n * sizeof(double))
        if G.h <= _smallest_step(G) * 1.00001:
            return ERROR_TEST
        if tests < 3:
            _shrink(G, tests)
        elif not _restart(system, blend, G):
            return NOT_FINITE
    for k in range(G.q + 1):
        for i in range(n):
            G.z[k * n + i] += l[k] * G.e[i]
    for i in range(n):
        G.largest[i] = fmax(G.largest[i], fabs(G.z[i]))
    _set_weights(G)
    G.steps += 1
    G.matrix_age += 1
    return OK


cdef int _correct(System system, const Blend* blend, Gear* G) noexcept nogil:
    """Find e with z[1] + e = h g(t, z[0] + l[0] e): by Newton's method with a matrix that may be old, or by iteration."""
    cdef int n = G.n, i, iteration
    cdef double l0 = L[G.family][G.q][0], scale = TEST[G.family][G.q][1] * 0.5 / (G.q + 2)
    cdef double size, previous, rate, fresh_rate, noise = 100.0 * ROUNDING / G.eps
    cdef bint newton = G.family == BDF, finite
    # To find out whether the equations are stiff takes the rate of convergence, and that takes two iterations.
    cdef bint estimating = G.automatic and not newton
    G.matrix_fresh = False
    while True:
        for i in range(n):
            G.y[i] = G.z[i]
            G.e[i] = 0.0
        if newton and _matrix_is_stale(G, G.h * l0):
            if not _new_matrix(system, blend, G, G.h * l0):
                return CORRECTOR if G.bad_state < 0 else NOT_FINITE
            finite = True  # g at the predicted point came with the matrix
        else:
            G.evaluations += 1
            finite = system.evaluate(G.r, blend, G.t, G.y, VALUES)
        previous = 0.0
        for iteration in range(MAX_CORRECTIONS):
            if iteration:
                G.evaluations += 1
                finite = system.evaluate(G.r, blend, G.t, G.y, VALUES)
            if not finite:
                break
            system.read_g(G.r, G.g)
            if newton:
                for i in range(n):
                    G.g[i] = G.h * G.g[i] - (G.z[n + i] + G.e[i])
                solve(&G.matrix, G.g)
                if G.matrix_h != G.h * l0:  # the matrix of another h: Hindmarsh's correction of the scale
                    rate = 2.0 / (1.0 + G.h * l0 / G.matrix_h)
                    for i in range(n):
                        G.g[i] *= rate
            else:
                for i in range(n):
                    G.g[i] = G.h * G.g[i] - G.z[n + i] - G.e[i]
            size = _norm(G, G.g)
            for i in range(n):
                G.e[i] += G.g[i]
                G.y[i] = G.z[i] + l0 * G.e[i]
            if iteration:
                fresh_rate = size / previous
                if not newton:
                    G.lipschitz = fmax(G.lipschitz, fresh_rate / (G.h * l0))
                G.rate = fmax(0.2 * G.rate, fresh_rate)
            if size <= noise or size * fmin(1.0, 1.5 * G.rate) <= scale and (iteration or not estimating):
                G.bad_state = -1
                return OK
            if iteration and size > 2.0 * previous or not isfinite(size):
                break
            previous = size
        if not finite:
            G.bad_state = system.first_bad(G.r)
            return NOT_FINITE
        if not newton or G.matrix_fresh:
            return CORRECTOR
        G.matrix_h = 0.0  # try again with a new matrix before the step is given up


cdef inline bint _matrix_is_stale(const Gear* G, double h_l0) noexcept nogil:
    return (G.matrix_h == 0.0 or G.matrix_age >= STEPS_BETWEEN_MATRICES
            or fabs(h_l0 / G.matrix_h - 1.0) > MATRIX_DRIFT)


cdef bint _new_matrix(System system, const Blend* blend, Gear* G, double h_l0) noexcept nogil:
    """Evaluate g and g_y at the predicted point and factor I - h l[0] g_y."""
    G.evaluations += 1
    G.jacobians += 1
    G.bad_state = -1
    if not system.evaluate(G.r, blend, G.t, G.y, BY_STATE):
        G.bad_state = system.first_bad(G.r)
        return False
    G.factorizations += 1
    if not system.factor_shifted(G.r, blend, h_l0, &G.matrix):
        return False
    G.matrix_h, G.matrix_age, G.matrix_fresh, G.rate = h_l0, 0, True, 0.7
    return True


cdef void _rescale(Gear* G, double ratio) noexcept nogil:
    """Change the step."""
    ratio = fmin(ratio, G.h_max / G.h)
    ratio = fmax(ratio, fmin(1.0, _smallest_step(G) / G.h))
    _rescale_levels(G.z, G.q, G.n, 0, G.n, ratio)
    G.h *= ratio
    G.wait = G.q + 1


cdef double _ratio_below(const Gear* G) noexcept nogil:
    """Factor for the step if the order were one lower."""
    if G.q == 1:
        return 0.0
    return 1.0 / (1.3 * pow(_norm(G, G.z + G.q * G.n) / TEST[G.family][G.q][0], 1.0 / G.q) + 1.3e-6)


cdef double _ratio_same(const Gear* G) noexcept nogil:
    return 1.0 / (1.2 * pow(G.error, 1.0 / (G.q + 1)) + 1.2e-6)


cdef double _ratio_above(Gear* G) noexcept nogil:
    """Factor for the step if the order were one higher: from the difference of two corrections."""
    cdef int i
    cdef double* last = G.z + (N_LEVELS - 1) * G.n
    if G.q >= MAX_ORDER[G.family]:
        return 0.0
    for i in range(G.n):
        G.g[i] = G.e[i] - last[i]
    return 1.0 / (1.4 * pow(_norm(G, G.g) / TEST[G.family][G.q][2], 1.0 / (G.q + 2)) + 1.4e-6)


cdef void _shrink(Gear* G, int tests) noexcept nogil:
    """After a failed error test: a smaller step, with the order one lower if that allows a longer one."""
    cdef double same = _ratio_same(G), below = _ratio_below(G)
    if below > same:
        G.q -= 1
        same = fmin(below, 1.0)
    _rescale(G, fmin(same, 0.9) if tests < 2 else fmin(same, 0.2))


cdef bint _restart(System system, const Blend* blend, Gear* G) noexcept nogil:
    """The history is of no use: order 1, a tenth of the step, and a new derivative."""
    cdef int i
    cdef double ratio = fmax(0.1, _smallest_step(G) / G.h)
    G.evaluations += 1
    if not system.evaluate(G.r, blend, G.t, G.z, VALUES):
        G.bad_state = system.first_bad(G.r)
        return False
    G.h *= ratio
    system.read_g(G.r, G.z + G.n)
    for i in range(G.n):
        G.z[G.n + i] *= G.h
    G.q, G.wait, G.matrix_h = 1, 5, 0.0
    return True


cdef void _reconsider(Gear* G) noexcept nogil:
    """Choose order and step for what comes next."""
    cdef double same, below, above, best, limit
    cdef int order
    G.wait -= 1
    if G.wait > 0:
        if G.wait == 1:
            memcpy(G.z + (N_LEVELS - 1) * G.n, G.e, G.n * sizeof(double))
        return
    if G.automatic and G.family == ADAMS and _turn_to_bdf(G):
        return
    same, below, above = _ratio_same(G), _ratio_below(G), _ratio_above(G)
    if G.family == ADAMS and G.lipschitz > 0.0:  # never longer than stability allows
        limit = G.lipschitz * G.h
        same = fmin(same, STABLE[G.q] / limit)
        if G.q > 1:
            below = fmin(below, STABLE[G.q - 1] / limit)
        if above > 0.0:
            above = fmin(above, STABLE[G.q + 1] / limit)
        G.lipschitz = 0.0
    order, best = G.q, same
    if above > best:
        order, best = G.q + 1, above
    if below > best:
        order, best = G.q - 1, below
    if best < 1.1:
        G.wait = 3
        return
    if order > G.q:
        _raise_order(G)
    else:
        G.q = order
    _rescale(G, fmin(best, G.growth))
    G.growth = 10.0


cdef void _raise_order(Gear* G) noexcept nogil:
    """One more derivative, from the last correction."""
    cdef size_t i, n = G.n, n_s = <size_t> G.n * G.m
    cdef double factor = L[G.family][G.q][G.q] / (G.q + 1)
    G.q += 1
    for i in range(n):
        G.z[G.q * n + i] = factor * G.e[i]
    for i in range(n_s):
        G.s[G.q * n_s + i] = factor * G.s_e[i]


cdef bint _turn_to_bdf(Gear* G) noexcept nogil:
    """Change the formulas if stability, not accuracy, limits the Adams step so much that BDF would be much faster."""
    cdef int order = min(G.q, MAX_ORDER[BDF])
    cdef double exponent = 1.0 / (order + 1), adams = _ratio_same(G), bdf, error
    if G.lipschitz * G.h * adams > 1e-5:
        adams = fmin(adams, STABLE[G.q] / (G.lipschitz * G.h))
    if order < G.q:
        error = _norm(G, G.z + (order + 1) * G.n) * (order + 1) / (TEST[BDF][order][1] * L[BDF][order][order])
    else:
        error = G.error * TEST[ADAMS][order][1] * L[ADAMS][order][order] / (TEST[BDF][order][1] * L[BDF][order][order])
    bdf = 1.0 / (1.2 * pow(error, exponent) + 1.2e-6)
    if bdf < BDF_ADVANTAGE * adams:
        return False
    G.family, G.q, G.stiff_time, G.matrix_h, G.rate = BDF, order, G.t, 0.0, 0.7
    _rescale(G, fmin(bdf, G.growth))
    G.growth = 10.0
    return True


cdef void _advance_sensitivities(System system, const Blend* blend, Gear* G) noexcept nogil:
    """The step just accepted, for dy/dp: (I - h l[0] g_y) e = h (g_y s + g_p) - s1 with s, s1 predicted."""
    cdef int k, segment, q = G.q
    cdef size_t n_s = <size_t> G.n * G.m, first, last, j
    cdef const double* l = L[G.family][q]
    cdef double* level
    G.evaluations += 1
    G.jacobians += 1
    G.factorizations += 1
    system.evaluate(G.r, blend, G.t, G.z, BY_PARAMETER)
    system.factor_shifted(G.r, blend, G.h * l[0], &G.s_matrix)
    for segment in range(system.n_segments):
        first, last = system.segment_first[segment], system.segment_last[segment]
        if G.h != G.s_h:
            _rescale_levels(G.s, q, n_s, first, last, G.h / G.s_h)
        _predict(G.s, q, n_s, first, last)
    G.s_h = G.h
    system.sensitivity_rates(G.r, blend, G.s, G.s_e)
    for segment in range(system.n_segments):
        for j in range(<size_t> system.segment_first[segment], <size_t> system.segment_last[segment]):
            G.s_e[j] = G.h * G.s_e[j] - G.s[n_s + j]
    solve_many(&G.s_matrix, G.s_e, G.m, system.low, system.high)
    for segment in range(system.n_segments):
        first, last = system.segment_first[segment], system.segment_last[segment]
        for k in range(q + 1):
            level = G.s + k * n_s
            for j in range(first, last):
                level[j] += l[k] * G.s_e[j]


cdef void _interpolate(System system, const Gear* G, double t, double* y_out, double* s_out) noexcept nogil:
    """States and sensitivities at t, by the polynomials of the last step."""
    cdef int i, k
    cdef size_t n = G.n, m = G.m, n_s = n * m, j
    cdef double x = (t - G.t) / G.h, value
    cdef double* row
    cdef const double* level
    for i in range(G.n):
        value = G.z[G.q * n + i]
        for k in range(G.q - 1, -1, -1):
            value = value * x + G.z[k * n + i]
        y_out[system.order[i]] = value
    if m == 0:
        return
    for i in range(G.n):
        row = s_out + <size_t> system.order[i] * m
        memset(row, 0, m * sizeof(double))
        for k in range(G.q, -1, -1):
            level = G.s + k * n_s + i * m
            for j in range(<size_t> system.low[i], <size_t> system.high[i]):
                row[j] = row[j] * x + level[j]
