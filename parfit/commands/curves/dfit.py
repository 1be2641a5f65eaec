"""DFIT: parameters with which the equations give the slopes of the curves through the data (thesis, section 3.2)."""

from __future__ import annotations

from parfit.arrays import Array
from parfit.commands.curves.curvefitting import LAMBDA, ask_settings, conclude, estimate
from parfit.commands.curves.iterating import AGAIN, FIXED, NEW_TOLERANCE, REFINE, TOLERANCE, with_sparse_steps
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE
from parfit.commands.table import command
from parfit.errors import StateError
from parfit.estimation.optimizers.linear import is_linear
from parfit.estimation.problem import CurveProblem
from parfit.model.calculus.structure import only_initial, without_effect
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
    (METHOD, LAMBDA, RELATIVE, ABSOLUTE, FIXED, TOLERANCE, REFINE, NEW_TOLERANCE, AGAIN),
    ("DFIT 1", "DFIT REGULAR .01 1e-6 1e-6", "DFIT GUESSED", "DFIT ITERATED Y .01"),
    ("parameters", "observations", "smoothing"),
)
def dfit(env: Environment, ask: Dialogue) -> Environment:
    """Fit the slopes of the smoothed observations: coarse, but quick and without any integration of the full problem.

    The result is a start for FIT. A curve weighs like its observations (WEIGHT). Parameters that occur only in
    initial values must be frozen; IFIT sees them.
    """
    method = ask.choice(METHOD, default="REGULAR")
    curves = env.curves()
    _require_seen(env, [*curves, *(env.guesses if method.word != "REGULAR" else ())])
    if method.word == "ITERATED":
        return with_sparse_steps(env, ask, _defects, "DFIT, ITERATED")
    guessed = env.guessed_values() if method.word == "GUESSED" else {}
    problem = env.derivative_problem(guessed=bool(guessed))
    settings = ask_settings(env, ask, is_linear(env.model, env.parameters, [*curves, *guessed]))
    ask.refuse_rest()
    found = estimate(env, ask, problem, settings)
    return conclude(found, ask, f"DFIT, {method.text}")


def _defects(env: Environment, values: dict[str, Array]) -> tuple[CurveProblem, bool]:
    return env.defect_problem(values), is_linear(env.model, env.parameters, [*env.curves(), *values])


def _require_seen(env: Environment, names: list[str]) -> None:
    """Refuse active parameters that the slopes say nothing about."""
    initial = only_initial(env.model, env.parameters.active)
    if initial:
        raise StateError(
            f"{', '.join(initial)} occurs only in initial values, of which derivatives say nothing: "
            f"FREEZE {' '.join(initial)} first, or use IFIT"
        )
    hidden = without_effect(env.model, env.parameters.active, names)
    if hidden:
        raise StateError(
            f"{', '.join(hidden)} has no effect on the slopes of what was smoothed or guessed: "
            f"FREEZE {' '.join(hidden)} first, or guess more (CREOBS)"
        )
