/* Corrections of sensitivities row by row, where the equations are so flat that this solves them. */

#ifndef PARFIT_SWEEP_H
#define PARFIT_SWEEP_H

#include <math.h>

#include "coupling.h"
#include "nordsieck.h"
#include "vectors.h"

/* A step: its derivatives are in the registers r, g_y by states that count gamma, or wholly where that is NULL. */
typedef struct {
    double h, l0;
    const double *r, *gamma;
    const double *weight, *permitted; /* 1 / permitted error of each state, and that error */
} parfit_slopes;

#define PARFIT_QUICK 0.1 /* what rows behind may change of the corrections, in parts of them */

#if defined(__GNUC__)
#define PARFIT_SWEEP static inline __attribute__((always_inline))
typedef parfit_two parfit_lane;
#else
#define PARFIT_SWEEP static inline
typedef double parfit_lane;
#endif
enum { PARFIT_LANE = sizeof(parfit_lane) / sizeof(double), PARFIT_BLOCK = 8 };

#define PARFIT_AT(x, k) (*(parfit_lane *)((x) + (k) * PARFIT_LANE))

/* Entry k of g_y. */
static inline double parfit_slope(const parfit_coupling *rows, const parfit_slopes *step, long k)
{
    const double slope = step->r[rows->g_y.reg[k]];
    return step->gamma ? slope * step->gamma[rows->g_y.column[k]] : slope;
}

/* Columns first to first + count of row i: `lanes` and perhaps a single one, all in the processor's registers. Gives
   whether the row is flat. What s is with the correction joins `swept`, which the rows before have in the place of s. */
PARFIT_SWEEP int parfit_sweep_block(const int lanes, const int single, const parfit_coupling *rows,
                                    const parfit_slopes *step, long i, long first, const double *s, const double *s1,
                                    double *e, double *swept)
{
    const long m = rows->m, at = i * m + first, rest = lanes * PARFIT_LANE;
    const double l0 = step->l0;
    double below = 0.0, above = 0.0, own = 0.0, last = single ? -s1[at + rest] : 0.0;
    parfit_lane v[PARFIT_BLOCK];
    for (int k = 0; k < lanes; k++) v[k] = -PARFIT_AT((double *)s1 + at, k);
    for (long k = rows->g_y.start[i]; k < rows->g_y.start[i + 1]; k++) {
        const long j = rows->g_y.column[k];
        const double slope = step->h * parfit_slope(rows, step, k);
        double *from = (double *)(j < i ? swept : s) + j * m + first;
        for (int c = 0; c < lanes; c++) v[c] += slope * PARFIT_AT(from, c);
        if (single) last += slope * from[rest];
        if (j == i) own = slope * l0;
        else if (j < i) below += fabs(slope) * step->permitted[j];
        else above += fabs(slope) * step->permitted[j];
    }
    below *= l0 * step->weight[i];
    if (!(own <= 0.5 && above * l0 * step->weight[i] <= PARFIT_QUICK && isfinite(own + below))) return 0;
    if (!(rows->triangular || (own >= -1.0 && below <= 1.0))) return 0;
    if (rows->g_p.start[i] < rows->g_p.start[i + 1]) {
        for (int k = 0; k < lanes; k++) PARFIT_AT(e + at, k) = v[k];
        if (single) e[at + rest] = last;
        for (long k = rows->g_p.start[i]; k < rows->g_p.start[i + 1]; k++) {
            const long column = rows->g_p.column[k] - first;
            if (column >= 0 && column < rest + single) e[at + column] += step->h * step->r[rows->g_p.reg[k]];
        }
        for (int k = 0; k < lanes; k++) v[k] = PARFIT_AT(e + at, k);
        if (single) last = e[at + rest];
    }
    const double part = 1.0 / (1.0 - own);
    for (int k = 0; k < lanes; k++) {
        PARFIT_AT(e + at, k) = v[k] *= part;
        PARFIT_AT(swept + at, k) = PARFIT_AT((double *)s + at, k) + l0 * v[k];
    }
    if (single) {
        e[at + rest] = last *= part;
        swept[at + rest] = s[at + rest] + l0 * last;
    }
    return 1;
}

static int parfit_sweep_row(const parfit_coupling *rows, const parfit_slopes *step, long i, const double *s,
                            const double *s1, double *e, double *swept)
{
    long first = rows->low[i], count = rows->high[i] - first;
#define PARFIT_COUNT(n) \
    case n: return parfit_sweep_block(n / PARFIT_LANE, n % PARFIT_LANE, rows, step, i, first, s, s1, e, swept)
    for (;; first += PARFIT_BLOCK, count -= PARFIT_BLOCK) {
        switch (count) {
            PARFIT_COUNT(0); PARFIT_COUNT(1); PARFIT_COUNT(2); PARFIT_COUNT(3); PARFIT_COUNT(4);
            PARFIT_COUNT(5); PARFIT_COUNT(6); PARFIT_COUNT(7); PARFIT_COUNT(8);
        }
        if (!parfit_sweep_block(PARFIT_BLOCK / PARFIT_LANE, 0, rows, step, i, first, s, s1, e, swept)) return 0;
    }
#undef PARFIT_COUNT
}

/* Solve (I - h l0 g_y) e = h (g_y s + g_p) - s1 with what is known of the rows before, and then see to what those behind
   would change. Where no row depends on one behind it, this is exact.

   Gives whether h l0 g_y makes everything so small, in units of the permitted errors, that it is a solution: the steps
   are those of the states, and where these rest, they may be too long for it. NaN is never flat. */
static int parfit_sweep(const parfit_coupling *rows, const parfit_slopes *step, const double *s, const double *s1,
                        double *e, double *swept)
{
    for (long i = 0; i < rows->n; i++)
        if (!parfit_sweep_row(rows, step, i, s, s1, e, swept)) return 0;
    for (long i = 0; i < rows->n && !rows->triangular; i++)
        for (long k = rows->g_y.start[i]; k < rows->g_y.start[i + 1]; k++) {
            const long j = rows->g_y.column[k], low = rows->low[j];
            if (j > i)
                parfit_add(e + i * rows->m + low, step->h * step->l0 * parfit_slope(rows, step, k), e + j * rows->m + low,
                           rows->high[j] - low);
        }
    return 1;
}

#endif
