"""Rules for minima: whether they can be trusted, and what is left to do."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import PERCENTILE, Facts
from parfit.advice.measures import evaluated, problem_of
from parfit.advice.returning import best_before, turned
from parfit.advice.trial import fitted_total
from parfit.advice.words import few, listed, plain, stopped
from parfit.estimation.discretisation import ADVISED_EPS, SMALLEST_EPS, Discretisation
from parfit.estimation.parameters import Scaling
from parfit.estimation.study import Study, study
from parfit.questions import quoted

CHANCE = 4.0  # squared standard errors of the fit by which F may rise: 95 % of Student's t, squared
STRAIGHTER = 0.5  # of the logarithm of the worst factor on the boundary, to be worth a scaling


def freeze(facts: Facts) -> Advice | None:
    """Parameters that trade off, or of which the data say nothing."""
    map_ = facts.env.parameters
    if not facts.minimal or len(map_.active) < 2:
        return None
    found = facts.probe
    if not found.usable:
        return None
    pressed = {map_.active[k] for k in facts.standing.pressed}
    blind = [map_.names[each.parameter] for each in found.unseen if each.parameter not in pressed]
    if blind:
        blind = blind[: len(map_.active) - 1]
        return Advice(
            f"This is a minimum ({_total(facts)}), but the data do not see {listed(blind)}.",
            "What the data do not determine is better held at a known value than left to chance.",
            f"FREEZE {' '.join(map(quoted, blind))}",
        )
    if not found.undetermined:
        return None
    trade = found.undetermined[0]
    names = [map_.names[k] for k in trade.members]
    # The one that the fit has moved least is the one whose value was known best.
    moved = [abs(map_.full[k] - facts.env.start[k]) / (abs(facts.env.start[k]) or 1.0) for k in trade.members]
    held = names[int(np.argmin(moved))]
    return Advice(
        f"This is a minimum ({_total(facts)}), but {listed(names)} trade off: they can change together, and the data "
        "do not notice.",
        f"With {held} held at a known value the others are determined.",
        f"FREEZE {quoted(held)}",
    )


def accurate(facts: Facts) -> Advice | None:
    """The integration is coarse, and the parameters make up for it."""
    if not _is_end(facts):
        return None
    found = facts.discretisation
    if not found.status or not found.matters or found.eps <= SMALLEST_EPS:
        return None
    return Advice(
        f"{_reached(facts)}, but the discretisation is coarse: the error of {_method(found)} has a norm of "
        f"{few(found.difference)}, the residuals {few(found.residuals)}.",
        "The parameters make up for that error; integrated accurately and fitted again they will not.",
        _finer(found),
    )


def stepped_over(facts: Facts) -> Advice | None:
    """The integration steps over a place that an accurate one cannot pass."""
    if not _is_end(facts):
        return None
    found = facts.discretisation
    if found.status or found.eps <= SMALLEST_EPS or best_before(facts) is not None:
        return None
    return Advice(
        f"{_reached(facts)}, but {_method(found)} only steps over a place that an accurate integration cannot pass: "
        f"{stopped(found.status)}.",
        "Integrated accurately and fitted again, the parameters will keep away from there.",
        _finer(found),
    )


def _is_end(facts: Facts) -> bool:
    """Whether a fit is at its end, in a minimum or not; far from the data curves should have been tried first."""
    return facts.minimal or (facts.stuck and (not facts.far or facts.tried("IFIT")))


def _method(found: Discretisation) -> str:
    return "the trapezoidal rule" if np.isinf(found.eps) else f"Gear's method with EPS {few(found.eps)}"


def _finer(found: Discretisation) -> str:
    """The line that integrates more accurately."""
    eps = ADVISED_EPS if found.eps > ADVISED_EPS else max(found.eps / 100.0, SMALLEST_EPS)
    return f"OPTION PROCEDURE GEAR EPS {plain(eps).replace('e-0', 'e-')} HMIN 0"


def _reached(facts: Facts) -> str:
    what = "This is a minimum" if facts.minimal else "FIT has ended at no minimum"
    return f"{what} ({_total(facts)})"


def negative(facts: Facts) -> Advice | None:
    """A parameter went negative, though it began positive and the data do not ask for it."""
    env = facts.env
    if not facts.minimal or facts.settled or facts.standing.exact:
        return None
    for name in turned(env.start, env):
        k = env.model.parameters.index(name)
        if _could_be_positive(facts, k):
            return Advice(
                f"This is a minimum ({_total(facts)}), but {name} went negative, where it had begun with "
                f"{few(env.start[k])}; with a positive one the data could be met about as well.",
                f"If the model wants it positive, give {name} a positive value; then SCALE can keep it so.",
                f"SET {quoted(name)} {plain(env.start[k])}",
            )
    return None


def _could_be_positive(facts: Facts, k: int) -> bool:
    """Whether a fit with this parameter held at 0 is about as good: its F rises by less than chance would have it."""
    free = facts.study.statistics.n_free
    if free <= 0 or len(facts.env.parameters.active) < 2:
        return False
    held = facts.env.with_frozen([facts.env.model.parameters[j] for j in {*facts.env.parameters.frozen, k}])
    values = held.values.copy()
    values[k] = 0.0
    rise = fitted_total(problem_of(held.with_values(values))) - facts.at.total
    return rise < CHANCE * facts.at.total / free


def statistics(facts: Facts) -> Advice | None:
    if not facts.minimal or facts.settled:
        return None
    return Advice(
        f"This is a minimum ({_total(facts)}){_quality(facts)}",
        "What its parameters are worth is said by their confidence intervals.",
        "STATS 95",
    )


def not_elliptic(facts: Facts) -> Advice | None:
    """The linear theory does not hold over the confidence region, and logarithms straighten it."""
    map_ = facts.env.parameters
    if not facts.minimal or facts.poor or not _is_bent(facts.study) or map_.bounded:
        return None
    places = [k for k in map_.active if map_.full[k] > 0.0 and map_.scaling[k] is Scaling.NONE]
    best = min(((_bend(_with_logarithm(facts, k)), k) for k in places), default=(np.inf, 0))
    if not best[0] < STRAIGHTER * _bend(facts.study):
        return None
    name = map_.names[best[1]]
    return Advice(
        f"This is a minimum ({_total(facts)}), but its confidence region is not elliptic: on its boundary the sum of "
        "squares is not what the linear theory says.",
        f"In the logarithm of {name} the region is nearer to an ellipsoid, and the intervals are more honest.",
        f"SCALE {quoted(name)} LOG",
    )


def _is_bent(found: Study) -> bool:
    return any(point.is_doubtful for point in found.boundary)


def _bend(found: Study) -> float:
    """How far the worst point of the boundary is from the linear theory: the logarithm of a factor."""
    factors = [point.factor for point in found.boundary]
    return max((abs(np.log(factor)) if 0.0 < factor < np.inf else np.inf for factor in factors), default=np.inf)


def _with_logarithm(facts: Facts, k: int) -> Study:
    map_ = facts.env.parameters
    scaling = {map_.names[j]: map_.scaling[j] for j in range(len(map_.names))}
    problem = problem_of(facts.env.with_scaling({**scaling, map_.names[k]: Scaling.LOGARITHM}))
    return study(problem, evaluated(problem), PERCENTILE, facts.env.scale)


def done(facts: Facts) -> Advice | None:
    if not facts.minimal:
        return None
    remarks = _quality(facts)
    return Advice(
        f"This is a minimum ({_total(facts)}){remarks}",
        "Nothing is left to be done but to write it down; KEEP and QUIT keep the report.",
        "REPORT PAR STATISTICS",
        done=True,
    )


def _total(facts: Facts) -> str:
    return f"sum of squares {few(facts.at.total)}"


def _quality(facts: Facts) -> str:
    """What is to be said of a minimum, as the end of a sentence."""
    map_ = facts.env.parameters
    if facts.standing.exact:
        return ", and the solution meets the data."
    if facts.poor:
        return ", the best that was found, though the model does not follow the data as errors alone would let it."
    pressed = [map_.names[map_.active[k]] for k in facts.standing.pressed]
    if pressed:
        return f", with {listed(pressed)} at a bound."
    if _is_bent(facts.study):
        return ", but its confidence region is not elliptic, so that intervals are rough."
    if facts.probe.poor:
        worst = facts.probe.poor[0].vector
        return f", but the data hardly determine {map_.names[map_.active[int(np.argmax(np.abs(worst)))]]}."
    return ", and the data determine all parameters."
