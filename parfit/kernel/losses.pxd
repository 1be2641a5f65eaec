# What is made as small as possible: the sum of a function rho of (residual / scale)^2.

cdef extern from "losses.h":
    int N_LOSSES "PARFIT_N_LOSSES"
    int LINEAR "PARFIT_LINEAR"
    const char* loss_name "parfit_loss_name"(int kind) noexcept nogil
    void loss_of "parfit_loss"(int kind, double z, double* rho, double* first, double* second) noexcept nogil
