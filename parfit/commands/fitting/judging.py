"""What is said of where an optimization has ended: optimizers stop elsewhere than at minima, and call it success."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from parfit.estimation.diagnosis.discretisation import advice, discretisation
from parfit.estimation.diagnosis.minimum import standing, undetermined
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Result
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.text import report

REMEDIES = {
    Ending.LIMIT: "FIT again to go on from here",
    Ending.ERRORS: "begin with a larger lambda, or from other values",
    Ending.NO_REDUCTION: "FIT again with another lambda, SCALE parameters, or integrate more accurately (OPTION)",
    Ending.INTERRUPTED: "the best point so far is kept; UNDO goes back",
}
Settings = marquardt.Settings | bounded.Settings


def judge(
    problem: TrajectoryFit,
    result: Result,
    settings: Settings,
    ask: Dialogue,
    is_accepted: bool = False,
    hidden: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Say whether the result is a minimum; it is none while `hidden` parameters, with their switches, are open."""
    map_ = problem.parameters
    loss = settings if isinstance(settings, bounded.Settings) else None
    found = settings.weighted(result.evaluation) if isinstance(settings, bounded.Settings) else result.evaluation
    stands = standing(problem, result.evaluation, result.p, loss)
    ask.is_minimum = stands.minimal and not hidden
    if stands.pressed:
        ask.report(f"at a bound: {_names(map_, stands.pressed)}{_at_root(map_, stands.pressed)}")
    if result.ending is not Ending.CONVERGED:
        minimal = stands.minimal and not hidden
        where = "the point reached is a minimum all the same" if minimal else REMEDIES[result.ending]
        if is_accepted:
            ask.report(f"ACCEPTED: {where}")
        else:
            ask.report_warning(f"STOPPED: {result.ending.value}; {where}")
    elif hidden:
        name = next(iter(hidden))
        ask.report_warning(
            f"NOT A MINIMUM in all parameters: the others are fitted, but {switched(hidden)}. SCAN {name} tries "
            f"values of it, NUDGE and SET change it, FREEZE {name} holds it"
        )
    elif stands.minimal:
        ask.report(f"CONVERGED: this is a minimum{_reservation(found)}")
    elif stands.saddle:
        ask.report_warning(
            "NOT A MINIMUM but a saddle point: the sum of squares falls to both sides if "
            f"{_names(map_, stands.saddle)} change; SET other values for them, and FIT again"
        )
    elif stands.flat:
        ask.report_warning(
            f"NOT A MINIMUM: the sum of squares is flat, because at the point reached the data do not see "
            f"{_names(map_, stands.flat)}; begin elsewhere, or FREEZE what they cannot see"
        )
    else:
        ask.report_warning(
            "NOT A MINIMUM: the sum of squares falls too slowly for the tolerances, but by linear theory the "
            f"parameters are {report.number(round(stands.offset, 2))} times the radius of their confidence region "
            "away from one; FIT again with smaller tolerances, SCALE, or begin elsewhere"
        )


def switched(hidden: Mapping[str, str]) -> str:
    """What parameters that act only through a switch, given with its name, have in common."""
    each = [f"{name} acts only through a switch ({switch})" for name, switch in hidden.items()]
    return f"{' and '.join(each)}, so that no derivative shows which way to change it"


def _reservation(found: Evaluation) -> str:
    """What the first derivatives cannot vouch for."""
    n = undetermined(found)
    if n == 0:
        return ", as far as first derivatives tell"
    which, verb = ("a combination", "is") if n == 1 else (f"{n} combinations", "are")
    return f", but {which} of the parameters {verb} not determined by the data; PROBE says which"


def _at_root(map_: ParameterMap, pressed: Iterable[int]) -> str:
    """Where nobody has set a bound, what it is that a parameter cannot pass."""
    bare = [k for k in (map_.active[k] for k in pressed) if np.isinf([map_.lower[k], map_.upper[k]]).all()]
    return f" ({', '.join(map_.names[k] for k in bare)} at 0, which a square root cannot pass)" if bare else ""


def _names(map_: ParameterMap, which: Iterable[int]) -> str:
    return ", ".join(map_.names[map_.active[k]] for k in which)


def check_discretisation(env: Environment, ask: Dialogue) -> None:
    """Warn where the integration's errors are not small next to the residuals (a coarse rule misleads)."""
    assert env.integration is not None
    assert env.observations is not None
    found = advice(discretisation(env.integration.trajectory, env.observations, env.sizes))
    if found:
        ask.report_warning(found)
