"""Equilibria against closed forms and numpy's roots of polynomials."""

import numpy as np
import pytest

from parfit.equilibria.conservation import conserved
from parfit.equilibria.equilibria import find, follows_time, kind
from parfit.equilibria.newton import newton
from parfit.equilibria.scan import scan
from parfit.model.model import Model

BAZYKIN = """par p1={}, p2={}, p3={}, p4={}, p5={}, p6={}
eaten=y1*y2/(1+p5*y1)
y1'=p1*y1-p2*eaten-p6*y1^2
y2'=-p3*y2+p4*eaten"""
# Thesis, equation (6.3.1); r and z are held fixed.
ALGAE = "par p1={}, p2={}, p3={}, z={}\ny'=p1*y*(1-y/25)-p3*z*y^2/(p2^2+y^2)"
LORENZ = "par s=10, r={}, b=8/3\nx'=s*(y-x)\ny'=x*(r-z)-y\nz'=x*y-b*z"


def equilibria(text, sizes=None, initial=None, t=0.0):
    model = Model.from_text(text.replace("8/3", repr(8 / 3)) + "\ndone")
    n = len(model.states)
    start = np.ones(n) if initial is None else np.array(initial, dtype=float)
    return find(model, t, model.values, np.ones(n) if sizes is None else np.array(sizes, dtype=float), start[None])


def states(result):
    return np.array([each.y for each in result.found]).reshape(len(result.found), result.top.size)


def kinds(result):
    return [each.kind for each in result.found]


# ---- one state


@pytest.mark.parametrize("p", [(0.1562, 3.336, 0.8963), (0.99, 0.7284, 2.796)])
def test_the_roots_of_the_algae_are_those_of_the_cubic(p):
    """Parameters of Tables 6.3.1 and 6.3.2, and all z from one root through three to one."""
    p1, p2, p3 = p
    numbers = set()
    for z in np.geomspace(1e-3, 20.0, 60) * p1 / p3:
        # p1 (1 - y/25) (p2^2 + y^2) - p3 z y = 0, equation (6.3.2)
        cubic = np.roots([-p1 / 25, p1, -p1 * p2**2 / 25 - p3 * z, p1 * p2**2])
        real = np.sort(cubic[np.abs(cubic.imag) < 1e-9 * np.abs(cubic)].real)
        result = equilibria(ALGAE.format(p1, p2, p3, z), [25.0])
        assert result.found[0].y[0] == 0.0
        np.testing.assert_allclose(states(result)[1:, 0], real, rtol=1e-9)
        assert kinds(result) == ["unstable", "stable", "unstable", "stable"][: 1 + real.size]
        numbers.add(real.size)
    assert numbers == {1, 3}


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("at", [12.0, 12.0123], ids=["on the mesh", "beside it"])
def test_two_roots_may_nearly_meet(at, gap):
    result = equilibria(f"par a={at}, g={gap}\ny'=(y-a)*(y-a-g)*(3-y)", [25.0])
    np.testing.assert_allclose(states(result)[:, 0], [3.0, at, at + gap], rtol=1e-10)
    assert kinds(result) == ["stable", "unstable", "stable"]
    np.testing.assert_allclose(result.found[2].eigenvalues, -gap * (at - 3 + gap), rtol=1e-4)


@pytest.mark.parametrize(("shift", "number"), [(-1e-8, 2), (0.0, 1), (1e-8, 0)])
def test_a_double_root_is_one_and_a_minimum_above_0_is_none(shift, number):
    result = equilibria(f"par a={shift}\ny'=(y-.7071)^2+a", [1.0])
    assert len(result.found) == number
    assert kinds(result) == {0: [], 1: ["half-stable"], 2: ["stable", "unstable"]}[number]
    np.testing.assert_allclose(states(result)[:, 0], 0.7071 + np.sqrt(abs(shift)) * np.array([-1, 1])[:number], 1e-9)


def test_a_root_beside_a_point_of_the_scan_is_not_lost():
    np.testing.assert_allclose(states(equilibria("y'=y*(1-y)*(y-1.0001)"))[:, 0], [0.0, 1.0, 1.0001])


def test_roots_far_from_the_data_are_found():
    """As in Table 6.3.2, where the solution stays near 0 and there is a root at 23.5."""
    result = equilibria("y'=y*(1-y/25)*(y-1e-7)", [0.01])
    np.testing.assert_allclose(states(result)[:, 0], [0.0, 1e-7, 25.0], rtol=1e-9)


@pytest.mark.parametrize(("text", "expected"), [("-y^3", "stable"), ("y^3", "unstable"), ("-abs(y)*y", "stable")])
def test_signs_decide_where_the_slope_is_0(text, expected):
    assert kinds(equilibria(f"y'={text}")) == [expected]


@pytest.mark.parametrize("text", ["1/(y-2)", "heav(y-2)-.5", "exp(-y)", "1+y^2", "sqrt(y-1)+1", "exp(-y^2)"])
def test_poles_jumps_and_asymptotes_are_no_roots(text):
    result = equilibria(f"y'={text}")
    assert (result.found, result.continua) == ((), ())


def test_an_interval_of_equilibria_is_told_as_one():
    (line,) = equilibria("y'=max(y-1,0)-max(-y-2,0)").continua
    assert (line.low[0], line.high[0]) == pytest.approx((-2.0, 1.0), abs=1e-2)
    assert equilibria("y'=max(y-1,0)-max(-y-2,0)").found == ()


def test_negative_roots_come_last():
    np.testing.assert_allclose(states(equilibria("y'=(y-1)*(y+2)*(y-3)*(y+.5)"))[:, 0], [1, 3, -2, -0.5])


# ---- several states


@pytest.mark.parametrize(
    ("p", "printed", "expected"),
    [  # thesis, section 4.2: A and B of the cases (1) to (3), and the origin
        ((1, 0.1, 3, 1, 0.1, 0.15), [(4.29, 5.10), (6.67, 0)], ["stable focus", "saddle"]),
        ((0.5, 0.1, 5, 1, 0.15, 0.01), [(20.0, 12.0), (50.0, 0)], ["unstable focus", "saddle"]),
        ((1, 0.1, 3, 1, 0.2, 0.15), [(6.67, 0)], ["stable node"]),
    ],
)
def test_bazykin(p, printed, expected):
    result = equilibria(BAZYKIN.format(*p), [10, 10])
    n = len(printed)
    np.testing.assert_allclose(states(result)[:n], printed, atol=0.005)
    assert kinds(result)[:n] == expected
    np.testing.assert_array_equal(states(result)[n], [0.0, 0.0])
    p1, p2, p3, p4, p5, p6 = p
    y1 = p3 / (p4 - p3 * p5)
    exact = [(y1, (p1 - p6 * y1) * (1 + p5 * y1) / p2), (p1 / p6, 0.0), (0.0, 0.0)]
    np.testing.assert_allclose(sorted(map(tuple, states(result))), sorted(exact), rtol=1e-12, atol=1e-12)
    if p5 == 0.2:  # "A has no biological significance"
        assert states(result)[2][1] < 0.0


def test_lotka_volterra_has_a_centre():
    result = equilibria("par a=1, b=.1, c=1.5, d=.075\nx'=a*x-b*x*y\ny'=-c*y+d*x*y", [10, 5])
    np.testing.assert_allclose(states(result), [[20, 10], [0, 0]], rtol=1e-12)
    assert kinds(result) == ["centre", "saddle"]
    np.testing.assert_allclose(result.found[0].eigenvalues, np.sqrt(1.5) * np.array([1j, -1j]), rtol=1e-12)


@pytest.mark.parametrize(("b", "expected"), [(1.0, "stable focus"), (3.0, "unstable focus"), (5.0, "unstable node")])
def test_brusselator(b, expected):
    result = equilibria(f"par a=1, b={b}\nx'=a+x^2*y-(b+1)*x\ny'=b*x-x^2*y")
    np.testing.assert_allclose(states(result), [[1.0, b]], rtol=1e-12)
    assert kinds(result) == [expected]
    np.testing.assert_allclose(result.found[0].eigenvalues, np.roots([1, 2 - b, 1]), rtol=1e-6)


@pytest.mark.parametrize(
    ("r", "expected"), [(0.5, ["stable"]), (10.0, ["stable", "saddle", "stable"]), (28.0, ["saddle"] * 3)]
)
def test_lorenz(r, expected):
    result = equilibria(LORENZ.format(r))
    x = np.sqrt(8 / 3 * max(r - 1, 0))
    exact = [[x, x, r - 1], [0, 0, 0], [-x, -x, r - 1]] if r > 1 else [[0, 0, 0]]
    np.testing.assert_allclose(states(result), exact, rtol=1e-11, atol=1e-300)
    assert kinds(result) == expected


@pytest.mark.parametrize("n", [2, 4, 12])
def test_a_linear_system_has_one(n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(n, n)), rng.normal(size=n)
    rows = [f"y{i}'=" + "".join(f"{a[i, j]:+.17g}*y{j}" for j in range(n)) + f"{b[i]:+.17g}" for i in range(n)]
    result = equilibria("\n".join(rows))
    np.testing.assert_allclose(states(result), [np.linalg.solve(a, -b)], rtol=1e-9)
    expected = np.linalg.eigvals(a)
    np.testing.assert_allclose(np.sort_complex(result.found[0].eigenvalues), np.sort_complex(expected), rtol=1e-9)
    assert result.conserved == result.continua == ()


def test_all_faces_of_three_competitors_are_found():
    """May & Leonard 1975: all species, any two, any one, and none."""
    text = "\n".join(f"{x}'={x}*(1-{x}-.5*{y}-.25*{z})" for x, y, z in ("abc", "bca", "cab"))
    result = equilibria(text)
    matrix = np.array([[1, 0.5, 0.25], [0.25, 1, 0.5], [0.5, 0.25, 1]])
    exact = []
    for mask in np.ndindex(2, 2, 2):
        on = np.flatnonzero(mask)
        y = np.zeros(3)
        y[on] = np.linalg.solve(matrix[np.ix_(on, on)], np.ones(on.size))
        exact.append(y)
    found, expected = (sorted(tuple(row) for row in np.round(each, 12)) for each in (states(result), exact))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert kinds(result)[0] == "stable"
    np.testing.assert_array_equal(states(result)[-1], 0.0)


@pytest.mark.parametrize("text", ["x'=1\ny'=x", "x'=1+x^2\ny'=x-y", "x'=exp(-x)\ny'=-y"])
def test_there_may_be_none(text):
    result = equilibria(text)
    assert (result.found, result.continua, result.conserved) == ((), (), ())


def test_stiff_equations_are_judged_too():
    result = equilibria("par a=1e6, b=1e-5\nx'=-a*(x-y^2)\ny'=b*(1-y)")
    np.testing.assert_allclose(result.found[0].eigenvalues, [-1e-5, -1e6], rtol=1e-9)
    assert kinds(result) == ["stable node"]


def test_states_that_are_negative_anyway_are_listed_in_order():
    model = Model.from_text("y'=1-y*y\ndone")
    places = [find(model, 0.0, model.values, np.ones(1), np.array([[1.0], [low]])) for low in (0.5, -0.5)]
    assert [[float(each.y[0]) for each in result.found] for result in places] == [[1.0, -1.0], [-1.0, 1.0]]
    assert [[each.negative for each in result.found] for result in places] == [[False, True], [False, False]]


def test_of_very_many_equilibria_only_those_near_the_solution_are_told():
    result = equilibria("x'=y\ny'=-sin(x)-y")
    np.testing.assert_allclose(sorted(states(result)[:, 0]), [-np.pi, 0.0, np.pi], atol=1e-12)
    assert result.n_beyond > 20
    assert {each.kind for each in result.found if each.y[0] != 0.0} == {"saddle"}


def test_a_small_equilibrium_is_not_0():
    np.testing.assert_allclose(states(equilibria("par e=1e-9\nx'=e-x\ny'=x-y")), [[1e-9, 1e-9]], rtol=1e-6)


@pytest.mark.parametrize("text", ["x'=x^2+y\ny'=-y", "x'=y\ny'=x^2", "x'=(x-.3)^2\ny'=1.7-y"])
def test_a_double_root_is_one_isolated_equilibrium(text):
    result = equilibria(text)
    assert kinds(result) == ["undecided"]
    assert result.continua == ()
    expected = [0.3, 1.7] if ".3" in text else [0.0, 0.0]
    np.testing.assert_allclose(states(result), [expected], atol=1e-6)


def test_equations_without_a_value_at_0_are_not_judged_there():
    result = equilibria("x'=x^2/y-2*x+.1*x*x\ny'=x^2/y-y")
    assert [0.0, 0.0] in states(result).tolist()
    assert kinds(result)[states(result).tolist().index([0.0, 0.0])] == "not defined"


def test_a_root_is_found_where_the_derivatives_are_infinite():
    """y = x^.3 and x = y^.5, so that x = x^.15: 0 and 1."""
    result = equilibria("x'=y-x^.3\ny'=x-sqrt(y)")
    np.testing.assert_allclose(states(result), [[1.0, 1.0], [0.0, 0.0]], rtol=1e-12)
    assert kinds(result) == ["saddle", "not defined"]


# ---- what is not isolated


def test_an_epidemic_ends_on_a_line():
    result = equilibria("par b=2, a=1\nS'=-b*S*I\nI'=b*S*I-a*I", [1, 0.1], [0.9, 0.1])
    assert (result.found, result.conserved) == ((), ())
    (line,) = result.continua
    assert (line.n_dimensions, line.along) == (1, (0,))
    assert line.low[1] == line.high[1] == 0.0
    assert line.low[0] < 0.1 < 0.9 < line.high[0]


def test_a_circle_of_equilibria_is_one():
    result = equilibria("x'=(1-x^2-y^2)*(x-y)\ny'=(1-x^2-y^2)*y")
    (circle,) = result.continua
    assert (circle.n_dimensions, circle.along) == (1, (0, 1))
    np.testing.assert_allclose([circle.low, circle.high], [[-1, -1], [1, 1]], atol=0.02)
    np.testing.assert_array_equal(states(result), [[0.0, 0.0]])


def test_a_plane_and_a_line_that_meet_are_two():
    plane, line = sorted(equilibria("x'=x*y*z\ny'=x*y\nz'=y*z").continua, key=lambda each: -each.n_dimensions)
    assert (plane.n_dimensions, plane.along, line.n_dimensions, line.along) == (2, (0, 2), 1, (1,))


def test_conserved_amounts_are_those_of_the_initial_state():
    """A + B = C with k A B = m C, A + C = 1 and B + C = 2: a quadratic equation for A."""
    result = equilibria("par k=2, m=1\nA'=-k*A*B+m*C\nB'=-k*A*B+m*C\nC'=k*A*B-m*C", [1, 2, 1], [1, 2, 0])
    assert [(law.coefs.tolist(), law.value) for law in result.conserved] == [([1, 0, 1], 1.0), ([0, 1, 1], 2.0)]
    a = np.roots([2, 3, -1])  # 2 a (a + 1) = 1 - a
    exact = np.column_stack((a, a + 1, 1 - a))[np.argsort(-a)]
    np.testing.assert_allclose(states(result), exact, rtol=1e-12)
    assert kinds(result) == ["stable", "unstable"]
    assert [np.count_nonzero(each.eigenvalues) for each in result.found] == [1, 1]
    assert result.continua == ()


def test_where_nothing_moves_everything_is_conserved():
    assert len(equilibria("x'=0\ny'=0").conserved) == 2


def test_where_nothing_is_defined_nothing_is_known_to_be_conserved():
    result = equilibria("x'=log(-1-x^2)\ny'=log(-1-y^2)")
    assert (result.found, result.continua, result.conserved) == ((), (), ())


def test_conserved_combinations_have_simple_coefficients():
    rng = np.random.default_rng(3)
    r = rng.normal(size=(50, 2)) * [1e-3, 1e5]
    g = np.column_stack((-2 * r[:, 0], r[:, 0], r[:, 1], -3 * r[:, 1]))
    laws = conserved(g, np.array([1.0, 2.0, 3.0, 4.0]))
    assert [(law.coefs.tolist(), law.value) for law in laws] == [([1, 2, 0, 0], 5.0), ([0, 0, 3, 1], 13.0)]
    assert conserved(rng.normal(size=(50, 4)), np.ones(4)) == ()


# ---- time and parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [("y'=-y", False), ("y'=t-y", True), ("w=sin(t)\ny'=w-y", True), ("y'=-y\naux z=t*y", False)],
)
def test_whether_equations_depend_on_time(text, expected):
    assert follows_time(Model.from_text(text + "\ndone")) is expected


@pytest.mark.parametrize("t", [0.0, 2.5])
def test_time_is_held(t):
    np.testing.assert_allclose(states(equilibria("x'=t-x\ny'=x-2*y", t=t)), [[t, t / 2]], atol=1e-12)
    np.testing.assert_allclose(states(equilibria("x'=t-x", t=t)), [[t]])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-1, -2], "stable node"),
        ([1, 2], "unstable node"),
        ([1, -2], "saddle"),
        ([-1 + 1j, -1 - 1j], "stable focus"),
        ([1j, -1j], "centre"),
        ([0, -1], "undecided"),
        ([0, 1], "unstable"),
        ([-1], "stable"),
        ([1, 2, -1], "saddle"),
        ([-1, -2, -3], "stable"),
        ([0, 0], "undecided"),
    ],
)
def test_kinds(values, expected):
    assert kind(np.array(values, dtype=complex)) == expected


def test_newton_says_which_starts_did_not_converge():
    def system(z):
        return z**2 + np.array([[-2.0, 1.0]]), 2.0 * z[:, :, None] * np.eye(2)

    assert not newton(system, np.array([[1.0, 1.0], [3.0, -2.0]])).converged.any()
    ends = newton(lambda z: (z**2 - 2.0, 2.0 * z[:, :, None] * np.eye(2)), np.array([[1.0, -1.0], [9.0, 5.0]]))
    assert ends.converged.all()
    np.testing.assert_allclose(ends.points, np.sqrt(2) * np.array([[1, -1], [1, 1]]), rtol=1e-14)


def test_the_scan_counts_all_roots_of_a_wave():
    roots = scan(lambda y: (np.sin(y), np.cos(y)), 20.0).roots
    inside = [root.at for root in roots if abs(root.at) < 20.0]
    np.testing.assert_allclose(inside, np.pi * np.arange(-6, 7), atol=1e-14)
    assert all(np.sign(root.slope) == root.behind == -root.before for root in roots if abs(root.at) < 20.0)
