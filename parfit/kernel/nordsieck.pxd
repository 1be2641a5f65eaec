# Predict, correct, rescale and interpolate arrays of levels h^k y^(k) / k!.

cdef extern from "nordsieck.h":
    void predict "parfit_predict"(double* z, double* before, int q, long n) noexcept nogil
    void correct "parfit_correct"(
        double* z, int q, long n, const double* l, const double* e, long first, long last
    ) noexcept nogil
    void correct_and_predict "parfit_correct_and_predict"(
        double* z, int q, long n, const double* l, const double* e, double ratio, long first, long last
    ) noexcept nogil
    void interpolate "parfit_interpolate"(
        double* out, const double* z, int q, long n, double x, double part, const double* e, long first, long last
    ) noexcept nogil
    void rescale "parfit_rescale"(double* z, int q, long n, double ratio, long first, long last) noexcept nogil
