"""FIT INTERACTIVE: optimization by hand, with short commands of its own (Appendix A, FIT, option 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from parfit import interrupts
from parfit.commands.fitting.fit_by_hand_words import (
    ACCEPT,
    COMMANDS,
    FACTOR,
    HOLD,
    NEW,
    RELEASE,
    TECHNIQUE,
    meant,
)
from parfit.commands.looking.plot import plot
from parfit.commands.parameters.set import SET_LIST, VALUE
from parfit.errors import Abandoned, CommandError, ParfitError, StateError
from parfit.estimation.optimizers.by_hand import ByHand, EvaluatedPoint, begin
from parfit.pictures.series import observed, solution
from parfit.pictures.solution import over_time
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.line import EndOfInput
from parfit.session.noting import ABANDON
from parfit.session.questions import Question
from parfit.text import report

PROMPT = "**** ENTER OPTIMIZATION COMMAND **** "
Step = Callable[[ByHand, Dialogue, "Session"], ByHand]


class Session:
    """The environment around an optimization by hand."""

    def __init__(self, env: Environment):
        self.env = env
        self.attempts: list[tuple[str, float, float, str]] = []  # technique, lambda or length, sum of squares, outcome

    def seen(self, state: ByHand) -> Environment:
        """The environment with the last trial, or else the point reached, as what was integrated last."""
        point = state.trial or state.point
        run = point.evaluation.trajectory
        env = self.env.with_values(state.problem.parameters.expand(point.p))
        return env if run is None else env.with_integration(run)


def optimize_by_hand(env: Environment, ask: Dialogue) -> Environment:
    """Steps until Q; what was accepted is kept."""
    ask.refuse_rest()  # before anything of it is in the journal
    session = Session(env)
    echo, ask.console.echo = ask.console.echo, partial(ask.run.append, "fit-echo")
    ask.report("##### INTERACTIVE OPTIMIZATION ATTEMPT #####\n")
    ask.say("HELP lists the optimization commands")
    ask.flush()
    try:
        state = _started(begin(env.problem(), relative=not env.options.of_1977), ask)
        first = state.point.evaluation.sum_of_squares
        while True:
            ask.console.reached = _reached(state)
            line, state = _one_command(state, ask, session)
            if line == "Q":
                break
    finally:
        ask.console.echo, ask.console.reached = echo, ""
    state = state.settled()
    if state.point.evaluation.sum_of_squares > first:
        ask.warn("the sum of squares is higher than at the beginning; UNDO goes back")
    run = state.point.evaluation.trajectory
    kept = session.env.with_values(state.parameters.full)
    ask.report(f"SUM OF SQUARES {report.number(state.point.evaluation.sum_of_squares)}\n{report.parameters(kept)}\n")
    return kept if run is None or not state.point.evaluation.status else kept.with_integration(run)


def _reached(state: ByHand) -> str:
    """The sum of squares at the point from which the next step goes, and the size of that step."""
    found = state.settled().point.evaluation
    total = f"{found.sum_of_squares:.6g}" if found.usable else "none"
    if state.marquardt:
        return f"sum of squares {total}, lambda {state.lam:.3g}"
    return f"sum of squares {total}, step {'not set' if state.length is None else f'{state.length:.3g}'}"


def _started(state: ByHand, ask: Dialogue) -> ByHand:
    evaluation = state.point.evaluation
    if evaluation.usable:
        ask.say(f"SUM OF SQUARES {report.number(evaluation.sum_of_squares)}")
    else:
        ask.warn(f"the equations cannot be integrated here: {evaluation.status}; SET other values")
    return state


def _one_command(state: ByHand, ask: Dialogue, session: Session) -> tuple[str, ByHand]:
    """Read and obey one command; what is wrong with it is told, and asked for again at a terminal.

    A script ends there, as if it had been Q: a command that failed has changed nothing, and so the steps before it
    stay.
    """
    try:
        word, inner = ask.inner(PROMPT, meant)
    except (Abandoned, EndOfInput):  # what was reached is kept, whatever takes the user away
        ask.say("Q")
        ask.run.mend()
        return _noted("Q", state, ask)
    name = word.upper()
    if name == "Q":
        return _noted("Q", state, ask)
    if name == ABANDON:
        raise Abandoned("abandoned; nothing was changed")
    try:
        new = _obey(name, state, inner, session)
        inner.refuse_rest()
    except ParfitError as error:
        if not ask.source.interactive:
            return _failed(error, inner, state, ask, session)
        ask.warn(error.told)
        return "", state
    except KeyboardInterrupt as error:
        if not ask.source.interactive:
            return _failed(error, inner, state, ask, session)
        interrupts.answered()
        ask.warn("interrupted; the step was not made")
        return "", state
    ask.note_step(inner.entry if word else "M 1")
    return name, new


def _failed(
    error: ParfitError | KeyboardInterrupt, inner: Dialogue, state: ByHand, ask: Dialogue, session: Session
) -> tuple[str, ByHand]:
    """The end in a script: what was reached is kept, and after that the failure is told at its own line."""
    if isinstance(error, ParfitError):
        error.where = error.where or inner.where
    is_moved = not np.array_equal(state.settled().parameters.full, session.env.values)
    if not is_moved or ask.run.replaying:
        raise error
    ask.warn("what the steps before led to is kept")
    ask.failure = error
    return _noted("Q", state, ask)


def _noted(line: str, state: ByHand, ask: Dialogue) -> tuple[str, ByHand]:
    ask.note_step(line)
    return line, state


def _obey(name: str, state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    if name in ("HELP", "?"):
        ask.say(COMMANDS)
        return state
    if name not in STEPS:
        raise CommandError(f"COMMAND IN ERROR, RESPECIFY: {questions.shown(name)}; HELP lists the commands")
    return STEPS[name](state, ask, session)


# ---- the commands


def _technique(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    return replace(state, marquardt=ask.choice(TECHNIQUE).word == "MARQ")


def _multiply(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    factor = ask.number(FACTOR, default=1.0, check=questions.positive)
    if state.marquardt:
        return _attempt(replace(state, lam=state.lam * factor), ask, session)
    return _attempt(replace(state, length=None if state.length is None else state.length * factor), ask, session)


# The manual lets N only replace the value; the listing (INTERACTIVE_OPT, command 3) attempts a step as well.
def _replace(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    value = ask.number(NEW, check=lambda value: None if value >= 0 else "is negative")
    changed = replace(state, lam=value, relative=False) if state.marquardt else replace(state, length=value)
    return _attempt(changed, ask, session)


def _again(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    return _attempt(state, ask, session)


def _attempt(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    """A step, and what came of it."""
    if not state.marquardt and state.length is None:
        raise StateError("steepest descent has no step length yet; V shows the gradient, N sets a length")
    state = state.settled()
    if not state.point.evaluation.usable:
        raise StateError("the equations cannot be integrated at the point reached; SET other values")
    before = state.point.evaluation.sum_of_squares
    state = state.tried()
    assert state.trial is not None
    ask.say(f"TRIAL PARAMETERS {_listed(state, state.trial)}")
    found, method = state.trial.evaluation, "MARQUARDT" if state.marquardt else "STEEPEST DESCENT"
    if not found.usable:
        ask.say(f"THE TRIAL COULD NOT BE INTEGRATED: {found.status}\n{_smaller_step(state)}")
    elif state.succeeded:
        change = report.number(before - found.sum_of_squares)
        ask.say(f"{method} STEP SUCCESSFUL\nNEW SUM OF SQUARES {report.number(found.sum_of_squares)}")
        ask.say(f"CHANGE IN SUM OF SQUARES {change}")
    else:
        ask.say(f"{method} DID NOT REDUCE RESIDUAL\nNEW SUM OF SQUARES {report.number(found.sum_of_squares)}")
        ask.say(_smaller_step(state))
    size = state.lam if state.marquardt else state.length or 0.0
    outcome = "better" if state.succeeded else "worse" if found.usable else "not integrated"
    session.attempts.append((method.lower(), size, found.sum_of_squares if found.usable else np.nan, outcome))
    ask.say(f"LAMBDA IS {_lambda(state)}" if state.marquardt else f"STEP WAS {report.number(state.length or 0.0)}")
    return state


def _smaller_step(state: ByHand) -> str:
    """What to do after a trial that has failed."""
    return "make lambda larger: M 10" if state.marquardt else "make the step shorter: M .1"


def _table(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    """The steps so far."""
    if not session.attempts:
        raise StateError("no step was attempted yet", "RETURN attempts one")
    rows = [
        [str(k), method, report.number(size), report.number(total), outcome]
        for k, (method, size, total, outcome) in enumerate(session.attempts, 1)
    ]
    headings = ["step", "technique", "lambda or length", "sum of squares", ""]
    ask.say(report.columns(headings, list(zip(*rows, strict=True)), left=[1, 4]))
    return state


def _lambda(state: ByHand) -> str:
    return f"{report.number(state.lam)}{' (RELATIVE)' if state.relative else ''}"


def _listed(state: ByHand, point: EvaluatedPoint) -> str:
    return report.assignments(state.problem.parameters.names, state.problem.parameters.expand(point.p))


def _view(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    state = state.settled()
    map_, evaluation = state.parameters, state.point.evaluation
    gradient = dict(zip(map_.active, evaluation.gradient, strict=True)) if evaluation.usable else {}
    slopes = [report.number(gradient.get(k, np.nan)) for k in range(len(map_.names))]
    held = ["frozen here" if k in state.held else "" for k in range(len(map_.names))]
    ask.say(report.beside(report.map_table(map_), report.columns(["half gradient", ""], [slopes, held], left=[1])))
    if evaluation.usable:
        ask.say(f"SINGULAR VALUES {' '.join(map(report.number, state.singular_values))}")
    if state.marquardt:
        ask.say(f"MARQUARDT, LAMBDA {_lambda(state)}")
    else:
        ask.say(f"STEEPEST DESCENT, STEP {'NOT SET' if state.length is None else report.number(state.length)}")
    ask.say(f"CURRENT SUM OF SQUARES {report.number(evaluation.sum_of_squares)}")
    return state


def _freeze(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    state = state.settled()
    held = state.held | _subscripts(state, ask, HOLD)
    if held >= set(state.problem.parameters.active):
        raise CommandError("at least one parameter must stay active")
    return _holding(replace(state, held=held, trial=None), ask)


def _defreeze(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    state = state.settled()
    freed = _subscripts(state, ask, RELEASE)
    return _holding(replace(state, held=state.held - freed if freed else frozenset(), trial=None), ask)


def _holding(state: ByHand, ask: Dialogue) -> ByHand:
    names = [state.problem.parameters.names[k] for k in sorted(state.held)]
    ask.say(f"FROZEN HERE: {' '.join(names) or 'NONE'}")
    return state


def _subscripts(state: ByHand, ask: Dialogue, question: Question) -> frozenset[int]:
    names = state.problem.parameters.names
    return frozenset(names.index(name) for name in ask.names(question, names, "parameter"))


def _set(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    state = state.settled()
    names = state.problem.parameters.names
    full = np.array(state.parameters.full)
    reader = questions.name(names, "parameter")
    for name, value in ask.many(SET_LIST, reader, lambda name: [(VALUE, questions.number())]):
        full[names.index(name)] = value
    return _started(state.at(full, session.env.simulator()), ask)


def _plot(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    plot.work(session.seen(state), ask)
    return state


def _before_and_after(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    """The solutions at the point and at the trial, with the observations."""
    env = session.env
    assert env.observations is not None
    series = []
    for point, what, kind in ((state.point, "", "solid"), (state.trial, "trial", "dashed")):
        if point is not None and point.evaluation.trajectory is not None:
            series += solution(env, point.evaluation.trajectory, env.observations.names, what, kind)
    ask.show(over_time(env, [*series, *observed(env)], ""))
    return state


def _accept(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    if state.trial is None:
        raise StateError("there is no trial to accept; M, N or RETURN makes one")
    if ask.more and not ask.yes(ACCEPT):
        return state.rejected()
    if not state.trial.evaluation.usable:
        raise StateError("the trial could not be integrated, so that it cannot be accepted")
    return state.accepted()


def _back(state: ByHand, ask: Dialogue, session: Session) -> ByHand:
    state = state.settled()
    if not state.past:
        raise StateError("there is no accepted step to go back from")
    return _started(state.back(), ask)


STEPS: dict[str, Step] = {
    "L": _table,
    "": _again,
    "T": _technique,
    "M": _multiply,
    "N": _replace,
    "V": _view,
    "F": _freeze,
    "DF": _defreeze,
    "SET": _set,
    "PLOT": _plot,
    "P": _before_and_after,
    "A": _accept,
    "B": _back,
}
