"""QUIT."""

from pathlib import Path

import pytest


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


def test_quit_is_no_part_of_the_run(session):
    session("SET 1 2", "QUIT 0")
    assert session.entries == ["SET p1 2"]
