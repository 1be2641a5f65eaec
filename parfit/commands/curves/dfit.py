"""DFIT: parameters with which the equations give the slopes of the curves through the data (thesis, section 3.2)."""

from __future__ import annotations

from parfit.commands.curves.curve_fit import LAMBDA, OF_MORE, fit_curves
from parfit.commands.curves.rounds import AGAIN, FIXED, NEW_TOLERANCE, REFINE, TOLERANCE, fit_in_rounds
from parfit.commands.fitting.tolerances import ABSOLUTE, EVALUATIONS, RELATIVE
from parfit.commands.passing_over import tell_of_noise
from parfit.commands.table import command
from parfit.estimation.strategies import rounds
from parfit.estimation.strategies.curve_fit import DERIVATIVE, Request, require_seen
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question

METHOD = Question(
    "method",
    "ENTER METHOD",
    "1: the states that were not observed are integrated along. 2: they are guessed (CREOBS). 3: the guesses are "
    "improved round by round.",
    (
        Item(1, "REGULAR", "REGULAR"),
        Item(2, "USING GUESSED OBS", "GUESSED"),
        Item(3, "ITERATED USING SPARSE GN", "ITERATED"),
    ),
)


@command(
    "DFIT",
    "computing",
    (METHOD, LAMBDA, RELATIVE, ABSOLUTE, OF_MORE, EVALUATIONS, FIXED, TOLERANCE, REFINE, NEW_TOLERANCE, AGAIN),
    ("DFIT 1", "DFIT REGULAR .01 1e-6 1e-6", "DFIT GUESSED", "DFIT ITERATED Y .01"),
    ("parameters", "observations", "smoothing"),
)
def dfit(env: Environment, ask: Dialogue) -> Environment:
    """Fit the slopes of the smoothed observations: coarse, but quick and without any integration of the full problem.

    The result is a start for FIT. A curve weighs like its observations (WEIGHT). Parameters that occur only in
    initial values must be frozen; IFIT sees them.
    """
    method = ask.choice(METHOD, default="REGULAR")
    tell_of_noise(env, ask, "DFIT")
    require_seen(env, guessed=method.word != "REGULAR")
    if method.word == "ITERATED":
        return fit_in_rounds(env, ask, rounds.Request(DERIVATIVE), "DFIT, ITERATED")
    return fit_curves(env, ask, Request(DERIVATIVE, method.word == "GUESSED"), f"DFIT, {method.text}")
