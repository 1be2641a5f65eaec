/* Small loops over rows of numbers that do not overlap, in the form that the compiler makes fast. */

#ifndef PARFIT_VECTORS_H
#define PARFIT_VECTORS_H

#include <math.h>

#if defined(_MSC_VER)
#define PARFIT_RESTRICT __restrict
#else
#define PARFIT_RESTRICT __restrict__
#endif

#if defined(__GNUC__)
#define PARFIT_ALWAYS_INLINE static inline __attribute__((always_inline))
typedef double parfit_two __attribute__((vector_size(16), aligned(8), may_alias)); /* as every processor has them */
typedef double parfit_four __attribute__((vector_size(32), aligned(8), may_alias)); /* AVX; gives the same bits */
#else
#define PARFIT_ALWAYS_INLINE static inline
#endif

static inline double parfit_larger(double a, double b) { return a > b ? a : b; }
static inline double parfit_smaller(double a, double b) { return a < b ? a : b; }

/* The larger of a size so far and the next, with NaN larger than anything. */
static inline double parfit_largest(double size, double next) { return next > size || next != next ? next : size; }

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

/* y = 0 */
static inline void parfit_clear(double *y, long n)
{
    PARFIT_LOOP(n, y[i] = 0.0)
}

/* y += a x */
static inline void parfit_add(double *PARFIT_RESTRICT y, double a, const double *PARFIT_RESTRICT x, long n)
{
    PARFIT_LOOP(n, y[i] += a * x[i])
}

/* y = a x z */
static inline void parfit_weigh(double *PARFIT_RESTRICT y, double a, const double *PARFIT_RESTRICT x,
                                const double *PARFIT_RESTRICT z, long n)
{
    PARFIT_LOOP(n, y[i] = a * x[i] * z[i])
}

/* s += f x', a matrix (n, m) */
static inline void parfit_add_outer(double *PARFIT_RESTRICT s, const double *PARFIT_RESTRICT f,
                                    const double *PARFIT_RESTRICT x, long n, long m)
{
    for (long i = 0; i < n; i++, s += m) parfit_add(s, f[i], x, m);
}

/* s += (f - g) x', f being 0 if there is none; whether all of s is finite then. A row of f - g that is 0 changes
   nothing, however large x is. */
static inline int parfit_add_jump(double *PARFIT_RESTRICT s, const double *f, const double *g,
                                  const double *PARFIT_RESTRICT x, long n, long m)
{
    int all = 1;
    for (long i = 0; i < n; i++, s += m) {
        const double a = (f ? f[i] : 0.0) - g[i];
        if (a != 0.0) parfit_add(s, a, x, m);
        for (long j = 0; j < m; j++) all = all && isfinite(s[j]);
    }
    return all;
}

/* Put k behind those of the k subscripts in `order` whose value is not larger. */
static inline void parfit_insert(int *order, int k, const double *value)
{
    int j = k;
    for (; j > 0 && value[order[j - 1]] > value[k]; j--) order[j] = order[j - 1];
    order[j] = k;
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

/* x'y: in four sums, always in this order, so that it is the same on every machine */
static inline double parfit_dot(const double *x, const double *y, long n)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    long i = 0;
    for (; i + 3 < n; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) a += x[i] * y[i];
    return (a + b) + (c + d);
}

/* The sum of x, in four as well */
static inline double parfit_sum(const double *x, long n)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    long i = 0;
    for (; i + 3 < n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; i++) a += x[i];
    return (a + b) + (c + d);
}

/* |x| of numbers that stand `step` apart, however large or small they are */
static inline double parfit_norm(const double *x, long n, long step)
{
    double total = 0.0, largest = 0.0;
    for (long i = 0; i < n; i++) total += x[i * step] * x[i * step];
    if (total > 1e-280 && total < 1e280) return sqrt(total);
    for (long i = 0; i < n; i++) if (fabs(x[i * step]) > largest) largest = fabs(x[i * step]);
    if (!(largest > 0.0 && largest <= 1.7976931348623157e308) || total != total) return total;
    total = 0.0;
    for (long i = 0; i < n; i++) total += (x[i * step] / largest) * (x[i * step] / largest);
    return largest * sqrt(total);
}

/* The lengths of the columns of a matrix (n, m) by rows, four at a time: one sum waits for itself at every row */
static inline void parfit_lengths(const double *a, long n, long m, double *PARFIT_RESTRICT lengths)
{
    long j = 0;
    for (; j + 3 < m; j += 4) {
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        for (long i = 0; i < n; i++)
            for (long k = 0; k < 4; k++) sums[k] += a[i * m + j + k] * a[i * m + j + k];
        for (long k = 0; k < 4; k++) lengths[j + k] = sums[k];
    }
    for (; j + 1 < m; j += 2) {
        double sums[2] = {0.0, 0.0};
        for (long i = 0; i < n; i++)
            for (long k = 0; k < 2; k++) sums[k] += a[i * m + j + k] * a[i * m + j + k];
        for (long k = 0; k < 2; k++) lengths[j + k] = sums[k];
    }
    for (long k = 0; k < j; k++)
        lengths[k] = lengths[k] > 1e-280 && lengths[k] < 1e280 ? sqrt(lengths[k]) : parfit_norm(a + k, n, m);
    if (j < m) lengths[j] = parfit_norm(a + j, n, m);
}

/* y *= a */
static inline void parfit_multiply(double *y, double a, long n)
{
    PARFIT_LOOP(n, y[i] *= a)
}

#endif
