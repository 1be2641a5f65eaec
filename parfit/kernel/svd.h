/* Singular values by rotations (Hestenes 1958), of the rows of a triangle (Drmac and Veselic 2008): the same on every
   machine. */

#ifndef PARFIT_SVD_H
#define PARFIT_SVD_H

#include <math.h>
#include "vectors.h"

#define PARFIT_SWEEPS 40
#define PARFIT_COSINE 1e-15 /* between columns that are orthogonal but for rounding */

/* Reflect column j, of such a length below row j, onto that row, and with it the columns behind it and f; the length of
   what is left of the next one. That is a long sum, which the processor does while it moves the columns behind: so it is
   asked for as soon as it can be. */
static double parfit_reflect(double *a, double *f, long n, long m, long j, double length)
{
    double *v = a + j * n + j, next = 0.0;
    const int is_any = length > 0.0;
    if (is_any) {
        if (v[0] < 0.0) length = -length;
        for (long i = 0; i < n - j; i++) v[i] /= length;
        v[0] += 1.0;
    }
    for (long k = j + 1; k <= m; k++) {
        double *other = k < m ? a + k * n + j : f + j;
        if (is_any) parfit_add(other, -parfit_dot(v, other, n - j) / v[0], v, n - j);
        if (k == j + 1 && k < m) next = parfit_norm(other + 1, n - k, 1);
    }
    if (is_any) {
        v[0] = -length;
        for (long i = 1; i < n - j; i++) v[i] = 0.0;
    }
    return next;
}

/* Reflections that make the columns of a (n x m by columns, n > m) upper triangular, and move f (n) with them. */
static void parfit_triangle(double *a, double *f, long n, long m)
{
    double length = parfit_norm(a, n, 1);
    for (long j = 0; j < m; j++) length = parfit_reflect(a, f, n, m, j, length);
}

/* x'x, y'y and x'y, for numbers of any size: divided by `scale` first, unless that is 1, because divisions take long */
static inline void parfit_products(const double *x, const double *y, long m, double scale, double *xx, double *yy, double *xy)
{
    double a, b, aa = 0.0, bb = 0.0, ab = 0.0;
    if (scale == 1.0) PARFIT_LOOP(m, (aa += x[i] * x[i], bb += y[i] * y[i], ab += x[i] * y[i]))
    else PARFIT_LOOP(m, (a = x[i] / scale, b = y[i] / scale, aa += a * a, bb += b * b, ab += a * b))
    *xx = aa; *yy = bb; *xy = ab;
}

/* Turn two columns towards each other by an angle of cosine c and sine s. */
static inline void parfit_turn(double *PARFIT_RESTRICT x, double *PARFIT_RESTRICT y, double c, double s, long m)
{
    double kept;
    PARFIT_LOOP(m, (kept = x[i], x[i] = c * kept - s * y[i], y[i] = s * kept + c * y[i]))
}

/* Turn columns x and y of length m, and two numbers with them, until they are orthogonal; whether they were not. */
static inline int parfit_orthogonal(double *x, double *y, double *f, double *g, long m, double scale)
{
    double xx, yy, xy, ratio, t, c, s;
    parfit_products(x, y, m, scale, &xx, &yy, &xy);
    if (!(fabs(xy) > PARFIT_COSINE * sqrt(xx) * sqrt(yy))) return 0;
    ratio = (yy - xx) / (2.0 * xy);
    t = (ratio >= 0.0 ? 1.0 : -1.0) / (fabs(ratio) + sqrt(1.0 + ratio * ratio));
    c = 1.0 / sqrt(1.0 + t * t);
    s = c * t;
    parfit_turn(x, y, c, s, m);
    parfit_turn(f, g, c, s, 1);
    return 1;
}

/* Turn k columns of length m, one behind the other, until they are orthogonal; the numbers in g (k) turn with them.

   Every column meets the others in the order of a loop over all pairs; but pairs of the same sum i + j have nothing to
   do with each other, and next to each other the processor turns several of them at once. */
static void parfit_orthogonalize(double *columns, double *g, long m, long k)
{
    double scale = 0.0;
    for (long i = 0; i < m * k; i++) if (fabs(columns[i]) > scale) scale = fabs(columns[i]);
    if (!(scale > 0.0)) return;
    if (scale > 1e-100 && scale < 1e100) scale = 1.0;
    for (int sweep = 0, turned = 1; turned && sweep < PARFIT_SWEEPS; sweep++) {
        turned = 0;
        for (long sum = 1; sum < 2 * k - 2; sum++)
            for (long i = sum < k ? 0 : sum - k + 1, j = sum - i; i < j; i++, j--)
                turned |= parfit_orthogonal(columns + i * m, columns + j * m, g + i, g + j, m, scale);
    }
}

#endif
