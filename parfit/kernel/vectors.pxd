# Small loops and comparisons in the form that the compiler makes fast: rows of numbers that do not overlap, and
# the larger or smaller of two numbers without a call of the library (which treats NaN differently).

cdef extern from "vectors.h":
    double largest_of "parfit_largest"(double size, double next) noexcept nogil
    void clear_row "parfit_clear"(double* y, long n) noexcept nogil
    void add "parfit_add"(double* y, double a, const double* x, long n) noexcept nogil
    void weigh "parfit_weigh"(double* y, double a, const double* x, const double* z, long n) noexcept nogil
    void add_outer "parfit_add_outer"(double* s, const double* f, const double* x, long n, long m) noexcept nogil
    bint add_jump "parfit_add_jump"(double* s, const double* f, const double* g, const double* x, long n,
                                    long m) noexcept nogil
    void insert "parfit_insert"(int* order, int k, const double* value) noexcept nogil
    void horner "parfit_horner"(double* y, double x, const double* z, long n) noexcept nogil
    void difference "parfit_difference"(double* y, double a, const double* x, long n) noexcept nogil
    double larger "parfit_larger"(double a, double b) noexcept nogil
    double smaller "parfit_smaller"(double a, double b) noexcept nogil
    double dot "parfit_dot"(const double* x, const double* y, long n) noexcept nogil
    double sum_of "parfit_sum"(const double* x, long n) noexcept nogil
    double norm "parfit_norm"(const double* x, long n, long step) noexcept nogil
    void lengths_of "parfit_lengths"(const double* a, long n, long m, double* lengths) noexcept nogil
    void multiply "parfit_multiply"(double* y, double a, long n) noexcept nogil
