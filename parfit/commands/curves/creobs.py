"""CREOBS: guessed observations on states that were not observed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from parfit.commands.sight import of_one_experiment
from parfit.commands.table import command
from parfit.errors import Abandoned, CommandError, ParfitError, StateError
from parfit.estimation.curves import guessing
from parfit.estimation.curves.guessing import MOST_POINTS, Points
from parfit.estimation.strategies import guess as strategy
from parfit.estimation.strategies.guess import Request
from parfit.live.screen import look_of, screen_of, show_view
from parfit.pictures.automatic import automatic
from parfit.pictures.editing import chosen_point
from parfit.pictures.editing import guess as pictured
from parfit.session import questions
from parfit.session.console import KEPT
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question, Reader
from parfit.simulation.simulator import simulate
from parfit.text import report

STATE = Question(
    "state variable",
    "STATE VARIABLE TO BE GUESSED",
    "Enter the name or subscript of a state that was not observed.",
    names="variables",
)
POINTS = Question(
    "joints",
    "ENTER NO. OF JOINTS AND JOINT POSITIONS FOR STATE VARIABLE",
    "Enter how many points you give, and then their times; FIRST and LAST stand for the first and last sample time. "
    "In place of the number: EDIT gives the point nearest to a time another ordinate, MOVE another time; ADD puts a "
    "point in, REMOVE takes one out; DRAW lets you move the points with the arrow keys, at a terminal.",
    words=("FIRST", "LAST", "EDIT", "MOVE", "ADD", "REMOVE", "DRAW"),
)
TIME = Question(
    "joint position",
    "ENTER JOINT POSITION",
    "Enter a sample time or one between them, FIRST, or LAST.",
    words=("FIRST", "LAST"),
)
ORDINATES = Question(
    "ordinates",
    "ENTER CORRESPONDING ORDINATES FOR CREATED OBS",
    "Enter, for each of the times in their order, the value that you think the state has there.",
)
POINT = Question(
    "point",
    "TIME OF THE POINT",
    "Enter a time; the point nearest to it is meant. FIRST and LAST do too.",
    words=("FIRST", "LAST"),
)
ORDINATE = Question("ordinate", "ORDINATE", "Enter the value that you think the state has there.")
NEW_TIME = Question("new time", "NEW TIME OF THE POINT", "Enter the time to which the point moves.")
INCLUDE = "INCLUDE FIRST AND LAST SAMPLE TIMES"
WORDS = ("EDIT", "MOVE", "ADD", "REMOVE", "DRAW")
N_DRAWN = 5  # points with which drawing begins where nothing was guessed


@command(
    "CREOBS",
    "computing",
    (STATE, POINTS, TIME, ORDINATES, POINT, ORDINATE, NEW_TIME),
    (
        "CREOBS 4 0 2.5 8.75 12.5 8 3 5 4",
        "CREOBS y2 4 FIRST 2.5 8.75 LAST 8 3 5 4",
        "CREOBS y2 EDIT 2.5 3.5",
        "CREOBS y2 MOVE 2.5 5",
        "CREOBS y2 ADD 7 2",
        "CREOBS y2 REMOVE 2.5",
        "CREOBS y2 DRAW",
    ),
)
def creobs(env: Environment, ask: Dialogue) -> Environment:
    """Guess observations on a state that was not observed, by a curve through a few points.

    The curve is the cubic spline through the points, which at each end has the slope of the line through the two
    points closest to that end. The first and last sample times must be among them. DFIT and IFIT work with guesses.
    Of several experiments the one in sight is meant (EXPERIMENT low, CREOBS y2), or the one that is named (y2[low]).
    One point is changed with EDIT, MOVE, ADD or REMOVE; DRAW moves them with the arrow keys, seeing the curve. MARK
    keeps guesses with the parameters, and RECALL brings them back.
    """
    names = _unobserved(env)
    default = next((name for name in env.sighted(names) if name not in env.guesses), env.sighted(names)[0])
    name = ask.one(STATE, _unobserved_state(env, names), default) if len(names) > 1 else names[0]
    points = _points(env, ask, name, may_be_named=len(names) == 1)
    result = strategy.guess(env, Request(name, *points))
    ask.say(report.table(["abscissae", "ordinates"], [result.guess.t, result.guess.y]))
    ask.show(automatic(env, pictured(env, name, points)))
    return result.env


def _unobserved(env: Environment) -> list[str]:
    names = strategy.unobserved(env)
    if not names:
        raise StateError("every state was observed, so that there is nothing to guess", "SMOOTH smooths observations")
    return names


# ---- what is to be done


def _points(env: Environment, ask: Dialogue, name: str, may_be_named: bool) -> Points:
    """The points that are entered, changed or drawn; what cannot be is asked for again at a terminal."""
    question = replace(POINTS, text=f"{POINTS.text} {name}\n{INCLUDE}")
    while True:
        n_before = ask.n_answers
        what = ask.one(question, _what(env, name, may_be_named))
        if what == name:  # said, though there is no other
            may_be_named = False
            continue
        try:
            return _entered(env, ask, what) if isinstance(what, int) else _changed(env, ask, name, what)
        except Abandoned:
            raise
        except ParfitError as error:
            ask.ask_again(error, ask.n_answers - n_before)


def _unobserved_state(env: Environment, names: list[str]) -> Reader[str]:
    def read(token: str) -> Answer[str]:
        found = of_one_experiment(env, env.model.states, "state")(token)
        if found.value not in names:
            raise CommandError(f"{found.value} was observed; not observed: {', '.join(names)}")
        return found

    return read


def _what(env: Environment, name: str, may_be_named: bool) -> Reader[int | str]:
    """A number of points or one of the words; or first the name of the state, where there is no other to guess."""

    def read(token: str) -> Answer[int | str]:
        words = [word for word in WORDS if token and word.startswith(token.upper())]
        if may_be_named and token.lower() in [state.lower() for state in env.model.states]:
            return Answer[int | str](*_unobserved_state(env, [name])(token))
        if len(words) == 1:
            return Answer(words[0], words[0])
        if token[:1].isalpha():
            raise CommandError(f"{questions.shown(token)} will not do; enter a number, or one of {', '.join(WORDS)}")
        return Answer[int | str](*questions.whole(2, MOST_POINTS)(token))

    return read


def _entered(env: Environment, ask: Dialogue, n: int) -> Points:
    """Points entered in full: times, then ordinates."""
    t = [ask.one(replace(TIME, text=f"{TIME.text} {k} OF {n}"), _time(env)) for k in range(1, n + 1)]
    guessing.require_ends(t, env.samples.times)
    texts = [ORDINATES.text, *(f"ENTER ORDINATE {k} OF {n}" for k in range(2, n + 1))]
    return guessing.ordered(t, [ask.number(replace(ORDINATES, text=text)) for text in texts])


def _changed(env: Environment, ask: Dialogue, name: str, word: str) -> Points:
    """The points of the present guess with one of them changed, or as they were drawn."""
    if word == "DRAW":
        return _drawn(env, ask, name)
    if name not in env.guesses:
        raise CommandError(f"{name} has not been guessed yet; CREOBS {name} and a number of points guesses it")
    points = env.guesses[name].t, env.guesses[name].y
    if word == "ADD":
        t = ask.one(replace(TIME, text=NEW_TIME.text), _time(env))
        return guessing.added(points, t, ask.number(ORDINATE))
    k = ask.one(POINT, _nearest(env, points))
    if word == "EDIT":
        return guessing.edited(points, k, ask.number(ORDINATE))
    if word == "REMOVE":
        return guessing.removed(points, k)
    return guessing.moved(points, k, ask.one(NEW_TIME, _time(env)))


def _time(env: Environment) -> Reader[float]:
    """A time between the sample times, or FIRST or LAST."""
    samples = env.samples.times

    def read(token: str) -> Answer[float]:
        ends = [k for word, k in (("FIRST", 0), ("LAST", -1)) if token and word.startswith(token.upper())]
        try:
            t = guessing.snapped(float(samples[ends[0]]) if ends else questions.number()(token).value, samples)
        except ParfitError as error:
            raise CommandError(str(error), error.advice) from None
        return Answer(t, questions.plain(t))

    return read


def _nearest(env: Environment, points: Points) -> Reader[int]:
    """The point nearest to a time."""

    def read(token: str) -> Answer[int]:
        k = guessing.nearest(points, _time(env)(token).value)
        return Answer(k, questions.plain(float(points[0][k])))

    return read


# ---- drawing


def _drawn(env: Environment, ask: Dialogue, name: str) -> Points:
    """Points as they are moved about on the screen; written down as if they had been entered."""
    from parfit.views.points import PointsView

    show = screen_of(ask, "DRAW", "enter the points instead")
    ask.refuse_rest()
    guess = env.guesses.get(name)
    start = _first_points(env, name) if guess is None else (guess.t, guess.y)
    view = PointsView.of(start, partial(chosen_point, env, name), is_new=guess is None, **look_of(ask))
    left = show_view(ask, show, view, lambda last: Request(name, *last.content).written() if last.changed else "")
    if left.outcome != KEPT:
        raise Abandoned("abandoned; nothing was changed")
    ask.record_as(Request(name, *left.content).written(), [])
    return left.content


def _first_points(env: Environment, name: str) -> Points:
    """Points to begin with: on the last integration if there is one, else at the level of the initial value."""
    samples = env.samples.times
    t = np.linspace(samples[0], samples[-1], N_DRAWN)
    t[-1] = samples[-1]
    if env.integration is not None:
        run = env.integration.trajectory
        y = np.interp(t, run.times, run.column(name))
        if np.isfinite(y).all():
            return t, y
    initial = simulate(env.model, [env.model.t0], env.values, env.options.method).column(name)[0]
    return t, np.full(N_DRAWN, initial if np.isfinite(initial) else 0.0)
