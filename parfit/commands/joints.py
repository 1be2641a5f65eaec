"""The joints of a smoothing curve, asked for until the data determine it."""

from __future__ import annotations

from dataclasses import replace

from parfit import questions, report
from parfit.dialogue import Dialogue
from parfit.errors import CommandError, ParfitError
from parfit.estimation.smoothing import Points, Smoothed, refuse_excess, smooth, smooth_automatically
from parfit.questions import Answer, Question, Reader

POSITION = Question("joint position", "ENTER JOINT POSITION", "Enter a time between the first and last observation.")
AUTO = "AUTO"


def ask_joints(ask: Dialogue, name: str, points: Points, kind: str, question: Question) -> Smoothed:
    """The curve with the joints that are entered; if they will not do, they are asked for again at a terminal."""
    asked = replace(question, label=f"joints for {name}", text=f"{question.text} {name}")
    while True:
        given = ask.one(asked, _number_or_auto(points, kind), AUTO)
        if isinstance(given, Smoothed):
            ask.say(f"JOINTS CHOSEN FOR {name}: {' '.join(map(report.number, given.joints)) or 'none'}")
            return given
        joints = [ask.number(_position(k, given)) for k in range(1, given + 1)]
        try:
            return smooth(points, joints, kind)
        except ParfitError as error:
            ask.ask_again(error, 1 + given)


def _position(k: int, n: int) -> Question:
    return replace(POSITION, text=f"{POSITION.text} {k} OF {n}")


def _number_or_auto(points: Points, kind: str) -> Reader[int | Smoothed]:
    """How many joints, or all of them chosen; these are written down, not the word."""

    def read(token: str) -> Answer[int | Smoothed]:
        if token and AUTO.startswith(token.upper()):
            chosen = smooth_automatically(points, kind)
            numbers = [questions.plain(float(joint)) for joint in chosen.joints]
            return Answer(chosen, " ".join([str(len(numbers)), *numbers]))
        n = questions.whole(0)(token).value
        try:
            refuse_excess(points, n, kind)
        except ParfitError as error:
            raise CommandError(str(error)) from None
        return Answer(n, str(n))

    return read
