/* One correction of an Adams formula by iteration. */

#ifndef PARFIT_CORRECTION_H
#define PARFIT_CORRECTION_H

#include "vectors.h"

/* What z[1] + e = h g(y) lacks, with g in the registers at `place`: into `change`, and added to e, which is 0 at first;
   y = z[0] + l0 e with it. Gives how much that is next to the permitted errors. */
static inline double parfit_correction(int first, long n, double h, double l0, const double *PARFIT_RESTRICT r,
                                       const int *PARFIT_RESTRICT place, const double *PARFIT_RESTRICT z,
                                       const double *PARFIT_RESTRICT weight, double *PARFIT_RESTRICT change,
                                       double *PARFIT_RESTRICT e, double *PARFIT_RESTRICT y)
{
    double size = 0.0;
    PARFIT_LOOP(n, {
        const double lacks = h * r[place[i]] - (first ? z[n + i] : z[n + i] + e[i]);
        const double part = fabs(lacks) * weight[i];
        change[i] = lacks;
        e[i] = first ? lacks : e[i] + lacks;
        y[i] = z[i] + l0 * e[i];
        size = parfit_largest(size, part);
    })
    return size;
}

#endif
