"""A guess at states that were not observed: a few simple shapes, each tried to its end in a short fit.

As in section 3.4 of the thesis, it matters where a peak or a trough is, and hardly how high: so a shape is three
points, the initial value, a turning point, and an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from parfit.advice.limits import DIGITS, ITERATIONS
from parfit.advice.short_fit import fitted_total
from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.curves.guessing import guessed_curve
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.linear import is_linear, solve_linear
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.session.environment import Environment
from parfit.simulation.first_states import first_state

Points = Mapping[str, tuple[Array, Array]]  # times and ordinates of each state

TURNS = (0.2, 0.5, 0.75)  # times of the turning point, as parts of the whole time
HEIGHTS = (0.25, 3.0)  # its ordinates, as multiples of the initial value
ENDS = (0.5, 1.5)  # ordinates of the end


@dataclass(frozen=True, eq=False)
class Proposal:
    """The best of the shapes, the sum of squares that it led to, and that of a fit without any guess."""

    points: Points
    total: float
    without: float
    n_tried: int


def propose(env: Environment, problem: TrajectoryFit, names: Sequence[str]) -> Proposal | None:
    """Guesses at the named states; those that were guessed already are left as they are. None if none can be used."""
    with np.errstate(all="ignore"):
        tried = [(_led_to(env, problem, points), k, points) for k, points in enumerate(_shapes(env, names))]
        best = min(tried, default=None, key=lambda each: each[:2])
        if best is None or not np.isfinite(best[0]):
            return None
        return Proposal(best[2], best[0], fitted_total(problem), len(tried))


def _shapes(env: Environment, names: Sequence[str]) -> Iterator[Points]:
    t = env.samples.times
    first = first_state(env.model)(env.values)[0]
    if not np.isfinite(first).all():
        return
    for turn in TURNS:
        middle = t[1:-1][np.argmin(np.abs(t[1:-1] - (t[0] + turn * (t[-1] - t[0]))))] if t.size > 2 else t[:0]
        times = np.unique([t[0], *np.atleast_1d(middle), t[-1]])
        for height in HEIGHTS:
            for end in ENDS:
                parts = np.array([1.0, *([height] if times.size > 2 else []), end])
                yield {name: _points(env, name, times, parts, first) for name in names}


def _points(env: Environment, name: str, times: Array, parts: Array, first: Array) -> tuple[Array, Array]:
    if name in env.guesses:
        return env.guesses[name].t, env.guesses[name].y
    begin = float(first[env.model.states.index(name)])
    size = begin or float(env.sizes.max()) or 1.0  # of a state that begins at 0 nothing better is known
    ordinates = [float(f"{part * size:.{DIGITS}g}") for part in parts]
    return times, np.array([begin, *ordinates[1:]])


def _led_to(env: Environment, problem: TrajectoryFit, points: Points) -> float:
    """The sum of squares after IFIT with these guesses and a short FIT."""
    t, map_ = env.samples.times, env.parameters
    values = {name: guessed_curve(*each)(t) for name, each in points.items()}
    curve_problem = env.quadrature_problem(values)
    if is_linear(env.model, map_, [*env.curves(), *values], integral=True):
        p = map_.project(solve_linear(curve_problem, map_.point).p)
    else:
        limits = marquardt.Settings(max_iterations=ITERATIONS, relative=marquardt.BOLD_LAMBDA).among(
            curve_problem.spread
        )
        p = marquardt.minimize(curve_problem, map_.point, limits, map_).unless_interrupted().p
    return fitted_total(problem, map_.moved(p)) if np.isfinite(p).all() else np.inf
