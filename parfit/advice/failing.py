"""Rules for parameters at which the equations cannot be integrated (thesis, section 3.5)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import FAR
from parfit.advice.measures import at_start, evaluated
from parfit.advice.words import few, listed, plain, situation, time
from parfit.arrays import Array
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.restarting import restarts_at
from parfit.estimation.problems.shooting import shooting_problem
from parfit.estimation.strategies.breakpoints import chosen_times
from parfit.session.records import Continuation
from parfit.simulation.status import Reason
from parfit.text.options import option_line

GAMMAS = (0.2, 0.5, 0.8, 1.0)  # section 3.5 begins with .2


def only_coarse(facts: Facts) -> Advice | None:
    """The rule of integration fails where an accurate one is near the data already."""
    if facts.at.usable:
        return None
    better = _accurately(facts)
    return integrate_better(facts) if better.usable and better.sum_of_squares <= FAR * facts.spread else None


def _accurately(facts: Facts) -> Evaluation:
    options = facts.env.options
    return evaluated(facts.env.with_options(replace(options, method=options.method.accurate())).problem())


def integrate_better(facts: Facts) -> Advice | None:
    """The rule of integration fails, not the equations."""
    method = facts.env.options.method
    if facts.at.usable or not _accurately(facts).usable:
        return None
    return Advice(
        situation(facts),
        "Gear's method with error control can integrate them.",
        option_line(method, method.accurate()),
    )


def continue_with_breaks(facts: Facts) -> Advice | None:
    """Follow the curves most of the way, and begin anew on them where the solution runs away."""
    env = facts.env
    if facts.at.usable or env.smoothing is None or facts.at.status.reason is Reason.START:
        return None
    gamma = _next_gamma(facts)
    if gamma is None:
        return None
    breaks = _breaks(facts, gamma)
    if breaks is None:
        return None
    places = f"t = {listed([few(t) for t in breaks])}" if breaks else ""
    anew = f", and it begins anew on them at {places}, before it fails" if breaks else ""
    held = "The solution can be held to the smoothed curves" if gamma < 1.0 else "The solution can begin anew"
    return Advice(
        situation(facts),
        f"{held} (gamma {plain(gamma)}){anew}.",
        " ".join(["CONTIN", plain(gamma), "BREAKS", *([time(t) for t in breaks] or ["NONE"])]),
    )


def _next_gamma(facts: Facts) -> float | None:
    """After the last one that led here; None where continuation has been gone through."""
    assert facts.env.smoothing is not None
    gammas = (1.0,) if any(name not in facts.env.smoothing.curves for name in facts.env.model.states) else GAMMAS
    last = facts.env.continuation
    if not facts.tried("CONTIN") or last is None:
        return gammas[0]
    return next((gamma for gamma in gammas if gamma > last.gamma), None)


def _breaks(facts: Facts, gamma: float) -> list[float] | None:
    """As few break points as the continuation problem can begin with; None if no number of them helps."""
    env = facts.env
    assert env.smoothing is not None
    inner = env.samples.times[1:-1]
    found = sorted(set(env.continuation.breaks) & set(inner.tolist())) if env.continuation else []
    place = _before(inner, facts.at.status.time)
    found = sorted({*found, *([] if place is None else [place])})
    alpha = tuple(0.0 if name in env.smoothing.curves else 1.0 for name in env.model.states)
    for _ in range(inner.size + 1):
        settings = Continuation(gamma, tuple(found), (1.0,) * len(found), alpha)
        at = at_start(env.continuation_problem(settings), env.parameters)
        if at.usable:
            return found
        place = _before(inner, at.status.time)
        if place is None or place in found:
            return None
        found = sorted([*found, place])
    return None


def _before(inner: Array, t: float) -> float | None:
    """The last inner sample time before a time."""
    earlier = inner[inner < t]
    return float(earlier[-1]) if earlier.size else None


def shoot(facts: Facts) -> Advice | None:
    """Multiple shooting, where nothing else is left to begin with or a minimum will not do."""
    env = facts.env
    if not facts.seeking or facts.tried("SHOOT") or not set(facts.data.names) & set(env.model.states):
        return None
    if facts.confirmed or (facts.at.usable and not (facts.minimal or facts.stuck)):
        return None
    with np.errstate(all="ignore"):
        breaks = chosen_times(facts.problem, env.sizes)
        restarts = restarts_at(breaks, env.model, facts.data)
        if not restarts:
            return None
        problem = shooting_problem(facts.problem, restarts, env.sizes)
        if not at_start(problem, problem.parameters).usable:
            return None
    return Advice(
        situation(facts),
        f"Multiple shooting begins anew at {len(breaks)} of the observation times, where the solution leaves the "
        "data, and closes the gaps bit by bit.",
        "SHOOT AUTO",
    )
