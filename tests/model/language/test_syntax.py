import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parfit.errors import ModelError
from parfit.model.language.expression import Call, Name, Number, value
from parfit.model.language.syntax import parse, parse_entries

NAMES = {"a": 2.0, "b": 3.0, "c": 5.0, "x": 0.5, "X": 0.5, "t": 7.0}

VALUES = [
    (".5", 0.5),
    ("2.", 2),
    ("1.e2", 100),
    (".25e+02", 25),
    ("1E-3", 0.001),
    ("7/2", 3.5),  # no integer division
    ("-2^2", -4),
    ("(-2)^2", 4),
    ("2^-1", 0.5),
    ("2^-x", 2**-0.5),
    ("2**3", 8),
    ("--2", 2),
    ("+-+2", -2),
    ("2*-3", -6),
    ("2--3", 5),
    ("-a*b", -6),
    ("-a+b", 1),
    ("a-b-c", -6),
    ("a-(b-c)", 4),
    ("c/a/b", 5 / 6),
    ("c/a*b", 7.5),
    ("c*a/b*x", 5 / 3),
    ("a+b*c^2", 77),
    ("2*a^2*3", 24),
    (" a  +\tb ", 5),
    ("exp(-a)*x", math.exp(-2) * 0.5),
    ("EXP(1)", math.e),
    ("max(a, b)+min(a,b)", 5),
    ("mod(-1,3)", 2),
    ("heav(0)", 1),
    ("if(a<b)then(1)else(2)", 1),
    ("IF (a>b) THEN (1) ELSE (2)", 2),
    ("if(a+1>b+1)then(1)else(if(c>1)then(7)else(8))", 7),
    ("2*if(1)then(3)else(4)+1", 7),
    ("a<b", 1),
    ("a<=2", 1),
    ("a>=b", 0),
    ("a==2", 1),
    ("a!=2", 0),
    ("a+1<b*2", 1),
    ("(a<b)&(b<c)", 1),
    ("a<b&b<c", 1),
    ("a>b|b<c&c<a", 0),
    ("(a>b||b<c)&&1", 1),
    ("a*(t>5)", 2),
    ("X", 0.5),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values(text, expected):
    assert value(parse(text), NAMES) == pytest.approx(expected)


ERRORS = [
    ("", "expected a number, a name or `(` at the end"),
    ("a+", "`a+`: expected a number, a name or `(` at the end"),
    ("a*/b", "instead of `/`"),
    ("2 3", "expected an operator or the end of the line instead of `3`"),
    ("2x", "expected `2*x`"),
    ("1d3", "expected 1e3"),
    ("(a", "expected `)` at the end"),
    ("a)", "instead of `)`"),
    ("()", "instead of `)`"),
    ("exp(a,", "at the end"),
    ("exp(a b)", "expected `a*b`"),
    ("a^b^c", "(a^b)^c or a^(b^c)"),
    ("2^-a^c", "parentheses"),
    ("a<b<c", "(a<b)&(b<c)"),
    ("a=b", "instead of `=`"),
    ("a $ b", "`a $ b`: unexpected `$`"),
    ("x'", "unexpected `'`"),
    ("a.b", "unexpected `.`"),
    ("if(a)(b)", "then"),
    ("if(a)then(b)", "else"),
    ("if a then b", "expected `(`"),
    ("if(a,b)then(1)else(2)", "expected `)` instead of `,`"),
    ("1e999", "too large"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors_quote_the_text_and_say_what_was_expected(text, message):
    with pytest.raises(ModelError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_errors_in_long_texts_quote_the_place():
    with pytest.raises(ModelError) as caught:
        parse("+".join(["alpha"] * 500) + "+here there")
    assert "here there" in str(caught.value)
    assert len(str(caught.value)) < 200


def depth(node):
    return 1 + max(map(depth, node.arguments)) if isinstance(node, Call) and node.arguments else 1


@pytest.mark.parametrize(("sign", "limit"), [("+", 3), ("-", 3), ("*", 3), ("&", 15), ("|", 15)])
def test_long_chains_do_not_nest(sign, limit):
    assert depth(parse(sign.join(["a"] * 5000))) <= limit


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "a" + ")" * 3000,
        "exp(" * 3000,
        "-(" * 3000,
        "2^(" * 3000,
        "1|2&3<4+5*(" * 1000,
        "if(1)then(2)else(" * 1000,
        "/".join(["a"] * 3000),
    ],
)
def test_what_is_nested_too_deeply_is_an_error_and_no_crash(text):
    with pytest.raises(ModelError, match=r"too deeply|divisions"):
        parse(text)


@pytest.mark.parametrize("text", ["(" * 80 + "a" + ")" * 80, "1+a*(" * 50 + "a" + ")" * 50, "-" * 5000 + "a"])
def test_reasonable_nesting_is_fine(text):
    assert math.isfinite(value(parse(text), NAMES))


def test_names_keep_their_spelling_and_functions_do_not():
    node = parse("Sin(Alpha)")
    assert isinstance(node, Call)
    assert node.function == "sin"
    assert isinstance(node.arguments[0], Name)
    assert node.arguments[0].name == "Alpha"


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("2*3<4", ["2*3<4"]),
        ("a+(t>5+1)", ["t>5+1"]),
        ("a*(t>5)", []),
        ("t>-5", []),
        ("(a+1)<(b+1)", []),
        ("if(a+1<b)then(1)else(2)", []),
        ("if((a+1<b)&(c>1))then(a+1<b)else(2)", ["a+1<b"]),
    ],
)
def test_comparisons_that_others_read_differently_are_noted(text, doubtful):
    doubts: list[str] = []
    parse(text, doubts)
    assert doubts == doubtful


LISTS = [
    ("a=1,b=2", {"a": 1, "b": 2}),
    ("r=27 s=10 b=2.66", {"r": 27, "s": 10, "b": 2.66}),
    ("a = 1 , b= -2", {"a": 1, "b": -2}),
    ("x=1.5,y", {"x": 1.5, "y": None}),
    ("x y=2 z", {"x": None, "y": 2, "z": None}),
    ("a=2*(3 + 4) b=max(1, 2), c", {"a": 14, "b": 2, "c": None}),
    ("a=1,", {"a": 1}),
    ("", {}),
]


@pytest.mark.parametrize(("text", "expected"), LISTS)
def test_lists_with_commas_or_blanks(text, expected):
    found = {name: None if node is None else value(node, {}) for name, node in parse_entries(text)}
    assert found == expected


@pytest.mark.parametrize("text", ["a=", "a=,b=1", "=1", "1", "a==1", "a=1,,b=2", "a=(1"])
def test_lists_that_are_wrong(text):
    with pytest.raises(ModelError, match="expected"):
        parse_entries(text)


numbers = st.floats(0.1, 9, allow_nan=False).map(lambda number: f"{number:.3g}")


@given(
    st.recursive(
        numbers,
        lambda part: st.one_of(
            st.tuples(part, st.sampled_from("+-*/"), part).map(lambda p: f"({p[0]}){p[1]}({p[2]})"),
            st.tuples(part, part).map(lambda p: f"{p[0]} + {p[1]}"),
            part.map(lambda p: f"-({p})"),
        ),
        max_leaves=12,
    )
)
def test_arithmetic_agrees_with_python(text):
    try:
        expected = eval(text)  # Python as the reference for text made of numbers and operators only
    except ZeroDivisionError:
        return
    assert value(parse(text), {}) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(["(", ")", "a", "2", "^", "-", "if", "then", "<", ",", "e"])).map("".join)
)
def test_any_text_is_an_expression_or_a_model_error(text):
    try:
        node = parse(text)
    except ModelError:
        return
    assert isinstance(node, (Number, Name, Call))
