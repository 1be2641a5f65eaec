"""CONTIN: the experiment of section 3.5 in conversation, its forms, what it remembers, proposes and refuses."""

import re
from dataclasses import replace

import numpy as np
import pytest
from coarse import ACCURATE, only, setting
from contrived import SMOOTH, contrived
from conversation import SCRIPT, assert_same
from smoothed import lotka_volterra, solved

from parfit.commands import TABLE
from parfit.commands.fitting import contin
from parfit.commands.help_text import about
from parfit.commands.table import Table
from parfit.data.observations import make_observations
from parfit.errors import DONE
from parfit.estimation.problems.continuation import ContinuationFit
from parfit.estimation.strategies import contin as strategy
from parfit.pictures.continuation import continued
from parfit.session.sources import Script
from parfit.text.details import written_out

contin = contin.contin
COMMANDS = Table([*(each for each in TABLE.commands if each.name != contin.name), contin])
BEST = 45.0918  # tests/estimation/test_continuation.py
BREAKS = "CONTIN .2 BREAKS .6 1.6 4.5 9.5"
REST = "LAMBDA 0.01 1e-06 1e-15"
ENTRY = f"CONTIN 0.2 BREAKS 4 8 14 22 ALPHA 0 0 WEIGHTS 1 1 1 1 {REST}"


@pytest.fixture
def open_session(begin):
    """A function that begins a session on the contrived data, or on others, without anything done."""

    def make(data=None, **more):
        case = contrived()
        return begin(case.model, case.observations if data is None else data, table=COMMANDS, **more)

    return make


@pytest.fixture
def session(open_session):
    """At IFIT's parameters, from which FIT cannot take a step."""
    session = open_session()
    session(SMOOTH, "IFIT")
    assert "cannot be integrated at the starting values" in session.refused("FIT")
    return session


@pytest.fixture
def replayed(open_session):
    """A check that the journal does the same again, one complete line at a time, and stays as it is."""

    def check(session, data=None):
        other = open_session(data)
        said = other.commands(*session.entries)
        assert "\n(" not in said, "a default was taken"
        assert_same(session.env, other.env)
        assert other.env.continuation == session.env.continuation
        assert other.entries == session.entries

    return check


def total(session):
    return session.env.sum_of_squares


# ---- section 3.5


@pytest.mark.parametrize(("option", "best"), [("OPTION PROCEDURE TRAP", BEST), (ACCURATE, 45.032)])
def test_break_points_and_gamma_then_fit(open_session, replayed, option, best):
    session = open_session()
    session(option, SMOOTH, "IFIT")
    said = session(BREAKS)
    assert "the full problem can be integrated: FIT goes on from here" in said
    assert f"SUM OF SQUARES OF THE FULL PROBLEM THERE {total(session):.7g}" in session.report
    session("FIT")
    assert total(session) == pytest.approx(best, abs=1e-3)
    replayed(session)


def test_gamma_alone_gets_stuck(session, replayed):
    """Table 3.5.1."""
    said = session("CONTIN .3 .6 .8 1")
    assert re.search(r"gamma 0\.\d+: the equations cannot be integrated .*; lower gamma \(CONTIN 0", session.errors)
    assert "the full problem cannot be integrated at these parameters" in session.errors
    reached = session.env.continuation.gamma
    assert 0.8 <= reached < 0.95
    rows = [line.split() for line in said.split("\n") if line.endswith("unstable")]
    gammas = [float(row[0]) for row in rows]
    assert gammas == sorted(gammas)
    assert gammas[-1] == reached
    assert len(gammas) > 4
    assert [f"{value:.7g}" for value in session.env.values] == rows[-1][1:5]
    assert session.entries[-1].split()[1 : len(gammas) + 1] == [row[0] for row in rows]
    assert "STOP" not in session.entries[-1]
    replayed(session)


@pytest.mark.of_1977
def test_break_points_alone_if_there_are_enough(session):
    message = session.refused("CONTIN 1 BREAKS 1.8 4. 7.5")
    assert "gamma 1: the equations cannot be integrated at the starting values" in message
    assert "on its step to t = 6.7" in message
    session("CONTIN 1 BREAKS .6 1. 1.8 4. 4.5 6. 7.5 10.", "FIT")
    assert total(session) == pytest.approx(BEST, abs=1e-3)


# ---- a start from which nothing can be integrated, not even to the first observation


HARD = setting((-1, -0.5, 0.5, 0.3))


def cycle(*names):
    """Exact observations of Lotka and Volterra's cycle (section 3.4)."""
    t = np.arange(1.0, 21.0)
    p1, p2, p3, p4 = lotka_volterra().model.values
    y = solved(lambda t, y: [p1 * y[0] - p2 * y[0] * y[1], -p3 * y[1] + p4 * y[0] * y[1]], [12.0, 2.0], t)
    return only(make_observations(t, ["y1", "y2"], y), *names)


@pytest.mark.parametrize("line", ["CONTIN .2 BREAKS ALL", "CONTIN .2 .6 1", "CONTIN 0 .5 1 BREAKS ALL STOP"])
def test_a_solution_that_blows_up_before_the_first_observation(open_session, replayed, line):
    data = cycle("y1", "y2")
    session = open_session(data)
    session(ACCURATE, HARD, "SMOOTH SPLINE AUTO AUTO")
    message = session.refused("FIT")
    assert float(re.search(r"at t = ([\d.]+)", message)[1]) < 1.0
    session(line, "FIT 3 1e-12")
    assert session.env.values == pytest.approx(contrived().model.values, rel=1e-5)
    replayed(session, data)


def test_it_says_that_no_break_point_can_help_there(open_session):
    session = open_session(cycle("y1", "y2"))
    session(ACCURATE, HARD, "SMOOTH SPLINE AUTO AUTO")
    message = session.refused("CONTIN 1 BREAKS ALL")
    assert "lower gamma (CONTIN 0.5 BREAKS ALL)" in message
    assert "add a break point" not in message


def test_a_state_that_was_not_observed(open_session, replayed):
    """Break points alone, and y2 goes on as it came."""
    data = cycle("y1")
    session = open_session(data)
    session(ACCURATE, setting((0.1, -0.005, 0.9, 0.1)), "SMOOTH SPLINE AUTO")
    assert "cannot be integrated at the starting values" in session.refused("FIT")
    assert "y2 has none; use 1 with BREAKS" in session.refused("CONTIN .5")
    assert "will not do for y2, not observed: enter 1" in session.refused("CONTIN 1 BREAKS ALL ALPHA 0 0")
    session("CONTIN 1 BREAKS ALL")
    assert session.env.continuation.alpha == (0.0, 1.0)
    session("FIT 3 1e-12")
    assert session.env.values == pytest.approx(contrived().model.values, rel=1e-4)
    replayed(session, data)


def test_without_all_states_only_break_points_are_proposed(open_session):
    session = open_session(cycle("y1"))
    session(ACCURATE, setting((0.1, -0.005, 0.9, 0.1)), "SMOOTH SPLINE AUTO")
    message = session.refused("CONTIN 1")
    assert "lower gamma" not in message
    assert "add a break point at t = 5 (CONTIN 1 BREAKS 6)" in message
    session(setting((-0.1, -0.05, 0.9, 0.1)))
    assert "insert sample times there (SAMPLE INSERT)" in session.refused("CONTIN 1 BREAKS ALL")


# ---- forms


@pytest.mark.of_1977
@pytest.mark.parametrize(
    "lines",
    [
        [BREAKS],
        ["CONTIN .2 BREAKS 4 8 14 22"],
        ["contin 0.2, breaks = 4, 8, 14, 22 alpha 0 weights 1 lambda .01"],
        ["CONTIN .2 W 1 1 1 1 L .01 1e-6 1e-15 A 0 0 B .6 8 4.5 22"],
        ["CONTIN", "4", "4 8 14 22", ".2", "0 0", "1 1 1 1", ".01 1e-6 1e-15"],
        ["CONTIN", "4", "4", "8", "14", "22", ".2", "0", "0", "1", "1", "1", "1", ".01", "1e-6", "1e-15"],
        ["CONTIN", "4 .6 1.6 4.5 9.5 .2"],
    ],
    ids=" / ".join,
)
def test_all_forms(session, replayed, lines):
    session(*lines)
    assert session.entries[-1] == ENTRY
    assert session.env.origin == ENTRY
    replayed(session)


def test_without_break_points(session, replayed):
    session("CONTIN", "0", ".2", ".01 1e-6 1e-6")
    assert session.entries[-1] == "CONTIN 0.2 BREAKS NONE ALPHA 0 0 LAMBDA 0.01 1e-06 1e-06"
    replayed(session)


def test_gamma_0_is_ifit(session):
    """Of which the linear problem was solved; here Marquardt's method begins there and stays."""
    before = session.env.values
    session("CONTIN 0")
    assert session.env.values == pytest.approx(before, rel=1e-6)


QUESTIONS = {
    "number": "ENTER NUMBER OF BREAK POINTS",
    "breaks": "ENTER SAMPLE TIME SUBSCRIPTS FOR BREAK POINTS",
    "gamma": "ENTER CONTINUATION PARAMETER",
    "weights": "ENTER WEIGHTS AT BREAK POINTS",
    "lambda": "ENTER STARTING LAMBDA, RELATIVE AND ABSOLUTE TOLERANCES FOR THE MARQUARDT PROCEDURE",
}


@pytest.mark.of_1977
def test_the_questions_at_a_terminal(session):
    typist = session.typed("CONTIN", "2", "4", "8", "", "", ".5", "", "2", "", "", "")
    assert typist.n_left == 0
    asked = [QUESTIONS["number"], QUESTIONS["breaks"], "ENTRY 2 OF 2", QUESTIONS["gamma"]]
    asked += [QUESTIONS["gamma"], "ENTRY 2 OF 2", QUESTIONS["weights"], "ENTRY 2 OF 2"]  # alpha's begins as gamma's
    asked += [QUESTIONS["lambda"], "RELATIVE TOLERANCE", "ABSOLUTE TOLERANCE"]
    assert typist.questions == asked
    assert session.entries[-1] == f"CONTIN 0.2 BREAKS 4 8 ALPHA 0 0.5 WEIGHTS 1 2 {REST}"


@pytest.mark.of_1977
def test_at_a_terminal_wrong_answers_are_asked_for_again(session):
    wrong = ["99", "2", "1", "8", "25", "4", "4.6", "9", "1.5", ".2", "-1", "0", "0", "-1", "1", "1", "", "", ""]
    typist = session.typed("CONTIN", *wrong)
    assert typist.n_left == 0
    messages = [
        "from 0 to 23",
        "from 2 to 24",
        "from 2 to 24",
        "does not come after",
        "nearest is 4.5, its subscript 14",
    ]
    messages += ["not between 0 and 1", "not between 0 and 1", "is negative"]
    assert all(message in session.errors for message in messages), session.errors
    assert session.entries[-1] == f"CONTIN 0.2 BREAKS 8 9 ALPHA 0 0 WEIGHTS 1 1 {REST}"


def test_a_question_mark_explains(session):
    session.typed("CONTIN", "?", "1", "?", "3", "?", ".2", "?", "0 0", "?", "1", "", "", "")
    for words in ("3 is a subscript", "CONTIN .2 .5 .8 1 goes", "begins anew", "just before it is drawn"):
        assert words in " ".join(session.output.split())
    assert "BREAKS: whole numbers are subscripts" in " ".join(about(contin).split())


# ---- what it remembers


def test_the_next_value_of_gamma_is_one_word(session, replayed):
    session("CONTIN .2 BREAKS .6 4.5 ALPHA .1 0 WEIGHTS 1 2 LAMBDA .1 1e-4 1e-9", "CONTIN .3")
    assert session.entries[-1] == "CONTIN 0.3 BREAKS 4 14 ALPHA 0.1 0 WEIGHTS 1 2 LAMBDA 0.1 0.0001 1e-09"
    session("CONTIN .4 BREAKS .6 1.6 4.5")
    assert session.entries[-1].startswith("CONTIN 0.4 BREAKS 4 8 14 ALPHA 0.1 0 WEIGHTS 1 1 2 LAMBDA 0.1"), "by place"
    session("CONTIN WEIGHTS 3 LAMBDA .01")
    assert session.entries[-1].endswith("CONTIN 0.4 BREAKS 4 8 14 ALPHA 0.1 0 WEIGHTS 3 3 3 LAMBDA 0.01 0.0001 1e-09")
    session("CONTIN 0 BREAKS NONE")
    assert session.env.continuation.breaks == ()
    replayed(session)


def test_alone_it_asks_with_the_remembered_values(session):
    session("CONTIN .2 BREAKS .6 4.5 ALPHA .1 0 WEIGHTS 1 2 LAMBDA .1 1e-4 1e-9")
    before = session.entries[-1]
    typist = session.typed("CONTIN", *[""] * 11)
    shown = ["2", "4", "14", "0.2", "0.1", "0", "1", "2", "0.1", "0.0001", "1e-09"]
    assert typist.prompts == [f"[{each}]: " for each in shown]
    assert session.entries[-1] == before
    session("CONTIN", "CONTIN")
    assert session.entries[-2:] == [before, before], "a command is no answer"


def test_another_number_of_break_points_is_asked_for_without_defaults(session):
    session("CONTIN .2 BREAKS .6 4.5 WEIGHTS 1 2")
    typist = session.typed("CONTIN", "1", "14", *[""] * 7)
    assert typist.prompts[1:5] == [": ", "[0.2]: ", "[0]: ", "[0]: "]
    assert session.env.continuation.weights == (2.0,), "the weight of its place"


def test_undo_takes_it_back(session):
    session(BREAKS, "CONTIN .3", "UNDO")
    assert session.env.continuation.gamma == 0.2
    session("UNDO")
    assert session.env.continuation is None


def test_break_points_are_times(session, replayed):
    session(BREAKS, "SAMPLE INSERT 0 2 1", "CONTIN .2")
    assert session.entries[-1].startswith("CONTIN 0.2 BREAKS 5 9 15 23 ")
    assert session.env.continuation.breaks == (0.6, 1.6, 4.5, 9.5)
    replayed(session)


def test_break_points_that_are_no_sample_times_any_more(session):
    said = session(BREAKS, "SAMPLE MESH 24 .5", "CONTIN .2")
    assert "break points that are no longer sample times were left out" in said
    assert "the full problem was not looked at" in said
    assert session.env.continuation.breaks == (4.5, 9.5)
    assert "SAMPLE 1 restores them" in session.refused("CONTIN .2 .3 STOP")


def test_other_data_and_models_are_begun_afresh(session):
    session(BREAKS, "RESMOOTH y1 3 3.2")
    assert session.env.continuation is not None
    env = session.env
    assert env.with_observations(env.observations).continuation is None
    assert env.with_model(env.model).continuation is None


# ---- refusals and proposals


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CONTIN BREAKS ALL", "give a value of gamma, such as CONTIN .2"),
        ("CONTIN 4", "'4' as a value of gamma is not between 0 and 1; break points come after the word BREAKS"),
        ("CONTIN .5 .2", "several values of gamma must increase"),
        ("CONTIN .2 BREAKS", "BREAKS takes subscripts of sample times"),
        ("CONTIN .2 BREAKS 1", "the subscripts go from 2 to 24"),
        ("CONTIN .2 BREAKS 25", "the subscripts go from 2 to 24"),
        ("CONTIN .2 BREAKS 0. 4", "the subscripts go from 2 to 24"),
        ("CONTIN .2 BREAKS 4.6", "'4.6' is no sample time; the nearest is 4.5, its subscript 14"),
        ("CONTIN .2 BREAKS 8 4", "they must increase"),
        ("CONTIN .2 BREAKS 4 4", "they must increase"),
        ("CONTIN .2 BREAKS ALL 4", "'ALL' is not a number"),
        ("CONTIN .2 ALL", "'ALL' is neither a number nor one of BREAKS, ALPHA, WEIGHTS, LAMBDA, STOP"),
        ("CONTIN .2 BREAKS 4 ALPHA 0 0 0", "ALPHA takes 2 numbers"),
        ("CONTIN .2 BREAKS 4 ALPHA 2", "'2' is not between 0 and 1"),
        ("CONTIN .2 BREAKS 4 ALPHA", "ALPHA takes 2 numbers"),
        ("CONTIN .2 BREAKS 4 8 WEIGHTS 1 1 1", "WEIGHTS takes one number for each break point"),
        ("CONTIN .2 WEIGHTS 1", "break points: 0"),
        ("CONTIN .2 BREAKS 4 WEIGHTS -1", "'-1' is negative"),
        ("CONTIN .2 LAMBDA", "LAMBDA takes a starting lambda"),
        ("CONTIN .2 LAMBDA 1 1 1 1", "LAMBDA takes a starting lambda"),
        ("CONTIN .2 BREAKS 4 BREAKS 8", "BREAKS is there twice"),
        ("CONTIN .2 STOP 3", "'3' after STOP is more than the command can use"),
        ("CONTIN .2 much", "'much' is neither a number nor one of"),
        ("CONTIN .2 1e999", "is not a number"),
    ],
)
def test_refusals(session, line, message):
    assert message in session.refused(line)


def test_needs(open_session):
    assert "SMOOTH does it" in open_session().refused("CONTIN .2")


@pytest.mark.of_1977
def test_what_is_proposed_can_be_typed(session):
    """And leads on: each failure is at a later time or a lower gamma, until it works."""
    line, seen = "CONTIN 1 BREAKS 1.8 4. 7.5 ALPHA .1 WEIGHTS 1 2 1 LAMBDA .02", []
    for _ in range(10):
        code, _, warned = session.obey(Script([line], SCRIPT))
        if code == DONE:
            break
        proposed = re.findall(r"\((CONTIN [^)]*)\)", warned)
        seen.append(proposed)
        line = proposed[1]
    assert 1 <= len(seen) < 10
    assert seen[0][0] == "CONTIN 0.5 BREAKS 9 13 19 ALPHA 0.1 0.1 WEIGHTS 1 2 1 LAMBDA 0.02 1e-06 1e-15"
    weights = dict(zip(session.env.continuation.breaks, session.env.continuation.weights, strict=True))
    assert weights[4.0] == 2.0
    assert session.env.continuation.gamma == 1.0


def test_proposals_say_no_more_than_is_needed(session):
    session(BREAKS, setting((-0.7, -0.3, 0.5, 0.3)))
    message = session.refused("CONTIN 1")
    lower, more = re.findall(r"\((CONTIN [^)]*)\)", message)
    assert lower == "CONTIN 0.6", "between the last gamma and this one"
    assert re.fullmatch(r"CONTIN 1 BREAKS( \d+){5}", more)


# ---- several values


def test_a_sweep_steps_back_by_itself(session, replayed):
    said = session("CONTIN .6 .8")
    assert "gamma 0.8: the equations cannot be integrated at the starting values" in said
    assert "; now 0.7" in said
    gammas = session.entries[-1].split(" BREAKS")[0].split()[1:]
    assert gammas[0] == "0.6"
    assert gammas[-1] == "0.8"
    assert "0.7" in gammas
    replayed(session)


def test_it_begins_with_smaller_steps_if_the_first_value_fails(open_session):
    session = open_session(cycle("y1", "y2"))
    session(ACCURATE, HARD, "SMOOTH SPLINE AUTO AUTO", "CONTIN .2 .6 1")
    gammas = [float(word) for word in session.entries[-1].split(" BREAKS")[0].split()[1:]]
    assert gammas[0] < 0.2
    assert {0.2, 0.6, 1.0} <= set(gammas)


@pytest.mark.of_1977
def test_stop_ends_where_fit_can_go_on(session, replayed):
    session("CONTIN .2 .5 .8 1 BREAKS .6 1.6 4.5 9.5 STOP")
    assert session.entries[-1] == ENTRY
    assert total(session) < np.inf
    replayed(session)


def test_nothing_is_kept_if_no_value_works(session, monkeypatch):
    monkeypatch.setattr(strategy, "ERRORS", 1)
    message = session.refused(setting((-5, -3, 3, 2)), "CONTIN .9 1")
    assert "gamma 0.05625: " in message, "after four halvings"
    assert "lower gamma (CONTIN 0.0281)" in message


@pytest.mark.of_1977
def test_trials_that_fail_end_a_value_with_a_proposal(session, monkeypatch, replayed):
    """With gamma .8 some trials cannot be integrated: then the best point is kept, but a sweep steps back."""
    session("CONTIN .3 .6 .7 .75")
    monkeypatch.setattr(strategy, "ERRORS", 1)
    session("CONTIN .8")
    assert "STOPPED: the equations could not be integrated at several trials in a row: the trapez" in session.errors
    assert "lower gamma (CONTIN 0.775) or add a break point at t = " in session.errors
    assert session.env.continuation.gamma == 0.8
    replayed(session)
    said = session("UNDO", "CONTIN .8 .81")
    assert "gamma 0.8: the equations could not be integrated at several trials in a row" in said
    assert "now 0.775" in said


@pytest.mark.of_1977
@pytest.mark.parametrize("moment", ["evaluation", "first"])
def test_an_interrupt_keeps_the_values_before_the_present_one(session, replayed, monkeypatch, moment):
    evaluate, n = ContinuationFit.evaluate, 0

    def interrupted(self, active):
        nonlocal n
        if self.broken.gamma == 0.5:
            n += 1
            if n == (1 if moment == "first" else 3):
                raise KeyboardInterrupt
        return evaluate(self, active)

    monkeypatch.setattr(ContinuationFit, "evaluate", interrupted)
    session("CONTIN .3 .4 .5 .6")
    assert "interrupted; what was found with gamma up to 0.4 is kept" in session.errors
    assert session.entries[-1] == f"CONTIN 0.3 0.4 BREAKS NONE ALPHA 0 0 {REST}"
    replayed(session)
    n = 0
    assert "interrupted; nothing was changed" in session.failing(Script(["CONTIN .5"], SCRIPT))


# ---- what is seen


def test_the_solution_is_drawn_with_its_jumps(session):
    assert "CONTIN, GAMMA 0.2" in session(BREAKS)
    series = continued(session.env, session.env.continuation, "").series
    labels = [each.label for each in series]
    assert labels == ["y1", "y2", "y1 smoothed", "y2 smoothed", "y1 observed", "y2 observed"]
    for each in series[:2]:
        assert each.x[np.isnan(each.y)].tolist() == [0.6, 1.6, 4.5, 9.5]
    assert [each.kind for each in series[::2]] == ["solid", "dashed", "points"]


def test_details_and_report(session):
    session("CONTIN .2 .3 BREAKS .6 4.5", "REPORT 8")
    details = written_out(session.env.model, session.env.details)
    assert details[0] == "CONTINUATION PARAMETER 0.2, BREAK POINTS AT 0.6 4.5, ALPHA 0 0, WEIGHTS 1 1"
    assert sum(line.startswith("CONTINUATION PARAMETER") for line in details) == 2
    assert "CONTIN, GAMMA 0.3: SUM OF SQUARES" in session.report
    assert re.search(r"gamma +p1 +p2 +p3 +p4 +sum of squares +full problem", session.report)


@pytest.mark.of_1977
def test_frozen_scaled_and_bounded_parameters(session):
    """log p3, p2 held, p4 bounded: the same minimum by another road, as far as it is free."""
    session("FREEZE p2", "CONTIN .2 BREAKS .6 1.6 4.5 9.5 LAMBDA .01 1e-12 1e-18")
    free = session.env.values
    assert free[1] == pytest.approx(-0.1096589, rel=1e-6)
    session("SCALE p3 LOG", "SET p3 2", "CONTIN .2")
    assert session.env.values == pytest.approx(free, rel=1e-5)
    session("BOUNDS p4 NONE .1", "SET p4 .1", "CONTIN .2 LAMBDA .01 -1e-12 -1e-18")
    assert session.env.values[3] == pytest.approx(0.1)
    assert session.env.continuation == replace(session.env.continuation, rtol=-1e-12, atol=-1e-18)
