"""Rules for minima whose residuals are not all of one size: noise models weigh the data as they deserve."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import ENOUGH, GROWING, OUTLYING, RANGE
from parfit.advice.words import few
from parfit.arrays import Array
from parfit.estimation.diagnosis.residual_tests import has_known_errors
from parfit.session.questions import quoted

SIGMA = 1.4826  # standard deviations in the median size of normal errors


def growing(facts: Facts) -> Advice | None:
    """Residuals grow with what is computed."""
    for name, sizes, computed in _variables(facts):
        if not computed.min() * RANGE <= computed.max():
            continue
        from scipy.stats import spearmanr  # late, because it takes long to import

        found = spearmanr(computed, sizes, alternative="greater")
        if found.pvalue < GROWING:
            word = "RELATIVE" if computed.min() > 0.0 else "BOTH"
            return Advice(
                f"This is a minimum, but the residuals of {name} grow with it: such an order is no chance (p = "
                f"{few(found.pvalue)}), and the large values drown the small ones.",
                "With errors in proportion every observation counts as it deserves; FIT then finds their size, too.",
                f"NOISE {quoted(name)} {word}",
            )
    return None


def outliers(facts: Facts) -> Advice | None:
    """A residual is far larger than the others."""
    for name, sizes, _ in _variables(facts):
        typical = SIGMA * float(np.median(sizes))
        if typical > 0.0 and sizes.max() > OUTLYING * typical:
            return Advice(
                f"This is a minimum, but a residual of {name} is {few(sizes.max() / typical)} times as large as they "
                "are usually, and pulls the solution to itself.",
                "Where outliers are expected, errors have a Laplace distribution; FIT then goes by the others.",
                f"NOISE {quoted(name)} LAPLACE",
            )
    return None


def _variables(facts: Facts) -> list[tuple[str, Array, Array]]:
    """Of variables whose errors nobody has said anything of: sizes of residuals, and of what is computed."""
    env, data = facts.env, facts.data
    if not facts.settled or facts.poor or facts.standing.exact or env.noise or env.loss or has_known_errors(data):
        return []
    listed, found = facts.study.residuals, []
    for j, name in enumerate(data.names):
        weights = data.weights[data.observed[:, j], j]
        own = np.array([each == name for each in listed.names]) & np.isfinite(listed.standardized)
        if np.count_nonzero(own) >= ENOUGH and (weights == weights[0]).all():
            found.append((name, np.abs(listed.standardized[own]), np.abs(listed.computed[own])))
    return found
