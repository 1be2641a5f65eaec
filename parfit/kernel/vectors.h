/* Small loops over rows of numbers that do not overlap, in the form that the compiler makes fast. */

#ifndef PARFIT_VECTORS_H
#define PARFIT_VECTORS_H

#if defined(_MSC_VER)
#define PARFIT_RESTRICT __restrict
#else
#define PARFIT_RESTRICT __restrict__
#endif

/* Rows are often very short: a fixed length lets the compiler write such a loop out. */
#define PARFIT_LOOP(n, statement) \
    switch (n) { \
    case 1: for (long i = 0; i < 1; i++) statement; break; \
    case 2: for (long i = 0; i < 2; i++) statement; break; \
    case 3: for (long i = 0; i < 3; i++) statement; break; \
    case 4: for (long i = 0; i < 4; i++) statement; break; \
    case 5: for (long i = 0; i < 5; i++) statement; break; \
    case 6: for (long i = 0; i < 6; i++) statement; break; \
    default: for (long i = 0; i < n; i++) statement; \
    }

/* y += a x */
static inline void parfit_add(double *PARFIT_RESTRICT y, double a, const double *PARFIT_RESTRICT x, long n)
{
    PARFIT_LOOP(n, y[i] += a * x[i])
}

/* y = a y - x */
static inline void parfit_multiply_subtract(double *PARFIT_RESTRICT y, double a,
                                            const double *PARFIT_RESTRICT x, long n)
{
    for (long i = 0; i < n; i++) y[i] = a * y[i] - x[i];
}

/* y = x y + z */
static inline void parfit_horner(double *PARFIT_RESTRICT y, double x, const double *PARFIT_RESTRICT z, long n)
{
    for (long i = 0; i < n; i++) y[i] = x * y[i] + z[i];
}

/* y = a (x - y) */
static inline void parfit_difference(double *PARFIT_RESTRICT y, double a, const double *PARFIT_RESTRICT x, long n)
{
    for (long i = 0; i < n; i++) y[i] = a * (x[i] - y[i]);
}

/* y *= a */
static inline void parfit_multiply(double *y, double a, long n)
{
    PARFIT_LOOP(n, y[i] *= a)
}

#endif
