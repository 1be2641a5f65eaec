"""Rules for minima: whether they can be trusted, and what is left to do."""

from __future__ import annotations

import numpy as np

from parfit.advice import errors
from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import MOST_BENT, PERCENTILE, STRAIGHTER
from parfit.advice.measures import evaluated
from parfit.advice.returning import best_before
from parfit.advice.words import WRITTEN, few, listed, stopped
from parfit.estimation.diagnosis.discretisation import SMALLEST_EPS, Discretisation
from parfit.estimation.diagnosis.study import Study, study
from parfit.estimation.parameters import Scaling
from parfit.session.questions import quoted
from parfit.text.diagnosis.discretisation import remedy


def accurate(facts: Facts) -> Advice | None:
    """The integration is coarse, and the parameters make up for it."""
    if not _is_end(facts):
        return None
    found = facts.discretisation
    if not found.status or not found.matters or found.eps <= SMALLEST_EPS:
        return None
    return Advice(
        f"{_reached(facts)} the discretisation is coarse: the error of {_method(found)} has a norm of "
        f"{few(found.difference)}, the residuals {few(found.residuals)}.",
        "The parameters make up for that error; integrated accurately and fitted again they will not.",
        remedy(found),
    )


def stepped_over(facts: Facts) -> Advice | None:
    """The integration steps over a place that an accurate one cannot pass."""
    if not _is_end(facts):
        return None
    found = facts.discretisation
    if found.status or found.eps <= SMALLEST_EPS or best_before(facts) is not None:
        return None
    return Advice(
        f"{_reached(facts)} {_method(found)} only steps over a place that an accurate integration cannot pass: "
        f"{stopped(found.status)}.",
        "Integrated accurately and fitted again, the parameters will keep away from there.",
        remedy(found),
    )


def _is_end(facts: Facts) -> bool:
    """Whether a fit is at its end, in a minimum or not; far from the data curves should have been tried first."""
    return facts.minimal or (facts.stuck and (not facts.far or facts.tried("IFIT")))


def _method(found: Discretisation) -> str:
    return "the trapezoidal rule" if np.isinf(found.eps) else f"Gear's method with EPS {few(found.eps)}"


def _reached(facts: Facts) -> str:
    """What is wrong with it is to follow."""
    if facts.minimal:
        return f"This is a minimum ({_total(facts)}), but"
    return f"FIT has ended at no minimum ({_total(facts)}), and"


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
    if not facts.minimal or facts.poor or map_.bounded or len(map_.active) > MOST_BENT or not _is_bent(facts.study):
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
    problem = facts.env.with_scaling({**scaling, map_.names[k]: Scaling.LOGARITHM}).problem()
    return study(problem, evaluated(problem), PERCENTILE, facts.env.sizes)


def done(facts: Facts) -> Advice | None:
    if not facts.minimal:
        return None
    remark = errors.remark(facts)
    return Advice(
        f"This is a minimum ({_total(facts)}){_quality(facts)}",
        f"Nothing is left to be done but to write it down; KEEP and QUIT keep the report.{remark}",
        "REPORT PAR",  # STATS has put all that it knows into the report
        done=True,
        after=f"{WRITTEN}{remark}",
    )


def _total(facts: Facts) -> str:
    return f"sum of squares {few(facts.at.sum_of_squares)}"


def _quality(facts: Facts) -> str:
    """What is to be said of a minimum, as the end of a sentence."""
    map_ = facts.env.parameters
    if facts.standing.exact:
        return ", and the solution meets the data."
    if facts.poor:
        return ", the best that was found, though the model does not follow the data as errors alone would let it."
    pressed = [map_.active[k] for k in facts.standing.pressed]
    if pressed:
        bare = all(np.isinf([map_.lower[k], map_.upper[k]]).all() for k in pressed)
        where = "at 0, which a square root cannot pass" if bare else "at a bound"
        return f", with {listed([map_.names[k] for k in pressed])} {where}."
    turned_ = map_.turned(facts.env.first_values)
    if turned_:
        they, bounds = "it" if len(turned_) == 1 else "they", " ".join(f"{quoted(name)}>0" for name in turned_)
        return (
            f", but {listed(turned_)} went negative, though {they} began positive (BOUNDS {bounds} and another FIT "
            f"from the first values keep {'it' if they == 'it' else 'them'} positive)."
        )
    if _is_bent(facts.study):
        profiled = {each.name for each in facts.env.profiles}
        better = (
            "those of PROFILE hold" if {map_.names[k] for k in map_.active} <= profiled else "PROFILE finds better"
        )
        return f", but its confidence region is not elliptic, so that the intervals of STATS are rough: {better}."
    if facts.probe.poor:
        worst = facts.probe.poor[0].vector
        return f", but the data hardly determine {map_.names[map_.active[int(np.argmax(np.abs(worst)))]]}."
    return ", and near this point the data determine all parameters."
