"""SMOOTH and RESMOOTH: curves through the observations."""

from __future__ import annotations

from parfit.commands.curves.joints import DRAW, POSITION, ask_joints, draw_joints, listed
from parfit.commands.sight import of_one_experiment
from parfit.commands.table import command
from parfit.errors import CommandError, ParfitError
from parfit.estimation.curves.smoothing import Smoothed
from parfit.estimation.curves.smoothing import smooth as smooth_points
from parfit.estimation.strategies import smooth as strategy
from parfit.estimation.strategies.smooth import Request, Result, present, split
from parfit.pictures.automatic import automatic
from parfit.pictures.editing import smoothed_variable
from parfit.pictures.series import observed, smoothed
from parfit.pictures.solution import over_time
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Answer, Item, Question
from parfit.session.records import Smoothing
from parfit.text import smoothing as text

METHOD = Question(
    "method",
    "SELECT METHOD",
    "1 or SPLINE: a cubic spline, with two continuous derivatives. 2 or HERMITE: piecewise cubic with one continuous "
    "derivative, for observations that take sudden violent jumps.",
    (Item(1, "CUBIC SPLINE", "SPLINE"), Item(2, "CUBIC HERMITE", "HERMITE")),
)
JOINTS = Question(
    "joints",
    "ENTER NUMBER OF JOINTS AND JOINT POSITIONS FOR STATE VARIABLE",
    "Joints are the times at which one cubic passes into the next: more of them where the observations bend. Enter "
    "how many, and then their times, without the first and the last observation; 0 for a single cubic; AUTO (or A) to "
    "have them chosen by cross-validation; DRAW to move them with the arrow keys, at a terminal.",
    words=("AUTO", "DRAW"),
)
DERIVATIVES = Question(
    "derivatives",
    "IS A PLOT OF THE DERIVATIVES DESIRED? Y OR N",
    "Y plots the derivative of each curve, which shows better than the curve itself whether it follows the noise.",
    words=YES_NO,
)
VARIABLE = Question(
    "variable", "STATE VARIABLE TO BE SMOOTHED AGAIN", "Enter the name of a smoothed variable.", names="variables"
)
JOINT = Question(
    "joint",
    "JOINT TO BE MOVED OR REMOVED, OR ADD, NEW OR DRAW",
    "Enter the time of a joint (the nearest is taken); ADD for one more joint; NEW to enter all joints of this "
    "variable again, or AUTO after it to have them chosen; DRAW to move them with the arrow keys, at a terminal.",
    words=("ADD", "NEW", "AUTO", "DRAW"),
)
PLACE = Question(
    "new position",
    "NEW JOINT POSITION, OR REMOVE",
    "Enter the time to which the joint moves, or REMOVE (or R).",
    words=("REMOVE",),
)
ADD, NEW, REMOVE = "ADD", "NEW", "REMOVE"


@command(
    "SMOOTH",
    "computing",
    (METHOD, JOINTS, POSITION, DERIVATIVES),
    ("SMOOTH SPLINE 2 4 8 2 7 10.5", "SMOOTH HERMITE AUTO", "SMOOTH 2 1 6 0 Y", "SMOOTH SPLINE 2 4 8 2 7 10.5 N"),
    ("observations",),
)
def smooth(env: Environment, ask: Dialogue) -> Environment:
    """Fit a smooth curve to the observations on each observed variable.

    The curves are least squares piecewise cubics, splines or Hermite, with joints where you put them or, with AUTO,
    where cross-validation does; DRAW moves them with the arrow keys, seeing the curve. Weights count, missing values
    do not. DFIT, IFIT and CONTIN work with the curves and their derivatives; RESMOOTH changes one joint. Before the
    first and after the last observation the end cubics continue: so a curve has a value at the initial time also if
    nothing was observed there. An initial value is no observation, and does not enter. Who answers question by
    question sees each variable with its curve before the next is asked for.
    """
    kind = ask.choice(METHOD, default="SPLINE").word.lower()
    points, _ = split(env)
    joints = {}
    for name, each in points.items():
        chosen = ask_joints(ask, name, each, kind, JOINTS)
        joints[name] = chosen.joints
        if len(points) > 1 and ask.source.interactive and not ask.is_one_line:
            ask.show(automatic(env, smoothed_variable(env, name, chosen)))
    result = strategy.smooth(env, Request(kind, joints))
    for name, n_times in result.left_out.items():
        ask.warn(text.left_out(name, n_times))
    if env.observations is not None and env.observations.has_rest:
        ask.warn(text.AT_REST)
    _show(result, text.residuals(result.curves), ask)
    return result.env


@command(
    "RESMOOTH",
    "computing",
    (VARIABLE, JOINT, PLACE, POSITION, JOINTS, DERIVATIVES),
    ("RESMOOTH y1 4 4.5", "RESMOOTH y1 8 REMOVE", "RESMOOTH y1 NEW AUTO", "RESMOOTH y1 ADD 6 N", "RESMOOTH y1 DRAW"),
    ("observations", "smoothing"),
)
def resmooth(env: Environment, ask: Dialogue) -> Environment:
    """Move, remove or add one joint of a smoothed variable, and see what it does.

    RESMOOTH y1 10 12 moves the joint nearest to 10, RESMOOTH y1 10 REMOVE removes it, RESMOOTH y1 ADD 7 adds one,
    RESMOOTH y1 NEW 2 5 9 replaces them all by two, at 5 and 9; RESMOOTH y1 DRAW moves them with the arrow keys, seeing
    the curve. The other variables keep their curves. Of several experiments the one in sight is meant (EXPERIMENT).
    """
    assert env.smoothing is not None
    name = ask.one(VARIABLE, _smoothed_name(env, env.smoothing), env.sighted(list(env.smoothing.curves))[0])
    before = present(env, name)
    ask.say(f"JOINTS FOR {name}: {text.joints(before)}")
    after = _changed(ask, name, before, env.smoothing.kind)
    result = strategy.resmooth(env, Request(joints={name: after.joints}))
    ask.say(f"JOINTS FOR {name}: {text.joints(after)}")
    _show(result, text.residuals({f"{name} before": before, f"{name} now": result.curves[name]}), ask)
    return result.env


def _smoothed_name(env: Environment, old: Smoothing) -> questions.Reader[str]:
    """A smoothed variable, by its name or its subscript among all."""

    def read(token: str) -> Answer[str]:
        found = of_one_experiment(env, env.variables, "smoothed variable")(token)
        if found.value not in old.curves:
            raise CommandError(f"{found.value} was not smoothed; smoothed are {', '.join(old.curves)}")
        return found

    return read


def _changed(ask: Dialogue, name: str, before: Smoothed, kind: str) -> Smoothed:
    """The curve with one joint other than before; what cannot be is asked for again at a terminal."""
    points, joints = before.points, [float(joint) for joint in before.joints]
    while True:
        what = ask.one(JOINT, _joint(ask, name, before, kind))
        if what == NEW:
            return ask_joints(ask, name, points, kind, JOINTS)
        if isinstance(what, Smoothed):
            return what
        place = ask.number(POSITION) if what == ADD else ask.one(PLACE, _place)
        rest = [joint for joint in joints if joint != what]
        try:
            return smooth_points(points, rest if place == REMOVE else [*rest, place], kind)
        except ParfitError as error:
            ask.ask_again(error, 2)


def _joint(ask: Dialogue, name: str, before: Smoothed, kind: str) -> questions.Reader[float | str | Smoothed]:
    """The nearest joint, a word, or the curve as its joints were drawn; these are written down as if entered."""
    joints = [float(joint) for joint in before.joints]

    def read(token: str) -> Answer[float | str | Smoothed]:
        if token and DRAW.startswith(token.upper()):
            drawn = draw_joints(ask, name, before, kind)
            return Answer(drawn, f"{NEW} {listed(drawn)}")
        for word in (ADD, NEW):
            if token and word.startswith(token.upper()):
                return Answer(word, word)
        value = questions.number()(token).value
        if not joints:
            raise CommandError(f"{name} has no joints; ADD and a time gives it one")
        nearest = min(joints, key=lambda joint: abs(joint - value))
        return Answer(nearest, questions.plain(nearest))

    return read


def _place(token: str) -> Answer[float | str]:
    if token and REMOVE.startswith(token.upper()):
        return Answer(REMOVE, REMOVE)
    return Answer[float | str](*questions.number()(token))


def _show(result: Result, residuals: str, ask: Dialogue) -> None:
    """The curves with the observations, how far apart they are, and their derivatives if they are desired."""
    env, names = result.env, list(result.curves)
    picture = over_time(env, [*observed(env, names), *smoothed(env, names)], env.model.name)
    ask.show(automatic(env, picture), below=residuals.count("\n") + 1)
    ask.say(residuals)
    if ask.yes(DERIVATIVES, default=False):
        for line in smoothed(env, names, derivative=1):
            ask.show(over_time(env, [line], env.model.name, "DERIVATIVE"))
