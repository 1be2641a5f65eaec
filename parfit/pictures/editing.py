"""Curves with the joints or points that are moved about: the chosen one stands out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from parfit.estimation.curves.guessing import Points
from parfit.estimation.curves.guessing import guessed_curve as curve_through
from parfit.estimation.curves.smoothing import Smoothed
from parfit.pictures.series import colour_of, guessed_curve, observed, series_of
from parfit.pictures.solution import over_time
from parfit.plotting import Figure, Picture, Series
from parfit.session.environment import Environment
from parfit.simulation.simulator import N_FINE

CHOSEN = (6, 7, 5)  # numbers of series whose symbols tell the chosen point or joint from others


def guess(env: Environment, name: str, points: Points) -> Picture:
    """The points of a guess with their curve, among the observations."""
    return over_time(env, _guess(env, name, points), env.model.name)


def chosen_point(env: Environment, name: str, points: Points, k: int) -> Figure:
    """The same with the point that is being moved."""
    others, (t, y) = _guess(env, name, points), points
    number = number_of_chosen([each.number for each in others])
    return Figure((*others, Series("selected", t[k : k + 1], y[k : k + 1], "points", number)))


def _guess(env: Environment, name: str, points: Points) -> list[Series]:
    curve = guessed_curve(env, name, curve_through(*points))
    return [*observed(env), curve, series_of(env, name, "points", *points, "points")]


def chosen_joint(name: str, smoothed: Smoothed, k: int) -> Figure:
    """The observations with the curve, and the joints on it; one is being moved."""
    points, joints = smoothed.points, smoothed.joints
    t, chosen = np.linspace(points.t[0], points.t[-1], N_FINE), joints[k : k + 1]
    return Figure(
        (
            Series(f"{name} observed", points.t, points.y, "points", 0, name, "observed"),
            Series(f"{name} smoothed", t, smoothed.curve(t), "dashed", 0, name, "smoothed"),
            Series("joints", joints, smoothed.curve(joints), "points", 3),
            Series("chosen joint", chosen, smoothed.curve(chosen), "points", number_of_chosen([0, 3])),
        ),
        y_label=name,
    )


def smoothed_variable(env: Environment, name: str, smoothed: Smoothed) -> Picture:
    """The observations of a variable, with the curve through them and its joints."""
    points, joints = smoothed.points, smoothed.joints
    t = np.linspace(points.t[0], points.t[-1], N_FINE)
    series = [
        series_of(env, name, "observed", points.t, points.y, "points"),
        series_of(env, name, "smoothed", t, smoothed.curve(t), "dashed"),
        Series("joints", joints, smoothed.curve(joints), "points", number_of_chosen([colour_of(env, name)])),
    ]
    return over_time(env, series, env.model.name)


def number_of_chosen(others: Collection[int]) -> int:
    """The number of the series that shows what is chosen, so that its symbol is not that of another one."""
    return next((number for number in CHOSEN if number not in others), CHOSEN[0])
