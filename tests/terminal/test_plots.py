"""PLOT at terminals of several sizes and kinds: everything is on the screen, and can be told apart without colours."""

import re

import pytest
from terminals import DUMB_PROMPT, PREDATOR, PROMPT, Session, environment, parfit

SIZES = [(24, 80), (50, 200)]
BEFORE = ("INTEG N", "MARK a", "SET p1 1.05")
# The line of a command, what must be seen, and how many frames.
PLOTS = (
    ("PLOT EACH", ("y1", "y2", "TIME", "computed", "observed"), 2),
    ("PLOT EACH LOGY", (r"y1 \(log\)", r"y2 \(log\)"), 2),
    ("PLOT RESIDUALS", ("WEIGHTED RESIDUAL", "standard errors", "y1: .* runs"), 1),
    ("PLOT BAND", ("y1 95 % band", "y2 is known to", "x y2 observed"), 1),
    ("PLOT SENSITIVITIES", ("p dy1/dp", "p dy2/dp", "y1: p. most, 1 % of it"), 2),
    ("PLOT MARKS a NOW", ("y1 at a", "y2 now", r"sum of squares +\S+ +20\.6", r"p1 +1 +1\.05"), 1),
    ("PLOT VECTORS", ("SINGULAR VECTORS", "6: "), 0),
)


def check(text, size, unicode):
    """The pictures of PLOTS one after another, each no larger than the screen."""
    for picture, (line, seen, n_frames) in zip(text, PLOTS, strict=True):
        for pattern in seen:
            assert re.search(pattern, picture), f"{line}: {pattern}"
        assert picture.count("┌") == (n_frames if unicode else 0), line
        rows = picture.split("\n")
        assert max(map(len, rows)) <= size[1], line
        assert len(rows) <= size[0] - 1, f"{line}: it is all on the screen, above the toolbar"
        assert picture.isascii() == (not unicode), line


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[1]}x{size[0]}")
@pytest.mark.parametrize("kind", ["colour", "plain", "ascii"])
def test_at_a_terminal(size, kind, tmp_path):
    more = {"colour": {}, "plain": {"NO_COLOR": "1"}, "ascii": {"LANG": "C", "NO_COLOR": "1"}}[kind]
    with Session(tmp_path, *PREDATOR, size=size, env=environment(tmp_path, **more)) as session:
        session.wait(PROMPT)
        for line in BEFORE:
            session.give(line, PROMPT)
        shown, n_raw = [], len(session.raw)
        for line, _, _ in PLOTS:
            text = session.give(line, PROMPT)
            start, end = text.rindex(line) + len(line), text.rindex("permanent plot N)")
            shown.append(text[start:end].strip("\n"))
        check(shown, size, kind != "ascii")
        assert (b"\x1b[38;5;33m" in session.raw[n_raw:]) == (kind == "colour")


def test_at_a_dumb_terminal_and_through_a_pipe(tmp_path):
    lines = [*BEFORE, *(line for line, _, _ in PLOTS)]
    with Session(tmp_path, *PREDATOR, size=(24, 80), env=environment(tmp_path, TERM="dumb")) as dumb:
        dumb.wait(DUMB_PROMPT)
        for line in lines:
            text = dumb.give(line, DUMB_PROMPT)
        assert "SINGULAR VECTORS" in text
        assert b"\x1b" not in dumb.raw
    piped = parfit(tmp_path, *PREDATOR, input="\n".join([*lines, "QUIT"]))
    assert piped.returncode == 0
    assert "\x1b" not in piped.stdout
    for _, seen, _ in PLOTS:
        assert all(re.search(pattern, piped.stdout) for pattern in seen)
