"""HELP, NOTE, NOTES, HISTORY, UNDO, REDO, TRY, SAVE, KEEP, SUSP and QUIT."""

import os
import signal
from datetime import datetime
from pathlib import Path

import pytest
from conversation import SCRIPT, Typist, assert_same

from parfit.errors import DONE
from parfit.session.runfiles import FILES
from parfit.session.sources import Script, script_lines

# ---- HELP


def test_help_lists_explains_and_explains_questions(session):
    assert all(name in session("HELP") for name in ("FREEZE", "SAMPLE", "QUIT"))
    said = session("HELP freeze")
    assert "Hold parameters at their current values" in said
    assert "FREEZE p1 p3" in said
    assert "PICK OPTION" in session("HELP SAMPLE option")
    assert session("HELP SAM") == session("HELP SAMPLE").replace("> HELP SAMPLE", "> HELP SAM")
    assert session("?") == session("HELP").replace("> HELP", "> ?")
    assert "Hold parameters" in session("FREEZE ?")
    assert session.entries == [], "asking for help is no part of a run"


def test_help_refuses(session):
    assert "there is no command 'NOTHING'" in session.refused("HELP NOTHING")
    assert "SAMPLE does not ask for 'colour'" in session.refused("HELP SAMPLE colour")


# ---- NOTE, NOTES


def test_notes_have_the_date_and_the_parameters(session, monkeypatch):
    monkeypatch.setattr(session.run, "now", lambda: datetime(2026, 3, 4, 15, 16, 17))
    session("SET 1 2.5", "NOTE p5 wants to be negative", "NOTE", "a second, on a card", "SET 1 7")
    notes = session.env.notes
    assert [note.text for note in notes] == ["p5 wants to be negative", "a second, on a card"]
    assert {note.time for note in notes} == {datetime(2026, 3, 4, 15, 16, 17)}
    said = session("NOTES")
    assert "2026-03-04 15:16  p5 wants to be negative" in said
    assert "p1 = 2.5" in said
    assert "p1 = 7" not in said


def test_notes_take_the_line_as_it_stands(session):
    texts = ["a = b, c", 'say "so"', "0", "1 2 0", "y", "ends with 0"]
    session(*(f"NOTE {text}" for text in texts))
    assert [note.text for note in session.env.notes] == texts


def test_notes_refuse(session):
    assert "NOTE TEXT makes one" in session.refused("NOTES")
    assert "an answer is needed: TEXT OF THE NOTE" in session.refused("NOTE")


# ---- HISTORY, UNDO, REDO


def test_history_lists_what_was_done_in_full(session):
    assert "nothing has been done yet" in session("HISTORY")
    said = session("set 1 2.50", "FREEZE", "1 2", "0", "PLOT 2", "HELP", "HISTORY")
    listed = [line.split(maxsplit=1)[1] for line in said[said.index("> HISTORY") :].strip().split("\n")[1:]]
    assert listed == ["SET p1 2.5", "FREEZE p1 p2", "PLOT OBSERVATIONS 0 y1 y2 0 N"]
    session.refused("SET 9 1")
    assert session.entries == listed, "what failed is not part of it"


def test_undo_and_redo(session):
    first = session.env
    session("SET 1 2")
    second = session.env
    session("REPORT 3", "FREEZE 1")
    third = session.env
    said = session("UNDO")
    assert "undone: FREEZE p1" in said, "what only looked is no change"
    assert session.env is second
    session("UNDO")
    assert session.env is first
    said = session("REDO 2")
    assert session.env is third
    assert said.index("done again: SET p1 2") < said.index("done again: FREEZE p1")
    said = session("UNDO 2")
    assert session.env is first
    assert said.index("undone: FREEZE p1") < said.index("undone: SET p1 2")
    session("SET 2 5")
    assert "nothing can be redone" in session.refused("REDO")


def test_undo_refuses_more_than_there_is(session):
    assert "nothing can be undone" in session.refused("UNDO")
    assert "only one change can be undone" in session.refused("SET 1 2", "UNDO 2")
    assert "only 2 changes can be undone" in session.refused("SET 1 2", "UNDO 3")
    assert "nothing can be redone" in session.refused("REDO")
    assert "enter a whole number from 1" in session.refused("UNDO 0")


@pytest.mark.parametrize(
    "line",
    [
        "SET 1 2",
        "FREEZE 1",
        "SCALE 1 LOG",
        "MARK a",
        "NOTE a",
        "OPTION 5 1e-3",
        "SAMPLE 2 5 1",
        "WEIGHT 2 y1 0 1 2",
        "ECHO ON",
        "INTEG Y",
        "MODEL par k=1",
        "CREATE 0 1 2 0 y1",
    ],
)
def test_every_change_can_be_undone(session, line):
    before = session.env
    session(line)
    after = session.env
    assert after is not before
    session("UNDO")
    assert session.env is before
    session("REDO")
    assert session.env is after


# ---- SAVE

DONE_BEFORE = ["SET 1 1.5", "FREEZE 2", "SCALE 3 LOG", "SAMPLE 3 0 2 1", "WEIGHT 2 y1 0 3 .5", "OPTION 8 1 6 0"]
DONE_BEFORE += ["INTEG Y", "MARK best", "NOTE good, so far", "SET 1 2", "UNDO", "MODEL aux total=y1+y2", "PLOT 2"]


@pytest.mark.parametrize("lines", [["SAVE mine.pft"], ["SAVE", "mine.pft"], ['SAVE "mine.pft"']])
def test_a_saved_script_does_the_same_again(session, begin, lines):
    session(*DONE_BEFORE, *lines)
    text = Path("mine.pft").read_text()
    here = Path.cwd()
    assert text.startswith(f"# Replay with: parfit {here / 'model.ode'} -b {here / 'mine.pft'}\n")
    again = begin()
    code, _, warned = again.obey(Script(script_lines("mine.pft"), "mine.pft"))
    assert code == DONE, warned
    assert_same(session.env, again.env)
    assert len(again.interpreter.timeline.past) == len(session.interpreter.timeline.past)


def test_save_with_a_model_text(session, begin):
    text = ["| par k=.5   # remark", "| ", "| x'=-k*x", "| init x=1", "| done"]
    session("MODEL TEXT", *text, "SET k 3", "SAVE mine.pft")
    again = begin()
    again(*script_lines("mine.pft"))
    assert_same(session.env, again.env)


def test_save_proposes_a_name_and_asks_before_replacing(session):
    session("SET 1 2")
    typist = session.typed("SAVE", "")
    assert typist.prompts == ["[predator-prey.pft]: "]
    before = Path("predator-prey.pft").read_text()
    session("SET 1 3")
    session.typed("SAVE", "", "N")
    assert "was left as it is" in session.errors
    assert Path("predator-prey.pft").read_text() == before
    session.typed("SAVE", "", "Y")
    assert "SET p1 3" in Path("predator-prey.pft").read_text()
    session("SET 1 4", "SAVE predator-prey.pft Y")
    assert "SET p1 4" in Path("predator-prey.pft").read_text()


def test_save_in_a_script_neither_replaces_nor_eats_the_next_command(session):
    Path("mine.pft").write_text("precious")
    session("SET 1 2")
    session.failing(Script(["SAVE mine.pft"], SCRIPT))
    assert Path("mine.pft").read_text() == "precious"
    session("SAVE", "SET 1 3")
    assert session.env.values[0] == 3
    assert Path("predator-prey.pft").exists()


def test_save_refuses_where_nothing_can_be_written(session):
    assert "nowhere/mine.pft: cannot be written" in session.refused("SAVE nowhere/mine.pft")


# ---- KEEP, QUIT


def test_keep_copies_files(session):
    said = session("REPORT 3", "PLOT 2 0 y1 0 Y", "KEEP REPORT GRAPHS JOURNAL")
    folder = Path("predator-prey-run")
    assert sorted(path.name for path in folder.iterdir()) == ["graphs.txt", "journal.pft", "report.txt"]
    assert (folder / "report.txt").read_text() == session.report
    assert str(session.run.folder) in said
    session("KEEP 4")
    assert [path.name for path in Path("predator-prey-run-2").iterdir()] == ["report.txt"]
    session("KEEP", "REPORT", "0", "KEEP 0")
    assert Path("predator-prey-run-3").exists()
    assert not Path("predator-prey-run-4").exists()


def test_keep_proposes_report_and_graphs(session):
    session("REPORT 3", "PLOT 2 0 y1 0 Y")
    typist = session.typed("KEEP", "")
    assert typist.prompts == ["[REPORT GRAPHS]: "]
    assert sorted(path.name for path in Path("predator-prey-run").iterdir()) == ["graphs.txt", "report.txt"]


def test_keep_refuses_what_was_not_written(session, begin):
    assert "'ECHO' is not on the menu" in session.refused("KEEP ECHO DETAILS")
    assert "this run keeps no files" in begin(keeping=False).refused("KEEP REPORT")


def test_the_files_are_the_manuals():
    """-ECHO, -AECHO, -REPRT, -GRAPHSTORE, -SC2, -WEIGHT and -DATA (Appendix A, section 3)."""
    assert {"echo", "fit-echo", "report", "graphs", "details", "weights", "data"} <= set(FILES)


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["QUIT"], ["graphs.txt", "report.txt"]),
        (["QUIT REPORT"], ["report.txt"]),
        (["QUIT 4 JOURNAL"], ["journal.pft", "report.txt"]),
        (["QUIT 0"], []),
        (["QUIT", "GRAPHS", "0"], ["graphs.txt"]),
        (["quit", "0"], []),
    ],
)
def test_quit_keeps_what_is_wanted(session, lines, kept):
    session("REPORT 3", "PLOT 2 0 y1 0 Y", *lines, "NOTE after the end")
    folder = Path("predator-prey-run")
    assert sorted(path.name for path in folder.iterdir()) == kept if kept else not folder.exists()
    assert session.env.notes == (), "nothing is read after it"


def test_quit_asks_what_to_keep(session):
    typist = session.typed("REPORT 3", "QUIT", "", "NOTE after the end")
    assert typist.questions == ["ENTER LIST OF FILES TO BE KEPT (END WITH 0)"]
    assert typist.prompts == ["[REPORT]: "]
    assert typist.n_left == 1
    assert Path("predator-prey-run/report.txt").exists()


def test_quit_asks_nothing_where_there_is_nothing(session):
    typist = session.typed("SET 1 2", "QUIT", "Y")
    assert typist.prompts == []
    assert typist.n_left == 1


def test_quit_that_is_not_understood_ends_nothing(session):
    session("REPORT 3")
    assert "'GRAPHS' is not on the menu" in session.refused("QUIT GRAPHS")
    assert "is not on the menu" in session.refused("QUIT everything")
    typist = Typist(["QUIT nonsense", "NOTE still here"])
    session.obey(typist)
    assert [note.text for note in session.env.notes] == ["still here"]


def test_quit_is_no_part_of_the_run(session):
    session("SET 1 2", "QUIT 0")
    assert session.entries == ["SET p1 2"]


# ---- SUSP


def test_suspend_is_harmless_in_a_script(session, monkeypatch):
    monkeypatch.setattr(os, "kill", lambda *given: pytest.fail("nobody could resume"))
    assert "no effect" in session("SUSP", "SET 1 2")
    assert session.env.values[0] == 2


def test_suspend_stops_at_a_terminal(session, monkeypatch):
    sent = []
    monkeypatch.setattr(os, "kill", lambda *given: sent.append(given))
    session.typed("SUSP", "SET 1 2")
    assert sent == [(os.getpid(), signal.SIGTSTP)]
    assert str(session.run.folder) in session.output, "where the files are, to look at meanwhile"
    assert session.env.values[0] == 2


# ---- TRY


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
