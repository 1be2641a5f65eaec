/* Seconds since some moment, for intervals. */

#ifndef PARFIT_CLOCK_H
#define PARFIT_CLOCK_H

#include <time.h>

static inline double parfit_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

#endif
