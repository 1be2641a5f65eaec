"""The joints of a smoothing curve, asked for until the data determine it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parfit.errors import Abandoned, CommandError, ParfitError
from parfit.estimation.curves.smoothing import Points, Smoothed, refuse_excess, smooth, smooth_automatically
from parfit.live.bar import working
from parfit.live.screen import look_of, screen_of, show_view
from parfit.pictures.editing import chosen_joint
from parfit.session import questions
from parfit.session.console import KEPT
from parfit.session.dialogue import Dialogue
from parfit.session.questions import Answer, Question, Reader
from parfit.text import smoothing as text

POSITION = Question("joint position", "ENTER JOINT POSITION", "Enter a time between the first and last observation.")
AUTO, DRAW = "AUTO", "DRAW"


def ask_joints(ask: Dialogue, name: str, points: Points, kind: str, question: Question) -> Smoothed:
    """The curve with the joints that are entered; if they will not do, they are asked for again at a terminal."""
    asked = replace(question, label=f"joints for {name}", text=f"{question.text} {name}")
    while True:
        given = ask.one(asked, _number_or_word(ask, name, points, kind), AUTO)
        if isinstance(given, Smoothed):
            ask.say(f"JOINTS CHOSEN FOR {name}: {text.joints(given)}")
            return given
        joints = [ask.number(_position(k, given)) for k in range(1, given + 1)]
        try:
            return smooth(points, joints, kind)
        except ParfitError as error:
            ask.ask_again(error, 1 + given)


def _position(k: int, n: int) -> Question:
    return replace(POSITION, text=f"{POSITION.text} {k} OF {n}")


def _number_or_word(ask: Dialogue, name: str, points: Points, kind: str) -> Reader[int | Smoothed]:
    """How many joints, or all of them chosen or drawn; these are written down, not the word."""

    def read(token: str) -> Answer[int | Smoothed]:
        if token and AUTO.startswith(token.upper()):
            with working(ask.console, f"JOINTS FOR {name}"):
                chosen = smooth_automatically(points, kind)
            return Answer(chosen, listed(chosen))
        if token and DRAW.startswith(token.upper()):
            drawn = draw_joints(ask, name, smooth_automatically(points, kind), kind, is_new=True)
            return Answer(drawn, listed(drawn))
        n = questions.whole(0)(token).value
        try:
            refuse_excess(points, n, kind)
        except ParfitError as error:
            raise CommandError(str(error), error.advice) from None
        return Answer(n, str(n))

    return read


def listed(smoothed: Smoothed) -> str:
    """The number of joints and their positions, as they can be entered."""
    return " ".join([str(smoothed.joints.size), *(questions.plain(float(joint)) for joint in smoothed.joints)])


# ---- drawing


def draw_joints(ask: Dialogue, name: str, start: Smoothed, kind: str, is_new: bool = False) -> Smoothed:
    """The curve with its joints as they are moved about on the screen."""
    from parfit.views.joints import JointsView

    show = screen_of(ask, DRAW, "enter the joints instead, or AUTO")
    view = JointsView.of(name, start, kind, partial(chosen_joint, name), is_new=is_new, **look_of(ask))
    left = show_view(ask, show, view, lambda last: _entry(name, last.content) if last.changed else "")
    if left.outcome != KEPT:
        raise Abandoned("abandoned; nothing was changed")
    return left.content


def _entry(name: str, smoothed: Smoothed) -> str:
    """The command that gives a smoothed variable these joints."""
    return f"RESMOOTH {questions.quoted(name)} NEW {listed(smoothed)}"
