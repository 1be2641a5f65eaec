"""The command language in a Python program."""

import io

import pytest

import parfit
from parfit.errors import CommandError, ParfitError
from parfit.session.console import Console
from parfit.session.opening import resume_run

TOUR = ("models/tour.ode", "models/tour.csv")


def test_a_session_obeys_and_tells(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with parfit.Session(*TOUR) as session:
        shown = session("SET p1 .5", "INTEG N")
        assert "SUM OF SQUARES" in shown
        assert repr(shown) == shown.rstrip("\n")
        assert session.problem.values["p1"] == 0.5
        session("UNDO 2")
        assert session.problem.values["p1"] == 0.1
        assert session.output.startswith(shown)
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def test_a_script_has_answers_on_lines_of_their_own():
    session = parfit.Session(*TOUR)
    session("SET\n1 .25\n0\nFREEZE p2")
    assert session.problem.values["p1"] == 0.25
    assert session.problem.frozen == ("p2",)


def test_what_fails_is_raised_and_changes_nothing():
    session = parfit.Session(*TOUR)
    env = session.environment
    with pytest.raises(CommandError, match="zz"):
        session("SET zz 1")
    with pytest.raises(ParfitError) as refusal:
        session("IFIT REGULAR")
    assert str(refusal.value) == "the observations have not been smoothed"
    assert "SMOOTH" in refusal.value.advice
    with pytest.raises(CommandError, match="where an answer is needed"):
        session("SET\n1")
    assert session.environment is env
    assert "SMOOTH does it" in session.output, "the conversation says what to do"


def test_what_is_tried_may_fail():
    session = parfit.Session(*TOUR)
    session("TRY SET zz 1", "SET p1 2")
    assert session.problem.values["p1"] == 2.0


def test_quit_ends_it():
    session = parfit.Session(*TOUR)
    session("QUIT 0")
    with pytest.raises(ParfitError, match="has ended"):
        session("INTEG")


def test_a_folder_keeps_a_run_that_can_be_resumed(tmp_path):
    folder = tmp_path / "run"
    with parfit.Session(*TOUR, folder=folder) as session:
        session("SET p1 .5")
    resumed = resume_run(folder, Console(io.StringIO(), io.StringIO()))
    resumed.run.close()
    assert resumed.env.values.tolist() == session.environment.values.tolist()
    with pytest.raises(ParfitError, match="paths"):
        parfit.Session(parfit.load(*TOUR), folder=tmp_path / "other")


def test_a_problem_is_gone_on_with():
    session = parfit.Session(parfit.load(*TOUR).with_values(p1=0.75))
    session("SET p2 3")
    assert (session.problem.values["p1"], session.problem.values["p2"]) == (0.75, 3.0)
    assert "p2" in repr(session)


def test_ctrl_c_is_passed_on(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    session = parfit.Session(*TOUR)
    env = session.environment
    monkeypatch.setattr(parfit.Simulator, "watched", interrupted)
    monkeypatch.setattr(parfit.Simulator, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session("INTEG N")
    assert session.environment is env
