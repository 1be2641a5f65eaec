import subprocess
import sys

import numpy as np
import pytest

from parfit.errors import ParfitError
from parfit.model.curves import Curve, interpolating, least_squares, linear

RNG = np.random.default_rng(7)
T = np.sort(RNG.uniform(0, 10, 60))
Y = np.sin(T) + 0.1 * RNG.standard_normal(60)
JOINTS = np.array([2.0, 4.5, 7.0])


def test_a_curve_is_what_its_coefficients_say():
    curve = Curve(np.array([0.0, 1.0, 3.0]), np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 10.0]]))
    assert curve(0.5) == pytest.approx(1 * 0.125 + 2 * 0.25 + 3 * 0.5 + 4)
    assert curve(0.5, derivative=1) == pytest.approx(3 * 0.25 + 4 * 0.5 + 3)
    assert curve(2.0) == pytest.approx(11.0)
    # outside, the end pieces continue
    assert curve(-1.0) == pytest.approx(-1 + 2 - 3 + 4)
    assert curve(5.0) == pytest.approx(14.0)
    assert curve([[0.0, 1.0], [2.0, 3.0]]).shape == (2, 2)


def test_a_curve_owns_arrays_that_cannot_be_changed():
    breaks, coefs = np.array([0.0, 1.0]), np.zeros((4, 1))
    curve = Curve(breaks, coefs)
    breaks[0] = 5
    assert curve.breaks[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        curve.coefs[0, 0] = 1


@pytest.mark.parametrize(
    ("breaks", "coefs"), [([0, 0], np.zeros((4, 1))), ([0, 1], np.zeros((3, 1))), ([0], np.zeros((4, 0)))]
)
def test_a_curve_with_wrong_shapes_is_refused(breaks, coefs):
    with pytest.raises(ParfitError):
        Curve(np.array(breaks), coefs)


def test_linear_agrees_with_interpolation_by_hand():
    curve = linear([3, 0, 1], [6, 1, 2])  # in any order of time
    assert curve([0, 0.5, 1, 2, 3]) == pytest.approx([1, 1.5, 2, 4, 6])
    assert curve(4) == pytest.approx(8)
    assert curve(2, derivative=1) == pytest.approx(2)


@pytest.mark.parametrize("kind", ["spline", "hermite"])
def test_interpolating_passes_through_its_points(kind):
    assert interpolating(T, Y, kind)(T) == pytest.approx(Y)


def test_interpolating_spline_reproduces_a_cubic_and_hermite_stays_monotone():
    t = np.array([0.0, 1.0, 2.0, 4.0, 5.0])
    fine = np.linspace(0, 5, 101)
    assert interpolating(t, t**3 - t, "spline")(fine) == pytest.approx(fine**3 - fine, abs=1e-10)
    step = interpolating(t, [0, 0, 1, 1, 1], "hermite")(fine)
    assert np.all(np.diff(step) >= -1e-14)
    assert step.max() <= 1 + 1e-14


def truncated_powers(t, joints):
    """Another basis of the cubic splines with these joints."""
    return np.column_stack([t**k for k in range(4)] + [np.clip(t - j, 0, None) ** 3 for j in joints])


def hermite_basis(t, nodes):
    """Another basis of the C1 cubics: values and slopes at the nodes."""
    basis = np.zeros((t.size, 2 * nodes.size))
    piece = np.clip(np.searchsorted(nodes, t, side="right") - 1, 0, nodes.size - 2)
    h = np.diff(nodes)[piece]
    u = (t - nodes[piece]) / h
    rows = np.arange(t.size)
    basis[rows, 2 * piece] = (1 + 2 * u) * (1 - u) ** 2
    basis[rows, 2 * piece + 1] = h * u * (1 - u) ** 2
    basis[rows, 2 * piece + 2] = u**2 * (3 - 2 * u)
    basis[rows, 2 * piece + 3] = h * u**2 * (u - 1)
    return basis


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["spline", "hermite"])
def test_least_squares_agrees_with_another_basis(kind, weighted):
    weights = RNG.uniform(0.1, 5, T.size) if weighted else np.ones(T.size)
    shuffle = RNG.permutation(T.size)
    curve = least_squares(T[shuffle], Y[shuffle], JOINTS, kind, weights[shuffle] if weighted else None)
    nodes = np.array([T[0], *JOINTS, T[-1]])
    basis = truncated_powers(T, JOINTS) if kind == "spline" else hermite_basis(T, nodes)
    solution = np.linalg.lstsq(basis * weights[:, None], Y * weights, rcond=None)[0]
    assert curve(T) == pytest.approx(basis @ solution, abs=1e-8)
    assert curve.breaks == pytest.approx(nodes)


@pytest.mark.parametrize(("kind", "smooth", "kink"), [("spline", 2, 3), ("hermite", 1, 2)])
def test_least_squares_is_as_smooth_as_its_kind(kind, smooth, kink):
    curve = least_squares(T, Y, JOINTS, kind)
    for order in range(smooth + 1):
        before, behind = curve(JOINTS - 1e-9, order), curve(JOINTS + 1e-9, order)
        assert before == pytest.approx(behind, abs=1e-6)
    jump = curve(JOINTS - 1e-9, kink) - curve(JOINTS + 1e-9, kink)
    assert np.all(np.abs(jump) > 1e-3)


def test_least_squares_takes_repeated_times_and_no_joints():
    t = np.repeat([0.0, 1.0, 2.0, 3.0], 2)
    y = np.array([0, 2, 1, 3, 2, 4, 3, 5.0])
    assert least_squares(t, y, [], "hermite")([0, 1.5, 3]) == pytest.approx([1, 2.5, 4])


def test_points_of_no_weight_do_not_count():
    weights = np.ones(T.size)
    weights[[3, 30]] = 0
    wrong = Y.copy()
    wrong[[3, 30]] = 1e6
    kept = weights > 0
    expected = least_squares(T[kept], Y[kept], JOINTS, "spline")
    assert least_squares(T, wrong, JOINTS, "spline", weights)(T) == pytest.approx(expected(T))


SEVEN = np.arange(7.0)


@pytest.mark.parametrize(
    ("t", "joints", "kind", "message"),
    [
        (T, [2, 11], "spline", "joint 11 is not inside the data"),
        (T, [-1, 2, 11], "spline", "joints -1, 11 are not inside"),
        (T, [T[0], 5], "spline", "not inside"),
        (T, [np.nan], "spline", "joint nan"),
        (T, [4, 2], "spline", "remove 2"),
        (T, [4, 4], "hermite", "remove 4"),
        (SEVEN, [0.3, 0.6], "spline", "too few data between 0 and 0.6: remove joint 0."),
        (SEVEN, [2.2, 2.4, 2.6, 2.8], "spline", "remove"),
        (
            np.array([0, 1, 2, 3, 4, 8, 9, 10, 11, 12.0]),
            [5, 6, 7],
            "hermite",
            "too few data between 5 and 7: remove joint",
        ),
        (SEVEN, [1, 2, 3, 4, 5], "hermite", "remove joint"),
        (np.arange(3.0), [], "spline", "3 different times are too few for a cubic"),
        (np.zeros(9), [], "spline", "two different times"),
        (np.array([0, 1, np.inf]), [], "spline", "not finite"),
    ],
)
def test_joints_that_the_data_cannot_determine_are_named(t, joints, kind, message):
    with pytest.raises(ParfitError, match=message.replace("(", r"\(")):
        least_squares(t, np.zeros(t.size), joints, kind)


def test_the_joint_named_is_one_whose_removal_helps():
    t = np.array([0, 1, 2, 3, 4, 8, 9, 10, 11, 12.0])
    joints = [2.0, 5.0, 6.0, 7.0]
    with pytest.raises(ParfitError, match="remove joint") as caught:
        least_squares(t, t, joints, "hermite")
    for word in str(caught.value).partition("remove joint")[2].removeprefix("s").split(","):
        joints.remove(float(word))
    assert len(joints) >= 2
    assert least_squares(t, t, joints, "hermite")(5.5) == pytest.approx(5.5)


@pytest.mark.parametrize("make", [linear, lambda t, y: interpolating(t, y, "hermite")])
def test_a_curve_cannot_pass_through_two_points_at_one_time(make):
    with pytest.raises(ParfitError, match="t = 1"):
        make([0, 1, 1, 2], [0, 1, 2, 3])


def test_other_kinds_and_lengths_are_refused():
    with pytest.raises(ParfitError, match="spline or hermite, not 'cubic'"):
        interpolating(T, Y, "cubic")
    with pytest.raises(ParfitError, match="2 for 3"):
        linear([1, 2, 3], [1, 2])
    with pytest.raises(ParfitError, match="weight"):
        least_squares(T, Y, [], "spline", [1.0])


def test_scipy_interpolate_is_loaded_only_when_needed():
    code = "import sys, parfit.model.curves; sys.exit('scipy.interpolate' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
