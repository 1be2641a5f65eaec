"""CREOBS: guessed observations on states that were not observed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parfit import plotting, questions
from parfit.commands import pictures
from parfit.commands.pointwise import Knots, added, checked, edited, moved, nearest, removed
from parfit.commands.table import command
from parfit.dialogue import Dialogue
from parfit.environment import Array, Environment
from parfit.errors import Abandoned, CommandError, ParfitError, StateError
from parfit.estimation.smoothing import guessed_curve, points_of
from parfit.model.curves import ORDER
from parfit.model.observations import read_only
from parfit.plotting import Figure, Series
from parfit.questions import Answer, Question, Reader
from parfit.records import Guess

STATE = Question(
    "state variable",
    "STATE VARIABLE TO BE GUESSED",
    "Enter the name or subscript of a state that was not observed.",
)
POINTS = Question(
    "joints",
    "ENTER NO. OF JOINTS AND JOINT POSITIONS FOR STATE VARIABLE",
    "Enter how many points you give, and then their times; FIRST and LAST stand for the first and last sample time. In "
    "place of the number: EDIT gives the point nearest to a time another ordinate, MOVE another time; ADD puts a point "
    "in, REMOVE takes one out; DRAW lets you move the points with the arrow keys, at a terminal.",
)
TIME = Question("joint position", "ENTER JOINT POSITION", "Enter a sample time or one between them, FIRST, or LAST.")
ORDINATES = Question(
    "ordinates",
    "ENTER CORRESPONDING ORDINATES FOR CREATED OBS",
    "Enter, for each of the times in their order, the value that you think the state has there.",
)
POINT = Question("point", "TIME OF THE POINT", "Enter a time; the point nearest to it is meant. FIRST and LAST do too.")
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
        "CREOBS y2 EDIT 5 3.5",
        "CREOBS y2 MOVE 2.5 5",
        "CREOBS y2 ADD 7 2",
        "CREOBS y2 REMOVE 7",
        "CREOBS y2 DRAW",
    ),
)
def creobs(env: Environment, ask: Dialogue) -> Environment:
    """Guess observations on a state that was not observed, by a curve through a few points.

    The curve is the cubic spline through the points, which at each end has the slope of the line through the two points
    closest to that end. The first and last sample times must be among them. DFIT and IFIT work with guesses. One point
    is changed with EDIT, MOVE, ADD or REMOVE; DRAW moves them with the arrow keys, seeing the curve. MARK keeps guesses
    with the parameters, and RECALL brings them back.
    """
    names = _unobserved(env)
    name, asked = _state(env, ask, names)
    question = replace(POINTS, text=f"{POINTS.text} {name}\n{INCLUDE}")
    while True:
        if asked is None:
            asked = ask.one(question, _number_or_word)
        try:
            knots = _by_word(env, ask, name, asked) if isinstance(asked, str) else _entered(env, ask, asked)
            guess = Guess(read_only(knots[0]), read_only(knots[1]), guessed_curve(*knots))
            break
        except CommandError:
            raise
        except ParfitError as error:
            ask.ask_again(error, 0)
            asked = None
    new = env.with_guesses({name: guess})
    _show(new, ask, name)
    return new


def _unobserved(env: Environment) -> list[str]:
    """The states that may be guessed: those without observations, or too few for a curve."""
    data = env.observations
    observed = [] if data is None else [name for name in data.names if points_of(data, name).n_times >= ORDER]
    names = [name for name in env.model.states if name not in observed]
    if not names:
        raise StateError("every state was observed, so that there is nothing to guess; SMOOTH smooths observations")
    return names


# ---- which state, and what is to be done


def _state(env: Environment, ask: Dialogue, names: list[str]) -> tuple[str, int | str | None]:
    """The state; where there is but one, its name may be left out, and then the next answer has been given."""
    if len(names) > 1:
        default = next((name for name in names if name not in env.guesses), names[0])
        return ask.one(STATE, _unobserved_state(env, names), default), None
    question = replace(POINTS, text=f"{POINTS.text} {names[0]}\n{INCLUDE}")
    given = ask.one(question, _name_or_number(env, names))
    return (names[0], None) if given == names[0] else (names[0], given)


def _unobserved_state(env: Environment, names: list[str]) -> Reader[str]:
    def read(token: str) -> Answer[str]:
        found = questions.name(env.model.states, "state")(token)
        if found.value not in names:
            raise CommandError(f"{found.value} was observed; not observed: {', '.join(names)}")
        return found

    return read


def _name_or_number(env: Environment, names: list[str]) -> Reader[int | str]:
    """The name of the only state there is to guess, or what follows it."""

    def read(token: str) -> Answer[int | str]:
        if token.lower() in [name.lower() for name in env.model.states]:
            return Answer[int | str](*_unobserved_state(env, names)(token))
        return _number_or_word(token)

    return read


def _number_or_word(token: str) -> Answer[int | str]:
    words = [word for word in WORDS if token and word.startswith(token.upper())]
    if len(words) == 1:
        return Answer(words[0], words[0])
    if token[:1].isalpha():
        raise CommandError(f"{questions.shown(token)} will not do here; enter a number, or one of {', '.join(WORDS)}")
    return Answer[int | str](*questions.whole(2)(token))


# ---- the points


def _entered(env: Environment, ask: Dialogue, n: int) -> Knots:
    """Points entered in full: times, then ordinates."""
    times = env.samples.times
    if n > MOST_POINTS:
        raise CommandError(f"{n} points are more than a guess needs; {MOST_POINTS} are the most")
    reader = _time(times)
    t = [ask.one(replace(TIME, text=f"{TIME.text} {k} OF {n}"), reader) for k in range(1, n + 1)]
    checked(t, times)
    texts = [ORDINATES.text, *(f"ENTER ORDINATE {k} OF {n}" for k in range(2, n + 1))]
    y = [ask.number(replace(ORDINATES, text=text)) for text in texts]
    order = np.argsort(t)
    return np.array(t)[order], np.array(y)[order]


def _by_word(env: Environment, ask: Dialogue, name: str, word: str) -> Knots:
    """Points of the present guess with one of them changed, or as they were drawn."""
    if word == "DRAW":
        return _drawn(env, ask, name)
    if name not in env.guesses:
        raise CommandError(f"{name} has not been guessed yet; CREOBS {name} and a number of points guesses it")
    times, guess = env.samples.times, env.guesses[name]
    knots = guess.t, guess.y
    time = _time(times)
    if word == "ADD":
        at = ask.one(replace(POINT, help=TIME.help), time)
        return added(knots, at, ask.number(ORDINATE), times)
    k = ask.one(POINT, _nearest(guess.t, time))
    if word == "EDIT":
        return edited(knots, k, ask.number(ORDINATE, check=_finite))
    return removed(knots, k) if word == "REMOVE" else moved(knots, k, ask.one(NEW_TIME, time), times)
