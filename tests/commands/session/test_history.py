"""HISTORY."""


def test_history_lists_what_was_done_in_full(session):
    assert "nothing has been done yet" in session("HISTORY")
    said = session("set 1 2.50", "FREEZE", "1 2", "0", "PLOT 2", "HELP", "HISTORY")
    listed = [line.split(maxsplit=1)[1] for line in said[said.index("> HISTORY") :].strip().split("\n")[1:]]
    assert listed == ["SET p1 2.5", "FREEZE p1 p2", "PLOT OBSERVATIONS 0 y1 y2 0 N"]
    session.refused("SET 9 1")
    assert session.entries == listed, "what failed is not part of it"
