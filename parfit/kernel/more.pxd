# The Levenberg-Marquardt method as More has it.

from parfit.kernel.linearized cimport Linearized
from parfit.kernel.search cimport Found, Search


cdef extern from "valley.h":
    ctypedef struct Valley "parfit_valley":
        int creeping
        int known
        double* along
        double* bend

    bint creeps "parfit_creeps"(const Valley* valley) noexcept nogil
    void count_step "parfit_count_step"(Valley* valley, bint taken, bint limited, double reduction) noexcept nogil
    void see_bend "parfit_see_bend"(Valley* valley, long n, long m, const double* p, const double* f, const double* jac,
                                    const double* trial, const double* f_there, const double* jac_there,
                                    bint taken) noexcept nogil
    double part_of_bend "parfit_part_of_bend"(const Valley* valley, long m, const double* d, const double* step,
                                              double length) noexcept nogil
    bint should_bend "parfit_should_bend"(const Valley* valley, long n, double length, double bent,
                                          double undone) noexcept nogil

cdef extern from "region.h":
    double POOR "PARFIT_POOR"
    void adapt "parfit_adapt"(double* radius, double* par, double ratio, double reduction, double slope,
                              double length) noexcept nogil
    double rise_enough "parfit_rise_enough"(double slope) noexcept nogil


cdef class More(Search):
    cdef readonly double ratio   # of the reduction that was had to the one that was expected, at the last trial
    cdef readonly double told_radius, told_par  # after it, before the next step has changed them
    cdef double radius, par
    cdef Linearized near
    cdef int loss
    cdef double scale, tol
    cdef long max_evaluations
    cdef bint bounded, is_first
    cdef double error, loosest
    cdef double base_looseness   # of what was found where steps begin
    cdef bint again              # the trial is there: it is found anew
    cdef int n_rejected          # trials in a row
    cdef bint is_repeated        # the trial was found before, with larger errors
    cdef Valley valley           # that steps may creep along
    cdef double* origin          # where the search began, (m,)
    cdef double total            # what is minimized, where steps begin
    cdef double least            # and at the best point
    cdef double norm             # |D p|
    cdef double size             # |f|
    cdef double length           # of the step, scaled
    cdef double gain, slope      # what the linear problem says of the sum along it: by how much it falls, half its slope
    cdef double* low
    cdef double* high
    cdef double* f               # residuals and Jacobian of the least-squares problem that is solved, (n,)
    cdef double* jac             # (n, m)
    cdef double* moved           # (n,)
    cdef double* change          # (m,)
    cdef double* free_change
    cdef double* gradient
    cdef bint* pressed           # what presses against a bound, (m,)
    cdef bint* held              # and what a step has brought to one

    cdef void judge(self, const Found* found) noexcept nogil
    cdef void stand_at_trial(self) noexcept nogil
    cdef void finish(self) noexcept nogil
    cdef double most_error(self) noexcept nogil
    cdef double ruled_out(self) noexcept nogil
    cdef void begin_region(self) noexcept nogil
    cdef void renew(self) noexcept nogil
    cdef void settle(self, const Found* found) noexcept nogil
    cdef double total_of(self, const Found* found) noexcept nogil
    cdef void load(self, const Found* found) noexcept nogil
    cdef void press(self) noexcept nogil
    cdef void propose(self) noexcept nogil
    cdef void follow_bend(self) noexcept nogil
    cdef void bend(self) noexcept nogil
    cdef bint is_any_held(self) noexcept nogil
    cdef bint stop_at_bounds(self) noexcept nogil
