/* The operations of a tape; `running.h` runs one.

   A row for each operation: its opcode, its name in a graph, and its value, made of the registers A, B and C.
   Comparisons and choices hand NaN on instead of hiding it. */

#ifndef PARFIT_OPERATIONS_H
#define PARFIT_OPERATIONS_H

#include <math.h>

#include "gamma.h"

#define PARFIT_OPERATIONS(ROW) \
    ROW(ADD, "add", A + B) \
    ROW(SUB, "sub", A - B) \
    ROW(MUL, "mul", A * B) \
    ROW(DIV, "div", A / B) \
    ROW(NEG, "neg", -A) \
    ROW(MULADD, "muladd", A * B + C) \
    ROW(NMULADD, "nmuladd", C - A * B) \
    ROW(SQRT, "sqrt", sqrt(A)) \
    ROW(POW, "pow", pow(A, B)) \
    ROW(EXP, "exp", exp(A)) \
    ROW(LOG, "log", log(A)) \
    ROW(LOG10, "log10", log10(A)) \
    ROW(SIN, "sin", sin(A)) \
    ROW(COS, "cos", cos(A)) \
    ROW(TAN, "tan", tan(A)) \
    ROW(ASIN, "asin", asin(A)) \
    ROW(ACOS, "acos", acos(A)) \
    ROW(ATAN, "atan", atan(A)) \
    ROW(ATAN2, "atan2", atan2(A, B)) \
    ROW(SINH, "sinh", sinh(A)) \
    ROW(COSH, "cosh", cosh(A)) \
    ROW(TANH, "tanh", tanh(A)) \
    ROW(ASINH, "asinh", asinh(A)) \
    ROW(ERF, "erf", erf(A)) \
    ROW(ERFC, "erfc", erfc(A)) \
    ROW(LGAMMA, "lgamma", lgamma(A)) \
    ROW(DIGAMMA, "digamma", parfit_digamma(A)) \
    ROW(TRIGAMMA, "trigamma", parfit_trigamma(A)) \
    ROW(ABS, "abs", fabs(A)) \
    ROW(SIGN, "sign", A == A ? (A > 0.0) - (A < 0.0) : A) \
    ROW(HEAV, "heav", parfit_truth(A >= 0.0, A, 0.0)) \
    ROW(FLOOR, "floor", floor(A)) \
    ROW(CEIL, "ceil", ceil(A)) \
    ROW(MIN, "min", parfit_chosen(A <= B, A, B)) \
    ROW(MAX, "max", parfit_chosen(A >= B, A, B)) \
    ROW(LT, "<", parfit_truth(A < B, A, B)) \
    ROW(LE, "<=", parfit_truth(A <= B, A, B)) \
    ROW(EQ, "==", parfit_truth(A == B, A, B)) \
    ROW(NE, "!=", parfit_truth(A != B, A, B)) \
    ROW(AND, "&", parfit_truth(A != 0.0 && B != 0.0, A, B)) \
    ROW(OR, "|", parfit_truth(A != 0.0 || B != 0.0, A, B)) \
    ROW(NOT, "not", parfit_truth(A == 0.0, A, 0.0)) \
    ROW(SELECT, "if", A != A ? A : A != 0.0 ? B : C) \
    ROW(CURVE, "curve", parfit_curve_value(curves + i->b, A, 0)) \
    ROW(SLOPE, "slope", parfit_curve_value(curves + i->b, A, 1))

enum {
#define PARFIT_ROW(opcode, name, value) PARFIT_##opcode,
    PARFIT_OPERATIONS(PARFIT_ROW)
#undef PARFIT_ROW
    PARFIT_N_OPERATIONS
};

/* Registers; b is the number of a curve where there is one. The end of a section has its number in `out`. */
typedef struct {
    const void *operation; /* where it is done, or its opcode: see `running.h` */
    unsigned out, a, b, c;
} parfit_instruction;

/* A piecewise cubic; outside its range the end pieces continue. */
typedef struct {
    int n_pieces;
    const double *breaks; /* (n_pieces + 1,) */
    const double *coefs;  /* (4, n_pieces), highest power first */
} parfit_curve;

/* Value (derivative 0) or slope (derivative 1) of a piecewise cubic. */
static inline double parfit_curve_value(const parfit_curve *curve, double t, int derivative)
{
    int low = 0, high = curve->n_pieces;
    while (high - low > 1) {
        int middle = (low + high) >> 1;
        if (t >= curve->breaks[middle]) low = middle;
        else high = middle;
    }
    const int n = curve->n_pieces;
    const double *c = curve->coefs + low;
    const double x = t - curve->breaks[low];
    if (derivative) return (3.0 * c[0] * x + 2.0 * c[n]) * x + c[2 * n];
    return ((c[0] * x + c[n]) * x + c[2 * n]) * x + c[3 * n];
}

static inline double parfit_truth(int truth, double a, double b) { return a == a && b == b ? truth : a + b; }

static inline double parfit_chosen(int first, double a, double b)
{
    return a == a && b == b ? (first ? a : b) : a + b;
}

static inline const char *parfit_operation_name(int op)
{
    static const char *const names[] = {
#define PARFIT_ROW(opcode, name, value) name,
        PARFIT_OPERATIONS(PARFIT_ROW)
#undef PARFIT_ROW
    };
    return names[op];
}

#endif
