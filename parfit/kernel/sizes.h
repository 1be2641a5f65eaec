/* Sizes of states, and the errors that are permitted next to them. */

#ifndef PARFIT_SIZES_H
#define PARFIT_SIZES_H

#include <float.h>

#include "vectors.h"

/* Errors are permitted to be eps times the size of a state, which is the recent one or at least such a part of the
   largest, and not to be smaller than a negligible part of what is around it. A state without size has weight 0. */
PARFIT_ALWAYS_INLINE double parfit_permit_one(double eps, double least, double negligible, double recent, double largest,
                                              double around, double *permitted)
{
    const double size = parfit_larger(recent, least * largest);
    const double error = parfit_larger(eps * size, negligible * around);
    *permitted = size > 0.0 ? parfit_larger(error, DBL_MIN) : INFINITY;
    return 1.0 / *permitted;
}

/* The errors that are permitted now; gives whether a state has no size. */
static inline int parfit_permit(long n, double eps, double least, double negligible,
                                const double *PARFIT_RESTRICT recent, const double *PARFIT_RESTRICT largest,
                                const double *PARFIT_RESTRICT around, double *PARFIT_RESTRICT permitted,
                                double *PARFIT_RESTRICT weight)
{
    double smallest = INFINITY;
    PARFIT_LOOP(n, {
        weight[i] = parfit_permit_one(eps, least, negligible, recent[i], largest[i], around[i], permitted + i);
        smallest = parfit_smaller(weight[i], smallest);
    })
    return smallest == 0.0;
}

/* The same where states z are now: their sizes fade, and the largest do not. */
static inline int parfit_note_sizes(long n, const double *PARFIT_RESTRICT z, double fading, double eps, double least,
                                    double negligible, double *PARFIT_RESTRICT recent, double *PARFIT_RESTRICT largest,
                                    const double *PARFIT_RESTRICT around, double *PARFIT_RESTRICT permitted,
                                    double *PARFIT_RESTRICT weight)
{
    double smallest = INFINITY;
    PARFIT_LOOP(n, {
        recent[i] = parfit_larger(fading * recent[i], fabs(z[i]));
        largest[i] = parfit_larger(largest[i], recent[i]);
        weight[i] = parfit_permit_one(eps, least, negligible, recent[i], largest[i], around[i], permitted + i);
        smallest = parfit_smaller(weight[i], smallest);
    })
    return smallest == 0.0;
}

#endif
