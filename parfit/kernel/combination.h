/* Sums of slopes that are kept in places of n numbers each, for numbers first to last. */

#ifndef PARFIT_COMBINATION_H
#define PARFIT_COMBINATION_H

#include "nordsieck.h"

#define PARFIT_MAX_PLACES 12

/* Parts of the slopes in some of the places. */
typedef struct {
    int count;
    int place[PARFIT_MAX_PLACES];
    double part[PARFIT_MAX_PLACES];
} parfit_parts;

#define PARFIT_SUM(number) { \
        number sum = parts->part[0] * *(const number *)(slopes + parts->place[0] * n + i); \
        for (int j = 1; j < parts->count; j++) \
            sum += parts->part[j] * *(const number *)(slopes + parts->place[j] * n + i); \
        *(number *)(out + i) = *(const number *)(base + i) + h * sum; \
    }

/* out = base + h times the sum of parts */
static inline void parfit_combine(double *out, const double *base, double h, const parfit_parts *parts,
                                  const double *slopes, long n, long first, long last)
{
    long i = first;
#if defined(__GNUC__)
    for (; i + 1 < last; i += 2) PARFIT_SUM(parfit_two)
#endif
    for (; i < last; i++) PARFIT_SUM(double)
}

#define PARFIT_LEVELS(number) { \
        number v[PARFIT_MAX_PLACES]; \
        for (int j = 0; j < PARFIT_MAX_PLACES; j++) v[j] = *(const number *)(slopes + j * n + i); \
        for (int k = 0; k < degree; k++) { \
            number sum = level[k][0] * v[0]; \
            for (int j = 1; j < PARFIT_MAX_PLACES; j++) sum += level[k][j] * v[j]; \
            *(number *)(z + k * n + i) = h * sum; \
        } \
    }

/* Level k of z becomes h times the sum of the parts level[k] of all slopes; z may be where the slopes are. */
static inline void parfit_make_levels(double *z, double h, const double (*level)[PARFIT_MAX_PLACES], int degree,
                                      const double *slopes, long n, long first, long last)
{
    long i = first;
#if defined(__GNUC__)
    for (; i + 1 < last; i += 2) PARFIT_LEVELS(parfit_two)
#endif
    for (; i < last; i++) PARFIT_LEVELS(double)
}

#endif
