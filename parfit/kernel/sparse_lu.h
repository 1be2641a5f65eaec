/* LU factors of a sparse matrix without exchanges of rows, in places that are known beforehand.

   Rows are stored one after the other: entries start[i] to start[i + 1], their columns increasing, the diagonal at
   middle[i]. Fill-in has its place already. Afterwards the diagonal holds reciprocals of the pivots. What has no place
   is left out: the factors are then those of a matrix nearby (incomplete factors of Meijerink and van der Vorst, 1977). */

#ifndef PARFIT_SPARSE_LU_H
#define PARFIT_SPARSE_LU_H

#include <math.h>

typedef struct {
    int n;
    int complete;  /* everything has a place */
    const int *start, *column, *middle;
    const int *at;  /* where the entries of g_y are, row by row */
} parfit_fill;

/* The part of the numbers a pivot is the sum of that must be left of them. A state's units are those of its
   pivot and of each of these numbers, so that the test is free of units, as one of multipliers would not be. */
#define PARFIT_LEFT 1e-6

/* Returns 0 if a pivot is what cancellation has left: then rows must be exchanged. `row` is room for n numbers. */
static int parfit_factor_sparse(const parfit_fill *fill, double *a, double *row)
{
    const int *start = fill->start, *column = fill->column, *middle = fill->middle;
    for (int i = 0; i < fill->n; i++) {
        for (int e = start[i]; e < start[i + 1]; e++) row[column[e]] = a[e];
        double size = 1.0 + fabs(row[i] - 1.0);  /* the diagonal is 1 - h g_y */
        for (int e = start[i]; e < middle[i]; e++) {
            int k = column[e];
            double before = row[i], ratio = row[k] * a[middle[k]];
            row[k] = ratio;
            for (int f = middle[k] + 1; f < start[k + 1]; f++) row[column[f]] -= ratio * a[f];
            size += fabs(row[i] - before);
        }
        double inverse = 1.0 / row[i];
        if (!(fabs(row[i]) >= PARFIT_LEFT * size && inverse != 0.0)) return 0;  /* also NaN */
        for (int e = start[i]; e < start[i + 1]; e++) a[e] = row[column[e]];
        a[middle[i]] = inverse;
    }
    return 1;
}

/* Row i of b, columns j to j + width, less entries first to last times their rows: the row stays in registers. */
#define PARFIT_SUBTRACT_ROWS(width) \
    for (; j + (width) <= end; j += (width)) { \
        double sum[width]; \
        for (int c = 0; c < (width); c++) sum[c] = row[j + c]; \
        for (int e = first; e < last; e++) { \
            const double *other = b + (long)fill->column[e] * m + j; \
            for (int c = 0; c < (width); c++) sum[c] -= a[e] * other[c]; \
        } \
        for (int c = 0; c < (width); c++) row[j + c] = sum[c] * factor; \
    }

static void parfit_subtract_rows(const parfit_fill *fill, const double *a, double *b, long m, int i, int first, int last,
                                 int j, int end, double factor)
{
    double *row = b + i * m;
    PARFIT_SUBTRACT_ROWS(8)
    PARFIT_SUBTRACT_ROWS(4)
    PARFIT_SUBTRACT_ROWS(2)
    PARFIT_SUBTRACT_ROWS(1)
}

/* Many right-hand sides by rows, b[i * m + j], of which row i is zero outside the columns low[i] to high[i].
   Row i of the solution depends on rows that the equations of state i lead to: their columns are among its own. */
static void parfit_solve_rows(const parfit_fill *fill, const double *a, double *b, long m, const int *low,
                              const int *high)
{
    const int *start = fill->start, *middle = fill->middle;
    for (int i = 0; i < fill->n; i++)
        parfit_subtract_rows(fill, a, b, m, i, start[i], middle[i], low[i], high[i], 1.0);
    for (int i = fill->n - 1; i >= 0; i--)
        parfit_subtract_rows(fill, a, b, m, i, middle[i] + 1, start[i + 1], low[i], high[i], a[middle[i]]);
}

static void parfit_solve_sparse(const parfit_fill *fill, const double *a, double *b)
{
    const int *start = fill->start, *column = fill->column, *middle = fill->middle;
    for (int i = 0; i < fill->n; i++)
        for (int e = start[i]; e < middle[i]; e++) b[i] -= a[e] * b[column[e]];
    for (int i = fill->n - 1; i >= 0; i--) {
        for (int e = middle[i] + 1; e < start[i + 1]; e++) b[i] -= a[e] * b[column[e]];
        b[i] *= a[middle[i]];
    }
}

#endif
