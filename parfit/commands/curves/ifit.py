"""IFIT: parameters with which the integrals of the equations follow the curves through the data (section 3.3)."""

from __future__ import annotations

from parfit.commands.curves.curve_fit import LAMBDA, OF_MORE, fit_curves
from parfit.commands.curves.rounds import AGAIN, FIXED, NEW_TOLERANCE, REFINE, TOLERANCE, fit_in_rounds
from parfit.commands.fitting.tolerances import ABSOLUTE, EVALUATIONS, RELATIVE
from parfit.commands.passing_over import tell_of_noise
from parfit.commands.table import command
from parfit.estimation.strategies import rounds
from parfit.estimation.strategies.curve_fit import INTEGRAL, Request
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question

METHOD = Question(
    "method",
    "ENTER METHOD",
    "1: states that were not observed are integrated along. 2: they are guessed (CREOBS). 3: the guesses are improved "
    "by integrating their equations. 4: the guesses are improved by a sparse Gauss-Newton method, which is stable.",
    (
        Item(1, "REGULAR", "REGULAR"),
        Item(2, "USING GUESSED OBS", "GUESSED"),
        Item(3, "ITERATED INTEG. SUBSYSTEMS", "SUBSYSTEMS"),
        Item(4, "ITERATED USING SPARSE GN", "ITERATED"),
    ),
)


@command(
    "IFIT",
    "computing",
    (METHOD, LAMBDA, RELATIVE, ABSOLUTE, OF_MORE, EVALUATIONS, FIXED, TOLERANCE, REFINE, NEW_TOLERANCE, AGAIN),
    (
        "IFIT 1",
        "IFIT REGULAR .01 1e-6 1e-6",
        "IFIT REGULAR MORE",
        "IFIT GUESSED",
        "IFIT SUBSYSTEMS",
        "IFIT ITERATED Y .01",
    ),
    ("parameters", "observations", "smoothing"),
)
def ifit(env: Environment, ask: Dialogue) -> Environment:
    """Fit integrals of the equations along the smoothed observations: coarse, and kinder to noise than DFIT.

    The result is a start for FIT. A curve weighs like its observations (WEIGHT). The full problem is not integrated,
    so that parameters at which that fails do no harm.
    """
    method = ask.choice(METHOD, default="REGULAR")
    tell_of_noise(env, ask, "IFIT")
    if method.word == "ITERATED":
        return fit_in_rounds(env, ask, rounds.Request(INTEGRAL), "IFIT, ITERATED")
    if method.word == "SUBSYSTEMS":
        request = rounds.Request(INTEGRAL, by_integration=True)
        return fit_in_rounds(env, ask, request, "IFIT, ITERATED BY INTEGRATION")
    return fit_curves(env, ask, Request(INTEGRAL, method.word == "GUESSED"), f"IFIT, {method.text}")
