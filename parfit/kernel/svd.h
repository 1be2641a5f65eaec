/* Singular values by rotations (Hestenes 1958), of the rows of a triangle (Drmac and Veselic 2008): the same on every
   machine. */

#ifndef PARFIT_SVD_H
#define PARFIT_SVD_H

#include <math.h>
#include "vectors.h"

#define PARFIT_SWEEPS 40
#define PARFIT_COSINE 1e-15 /* between columns that are orthogonal but for rounding */

/* Reflections that make the columns of a (n x m by columns, n > m) upper triangular, and move f (n) with them. */
static void parfit_triangle(double *a, double *f, long n, long m)
{
    for (long j = 0; j < m; j++) {
        double *v = a + j * n + j;
        double length = parfit_norm(v, n - j, 1);
        if (!(length > 0.0)) continue;
        if (v[0] < 0.0) length = -length;
        for (long i = 0; i < n - j; i++) v[i] /= length;
        v[0] += 1.0;
        for (long k = j + 1; k <= m; k++) {
            double *other = k < m ? a + k * n + j : f + j;
            parfit_add(other, -parfit_dot(v, other, n - j) / v[0], v, n - j);
        }
        v[0] = -length;
        for (long i = 1; i < n - j; i++) v[i] = 0.0;
    }
}

/* x'x, y'y and x'y, for numbers of any size: divided by `scale` first */
static inline void parfit_products(const double *x, const double *y, long m, double scale, double *xx, double *yy, double *xy)
{
    *xx = *yy = *xy = 0.0;
    for (long i = 0; i < m; i++) {
        double a = x[i] / scale, b = y[i] / scale;
        *xx += a * a; *yy += b * b; *xy += a * b;
    }
}

/* Turn k columns of length m, one behind the other, until they are orthogonal; the numbers in g (k) turn with them. */
static void parfit_orthogonalize(double *columns, double *g, long m, long k)
{
    double scale = 0.0;
    for (long i = 0; i < m * k; i++) if (fabs(columns[i]) > scale) scale = fabs(columns[i]);
    if (!(scale > 0.0)) return;
    if (scale > 1e-100 && scale < 1e100) scale = 1.0;
    for (int sweep = 0, turned = 1; turned && sweep < PARFIT_SWEEPS; sweep++) {
        turned = 0;
        for (long i = 0; i < k - 1; i++)
            for (long j = i + 1; j < k; j++) {
                double *x = columns + i * m, *y = columns + j * m, xx, yy, xy, ratio, t, c, s, kept;
                parfit_products(x, y, m, scale, &xx, &yy, &xy);
                if (!(fabs(xy) > PARFIT_COSINE * sqrt(xx) * sqrt(yy))) continue;
                turned = 1;
                ratio = (yy - xx) / (2.0 * xy);
                t = (ratio >= 0.0 ? 1.0 : -1.0) / (fabs(ratio) + sqrt(1.0 + ratio * ratio));
                c = 1.0 / sqrt(1.0 + t * t);
                s = c * t;
                for (long r = 0; r < m; r++) {
                    kept = x[r];
                    x[r] = c * kept - s * y[r];
                    y[r] = s * kept + c * y[r];
                }
                kept = g[i];
                g[i] = c * kept - s * g[j];
                g[j] = s * kept + c * g[j];
            }
    }
}

#endif
