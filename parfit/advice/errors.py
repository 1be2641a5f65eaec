"""What is to be said of minima whose residuals are not all of one size: noise models weigh the data as they deserve.

It is said at the end, beside the plain answer, and nobody is led away from that.
"""

from __future__ import annotations

import numpy as np

from parfit.advice.facts import Facts
from parfit.advice.limits import ENOUGH, GROWING, OUTLYING, RANGE
from parfit.advice.words import few
from parfit.arrays import Array
from parfit.estimation.diagnosis.residual_tests import has_known_errors
from parfit.model.naming import base_of
from parfit.session.questions import quoted

SIGMA = 1.4826  # standard deviations in the median size of normal errors


def remark(facts: Facts) -> str:
    """What another model of the errors would mend, with a blank before it; nothing where there is nothing to mend."""
    return _growing(facts) or _outliers(facts)


def _growing(facts: Facts) -> str:
    """Residuals grow with what is computed."""
    for name, sizes, computed in _variables(facts):
        if not computed.min() * RANGE <= computed.max():
            continue
        p_value = _by_chance(computed, sizes)
        if p_value < GROWING:
            word = "RELATIVE" if computed.min() > 0.0 else "BOTH"
            return (
                f" As the residuals of {name} grow with it (p = {few(p_value)}), its large values drown the "
                f"small ones: if errors are in proportion, NOISE {quoted(name)} {word} and another FIT mend that."
            )
    return ""


def _by_chance(one: Array, other: Array) -> float:
    """The probability that the ranks of two variables rise together as much as these do (Spearman 1904)."""
    from scipy.special import stdtr  # late, because it takes long to import

    n = one.size
    rho = float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])
    if not rho < 1.0:
        return 0.0 if rho >= 1.0 else 1.0
    return float(stdtr(n - 2, -rho * np.sqrt((n - 2) / (1.0 - rho**2)))) if rho > -1.0 else 1.0


def _ranks(values: Array) -> Array:
    """Their places in order; what is the same shares the middle of its places."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: Array = np.cumsum(counts) - 0.5 * (counts - 1)
    return middles[which]


def _outliers(facts: Facts) -> str:
    """A residual is far larger than the others."""
    for name, sizes, _ in _variables(facts):
        typical = SIGMA * float(np.median(sizes))
        if typical > 0.0 and sizes.max() > OUTLYING * typical:
            return (
                f" As a residual of {name} is {few(sizes.max() / typical)} times as large as they are usually, it "
                f"pulls the solution to itself: if outliers are expected, NOISE {quoted(name)} LAPLACE and another "
                "FIT mend that."
            )
    return ""


def _variables(facts: Facts) -> list[tuple[str, Array, Array]]:
    """Of variables whose errors nobody has said anything of: sizes of residuals, and of what is computed.

    A variable was measured alike in all experiments, few values of each of which would tell nothing by themselves.
    """
    env, data = facts.env, facts.data
    if not facts.settled or facts.poor or facts.standing.exact or env.noise or env.loss or has_known_errors(data):
        return []
    listed, found = facts.study.residuals, []
    for name in dict.fromkeys(map(base_of, data.names)):
        places = [j for j, each in enumerate(data.names) if base_of(each) == name]
        weights = data.weights[:, places][data.observed[:, places]]
        own = np.array([base_of(each) == name for each in listed.names]) & np.isfinite(listed.standardized)
        if np.count_nonzero(own) >= ENOUGH and (weights == weights[0]).all():
            found.append((name, np.abs(listed.standardized[own]), np.abs(listed.computed[own])))
    return found
