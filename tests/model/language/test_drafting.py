"""A model that is being typed: what is wrong is told at once, what is missing is known, and the end is a model."""

import pytest

from parfit.errors import ModelError
from parfit.model.language.drafting import DEFINITION, EQUATION, START, VALUE, Draft, Missing
from parfit.model.language.reader import model_from_text


def typed(*lines):
    draft = Draft()
    for line in lines:
        draft = draft.with_line(line)
    return draft


def test_a_draft_grows_into_a_model():
    draft = typed("# decay", "x'=-k*x", "par k=.5", "x(0)=3")
    assert draft.missing == []
    model = model_from_text(draft.text)
    assert (model.states, model.parameters, model.values.tolist()) == (("x",), ("k",), [0.5])
    assert draft.text.startswith("# decay\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("y'=-k*(x", "expected `)` at the end"),
        ("y''=1", "first derivative"),
        ("hello", "alone says nothing"),
        ("x'", "expected name'="),
        ("done", "ends the model"),
        ("par t=1", "`t` is the time"),
        ("y'=nofunction(x)", "unknown function `nofunction`"),
        ("k=k+1", "circular"),
        ("table z nofile.csv", "no such file"),
        ("remove zz", "there is no `zz` to remove"),
        ("aux x=3", "has the name of the state"),
        ("par x=3", "defined twice"),
    ],
)
def test_a_wrong_statement_is_told_and_changes_nothing(line, why):
    draft = typed("x'=-a*x", "x(0)=1")
    with pytest.raises(ModelError, match="(?s)" + why.replace("(", r"\(").replace(")", r"\)")) as caught:
        draft.with_line(line)
    assert caught.value.line is None  # there is only one
    assert draft.text == "x'=-a*x\nx(0)=1\n"


def test_statements_can_come_in_any_order():
    draft = typed("x(0)=x0", "rate=k*x*y", "x'=-rate", "aux total=x+y", "y'=rate", "y(0)=1")
    assert draft.missing == [Missing(DEFINITION, "x0"), Missing(DEFINITION, "k")]


def test_a_statement_typed_again_replaces_the_first():
    draft = typed("x'=-k*x", "x(0)=1", "x'=-k*x^2", "x(0)=2", "par k=1", "par k=3")
    model = model_from_text(draft.text)
    assert (model.states, model.values.tolist(), draft.text.count("x(0)")) == (("x",), [3.0], 1)
    assert typed("x'=-k*x", "aux z=x", "remove z").text == "x'=-k*x\n"


def test_what_is_missing():
    assert Draft().missing[0].what == EQUATION
    assert typed("par k=1").missing[0].what == EQUATION
    assert typed("y(0)=1").missing == [Missing(EQUATION, "y")]
    draft = typed("par a, b=2", "H'=a*H-b*H*L", "L'=c*H*L-d*L", "hill(s)=s^2/(K+s^2)")
    assert draft.missing == [
        *(Missing(DEFINITION, name) for name in ("c", "d", "K")),
        Missing(VALUE, "a"),
        Missing(START, "H"),
        Missing(START, "L"),
    ]
    assert typed("x'=sin(pi*t)", "x(0)=exp(1)").missing == []


def test_answers_complete_it():
    draft = typed("par a", "H'=a*H-b*H*L", "L'=0")
    for missing, answer in (
        (Missing(DEFINITION, "b"), "b=2*a"),
        (Missing(VALUE, "a"), "1e-3"),
        (Missing(START, "H"), "H0"),
        (Missing(DEFINITION, "H0"), "30"),
        (Missing(START, "L"), "L(0)=4"),
    ):
        draft = draft.with_answer(missing, answer)
    assert draft.missing == []
    model = model_from_text(draft.text)
    assert dict(zip(model.parameters, model.values.tolist(), strict=True)) == {"a": 1e-3, "H0": 30.0}
    assert [name for name, _ in model.quantities] == ["b"]


def test_loops_are_written_out():
    draft = typed("x[1..3]'=-k*x[j]", "x[1..3](0)=1", "par k=1")
    assert draft.missing == []
    assert model_from_text(draft.text).states == ("x1", "x2", "x3")
