"""DFIT: parameters with which the equations give the slopes of the curves through the data (thesis, section 3.2)."""

from __future__ import annotations

from parfit.arrays import Array
from parfit.commands.curves.curvefitting import (
    LAMBDA,
    ask_settings,
    conclude,
    curve_weights,
    estimate,
    guessed_values,
    smoothed_curves,
)
from parfit.commands.curves.iterating import AGAIN, FIXED, NEW_TOLERANCE, REFINE, TOLERANCE, with_sparse_steps
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE
from parfit.commands.table import command
from parfit.errors import StateError
from parfit.estimation.optimizers.linear import is_linear
from parfit.estimation.problem import CurveProblem
from parfit.estimation.problems.derivative_fit import DefectFit, DerivativeFit
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
    curves = smoothed_curves(env)
    _require_seen(env, [*curves, *(env.guesses if method.word != "REGULAR" else ())])
    if method.word == "ITERATED":
        return with_sparse_steps(env, ask, _defects, "DFIT, ITERATED")
    if method.word == "GUESSED":
        guesses = {name: env.guesses[name].curve for name in guessed_values(env)}
        curves = {**curves, **guesses}
    weights = curve_weights(env, guessed_values(env) if method.word == "GUESSED" else None)
    problem = DerivativeFit(
        env.model, env.parameters, env.samples.times, curves, env.options.method, env.sizes, weights
    )
    settings = ask_settings(env, ask, is_linear(env.model, env.parameters, curves))
    ask.refuse_rest()
    found = estimate(env, ask, problem, settings)
    return conclude(found, ask, f"DFIT, {method.text}")


def _defects(env: Environment, values: dict[str, Array]) -> tuple[CurveProblem, bool]:
    curves, weights = smoothed_curves(env), curve_weights(env, values)
    problem = DefectFit(env.model, env.parameters, env.samples.times, curves, values, weights)
    return problem, is_linear(env.model, env.parameters, [*curves, *values])


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
