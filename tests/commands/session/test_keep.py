"""KEEP."""

from pathlib import Path

from parfit.session.runs.run import FILES


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
