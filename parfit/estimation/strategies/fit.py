"""The parameters at which the solution is nearest to the observations: one search, or several that widen.

Parameters that the data do not see at the start are set aside; where the search has ended they may be seen, and then
it goes on with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property, partial

from parfit.arrays import Array, read_only
from parfit.awaited import Awaited
from parfit.dataclass import dataclass
from parfit.errors import NumericalError, StateError
from parfit.estimation.diagnosis.discretisation import Discretisation, discretisation
from parfit.estimation.diagnosis.judgement import Judgement, hidden_by_switches, judged, switched
from parfit.estimation.diagnosis.minimum import unseen
from parfit.estimation.diagnosis.standard_errors import StandardErrors, standard_errors
from parfit.estimation.likelihood.groups import NotEstimated
from parfit.estimation.optimizers import bounded
from parfit.estimation.optimizers.optimizer import Optimizer
from parfit.estimation.problem import Ending, Evaluation
from parfit.estimation.problem import Result as Reached
from parfit.estimation.problems.compared_rows import NotFinite
from parfit.estimation.problems.projected import Projected, is_projected, reached_values, refuse_what_is_not_linear
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies.watching import Followed, Part, Watch, followed, unwatched
from parfit.estimation.trace import Trace
from parfit.session.environment import Environment


@dataclass(frozen=True)
class Request:
    """How to search."""

    settings: Optimizer = field(default_factory=bounded.Settings)

    def written(self, reached: Reached) -> str:
        """The line that ends where an interrupted fit did."""
        return " ".join(["FIT", *self.settings.written(reached)])


@dataclass(frozen=True)
class Stage:
    """What one search of a fit leaves out, and what it has beyond the one before."""

    aside: tuple[str, ...] = ()  # parameters that the data do not see where it begins
    hidden: Mapping[str, str] = field(default_factory=dict)  # those that act only through a switch, with its name
    joined: tuple[str, ...] = ()  # parameters that were set aside before, and are seen now
    solved: tuple[str, ...] = ()  # parameters that are solved for in every evaluation


class StartError(NumericalError):
    """A fit that cannot begin: the problem has no numbers there, or no parameter has any influence."""

    def __init__(self, message: str, at: Evaluation, hidden: Iterable[str] = ()):
        self.at, self.hidden = at, tuple(hidden)
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class Result:
    """Where a fit has ended, and what is to be thought of it."""

    begun: Environment  # where it began
    problem: TrajectoryFit  # with all active parameters
    reached: Reached  # with the work of all searches
    there: Reached  # the same, in all active parameters
    settings: Optimizer
    values: Array  # of all parameters, where it has ended, (n_params,)
    traces: tuple[Trace, ...]  # of all searches
    is_accepted: bool = False  # whether somebody wanted no more than what was reached

    @cached_property
    def env(self) -> Environment:
        """At the parameters found, with the solution there, and what is to be thought of it for who asks."""
        run, settings = self.there.evaluation.trajectory, self.settings
        assert run is not None
        new = self.begun.with_solution(self.values, run, self.traces).with_loss(settings.robust.upper())
        verdict = Awaited(partial(judged, self.problem, self.there, settings))
        return new.with_fit(settings.kind, self.reached, verdict)

    @property
    def start(self) -> Array:
        """The parameters with which it began, (n_params,)."""
        return self.begun.values

    @property
    def total(self) -> float:
        """What was minimized, where it has ended."""
        return self.settings.total(self.reached.evaluation)

    @property
    def judgement(self) -> Judgement:
        """What is to be thought of that point."""
        return self.env.fits[-1].judgement

    @cached_property
    def errors(self) -> StandardErrors | None:
        """None for a robust loss, and where there is no minimum."""
        if not self.judgement.is_minimum or self.settings.robust:
            return None
        return standard_errors(self.problem, self.there.evaluation, self.there.p, self.judgement.standing.pressed)

    @cached_property
    def accuracy(self) -> Discretisation:
        """How far the integration can be trusted."""
        run = self.there.evaluation.trajectory
        assert run is not None
        return discretisation(run, self.problem.observations, self.env.sizes)


@dataclass(frozen=True, eq=False)
class _Search:
    """One search that is about to begin."""

    env: Environment
    problem: TrajectoryFit
    first: Evaluation
    settings: Optimizer
    stage: Stage

    def followed(self, watch: Watch) -> Followed:
        how = self.settings
        part = Part(self.env, self.problem, self.first, about=self.stage, has_lambda=how.has_lambda, loss=how)
        return followed(part, watch, partial(self.settings.minimize, self.problem, self.problem.parameters))


def fit(env: Environment, request: Request | None = None, watch: Watch = unwatched) -> Result:
    """Fit the active parameters from their present values; Ctrl-C, or who accepts it, ends it at the best so far."""
    settings = (request or Request()).settings
    if settings.robust and env.noise:
        raise StateError(
            f"a {settings.robust} loss says itself how errors are distributed, as noise models and priors do",
            "NOISE NAME LAPLACE expects outliers among the errors; NOISE 0 and PRIOR 0 leave it to the loss",
        )
    search: _Search | None = _first(env, settings)
    before: Reached | None = None
    traces = list[Trace]()
    while search is not None:
        last = search
        found = last.followed(watch)
        reached = before = found.result.after(before)
        is_cut = reached.ending is Ending.INTERRUPTED and not settings.counts_trials
        traces.append(found.kept if is_cut else found.trace)  # as when the line that is written is played
        search = _wider(env, last.problem, reached, settings)
    return _result(env, last.problem, reached, settings, traces, found.is_accepted)


def _first(env: Environment, settings: Optimizer) -> _Search:
    """The search in the parameters that the data see at the start."""
    problem = env.problem()
    hidden = hidden_by_switches(problem)
    at = problem.evaluate(problem.parameters.project(problem.parameters.point))
    if not at.usable:
        raise StartError(_why_unusable(at), at)
    names = [env.model.parameters[env.parameters.active[k]] for k in unseen(at)]
    if names and len(names) == len(env.parameters.active):
        if hidden:
            raise StartError(f"nothing can be fitted: {switched(hidden)}", at, hidden)
        raise StartError("no active parameter has any influence on the observations; nothing can be fitted", at)
    solved = _linear(env, problem, names, settings)
    stage = Stage(_aside(problem, names, hidden), hidden, solved=solved) if names else Stage(solved=solved)
    if solved:
        problem = _without(env, names, solved)
        at = problem.evaluate(problem.parameters.project(problem.parameters.point))
        return _Search(env, problem, at, settings, stage)
    return _Search(env, _without(env, names) if names else problem, at, settings, stage)


def _aside(problem: TrajectoryFit, unseen: Iterable[str], hidden: Iterable[str]) -> tuple[str, ...]:
    """Those of the parameters that the data do not see here which they could see elsewhere."""
    depended_on = {problem.parameters.names[k] for k in problem.depended_on} - set(hidden)
    return tuple(name for name in unseen if name in depended_on)


def _linear(env: Environment, problem: TrajectoryFit, unseen: Iterable[str], settings: Optimizer) -> tuple[str, ...]:
    """The active parameters that are to be solved for; none where there are no others, or of what is no square."""
    if settings.robust or not env.model.linear:
        return ()
    active = [env.model.parameters[k] for k in env.parameters.active]
    found = tuple(name for name in env.model.linear if name in active and name not in unseen)
    if found:
        refuse_what_is_not_linear(env.model, found, problem)
    return found if set(active) - {*found, *unseen} else ()


def _why_unusable(at: Evaluation) -> str:
    """The equations may fail, or only what is compared with the data."""
    if isinstance(at.status, NotFinite | NotEstimated):
        return f"the equations can be integrated at the starting values, but {at.status}"
    return f"the equations cannot be integrated at the starting values: {at.status}"


def _without(env: Environment, names: Iterable[str], solved: Iterable[str] = ()) -> TrajectoryFit:
    """The problem with some parameters set aside, and others solved for."""
    frozen = [*(env.model.parameters[k] for k in env.parameters.frozen), *names]
    whole = env.with_frozen(frozen).problem()
    return Projected(env.with_frozen([*frozen, *solved]).problem(), whole) if solved else whole


def _values(problem: TrajectoryFit, reached: Reached) -> Array:
    """All parameters where a search has ended."""
    return reached_values(problem, reached.p, reached.evaluation)


def _wider(env: Environment, problem: TrajectoryFit, reached: Reached, settings: Optimizer) -> _Search | None:
    """The search with parameters that were set aside at the start, but are seen where the last one has ended."""
    solved = tuple(env.model.parameters.index(name) for name in env.model.linear) if is_projected(problem) else ()
    searched = {*problem.parameters.active, *solved}
    if searched >= set(env.parameters.active) or reached.ending is Ending.INTERRUPTED:
        return None
    left = settings.after(reached)
    if left is None:
        return None
    there = env.with_values(_values(problem, reached))
    whole = there.problem()
    at = whole.evaluate(whole.parameters.project(whole.parameters.point))
    if not at.usable:
        return None
    names = [env.model.parameters[env.parameters.active[k]] for k in unseen(at)]
    wider = _without(there, names, _linear(there, whole, names, settings))
    new = tuple(env.model.parameters[k] for k in wider.parameters.active if k not in searched)
    return _Search(there, wider, at, left, Stage(joined=new)) if new else None


def _result(
    env: Environment,
    problem: TrajectoryFit,
    reached: Reached,
    settings: Optimizer,
    traces: list[Trace],
    is_accepted: bool,
) -> Result:
    """Where the last search has ended."""
    values, there = _values(problem, reached), reached
    if problem.parameters.active != env.parameters.active:  # those set aside belong to the point that is judged
        whole = env.with_values(values).problem()
        at = whole.evaluate(whole.parameters.point)
        if at.usable:
            problem, there = whole, replace(reached, p=whole.parameters.point, evaluation=at)
    return Result(env, problem, reached, there, settings, read_only(values), tuple(traces), is_accepted)
