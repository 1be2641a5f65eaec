"""The command line: pipes, full disks, closed streams, encodings and colours."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from terminals import ENZYME, PARFIT, PREDATOR, Session, environment, executing, folders_of_runs, journal_of, parfit

from parfit.errors import ParfitError
from parfit.session.sources import piped_lines

# ---- what it reads and writes


def shell(folder, command, **more):
    program = " ".join(PARFIT)
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command.format(parfit=program, enzyme=ENZYME)}"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder, **more),
        check=False,
    )


def test_a_reader_who_has_seen_enough(tmp_path):
    """It writes more than a pipe holds, so that it must notice."""
    run = shell(tmp_path, "{parfit} {enzyme} -e 'SET 1 3' -e 'SAMPLE MESH 9999 .01' -e INTEG -e 'REPORT 5' | head -1")
    assert (run.returncode, run.stdout, run.stderr) == (1, "> SET 1 3\n", "")


def test_output_to_a_full_disk(tmp_path):
    run = shell(tmp_path, "{parfit} {enzyme} -e HELP > /dev/full")
    assert (run.returncode, run.stderr) == (1, "parfit: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(closed, tmp_path):
    run = shell(tmp_path, "{parfit} {enzyme} -b - " + closed)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    run = shell(tmp_path, "{parfit} {enzyme} -e 'SET 1 3' " + closed)
    assert (run.returncode, run.stderr) == (0, "")
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"]


def test_errors_without_a_standard_error(tmp_path):
    assert shell(tmp_path, "{parfit} nothing.ode 2>&-").returncode == 1
    assert shell(tmp_path, "{parfit} {enzyme} -e XYZZY 2>&-").returncode == 1


def test_a_pipe_that_cannot_be_read():
    class Broken:
        def reconfigure(self, errors):
            pass

        def __iter__(self):
            yield "SET 1 3"
            raise OSError(5, "Input/output error")

    lines = piped_lines(Broken())
    assert next(lines) == "SET 1 3"
    with pytest.raises(ParfitError, match="standard input cannot be read: Input/output error"):
        next(lines)


@pytest.mark.parametrize("through", ["script", "pipe"])
def test_bytes_that_are_no_utf_8(through, tmp_path):
    """Latin-1, as old scripts have it; in a pipe what cannot be read is replaced."""
    lines = b"# \xe9t\xe9\nNOTE voil\xe0 \xff\nSET 1 3\n"
    (tmp_path / "a.pft").write_bytes(lines)
    arguments = ["-b", "a.pft"] if through == "script" else []
    run = parfit(tmp_path, ENZYME, *arguments, input=lines)
    assert (run.returncode, run.stderr) == (0, "")
    assert journal_of(*folders_of_runs(tmp_path)) == [
        "NOTE voilà ÿ" if through == "script" else "NOTE voil\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}",
        "SET p1 3",
    ]


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_scripts_of_other_systems(ends, tmp_path):
    (tmp_path / "a.pft").write_bytes(f"\ufeffSET 1 3{ends}SET{ends}2 4{ends}0{ends}".encode())
    assert parfit(tmp_path, ENZYME, "-b", "a.pft").returncode == 0
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3", "SET p2 4"]


def test_a_model_whose_name_is_no_text(tmp_path):
    name = b"en\xffz.ode"
    Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_bytes(Path(ENZYME).read_bytes())
    run = parfit(tmp_path, name, *executing("SET 1 3", "REPORT 1"))
    assert (run.returncode, run.stderr) == (0, "")
    again = parfit(tmp_path, "--resume", *executing("REPORT 3"))
    assert (again.returncode, again.stderr) == (0, "")
    assert re.search(r"^1  p1 +3 ", again.stdout, re.MULTILINE)


@pytest.mark.parametrize("plain", [{"PYTHONIOENCODING": "ascii"}, {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_plain_ascii(plain, tmp_path):
    env = environment(tmp_path, PYTHONCOERCECLOCALE="0", **plain)
    commands = executing("MODEL", "INTEG N", "PLOT 1 2 0 y1 0 y1 0 Y", "NOTE façade", "NOTES", "HELP")
    run = parfit(tmp_path, *PREDATOR, *commands, env=env)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.isascii()
    assert "+" in run.stdout
    assert (tmp_path / "predator-prey-run" / "graphs.txt").exists()


@pytest.mark.parametrize(
    ("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)]
)
def test_colours_are_for_who_wants_them(more, coloured, tmp_path):
    with Session(tmp_path, *PREDATOR, *executing("INTEG N", "PLOT 1 2"), env=environment(tmp_path, **more)) as session:
        assert session.end() == 0
    assert (re.search(rb"\x1b\[[0-9;]*m", session.raw) is not None) == coloured
    assert "y1 observed" in session.text


def test_no_colours_in_a_pipe(tmp_path):
    run = parfit(tmp_path, *PREDATOR, *executing("INTEG N", "PLOT 1 2"))
    assert "\x1b" not in run.stdout
