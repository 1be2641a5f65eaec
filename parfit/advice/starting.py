"""Rules for parameters that are no good to begin with: curves through the data lead to better ones (3.2 to 3.4)."""

from __future__ import annotations

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.failing import continue_with_breaks
from parfit.advice.guess import Proposal, propose
from parfit.advice.limits import BETTER
from parfit.advice.measures import at_start
from parfit.advice.words import listed, plain, situation
from parfit.errors import StateError
from parfit.estimation.curves.smoothing import points_of, smooth_automatically
from parfit.estimation.optimizers.linear import is_linear
from parfit.estimation.problem import Problem
from parfit.estimation.strategies.smooth import smoothing_of
from parfit.model.naming import in_all
from parfit.session.questions import quoted

KIND = "spline"


def scale(facts: Facts) -> Advice | None:
    """The second half of keeping parameters positive, after SET has made negative ones positive again."""
    env, before = facts.env, facts.before
    if facts.last != "SET" or before is None:
        return None
    names = before.parameters.turned(env.values)
    if not names:
        return None
    return Advice(
        f"{listed(names)} went negative before, and {'is' if len(names) == 1 else 'are'} positive again.",
        "What is fitted as a square root stays so (thesis, section 4.5).",
        f"SCALE {' '.join(f'{quoted(name)} ROOT' for name in names)}",
    )


def smooth(facts: Facts) -> Advice | None:
    if not facts.seeking or facts.env.smoothing is not None or not facts.smoothable or facts.refused("SMOOTH"):
        return None
    if not _is_used(facts):
        return None
    what = listed(in_all(facts.smoothable, facts.env.variables))
    return Advice(
        situation(facts),
        "Better parameters can be found along smooth curves through the data, without any solution: first the "
        f"curves, through {what}.",
        "SMOOTH SPLINE AUTO",
    )


def _is_used(facts: Facts) -> bool:
    """Whether the next advice would be to use the curves."""
    found = {name: smooth_automatically(points_of(facts.data, name), KIND) for name in facts.smoothable}
    curves = smoothing_of(KIND, found)
    smoothed = Facts(facts.timeline.then(facts.env.with_smoothing(curves).made_by("SMOOTH SPLINE AUTO")))
    return any(rule(smoothed) is not None for rule in (guess, ifit, continue_with_breaks))


def guess(facts: Facts) -> Advice | None:
    if not _may_fit_curves(facts) or not facts.unobserved:
        return None
    missing = [name for name in facts.unobserved if name not in facts.env.guesses]
    if not missing or facts.refused("CREOBS"):
        return None
    found = propose(facts.env, facts.problem, facts.unobserved)
    if found is None or not _is_worth_it(facts, found):
        return None
    name = missing[0]
    t, y = found.points[name]
    numbers = [str(t.size), *map(plain, t), *map(plain, y)]
    return Advice(
        f"{situation(facts)} There are no observations of {listed(in_all(facts.unobserved, facts.env.variables))}.",
        f"A guess lets the curves be used all the same; of {found.n_tried} simple shapes this one led furthest.",
        " ".join(["CREOBS", quoted(name), *numbers]),
    )


def _is_worth_it(facts: Facts, found: Proposal) -> bool:
    """Whether guesses lead further than a fit from here, or than what has been reached."""
    reached = facts.at.sum_of_squares if facts.at.usable and (facts.minimal or facts.stuck) else np.inf
    return found.total < BETTER * min(found.without, reached)


def ifit(facts: Facts) -> Advice | None:
    if not _may_fit_curves(facts) or facts.tried("IFIT"):
        return None
    problem = curve_problem(facts)
    if problem is None:
        return None
    if not at_start(problem, facts.env.parameters).usable:
        return None
    method = "GUESSED" if facts.unobserved else "REGULAR"
    return Advice(
        situation(facts),
        "Integrals of the equations along the curves find better parameters, without any solution of them.",
        f"IFIT {method}",
    )


def improve_guesses(facts: Facts) -> Advice | None:
    """After a guess has led nowhere: parameters and guesses in turn."""
    if not _may_fit_curves(facts) or not facts.unobserved or not facts.tried("IFIT"):
        return None
    if any("ITERATED" in each.after.origin for each in facts.made) or curve_problem(facts) is None:
        return None
    env, names = facts.env, [*facts.smoothable, *facts.unobserved]
    guessed = listed(in_all(facts.unobserved, env.variables))
    at_once = is_linear(env.model, env.parameters, names, integral=True) and env.linear is None
    settings = "LINEAR" if at_once else "AUTO 1e-6 AUTO"
    return Advice(
        situation(facts),
        f"The guess at {guessed} can be improved together with the parameters, in rounds.",
        f"IFIT ITERATED Y .01 {settings} N 3 N",
    )


def _may_fit_curves(facts: Facts) -> bool:
    return facts.seeking and facts.env.smoothing is not None and not facts.env.model.jumps


def curve_problem(facts: Facts) -> Problem | None:
    """The problem of IFIT; None where curves or guesses are missing."""
    env = facts.env
    try:
        if set(env.model.states) <= set(env.curves()):
            return env.integral_problem()
        return env.quadrature_problem(env.guessed_values())
    except StateError:
        return None
