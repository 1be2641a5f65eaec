"""NUDGE: parameters changed with the arrow keys on the whole screen; what is kept becomes ordinary commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from parfit.arrays import Array
from parfit.commands.fitting.integ import integ
from parfit.commands.parameters.freeze import freeze, unfreeze
from parfit.commands.parameters.mark import mark
from parfit.commands.parameters.scale import scale
from parfit.commands.parameters.set import set_values
from parfit.commands.sight import of_one_experiment
from parfit.commands.table import Command, command
from parfit.errors import Abandoned
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.live.screen import look_of, screen_of, show_view
from parfit.session import questions
from parfit.session.console import KEPT, Console
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.session.results import Mark
from parfit.session.timeline import Timeline
from parfit.simulation.status import Status
from parfit.text import report

PARAMETER = Question(
    "parameter", "PARAMETER TO BEGIN WITH", "Enter the name or subscript of a parameter.", names="parameters"
)
UNCHANGED = "nothing was changed"
INSTEAD = "type SET with a parameter and its value, INTEG N, and PLOT 1 2"


@command("NUDGE", "parameters", (PARAMETER,), ("NUDGE", "NUDGE p2"), ("parameters",), journaled=False)
def nudge(env: Environment, ask: Dialogue) -> Environment | Timeline:
    """Change parameters with the arrow keys on the whole screen, the curve and the sum of squares following at once.

    Up and down choose a parameter, left and right change it by steps in per cent, digits set it. Keys freeze, scale,
    mark, undo and take one Marquardt step; others show residuals or the phase plane, and zoom: `?` lists them all.
    RETURN leaves and asks whether to keep the values, Esc discards them. What is kept is written down as SET, as
    FREEZE, UNFREEZE, SCALE or (after INTEG) MARK where these were used, and as INTEG N, so that PLOT and REPORT show
    what was seen: UNDO takes one after the other back.
    """
    from parfit.views.nudge import Nudge
    from parfit.views.nudge_study import NudgeStudy

    names = env.model.parameters
    chosen = ask.one(PARAMETER, of_one_experiment(env, names, "parameter")) if ask.more else names[0]
    ask.refuse_rest()
    show = screen_of(ask, "NUDGE", INSTEAD)
    view = (NudgeStudy if env.model.parts else Nudge).of(env, env.simulator(), **look_of(ask))
    left = show_view(
        ask, show, view.select(names.index(chosen)), lambda last: _listed(commands_between(env, last.env))
    )
    steps = list(commands_between(env, left.env))
    if left.outcome != KEPT:
        raise Abandoned(_discarded(steps))
    return _done(env, ask, steps, left.content.run.status)


# ---- what was kept, as commands

Step = tuple[Command, str]  # a command, and the rest of its line


def commands_between(first: Environment, last: Environment) -> Iterator[Step]:
    """Commands that make of an environment another one with other values, freezing, scaling and marks."""
    old, new = first.parameters, last.parameters
    marks = [each for each in last.marks if not any(each is other for other in first.marks)]
    in_the_way = [k for k in range(len(old.names)) if _must_be_unscaled(old, new, k, [each.values for each in marks])]
    yield from _scalings(old, in_the_way, [Scaling.NONE] * len(old.names))
    values = old.full
    for each in marks:
        yield from _settings(old, values, each.values)
        yield from _marking(each)
        values = each.values
    yield from _settings(old, values, new.full)
    present = [Scaling.NONE if k in in_the_way else old.scaling[k] for k in range(len(old.names))]
    yield from _scalings(old, [k for k in range(len(old.names)) if new.scaling[k] is not present[k]], new.scaling)
    for each_command, changed in ((unfreeze, old.frozen - new.frozen), (freeze, new.frozen - old.frozen)):
        if changed:
            yield each_command, " ".join(questions.quoted(old.names[k]) for k in sorted(changed))


def _must_be_unscaled(old: ParameterMap, new: ParameterMap, k: int, others: list[Array]) -> bool:
    """Whether a parameter's scaling changes, or does not allow a value that it had on the way."""
    if old.scaling[k] is Scaling.NONE:
        return False
    lowest = min(float(values[k]) for values in [*others, new.full])
    allowed = lowest > 0 or (lowest == 0 and old.scaling[k] is Scaling.SQUARE_ROOT)
    return old.scaling[k] is not new.scaling[k] or not allowed


def _settings(map_: ParameterMap, before: Array, after: Array) -> Iterator[Step]:
    changed = np.flatnonzero(before != after)
    if changed.size:
        yield set_values, " ".join(f"{questions.quoted(map_.names[k])} {questions.plain(after[k])}" for k in changed)


def _scalings(map_: ParameterMap, which: list[int], scaling: list[Scaling] | tuple[Scaling, ...]) -> Iterator[Step]:
    if which:
        yield scale, " ".join(f"{questions.quoted(map_.names[k])} {scaling[k].typed}" for k in which)


def _marking(kept: Mark) -> Iterator[Step]:
    """A mark knows the sum of squares if the equations were integrated before."""
    if kept.sum_of_squares is not None:
        yield integ, "N"
    yield mark, questions.quoted(kept.name)


# ---- doing it


def _done(env: Environment, ask: Dialogue, steps: list[Step], status: Status) -> Environment | Timeline:
    """The commands obeyed and written down one after another, as if they had been typed.

    Other values are integrated in the end, so that what is plotted and reported is what was seen; `status` says
    whether they can be.
    """
    if not steps:
        ask.say(UNCHANGED)
        return env
    reached = [ask.timeline]
    for step in steps:
        reached.append(_obeyed(step, reached[-1], ask))
    new = reached[-1].present
    is_seen = new.integrated is not None or np.array_equal(new.values, env.values)
    if status and not is_seen:
        reached.append(_obeyed((integ, "N"), reached[-1], ask))
    entries = [each.present.origin for each in reached[1:]]
    ask.effects += [partial(ask.run.record, entry) for entry in entries]
    last = reached[-1]
    ask.say("\n".join([*entries, report.parameters(last.present), *_sum(last.present)]))
    if not status and not is_seen:
        ask.warn(f"these values cannot be integrated: {status}")
    return last


def _sum(env: Environment) -> list[str]:
    return [] if env.sum_of_squares is None else [report.sum_of_squares(env)]


def _obeyed(step: Step, timeline: Timeline, ask: Dialogue) -> Timeline:
    command_, rest = step
    inner = Dialogue(command_.name, rest, ask.source, Console(quiet=True), ask.run, timeline)
    result = command_.work(timeline.present, inner)
    assert isinstance(result, Environment)
    return timeline.then(result.made_by(inner.entry))


def _listed(steps: Iterable[Step]) -> str:
    return "; ".join(f"{each.name} {rest}" for each, rest in steps)


def _discarded(steps: list[Step]) -> str:
    """What is said when nothing is kept: with the values, in case that was a mistake."""
    setting = [f"{each.name} {rest}" for each, rest in steps if each is set_values]
    return f"discarded; nothing was changed ({setting[-1]} would set what was seen last)" if setting else UNCHANGED
