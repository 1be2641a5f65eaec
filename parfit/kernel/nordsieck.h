/* Arrays z of q + 1 levels h^k y^(k) / k!, each of n numbers: predict, correct, rescale, interpolate components.
   All levels of a component pass through the processor's registers once; for each order the loops are written out. */

#ifndef PARFIT_NORDSIECK_H
#define PARFIT_NORDSIECK_H

#include "vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#define PARFIT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PARFIT_INDEPENDENT
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define PARFIT_WIDE __attribute__((target("avx2")))
#define PARFIT_IS_WIDE __builtin_cpu_supports("avx2")
#endif

#define PARFIT_PREDICT(number) { \
        number v[13]; \
        for (int k = 0; k <= q; k++) *(number *)(before + k * n + i) = v[k] = *(const number *)(z + k * n + i); \
        for (int j = 0; j < q; j++) \
            for (int k = q - 1; k >= j; k--) v[k] += v[k + 1]; \
        for (int k = 0; k < q; k++) *(number *)(z + k * n + i) = v[k]; \
    }

/* Multiply by Pascal's triangle: Taylor's formula over one step. What was there before is kept. Of its own the compiler
   takes one component at a time. */
PARFIT_ALWAYS_INLINE void parfit_predict_q(double *PARFIT_RESTRICT z, double *PARFIT_RESTRICT before, int q, long n)
{
    long i = 0;
#if defined(__GNUC__)
    for (; i + 1 < n; i += 2) PARFIT_PREDICT(parfit_two)
#endif
    for (; i < n; i++) PARFIT_PREDICT(double)
#undef PARFIT_PREDICT
}

/* Add l e, with e of n numbers. */
PARFIT_ALWAYS_INLINE void parfit_correct_q(double *z, int q, long n, const double *l, const double *e, long first,
                                           long last)
{
    PARFIT_INDEPENDENT
    for (long i = first; i < last; i++)
        for (int k = 0; k <= q; k++) z[k * n + i] += l[k] * e[i];
}

/* Add l e, go from a step h to a step ratio * h, and predict: what all three would do one after the other. */
PARFIT_ALWAYS_INLINE void parfit_correct_and_predict_q(const int wide, double *z, int q, long n, const double *l,
                                                       const double *e, double ratio, long first, long last)
{
#define PARFIT_RENEW(number, scaled) { \
        number v[13]; \
        const number c = *(const number *)(e + i); \
        for (int k = 0; k <= q; k++) v[k] = (*(const number *)(z + k * n + i) + l[k] * c) scaled; \
        for (int j = 0; j < q; j++) \
            for (int k = q - 1; k >= j; k--) v[k] += v[k + 1]; \
        for (int k = 0; k <= q; k++) *(number *)(z + k * n + i) = v[k]; \
    }
    long i = first;
#if defined(__GNUC__)
    if (ratio == 1.0) { /* as in most steps */
        if (wide) for (; i + 3 < last; i += 4) PARFIT_RENEW(parfit_four, )
        for (; i + 1 < last; i += 2) PARFIT_RENEW(parfit_two, )
    }
#endif
    double power[13] = {1.0};
    for (int k = 1; k <= q && i < last; k++) power[k] = power[k - 1] * ratio;
#if defined(__GNUC__)
    if (wide) for (; i + 3 < last; i += 4) PARFIT_RENEW(parfit_four, * power[k])
    for (; i + 1 < last; i += 2) PARFIT_RENEW(parfit_two, * power[k])
#endif
    for (; i < last; i++) PARFIT_RENEW(double, * power[k])
#undef PARFIT_RENEW
}

/* out = the polynomial of the levels, at x steps from where they are, and a part of e. */
PARFIT_ALWAYS_INLINE void parfit_interpolate_q(double *PARFIT_RESTRICT out, const double *z, int q, long n, double x,
                                               double part, const double *e, long first, long last)
{
#define PARFIT_HORNER(number) { \
        number v = *(const number *)(z + q * n + i); \
        for (int k = q - 1; k >= 0; k--) v = x * v + *(const number *)(z + k * n + i); \
        if (e) v += part * *(const number *)(e + i); \
        *(number *)(out + i) = v; \
    }
    long i = first;
#if defined(__GNUC__)
    for (; i + 1 < last; i += 2) PARFIT_HORNER(parfit_two)
#endif
    for (; i < last; i++) PARFIT_HORNER(double)
#undef PARFIT_HORNER
}

#define PARFIT_FOR_ORDER(q, call) \
    switch (q) { \
    case 1: call(1); break; case 2: call(2); break; case 3: call(3); break; case 4: call(4); break; \
    case 5: call(5); break; case 6: call(6); break; case 7: call(7); break; case 8: call(8); break; \
    case 9: call(9); break; case 10: call(10); break; case 11: call(11); break; default: call(12); \
    }

static inline void parfit_predict(double *z, double *before, int q, long n)
{
#define PARFIT_CALL(order) parfit_predict_q(z, before, order, n)
    PARFIT_FOR_ORDER(q, PARFIT_CALL)
#undef PARFIT_CALL
}

static inline void parfit_correct(double *z, int q, long n, const double *l, const double *e, long first, long last)
{
#define PARFIT_CALL(order) parfit_correct_q(z, order, n, l, e, first, last)
    PARFIT_FOR_ORDER(q, PARFIT_CALL)
#undef PARFIT_CALL
}

#if defined(PARFIT_WIDE)
PARFIT_WIDE static inline void parfit_correct_and_predict_wide(double *z, int q, long n, const double *l,
                                                               const double *e, double ratio, long first, long last)
{
#define PARFIT_CALL(order) parfit_correct_and_predict_q(1, z, order, n, l, e, ratio, first, last)
    PARFIT_FOR_ORDER(q, PARFIT_CALL)
#undef PARFIT_CALL
}
#endif

static inline void parfit_correct_and_predict(double *z, int q, long n, const double *l, const double *e, double ratio,
                                              long first, long last)
{
#if defined(PARFIT_WIDE)
    if (PARFIT_IS_WIDE && last - first > 3) {
        parfit_correct_and_predict_wide(z, q, n, l, e, ratio, first, last);
        return;
    }
#endif
#define PARFIT_CALL(order) parfit_correct_and_predict_q(0, z, order, n, l, e, ratio, first, last)
    PARFIT_FOR_ORDER(q, PARFIT_CALL)
#undef PARFIT_CALL
}

static inline void parfit_interpolate(double *out, const double *z, int q, long n, double x, double part,
                                      const double *e, long first, long last)
{
#define PARFIT_CALL(order) parfit_interpolate_q(out, z, order, n, x, part, e, first, last)
    PARFIT_FOR_ORDER(q, PARFIT_CALL)
#undef PARFIT_CALL
}

/* From a step h to a step ratio * h. */
static inline void parfit_rescale(double *z, int q, long n, double ratio, long first, long last)
{
    double power = 1.0;
    for (int k = 1; k <= q; k++) {
        power *= ratio;
        for (long i = first; i < last; i++) z[k * n + i] *= power;
    }
}

#endif
