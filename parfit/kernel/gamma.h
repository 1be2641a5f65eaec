/* The first and second derivatives of the logarithm of the gamma function. */

#ifndef PARFIT_GAMMA_H
#define PARFIT_GAMMA_H

#include <math.h>

#define PARFIT_PI 3.14159265358979323846

/* x minus its nearest whole number. */
static inline double parfit_off_whole(double x) { return x - floor(x + 0.5); }

/* On [1, 2]: the zero times a rational function (J. Maddock, Boost.Math), so that it is accurate near the zero too. */
static inline double parfit_digamma_1_2(double x)
{
    static const double p[] = {0.25479851061131551, -0.32555031186804491, -0.65031853770896507,
                               -0.28919126444774784, -0.045251321448739056, -0.0020713321167745952};
    static const double q[] = {1.0, 2.0767117023730469, 1.4606242909763515, 0.43593529692665969,
                               0.054151797245674225, 0.0021284987017821144, -0.55789841321675513e-6};
    const double z = x - 1.0;
    const double g = x - 1569415565.0 / 1073741824.0 - 381566830.0 / 1073741824.0 / 1073741824.0
                     - 0.9016312093258695918615325266959189453125e-19;
    double top = p[5], bottom = q[6];
    for (int k = 4; k >= 0; k--) top = top * z + p[k];
    for (int k = 5; k >= 0; k--) bottom = bottom * z + q[k];
    return g * 0.99558162689208984 + g * (top / bottom);
}

static inline double parfit_digamma(double x)
{
    double found = 0.0;
    if (x <= 0.0) { /* by reflection; NaN at the poles */
        if (x == floor(x)) return NAN;
        found = -PARFIT_PI / tan(PARFIT_PI * parfit_off_whole(x));
        x = 1.0 - x;
    }
    if (x >= 10.0) { /* log x - 1/(2x) - the sum of B(2k) / (2k x^(2k)) */
        const double y = 1.0 / (x * x);
        const double rest = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132
                            - y * (691.0 / 32760 - y * (1.0 / 12 - y * 3617.0 / 8160)))))));
        return found + (log(x) - 0.5 / x - rest);
    }
    while (x > 2.0) { x -= 1.0; found += 1.0 / x; }
    while (x < 1.0) { found -= 1.0 / x; x += 1.0; }
    return found + parfit_digamma_1_2(x);
}

static inline double parfit_trigamma(double x)
{
    double found = 0.0;
    if (x <= 0.0) {
        if (x == floor(x)) return NAN;
        const double sine = sin(PARFIT_PI * parfit_off_whole(x));
        return PARFIT_PI * PARFIT_PI / (sine * sine) - parfit_trigamma(1.0 - x);
    }
    for (; x < 15.0; x += 1.0) found += 1.0 / (x * x);
    const double y = 1.0 / (x * x);
    return found + (1.0 / x) * (1.0 + 0.5 / x + y * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30
           - y * (5.0 / 66 - y * (691.0 / 2730)))))));
}

#endif
