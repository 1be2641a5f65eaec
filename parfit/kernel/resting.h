/* States that rest, as far as errors tell, but whose derivatives by parameters do not: no corrector shows how steep they
   are. Motions are what a step would bring, h g. */

#ifndef PARFIT_RESTING_H
#define PARFIT_RESTING_H

#include <math.h>

#include "coupling.h"
#include "vectors.h"

/* Whether any state moves by so many permitted errors at most, other than one whose equation has no slopes. */
static inline int parfit_rests(const parfit_coupling *rows, const double *motion, const double *weight, double most)
{
    for (long i = 0; i < rows->n; i++)
        if (rows->g_y.start[i] < rows->g_y.start[i + 1] && fabs(motion[i]) * weight[i] <= most) return 1;
    return 0;
}

/* Whether state i begins with a parameter (y0_p), or g_p has a part in it that is not 0. */
static inline int parfit_is_moved(const parfit_coupling *rows, const parfit_pattern *y0_p, const double *r, long i)
{
    if (y0_p->start[i] < y0_p->start[i + 1]) return 1;
    for (long k = rows->g_p.start[i]; k < rows->g_p.start[i + 1]; k++)
        if (r[rows->g_p.reg[k]] != 0.0) return 1;
    return 0;
}

/* Put 1 where a state is moved by a parameter or by another state that is. Looked for upwards and downwards in turn, so
   that a chain takes two passes whatever its order. What has been moved stays so: its derivatives are still on their way
   back when nothing moves it any more. */
static inline void parfit_find_moved(const parfit_coupling *rows, const parfit_pattern *y0_p, const double *r,
                                     const double *gamma, double *moved)
{
    const parfit_pattern *g_y = &rows->g_y;
    for (long i = 0; i < rows->n; i++)
        if (moved[i] == 0.0) moved[i] = parfit_is_moved(rows, y0_p, r, i);
    for (int found = 1, down = 0; found; down = !down) {
        found = 0;
        for (long place = 0; place < rows->n; place++) {
            const long i = down ? rows->n - 1 - place : place;
            for (long k = g_y->start[i]; moved[i] == 0.0 && k < g_y->start[i + 1]; k++)
                if (moved[g_y->column[k]] != 0.0 && parfit_slope(g_y, r, gamma, k) != 0.0) moved[i] = found = 1;
        }
    }
}

/* How steeply the states i and j act on each other: the root of both slopes, the first being entry k. */
static inline double parfit_mutual_slope(const parfit_pattern *g_y, const double *r, const double *gamma, long i, long k)
{
    const long j = g_y->column[k];
    const double slope = fabs(parfit_slope(g_y, r, gamma, k));
    if (j == i) return slope;
    for (long back = g_y->start[j]; back < g_y->start[j + 1]; back++)
        if (g_y->column[back] == i) return sqrt(slope * fabs(parfit_slope(g_y, r, gamma, back)));
    return 0.0;
}

/* The steepest slope of a state that rests but is or has been moved, 0 if there is none; `moved` says which those are. A
   state of weight 0 has no size yet, and rests only if it does not move at all. */
static inline double parfit_hidden_slope(const parfit_coupling *rows, const parfit_pattern *y0_p, const double *r,
                                         const double *gamma, double h, const double *motion, const double *weight,
                                         double *moved)
{
    double steepest = 0.0;
    parfit_find_moved(rows, y0_p, r, gamma, moved);
    for (long i = 0; i < rows->n; i++) {
        if (moved[i] == 0.0 || (weight[i] == 0.0 && motion[i] != 0.0)) continue;
        for (long k = rows->g_y.start[i]; k < rows->g_y.start[i + 1]; k++) {
            const double slope = parfit_mutual_slope(&rows->g_y, r, gamma, i, k);
            if (isfinite(slope) && fabs(motion[i]) * weight[i] <= slope * h) steepest = parfit_larger(steepest, slope);
        }
    }
    return steepest;
}

#endif
