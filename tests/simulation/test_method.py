"""The ways to integrate, and the OPTION commands that lead from one to another."""

from dataclasses import replace

import pytest

from parfit.errors import ParfitError
from parfit.simulation.method import ACCURATE, MANUAL, Method, refusal
from parfit.text.options import option_line


def test_the_defaults_are_accurate_and_those_of_the_manual_are_not():
    """Appendix A, OPTION: EPS .01, HMIN .00001, HMAX 5."""
    assert Method() == ACCURATE
    assert (MANUAL.procedure, MANUAL.eps, MANUAL.h_min, MANUAL.h_max) == ("trapezoid", 0.01, 1e-5, 5.0)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"procedure": "euler"}, "'euler' is no integration procedure"),
        ({"formula": "x"}, "'x' is no family of formulas"),
        ({"eps": 0.0}, "EPS"),
        ({"eps": float("nan")}, "EPS"),
        ({"h_min": 2.0, "h_max": 1.0}, "HMIN"),
        ({"h_max": 0.0}, "HMAX"),
        ({"max_steps": 0}, "limit of steps"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, word):
    with pytest.raises(ParfitError, match=word):
        Method(**wrong)


def test_a_refusal_is_a_sentence():
    assert refusal() is None
    assert refusal(eps=7.0).startswith("will not do: EPS must lie between")


def test_the_shortest_command(begin):
    """Obeyed, it leads where it should, from wherever one is."""
    coarse = Method("gear", "adams", 1e-3, 0.0, 0.5)
    assert option_line(MANUAL, ACCURATE) == "OPTION ACCURATE"
    assert option_line(ACCURATE, replace(ACCURATE, eps=1e-8)) == "OPTION EPS 1e-8"
    for present in (ACCURATE, MANUAL, coarse):
        for wanted in (ACCURATE, MANUAL, coarse, replace(MANUAL, eps=2.5e-7)):
            session = begin(keeping=False)
            for line in (option_line(ACCURATE, present), option_line(present, wanted)):
                if line != "OPTION":
                    session(line)
            assert session.env.options.method == wanted


def test_a_largest_step_that_was_chosen_stays():
    assert MANUAL.accurate() == ACCURATE
    assert replace(MANUAL, h_max=0.25).accurate(1e-8) == replace(ACCURATE, eps=1e-8, h_max=0.25)
