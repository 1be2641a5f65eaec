"""TRY."""

from parfit.errors import DONE
from parfit.session.sources import Script


def test_what_is_tried_may_fail_without_ending_a_script(begin):
    session = begin()
    code, _, warned = session.obey(Script(["TRY SET p9=3", "SET p1=7"], "x.pft"))
    assert code == DONE
    assert "x.pft:1: " in warned
    assert session.env.values[0] == 7


def test_the_answers_of_what_was_tried_are_passed_over(begin):
    session = begin()
    assert session.obey(Script(["TRY SET", "p9", "3", "SET p1=7"], "x.pft"))[0] == DONE
    assert session.env.values[0] == 7


def test_what_is_tried_with_success_is_written_down_as_itself(begin):
    session = begin()
    session("TRY SET p1=7")
    assert session.entries == ["SET p1 7"]


def test_trying_nothing(begin):
    assert "TRY needs a command" in begin().refused("TRY")
