"""`experiment ...: ...` and `local ...`."""

import pytest

from parfit.errors import ModelError
from parfit.model.language.statements import read_statements


def test_a_statement_for_some_experiments():
    (found,) = read_statements("experiment low, high: init a=1, b=2")
    assert (found.kind, found.arguments) == ("experiment", ("low", "high"))
    assert [(item.kind, item.name) for item in found.inner] == [("initial value", "a"), ("initial value", "b")]


def test_local_parameters_and_groups():
    one, two = read_statements("local k1, k2")
    assert [(one.name, one.arguments), (two.name, two.arguments)] == [("k1", ()), ("k2", ())]
    (groups,) = read_statements("local k1 low+mid, high")
    assert (groups.name, groups.arguments) == ("k1", ("low+mid", "high"))


def test_doses_of_one_experiment():
    (found,) = read_statements("experiment fed: dose gut=50 over 2 at 0(24)144")
    assert found.inner[0].jump is not None
    assert len(found.inner[0].jump.times) == 7


def test_what_is_set_while_equations_come_to_rest():
    (found,) = read_statements("rest ligand=0, a(0)=max(1,2)")
    assert [(item.kind, item.name) for item in found.inner] == [("constant", "ligand"), ("initial value", "a")]
    (alone,) = read_statements("rest")
    assert (alone.kind, alone.inner) == ("rest", ())
    (scoped,) = read_statements("experiment low: rest ligand=1")
    assert scoped.inner[0].kind == "rest"
    (quantity,) = read_statements("rest=3*x")
    assert quantity.kind == "quantity"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rest ligand", "`ligand` sets nothing; expected rest, or rest ligand=0"),
        ("rest ligand=", "sets nothing; expected rest, or rest ligand=0"),
        ("experiment low init a=1", "expected experiment low, high: init a=1"),
        ("experiment low:", "expected experiment low, high: init a=1"),
        ("experiment low: x'=1", "cannot differ between experiments"),
        ("experiment low: aux q=1", "cannot differ between experiments"),
        ("local", "expected local k1, k2"),
        ("local k1 low mid", "expected local k1, k2"),
        ("local k1 low, low+mid", "belongs to two groups"),
        ("local k1, 2k", "expected names of parameters"),
    ],
)
def test_what_is_wrong_is_explained(line, said):
    with pytest.raises(ModelError) as error:
        read_statements(f"par k1=1\n{line}\n")
    assert said in error.value.message
    assert error.value.line == 2
