/* How a valley bends that steps creep along, so that they can follow it.

   M. K. Transtrum and J. P. Sethna, "Improvements to the Levenberg-Marquardt algorithm for nonlinear least-squares
   minimization" (2012), arXiv:1201.5885: to a step belongs another half step that keeps the residuals where the linear
   model has them, against their second derivative along it. Here that costs no evaluation: it is seen from the last
   trial, whose residuals and Jacobian are known anyway, and serves steps of nearly the same direction. */

#ifndef PARFIT_VALLEY_H
#define PARFIT_VALLEY_H

#include "vectors.h"

/* A search creeps after so many steps in a row that had less than this part of the sum, with the region as their limit.
   With fewer some short searches get longer, with more those along narrow valleys. */
#define PARFIT_CREEPS 12
#define PARFIT_CREEP 0.5
#define PARFIT_LIKE 0.9       /* the least cosine between a step and the one along which the bend was seen */
#define PARFIT_MOST_BEND 0.75 /* of a step, twice what bends it (Transtrum and Sethna) */
#define PARFIT_OWN 0.5        /* the least part of the bend that a step can undo: else it is not why steps creep */

typedef struct {
    int creeping;  /* steps in a row that crept */
    int known;     /* whether the last trial has shown something */
    double *along; /* the step to that trial, (m,) */
    double *bend;  /* the second derivative of the residuals along it, (n,) */
} parfit_valley;

/* A step that had such a part of the sum may have been taken, and may have been limited by the region. */
static inline void parfit_count_step(parfit_valley *valley, int taken, int limited, double reduction)
{
    if (taken) valley->creeping = limited && reduction < PARFIT_CREEP ? valley->creeping + 1 : 0;
}

/* Whether so many steps have crept that it counts how the valley bends. */
static inline int parfit_creeps(const parfit_valley *valley)
{
    return valley->creeping >= PARFIT_CREEPS;
}

/* See the bend from p, with residuals f and Jacobian jac (n, m), along the step to a trial; if that was taken, from
   there, where the next step begins. Nobody looks before steps creep: the step that makes them do so shows it. */
static void parfit_see_bend(parfit_valley *valley, long n, long m, const double *p, const double *f, const double *jac,
                            const double *trial, const double *f_there, const double *jac_there, int taken)
{
    const double *rows = taken ? jac_there : jac;
    if (!parfit_creeps(valley)) return;
    for (long j = 0; j < m; j++) valley->along[j] = trial[j] - p[j];
    for (long i = 0; i < n; i++) {
        double change = f_there[i] - f[i], moved = parfit_dot(rows + i * m, valley->along, m);
        valley->bend[i] = 2.0 * (taken ? moved - change : change - moved);
    }
    valley->known = 1;
}

/* The part of the bend that belongs to a step (m,) of such a length in parameters scaled by d; 0 if it leads elsewhere,
   or if nothing creeps. */
static double parfit_part_of_bend(const parfit_valley *valley, long m, const double *d, const double *step, double length)
{
    double both = 0.0, square = 0.0;
    if (!parfit_creeps(valley) || !valley->known) return 0.0;
    for (long j = 0; j < m; j++) {
        both += d[j] * d[j] * step[j] * valley->along[j];
        square += d[j] * d[j] * valley->along[j] * valley->along[j];
    }
    if (!(both * both > PARFIT_LIKE * PARFIT_LIKE * square * length * length)) return 0.0;
    return 0.5 * (both / square) * (both / square);
}

/* Whether a step of such a length should bend so much, where of the whole bend (n,) so much can be undone. */
static inline int parfit_should_bend(const parfit_valley *valley, long n, double length, double bent, double undone)
{
    return 4.0 * bent <= PARFIT_MOST_BEND * length && undone > PARFIT_OWN * parfit_norm(valley->bend, n, 1);
}

#endif
