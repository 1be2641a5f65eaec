"""Tapes and exact derivatives against 40-digit arithmetic on the same expressions."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parfit.errors import ModelError
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.model import Model

NAMES = ("y1", "y2", "a", "b")  # two states, two parameters

SMOOTH = {
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "asin": mpmath.asin, "acos": mpmath.acos,
    "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh, "exp": mpmath.exp,
    "log": mpmath.log, "log10": mpmath.log10, "sqrt": mpmath.sqrt, "erf": mpmath.erf, "erfc": mpmath.erfc,
    "asinh": mpmath.asinh,
    "lgamma": lambda a: mpmath.log(abs(mpmath.gamma(a))),
    "abs": abs, "-": lambda a: -a, "atan2": mpmath.atan2, "/": lambda a, b: a / b, "^": mpmath.power,
    "min": min, "max": max, "mod": lambda a, b: a - b * mpmath.floor(a / b),
}  # fmt: skip
STEPS = {
    "<": lambda a, b: mpmath.mpf(a < b), "<=": lambda a, b: mpmath.mpf(a <= b), ">": lambda a, b: mpmath.mpf(a > b),
    ">=": lambda a, b: mpmath.mpf(a >= b), "sign": mpmath.sign, "floor": mpmath.floor, "ceil": mpmath.ceil,
    "heav": lambda a: mpmath.mpf(a >= 0), "==": lambda a, b: mpmath.mpf(a == b), "!=": lambda a, b: mpmath.mpf(a != b),
    "&": lambda a, b: mpmath.mpf(bool(a) and bool(b)), "|": lambda a, b: mpmath.mpf(bool(a) or bool(b)),
    "not": lambda a: mpmath.mpf(not a),
}  # fmt: skip


def exact(node: Expression, names: dict[str, mpmath.mpf]) -> mpmath.mpf:
    """The value of an expression in high precision, by an evaluator of its own."""
    if isinstance(node, Number):
        return mpmath.mpf(node.value)
    if isinstance(node, Name):
        return names[node.name]
    assert isinstance(node, Call)
    arguments = [exact(a, names) for a in node.arguments]
    if node.function == "+":
        return mpmath.fsum(arguments)
    if node.function == "*":
        return mpmath.fprod(arguments)
    if node.function == "if":
        return arguments[1] if arguments[0] else arguments[2]
    return (SMOOTH.get(node.function) or STEPS[node.function])(*arguments)


def evaluate(text: str, point: tuple[float, ...]) -> tuple[float, np.ndarray, Expression]:
    """g, its derivatives by y1, y2, a, b, and the expression, of y1' = text with y2' = 0."""
    model = Model.from_text(f"par a=1,b=1\ny1'={text}\ny2'=0\ndone\n")
    return (*tape_values(model, point), model.equations[0])


def tape_values(model: Model, point: tuple[float, ...]) -> tuple[float, np.ndarray]:
    tape = model.compiled((0, 1)).system.dynamics
    g, g_y, g_p = tape.evaluate(np.zeros(1), np.array([point[:2]]), np.array(point[2:]), 3)
    derivation = model.derivation.dynamics
    derivatives = np.zeros(4)
    for k, (i, j) in enumerate(sorted(derivation.by_state)):
        if i == 0:
            derivatives[j] = g_y[0, k]
    for k, (i, j) in enumerate(sorted(derivation.by_parameter)):
        if i == 0:
            derivatives[2 + j] = g_p[0, k]
    return float(g[0, 0]), derivatives


def exact_derivatives(node: Expression, point: tuple[float, ...]) -> np.ndarray:
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -20
        found = []
        for k in range(4):
            values = []
            for sign in (1, -1):
                shifted = [mpmath.mpf(x) for x in point]
                shifted[k] += sign * h
                values.append(exact(node, dict(zip(NAMES, shifted, strict=True))))
            found.append(float((values[0] - values[1]) / (2 * h)))
        return np.array(found)


POINT = (0.7, 1.3, 0.4, 2.2)
EXPRESSIONS = [
    "a*y1*y2/(1+b*y1)",
    "a*y1^b/(1+y1^b)",
    "(y1+y2)^-2+y1^3-y2^0.5+y1^2.7",
    "exp(-a*y1)*ln(y2)+log10(y1)",
    "sin(y1*a)+cos(y2/b)+tan(y1)+atan2(y1,y2)",
    "asin(y1/2)+acos(a)+atan(b*y2)",
    "sinh(y1)+cosh(a)*tanh(y2)",
    "erf(y1)-erfc(a*y2)+sqrt(y1+b)",
    "asinh(-3*y1)+y2*asinh(a*b)",
    "lgamma(y1)-a*lgamma(20*b)+lgamma(-y2)*lgamma(a/1000)",
    "if(y1>a)then(y1*b)else(y2/a)",
    "if(y1<a|y2>b)then(1)else(y1*y2)",
    "max(y1,y2)*a+min(y1*b,y2)",
    "abs(a-b)*sign(y1-y2)*heav(y1)+floor(b*3)*y1+ceil(a)",
    "mod(y1*5,b)",
    "2^y1+a^2+(-y1)^3",
    "1/(y1-y2)^2/(1+1/(a+1/b))",
    "y1*y2*a*b-b*a*y2*y1",
    "not(y1>y2)*a+(y1<=y2)*b+(a==b)+(a!=b)*y1",
    "-(y1-a)-(-b)+0*y2",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_values_and_derivatives_are_exact(text):
    value, derivatives, node = evaluate(text, POINT)
    reference = float(exact(node, dict(zip(NAMES, map(mpmath.mpf, POINT), strict=True))))
    assert value == pytest.approx(reference, rel=1e-14, abs=1e-14)
    assert derivatives == pytest.approx(exact_derivatives(node, POINT), rel=1e-12, abs=1e-13)


numbers = st.floats(0.1, 3.0).map(lambda x: Number(round(x, 3)))
leaves = st.one_of(numbers, st.sampled_from(NAMES).map(Name))


UNARY = st.sampled_from(["sin", "cos", "tanh", "exp", "atan", "-", "sqrt", "log", "erf"])
EXPONENTS = st.sampled_from([Number(2.0), Number(-1.0), Number(0.5), Name("b")])


def calls(children):
    pair = st.tuples(children, children)
    less = st.builds(Call, st.just("<"), pair)
    return st.one_of(
        st.builds(Call, st.sampled_from(["+", "*", "/"]), pair),
        st.builds(Call, UNARY, st.tuples(children)),
        st.builds(Call, st.just("^"), st.tuples(children, EXPONENTS)),
        st.builds(Call, st.just("if"), st.tuples(less, children, children)),
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(leaves, calls, max_leaves=12), st.tuples(*[st.floats(0.2, 2.0)] * 4))
def test_random_expressions(node, point):
    point = tuple(round(x, 4) + 0.00137 * k for k, x in enumerate(point, 1))  # never on the edge of an `if`
    try:
        reference = exact(node, dict(zip(NAMES, map(mpmath.mpf, point), strict=True)))
        slopes = exact_derivatives(node, point)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError):
        assume(False)
    assume(mpmath.im(reference) == 0 and 1e-6 < abs(reference) < 1e6 and (np.abs(slopes) < 1e6).all())
    zero = Number(0.0)
    model = Model("m", ("a", "b"), np.ones(2), ("y1", "y2"), (node, zero), (zero, zero))
    try:
        value, derivatives = tape_values(model, point)
    except ModelError:
        assume(False)
    assert value == pytest.approx(float(mpmath.re(reference)), rel=1e-8)
    assert derivatives == pytest.approx(slopes, rel=1e-6, abs=1e-6 * float(abs(reference)))


def test_quantities_are_joined_by_the_chain_rule():
    nested = """
    par a=1,b=1
    !c=a*b
    u=exp(-c*y1)
    v=u*y2+u^2
    w=v/(1+v)
    y1'=w*u-a*v
    y2'=0
    done
    """
    written_out = "v/(1+v)*u-a*v"
    for name, body in (("v", "(u*y2+u^2)"), ("u", "exp(-a*b*y1)")):
        written_out = written_out.replace(name, body)
    value, derivatives = tape_values(Model.from_text(nested), POINT)
    reference, slopes, _ = evaluate(written_out.replace("eexp", "exp"), POINT)
    assert value == pytest.approx(reference, rel=1e-14)
    assert derivatives == pytest.approx(slopes, rel=1e-13)


def test_powers_at_zero():
    """x^n has a derivative at x = 0, by x and by n: Hill functions start there."""
    value, derivatives, _ = evaluate("a*y1^b/(1+y1^b)", (0.0, 1.0, 3.0, 2.5))
    assert value == 0.0
    assert derivatives.tolist() == [0.0, 0.0, 0.0, 0.0]
    _, derivatives, _ = evaluate("y1^b", (0.0, 1.0, 3.0, 1.0))
    assert derivatives[0] == 1.0


def test_the_branch_not_taken_does_no_harm():
    value, derivatives, _ = evaluate("if(y1>0)then(a*log(y1))else(b*y1)", (-2.0, 1.0, 1.0, 3.0))
    assert value == -6.0
    assert derivatives.tolist() == [3.0, 0.0, 0.0, -2.0]


def test_common_subexpressions_are_computed_once():
    model = Model.from_text("par a=1,b=1\ny1'=a*exp(y1*y2)\ny2'=b*exp(y1*y2)\ndone\n")
    parameters_only, values, by_state, by_parameter = model.compiled((0, 1)).system.dynamics.n_instructions
    assert (parameters_only, values) == (0, 4)  # y1*y2, exp, two products
    assert by_state == 4  # products with y1 and y2 of what is there already
    assert by_parameter == 0  # exp(y1*y2) itself


def test_what_depends_on_parameters_alone_is_computed_once_per_vector():
    model = Model.from_text("par a=1,b=1\n!c=exp(a)*sqrt(b)\ny1'=-c*y1\ny2'=c*y1\ndone\n")
    assert model.compiled(()).system.dynamics.n_instructions == (4, 2, 0, 0)  # exp, sqrt, c, -c


def test_structural_zeros_are_kept():
    model = Model.from_text("par a=1,b=1\ny1'=-a*y1\ny2'=a*y1-b*y2+(y1-y1)*b\ndone\n")
    assert sorted(model.derivation.dynamics.by_state) == [(0, 0), (1, 0), (1, 1)]
    assert sorted(model.derivation.dynamics.by_parameter) == [(0, 0), (1, 0), (1, 1)]


@pytest.mark.parametrize("text", ["1/0", "log(0)", "y1/(2-2)", "sqrt(-1)*y1", "asin(3)"])
def test_undefined_constants_are_refused(text):
    model = Model.from_text(f"par a=1,b=1\ny1'={text}\ny2'=0\ndone\n")
    with pytest.raises(ModelError, match="the equation of y1"):
        _ = model.derivation


def test_huge_powers_do_not_hang():
    value, _, _ = evaluate("y1+9^(9^2)/9^80", POINT)
    assert value == pytest.approx(9.7)
    model = Model.from_text("y1'=y1*9^(9^9)\ndone\n")
    with pytest.raises(ModelError, match="the equation of y1"):
        _ = model.derivation


def test_deep_nesting_is_an_error_not_a_crash():
    text = "y1"
    for _ in range(80):
        text = f"sin({text})"
    model = Model.from_text(f"y1'={text}\ndone\n")
    tape = model.compiled(()).system.dynamics
    g, g_y = tape.evaluate(np.zeros(1), np.full((1, 1), 0.5), np.zeros(0), 2)
    value, slope = 0.5, 1.0
    for _ in range(80):
        slope *= math.cos(value)
        value = math.sin(value)
    assert g[0, 0] == pytest.approx(value, rel=1e-13)
    assert g_y[0, 0] == pytest.approx(slope, rel=1e-12)


def derivatives_of(model: Model, y: list[float], p: list[float]) -> tuple[np.ndarray, ...]:
    """g, and the entries of g_y and g_p by rows."""
    active = tuple(range(len(model.parameters)))
    tape = model.compiled(active).system.dynamics
    return tuple(each[0] for each in tape.evaluate(np.zeros(1), np.array([y]), np.array(p), 3))


def test_a_long_sum_of_parameters():
    """Work grows with the text: 2,000 parameters, each with the derivative -x."""
    n = 2000
    names = [f"p{k}" for k in range(n)]
    text = "par " + ", ".join(f"{name}=.001" for name in names) + f"\nx'=-x*({'+'.join(names)})\nx(0)=1\ndone"
    model = Model.from_text(text)
    g, g_y, g_p = derivatives_of(model, [0.5], [0.001] * n)
    assert g == pytest.approx([-0.5 * 2.0])
    assert g_y == pytest.approx([-2.0])
    assert g_p.tolist() == [-0.5] * n
    assert len(model.derivation.graph.nodes) < 3 * n


def test_a_long_product():
    """x' = (x - .5 k) (x - 1.5 k) ...: by the logarithm, and with one factor 0 by the product of the others."""
    n = 400
    model = Model.from_text("par k=1\nx'=" + "*".join(f"(x-{i}.5*k)" for i in range(n)) + "\nx(0)=1\ndone")
    places = np.arange(n) + 0.5
    for x, k in ((0.9, 0.01), (0.0255, 0.001)):
        factors = x - places * k
        others = np.array([np.prod(np.delete(factors, i)) for i in range(n)])
        g, g_y, g_p = derivatives_of(model, [x], [k])
        assert g[0] == pytest.approx(np.prod(factors), rel=1e-9, abs=1e-300)
        assert g_y[0] == pytest.approx(others.sum(), rel=1e-6)
        assert g_p[0] == pytest.approx(-(others @ places), rel=1e-6)
    assert len(model.derivation.graph.nodes) < 20 * n


def test_expressions_nested_deeper_than_calls_of_python():
    def long_sum(t, y, p):
        total = y[0] * 0
        for _ in range(5000):
            total = total + p[0] * y[0]
        return [-total]

    def doubled(t, y, p):
        total = y[0] * p[0]
        for _ in range(60):
            total = total + total
        return [-total * 2.0**-60]

    for function, factor in ((long_sum, 5000.0), (doubled, 1.0)):
        g, g_y, g_p = derivatives_of(Model.trace(function, {"x": 1.0}, {"k": 2.0}), [3.0], [2.0])
        assert (g[0], g_y[0], g_p[0]) == pytest.approx((-6.0 * factor, -2.0 * factor, -3.0 * factor))


@pytest.mark.parametrize(
    ("text", "point", "value", "slope"),
    [
        ("y1*y2/y1", (0.0, 3.0, 1.0, 1.0), 3.0, 0.0),
        ("y1^3/y1", (0.0, 3.0, 1.0, 1.0), 0.0, 0.0),
        ("sqrt(y1)*sqrt(y1)*y2", (0.0, 3.0, 1.0, 1.0), 0.0, 3.0),
        ("exp(800*y1)*exp(-799*y1)", (1.0, 3.0, 1.0, 1.0), math.e, math.e),
        ("y1*y2*a*b", (0.0, 2.0, 3.0, 5.0), 0.0, 30.0),
        ("max(y1,0)*log(max(y2,1e-9))", (-1.0, 0.0, 1.0, 1.0), 0.0, 0.0),
        ("if(y1>0)then(sqrt(y1))else(if(y1>-1)then(log(1+y1))else(0))", (-2.0, 0.0, 1.0, 1.0), 0.0, 0.0),
        ("abs(y1)", (0.0, 0.0, 1.0, 1.0), 0.0, 0.0),
        ("2^y1", (3.0, 0.0, 1.0, 1.0), 8.0, 8.0 * math.log(2.0)),
        ("(y1^2)^0.5", (-3.0, 0.0, 1.0, 1.0), 3.0, -1.0),
    ],
)  # fmt: skip
def test_values_where_careless_derivatives_have_none(text, point, value, slope):
    found, derivatives, _ = evaluate(text, point)
    assert found == pytest.approx(value, rel=1e-12)
    assert derivatives[0] == pytest.approx(slope, rel=1e-12)


def test_a_quantity_that_is_another_one_or_a_number():
    text = "par a=1,b=1\n!n=2\nu=y1\nv=u\nw=v^n*a\ny1'=w-v*a*b\ny2'=w\ndone"
    value, derivatives = tape_values(Model.from_text(text), POINT)
    y1, _, a, b = POINT
    assert value == pytest.approx(y1 * y1 * a - y1 * a * b)
    assert derivatives == pytest.approx([2 * y1 * a - a * b, 0.0, y1 * y1 - y1 * b, -y1 * a])
