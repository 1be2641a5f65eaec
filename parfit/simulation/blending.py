"""Curves in place of states: the model sees a blend of both, in parts gamma and 1 - gamma."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.kernel.system import Blending
from parfit.model.calculus.assembly import Compiled
from parfit.model.curves import Curve
from parfit.model.naming import vector


@dataclass(frozen=True)
class Blended:
    """The model sees (1 - gamma_i) curve_i(t) + gamma_i y_i; where gamma_i is 1 the curve may be None."""

    gamma: Array  # (n_states,)
    curves: Sequence[Curve | None]


def compiled_blending(compiled: Compiled, blended: Blended) -> Blending | None:
    """For the kernel; None where the model sees nothing but its own states."""
    n = compiled.system.n
    gamma = vector(blended.gamma, n, "gamma")
    if len(blended.curves) != n or any(c is None and w != 1.0 for c, w in zip(blended.curves, gamma, strict=True)):
        raise ParfitError("blending takes a curve for every state whose gamma is not 1")
    if (gamma == 1.0).all():
        return None
    curves = [None if curve is None else (curve.breaks, curve.coefs) for curve in blended.curves]
    return Blending(compiled.system, gamma, curves)
