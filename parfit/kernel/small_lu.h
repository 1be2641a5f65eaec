/* LU factors of small dense matrices, stored by rows. */

#ifndef PARFIT_SMALL_LU_H
#define PARFIT_SMALL_LU_H

#include <math.h>

#include "vectors.h"

#define PARFIT_MOST_SMALL 16 /* up to this size the inlined elimination beats a call of LAPACK */

/* Gaussian elimination with partial pivoting on a[n][n]; afterwards the diagonal holds reciprocals of the
   pivots. Written once for any n; for the smallest n the compiler unrolls it. Returns 0 if singular. */
PARFIT_ALWAYS_INLINE int parfit_factor_n(double *a, int *pivots, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        double largest = fabs(a[k * n + k]);
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > largest) { p = i; largest = fabs(a[i * n + k]); }
        if (!(largest > 0.0 && largest <= 1.7976931348623157e308)) return 0;
        pivots[k] = p;
        if (p != k)
            for (int j = 0; j < n; j++) {
                double x = a[k * n + j]; a[k * n + j] = a[p * n + j]; a[p * n + j] = x;
            }
        a[k * n + k] = 1.0 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double ratio = a[i * n + k] *= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= ratio * a[k * n + j];
        }
    }
    return 1;
}

PARFIT_ALWAYS_INLINE void parfit_solve_n(const double *a, const int *pivots, double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (pivots[i] != i) { double x = b[i]; b[i] = b[pivots[i]]; b[pivots[i]] = x; }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] *= a[i * n + i];
    }
}

/* The same for m right-hand sides stored by rows, some columns of them at a time. What is infinite in one row does not
   spread to rows that do not depend on it. */
#define PARFIT_SOLVE_COLUMNS(number) { \
        number v[PARFIT_MOST_SMALL]; \
        for (int i = 0; i < n; i++) v[i] = *(const number *)(b + i * m + c); \
        for (int i = 1; i < n; i++) \
            for (int j = 0; j < i; j++) \
                if (a[i * n + j] != 0.0) v[i] -= a[i * n + j] * v[j]; \
        for (int i = n - 1; i >= 0; i--) { \
            for (int j = i + 1; j < n; j++) \
                if (a[i * n + j] != 0.0) v[i] -= a[i * n + j] * v[j]; \
            v[i] *= a[i * n + i]; \
        } \
        for (int i = 0; i < n; i++) *(number *)(b + i * m + c) = v[i]; \
    }

PARFIT_ALWAYS_INLINE void parfit_solve_columns_n(const double *a, const int *pivots, double *PARFIT_RESTRICT b, long m, int n)
{
    long c = 0;
    for (int i = 0; i < n; i++)
        for (long j = 0; j < m && pivots[i] != i; j++) {
            double x = b[i * m + j]; b[i * m + j] = b[pivots[i] * m + j]; b[pivots[i] * m + j] = x;
        }
#if defined(__GNUC__)
    for (; c + 1 < m; c += 2) PARFIT_SOLVE_COLUMNS(parfit_two)
#endif
    for (; c < m; c++) PARFIT_SOLVE_COLUMNS(double)
#undef PARFIT_SOLVE_COLUMNS
}

#define PARFIT_FOR_SMALL(n, call) \
    switch (n) { \
    case 1: return call(1); case 2: return call(2); case 3: return call(3); \
    case 4: return call(4); case 5: return call(5); case 6: return call(6); \
    default: return call(n); }

static inline int parfit_factor(double *a, int *pivots, int n)
{
#define PARFIT_CALL(k) parfit_factor_n(a, pivots, k)
    PARFIT_FOR_SMALL(n, PARFIT_CALL)
#undef PARFIT_CALL
}

static inline void parfit_solve(const double *a, const int *pivots, double *b, int n)
{
#define PARFIT_CALL(k) parfit_solve_n(a, pivots, b, k)
    PARFIT_FOR_SMALL(n, PARFIT_CALL)
#undef PARFIT_CALL
}

static inline void parfit_solve_columns(const double *a, const int *pivots, double *b, long m, int n)
{
#define PARFIT_CALL(k) parfit_solve_columns_n(a, pivots, b, m, k)
    PARFIT_FOR_SMALL(n, PARFIT_CALL)
#undef PARFIT_CALL
}

#endif
