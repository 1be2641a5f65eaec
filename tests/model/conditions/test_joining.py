"""Several experiments as one model."""

import pytest

from parfit.errors import ModelError
from parfit.model.conditions.design import Condition, Design
from parfit.model.conditions.joining import begun_at, joined
from parfit.model.model import Model

TEXT = "par k=.5, v=2\nnumber c=2\na'=-k*a*c\nq=v*a\naux half=q/2\ninit a=3\nset first {k=9}\ndone\n"
THREE = tuple(map(Condition, ("low", "mid", "high")))


def model(*lines):
    return Model.from_text(TEXT.replace("done", "\n".join([*lines, "done"])))


def test_names_are_those_of_the_model_with_the_experiment():
    found = joined(model("local k"), Design(THREE))
    assert found.parameters == ("k[low]", "k[mid]", "k[high]", "v")
    assert found.values.tolist() == [0.5, 0.5, 0.5, 2.0]
    assert found.states == ("a[low]", "a[mid]", "a[high]")
    assert [name for name, _ in found.aux] == ["half[low]", "half[mid]", "half[high]"]
    assert found.sets == (("first", (("k[low]", 9.0), ("k[mid]", 9.0), ("k[high]", 9.0))),)
    assert [part.places for part in found.parts] == [(0, 3), (1, 3), (2, 3)]


def test_groups_share_and_who_is_in_none_keeps_the_common_value():
    assert joined(model("local k low+mid, high"), Design(THREE)).parameters == ("k[low+mid]", "k[high]", "v")
    assert joined(model("local k high"), Design(THREE)).parameters == ("k", "k[high]", "v")


def test_a_local_parameter_has_starting_values_of_its_own():
    found = joined(model("local k", "experiment mid: par k=7"), Design(THREE))
    assert found.values.tolist() == [0.5, 7.0, 0.5, 2.0]


def test_a_parameter_is_known_where_it_is_set_and_gone_if_it_is_set_everywhere():
    some = joined(model(), Design((Condition("low", {"v": 1.0}), Condition("high"))))
    assert some.parameters == ("k", "v")
    assert some.parts[0].model.parameters == ("k",)
    every = joined(model(), Design((Condition("low", {"v": 1.0}), Condition("high", {"v": 2.0}))))
    assert every.parameters == ("k",)


def test_without_experiments_it_is_the_model_that_was_written():
    written = model("local k")
    found = joined(written, Design(THREE))
    assert found.template is written
    assert found.source == written.source
    assert joined(found, None) is written
    assert joined(written, None) is written


def test_a_single_experiment_keeps_the_names_of_the_model():
    found = joined(model("local k"), Design((Condition("low", {"a(0)": 7.0}),)))
    assert (found.parameters, found.states, found.parts) == (("k", "v"), ("a",), ())


def test_all_begin_at_the_same_time():
    found = begun_at(joined(model(), Design(THREE)), -2.0)
    assert {found.t0, *(part.model.t0 for part in found.parts)} == {-2.0}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("local k low, lo", "there is no experiment lo in the data; expected some of low, mid, high"),
        ("experiment lo: init a=1", "there is no experiment lo in the data"),
        ("local c", r"`local c`: expected a parameter \(k, v\)"),
    ],
)
def test_what_is_unknown_is_named(line, said):
    with pytest.raises(ModelError, match=said) as error:
        joined(model(line), Design(THREE))
    assert error.value.line == 8


def test_it_is_made_once_for_a_design():
    written, design = model("local k"), Design(THREE)
    first = joined(written, design)
    assert joined(written, design) is first
    assert joined(first, design) is first
    assert joined(written, Design(THREE[:2])).states == ("a[low]", "a[mid]")
    assert joined(written, design).states == first.states


def test_experiments_under_the_same_conditions_share_a_model():
    pairs = [("low", 1.0), ("mid", 2.0), ("high", 1.0)]
    found = joined(model("local k"), Design(tuple(Condition(name, {"a(0)": value}) for name, value in pairs)))
    low, mid, high = (part.model for part in found.parts)
    assert low is high
    assert mid is not low
    low, mid, high = (part.model for part in begun_at(found, -1.0).parts)
    assert low is high
    assert (low.t0, mid.t0) == (-1.0, -1.0)


def test_what_holds_in_one_experiment_only_makes_a_model_of_its_own():
    found = joined(model("experiment mid: a(0)=4", "experiment high: dose a=1 at 2"), Design(THREE))
    assert len({id(part.model) for part in found.parts}) == 3
