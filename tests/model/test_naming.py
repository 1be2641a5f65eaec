"""Parameters by name."""

import numpy as np
import pytest

import parfit
from parfit.errors import ParfitError
from parfit.model.naming import experiment_of, family, in_all, place_of, spelled, told_apart, values_with

NAMES = ("ka", "Ke", "v")
MODEL = parfit.Model.from_text("par ka=1, ke=.5\nx'=-ka*x+ke\nx(0)=2\n")


def test_names_are_found_whatever_their_case():
    assert [place_of(name, NAMES) for name in ("KA", "ke", "V")] == [0, 1, 2]
    assert spelled("KE", NAMES) == ["Ke"]
    assert spelled(["v", "ke"], NAMES) == ["v", "Ke"]


def test_an_unknown_name_is_refused_with_what_could_be_meant():
    with pytest.raises(ParfitError, match=r"no parameter 'kaa'; did you mean ka\?"):
        place_of("kaa", NAMES)
    with pytest.raises(ParfitError, match="there are ka, Ke, v"):
        place_of("zzz", NAMES)


def test_a_mapping_changes_some_values_and_an_array_all():
    own = np.array([1.0, 2.0, 3.0])
    assert values_with(NAMES, own, {"ke": 9}).tolist() == [1.0, 9.0, 3.0]
    assert values_with(NAMES, own, [4, 5, 6]).tolist() == [4.0, 5.0, 6.0]
    assert values_with(NAMES, own).tolist() == own.tolist()
    assert own.tolist() == [1.0, 2.0, 3.0], "what was given is not changed"


@pytest.mark.parametrize("given", [{"ka": "many"}, {"ka": None}, [1, 2], "abc"])
def test_what_is_no_value_is_refused(given):
    with pytest.raises(ParfitError, match="must be"):
        values_with(NAMES, np.ones(3), given)


def test_a_simulation_takes_parameters_by_name():
    """x' = -ka x + ke has the solution ke / ka + (2 - ke / ka) exp(-ka t)."""
    t = np.array([0.5, 1.0, 3.0])
    run = parfit.simulate(MODEL, t, {"KA": 2}, method=parfit.Method(eps=1e-10), sensitivities=True, active=["ke"])
    np.testing.assert_allclose(run.y[:, 0], 0.25 + 1.75 * np.exp(-2 * t), rtol=1e-8)
    np.testing.assert_allclose(run.s[:, 0, 0], (1 - np.exp(-2 * t)) / 2, rtol=1e-7)


def test_a_name_stands_for_its_family():
    names = ("k[low]", "k[high]", "b", "K2")
    assert family("K", names) == ["k[low]", "k[high]"]
    assert family("k[HIGH]", names) == ["k[high]"]
    assert family("k2", names) == ["K2"]
    assert family("kk", names) == []
    assert spelled(["b", "k"], names) == ["b", "k[low]", "k[high]"]
    assert values_with(names, np.zeros(4), {"k": 3.0, "b": 1.0}).tolist() == [3.0, 3.0, 1.0, 0.0]


def test_names_of_all_experiments_in_few_words():
    among = ("a[low]", "a[high]", "z[low]", "z[high]", "b")
    assert in_all(["a[low]", "a[high]", "z[low]", "b"], among) == ["a", "z[low]", "b"]
    assert [experiment_of(name) for name in ("a[low]", "b")] == ["low", ""]


@pytest.mark.parametrize("given", [{"ka": "1"}, {"ka": b"1"}, ["1", 2, 3], np.array(["1", "2", "3"])])
def test_text_is_no_number_even_if_it_looks_like_one(given):
    with pytest.raises(ParfitError, match="must be"):
        values_with(NAMES, np.ones(3), given)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["k", "k_phosphorylation"], ["k", "k_phosph.."]),
        (["k_phosphorylation", "k_phosphorylases"], ["k_ph..tion", "k_ph..ases"]),
        (["k_phospho_1_rylation", "k_phospho_2_rylation"], ["k_phospho_1_rylation", "k_phospho_2_rylation"]),
    ],
)
def test_names_are_cut_but_never_look_alike(names, shown):
    assert told_apart(names, 10) == shown
