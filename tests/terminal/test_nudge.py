"""NUDGE at a real pseudo-terminal: every key once, several sizes, resizing, and terminals that can do less."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from screens import REDRAWN, Screen, Watched
from terminals import (
    DUMB_PROMPT,
    PARFIT,
    PATIENCE,
    PREDATOR,
    Session,
    environment,
    folders_of_runs,
    journal_of,
    parfit,
)

from parfit.terminal.fullscreen import Painter, show

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
SHIFT_RIGHT, SHIFT_LEFT, HOME, END = "\x1b[1;2C", "\x1b[1;2D", "\x1b[H", "\x1b[F"
ESCAPE, BACKSPACE, CTRL_A, CTRL_C, CTRL_D, CTRL_Z = "\x1b", "\x7f", "\x01", "\x03", "\x04", "\x1a"
SIZES = [(24, 80), (50, 200)]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    return path


@contextmanager
def begun(folder, size=(24, 80), line="NUDGE", **more):
    """Somebody who has given NUDGE and sees it."""
    with Watched(folder, *PREDATOR, size=size, env=environment(folder, **more)) as session:
        session.wait()
        session.type("OPTION 1977\r")  # whose sums of squares these are
        session.wait()
        session.press(f"{line}\r", r"RETURN leave")
        yield session


def chosen(name, value):
    """A pattern: this parameter is chosen and has this value."""
    return rf"(?m)^> {name} +{re.escape(value)}\b"


def times_of(text):
    """The numbers along the time axis."""
    lines = text.split("\n")
    frame = max(k for k, line in enumerate(lines) if "┘" in line)
    return [float(word) for word in lines[frame + 1].split()]


# ---- every key


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "200x50"])
def test_every_key(folder, size):
    with begun(folder, size) as session:
        see = session.press
        first = session.until(chosen("p1", "1"))
        assert "F       0.3545851" in first
        assert "y1 observed" in first
        assert session.screen.is_alternate
        see(DOWN, chosen("p2", "0.1"))
        see(RIGHT, chosen("p2", "0.102"))
        assert "change  +" in session.screen.text
        see(LEFT, chosen("p2", "0.1"))
        see(UP, chosen("p1", "1"))
        see(END, chosen("p6", "0.15"))
        see(HOME, chosen("p1", "1"))
        see(SHIFT_RIGHT, chosen("p1", "1.2"))
        see(SHIFT_LEFT, chosen("p1", "1"))
        see("*", r"step 5 % = 0.05")
        see("/", r"step 2 % = 0.02")
        see("1.5", r"p1 = 1.5_")
        see(BACKSPACE + "25\r", chosen("p1", "1.25"))
        see("9" + ESCAPE, lambda text: "9_" not in text and re.search(chosen("p1", "1.25"), text))
        see("u", chosen("p1", "1"))
        see("U", chosen("p1", "1.25"))
        see("u", chosen("p1", "1"))
        see("f", r"(?m)^> p1 .* frozen")
        see("f", r"p1 is free")
        see("s", r"(?m)^> p1 .* log")
        see("ss", lambda text: "log" not in text.split("\n")[1])
        see("m", r"marked as m1")
        see("g", r"Marquardt step with lambda")
        assert float(re.search(r"F +(\S+)", session.screen.text)[1]) < 0.3545
        see("r", r"y1 residual")
        see("r", r"y1 observed")
        see("p", r"y2 against y1")
        see("p", r"y1 observed")
        see("v", lambda text: "y2 observed" not in text)
        see("V", r"y2 observed")
        see("z", lambda text: min(times_of(text)) >= 3 and max(times_of(text)) <= 9.5)
        see(">", lambda text: 9.5 < max(times_of(text)) <= 11)
        see("<", lambda text: max(times_of(text)) <= 9.5)
        see("Z", lambda text: max(times_of(text)) == 12)
        see("<", "all times are shown")
        see("z", lambda text: max(times_of(text)) <= 9.5)
        see("a", lambda text: max(times_of(text)) == 12)
        see("?", r"any key goes back")
        see(" ", r"y1 observed")
        see("q", r"KEEP the changes\?")
        see(" ", lambda text: "KEEP" not in text)
        see("\r", r"KEEP the changes\?")
        session.type("\r")
        session.wait()
        text = session.until(r"(?m)^6  p6 ")
        assert not session.screen.is_alternate
        assert re.search(r"SET p1 [01]\.\d{10,} p2 ", text)
        assert "OUTPUT" in text  # which was there before
    assert [entry.split()[0] for entry in journal_of(folders_of_runs(folder)[0])] == [
        "OPTION",
        "INTEG",
        "MARK",
        "SET",
        "INTEG",
    ]


def test_leaving_and_trouble(folder):
    with begun(folder) as session:
        for keys in ("qn", ESCAPE, CTRL_C, CTRL_D):
            session.press(RIGHT, chosen("p1", "1.02"))
            session.type(keys)
            session.wait()
            session.until(r"discarded; nothing was changed \(SET p1 1.02 would")
            session.press("\x0cNUDGE\r", chosen("p1", "1"))
        text = session.press("5\r", "the integration stopped")
        assert re.search(r"F +not known", text)
        session.press("g", "no Marquardt step")
        session.press("u", r"F +0\.3545851")
        session.press("x" + CTRL_A + "U", chosen("p1", "5"))
        session.press("q", "KEEP")
        session.press(ESCAPE, lambda text: "KEEP" not in text)
        session.press("\x1b[200~1.5\x1b[201~\r", chosen("p1", "1.5"))
        session.type("qy")
        session.wait()
        session.press("NOTE here\rHISTORY\r", r"2 +SET p1 1.5\n +3 +INTEG N\n +4 +NOTE here")
    assert journal_of(folders_of_runs(folder)[0]) == ["OPTION 1977", "SET p1 1.5", "INTEG N", "NOTE here"]


def test_what_was_kept_can_be_resumed(folder):
    with begun(folder, line="NUDGE p3") as session:
        session.press(RIGHT + "f" + DOWN + "s" + RIGHT, chosen("p4", "1.02"))
        session.type("q\r")
        session.wait()
        session.kill()
    done = parfit(folder, "--resume", "-e", "REPORT 3")
    assert done.returncode == 0
    assert re.search(r"p3 +3\.06 .*frozen", done.stdout)
    assert re.search(r"p4 +1\.02 .*log", done.stdout)


# ---- sizes and terminals


def test_resizing_in_the_middle(folder):
    with begun(folder) as session:
        session.press(RIGHT, chosen("p1", "1.02"))
        assert "began at" not in session.screen.text
        session.resize(50, 200)
        large = session.until(r"began at")
        assert max(map(len, large.split("\n"))) > 190
        assert re.search(r"(?m)^> p1 +1\.02 +1\b", large)
        session.press(RIGHT, chosen("p1", "1.04"))
        session.resize(30, 90)
        session.press(RIGHT, lambda text: re.search(chosen("p1", "1.06"), text) and "began at" not in text)
        session.resize(9, 30)
        session.until("window larger")
        session.resize(24, 80)
        text = session.press(LEFT, chosen("p1", "1.04"))
        assert "RETURN leave" in text
        assert "y1 observed" in text
        session.type("q\r")
        session.wait()
        session.until(r"SET p1 1\.04")


def test_without_colour_and_unicode(folder):
    with begun(folder, NO_COLOR="1", LANG="C") as session:
        text = session.press(RIGHT, chosen("p1", "1.02"))
        assert text.isascii()
        assert "..... y1   ***** y2" in text
        assert session.screen.n_colours == 0


def test_a_dumb_terminal_is_told_what_to_type(folder):
    with Session(folder, *PREDATOR, env=environment(folder, TERM="dumb")) as session:
        session.wait(DUMB_PROMPT)
        text = " ".join(session.give("NUDGE", DUMB_PROMPT).split())
        assert "NUDGE needs a terminal with a whole screen" in text
        assert "type SET with a parameter and its value, INTEG N, and PLOT 1 2" in text
        assert "p1" not in session.give("HISTORY", DUMB_PROMPT)


def test_a_pipe_and_a_script_are_told_too(folder):
    (folder / "script.pft").write_text("NUDGE\n")
    for done in (parfit(folder, *PREDATOR, input="NUDGE\n"), parfit(folder, *PREDATOR, "-b", "script.pft")):
        assert done.returncode == 1
        assert "NUDGE needs a terminal with a whole screen" in done.stderr
        assert "type SET" in done.stderr


# ---- coming and going


def test_suspending_and_going_on(folder):
    env = environment(folder, PS1="shell: ")
    with Watched(folder, "--norc", "--noprofile", "-i", command=("bash",), env=env) as shell:
        shell.until("shell:")
        shell.press(f"{' '.join(PARFIT)} {' '.join(PREDATOR)}\r", "(?m)^>")
        shell.press("NUDGE\r", chosen("p1", "1"))
        shell.press(RIGHT, chosen("p1", "1.02"))
        shell.press(CTRL_Z, r"Stopped[\s\S]*shell:")
        assert not shell.screen.is_alternate
        shell.press("fg\r", chosen("p1", "1.02"))
        assert shell.screen.is_alternate
        shell.press(RIGHT, chosen("p1", "1.04"))
        shell.press(ESCAPE, "discarded")


def test_a_terminal_that_goes_away_takes_only_what_was_not_kept_and_leaves_a_remark(folder):
    with begun(folder) as session:
        session.press(RIGHT + "qy", "SET p1 1.02")
        session.press("NUDGE\r", chosen("p1", "1.02"))
        session.press(RIGHT, chosen("p1", "1.0404"))
        session.hang_up()
        session.process.wait(PATIENCE)
    (run,) = folders_of_runs(folder)
    assert journal_of(run) == ["OPTION 1977", "SET p1 1.02", "INTEG N"]
    assert "\n#- cut off, and not kept: SET p1 1.0404" in (run / "journal.pft").read_text()


def test_keys_are_drawn_together_if_they_come_faster_and_nothing_is_drawn_without(folder):
    with begun(folder) as session:
        session.settle()
        before = len(session.raw)
        session.press(RIGHT * 300, chosen("p1", "7"))
        assert len(REDRAWN.findall(session.raw[before:])) <= 30
        session.settle()
        before = len(session.raw)
        session.drain(0.7)
        assert len(session.raw) == before


# ---- the same screen for points and joints


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "200x50"])
def test_points_and_joints_are_moved_on_the_same_screen(folder, size):
    with Watched(folder, *PREDATOR, size=size) as session:
        session.wait()
        session.give("CREATE 0 .5(.5)12.5 0 y1")
        move_points(session.press)
        session.type("y")
        session.wait()
        session.give("SMOOTH SPLINE 2 4 8 N")
        move_joints(session.press)
        session.type("\r")
        session.wait()
        session.press("SMOOTH SPLINE DRAW\r", r"joint 1 of \d")
        session.type(ESCAPE)
        session.wait()
        session.until("abandoned; nothing was changed")
    assert journal_of(folders_of_runs(folder)[0])[1:] == [
        "CREOBS y2 5 0 3.125 6.25 9.375 12.5 8 3 8 8 8",
        "SMOOTH SPLINE 2 4 8 N",
        "RESMOOTH y1 NEW 2 4 9 N",
    ]


def move_points(see):
    see("CREOBS y2 DRAW\r", r"point 1 of 5: t = 0, ordinate 8; step 0.4")
    see(RIGHT, r"point 2 of 5: t = 3.125, ordinate 8")
    see(UP + UP + DOWN, r"ordinate 8.4")
    see("/", r"step 0.2")
    see("*", r"step 0.4")
    see(">", r"t = 3.375")
    see("<", r"t = 3.125")
    see("3\r", r"ordinate 3;")
    see("a", r"point 3 of 6")
    see("d", r"point 2 of 5")
    see("u", r"of 6")
    see("U", r"of 5")
    see(LEFT, r"point 1 of 5")
    see("?", r"Move the chosen point up or down")
    see(" \r", r"KEEP the changes\?")


def move_joints(see):
    see("RESMOOTH y1 DRAW\r", r"joint 1 of 2: t = 4; step 0.2; rms residual")
    see(">", r"t = 4.2; .* change [+-]0?\.?\d")
    see("<", r"t = 4;")
    see("*", r"step 0.4")
    see("/", r"step 0.2")
    see(RIGHT, r"joint 2 of 2: t = 8")
    see("9\r", r"t = 9;")
    see("a", r"joint 3 of 3: t = 10.75")
    see("d", r"joint 2 of 2")
    see("u", r"of 3")
    see("U", r"of 2")
    see(LEFT, r"joint 1 of 2")
    see("?", r"Choose the joint before or after")
    see(" q", r"KEEP the changes\?")


# ---- the parts


class Counter:
    """A view that remembers its keys."""

    def __init__(self, keys=(), outcome=""):
        self.keys, self.outcome = keys, outcome

    def press(self, key):
        return Counter((*self.keys, key), "kept" if key == "x" else "")

    def render(self, width, height):
        return f"{len(self.keys)} keys on {width} x {height}"


def keys_of(text):
    with create_pipe_input() as keyboard:
        keyboard.send_text(text)
        return show(Counter(), input=keyboard, output=DummyOutput()).keys


def test_keys_have_plain_names():
    assert keys_of(f"a{UP}{SHIFT_LEFT}\r\n{BACKSPACE}{CTRL_C}{CTRL_D}ä?x") == (
        *("a", "up", "s-left", "enter", "enter", "backspace", "c-c", "c-d", "ä", "?", "x"),
    )


def test_only_numbers_can_be_pasted():
    assert keys_of("\x1b[200~1.5e3\x1b[201~\x1b[200~quit now\x1b[201~x") == (*"1.5e3", "x")


def test_what_comes_after_the_end_is_not_pressed():
    assert keys_of("axbc") == ("a", "x")


@pytest.mark.parametrize("where", ["press", "render"])
def test_a_mistake_leaves_the_screen_and_is_raised(where):
    class Broken(Counter):
        def __getattribute__(self, name):
            if name == where:
                raise ZeroDivisionError
            return super().__getattribute__(name)

    with create_pipe_input() as keyboard:
        keyboard.send_text("ab")
        with pytest.raises(ZeroDivisionError):
            show(Broken(), input=keyboard, output=DummyOutput())


def test_only_lines_that_changed_are_painted():
    screen, written = Screen(4, 10), []

    class Paper:
        def write_raw(self, text):
            written.append(text)
            screen.feed(text)

        def cursor_goto(self, row, column):
            screen.feed(f"\x1b[{row};{column}H")

        def erase_end_of_line(self):
            screen.feed("\x1b[K")

        def flush(self):
            pass

    painter = Painter()
    painter.paint("one\ntwo\nthree", Paper())
    assert screen.text == "one\ntwo\nthree\n"
    painter.paint("one\n2\nthree\nfour", Paper())
    assert screen.text == "one\n2\nthree\nfour"
    assert written[3:] == ["2", "four"]
    painter.paint("one", Paper())
    assert screen.text == "one\n\n\n"
    assert (screen.row, screen.column) == (0, 0)


def test_the_reader_of_screens():
    screen = Screen(4, 10)
    screen.feed("abcdef\r\n12\x1b[2;4Hx\x1b[1;1H\x1b[2C\x1b[31mZ\x1b[K\x1b[0m")
    assert screen.text == "abZ\n12 x\n\n"
    assert screen.n_colours == 1
    screen.feed("\x1b[?1049h\x1b[2J\x1b[Hfull\x1b[3")
    screen.feed(";1Hlow")
    assert screen.text == "full\n\nlow\n"
    screen.feed("\x1b[?1049l")
    assert screen.text == "abZ\n12 x\n\n"
    screen.feed("\x1b[4;1Hend\r\nmore")
    assert screen.text == "12 x\n\nend\nmore"
