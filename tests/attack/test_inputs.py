"""Files that were read and have changed since, are gone, are no files, or have names that no command expects."""

import os
import re
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from attacked import DATA, DRIVE, MODEL, WEIGHTS, known_run
from fingerprints import fingerprint, resumed
from terminals import PARFIT, environment, folders_of_runs, journal_of, parfit

from parfit.data.loading import read_data
from parfit.errors import DataError, ModelError
from parfit.model import textfile
from parfit.model.language.reader import model_from_text, read_model


@pytest.fixture
def known(tmp_path):
    return known_run(tmp_path)


@pytest.fixture
def home(tmp_path):
    for name, text in {"a.ode": MODEL, "a.csv": DATA, "w.csv": WEIGHTS, "drive.csv": DRIVE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


# ---- changed or gone


@pytest.mark.parametrize("how", ["gone", "changed"])
def test_what_became_of_the_files_does_not_matter(how, known):
    """Model and data of one LOAD, weights, tables of models that were loaded, changed and typed."""
    for path in [path for path in known.home.parent.rglob("*") if path.is_file()]:
        if known.folder in path.parents:
            continue
        path.unlink() if how == "gone" else path.write_text("x'=7\n")
    warnings = StringIO()
    assert fingerprint(resumed(known.folder, warnings)) == known.states[-1]
    told = " ".join(warnings.getvalue().split())
    assert told.count("has changed since the run read it; the run goes on with its copy") == told.count("LOAD reads")
    assert bool(told) is (how == "changed")


def copies(known):
    return sorted(path for path in (known.folder / "inputs").rglob("*") if path.is_file())


def test_all_that_was_read_is_copied_once(known):
    names = [path.name for path in copies(known)]
    assert sorted(names) == sorted(["a.ode", "a.csv", "other one.ode", "other.csv", "w.csv", "drive.csv", "far.csv"])


@pytest.mark.parametrize("spoil", ["gone", "changed"])
def test_a_copy_that_is_gone_or_changed_is_told_and_nothing_else_taken_for_it(spoil, known, tmp_path):
    (copy,) = (path for path in copies(known) if path.name == "w.csv")
    copy.unlink() if spoil == "gone" else copy.write_text(WEIGHTS.replace("2\n", "3\n"))
    warnings = StringIO()
    assert fingerprint(resumed(known.folder, warnings)) == known.states[2]
    assert f"its copy {copy} " in warnings.getvalue()
    assert "WEIGHT FILE" in warnings.getvalue()
    assert "the 2 commands before it could be played again" in warnings.getvalue()


def test_a_command_that_fails_is_not_counted(home):
    (home / "bad.csv").write_text("nonsense")
    given = ["LOAD a.ode bad.csv", "WEIGHT FILE bad.csv", "LOAD a.ode a.csv", "SET k 2"]
    parfit(home, "a.ode", "a.csv", "--keep-going", *(word for line in given for word in ("-e", line)))
    (run,) = folders_of_runs(home)
    before = (home / "a.csv").read_text()
    (home / "a.csv").write_text(before.replace(".5,.5", ".5,9999"))
    env = resumed(run)
    assert (env.values[0], env.observations.values[0, 0]) == (2, 0.5)
    assert not list(run.rglob("bad.csv"))


def test_a_saved_script_finds_its_files_from_anywhere(home):
    (home / "else").mkdir()
    assert parfit(home, "a.ode", "a.csv", "-e", "WEIGHT FILE w.csv", "-e", "SAVE s.pft").returncode == 0
    first = (home / "s.pft").read_text().splitlines()[0]
    command = first.removeprefix("# Replay with: parfit ")
    done = subprocess.run(
        f"{' '.join(PARFIT)} {command}",
        shell=True, cwd=home / "else", env=environment(home), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_negative_weight_is_told_of_the_file_of_weights(home):
    (home / "w.csv").write_text(WEIGHTS.replace("2\n", "-2\n"))
    done = parfit(home, "a.ode", "a.csv", "-e", "WEIGHT FILE w.csv")
    assert done.returncode == 1
    assert done.stderr.startswith("w.csv: a weight is negative")


# ---- names


@pytest.mark.parametrize("name", ["x #1", "it's", 'say "so"', "line\nend", "C1\x9b", "a=b,c\udcff"])
def test_names_with_any_characters(name, home):
    folder = home / name
    folder.mkdir()
    for each in ("a.ode", "a.csv", "w.csv"):
        shutil.copy(home / each, folder)
    given = ["LOAD a.ode a.csv", "WEIGHT FILE w.csv", "SET k 3", "SAVE s.pft"]
    done = parfit(folder, "a.ode", "a.csv", *(word for line in given for word in ("-e", line)), env=environment(home))
    assert (done.returncode, done.stderr) == (0, "")
    (run,) = folders_of_runs(home)
    script = (folder / "s.pft").read_bytes()
    (home / "s.pft").write_bytes(script)
    for each in ("a.ode", "a.csv", "w.csv"):
        (home / each).unlink()
    command = script.split(b"\n")[0].removeprefix(b"# Replay with: parfit ").rpartition(b" -b ")[0]
    again = subprocess.run(
        b" ".join([*map(os.fsencode, PARFIT), command, b"-b s.pft"]),
        shell=True, cwd=home, env=environment(home), capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    shutil.rmtree(folder)
    env = resumed(run)
    assert env.values[0] == 3
    assert set(env.observations.weights.ravel()) == {1, 2}


def test_a_tilde_is_the_users_folder_everywhere(home):
    (home / "work").mkdir()
    given = [
        "LOAD ~/a.ode ~/a.csv",
        "WEIGHT FILE ~/w.csv",
        "SAVE ~/s.pft",
        "INTEG N",
        "PLOT 1 2 ~/p.svg",
        "CREATE 0 1 2 0 x 0 1e-8 5 0 0 1 0 ~/made.csv",
    ]
    words = [word for line in given for word in ("-e", line)]
    done = parfit(home / "work", "~/a.ode", "~/a.csv", "--run-folder", "~/r", *words, env=environment(home))
    assert (done.returncode, done.stderr) == (0, "")
    assert all((home / name).is_file() for name in ("s.pft", "p.svg", "made.csv", "r/journal.pft"))
    assert "~" not in "".join(journal_of(home / "r"))
    assert parfit(home / "work", "--resume=~/r", "-b", "~/s.pft", env=environment(home)).returncode == 0
    assert not (home / "work" / "~").exists()


def test_a_working_folder_that_was_removed(home):
    gone = home / "gone"
    shell = f"mkdir {gone}; cd {gone}; rmdir {gone}; {' '.join(PARFIT)} "
    for words in ("../a.ode -e 'SET k 2'", f"{home}/a.ode -e 'LOAD DATA a.csv'"):
        done = subprocess.run(
            shell + words, shell=True, env=environment(home), capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 1
        assert re.fullmatch(r"(parfit: )?the current folder does not exist any more; .*\n", done.stderr)


# ---- what is no file


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "pipe.csv", "."])
@pytest.mark.parametrize("where", ["data", "model", "script", "LOAD DATA", "LOAD MODEL", "WEIGHT FILE", "table"])
def test_devices_and_pipes_are_refused_at_once(name, where, home, begin, monkeypatch):
    from parfit.errors import ParfitError
    from parfit.session.sources import script_lines

    os.mkfifo(home / "pipe.csv")
    monkeypatch.chdir(home)
    message = "is a (directory|device|pipe)"
    model = read_model("a.ode")
    if where == "data":
        with pytest.raises(DataError, match=message):
            read_data(name, model)
    elif where == "model":
        with pytest.raises(ModelError, match=message):
            read_model(name)
    elif where == "script":
        with pytest.raises(ParfitError, match=message):
            script_lines(name)
    elif where == "table":
        with pytest.raises(ModelError, match=message):
            model_from_text(f"table w {name}\nx'=w", folder=".")
    else:
        session = begin(model, read_data("a.csv", model))
        assert re.search(message, session.refused(f"{where} {name}"))


def test_a_pipe_of_the_shell_is_read_once(home):
    """As in parfit a.ode <(cat a.csv), and the run can be resumed."""
    words = "a.ode <(cat a.csv) -b <(echo SET k 3)"
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(PARFIT)} {words}"],
        cwd=home, env=environment(home), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    env = resumed(*folders_of_runs(home))
    assert env.values[0] == 3
    assert env.observations.times.size == 4


def test_large_files_are_refused_before_they_are_read(tmp_path, monkeypatch):
    with open(tmp_path / "large.csv", "wb") as stream:
        stream.truncate(textfile.MOST_BYTES + 1)
    with pytest.raises(DataError, match="has more than 100 MB"):
        textfile.read_lines(tmp_path / "large.csv")
    monkeypatch.setattr(textfile, "MOST_BYTES", 1000)
    reading, writing = os.pipe()
    os.write(writing, b"x" * 1001)
    os.close(writing)
    with pytest.raises(DataError, match="is read"):
        textfile.read_lines(f"/dev/fd/{reading}")
    os.close(reading)


def test_the_error_of_a_table_does_not_show_the_file(tmp_path):
    (tmp_path / "secret").write_text("root:x:0\ndaemon:secret:1\n")
    with pytest.raises(ModelError) as caught:
        model_from_text("table z secret\nx'=z", folder=tmp_path)
    assert "daemon" not in str(caught.value)
    assert "line 2" in str(caught.value)


def test_controls_of_a_terminal_are_written_out(home):
    (home / "c1.ode").write_bytes(b"par k\xc2\x9b31m=1\nx'=-k*x\ndone\n")
    done = parfit(home, "c1.ode", "-e", "MODEL")
    assert "\x9b" not in done.stderr + done.stdout
    assert r"\x9b" in done.stderr
    (home / "\x9bx.ode").write_text("x'=-k*x\n")
    for words in (
        ["\x9bx.ode"],
        ["a.ode", "-e", "LOAD \x9bx.ode"],
        ["a.ode", "-e", "NOTE \x1b[2J\x9b", "-e", "NOTES"],
    ):
        done = parfit(home, *words)
        assert not set("\x9b\x1b") & set(done.stderr + done.stdout)
    Path(home / "\x9bx.ode").unlink()


@pytest.mark.parametrize("what", ["data", "weights"])
def test_what_is_too_large_is_called_so(what, home):
    if what == "data":
        (home / "a.csv").write_text("t,x\n1,1e300\n2,-1e300\n3,5e299\n")
    given = ["-e", "WEIGHT 2 x 0 ALL 1e300"] if what == "weights" else []
    done = parfit(home, "a.ode", "a.csv", *given, "-e", "FIT MORE")
    assert done.returncode == 1
    assert "the equations can be integrated" in done.stderr
    assert "data or weights are too large" in done.stderr
