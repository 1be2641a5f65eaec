"""HELP."""


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


def test_lines_for_the_shell_stay_lines(session):
    said = session("HELP CLUSTER").splitlines()
    place = said.index("  srun dask scheduler --scheduler-file s.json &")
    assert said[place - 1] == ""
    assert said[place + 1].endswith("--nthreads 1 &")
    assert max(map(len, said)) <= 79


def test_help_refuses(session):
    assert "there is no command 'NOTHING'" in session.refused("HELP NOTHING")
    assert "SAMPLE does not ask for 'colour'" in session.refused("HELP SAMPLE colour")
