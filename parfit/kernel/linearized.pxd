# The linear model of a least-squares problem about a point.


cdef class Linearized:
    cdef readonly double steepest  # the largest part of the residuals along a column
    cdef int n, m, rank
    cdef double dependent  # what is left of a column that depends on others, next to its length
    cdef bint loaded  # whether there was a point
    cdef int* order  # J P = Q R: subscripts of the columns of J, as pivoting has them
    cdef double* memory
    cdef double* scale  # D, (m,)
    cdef double* a  # J and then R in its upper triangle, (n, m) by columns
    cdef double* qf  # Q'f, (n,), directly behind the columns
    cdef double* gradient  # R'Q'f, (m,)
    cdef double* w  # R with Q'f beside it, sqrt(par) D brought in, (m, m + 1) by rows; and one row more to work in
    cdef double* x  # (m,), as z in the order of pivoting
    cdef double* z
    cdef double* tau  # lengths of columns when they were last computed, while pivoting
    cdef double* null  # D times changes that the residuals do not see, orthonormal, (m - rank, m) by rows

    cdef void enter(self, const double* jac, const double* f, int n_given, const bint* held) noexcept nogil
    cdef void factorize(self) noexcept nogil
    cdef void pivot(self, int j) noexcept nogil
    cdef double left(self, int k) noexcept nogil
    cdef void forget(self) noexcept nogil
    cdef void reflect(self, int j) noexcept nogil
    cdef double length_of(self, const double* p) noexcept nogil
    cdef double find_step_at(self, double par, double* x) noexcept nogil
    cdef double find_step(self, double radius, double* par, double* x) noexcept nogil
    cdef double solve_secular(self, double radius, double* par) noexcept nogil
    cdef int check_loaded(self) except -1
    cdef double column_scale(self, int j) noexcept nogil
    cdef double solve(self, double par) noexcept nogil
    cdef void shorten(self) noexcept nogil
    cdef void rotate(self, double root) noexcept nogil
    cdef double newton_update(self, double length, double over, double radius) noexcept nogil
    cdef double jac_step_norm(self) noexcept nogil
