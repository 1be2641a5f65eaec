"""Equations as MathML: read again by somebody who knows nothing of the writer, they have the same value."""

import math
import random
import xml.etree.ElementTree as ET

import pytest

from parfit.export.mathml import equation, symbol
from parfit.model.model import Model

SIGNS = {"−": "-", "⋅": "*", "=": "==", "≤": "<=", "≥": ">=", "≠": "!="}


def python_of(element):
    """The expression that an element of presentation MathML shows, for Python."""
    kind, parts = element.tag, list(element)
    if kind == "mfrac":
        return f"(({python_of(parts[0])})/({python_of(parts[1])}))"
    if kind == "msup":
        return f"(({python_of(parts[0])})**({python_of(parts[1])}))"
    if kind == "msub":
        return python_of(parts[0]) + python_of(parts[1])
    if kind in ("mi", "mn"):
        return element.text
    return SIGNS.get(element.text, element.text) if kind == "mo" else "".join(map(python_of, parts))


@pytest.mark.parametrize(
    "text",
    [
        "a-b-c", "a-(b-c)", "a/b/c", "a/(b/c)", "a*(b+c)^2", "-a^2", "(-a)^2", "(a+b)^(c-1)", "a*-b", "a-b*c",
        "-(a+b)*c", "b-(-a*c)", "b/(-a*c)", "-(-a*b)",
        "exp(-a*b)/(1+c)", "a^(b^c)", "(a^b)^c", "2*a-3e-5*b", "-a-b", "a-(-b)", "a*(b/c)", "(a*b)/c", "sqrt(a+b)*c",
    ],
)  # fmt: skip
def test_what_is_shown_has_the_same_value(text):
    model = Model.from_text(f"par a=1, b=2, c=3\nx'={text}\ninit x=0\n")
    tree = ET.fromstring(equation("x'", model.equations[0]))
    shown = "".join(map(python_of, list(tree[0])[2:]))
    random.seed(1)
    for _ in range(5):
        values = {name: random.uniform(0.5, 2) for name in "abc"} | {"exp": math.exp, "sqrt": math.sqrt}
        meant = eval(text.replace("^", "**"), {}, values)
        assert eval(shown, {}, values) == pytest.approx(meant, rel=1e-12), shown


def test_names_have_subscripts_and_are_escaped():
    assert symbol("p12") == "<msub><mi>p</mi><mn>12</mn></msub>"
    assert symbol("k_1") == "<msub><mi>k</mi><mn>1</mn></msub>"
    assert symbol("a<b") == "<mi>a&lt;b</mi>"


def test_initial_values_and_derivatives_on_the_left():
    model = Model.from_text("par a=1\nx'=-a*x\ninit x=a\n")
    assert "".join(ET.fromstring(equation("x'", model.equations[0])).itertext()) == "x′=−a⋅x"
    assert "".join(ET.fromstring(equation("x(0)", model.initial[0])).itertext()) == "x(0)=a"
