"""What AUTO has found: the minima that its searches ended at, and how far to believe the best."""

from __future__ import annotations

from parfit.estimation.profiles.threshold import threshold
from parfit.estimation.strategies.starting.auto import Result
from parfit.estimation.strategies.starting.minima import Minimum
from parfit.text.report import columns, number

MOST = 6  # minima that are listed
LEVEL = 95.0  # per cent


def searches(found: Result) -> str:
    """What was done, and the minima, the best first."""
    done = f"{_searches(len(found.ways))} to the end, {found.n_short} short ones"
    head = f"{done}; {found.n_evaluations} integrations, {found.seconds:.2g} s of processor time"
    return f"{head}\n{waterfall(found.minima)}"


def waterfall(minima: tuple[Minimum, ...]) -> str:
    """The sums of squares that searches have ended at, how many of them, and from where first."""
    rows = [(number(each.total), str(each.n), each.searches[0].label) for each in minima[:MOST]]
    text = columns(["sum of squares", "searches", "first from"], list(zip(*rows, strict=True)), left=[2])
    left = minima[MOST:]
    more = f"\nand {_searches(sum(each.n for each in left))} that ended above these" if left else ""
    return f"{text}{more}"


def belief(found: Result) -> str:
    """How sure it is, in sentences."""
    sentences = [_for(found) if found.is_believed else f"THIS MAY NOT BE THE ANSWER: {_against(found)}."]
    if found.judgement.is_minimum and found.judgement.undetermined:
        sentences.append("The data do not determine all parameters: PROBE says which, PROFILE how far.")
    others = rivals(found)
    if others:
        at = ", ".join(number(each.total) for each in others[:MOST])
        sentences.append(
            f"Other minima explain the data about as well (sum of squares {at}): what tells them apart is not in them."
        )
    pressed = found.judgement.names(found.judgement.standing.pressed)
    if pressed:
        sentences.append(f"{', '.join(pressed)} ended at a bound.")
    return " ".join(sentences)


def _for(found: Result) -> str:
    ended = f"{found.n_agreeing} of {_searches(len(found.ways))} ended at this minimum, none below"
    if not found.explains:
        return f"{ended}: nothing better was found, though the model does not follow the data as errors would let it."
    curves = "; curves through the data leave about as much" if found.as_near_as_curves else ""
    return f"{ended}, and what is left could be errors of measurement{curves}."


def _against(found: Result) -> str:
    reasons = []
    if found.is_interrupted:
        reasons.append("the search was interrupted")
    if not found.judgement.is_minimum:
        reasons.append("the best way did not end at a minimum")
    if not found.explains:
        reasons.append("what is left is no errors of measurement by its size or its order")
    if found.n_agreeing + found.as_near_as_curves < 2:
        reasons.append("only one search led there")
    elif not found.explains and found.judgement.is_minimum:
        reasons.append(f"{found.n_agreeing} of {len(found.ways)} searches led there")
    return "; ".join(reasons)


def _searches(n: int) -> str:
    return f"{n} search{'' if n == 1 else 'es'}"


def rivals(found: Result) -> tuple[Minimum, ...]:
    """Other minima that differ from the best by no more than chance."""
    data, n = found.env.problem().observations, len(found.env.parameters.active)
    total = found.minima[0].total
    if len(found.minima) < 2 or not found.explains:
        return ()
    within = threshold(LEVEL, total, data.n_observations - n, False, n).rise
    return tuple(each for each in found.minima[1:] if each.total <= total + within)
