"""What is to be thought of where a search has ended: optimizers stop elsewhere than at minima, and call it success."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.minimum import Standing, standing, undetermined
from parfit.estimation.loss import LeastSquares, Loss
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Result
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.calculus.structure import switches


class Verdict(Enum):
    """What the judgement distinguishes."""

    MINIMUM = "a minimum"
    STOPPED = "the search was stopped by a limit, by failures or by somebody"
    SWITCH = "parameters act only through a switch, of which no derivative tells anything"
    SADDLE = "a saddle point"
    FLAT = "the sum of squares is flat, because the data do not see parameters at these values"
    NOT_A_MINIMUM = "the sum of squares falls too slowly for the tolerances, but the minimum is elsewhere"


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdict, and what it stands on."""

    verdict: Verdict
    is_minimum: bool  # of all active parameters, even where the search was stopped
    ending: Ending  # why the search has ended
    standing: Standing  # of the point itself
    undetermined: int  # combinations of the parameters that the data do not see
    hidden: Mapping[str, str]  # parameters that act only through a switch, with its name
    parameters: ParameterMap  # that were fitted, as they began
    reached: Array  # all parameters where the search has ended, unscaled
    measure: str  # what is minimized, in words

    @property
    def code(self) -> str:
        """The verdict as one word, which tells a minimum that is not unique from one that is."""
        is_open = self.verdict is Verdict.MINIMUM and self.undetermined
        return "undetermined" if is_open else self.verdict.name.lower()

    def names(self, which: Iterable[int]) -> list[str]:
        """The names of active parameters, by their subscripts among these."""
        return [self.parameters.names[self.parameters.active[k]] for k in which]


def judged(problem: TrajectoryFit, result: Result, loss: Loss | None = None) -> Judgement:
    """Judge where a search has ended; it is no minimum while parameters that act only through switches are open."""
    counted, hidden = loss or LeastSquares(), hidden_by_switches(problem)
    stands = standing(problem, result.evaluation, result.p, counted)
    n = undetermined(counted.weighted(result.evaluation))
    minimal = stands.minimal and not hidden
    verdict = _verdict(stands, result.ending, bool(hidden))
    map_ = problem.parameters
    reached = map_.expand(result.p)
    return Judgement(verdict, minimal, result.ending, stands, n, hidden, map_, reached, counted.measure)


def judged_at(problem: TrajectoryFit, at: Evaluation) -> Judgement:
    """Judge the problem's own parameters, to which no search has led, by a usable evaluation there."""
    return judged(problem, Result(problem.parameters.point, at, Ending.CONVERGED, 0.0, 0, 0))


def _verdict(stands: Standing, ending: Ending, is_hidden: bool) -> Verdict:
    if ending is not Ending.CONVERGED:
        return Verdict.STOPPED
    if is_hidden:
        return Verdict.SWITCH
    if stands.minimal:
        return Verdict.MINIMUM
    if stands.saddle:
        return Verdict.SADDLE
    return Verdict.FLAT if stands.flat else Verdict.NOT_A_MINIMUM


def hidden_by_switches(problem: TrajectoryFit) -> dict[str, str]:
    """The active parameters that act only through a switch, with its name."""
    simulator, names = problem.simulator, problem.parameters.names
    found = switches(simulator.model, problem.observations.names, simulator.method.on_times_only)
    return {names[k]: found[k] for k in problem.parameters.active if k in found}


def switched(hidden: Mapping[str, str]) -> str:
    """What parameters that act only through a switch, given with its name, have in common."""
    each = [f"{name} acts only through a switch ({switch})" for name, switch in hidden.items()]
    return f"{' and '.join(each)}, so that no derivative shows which way to change it"
