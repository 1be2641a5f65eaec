"""The map between all parameters and the scaled active ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parfit.errors import ParfitError
from parfit.estimation.parameters import ParameterMap, Scaling

NAMES = ("a", "b", "c", "d")
VALUES = np.array([4.0, 9.0, -1.0, 0.5])


def scaled_map() -> ParameterMap:
    scaling = (Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE, Scaling.LOGARITHM)
    return ParameterMap(NAMES, VALUES, frozenset({2}), scaling)


def test_active_parameters_are_scaled():
    assert scaled_map().active == (0, 1, 3)
    assert scaled_map().point == pytest.approx([np.log(4.0), 3.0, np.log(0.5)])


def test_expand_undoes_the_scaling_and_keeps_the_frozen():
    assert scaled_map().expand(scaled_map().point) == pytest.approx(VALUES)
    assert scaled_map().expand([0.0, -2.0, 1.0]) == pytest.approx([1.0, 4.0, -1.0, np.e])


def test_the_chain_rule_agrees_with_differences():
    mapping, h = scaled_map(), 1e-6
    point = mapping.point

    def f(active):
        p = mapping.expand(active)
        return np.array([p[0] * p[1] + p[2], np.sin(p[3]) * p[0]])

    p = mapping.expand(point)
    by_unscaled = np.array([[p[1], p[0], 0.0], [np.sin(p[3]), 0.0, p[0] * np.cos(p[3])]])
    steps = np.eye(3) * h
    differences = np.stack([(f(point + e) - f(point - e)) / (2 * h) for e in steps], axis=1)
    assert mapping.chain(point, by_unscaled) == pytest.approx(differences, rel=1e-8)


def test_bounds_hold_in_unscaled_values():
    mapping = ParameterMap(
        NAMES, VALUES, frozenset(), scaled_map().scaling, lower=[1, 0, -2, 0.1], upper=[5, 16, 0, 2]
    )
    moved = mapping.expand(mapping.project([10.0, 7.0, -3.0, -9.0]))
    assert moved == pytest.approx([5.0, 16.0, -2.0, 0.1])
    assert mapping.project(mapping.point) == pytest.approx(mapping.point)


@pytest.mark.parametrize("scaling", Scaling)
def test_what_is_at_a_bound_is_at_it_exactly_whatever_its_scaling(scaling):
    """And stays there: a logarithm of 1e-90 has lost some digits of its value, but not the bound."""
    random = np.random.default_rng(3)
    for lower in 10.0 ** random.uniform(-90.0, 90.0, 200):
        mapping = ParameterMap(("a",), [2.0 * lower], frozenset(), (scaling,), [lower], [3.0 * lower])
        for beyond, bound, slope in ((-np.inf, lower, 1.0), (np.inf, 3.0 * lower, -1.0)):
            there = mapping.moved(mapping.project([beyond]))
            assert there.full[0] == bound
            assert there.pressed(there.point, np.array([slope])).all()
            assert not there.pressed(there.point, np.array([-slope])).any()
            assert not mapping.pressed(mapping.point, np.array([slope])).any()


def test_moving_keeps_everything_else():
    moved = scaled_map().moved([0.0, 1.0, 0.0])
    assert moved.full == pytest.approx([1.0, 1.0, -1.0, 1.0])
    assert moved.frozen == {2}
    assert moved.scaling == scaled_map().scaling


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scaling": (Scaling.NONE, Scaling.NONE, Scaling.LOGARITHM, Scaling.NONE)}, "c = -1 has no logarithm"),
        ({"scaling": (Scaling.NONE, Scaling.NONE, Scaling.SQUARE_ROOT, Scaling.NONE)}, "c = -1 has no square root"),
        ({"frozen": frozenset(range(4))}, "at least one parameter must stay active"),
        ({"lower": [1.0]}, "lower must be 4 numbers"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    with pytest.raises(ParfitError, match=message):
        ParameterMap(NAMES, VALUES, **arguments)


def test_values_cannot_be_changed_behind_its_back():
    with pytest.raises(ValueError, match="read-only"):
        scaled_map().full[0] = 1.0


@pytest.mark.parametrize("scaling", Scaling)
@given(value=st.floats(1e-6, 1e6))
def test_every_scaling_has_an_inverse_a_slope_and_words_of_its_own(scaling, value):
    scaled = scaling.scaled(value)
    assert scaling.unscaled(scaled) == pytest.approx(value, rel=1e-13)
    h = 1e-6 * max(abs(scaled), 1e-3)
    difference = (scaling.unscaled(scaled + h) - scaling.unscaled(scaled - h)) / (2 * h)
    assert scaling.slope(scaled) == pytest.approx(difference, rel=1e-6)
    assert scaling.takes(value)
    assert scaling.takes(-value) is (scaling is Scaling.NONE)
    assert scaling.applied_to("p1") == {0: "p1", 1: "log p1", 2: "sqrt p1"}[scaling]
    assert len({(each.word, each.short, each.typed) for each in Scaling}) == 3


def test_relative_changes_are_parts_of_the_values_of_what_is_active():
    map_ = ParameterMap(("a", "b", "c"), [-2.0, 5.0, 0.0], frozenset({1}))
    assert map_.units.tolist() == [2.0, 1.0]


def test_other_values_are_checked_and_nothing_of_the_old_ones_is_left():
    before = scaled_map()
    assert before.expand(before.point) == pytest.approx(VALUES)  # derived from the values
    assert not before.bounded
    new = before.with_values([2.0, 16.0, 7.0, 1.5])
    made = ParameterMap(NAMES, np.array([2.0, 16.0, 7.0, 1.5]), before.frozen, before.scaling)
    assert new.point.tobytes() == made.point.tobytes()
    assert new.expand([0.1, 2.0, 0.3]).tobytes() == made.expand([0.1, 2.0, 0.3]).tobytes()
    assert (new.active, new.bounded, new.scaling) == (made.active, made.bounded, made.scaling)
    assert before.full.tolist() == VALUES.tolist()
    assert not new.full.flags.writeable
    with pytest.raises(ParfitError, match="a = -2 has no logarithm"):
        before.with_values([-2.0, 16.0, 7.0, 1.5])
    with pytest.raises(ParfitError, match="must be 4 numbers"):
        before.with_values([1.0])
