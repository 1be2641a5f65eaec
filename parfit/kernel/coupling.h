/* Which rows of a matrix of sensitivities depend on which, and what corrects them after a step. */

#ifndef PARFIT_COUPLING_H
#define PARFIT_COUPLING_H

/* A sparse matrix by rows: entry k of row i, start[i] <= k < start[i + 1], is in column[k], its value in register reg[k]. */
typedef struct {
    int *start, *column, *reg;
} parfit_pattern;

/* Entry k of a matrix of slopes by states that count gamma, or wholly where that is NULL. */
static inline double parfit_slope(const parfit_pattern *g_y, const double *r, const double *gamma, long k)
{
    const double slope = r[g_y->reg[k]];
    return gamma ? slope * gamma[g_y->column[k]] : slope;
}

/* Matrices (n, m) by rows, and what couples their rows; only columns from low[i] to below high[i] of a row can differ
   from 0, and those of a row that it depends on are among them. */
typedef struct {
    long n, m;
    int triangular; /* no row depends on one behind it */
    parfit_pattern g_y, g_p; /* columns of g_y increase in every row, */
    const int *middle;       /* and those of row i from this entry on are not below i */
    const int *low, *high;
} parfit_coupling;

/* Sensitivities (n, m) at the end of a step, whose derivatives are in the registers r: g_y by states that count gamma, or
   wholly where that is NULL. */
typedef struct {
    const parfit_coupling *rows;
    double h, l0;
    const double *r, *gamma;
    const double *weight, *permitted; /* 1 / permitted error of each state, and that error */
    const double *s, *s1;             /* as predicted, and h times their slopes */
    double *e;                        /* their correction, */
    double *swept;                    /* and what s is with it, 0 where it cannot be anything else */
} parfit_corrections;

/* a = I - h g_y, (n, n) by rows */
static inline void parfit_put_small(double *a, int n, const parfit_pattern *g_y, const double *r, const double *gamma,
                                    double h)
{
    for (int k = 0; k < n * n; k++) a[k] = 0.0;
    for (int i = 0; i < n; i++, a += n) {
        a[i] = 1.0;
        for (int k = g_y->start[i]; k < g_y->start[i + 1]; k++)
            a[g_y->column[k]] -= h * parfit_slope(g_y, r, gamma, k);
    }
}

#endif
