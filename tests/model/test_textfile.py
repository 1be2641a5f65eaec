"""Files that are written: as a whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

import parfit
from parfit.errors import DataError, ParfitError
from parfit.model.textfile import write_text


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
