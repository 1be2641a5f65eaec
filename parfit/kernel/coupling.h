/* Which rows of a matrix of sensitivities depend on which. */

#ifndef PARFIT_COUPLING_H
#define PARFIT_COUPLING_H

/* A sparse matrix by rows: entry k of row i, start[i] <= k < start[i + 1], is in column[k], its value in reg[k]. */
typedef struct {
    int *start, *column, *reg;
} parfit_pattern;

/* Matrices (n, m) by rows, and what couples their rows; only columns from low[i] to below high[i] of a row can differ
   from 0, and those of a row that it depends on are among them. */
typedef struct {
    long n, m;
    int triangular; /* no row depends on one behind it */
    parfit_pattern g_y, g_p; /* columns of g_y increase in every row, */
    const int *middle;       /* and those of row i from this entry on are not below i */
    const int *low, *high;
} parfit_coupling;

#endif
