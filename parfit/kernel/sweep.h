/* Corrections of sensitivities row by row: what is to be solved, and its solution where equations are flat enough. */

#ifndef PARFIT_SWEEP_H
#define PARFIT_SWEEP_H

#include <math.h>

#include "coupling.h"
#include "vectors.h"

/* How large h l0 g_y may be, next to the permitted errors, for a sweep to be a solution: what rows behind may change of
   the corrections, a state of itself (which must not grow, and not be turned over unless its row is solved exactly), and
   what rows before may, unless no row depends on one behind it. */
#define PARFIT_MOST_FROM_BEHIND 0.1
#define PARFIT_MOST_GROWTH 0.5
#define PARFIT_MOST_DECAY 1.0
#define PARFIT_MOST_FROM_BEFORE 1.0

#if defined(__GNUC__)
typedef parfit_two parfit_lane;
#else
typedef double parfit_lane;
#endif
enum { PARFIT_LANE = sizeof(parfit_lane) / sizeof(double), PARFIT_BLOCK = 8 };

#define PARFIT_AT(x, k) (*(parfit_lane *)((x) + (k) * PARFIT_LANE))

/* One block of columns of row i, from `first` on: `lanes` vectors and, if `single`, one more number, all in the
   processor's registers. If not solving, e = h (g_y s + g_p) - s1. Gives whether the row is flat. Rows before i are read
   from `swept`. */
PARFIT_ALWAYS_INLINE int parfit_sweep_block(const int solving, const int lanes, const int single,
                                    const parfit_corrections *all, long i, long first)
{
    const parfit_coupling *rows = all->rows;
    const long m = rows->m, at = i * m + first, rest = lanes * PARFIT_LANE;
    const long middle = rows->middle[i], end = rows->g_y.start[i + 1];
    const double h = all->h, l0 = all->l0;
    const int *column = rows->g_y.column;
    long k = rows->g_y.start[i];
    double below = 0.0, above = 0.0, own = 0.0, last = single ? -all->s1[at + rest] : 0.0;
    parfit_lane v[PARFIT_BLOCK];
    for (int c = 0; c < lanes; c++) v[c] = -PARFIT_AT(all->s1 + at, c);
#define PARFIT_GATHER(source) \
        const double slope = h * parfit_slope(&rows->g_y, all->r, all->gamma, k); \
        const double *from = (source) + column[k] * m + first; \
        for (int c = 0; c < lanes; c++) v[c] += slope * PARFIT_AT(from, c); \
        if (single) last += slope * from[rest];
    for (; k < middle; k++) {
        PARFIT_GATHER(solving ? all->swept : all->s)
        below += fabs(slope) * all->permitted[column[k]];
    }
    if (k < end && column[k] == i) {
        PARFIT_GATHER(all->s)
        own = slope * l0;
        k++;
    }
    for (; k < end; k++) {
        PARFIT_GATHER(all->s)
        above += fabs(slope) * all->permitted[column[k]];
    }
#undef PARFIT_GATHER
    below *= l0 * all->weight[i];
    above *= l0 * all->weight[i];
    if (solving) {
        if (!(own <= PARFIT_MOST_GROWTH && above <= PARFIT_MOST_FROM_BEHIND && below < INFINITY && own > -INFINITY))
            return 0;
        if (!rows->triangular && !(own >= -PARFIT_MOST_DECAY && below <= PARFIT_MOST_FROM_BEFORE)) return 0;
    }
    double *e = all->e + at;
    const long direct = rows->g_p.start[i + 1];
    k = rows->g_p.start[i];
    if (k < direct || !solving) {
        for (int c = 0; c < lanes; c++) PARFIT_AT(e, c) = v[c];
        if (single) e[rest] = last;
        for (; k < direct; k++) {
            const long c = rows->g_p.column[k] - first;
            if (c >= 0 && c < rest + single) e[c] += h * all->r[rows->g_p.reg[k]];
        }
        if (!solving) return 1;
        for (int c = 0; c < lanes; c++) v[c] = PARFIT_AT(e, c);
        if (single) last = e[rest];
    }
    const double part = 1.0 / (1.0 - own);
    double *swept = all->swept + at;
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

PARFIT_ALWAYS_INLINE int parfit_sweep_row(const int solving, const parfit_corrections *all, long i)
{
    long first = all->rows->low[i], count = all->rows->high[i] - first;
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
static inline void parfit_residual(const parfit_corrections *all)
{
    for (long i = 0; i < all->rows->n; i++) parfit_sweep_row(0, all, i);
}

/* Solve (I - h l0 g_y) e = h (g_y s + g_p) - s1 with what is known of the rows before, and then see to what those behind
   would change. Where no row depends on one behind it, this is exact.

   Gives whether h l0 g_y makes everything so small, in units of the permitted errors, that it is a solution: the steps
   are those of the states, and where these rest, they may be too long for it. NaN is never flat. */
static inline int parfit_sweep(const parfit_corrections *all)
{
    const parfit_coupling *rows = all->rows;
    for (long i = 0; i < rows->n; i++)
        if (!parfit_sweep_row(1, all, i)) return 0;
    for (long i = 0; i < rows->n && !rows->triangular; i++)
        for (long k = rows->middle[i]; k < rows->g_y.start[i + 1]; k++) {
            const long j = rows->g_y.column[k], low = rows->low[j];
            if (j > i)
                parfit_add(all->e + i * rows->m + low, all->h * all->l0 * parfit_slope(&rows->g_y, all->r, all->gamma, k),
                           all->e + j * rows->m + low, rows->high[j] - low);
        }
    return 1;
}

#endif
