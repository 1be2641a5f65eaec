/* Singular values by rotations of columns (Hestenes 1958), after a QR decomposition: exact to rounding for each column,
   whatever their sizes, and the same on every machine. */

#ifndef PARFIT_SVD_H
#define PARFIT_SVD_H

#include <math.h>
#include "vectors.h"

#define PARFIT_SWEEPS 60

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

static void parfit_turn(double *x, double *y, double c, double s, long n)
{
    for (long i = 0; i < n; i++) {
        double kept = x[i];
        x[i] = c * kept - s * y[i];
        y[i] = s * kept + c * y[i];
    }
}

/* Turn the columns of a (k x m by columns, `rows` apart) until they are orthogonal; v (m x m) turns with them. */
static void parfit_orthogonalize(double *a, double *v, long rows, long k, long m)
{
    for (long i = 0; i < m * m; i++) v[i] = i % (m + 1) ? 0.0 : 1.0;
    for (int sweep = 0, turned = 1; turned && sweep < PARFIT_SWEEPS; sweep++) {
        turned = 0;
        for (long i = 0; i < m - 1; i++)
            for (long j = i + 1; j < m; j++) {
                double *x = a + i * rows, *y = a + j * rows;
                double lx = parfit_norm(x, k, 1), ly = parfit_norm(y, k, 1), cosine, ratio, t, c;
                if (!(lx > 0.0 && ly > 0.0)) continue;
                cosine = 0.0;
                for (long r = 0; r < k; r++) cosine += (x[r] / lx) * (y[r] / ly);
                if (!(fabs(cosine) > 1e-15)) continue;
                turned = 1;
                ratio = (ly / lx - lx / ly) / (2.0 * cosine);
                t = (ratio >= 0.0 ? 1.0 : -1.0) / (fabs(ratio) + hypot(1.0, ratio));
                c = 1.0 / sqrt(1.0 + t * t);
                parfit_turn(x, y, c, c * t, k);
                parfit_turn(v + i * m, v + j * m, c, c * t, m);
            }
    }
}

#endif
