# One step after another of a linear multistep method in Nordsieck form, for the states alone.

from parfit.kernel.linalg cimport Matrix
from parfit.kernel.system cimport Blend, System

cdef enum:
    ADAMS = 0
    BDF = 1
    N_LEVELS = 14   # z[0] ... z[12], and one to keep the last correction

cdef double L[2][13][14]   # corrector coefficients l of each family and order

cdef struct Stepper:
    int n
    int family, q         # formulas and order
    bint automatic        # turn from Adams to BDF when the equations are found to be stiff
    double t, h, h_min, h_max
    double eps            # permitted local error next to the size of a state
    double* z             # (N_LEVELS, n): h^k y^(k) / k!
    double* saved         # z before the step
    double* e             # the correction of the last step
    double* y
    double* g
    double* recent        # size of each state: the largest |y_i| met, fading
    double* largest       # and not fading (Gear's YMAX)
    double* weight        # 1 / permitted error; 0 for a state that never moved
    double* around        # how large each state would be if the terms of its equation did not cancel
    double reference      # a length of time in which the solution is expected to show itself
    double* r             # registers of the tape
    Matrix matrix         # I - h l[0] g_y, perhaps of an earlier step
    double matrix_h       # h l[0] in it, 0 when there is none
    int matrix_age
    bint matrix_fresh     # made for the step under way
    double rate           # estimated rate of convergence of the corrector
    double lipschitz      # estimate of |g_y| from the Adams corrector
    double error          # estimated local error of the last step, 1 being permitted
    double growth         # by how much the next step may grow
    int wait              # steps until order and step are reconsidered
    double raised         # if the order was just raised: z[q] is this multiple of e; else 0
    int bad_state
    double stiff_time     # NaN until the equations are found to be stiff
    long steps, failed_tests, failed_corrections, evaluations, jacobians, factorizations

cdef size_t stepper_size(System system) noexcept nogil
cdef void lay_out(Stepper* S, System system, double* work, int* pivots) noexcept nogil
cdef int begin(System system, const Blend* blend, Stepper* S, double t0, double span, int section) noexcept nogil
cdef int step(System system, const Blend* blend, Stepper* S) noexcept nogil
cdef void reconsider(Stepper* S) noexcept nogil
cdef void stop_at(Stepper* S, double t) noexcept nogil
cdef void limit_step(Stepper* S, double h_max) noexcept nogil
