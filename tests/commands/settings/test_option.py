"""OPTION."""

import numpy as np
import pytest

from parfit.session.records import OF_1977, Display, Options
from parfit.simulation.method import ACCURATE, MANUAL, Method
from parfit.text.details import written_out
from parfit.text.options import option_line

# The defaults of the manual, Appendix A, OPTION, in the order of their numbers.
OF_THE_MANUAL = (0, 1, 0, 1, 0.01, 0.00001, 5, 2)
DEFAULTS = (0, 1, 0, 2, 1e-6, 0, np.inf, 1)
WORDS = ("OUTPUT", "OPTOUTPUT", "JACOBIAN", "METHOD", "EPS", "HMIN", "HMAX", "PROCEDURE")


def test_the_defaults_are_accurate_and_one_word_leads_to_the_manuals(session):
    assert session.env.options == Options()
    assert Options().controls == DEFAULTS
    assert not session.env.options.of_1977
    said = session("OPTION 1977")
    assert session.env.options == OF_1977
    assert session.env.options.controls == OF_THE_MANUAL
    assert session.env.options.of_1977
    assert "OPTION ACCURATE restores" in said
    session("OPTION ACCURATE")
    assert session.env.options == Options()
    assert session.entries == ["OPTION 1977", "OPTION ACCURATE"]


def test_the_words_stand_with_other_pairs(session):
    session("OPTION EPS .5 1977 PROCEDURE GEAR EPS 1e-8 HMIN 0")
    assert session.env.options.controls == (0, 1, 0, 1, 1e-8, 0, 5, 1)
    assert session.env.options.of_1977, "other values are set, all else is the manual's"
    session("OPTION OUTPUT 3 JACOBIAN LEAST", "OPTION ACCURATE EPS 1e-9")
    assert session.env.options.controls == (3, 1, 1, 2, 1e-9, 0, np.inf, 1)
    assert not session.env.options.of_1977
    session("OPTION 1977")
    assert session.env.options.controls == OF_THE_MANUAL, "all of them"


def test_the_words_in_conversation(session):
    session.typed("OPTION", "1977", "8", "1", "0")
    assert session.env.options.controls == (*OF_THE_MANUAL[:-1], 1)
    session.typed("OPTION", "ACC", "7", "3", "")
    assert session.env.options.method == Method(h_max=3.0)
    session.typed("OPTION", "HMAX", "NONE", "0")
    assert session.env.options.method == ACCURATE
    assert session.entries[-1] == "OPTION HMAX NONE"


@pytest.mark.parametrize(
    ("present", "wanted", "line"),
    [
        (MANUAL, ACCURATE, "OPTION ACCURATE"),
        (Method("trapezoid"), ACCURATE, "OPTION ACCURATE"),
        (MANUAL, Method(eps=1e-8), "OPTION ACCURATE EPS 1e-8"),
        (ACCURATE, Method(eps=1e-8), "OPTION EPS 1e-8"),
        (Method(eps=1e-8), Method(eps=1e-10), "OPTION EPS 1e-10"),
        (ACCURATE, Method(h_max=0.25), "OPTION HMAX 0.25"),
        (MANUAL, Method(h_max=100), "OPTION ACCURATE HMAX 100"),
        (ACCURATE, Method("trapezoid"), "OPTION PROCEDURE TRAPEZOIDAL"),
    ],
)
def test_the_line_that_is_advised_does_it_and_is_short(begin, present, wanted, line):
    assert option_line(present, wanted) == line
    session = begin(keeping=False)
    before = [option_line(ACCURATE, present)] if present != ACCURATE else []
    session(*before, line)
    assert session.env.options.method == wanted


def test_a_largest_step_that_was_chosen_survives_the_advice():
    assert Method("gear", "bdf", 1e-3, 0.0, 0.25).accurate() == Method(h_max=0.25)
    assert MANUAL.accurate(1e-8) == Method(eps=1e-8)


def test_the_menu_is_the_manuals(session):
    typist = session.typed("OPTION", "0")
    menu = typist.asked[1][1].split("\n")
    assert menu[0] == "DESIGNATE CONTROL PARAMETER AND NEW VALUE (0 TO END)"
    assert [line[-1] for line in menu[1:9]] == list("12345678")
    assert [line.split("-")[-1] for line in menu[9:]] == ["9", "1977"], "and ours"
    for line, words in zip(
        menu[1:9],
        [
            "OUTPUT-",
            "INT. OUTPUT IN OPT.",
            "JACOBIAN",
            "GEAR'S METHOD",
            "EPS",
            "HMIN",
            "HMAX",
            "INTEGRATION PROCEDURE",
        ],
        strict=True,
    ):
        assert line.startswith(words)


CHANGES = [
    (1, "5", 5),
    (2, "0", 0),
    (2, "YES", 0),
    (2, "NO", 1),
    (3, "1", 1),
    (3, "LEAST", 1),
    (3, "FULL", 0),
    (4, "0", 0),
    (4, "ADAMS", 0),
    (4, "STIFF", 1),
    (4, "2", 2),
    (4, "AUTOMATIC", 2),
    (5, "1e-4", 1e-4),
    (5, ".5D-3", 0.5e-3),
    (6, "0", 0.0),
    (6, "1E-7", 1e-7),
    (7, "2.5", 2.5),
    (7, "NONE", np.inf),
    (8, "1", 1),
    (8, "GEAR", 1),
    (8, "TRAP", 2),
]


@pytest.mark.parametrize("form", ["number", "word", "cards", "beginning"])
@pytest.mark.parametrize(("number", "text", "value"), CHANGES)
def test_every_control_parameter(begin, number, text, value, form):
    session = begin(keeping=False)
    word = WORDS[number - 1]
    short = next(word[:n] for n in range(1, 12) if sum(each.startswith(word[:n]) for each in WORDS) == 1 or n == 11)
    lines = {
        "number": [f"OPTION {number} {text}"],
        "word": [f"option {word.lower()} {text.lower()}"],
        "cards": ["OPTION", f"{number}", text, "0"],
        "beginning": [f"OPT {short} {text}"],
    }[form]
    said = session(*lines)
    assert session.env.options.controls == (*DEFAULTS[: number - 1], value, *DEFAULTS[number:])
    row = next(line for line in said.split("\n") if line.startswith(f"{number}  "))
    assert (f"{value:g}" if np.isfinite(value) else "none") in row


def test_several_at_once_and_what_they_mean(session):
    session("OPTION 8 1 4 0 5 1e-5 6 1e-9 7 .5")
    method = session.env.options.method
    assert (method.procedure, method.formula) == ("gear", "adams")
    assert (method.eps, method.h_min, method.h_max) == (1e-5, 1e-9, 0.5)
    session("OPTION METHOD STIFF")
    assert session.env.options.method.formula == "bdf"
    session("OPTION METHOD AUTO PROCEDURE TRAP")
    assert session.env.options.method.formula == "auto"
    assert session.env.options.method.procedure == "trapezoid"


def test_the_integration_follows_them(session):
    session("INTEG N")
    assert session.env.integration.trajectory.simulator.method == ACCURATE
    session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0 HMAX .25", "INTEG N")
    run = session.env.integration.trajectory
    assert run.simulator.method == session.env.options.method
    assert run.counts.steps >= 50, "12.5 in steps of at most .25"


@pytest.mark.of_1977
def test_output_is_written_out_every_n_steps(session):
    session("INTEG N")
    assert session.env.details == ()
    session("OPTION 1 5", "INTEG N")
    rows = [line.split() for line in written_out(session.env.model, session.env.details)]
    assert rows[0] == ["t", "step", "order", "y1", "y2"]
    assert [float(row[0]) for row in rows[1:]] == [2.5, 5, 7.5, 10, 12.5], "25 steps of .5"
    assert {row[1] for row in rows[1:]} == {"0.5"}
    session("OPTION 1 0", "INTEG N")
    assert session.env.details == (), "emptied before the next use"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("OPTION 10 1", "'10' is not on the menu"),
        ("OPTION SPEED 1", "'SPEED' is not on the menu"),
        ("OPTION H 1", "could be several; enter 6 or HMIN, 7 or HMAX"),
        ("OPTION 8 3", "'3' is not on the menu; enter 1 or GEAR, 2 or TRAPEZOIDAL"),
        ("OPTION 4 3", "'3' is not on the menu"),
        ("OPTION 1 -1", "enter a whole number from 0"),
        ("OPTION 1 1.5", "enter a whole number"),
        ("OPTION EPS 0", "EPS must lie between"),
        ("OPTION EPS 2", "EPS must lie between"),
        ("OPTION EPS x", "'x' is not a number"),
        ("OPTION 1977 HMIN 6", "HMIN (6) and HMAX (5)"),
        ("OPTION ACCURATE 1", "an answer is needed: NEW VALUE"),
        ("OPTION EPS NONE", "'NONE' is not a number"),
        ("OPTION HMIN -1", "HMIN (-1)"),
        ("OPTION HMAX 0", "HMAX (0)"),
        ("OPTION 5", "an answer is needed: NEW VALUE"),
    ],
)
def test_what_does_not_fit_is_refused(session, line, message):
    assert message in session.refused(line)


def test_limits_that_fit_only_together_are_set_together(session):
    session("OPTION HMIN 6 HMAX 7")
    assert (session.env.options.method.h_min, session.env.options.method.h_max) == (6, 7)


def test_a_wrong_number_is_asked_for_again_and_what_was_entered_stays(session):
    """Neither at once, nor at the end where numbers do not fit together, is a dialogue thrown away."""
    typist = session.typed("OPTION", "8 1 4 0", "5 -1", "1e-4", "6 -2", "10", "7 5", "0", "7 20", "0")
    assert typist.n_left == 0
    for message in ("EPS must lie between", "HMIN (-2)", "HMIN (10) and HMAX (5)"):
        assert message in session.errors
    how = session.env.options.method
    assert (how.procedure, how.formula, how.eps, how.h_min, how.h_max) == ("gear", "adams", 1e-4, 10, 20)


# ---- what is shown and said


@pytest.mark.parametrize(
    ("line", "display", "entry"),
    [
        ("OPTION PICTURES SIXEL", Display(pictures="SIXEL"), "OPTION PICTURES SIXEL"),
        ("option pic text", Display(pictures="TEXT"), "OPTION PICTURES TEXT"),
        ("OPTION SHOW Y1", Display(shown=("y1",)), "OPTION SHOW y1"),
        ("OPTION SHOW y2 y1 y2 EACH", Display(shown=("y2", "y1"), each=True), "OPTION SHOW y2 y1 y2 EACH"),
        ("OPTION SHOW EACH", Display(each=True), "OPTION SHOW EACH"),
        ("OPTION SHOW OFF", Display(shown=()), "OPTION SHOW OFF"),
        ("OPTION TALK BR", Display(talk="BRIEF"), "OPTION TALK BRIEF"),
        ("OPTION SHOW y1 TALK FULL", Display(shown=("y1",), talk="FULL"), "OPTION SHOW y1 TALK FULL"),
        ("OPTION SHOW OFF SHOW y1", Display(shown=("y1",)), "OPTION SHOW OFF SHOW y1"),
    ],
)
def test_what_is_shown_and_said(begin, line, display, entry):
    session = begin(keeping=False)
    before = session.env
    said = session(line)
    assert session.env.display == display
    assert session.env.options == before.options
    assert session.entries == [entry]
    assert f"TALK {display.talk}" in said
    session("OPTION PICTURES AUTO SHOW ALL TALK NORMAL")
    assert session.env.display == Display()


def test_they_stand_with_control_parameters_and_undo_takes_them_back(session):
    session("OPTION SHOW y1 EPS 1e-4 TALK BRIEF HMAX 2")
    assert session.env.display == Display(shown=("y1",), talk="BRIEF")
    assert (session.env.options.method.eps, session.env.options.method.h_max) == (1e-4, 2.0)
    assert "PICTURES AUTO; SHOW y1; TALK BRIEF" in session("REPORT 10")
    session("OPTION 1977")
    assert session.env.display == Display(shown=("y1",), talk="BRIEF"), "which are no defaults of the manual"
    session("UNDO 2")
    assert session.env.display == Display()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("OPTION PICTURES JPEG", "'JPEG' will not do here; enter AUTO, KITTY, SIXEL, TEXT"),
        ("OPTION TALK", "HOW MUCH IS SAID"),
        ("OPTION SHOW y9", "'y9' will not do here; enter ALL, EACH, OFF; the variables are y1, y2"),
        ("OPTION SHOW OFF y1", "stands alone"),
        ("OPTION SHOW ALL y1", "not both"),
        ("OPTION SHOW y1 y9", "'y9' is no variable, nor a control parameter; the variables are y1, y2"),
    ],
)
def test_what_cannot_be_shown_is_refused(session, line, reason):
    assert reason in session.refused(line)
    assert session.env.display == Display()


def test_pictures_that_commands_draw_by_themselves(session):
    assert "y2 smoothed" in session("SMOOTH SPLINE 2 4 8 2 7 10.5")
    said = session("OPTION SHOW y1", "SMOOTH SPLINE 2 4 8 2 7 10.5")
    assert "y1 smoothed" in said
    assert "y2 smoothed" not in said
    said = session("OPTION SHOW OFF", "SMOOTH SPLINE 2 4 8 2 7 10.5")
    assert "┌" not in said
    assert "y2 smoothed" in session("PLOT SMOOTHED"), "which is told what to draw"


def test_how_much_is_said(session):
    menu, hint = "CUBIC HERMITE", "piecewise cubic with one"
    shown = {}
    for talk in ("NORMAL", "BRIEF", "FULL"):
        session(f"OPTION TALK {talk}")
        asked = session.typed("SMOOTH", "1", "AUTO", "AUTO", "N").asked[1][1]
        shown[talk] = menu in asked, hint in asked
    assert shown == {"NORMAL": (True, False), "BRIEF": (False, False), "FULL": (True, True)}
    session("OPTION TALK BRIEF")
    assert "(derivatives" not in session("SMOOTH SPLINE AUTO AUTO")
    session("OPTION TALK NORMAL")
    assert "(derivatives" in session("SMOOTH SPLINE AUTO AUTO")
