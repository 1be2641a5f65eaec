/* Sizes of states, and the errors that are permitted next to them. */

#ifndef PARFIT_SIZES_H
#define PARFIT_SIZES_H

#include <float.h>

#include "vectors.h"

/* Where states z are now: their sizes fade, and the largest do not. */
static inline void parfit_note_sizes(long n, const double *PARFIT_RESTRICT z, double fading,
                                     double *PARFIT_RESTRICT recent, double *PARFIT_RESTRICT largest)
{
    for (long i = 0; i < n; i++) {
        recent[i] = parfit_larger(fading * recent[i], fabs(z[i]));
        largest[i] = parfit_larger(largest[i], recent[i]);
    }
}

/* Errors are permitted to be eps times the size of a state, which is the recent one or at least such a part of the
   largest, and not to be smaller than a negligible part of what is around it. A state without size has weight 0.
   Gives whether there is one. */
static inline int parfit_permit(long n, double eps, double least, double negligible,
                                const double *PARFIT_RESTRICT recent, const double *PARFIT_RESTRICT largest,
                                const double *PARFIT_RESTRICT around, double *PARFIT_RESTRICT permitted,
                                double *PARFIT_RESTRICT weight)
{
    double smallest = INFINITY;
    for (long i = 0; i < n; i++) {
        const double size = parfit_larger(recent[i], least * largest[i]);
        const double error = parfit_larger(eps * size, negligible * around[i]);
        permitted[i] = size > 0.0 ? parfit_larger(error, DBL_MIN) : INFINITY;
        weight[i] = 1.0 / permitted[i];
    }
    for (long i = 0; i < n; i++) smallest = weight[i] < smallest ? weight[i] : smallest;
    return smallest == 0.0;
}

#endif
