"""Expressions as text that reads back, models and derivatives typeset, and derivatives that agree with numbers."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parfit.errors import ModelError
from parfit.model.calculus.readable import Partials, partial_derivatives
from parfit.model.language.expression import Call, Expression, Name, Number, value
from parfit.model.language.reader import model_from_text, read_model
from parfit.model.language.statements import read_statements
from parfit.model.language.syntax import parse
from parfit.model.language.typeset import broken, derivatives, typeset
from parfit.model.language.writing import EXACT, READABLE, UNICODE, expression_text, flattened
from parfit.model.model import Model

MODELS = sorted((Path(__file__).parents[3] / "models").glob("*.ode"))
DRIVEN = """par k=2, m=.5
number c=1.5
hill(x)=x^2.5/(1+x^2.5)
flow=z(t)*k/c
switch=if(x>c)then(max(x,m)+abs(y-3))else(mod(x,c)*log10(x+k))
long=exp(-k*x)*sin(m*x*y)/(1+k*x+m*y)+sqrt(x+y)*k^m+tanh(x-y)+atan2(x,y)-cosh(m)/k+erf(x*m)+x^3*y^2/(k+x)
x'=flow-hill(x)*m+switch-long/c
y'=long^2*(x<=k)-min(k*y,x)+floor(x)+x^-.5
x(0)=k^2*m
y(0)=z(1)*k
aux sum=long+x
table z zoo.csv spline
done
"""


@pytest.fixture
def driven(tmp_path) -> Model:
    (tmp_path / "zoo.csv").write_text("0,1\n1,3\n2,2\n4,7\n")
    return model_from_text(DRIVEN, "driven", folder=tmp_path)


def same(first: Expression, second: Expression) -> bool:
    return repr(first) == repr(second)


# ---- expressions to text and back


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_expressions_of_the_models_read_back(path):
    statements = [item for item in read_statements(path.read_text(encoding="utf-8")) if item.kind != "table"]
    assert statements
    for item in statements:
        for style in (EXACT, READABLE):
            assert same(parse(expression_text(item.body, style)), item.body)


names = st.sampled_from(["a", "b", "x"]).map(Name)
numbers = st.floats(0, allow_nan=False, allow_infinity=False).map(Number)


def calls(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """What the parser can make of text."""
    two = st.tuples(parts, parts)
    several = st.lists(parts, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.tuples(st.sampled_from("+*"), several),
        st.tuples(st.just("-"), st.tuples(parts)),
        st.tuples(st.sampled_from(["/", "^", "<", "<=", ">", ">=", "==", "!=", "&", "|", "max", "min"]), two),
        st.tuples(st.sampled_from(["exp", "not", "f"]), st.tuples(parts)),
        st.tuples(st.just("if"), st.tuples(parts, parts, parts)),
    ).map(lambda pair: Call(*pair))


@given(st.recursive(names | numbers, calls, max_leaves=15))
def test_any_expression_reads_back(node):
    assert same(parse(expression_text(node)), node)


@given(st.recursive(names | numbers, calls, max_leaves=10))
def test_comparisons_are_written_so_that_all_programs_read_them_alike(node):
    doubts: list[str] = []
    parse(expression_text(node), doubts)
    assert doubts == []


@pytest.mark.parametrize(
    ("text", "written", "unicode"),
    [
        ("(a*b)+((c))", "a*b + c", "a·b + c"),
        ("a-(b-c)", "a - (b - c)", "a - (b - c)"),
        ("-a*b/c", "-a*b/c", "-a·b/c"),
        ("a*(-b)", "a*(-b)", "a·(-b)"),
        ("(a^2)^b", "(a^2)^b", "(a²)^b"),
        ("a^-1+x^12", "a^(-1) + x^12", "a^(-1) + x^12"),
        (".5e-7*a", "5e-8*a", "5e-8·a"),
        ("if(a+1<=b)then(x)else(0)", "if(a + 1 <= b) then(x) else(0)", "if(a + 1 ≤ b) then(x) else(0)"),
        ("max(a,-b)", "max(a, -b)", "max(a, -b)"),
        ("a/(b*c)", "a/(b*c)", "a/(b·c)"),
    ],
)
def test_few_parentheses(text, written, unicode):
    assert expression_text(parse(text), READABLE) == written
    assert expression_text(parse(text), UNICODE) == unicode


@pytest.mark.parametrize("number", [-2.0, -0.0, math.pi, 1e300, -1e-300, 5e-324])
def test_numbers_keep_their_value(number):
    for node in (Number(number), Call("^", (Number(number), Name("a"))), Name("a") - Number(number)):
        assert value(parse(expression_text(node)), {"a": 2.0}) == value(node, {"a": 2.0})


def test_long_sums_of_python_are_one_sum():
    node: Expression = Name("a")
    for _ in range(300):
        node = node + Name("b")
    assert same(flattened(node), parse("a" + "+b" * 300))


def test_what_would_be_endless_is_refused():
    node: Expression = Name("a")
    for _ in range(60):
        node = node * node
    with pytest.raises(ModelError, match="too large"):
        expression_text(node)


# ---- models


def test_a_model_is_typeset(driven):
    text = typeset(driven)
    for line in ("  x' = flow - hill(x)·m + switch - long/c", "  x(0) = k²·m", "  c = 1.5", "  k = 2     m = 0.5"):
        assert line in text.splitlines()
    assert "z(t) from zoo.csv spline, t = 0 to 4" in text
    assert max(map(len, text.splitlines())) <= 80
    assert typeset(driven, unicode=False).isascii()


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_typeset_equations_are_the_equations(path):
    model = read_model(path)
    lines = typeset(model, unicode=False, width=10**6).splitlines()
    equations = [line.strip() for line in lines if re.search("' += ", line)]
    again = {item.name: item.body for item in read_statements("\n".join(equations))}
    written = {item.name: item.body for item in read_statements(model.source) if item.kind == "state"}
    assert {name: repr(body) for name, body in again.items()} == {name: repr(body) for name, body in written.items()}


def test_names_are_spelled_as_defined_and_the_values_that_count_are_shown():
    model = Model.from_text("# Title\npar Kk=2\nX'=-kk*x+HILL(x)\nhill(X)=x\naux s=x\naux s=2*x\ninit x=1\nx(0)=KK\n")
    text = typeset(model)
    assert text.splitlines()[:2] == ["model", "Title"]
    assert "  X' = -Kk·X + hill(X)\n" in text
    assert "  s = X\n" in text
    assert "  X(0) = Kk\n" in text
    assert "Remark: ignored" in text


def test_a_traced_model_is_typeset():
    model = Model.trace(lambda t, y, p: [-p[0] * y[0] ** 2], {"x": 1}, {"k": 3.0}, name="decay")
    assert typeset(model) == (
        "decay\n\nEquations\n  x' = -k·x²\n\nInitial values at t = 0\n  x(0) = 1\n\n"
        "Parameters, and where their search begins\n  k = 3"
    )


def test_typesetting_a_model_needs_no_sympy():
    code = (
        "import sys\nfrom parfit.model.model import Model\nfrom parfit.model.language.typeset import typeset\n"
        "typeset(Model.from_text(\"x'=-x\"))\nsys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("room", [20, 33, 60])
def test_lines_break_at_operators(room):
    text = expression_text(parse("alpha*(beta+gamma*exp(-delta*t))/(1+alpha*beta)+" * 3 + "max(alpha,beta)"), UNICODE)
    lines = broken(text, room)
    assert max(map(len, lines)) <= room
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(line[0] in "+·/-m" or "," in lines[k] for k, line in enumerate(lines[1:]))


def test_outermost_operators_are_preferred():
    assert broken("aaaa·(bbbb + cccc) + dddd·(eeee + ffff)", 30) == ["aaaa·(bbbb + cccc)", "+ dddd·(eeee + ffff)"]
    assert broken("one_name_that_is_longer_than_the_line", 20) == ["one_name_that_is_longer_than_the_line"]


# ---- derivatives


def numbers_at(model: Model, point: dict[str, float]) -> dict[str, object]:
    names: dict[str, object] = dict(point) | dict(model.tables)
    names |= {f"{name}'": lambda t, curve=curve: curve(t, 1) for name, curve in model.tables}
    for name, node in model.quantities:
        names[name] = value(node, names)
    return names


def rows_of(model: Model) -> dict[str, Expression]:
    found = {f"{name}'": node for name, node in zip(model.states, model.equations, strict=True)}
    found |= {f"{name}(0)": node for name, node in zip(model.states, model.initial, strict=True)}
    return found | dict(model.quantities) | dict(model.aux)


def central(model: Model, node: Expression, point: dict[str, float], by: str) -> float:
    h = 1e-5 * max(1.0, abs(point[by]))
    values = [value(node, numbers_at(model, point | {by: point[by] + sign * h})) for sign in (1, -1)]
    return (values[0] - values[1]) / (2 * h)


def check_derivatives(model: Model, n_points: int) -> None:
    groups = partial_derivatives(model)
    for seed in range(n_points):
        check_at(model, groups, np.random.default_rng(seed))


def check_at(model: Model, groups: Partials, rng: np.random.Generator) -> None:
    inputs = (*model.states, *model.parameters)
    point = dict(zip(("t", *inputs), rng.uniform(0.6, 2.4, 1 + len(inputs)).tolist(), strict=True))
    rows, names = rows_of(model), numbers_at(model, point)
    shown = set()
    for group in groups:
        for partial in group:
            names[partial.label] = found = value(partial.expression, names)
            expected = central(model, rows[partial.of], point, partial.by)
            rounding = 1e-10 * abs(value(rows[partial.of], names))  # of the differences
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-6 + rounding), partial.label
            shown.add((partial.of, partial.by))
    for of in (*(f"{name}'" for name in model.states), *(f"{name}(0)" for name in model.states), *dict(model.aux)):
        for by in inputs:
            assert (of, by) in shown or central(model, rows[of], point, by) == pytest.approx(0, abs=1e-8), (of, by)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_derivatives_of_the_models_agree_with_differences(path):
    check_derivatives(read_model(path), 3)


def test_derivatives_of_everything_agree_with_differences(driven):
    check_derivatives(driven, 8)


def test_derivatives_are_simple():
    lines = derivatives(read_model(next(path for path in MODELS if path.stem == "predator-prey"))).splitlines()
    assert "  ∂y1'/∂y1 = p1 - 2·p6·y1 - p2·y2/(1 + p5·y1)²" in lines
    assert "  ∂y1'/∂p2 = -eaten" in lines
    assert not any(line.startswith("  ∂y1'/∂p3") for line in lines)  # is zero


def test_derivatives_in_ascii_and_of_long_quantities(driven):
    text = derivatives(driven, unicode=False, width=60)
    assert text.isascii()
    assert "Derivatives of quantities\n  dlong/dx" in text
    assert max(map(len, text.splitlines())) <= 60


def test_a_model_without_derivatives():
    assert derivatives(Model.from_text("x'=1")) == "All derivatives are zero."


def test_undefined_models_are_refused_as_elsewhere():
    with pytest.raises(ModelError, match="the equation of x"):
        derivatives(Model.from_text("x'=1/0"))


def test_what_comes_to_rest_is_shown():
    model = Model.from_text("par k=1\nnumber u=2\nx'=u-k*x\nrest u=1\ndone")
    assert "It begins at rest\n  rest u=1" in typeset(model)
    assert model.unset == ()
