"""Text files and numbers as people write them, and slips of the fingers."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parfit
from parfit.errors import DataError, ParfitError
from parfit.model.textfile import exact, excerpt, file_bytes, integer, nearest, read_lines, real, write_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_usual_encodings_and_line_ends(tmp_path, encoding, end):
    path = tmp_path / "file.txt"
    path.write_bytes(end.join(["Größe", "é,1", ""]).encode(encoding))
    assert read_lines(path) == ["Größe", "é,1", ""]


@pytest.mark.parametrize("content", [b"a\x00b", b"\xff\xfe\x00", b"PK\x03\x04"])
def test_what_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a text file"):
        read_lines(path)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        file_bytes(tmp_path / "none")
    with pytest.raises(DataError, match="directory"):
        file_bytes(tmp_path)
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "no" / "folder.csv", "t,y1")


def test_what_is_written_has_plain_line_ends(tmp_path):
    write_text(tmp_path / "file.txt", "a\né\n")
    assert (tmp_path / "file.txt").read_bytes() == "a\né\n".encode()


@pytest.mark.parametrize(
    ("text", "value"),
    [("2", 2.0), ("-.1", -0.1), ("1.", 1.0), ("1.5D-3", 0.0015), (".25E+02", 25.0), ("\N{MINUS SIGN}3", -3.0)],
)
def test_numbers_of_several_dialects(text, value):
    assert real(text) == value


@pytest.mark.parametrize("text", ["", "nan", "inf", "1_000", "0x10", "1e", "--1", "1 2", "١"])
def test_what_is_no_number(text):
    assert real(text) is None
    assert integer(text) is None


def test_whole_numbers():
    assert [integer(text) for text in ("12", "-3", "1.0", "9999999999")] == [12, -3, None, None]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_exactly(value):
    assert float(exact(value)) == value
    assert not exact(value).endswith(".0")


@pytest.mark.parametrize(
    ("word", "found"),
    [("plt", "PLOT"), ("plto", "PLOT"), ("smoth", "SMOOTH"), ("smotoh", "SMOOTH"), ("xyz", ""), ("", "")],
)
def test_a_slip_of_the_fingers(word, found):
    """One in a short word, two from six letters on."""
    assert nearest(word, ["PLOT", "SMOOTH", "STATS"]) == found


def test_an_excerpt_is_short():
    assert excerpt("a\nb") == r"'a\nb'"
    assert len(excerpt("x" * 1000)) == 42


# ---- as a whole or not at all


def full(self, data):
    """A disk on which half of it finds room."""
    with open(self, "wb") as stream:
        stream.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_on_a_full_disk_what_was_there_stays(tmp_path, monkeypatch):
    path = tmp_path / "a.pft"
    write_text(path, "what was there\n")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(DataError, match=r"a\.pft: cannot be written: No space left on device"):
            write_text(path, "something longer that is new\n")
        with pytest.raises(DataError):
            write_text(tmp_path / "new.pft", "something\n")
        with pytest.raises(ParfitError, match="the plot could not be written"):
            parfit.load("models/enzyme.ode").plot(tmp_path / "a.svg")
    assert path.read_text() == "what was there\n"
    assert [each.name for each in tmp_path.iterdir()] == ["a.pft"], "nor is anything left behind"


def test_links_and_modes_stay(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_to():
    write_text("/dev/null", "nothing")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("name", ["x" * 300, "a\x00b", "nowhere/x", "."])
def test_names_that_will_not_do(tmp_path, name):
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / name, "text")
    assert list(tmp_path.iterdir()) == []
