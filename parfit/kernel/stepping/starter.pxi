# The first step of an integration, by a Runge-Kutta formula of order 8; and before it, sizes of states that start at 0.
#
# Adams formulas would have to begin with order 1 and tiny steps. This step ends with a polynomial of degree 7, whose
# derivatives are the levels of an Adams formula of order 6, and tell how long its steps may be.

cdef extern from "combination.h":
    ctypedef struct Parts "parfit_parts":
        int count
        int* place
        double* part

    void combine "parfit_combine"(double* out, const double* base, double h, const Parts* parts, const double* slopes,
                                  long n, long first, long last) noexcept nogil
    void make_levels "parfit_make_levels"(double* z, double h, const double (*level)[12], int degree,
                                          const double* slopes, long n, long first, long last) noexcept nogil

cdef enum:
    N_STAGES = 16
    END = 12          # the stage at the end of the step
    DEGREE = 7
    LOWEST_ORDER = 3  # with which Adams formulas may go on

cdef double FLAT = 2.0         # h times the largest eigenvalue, at most
cdef double STEEPER = 2.0      # times that, at most, at the end of the step
cdef int PRODUCTS = 4          # to find out how large that is
cdef double AIM = 1e-3         # the error for which a step is chosen; those of the polynomial are larger than its own
cdef double LEAST_RATIO = 0.1  # of a step that is tried again
cdef double MOST_RATIO = 10.0
cdef int N_TRIALS = 4
cdef int FEW = 8               # parameters: with more, states alone tell how long a step may be
# The first trial is this multiple of the step in which second derivatives would move the states by their sizes, times the
# eighth root of the permitted error: on 11 problems that is .4 to 3 times the step with an error of AIM.
cdef double PROMISING = 1.7
cdef double STEADY = 0.25      # the least part of the speed that counts, if second derivatives happen to be small
cdef double SHORT = 3.0        # a step is kept if one with an error of AIM would be less than this many times as long
cdef double LONGEST = 2.0      # times this step, of the next one: rounding errors of high derivatives must not count

# A state that starts at 0 and is not observed gets its size from a rough integration: its error criterion, and a limit
# on its work. Only a part of the size that it finds is believed, because too large a size would hide errors, while too
# small a one soon grows.
cdef double ROUGH_EPS = 0.3
cdef long ROUGH_STEPS = 40
cdef double ROUGH_PART = 0.1

cdef Parts STAGE[16]
cdef Parts ERROR[2]
cdef int PLACE[16]
cdef double TIME[16]
cdef double LEVEL[7][12]


cdef Parts _parts(row):
    cdef Parts parts
    parts.count = 0
    for place, part in enumerate(row):
        if part:
            parts.place[parts.count], parts.part[parts.count] = place, part
            parts.count += 1
    return parts


cdef int _stage
for _stage in range(N_STAGES):
    STAGE[_stage], TIME[_stage] = _parts(dormand_prince.STAGES[_stage]), dormand_prince.C[_stage]
    PLACE[_stage] = dormand_prince.PLACE[_stage]
ERROR[0], ERROR[1] = _parts(dormand_prince.ERRORS[0]), _parts(dormand_prince.ERRORS[1])
for _level in range(DEGREE):
    for _place in range(END):
        LEVEL[_level][_place] = dormand_prince.LEVELS[_level + 1, _place]


cdef bint start(System system, const Blend* blend, Stepper* S, Sensitivities* V, double end) noexcept nogil:
    """A step from z[0] with the slope z[1] / h, not beyond `end`; False if none succeeds, and then S is where it was.

    The slopes of the states are kept in `saved`, those of the sensitivities in their own levels from 1 on.
    """
    cdef int n = S.n
    cdef size_t n_s = <size_t> n * V.m
    cdef double h
    memcpy(S.saved, S.z + n, n * sizeof(double))
    multiply(S.saved, 1.0 / S.h, n)
    multiply(V.s + n_s, 1.0 / V.h, n_s)
    h = _tried(system, blend, S, V, smaller(S.h_max, end - S.t))
    if h > 0.0 and _follow(system, blend, S, V, h):
        S.t, S.h, S.q, V.h = S.t + h, h, DEGREE, h
        S.steps += 1
        note_sizes(S)
        return True
    S.starting = False
    memcpy(S.z + n, S.saved, n * sizeof(double))
    multiply(S.z + n, S.h, n)
    multiply(V.s + n_s, V.h, n_s)
    if V.m:
        memset(V.s + 2 * n_s, 0, (N_LEVELS - 1) * n_s * sizeof(double))  # and what is behind
    return False


cdef double _tried(System system, const Blend* blend, Stepper* S, Sensitivities* V, double longest) noexcept nogil:
    """The length of a step that was tried and has succeeded, with an error of about AIM; 0 if none has."""
    cdef Sensitivities none
    cdef Sensitivities* some = V
    cdef int attempt
    cdef double h = _promising(system, blend, S), error, steep
    none.m = 0
    if V.m > FEW:
        some = &none
    longest = smaller(longest, FLAT / larger(_steepness(system, blend, S), FLAT / longest))
    for attempt in range(N_TRIALS):
        h = longest if 1.1 * h > longest else h
        if not h >= smallest_step(S):
            break
        error = _try(system, blend, S, some, h)
        if not error <= 1.0:
            S.failed_tests += 1
            h *= _ratio(error)
            continue
        if not some.m:
            system.dynamics.extend(S.r, VALUES, BY_STATE)
        steep = _steepness(system, blend, S)
        if h * steep > STEEPER * FLAT:  # it has become steep on the way
            h = longest = FLAT / steep
        elif h == longest or _ratio(error) < SHORT or attempt == N_TRIALS - 1:
            return h if some == V or _try(system, blend, S, V, h) <= 1.0 else 0.0
        else:
            h *= _ratio(error)
    return 0.0


cdef double _promising(System system, const Blend* blend, const Stepper* S) noexcept nogil:
    """A step whose error may be about AIM, by the slopes of the states at the beginning and how these bend with the states
    (not with time itself)."""
    cdef int i, k
    cdef double speed = 0.0, bend = 0.0, second, eps = SAFETY * S.eps
    for i in range(S.n):
        second = 0.0
        for k in range(system.g_y.start[i], system.g_y.start[i + 1]):
            second += slope_at(system, blend, S.r, k) * S.saved[system.g_y.column[k]]
        bend = larger(bend, fabs(second) * S.weight[i])
        speed = larger(speed, fabs(S.saved[i]) * S.weight[i])
    bend = sqrt(eps * larger(bend, STEADY * STEADY * eps * speed * speed))
    return PROMISING * pow(eps, 0.125) / bend if bend > 0.0 else INFINITY


cdef inline double _ratio(double error) noexcept nogil:
    """Of the next step to one of which the error is known, which depends on its eighth power."""
    return larger(LEAST_RATIO, smaller(pow(AIM / error, 0.125), MOST_RATIO))


cdef double _steepness(System system, const Blend* blend, const Stepper* S) noexcept nogil:
    """About how large the largest eigenvalue of the g_y in the registers is, by products of g_y with the sizes of the states.

    What the states do not show may be steep, and would be wrong in the sensitivities after a long step.
    """
    cdef int i, k, turn
    cdef double largest, before = 0.0, scale = 0.0
    memcpy(S.e, S.largest, S.n * sizeof(double))
    for turn in range(PRODUCTS):
        largest = 0.0
        for i in range(S.n):
            S.g[i] = 0.0
            for k in range(system.g_y.start[i], system.g_y.start[i + 1]):
                S.g[i] += fabs(slope_at(system, blend, S.r, k)) * S.e[system.g_y.column[k]]
            largest = larger(largest, S.g[i] * S.weight[i])
        if not 0.0 < largest < INFINITY:
            return S.hidden
        before, scale = scale, largest
        for i in range(S.n):
            S.e[i] = S.g[i] / largest
    return larger(S.hidden, sqrt(before * scale))


cdef double _try(System system, const Blend* blend, Stepper* S, Sensitivities* V, double h) noexcept nogil:
    """The error of a step of length h, 1 being permitted; the state at its end is put into z[1]."""
    cdef int stage, i, n = S.n
    cdef double third, fifth
    for stage in range(1, END + 1):
        if not _evaluate(system, blend, S, V, h, stage):
            return INFINITY
    for i in range(n):
        if not isfinite(S.y[i]):
            return INFINITY
    memcpy(S.z + n, S.y, n * sizeof(double))
    weigh_first_motion(S, h)
    if V.m:
        memcpy(V.change, V.e, <size_t> n * V.m * sizeof(double))
    memset(S.g, 0, n * sizeof(double))
    combine(S.e, S.g, h, &ERROR[0], S.saved, n, 0, n)
    third = norm(S, S.e)
    combine(S.e, S.g, h, &ERROR[1], S.saved, n, 0, n)
    fifth = norm(S, S.e)
    if fifth < 1e-150:
        return 1e-300
    third = fifth * fifth / sqrt(fifth * fifth + 0.01 * third * third)
    return third if third == third else INFINITY


cdef bint _evaluate(System system, const Blend* blend, Stepper* S, Sensitivities* V, double h, int stage) noexcept nogil:
    """The slopes of a stage; whether they have values."""
    cdef int segment, n = S.n
    cdef size_t n_s = <size_t> n * V.m
    combine(S.y, S.z, h, &STAGE[stage], S.saved, n, 0, n)
    if evaluate(system, blend, S, S.t + TIME[stage] * h, S.y, S.section if V.m else VALUES) != OK:
        return False
    read_g(system, S.r, S.saved + PLACE[stage] * n)
    if V.m:
        S.jacobians += 1
        for segment in range(system.n_segments):
            combine(V.e, V.s, h, &STAGE[stage], V.s + n_s, n_s, system.segment_first[segment],
                    system.segment_last[segment])
        system.sensitivity_rates(S.r, blend, V.e, V.s + (1 + PLACE[stage]) * n_s)
        return all_finite(S.r, system.g_y.reg, system.g_y.start[n])
    return True


cdef bint _follow(System system, const Blend* blend, Stepper* S, Sensitivities* V, double h) noexcept nogil:
    """The polynomial of the step; whether it has values."""
    cdef int stage, segment, n = S.n
    cdef size_t n_s = <size_t> n * V.m
    for stage in range(END + 1, N_STAGES):
        if not _evaluate(system, blend, S, V, h, stage):
            return False
    memcpy(S.z, S.z + n, n * sizeof(double))
    make_levels(S.z + n, h, LEVEL, DEGREE, S.saved, n, 0, n)
    if V.m:
        memcpy(V.s, V.change, n_s * sizeof(double))
    for segment in range(system.n_segments if V.m else 0):
        make_levels(V.s + n_s, h, LEVEL, DEGREE, V.s + n_s, n_s, system.segment_first[segment],
                    system.segment_last[segment])
    return True


cdef void leave_start(Stepper* S) noexcept nogil:
    """Choose the order of the Adams formula that goes on, and its step: the longest that the levels above permit."""
    cdef int q, best = LOWEST_ORDER
    cdef double error, ratio, longest = 0.0
    for q in range(LOWEST_ORDER, DEGREE):
        error = norm(S, S.z + (q + 1) * S.n) * (q + 1) / (L[ADAMS][q][q] * TEST[ADAMS][q][1])
        ratio = smaller(1.0 / (1.4 * pow(error, 1.0 / (q + 1)) + 1.4e-6), LONGEST)
        if S.hidden > 0.0:
            ratio = smaller(ratio, STABLE[q] / (S.hidden * S.h))
        if ratio >= longest:
            best, longest = q, ratio
    S.starting, S.q, S.raised, S.growth = False, best, 0.0, 10.0
    change_step(S, longest)


cdef void find_sizes(System system, const Blend* blend, Stepper* S, double* y0, double t0, double t_end) noexcept nogil:
    """Put into `largest` the sizes of states that start at 0 and are otherwise unknown, by a rough integration.

    If that fails they stay unknown. The solution may be blowing up: then it says little, so a size counts for as much
    less as the states of known size have grown, and for no more than the state's first speed would bring about.
    """
    cdef int i, n = S.n, status, family = S.family
    cdef double* known = y0 + n
    cdef double* speed = y0 + 2 * n
    cdef double growth = 1.0, size, eps = S.eps
    cdef bint unknown = False, automatic = S.automatic
    for i in range(n):
        known[i] = larger(S.largest[i], fabs(y0[i]))
        unknown = unknown or known[i] == 0.0
    if not unknown or t_end <= t0:
        return
    S.eps, S.family, S.automatic = ROUGH_EPS, BDF, False
    memcpy(S.z, y0, n * sizeof(double))
    status = begin(system, blend, S, t0, t_end - t0, VALUES)
    for i in range(n):
        speed[i] = fabs(S.z[n + i]) / S.h if status == OK else 0.0
    while status == OK and S.t < t_end and S.steps < ROUGH_STEPS:
        status = step(system, blend, S)
        reconsider(system, blend, S)
    for i in range(n):
        if known[i] > 0.0:
            growth = larger(growth, S.largest[i] / known[i])
    for i in range(n):
        if known[i] == 0.0 and status == OK:
            size = ROUGH_PART * S.largest[i] / growth
            if speed[i] > 0.0:
                size = smaller(size, speed[i] * (t_end - t0))
            known[i] = size if isfinite(size) else 0.0
    memcpy(S.largest, known, n * sizeof(double))
    S.eps, S.family, S.automatic, S.t = eps, family, automatic, t0
