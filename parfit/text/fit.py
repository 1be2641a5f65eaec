"""What a fit has led to, in words: how it stands, why no fit could begin, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import NumericalError
from parfit.estimation.diagnosis.discretisation import Discretisation
from parfit.estimation.diagnosis.judgement import Judgement, Verdict, switched
from parfit.estimation.likelihood.pulls import pulls
from parfit.estimation.loss import SUM_OF_SQUARES
from parfit.estimation.problem import Ending
from parfit.estimation.problems.compared_rows import NotFinite
from parfit.estimation.strategies.fit import Result, Stage, StartError
from parfit.text.advised import Advised
from parfit.text.diagnosis.discretisation import advice
from parfit.text.diagnosis.proportion import out_of_proportion
from parfit.text.noise import likelihood, pulled
from parfit.text.report import counted, map_table, number

UNJUDGED = "interrupted after the search: its parameters are kept, but were not judged; FIT again does that"
AT_ZERO = 1e-3  # part of the value it began with that a square root at 0 has left at most
REMEDIES = {
    Ending.LIMIT: "FIT again to go on from here",
    Ending.ERRORS: "begin with a larger lambda, or from other values",
    Ending.NO_REDUCTION: "FIT again with another lambda, SCALE parameters, or integrate more accurately (OPTION)",
    Ending.INTERRUPTED: "the best point so far is kept; UNDO goes back",
}


@dataclass(frozen=True)
class Said:
    """A sentence, and whether it must not be overlooked."""

    text: str
    is_warning: bool = False


def stage(found: Stage) -> list[str]:
    """What a search leaves out, or has beyond the one before."""
    said = []
    if found.aside:
        said.append(f"the data do not see {', '.join(found.aside)} at these values: set aside, the others are fitted")
    if found.hidden:
        said.append(f"{switched(found.hidden)}: the others are fitted")
    if found.solved:
        said.append(f"solved for in every step, not searched for: {', '.join(found.solved)}")
    if found.joined:
        said.append(f"where that has ended, the data see {', '.join(found.joined)}: fitted as well")
    return said


def refusal(error: StartError) -> NumericalError:
    """Why no fit can begin, with what to do about it."""
    if error.hidden:
        return NumericalError(str(error), f"SCAN {error.hidden[0]} tries values")
    if error.at.usable:
        return NumericalError(str(error))
    if not isinstance(error.at.status, NotFinite):
        return NumericalError(str(error), "SET others, or try OPTION")
    is_sum = error.at.status.state is None
    remedy = "data or weights are too large, so give them in other units" if is_sum else "SET others"
    return NumericalError(str(error), remedy)


def result(found: Result) -> str:
    """What was minimized, what it took, and the parameters with their standard errors."""
    reached = found.reached
    work = f"{counted(reached.n_iterations, 'step')}, {counted(reached.n_evaluations, 'integration')}"
    of_all = {found.judgement.measure: found.total, SUM_OF_SQUARES: reached.evaluation.sum_of_squares}
    what = "BY THE LIKELIHOOD" if found.env.noise else "OF THE RESIDUALS"
    sums = [f"{measure.upper()} {what} {number(total)}" for measure, total in of_all.items()]
    sums[0] += f" ({work})"
    table = map_table(found.env.parameters, found.start, found.errors)
    return "\n".join((*sums, table, *_held(found), *_likelihood(found), ""))


def _likelihood(found: Result) -> Iterator[str]:
    """What was estimated of the errors, and how far priors have pulled."""
    noise, map_ = found.env.noise, found.env.parameters
    if not noise and not noise.priors:
        return
    at = found.problem.evaluate(map_.point)
    said = found.problem.likelihood(at) if at.usable else None
    if said is not None:
        yield likelihood(said)
    if noise.priors:
        yield pulled(pulls(noise, map_, at))


def _held(found: Result) -> Iterator[str]:
    """What was taken to be known where standard errors are shown."""
    names = found.judgement.names(found.judgement.standing.pressed)
    if found.errors is not None and names:
        yield f"standard errors with {', '.join(names)} held at {'its bound' if len(names) == 1 else 'their bounds'}"


def judgement(found: Judgement, is_accepted: bool = False) -> Iterator[Said]:
    """Whether the point reached is a minimum; `is_accepted` if somebody wanted no more than what was reached."""
    yield from map(Said, _bounds(found))
    unused = found.names(found.standing.unused)
    if unused:
        it, stays = ("it", "stays") if len(unused) == 1 else ("they", "stay")
        yield Said(f"nothing that was observed depends on {', '.join(unused)}: {it} {stays} unchanged")
    if found.verdict is not Verdict.STOPPED:
        yield Said(sentence(found), found.verdict is not Verdict.MINIMUM)
    elif is_accepted:
        yield Said(f"ACCEPTED: {_outcome(found)}")
    else:
        yield Said(f"STOPPED: {found.ending.value}; {_outcome(found)}", is_warning=True)


def sentence(found: Judgement) -> Advised:
    """The verdict on one line."""
    if found.verdict is Verdict.STOPPED:
        fact = f"STOPPED: {found.ending.value}"
        return Advised(f"{fact}; {_outcome(found)}") if found.is_minimum else Advised(fact, _outcome(found))
    if found.verdict is Verdict.MINIMUM:
        return Advised(f"CONVERGED: this is a minimum{reservation(found.undetermined)}", _which(found.undetermined))
    if found.verdict is Verdict.SWITCH:
        name = next(iter(found.hidden))
        return Advised(
            f"NOT A MINIMUM in all parameters: the others are fitted, but {switched(found.hidden)}",
            f"SCAN {name} tries values of it, NUDGE and SET change it, FREEZE {name} holds it",
        )
    if found.verdict is Verdict.SADDLE:
        return Advised(
            f"NOT A MINIMUM but a saddle point: the {found.measure} falls to both sides if "
            f"{', '.join(found.names(found.standing.saddle))} change",
            "SET other values for them, and FIT again",
        )
    if found.verdict is Verdict.FLAT and found.standing.apart:
        return Advised(f"NOT A MINIMUM: {out_of_proportion(found.standing)}")
    if found.verdict is Verdict.FLAT:
        return Advised(
            f"NOT A MINIMUM: the {found.measure} is flat, because at the point reached the data do not see "
            f"{', '.join(found.names(found.standing.flat))}",
            "begin elsewhere, or FREEZE what they cannot see",
        )
    return Advised(
        f"NOT A MINIMUM: the {found.measure} falls too slowly for the tolerances, but by linear theory the "
        f"parameters are {number(round(found.standing.offset, 2))} times the radius of their confidence region "
        "away from one",
        "FIT again with smaller tolerances, SCALE, or begin elsewhere",
    )


def discretisation(found: Discretisation) -> list[Said]:
    """A warning where the integration's errors are not small next to the residuals (a coarse rule misleads)."""
    said = advice(found)
    return [Said(said, is_warning=True)] if said else []


def _outcome(found: Judgement) -> str:
    return "the point reached is a minimum all the same" if found.is_minimum else REMEDIES[found.ending]


def reservation(n: int) -> str:
    """What the first derivatives cannot vouch for: combinations of parameters that are not determined."""
    if n == 0:
        return ", as far as first derivatives tell"
    which, verb = ("a combination", "is") if n == 1 else (f"{n} combinations", "are")
    return f", but to first order {which} of the parameters {verb} not determined by the data"


def _which(n: int) -> str:
    return "PROBE says which, PROFILE whether the data limit it after all" if n else ""


def _bounds(found: Judgement) -> Iterator[str]:
    """What lies at a bound, and where nobody has set one, what it is that a parameter cannot pass."""
    map_, pressed = found.parameters, found.standing.pressed
    bare = [k for k in pressed if np.isinf([bound[map_.active[k]] for bound in (map_.lower, map_.upper)]).all()]
    off = [k for k in bare if found.reached[map_.active[k]] > AT_ZERO * map_.full[map_.active[k]]]
    at = [k for k in pressed if k not in off]
    zero = ", ".join(found.names(k for k in bare if k in at))
    if at:
        root = f" ({zero} at 0, which a square root cannot pass)" if zero else ""
        yield f"at a bound: {', '.join(found.names(at))}{root}"
    if off:
        yield f"0 would fit as well, which a square root cannot pass: {', '.join(found.names(off))}"
