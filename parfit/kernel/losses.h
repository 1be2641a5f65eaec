/* Robust losses, as scipy.optimize.least_squares has them: rho of z = (residual / scale)^2. */

#ifndef PARFIT_LOSSES_H
#define PARFIT_LOSSES_H

#include <math.h>

enum { PARFIT_LINEAR, PARFIT_SOFT_L1, PARFIT_HUBER, PARFIT_CAUCHY, PARFIT_ARCTAN, PARFIT_N_LOSSES };

static inline const char *parfit_loss_name(int kind)
{
    static const char *names[] = {"linear", "soft_l1", "huber", "cauchy", "arctan"};
    return names[kind];
}

/* rho, and its first and second derivatives */
static inline void parfit_loss(int kind, double z, double *rho, double *first, double *second)
{
    double root = sqrt(1.0 + z), bent = 1.0 + z * z;
    switch (kind) {
    case PARFIT_SOFT_L1:
        *rho = 2.0 * (root - 1.0); *first = 1.0 / root; *second = -0.5 / ((1.0 + z) * root); break;
    case PARFIT_HUBER:
        root = sqrt(z);
        if (z <= 1.0) { *rho = z; *first = 1.0; *second = 0.0; }
        else { *rho = 2.0 * root - 1.0; *first = 1.0 / root; *second = -0.5 / (z * root); }
        break;
    case PARFIT_CAUCHY:
        *rho = log1p(z); *first = 1.0 / (1.0 + z); *second = -1.0 / ((1.0 + z) * (1.0 + z)); break;
    case PARFIT_ARCTAN:
        *rho = atan(z); *first = 1.0 / bent; *second = -2.0 * z / (bent * bent); break;
    default:
        *rho = z; *first = 1.0; *second = 0.0;
    }
}

#endif
