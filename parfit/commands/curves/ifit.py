"""IFIT: parameters with which the integrals of the equations follow the curves through the data (section 3.3)."""

from __future__ import annotations

from parfit.arrays import Array
from parfit.commands.curves.curvefitting import LAMBDA, ask_settings, conclude, estimate
from parfit.commands.curves.iterating import (
    AGAIN,
    FIXED,
    NEW_TOLERANCE,
    REFINE,
    TOLERANCE,
    with_integration,
    with_sparse_steps,
)
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE
from parfit.commands.table import command
from parfit.estimation.optimizers.linear import is_linear
from parfit.estimation.problem import CurveProblem
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question

METHOD = Question(
    "method",
    "ENTER METHOD",
    "1: all states were observed and smoothed. 2: the others are guessed (CREOBS). 3: the guesses are improved by "
    "integrating their equations. 4: the guesses are improved by a sparse Gauss-Newton method, which is stable.",
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
    (METHOD, LAMBDA, RELATIVE, ABSOLUTE, FIXED, TOLERANCE, REFINE, NEW_TOLERANCE, AGAIN),
    ("IFIT 1", "IFIT REGULAR .01 1e-6 1e-6", "IFIT GUESSED", "IFIT SUBSYSTEMS", "IFIT ITERATED Y .01"),
    ("parameters", "observations", "smoothing"),
)
def ifit(env: Environment, ask: Dialogue) -> Environment:
    """Fit integrals of the equations along the smoothed observations: coarse, and kinder to noise than DFIT.

    The result is a start for FIT. A curve weighs like its observations (WEIGHT). The full problem is not integrated,
    so that parameters at which that fails do no harm.
    """
    method = ask.choice(METHOD, default="REGULAR")
    if method.word == "ITERATED":
        return with_sparse_steps(env, ask, _quadrature, "IFIT, ITERATED")
    if method.word == "SUBSYSTEMS":
        return with_integration(env, ask, _quadrature, "IFIT, ITERATED BY INTEGRATION")
    if method.word == "GUESSED":
        problem, linear = _quadrature(env, env.guessed_values())
    else:
        problem = env.integral_problem()
        linear = is_linear(env.model, env.parameters, env.curves(), integral=True)
    settings = ask_settings(env, ask, linear)
    ask.refuse_rest()
    found = estimate(env, ask, problem, settings)
    return conclude(found, ask, f"IFIT, {method.text}")


def _quadrature(env: Environment, values: dict[str, Array]) -> tuple[CurveProblem, bool]:
    linear = is_linear(env.model, env.parameters, [*env.curves(), *values], integral=True)
    return env.quadrature_problem(values), linear
