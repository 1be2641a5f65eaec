"""Text files and numbers as people write them, and slips of the fingers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parfit.errors import DataError
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
