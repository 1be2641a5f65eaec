/* What counts as nothing, where several modules must agree on it. */

#ifndef PARFIT_THRESHOLDS_H
#define PARFIT_THRESHOLDS_H

/* Singular values this small next to the largest, with columns of length 1, are 0, and so is what is left of a column
   that depends on others. Dependent columns come from the same linear formulas and agree but for rounding, which an
   integration lets grow to about 1e-12; what real data tell apart is far above. */
#define PARFIT_RANK 1e-9

#define PARFIT_SAME_TIME 1e-14 /* next to t, of times that are the same */

#endif
