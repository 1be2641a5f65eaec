"""The keys of the prompt, through a pipe in place of a keyboard."""

import os
from threading import Thread

import pytest
from prompt_toolkit.application import create_app_session, get_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.output import DummyOutput
from terminals import until

from parfit.terminal.completion import Offer
from parfit.terminal.history import commands_given
from parfit.terminal.lines import LineEditor

UP, RIGHT, END, TAB, ENTER, ESCAPE = "\x1b[A", "\x1b[C", "\x1b[F", "\t", "\r", "\x1b"
CTRL_A, CTRL_C, CTRL_D, CTRL_E, CTRL_G, CTRL_R, CTRL_U = "\x01", "\x03", "\x04", "\x05", "\x07", "\x12", "\x15"
PASTE, PASTED = "\x1b[200~", "\x1b[201~"
WORDS = ("FREEZE", "FIT", "FITTER")


def complete(text):
    return [Offer(word, "help", len(text)) for word in WORDS if word.startswith(text.upper())]


@pytest.fixture
def keyboard(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


@pytest.fixture
def read(keyboard):
    editor = LineEditor(complete, lambda width, measure: "status")

    def typed(*keys, asking=False, placeholder=""):
        keyboard.send_text("".join(keys))
        return editor.read("> ", asking, placeholder)

    return typed


def typed_slowly(keyboard, read, *keys, **how):
    """Keys and, between them, conditions on the line's buffer: the next key waits until they are fulfilled."""
    session = get_app_session()

    def type_on():
        try:
            until(lambda: session.app is not None and session.app.is_running)
            for key in keys:
                if isinstance(key, str):
                    keyboard.send_text(key)
                else:
                    until(lambda key=key: key(session.app.current_buffer))
        except BaseException:
            keyboard.close()  # nobody waits for keys that do not come
            raise

    typist = Thread(target=type_on)
    typist.start()
    try:
        return read(**how)
    finally:
        typist.join()


# ---- what is proposed


def test_return_takes_what_is_proposed(read):
    assert read(ENTER, placeholder="FIT MORE") == "FIT MORE"
    assert read(ENTER) == "", "it is proposed once"


def test_typing_replaces_what_is_proposed(read):
    assert read("INTEG", ENTER, placeholder="FIT MORE") == "INTEG"
    assert read("x", "\x7f", ENTER, placeholder="FIT MORE") == "FIT MORE", "the line is empty again"
    assert read(" ", ENTER, placeholder="FIT MORE") == " "


@pytest.mark.parametrize("key", [RIGHT, END, CTRL_E, TAB])
def test_what_is_proposed_can_be_edited(key, read):
    assert read(key, " 1e-6", ENTER, placeholder="FIT MORE") == "FIT MORE 1e-6"


def test_ctrl_c_and_ctrl_d_do_not_take_it(read):
    with pytest.raises(KeyboardInterrupt):
        read(CTRL_C, placeholder="FIT")
    with pytest.raises(EOFError):
        read(CTRL_D, placeholder="FIT")


# ---- completion


def test_the_only_word_is_completed(read):
    assert read("FR", TAB, " p1", ENTER) == "FREEZE p1"


def test_return_in_the_menu_chooses_and_does_not_send(read):
    assert read("F", TAB, TAB, ENTER, " more", ENTER) in {f"{word} more" for word in WORDS}


def test_what_words_have_in_common_is_completed(read):
    assert read("FI", TAB, ENTER) == "FIT"
    assert read("fi", TAB, ENTER) == "FIT"
    assert read("freeze", TAB, ENTER) == "FREEZE", "a word that is complete gets its own case"
    assert read("F", TAB, ENTER) == "F"
    assert read("X", TAB, ENTER) == "X"


# ---- history


def test_earlier_commands(read):
    read("INTEG N", ENTER)
    read("SET 1 3", ENTER)
    assert read(UP, UP, ENTER) == "INTEG N"
    assert read(UP, UP, CTRL_E, "4", ENTER) == "SET 1 34"


def test_up_goes_to_what_began_alike(read):
    read("SET 1 3", ENTER)
    read("INTEG N", ENTER)
    assert read("SE", UP, ENTER) == "SET 1 3"


def test_ctrl_r_searches(read):
    for line in ("set p1 3", "integ n", "plot 1 2"):
        read(line, ENTER)
    assert read(CTRL_R, "P1", ENTER) == "set p1 3"
    assert read(CTRL_R, "int", RIGHT, CTRL_E, "o", ENTER) == "integ no"
    assert read(CTRL_R, "int", CTRL_R, ENTER) == "integ n", "the one before"
    assert read(CTRL_R, "int", CTRL_G, "x", ENTER) == "x"
    assert read(CTRL_R, "xyzzy", CTRL_G, ENTER) == ""


def suggests(buffer):
    return buffer.suggestion is not None and buffer.suggestion.text


def looked_up(buffer):
    """Nothing was found, of which there is no sign; whatever is earlier was read."""
    return buffer.text and buffer._load_history_task is not None and buffer._load_history_task.done()


def test_a_suggestion_is_taken_by_right_and_not_by_return(read, keyboard):
    read("SET p1 3.75", ENTER)
    assert typed_slowly(keyboard, read, "SET", suggests, ENTER) == "SET"
    assert typed_slowly(keyboard, read, "SET p", suggests, RIGHT, ENTER) == "SET p1 3.75"
    assert typed_slowly(keyboard, read, "SET p", looked_up, RIGHT, ENTER, asking=True) == "SET p", "no command answers"


def test_commands_are_remembered_and_answers_are_not(read, tmp_path):
    read("SET 1 3", ENTER)
    read("3.14", ENTER, asking=True)
    assert read(UP, ENTER, asking=True) == "3.14"
    assert read(UP, ENTER) == "SET 1 3"
    assert list(commands_given().load_history_strings()) == ["SET 1 3"]
    assert (tmp_path / "parfit" / "history").exists()


def test_a_history_of_any_content(read, tmp_path):
    (tmp_path / "parfit").mkdir()
    (tmp_path / "parfit" / "history").write_bytes(b"\xff\xfe\0\n# x\n+INTEG \xff\n+N\n\n+SET 1 3\n")
    assert read(UP, ENTER) == "SET 1 3"


@pytest.mark.parametrize("obstacle", ["file for folder", "folder for file"])
def test_a_history_that_cannot_be_kept(obstacle, read, tmp_path):
    if obstacle == "file for folder":
        (tmp_path / "parfit").write_text("")
    else:
        (tmp_path / "parfit" / "history").mkdir(parents=True)
    read("SET 1 3", ENTER)
    assert read(UP, ENTER) == "SET 1 3"


def test_the_history_is_cut(read, tmp_path, monkeypatch):
    monkeypatch.setattr("parfit.terminal.history.MOST_REMEMBERED", 2)
    for k in range(4):
        read(f"SET 1 {k}", ENTER)
    assert list(commands_given().load_history_strings()) == ["SET 1 3", "SET 1 2"]


# ---- pastes and garbage


def test_a_paste_waits_for_return_and_can_be_edited(read):
    assert read(PASTE, "SET 1 3\r\nSET 2 4\n", PASTED, ENTER) == "SET 1 3\nSET 2 4"
    assert read(PASTE, "SET 1 ", PASTED, "5", ENTER) == "SET 1 5"


def test_ctrl_c_ends_a_paste_whose_end_was_lost(read, keyboard):
    def pasted(buffer):
        return getattr(keyboard.vt100_parser, "_paste_buffer", "").endswith("x")

    with pytest.raises(KeyboardInterrupt):
        typed_slowly(keyboard, read, PASTE + "SET 1 3\n", "x", pasted, CTRL_C)
    assert read("SET 2 4", ENTER) == "SET 2 4"


@pytest.mark.parametrize(
    "garbage", ["\x1b[999~", "\x1b[200", "\x1b]0;x\x07", "\x1bOz", "\x00\x01", PASTED, "\x1b[<0;1;1M"]
)
def test_garbage_survives(garbage, read):
    read(garbage, ENTER)
    assert read(CTRL_U, "SET 1 3", ENTER) == "SET 1 3"


@pytest.mark.parametrize("text", ["測試 データ", "😀👩‍🔬", "e\u0301\u0302", "ﷺ", "\u202eabc", "naïve ½"])
def test_wide_and_strange_characters(text, read):
    assert read(f"NOTE {text}", ENTER) == f"NOTE {text}"
    assert read(PASTE, f"NOTE {text}", PASTED, CTRL_A, RIGHT, CTRL_E, ENTER) == f"NOTE {text}"
    assert read(UP, ENTER) == f"NOTE {text}"


def test_nothing_is_left_behind(read, tmp_path):
    read("SET 1 3", ENTER)
    assert os.listdir(tmp_path) == ["parfit"]
    assert os.listdir(tmp_path / "parfit") == ["history"]


@pytest.mark.parametrize("key", ["+", "-", RIGHT, "\x1b[D"])
def test_keys_on_an_empty_line_move_the_picture_above(keyboard, key):
    shown = ["PLOT MOVE 0"]
    editor = LineEditor(complete, None, proposed=lambda: shown[0])
    keyboard.send_text(key)
    assert editor.read("> ", False, "") == "PLOT MOVE 0"
    assert [press.data for press in get_typeahead(keyboard)] == [key], "and the picture is moved at once"
    keyboard.send_text(f"SET p1{key}3{ENTER}")
    assert editor.read("> ", False, "") == {"+": "SET p1+3", "-": "SET p1-3", RIGHT: "SET p13"}.get(key, "SET p31")
    keyboard.send_text(f"{key}3{ENTER}")
    assert editor.read(": ", True, "") in (f"{key}3", "3"), "an answer is none of it"
    shown[0] = ""
    keyboard.send_text(f"{key}3{ENTER}")
    assert editor.read("> ", False, "") in (f"{key}3", "3")
