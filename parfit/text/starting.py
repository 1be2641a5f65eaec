"""Where searches from many places have ended, and how far to believe the best: what START and AUTO tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.errors import StateError
from parfit.estimation.strategies.reliability.settling import Settled
from parfit.estimation.strategies.reliability.sides import limit_of
from parfit.estimation.strategies.reliability.wanted import Request
from parfit.estimation.strategies.starting import auto, start
from parfit.estimation.strategies.starting.minima import Minimum
from parfit.estimation.strategies.starting.patience import GIVEN_UP
from parfit.estimation.strategies.starting.start import N_MARKED, PREFIX
from parfit.session.questions import quoted
from parfit.text.report import columns, number, parameters

MOST = 6  # minima that are listed
LEVEL = 95.0  # per cent
# Degrees of freedom, and what F's percentile of this level is below for so many: its import is slow.
MANY, FAR = 10, 5.0


def searches(n: int) -> str:
    """So many of them."""
    return f"{n} search{'' if n == 1 else 'es'}"


def table(minima: Sequence[Minimum], marks: Sequence[str] = ()) -> str:
    """The sums of squares that searches have ended at, the least first, how many of them, and from where first."""
    rows = [
        (number(each.total), str(each.n), each.searches[0].label, marks[k] if k < len(marks) else "")
        for k, each in enumerate(minima[:MOST])
    ]
    cells = list(zip(*rows, strict=True))[: 4 if marks else 3]
    text = columns(["sum of squares", "searches", "first from", "mark"][: len(cells)], cells, left=[2, 3])
    left = minima[MOST:]
    more = f"\nand {searches(sum(each.n for each in left))} that ended above these" if left else ""
    return f"{text}{more}"


def told(found: start.Result) -> str:
    """The minima, and what was taken."""
    n = min(N_MARKED, len(found.minima))
    marks = [f"{PREFIX}{k}" for k in range(1, n + 1)]
    dead = f", {found.n_dead} of which led nowhere" if found.n_dead else ""
    head = f"{searches(len(found.ended))}{dead}"
    if found.is_better:
        taken = f"START has taken the best, SUM OF SQUARES OF THE RESIDUALS {number(found.minima[0].total)}\n"
        taken += parameters(found.env)
    else:
        taken = f"none is better than the present sum of squares, {number(found.before)}: nothing is changed"
    return f"{head}\n{table(found.minima, marks)}\n{taken}\nRECALL {marks[0]} goes to a minimum; FIT judges it"


# ---- AUTO


def tried(found: auto.Result) -> str:
    """What was done, and the minima, the best first."""
    done = f"{searches(len(found.ways))} to the end, {found.n_short} short ones"
    head = f"{done}; {found.n_evaluations} integrations, {found.seconds:.2g} s of processor time"
    return f"{head}\n{rungs(found)}\n\n{table(found.minima)}"


def rungs(found: auto.Result) -> str:
    """What was tried, one thing after the other, the least sum of squares after each, and why it was tried."""
    rows = [
        (each.name, number(each.total) if np.isfinite(each.total) else "-", f"{each.seconds:.2f}", each.why)
        for each in found.rungs
    ]
    headings = ["tried", "sum of squares", "seconds", "because"]
    return columns(headings, list(zip(*rows, strict=True)), left=[0, 3])


def belief(found: auto.Result) -> str:
    """How sure it is, in sentences."""
    sentences = [_for(found) if found.is_believed else f"THIS MAY NOT BE THE ANSWER: {_against(found)}."]
    if found.judgement.is_minimum and found.judgement.undetermined:
        sentences.append("The data do not determine all parameters: PROBE says which, PROFILE how far.")
    others = rivals(found)
    if others:
        at = ", ".join(number(each.total) for each in others[:MOST])
        sentences.append(
            f"Other minima explain the data about as well (sum of squares {at}): the data cannot tell them apart."
        )
    pressed = found.judgement.names(found.judgement.standing.pressed)
    if pressed:
        sentences.append(f"{', '.join(pressed)} ended at a bound.")
    turned = found.env.parameters.turned(found.env.first_values)
    if turned:
        they, are = ("it", "is") if len(turned) == 1 else ("they", "are")
        bounds = " ".join(f"{quoted(name)}>0" for name in turned)
        sentences.append(
            f"{', '.join(turned)} {are} negative, though {they} began positive; if {they} cannot be, BOUNDS {bounds} "
            "and AUTO again."
        )
    return " ".join(sentences)


def _for(found: auto.Result) -> str:
    ended = f"{found.n_agreeing} of {searches(len(found.ways))} ended at this minimum, none below"
    if not found.explains:
        return f"{ended}: nothing better was found, though the model does not follow the data as errors would let it."
    curves = "; curves through the data leave about as much" if found.as_near_as_curves else ""
    return f"{ended}, and what is left could be errors of measurement{curves}."


def _against(found: auto.Result) -> str:
    reasons = []
    if found.is_interrupted:
        reasons.append("the search was interrupted")
    if not found.judgement.is_minimum:
        reasons.append("the best way did not end at a minimum")
    if not found.explains:
        reasons.append(
            "what is left does not look like errors of measurement, by its size or its order"
            if found.follows
            else "the solution does not even follow the course of the data"
        )
    if found.judgement.undetermined > found.redundant and found.judgement.is_minimum:
        reasons.append("the data do not see all parameters there")
    if found.has_turned:
        reasons.append("parameters have other signs than they began with")
    if found.are_left and found.explains:
        reasons.append("searches that explain the data as well ended at many different minima")
    if not found.is_examined and found.judgement.is_minimum:
        reasons.append("there was no time to look for a lower one beside it")
    if found.n_agreeing + found.as_near_as_curves < 2:
        reasons.append("only one search led there")
    elif found.judgement.is_minimum:
        reasons.append(f"{found.n_agreeing} of {searches(len(found.ways))} led there")
        if not found.follows and GIVEN_UP.is_agreed(found.n_agreeing, len(found.ways)):
            reasons[-1] += ", so that another model may be needed"
    return "; ".join(reasons)


def rivals(found: auto.Result) -> tuple[Minimum, ...]:
    """Other minima that differ from the best by no more than chance, as a joint interval has it."""
    if len(found.minima) < 2 or not found.explains:
        return ()
    problem = found.env.problem()
    best = Settled(found.env, problem, problem.evaluate(problem.parameters.point))
    try:
        within = limit_of(best, Request(LEVEL, joint=True)).rise
    except StateError:  # nothing is known of the errors: any difference may be more than chance
        return ()
    return tuple(each for each in found.minima[1:] if each.total <= found.minima[0].total + within)
