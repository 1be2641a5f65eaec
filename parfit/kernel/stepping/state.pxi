# What the steps of an integration know: where they are, with which formula, and how large errors may be.

cdef enum:
    ADAMS = 0
    BDF = 1
    N_LEVELS = 14   # z[0] ... z[12], and one to keep the last correction

cdef double L[2][13][14]    # corrector coefficients l of each family and order
cdef double TEST[2][13][3] # error constants for the order below, the order itself, the order above

cdef struct Stepper:
    int n
    int family, q         # formulas and order
    bint automatic        # turn from Adams to BDF when the equations are found to be stiff
    double t, h, h_min, h_max
    bint leaps            # the first step is one of a Runge-Kutta formula
    bint starting         # it is not done
    double eps            # permitted local error next to the size of a state
    double* z             # (N_LEVELS, n): h^k y^(k) / k!
    double* saved         # z before the step
    double* e             # the correction of the last step
    double* y
    double* g
    double* recent        # size of each state: the largest |y_i| met, fading
    double* largest       # and not fading (Gear's YMAX)
    double* weight        # 1 / permitted error; 0 for a state that never moved
    double* permitted     # that error, as of the last step that was accepted; infinite for a state that never moved
    bint has_unmoved      # whether there is a state that never moved
    double* around        # how large each state would be if the terms of its equation did not cancel
    double reference      # a length of time in which the solution is expected to show itself
    double* r             # registers of the tape
    int section           # of the tape, to which it is run where a step may end
    bint differentiated   # whether it was, for the last step
    Matrix matrix         # I - h l[0] g_y, perhaps of an earlier step
    double matrix_h       # h l[0] in it, 0 when there is none
    int matrix_age
    bint matrix_fresh     # made for the step under way
    double rate           # estimated rate of convergence of the corrector
    double lipschitz      # estimate of |g_y| from the Adams corrector, in the last steps
    double earlier        # and before these
    double* moved         # 1 where a parameter has moved a state, so that it may have derivatives; else 0
    double hidden         # the steepest slope of a state that rests, of which the corrector shows nothing
    double error          # estimated local error of the last step, 1 being permitted
    double growth         # by how much the next step may grow
    int wait              # steps until order and step are reconsidered
    double raised         # if the order was just raised: z[q] is this multiple of e; else 0
    int bad_state
    double stiff_time     # NaN until the equations are found to be stiff
    long steps, failed_tests, failed_corrections, evaluations, jacobians, factorizations


cdef inline double norm(const Stepper* S, const double* v) noexcept nogil:
    """Largest component next to the permitted error; NaN if one is NaN."""
    cdef int i
    cdef double largest = 0.0
    for i in range(S.n):
        largest = largest_of(largest, fabs(v[i]) * S.weight[i])
    return largest


cdef double[:, :, ::1] _l = coefficients.CORRECTOR
cdef double[:, :, ::1] _test = coefficients.ERROR
memcpy(L, &_l[0, 0, 0], sizeof(L))
memcpy(TEST, &_test[0, 0, 0], sizeof(TEST))
