"""Dose rows of tables."""

import pytest

from parfit.data.doses import dose_of, is_event, is_missing, says_nothing, with_dose
from parfit.errors import DataError
from parfit.model.conditions.design import Dose
from parfit.model.model import Model

MODEL = Model.from_text("par k=1\ngut'=-k*gut\ncen'=k*gut\ndone\n")
NAN = float("nan")


def dose(compartment="", **given):
    return dose_of(3.0, given, compartment, MODEL)


def test_a_bolus_goes_into_the_state_that_is_named_or_numbered():
    assert dose(amt=5.0) == Dose("gut", 5.0, (3.0,))
    assert dose("CEN", amt=5.0) == dose("2", amt=5.0, evid=1.0) == Dose("cen", 5.0, (3.0,))


def test_further_doses():
    assert dose(amt=5.0, ii=24.0, addl=2.0) == Dose("gut", 5.0, (3.0, 27.0, 51.0))
    assert dose(amt=5.0, ii=24.0, addl=NAN) == Dose("gut", 5.0, (3.0,))


def test_a_steady_state():
    assert dose(amt=5.0, ss=1.0, ii=12.0) == Dose("gut", 5.0, (3.0,), steady=12.0)
    assert dose(amt=5.0, ss=1.0, ii=12.0, addl=1.0) == Dose("gut", 5.0, (3.0, 15.0), steady=12.0)
    assert dose(amt=5.0, ss=0.0, ii=12.0) == Dose("gut", 5.0, (3.0,))


def test_infusions_by_rate_and_by_duration():
    assert dose(amt=6.0, rate=3.0) == dose(amt=6.0, dur=2.0) == dose(amt=6.0, rate=3.0, dur=2.0)
    assert dose(amt=6.0, rate=3.0) == Dose("gut", 6.0, (3.0,), 2.0)
    assert dose(amt=6.0, rate=0.0) == Dose("gut", 6.0, (3.0,))


def test_resets_and_what_changes_nothing():
    assert dose(evid=3.0) == Dose("", 0.0, (3.0,), resets=True)
    assert dose(amt=2.0, evid=4.0) == Dose("gut", 2.0, (3.0,), resets=True)
    assert dose(evid=2.0) is None


def test_a_reset_ends_infusions_under_way_and_only_its_first_dose_resets():
    before = [Dose("cen", 100.0, (1.0, 8.0), 10.0), Dose("gut", 5.0, (0.0,))]
    after = with_dose(before, Dose("gut", 7.0, (9.0, 21.0), resets=True))
    assert after == [
        Dose("cen", 80.0, (1.0,), 8.0),
        Dose("cen", 10.0, (8.0,), 1.0),
        Dose("gut", 5.0, (0.0,)),
        Dose("gut", 7.0, (9.0,), resets=True),
        Dose("gut", 7.0, (21.0,)),
    ]
    again = with_dose(after, Dose("", 0.0, (30.0,), resets=True))
    assert again == [*after, Dose("", 0.0, (30.0,), resets=True)]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (Dose("gut", 5.0, (0.0, 12.0, 24.0)), "further doses .addl. of gut are to come at the reset at 12"),
        (Dose("gut", 5.0, (0.0,), 20.0, steady=24.0), "the reset at 12 ends an infusion of a steady state"),
    ],
)
def test_a_reset_that_leaves_open_what_follows(before, said):
    with pytest.raises(DataError, match=said):
        with_dose([before], Dose("", 0.0, (12.0,), resets=True))


def test_what_stands_beside_an_event_was_not_observed_where_the_row_says_so():
    assert says_nothing({"evid": 2.0})
    assert says_nothing({"evid": 1.0, "mdv": 1.0})
    assert not says_nothing({"evid": 1.0, "mdv": NAN})


def test_which_rows_are_doses():
    assert is_event({"amt": 5.0})
    assert is_event({"evid": 3.0, "amt": NAN})
    assert not any(is_event(given) for given in ({"amt": NAN}, {"amt": 0.0}, {"amt": 5.0, "evid": 0.0}, {}))
    assert is_missing({"mdv": 1.0})
    assert not is_missing({"mdv": NAN})


@pytest.mark.parametrize(
    ("compartment", "given", "said"),
    [
        ("", {"amt": 1.0, "evid": 5.0}, "evid 5 is not supported"),
        ("liver", {"amt": 1.0}, "'liver' in column 'cmt' is no state of the model; expected one of gut, cen"),
        ("3", {"amt": 1.0}, "'3' in column 'cmt' is no state"),
        ("", {"amt": 1.0, "addl": 3.0}, "addl needs ii"),
        ("", {"amt": 1.0, "addl": -1.0, "ii": 1.0}, "addl is -1"),
        ("", {"amt": 1.0, "addl": 1.5, "ii": 1.0}, "1.5 in column 'addl' is no whole number"),
        ("", {"amt": 1.0, "ss": 2.0, "ii": 12.0}, "ss 2 is not supported"),
        ("", {"amt": 1.0, "ss": 1.0}, "ss needs ii"),
        ("", {"amt": 6.0, "dur": 13.0, "ss": 1.0, "ii": 12.0}, "takes 13 is not over when the next begins after 12"),
        ("", {"amt": 1.0, "rate": -2.0}, "below 0"),
        ("", {"amt": 6.0, "rate": 3.0, "dur": 1.0}, "rate 3 and dur 1 do not give amt 6"),
        ("", {"evid": 1.0}, "the amount of the dose is missing"),
    ],
)
def test_what_is_wrong_is_explained(compartment, given, said):
    with pytest.raises(DataError, match=said):
        dose(compartment, **given)
