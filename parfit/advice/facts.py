"""What rules can ask about a session: facts of its environments, computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile

from parfit.advice.history import (
    CURVES,
    LEAVING,
    WITH_CURVES,
    is_same_line,
    is_same_point,
    last_word,
    was_tried,
    word_of,
    word_of_line,
)
from parfit.advice.limits import COARSE, FAR, INCONSISTENT, LONG, MOST_WAYS, PERCENTILE, POOR, SAME, UNLIKELY
from parfit.advice.measures import curve_total, evaluated, is_comparable, spread_of
from parfit.advice.short_fit import fitted_total
from parfit.data.observations import Observations
from parfit.estimation.curves.smoothing import points_of
from parfit.estimation.diagnosis.discretisation import Discretisation, discretisation
from parfit.estimation.diagnosis.minimum import Standing, standing, unseen
from parfit.estimation.diagnosis.probing import Probe, probe
from parfit.estimation.diagnosis.residual_tests import has_known_errors
from parfit.estimation.diagnosis.study import Study, study
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.curves import ORDER
from parfit.session.environment import Environment
from parfit.session.timeline import Change, Failure, Timeline


class Facts:
    """The present environment with what led to it; the same timeline has the same facts."""

    def __init__(self, timeline: Timeline):
        self.timeline = timeline
        self.env = timeline.present

    # ---- what was tried

    @cached_property
    def trail(self) -> list[Environment]:
        """The environments with the present model and data, in order of time; the last is the present one."""
        before = list(takewhile(self._is_related, reversed(self.timeline.past)))
        return [*reversed(before), self.env]

    @cached_property
    def made(self) -> list[Change]:
        """All changes with the present model and data, in order of time, undone or not."""
        return [each for each in self.timeline.made if self._is_related(each.before) and self._is_related(each.after)]

    @cached_property
    def undone(self) -> list[Change]:
        """Those that were taken back."""
        kept = {id(each) for each in (*self.timeline.past, self.env)}
        return [each for each in self.made if id(each.after) not in kept]

    def _is_related(self, other: Environment) -> bool:
        return other.model is self.env.model and other.observations is self.env.observations

    def tried(self, *words: str) -> bool:
        """Whether one of these commands was given since its result could have been another, or was taken back."""
        if any(word_of_line(each.line) in words and self._is_here(each.env, words) for each in self.failed):
            return True
        return was_tried([each.after for each in self.made], {each.after for each in self.undone}, words)

    def given(self, command: str) -> bool:
        """Whether this very command was given before, anywhere with the present model and data."""
        return any(is_same_line(command, each.after.origin) for each in self.made)

    def left_by(self, command: str) -> bool:
        """Whether this very command has led to another model, and was taken back."""
        return any(is_same_line(command, each.after.origin) and self._is_related(each.before) for each in self._left)

    @property
    def _left(self) -> list[Change]:
        return [each for each in self.timeline.made if not self._is_related(each.after)]

    @cached_property
    def failed(self) -> list[Failure]:
        """What was tried with the present model and data, and has changed nothing."""
        return [each for each in self.timeline.failed if self._is_related(each.env)]

    def _is_here(self, env: Environment, words: Sequence[str]) -> bool:
        """Whether commands must do the same at an environment as at the present one."""
        return is_same_point(env, self.env, with_curves=bool((CURVES | WITH_CURVES) & set(words)))

    def refused(self, word: str) -> bool:
        """Whether a command was ever taken back, or failed here."""
        failed = any(word_of_line(each.line) == word and self._is_here(each.env, (word,)) for each in self.failed)
        return failed or any(word_of(each.after) == word for each in self.undone)

    def undone_here(self, command: str) -> bool:
        """Whether this very command was given at the present point, and failed or was taken back: it leads nowhere."""
        words = command.split()[:1]
        known = [(each.before, each.after.origin) for each in self.undone]
        known += [(each.env, each.line) for each in self.failed]
        return any(is_same_line(command, line) and self._is_here(env, words) for env, line in known)

    @cached_property
    def last(self) -> str:
        """The command that led to the present parameters and settings."""
        return last_word(self.trail)

    @cached_property
    def earlier(self) -> list[Environment]:
        """The trail up to the last command that changed anything about the parameters; empty if none did."""
        changes = (k for k in reversed(range(1, len(self.trail))) if word_of(self.trail[k]) not in LEAVING)
        return self.trail[: next(changes, 0)]

    @property
    def before(self) -> Environment | None:
        """The environment before that command."""
        return self.earlier[-1] if self.earlier else None

    # ---- the problem at the present parameters

    @property
    def data(self) -> Observations:
        assert self.env.observations is not None
        return self.env.observations

    @cached_property
    def problem(self) -> TrajectoryFit:
        return self.env.problem()

    @cached_property
    def at(self) -> Evaluation:
        return evaluated(self.problem)

    @cached_property
    def standing(self) -> Standing:
        return standing(self.problem, self.at)

    @property
    def minimal(self) -> bool:
        return self.at.usable and self.standing.minimal

    @cached_property
    def stuck(self) -> bool:
        """Whether FIT has ended where there is no minimum."""
        return self.at.usable and not self.minimal and self.last == "FIT"

    @cached_property
    def blind(self) -> bool:
        """Whether no active parameter has any influence, so that nothing can be fitted."""
        return self.at.usable and len(unseen(self.at)) == len(self.env.parameters.active)

    @cached_property
    def spread(self) -> float:
        return spread_of(self.data)

    @property
    def far(self) -> bool:
        return not self.at.usable or self.at.sum_of_squares > FAR * self.spread

    @cached_property
    def discretisation(self) -> Discretisation:
        assert self.at.trajectory is not None
        return discretisation(self.at.trajectory, self.data, self.env.sizes)

    @cached_property
    def study(self) -> Study:
        return study(self.problem, self.at, PERCENTILE, self.env.sizes)

    @cached_property
    def probe(self) -> Probe:
        return probe(self.at, self.env.parameters, self.data)

    # ---- how good a minimum is

    @cached_property
    def structured(self) -> bool:
        """Whether the signs of the residuals follow each other as those of errors would not."""
        found = [each for each in self.study.runs.values() if each is not None]
        return any(each.p_value < UNLIKELY and each.n_runs < each.expected for each in found)

    @cached_property
    def poor(self) -> bool:
        """Whether a minimum leaves more than errors of the observations."""
        if self.standing.exact:
            return False
        consistent = self.study.consistency
        if has_known_errors(self.data) and consistent is not None:
            return consistent.percentile > INCONSISTENT
        least = curve_total(self.env)
        beaten = least is not None and self.at.sum_of_squares > COARSE * least
        return self.structured and (self.at.sum_of_squares > POOR * self.spread or beaten)

    @cached_property
    def settled(self) -> bool:
        """Whether statistics were made here, which says that the user wants to stay."""
        since = takewhile(lambda each: word_of(each) in LEAVING, reversed(self.trail))
        return self.minimal and any(word_of(each) == "STATS" for each in since)

    @cached_property
    def seeking(self) -> bool:
        """Whether other parameters are wanted to begin with."""
        if self.settled:
            return False
        return self.poor if self.minimal else self.far or self.stuck

    @cached_property
    def other_ways(self) -> list[tuple[float, int]]:
        """Where direct fits would lead from the parameters before curve fits, and how many changes ago these were."""
        found: dict[bytes, tuple[Environment, int]] = {}
        for back in range(1, len(self.trail)):
            other = self.trail[-1 - back].with_options(self.env.options)
            if word_of(self.trail[-back]) in WITH_CURVES and is_comparable(self.env, other):
                found[other.values.tobytes()] = other, back
        ways = list(found.values())[:MOST_WAYS]
        return [(fitted_total(other.problem(), evaluations=LONG), back) for other, back in ways]

    @cached_property
    def confirmed(self) -> bool:
        """Whether a direct fit from elsewhere leads to this minimum, too."""
        return self.minimal and any(
            abs(total - self.at.sum_of_squares) <= SAME * self.at.sum_of_squares for total, _ in self.other_ways
        )

    # ---- curves

    @cached_property
    def smoothable(self) -> list[str]:
        """The observed variables with values enough for a curve."""
        return [name for name in self.data.names if points_of(self.data, name).n_times >= ORDER]

    @cached_property
    def unobserved(self) -> list[str]:
        """The states without a curve."""
        return [name for name in self.env.model.states if name not in self.smoothable]
