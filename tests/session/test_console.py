"""What a console takes a terminal to be able to show."""

import io
import sys

import pytest

from parfit.session.console import Console, OutputLost, _broken


@pytest.mark.parametrize(
    ("locale", "unicode"),
    [
        ({}, True),
        ({"LANG": "en_US.UTF-8"}, True),
        ({"LANG": "C.UTF-8"}, True),
        ({"LANG": "C"}, False),
        ({"LANG": "POSIX"}, False),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, True),
        ({"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, True),
        ({"LANG": "en_US.UTF-8", "LC_CTYPE": "C"}, False),
    ],
)
def test_unicode_is_for_those_who_did_not_choose_the_c_locale(monkeypatch, locale, unicode):
    for name in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    assert Console(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")).unicode is unicode
    assert not Console(io.TextIOWrapper(io.BytesIO(), encoding="ascii")).unicode


def test_what_python_makes_of_the_c_locale_is_not_what_the_user_chose(monkeypatch):
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv("LC_CTYPE", "C.UTF-8")  # as Python sets it for itself, in UTF-8 mode
    assert Console(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")).unicode is (not sys.flags.utf8_mode)


@pytest.mark.parametrize(
    "show",
    [lambda console: console.say("x"), lambda console: console.redraw("x", 0), lambda console: console.erase(2)],
)
def test_a_terminal_that_is_lost_is_no_mistake_of_ours(show):
    class Lost(io.StringIO):
        def write(self, text):
            raise OSError(5, "Input/output error")

    with pytest.raises(OutputLost):
        show(Console(Lost(), io.StringIO()))


def test_a_long_line_goes_on_indented():
    """Four columns further in than it begins."""
    assert _broken("  one two three four five six seven", 20) == "  one two three four\n      five six seven"
    assert _broken("short", 20) == "short"
    assert _broken("\x1b[1m" + "x " * 30, 20) == "\x1b[1m" + "x " * 30, "a picture"
