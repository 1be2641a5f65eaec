/* Corrections of sensitivities row by row: what is to be solved, and its solution where equations are flat enough. */

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

/* What stays the same while rows are swept. */
typedef struct {
    parfit_coupling rows;
    parfit_slopes step;
    const double *s, *s1;
    double *e, *swept;
} parfit_sweeping;

/* Entry k of g_y. */
PARFIT_SWEEP double parfit_slope(const parfit_coupling *rows, const parfit_slopes *step, long k)
{
    const double slope = step->r[rows->g_y.reg[k]];
    return step->gamma ? slope * step->gamma[rows->g_y.column[k]] : slope;
}

/* Columns first to first + count of row i: `lanes` and perhaps a single one, all in the processor's registers. Without
   solving that is h (g_y s + g_p) - s1. Gives whether the row is flat. What s is with the correction joins `swept`, which
   the rows before have in the place of s. */
PARFIT_SWEEP int parfit_sweep_block(const int solving, const int lanes, const int single, const parfit_sweeping *all,
                                    long i, long first)
{
    const long m = all->rows.m, at = i * m + first, rest = lanes * PARFIT_LANE;
    const long middle = all->rows.middle[i], end = all->rows.g_y.start[i + 1];
    const double h = all->step.h, l0 = all->step.l0;
    const int *column = all->rows.g_y.column;
    long k = all->rows.g_y.start[i];
    double below = 0.0, above = 0.0, own = 0.0, last = single ? -all->s1[at + rest] : 0.0;
    parfit_lane v[PARFIT_BLOCK];
    for (int c = 0; c < lanes; c++) v[c] = -PARFIT_AT(all->s1 + at, c);
#define PARFIT_GATHER(source) \
        const double slope = h * parfit_slope(&all->rows, &all->step, k); \
        const double *from = (source) + column[k] * m + first; \
        for (int c = 0; c < lanes; c++) v[c] += slope * PARFIT_AT(from, c); \
        if (single) last += slope * from[rest];
    for (; k < middle; k++) {
        PARFIT_GATHER(solving ? all->swept : all->s)
        below += fabs(slope) * all->step.permitted[column[k]];
    }
    if (k < end && column[k] == i) {
        PARFIT_GATHER(all->s)
        own = slope * l0;
        k++;
    }
    for (; k < end; k++) {
        PARFIT_GATHER(all->s)
        above += fabs(slope) * all->step.permitted[column[k]];
    }
#undef PARFIT_GATHER
    below *= l0 * all->step.weight[i];
    above *= l0 * all->step.weight[i];
    if (solving && !(own <= 0.5 && above <= PARFIT_QUICK && below < INFINITY && own > -INFINITY)) return 0;
    if (solving && !all->rows.triangular && !(own >= -1.0 && below <= 1.0)) return 0;
    double *e = all->e + at, *swept = all->swept + at;
    const long direct = all->rows.g_p.start[i + 1];
    k = all->rows.g_p.start[i];
    if (k < direct || !solving) {
        for (int c = 0; c < lanes; c++) PARFIT_AT(e, c) = v[c];
        if (single) e[rest] = last;
        for (; k < direct; k++) {
            const long c = all->rows.g_p.column[k] - first;
            if (c >= 0 && c < rest + single) e[c] += h * all->step.r[all->rows.g_p.reg[k]];
        }
        if (!solving) return 1;
        for (int c = 0; c < lanes; c++) v[c] = PARFIT_AT(e, c);
        if (single) last = e[rest];
    }
    const double part = 1.0 / (1.0 - own);
    for (int c = 0; c < lanes; c++) {
        PARFIT_AT(e, c) = v[c] *= part;
        PARFIT_AT(swept, c) = PARFIT_AT(all->s + at, c) + l0 * v[c];
    }
    if (single) {
        e[rest] = last *= part;
        swept[rest] = all->s[at + rest] + l0 * last;
    }
    return 1;
}

PARFIT_SWEEP int parfit_sweep_row(const int solving, const parfit_sweeping *all, long i)
{
    long first = all->rows.low[i], count = all->rows.high[i] - first;
    for (; count > PARFIT_BLOCK; first += PARFIT_BLOCK, count -= PARFIT_BLOCK)
        if (!parfit_sweep_block(solving, PARFIT_BLOCK / PARFIT_LANE, 0, all, i, first)) return 0;
#define PARFIT_COUNT(n) \
    case n: return parfit_sweep_block(solving, n / PARFIT_LANE, n % PARFIT_LANE, all, i, first);
    switch (count) {
        PARFIT_COUNT(1) PARFIT_COUNT(2) PARFIT_COUNT(3) PARFIT_COUNT(4)
        PARFIT_COUNT(5) PARFIT_COUNT(6) PARFIT_COUNT(7) PARFIT_COUNT(8)
    default: return parfit_sweep_block(solving, 0, 0, all, i, first);
    }
#undef PARFIT_COUNT
}

/* e = h (g_y s + g_p) - s1 */
static void parfit_residual(const parfit_coupling *rows, const parfit_slopes *step, const double *s, const double *s1,
                            double *e)
{
    const parfit_sweeping all = {*rows, *step, s, s1, e, 0};
    for (long i = 0; i < rows->n; i++) parfit_sweep_row(0, &all, i);
}

/* Solve (I - h l0 g_y) e = h (g_y s + g_p) - s1 with what is known of the rows before, and then see to what those behind
   would change. Where no row depends on one behind it, this is exact.

   Gives whether h l0 g_y makes everything so small, in units of the permitted errors, that it is a solution: the steps
   are those of the states, and where these rest, they may be too long for it. NaN is never flat. */
static int parfit_sweep(const parfit_coupling *rows, const parfit_slopes *step, const double *s, const double *s1,
                        double *e, double *swept)
{
    const parfit_sweeping all = {*rows, *step, s, s1, e, swept}; /* which nothing that is written can be a part of */
    for (long i = 0; i < rows->n; i++)
        if (!parfit_sweep_row(1, &all, i)) return 0;
    for (long i = 0; i < rows->n && !rows->triangular; i++)
        for (long k = rows->middle[i]; k < rows->g_y.start[i + 1]; k++) {
            const long j = rows->g_y.column[k], low = rows->low[j];
            if (j > i)
                parfit_add(e + i * rows->m + low, step->h * step->l0 * parfit_slope(rows, step, k),
                           e + j * rows->m + low, rows->high[j] - low);
        }
    return 1;
}

#endif
