/* How the region of a search by More's method changes with a trial: by the part of the expected reduction that was had. */

#ifndef PARFIT_REGION_H
#define PARFIT_REGION_H

#include "vectors.h"

#define PARFIT_POOR 0.25    /* parts of the expected reduction that make the region smaller, */
#define PARFIT_GOOD 0.75    /* or larger */
#define PARFIT_SHORTEST 0.1 /* the most that it shrinks at once */

/* Radius and par after a step of such a length: its reduction, and half the slope along it, are parts of the sum. */
static inline void parfit_adapt(double *radius, double *par, double ratio, double reduction, double slope, double length)
{
    if (ratio <= PARFIT_POOR) {
        double part = 0.5;
        if (!(reduction >= 0.0)) part = parfit_larger(PARFIT_SHORTEST, 0.5 * slope / (slope + 0.5 * reduction));
        *radius = part * parfit_smaller(*radius, length / PARFIT_SHORTEST);
        *par /= part;
    } else if (*par == 0.0 || ratio >= PARFIT_GOOD) {
        *radius = 2.0 * length;
        *par *= 0.5;
    }
}

/* By how much a sum must rise along a step that should go downwards for the region to shrink as much as it can: from there
   on it is all the same how much that is. */
static inline double parfit_rise_enough(double slope)
{
    return (0.5 / PARFIT_SHORTEST - 1.0) * 2.0 * -slope;
}

#endif
