"""Whether a point is a minimum: the relative offset of Bates and Watts (1981), free of scales.

At a minimum the residuals are orthogonal to the columns of the Jacobian. The offset compares what is left of them in
the columns' space with what is outside, each per degree of freedom: the step that linear theory would still take, in
units of the radius of the confidence region.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgesdd

from parfit.estimation.problem import Evaluation

Array = NDArray[np.float64]

SIGNIFICANT = 0.1  # an offset that moves the estimates by a tenth of their uncertainty
EXACT = 1e-6  # residuals this small next to the observations leave nothing to be explained
FLAT = 1e-6  # next to the residuals, what changing a parameter by its own size must do for the data to see it
# Singular values this small next to the largest are 0. Dependent columns come from the same linear formulas and agree
# but for rounding, which an integration lets grow to about 1e-12; what real data tell apart is far above.
RANK = 1e-9


def relative_offset(evaluation: Evaluation, free: NDArray[np.bool_] | None = None) -> float:
    """The offset at a point; `free` (n_active,) leaves out parameters at a bound."""
    if evaluation.total == 0.0:
        return 0.0
    return float(np.sqrt(imitated(evaluation, evaluation.residuals, free)))


def imitated(evaluation: Evaluation, vector: Array, free: NDArray[np.bool_] | None = None) -> float:
    """The square of the part of a vector (n_residuals,) that a change of the parameters can imitate.

    Per degree of freedom, and next to what of the residuals no parameters can explain.
    """
    jac = evaluation.jac if free is None else evaluation.jac[:, free]
    lengths = np.sqrt(np.einsum("ij,ij->j", jac, jac))
    seen = lengths > 0.0
    if not seen.any():
        return 0.0
    u, s, _, _ = dgesdd(jac[:, seen] / lengths[seen], full_matrices=0)
    basis = u[:, s > RANK * s[0]].T
    part, explained = basis @ vector, basis @ evaluation.residuals
    n, m = evaluation.residuals.size, part.size
    within, outside = float(part @ part), evaluation.total - float(explained @ explained)
    if n <= m or outside <= 0.0:
        return within / evaluation.total if evaluation.total > 0.0 else 0.0
    return float((within / m) / (outside / (n - m)))


def undetermined(evaluation: Evaluation) -> int:
    """How many combinations of the parameters the residuals do not see, of those that each parameter alone shows."""
    lengths = np.sqrt(np.einsum("ij,ij->j", evaluation.jac, evaluation.jac))
    seen = lengths > 0.0
    if not seen.any():
        return 0
    _, s, _, _ = dgesdd(evaluation.jac[:, seen] / lengths[seen], compute_uv=0)
    return int(seen.sum()) - int(np.count_nonzero(s > RANK * s[0]))


def is_exact(evaluation: Evaluation, sizes: Array) -> bool:
    """Whether the residuals are nothing next to the weighted observations (n_residuals,)."""
    return evaluation.total <= (EXACT**2) * float(sizes @ sizes)


def unseen(evaluation: Evaluation) -> list[int]:
    """Subscripts of active parameters on which no residual depends: columns of zeros."""
    return [int(k) for k in np.flatnonzero(~evaluation.jac.any(axis=0))]


def hardly_seen(evaluation: Evaluation, sizes: Array) -> list[int]:
    """Subscripts of active parameters whose change by their sizes (n_active,) leaves the residuals as they are.

    Where the sum of squares is that flat, a gradient of 0 says nothing about a minimum.
    """
    effects = np.sqrt(np.einsum("ij,ij->j", evaluation.jac, evaluation.jac)) * sizes
    return [int(k) for k in np.flatnonzero(effects <= FLAT * np.sqrt(evaluation.total))] if evaluation.total else []
