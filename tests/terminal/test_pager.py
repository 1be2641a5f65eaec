"""Long texts are shown page by page at a terminal, and nowhere else."""

import io
import shutil

import pytest
from terminals import MODELS, PROMPT, Session, environment

from parfit.session.console import Console
from parfit.terminal.pager import page


def test_only_what_is_longer_than_the_screen_goes_through_it(monkeypatch):
    out, paged = io.StringIO(), []
    console = Console(out, out)
    console.page = lambda text: paged.append(text) or True
    monkeypatch.setattr(Console, "screen", property(lambda self: (80, 24)))
    short, long = "\n".join("x" * 23), "\n".join("y" * 24)
    console.say(short)
    console.say(long)
    assert out.getvalue() == f"{short}\n"
    assert paged == [f"{long}\n"]
    assert Console(out, out).page is None, "nobody reads a script"


def test_the_pager_of_the_user_is_given_the_text(monkeypatch, tmp_path):
    monkeypatch.setenv("PAGER", f"tee {tmp_path / 'seen'}")
    assert page("one\ntwo\n")
    assert (tmp_path / "seen").read_text() == "one\ntwo\n"


def test_without_a_pager_the_text_is_still_to_be_shown(monkeypatch):
    for pager in ("", "there-is-no-such-pager"):
        monkeypatch.setenv("PAGER", pager)
        assert not page("one\n")


def test_a_command_typed_at_less_writes_no_file(monkeypatch, tmp_path):
    """Its s would save the text under the rest of `stats 95`."""
    monkeypatch.setenv("PAGER", f"sh -c 'cat > /dev/null; echo $LESSSECURE $LESS > {tmp_path / 'seen'}'")
    monkeypatch.delenv("LESS", raising=False)
    assert page("one\n")
    assert (tmp_path / "seen").read_text() == "1 -FRXEK -PsSPACE shows more, q ends\n"


@pytest.fixture
def reader(tmp_path):
    """Somebody with few lines on the screen, and less."""
    if shutil.which("less") is None:
        pytest.skip("there is no less here")
    with Session(
        tmp_path, str(MODELS / "enzyme.ode"), size=(12, 80), env=environment(tmp_path, PAGER="less")
    ) as session:
        session.wait()
        yield session


def test_ctrl_c_leaves_the_pager(reader):
    reader.give("HELP FORMAT", "SPACE shows more")
    for _ in range(30):  # one that comes before less reads keys is heard with the next
        reader.type("\x03")
        if reader.look(PROMPT, 2.0) is not None:
            break
    else:
        raise AssertionError("less does not end")
    assert "p1" in reader.give("SET p1 3")


def test_what_was_typed_on_is_no_key_of_the_pager(reader):
    """Neither what came with the line, nor what came after it."""
    reader.type("HELP FORMAT\rSET p1 3\r")
    shown = reader.wait(PROMPT + r" ?SET p1 3[\s\S]*" + PROMPT)
    assert "writes a model and data to begin with" in shown
    assert "SPACE" not in shown
