"""The command line: what it obeys, how it ends, and how a conversation begins."""

import gc
import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from terminals import ENZYME, MODELS, PREDATOR, Session, executing, folders_of_runs, journal_of, parfit, started_with

from parfit import __version__
from parfit.__main__ import main
from parfit.commands.session.history import history
from parfit.errors import DONE, FAILED
from parfit.session.interpreter import Interpreter

BARD_OPTIMUM = ("6.35841E-3", "6.77464E-2", "5.926E-5", "4.9425E-4", ".101845", "4.200E-4")  # recomputed, see below


# ---- what it obeys


def test_commands_of_the_command_line(tmp_path):
    """Bard's problem: F/2 = 21.38504 at the optimum (thesis section 2.4: 21.38429 by Benson, 21.37944 by Bard)."""
    settings = " ".join(f"p{k}={value}" for k, value in enumerate(BARD_OPTIMUM, 1))
    commands = executing(f"SET {settings}", "OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "INTEG N")
    run = parfit(tmp_path, str(MODELS / "bard.ode"), str(MODELS / "bard.csv"), *commands)
    assert (run.returncode, run.stderr) == (0, "")
    assert float(run.stdout.split("SUM OF SQUARES OF THE RESIDUALS")[1]) / 2 == pytest.approx(21.38504, rel=1e-4)


def test_a_script(tmp_path):
    (tmp_path / "fit.pft").write_text("# first the values\nSET 1 3   # of p1\n\nINTEG N\n")
    run = parfit(tmp_path, ENZYME, "-b", "fit.pft")
    assert (run.returncode, run.stderr) == (0, "")
    assert re.findall("^> .*", run.stdout, re.MULTILINE) == ["> SET 1 3", "> INTEG N"]


@pytest.mark.parametrize("arguments", [(), ("-b", "-")])
def test_a_pipe(arguments, tmp_path):
    run = parfit(tmp_path, ENZYME, *arguments, input="SET 1 3\nREPORT 3")
    assert (run.returncode, run.stderr) == (0, "")
    assert "1  p1             3  " in run.stdout or re.search(r"^1  p1 +3 ", run.stdout, re.MULTILINE)


def test_commands_come_before_the_script_and_leave_the_pipe_alone(tmp_path):
    (tmp_path / "a.pft").write_text("SET 2 4")
    parfit(tmp_path, ENZYME, "-b", "a.pft", *executing("SET 1 3", "SET 3 5"), input="SET 1 9\n")
    (run,) = folders_of_runs(tmp_path)
    assert journal_of(run) == ["SET p1 3", "SET p3 5", "SET p2 4"]


def test_a_command_of_the_command_line_takes_no_answers_from_the_next(tmp_path):
    run = parfit(tmp_path, ENZYME, *executing("SET", "SET 1 3"))
    assert run.returncode == 1
    assert "GIVE LIST OF PARAMETERS AND VALUES" in run.stderr
    assert folders_of_runs(tmp_path) == []


def test_a_model_without_data(tmp_path):
    run = parfit(tmp_path, PREDATOR[0], *executing("INTEG N", "REPORT 5"))
    assert run.returncode == 0
    last = [line.split() for line in run.stdout.splitlines() if re.match(r" *12\.5 ", line)]
    assert [len(row) for row in last] == [3], "t, y1 and y2 at the end, which is @ total=12.5"


def test_nothing_to_do_is_well_done(tmp_path):
    run = parfit(tmp_path, ENZYME)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_quiet_shows_errors_and_warnings_only(tmp_path):
    run = parfit(tmp_path, ENZYME, "--quiet", "--keep-going", *executing("SET 1 3", "REPORT 3", "XYZZY"))
    assert run.stdout == ""
    assert run.stderr == "there is no command 'XYZZY'; HELP lists the commands\n"
    assert "PARAMETERS" in (tmp_path / "enzyme-run" / "report.txt").read_text()


# ---- how it ends


def test_the_first_failed_command_stops_a_script_and_its_line_is_told(tmp_path):
    (tmp_path / "script.pft").write_text("# one\nSET 1 3\n\nFREEZE p9 # there is none\nSET 1 4\n")
    run = parfit(tmp_path, ENZYME, "-b", "script.pft")
    assert run.returncode == 1
    assert re.match(r"script\.pft:4: 'p9' is no parameter; .*\n    FREEZE p9\n\Z", run.stderr)
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"]


def test_a_pipe_names_its_lines_too(tmp_path):
    assert parfit(tmp_path, ENZYME, input="\nXYZZY\n").stderr.startswith("stdin:2: there is no command 'XYZZY'")


def test_keep_going_passes_over_the_cards_of_a_failed_command(tmp_path):
    """The 3 and the 0 are answers to FREEZE; taken for commands they would be two more errors."""
    lines = ["FREEZE", "p9", "3", "0", "SET 1 3", "SET", "2 x", "INTEG N", "XYZZY", "SET 3 5"]
    run = parfit(tmp_path, ENZYME, "--keep-going", input="\n".join(lines))
    assert run.returncode == 1
    assert re.findall(r"^stdin:(\d+)", run.stderr, re.MULTILINE) == ["2", "3", "7", "9"]
    assert "stdin:3: 2 lines from here on are taken for answers to the command that failed, and left out\n    3\n" in (
        run.stderr
    )
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3", "INTEG N", "SET p3 5"]


def test_keep_going_leaves_out_no_command(tmp_path):
    """In whatever way it is given."""
    lines = ["XYZZY", "1 2 0", "", "p1=3", "XYZZY", "TRY SET 2 x", "4", "integ n"]
    run = parfit(tmp_path, ENZYME, "--keep-going", input="\n".join(lines))
    assert run.returncode == 1
    assert re.findall(r"^stdin:(\d+)", run.stderr, re.MULTILINE) == ["1", "2", "5", "6", "7"]
    assert (
        "stdin:2: this line is taken for answers to the command that failed, and left out\n    1 2 0\n" in run.stderr
    )
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3", "INTEG N"]


@pytest.mark.parametrize("more", [(), ("--keep-going", "-e", "SET 1 5")])
def test_ctrl_c_between_two_commands_of_a_script(tmp_path, monkeypatch, capsys, more):
    """What was done is kept, and the rest is said to be left out."""

    class Pipe(io.StringIO):
        def reconfigure(self, errors):
            pass

        def __iter__(self):
            yield "SET 2 4\n"
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Pipe())
    results = tmp_path / "out.json"
    run = str(tmp_path / "run")
    assert main([ENZYME, "--run-folder", run, "--json", str(results), *more, "-b", "-"]) == 1
    said = capsys.readouterr().err
    assert "stdin:1: interrupted between two commands; the rest was not done" in said
    assert "Traceback" not in said
    assert json.loads(results.read_text())["parameters"][1]["value"] == 4.0
    assert journal_of(tmp_path / "run")[-1] == "SET p2 4"


def test_an_interrupt_ends_all_that_was_given(tmp_path, monkeypatch, capsys):
    """Also with --keep-going, for that is about commands that fail."""
    monkeypatch.setattr("parfit.session.interpreter.Interpreter._do", interrupted)
    (tmp_path / "a.pft").write_text("SET 2 4\n")
    given = ["--keep-going", "-e", "SET 1 3", "-b", str(tmp_path / "a.pft")]
    assert main([ENZYME, "--run-folder", str(tmp_path / "run"), *given]) == 1
    assert capsys.readouterr().err.count("interrupted") == 1


def interrupted(*given):
    raise KeyboardInterrupt


def test_keep_going_goes_on_from_the_command_line_to_the_script(tmp_path):
    (tmp_path / "a.pft").write_text("SET 2 4")
    run = parfit(tmp_path, ENZYME, "--keep-going", "-b", "a.pft", *executing("XYZZY", "SET 1 3"))
    assert run.returncode == 1
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3", "SET p2 4"]


def test_an_end_in_the_middle_of_a_command(tmp_path):
    run = parfit(tmp_path, ENZYME, input="SET\n1")
    assert run.returncode == 1
    assert run.stderr.startswith("stdin:2: the input ends where an answer is needed")
    assert folders_of_runs(tmp_path) == []


def broken(env, ask):
    raise ZeroDivisionError("a mistake of ours")


def test_an_internal_error_is_one_line_with_its_trace_in_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("parfit.session.runs.past.new_folder", lambda model: tmp_path / next(names))
    names = iter("abc")
    object.__setattr__(history, "work", broken)
    try:
        code = main([ENZYME, *executing("SET 1 3", "HISTORY", "SET 1 4")])
        error = capsys.readouterr().err
        assert (code, error.count("\n")) == (3, 1)
        assert error.startswith("internal error (ZeroDivisionError); its trace is in ")
        trace = Path(re.search("its trace is in (.*?);", error)[1])
        assert "in broken" in trace.read_text()
        assert journal_of(trace.parent) == ["SET p1 3"]
        assert main([ENZYME, "--debug", "-e", "HISTORY"]) == 3
        error = capsys.readouterr().err
        assert error.startswith("Traceback")
        assert error.endswith("ZeroDivisionError: a mistake of ours\n")
        assert main([ENZYME, "-e", "HISTORY"]) == 3
        trace = Path(re.search("its trace is in (.*?);", capsys.readouterr().err)[1])
        assert "in broken" in trace.read_text(), "it stays, though nothing was done in the run"
    finally:
        object.__setattr__(history, "work", WORK)


WORK = history.work


def test_an_internal_error_before_the_first_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(Interpreter, "__init__", broken)
    assert main([ENZYME, "-e", "HELP"]) == 3
    assert capsys.readouterr().err.startswith("parfit: internal error (TypeError); its trace is in ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a model is needed"),
        (("tuor",), "did you mean parfit tour?"),
        (("--nonsense",), "unrecognized arguments: --nonsense"),
        (("--resume=x", ENZYME), "--resume opens the model of the run itself"),
        ((ENZYME, "-b"), "expected one argument"),
        (("--prune", "soon"), "argument --prune"),
        ((ENZYME, "--force"), "--force goes with --run-folder"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    out, error = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert error.startswith("usage: parfit ")
    assert message in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing.ode",), "nothing.ode: there is no such file"),
        ((".",), ".: is a directory"),
        (("bad.ode",), "bad.ode:2: "),
        (("noise.ode",), "noise.ode: "),
        (("empty.ode",), "empty.ode: "),
        ((ENZYME, "nothing.csv"), "nothing.csv: there is no such file"),
        ((ENZYME, str(MODELS / "bard.csv")), "bard.csv:4: column 'y3'"),
        ((ENZYME, "noise.ode"), "noise.ode: is not a text file"),
        ((ENZYME, "-b", "nothing.pft"), "nothing.pft: there is no such file"),
        ((ENZYME, "-b", "."), ".: is a directory"),
        ((ENZYME, "-b", "noise.ode"), "noise.ode: is not a text file"),
        (("x" * 300,), "File name too long"),
        (("--resume",), "there is no run to resume yet"),
        (("--resume=none",), "there is no run 'none' to resume"),
        (("--resume=" + "x" * 300,), "to resume; parfit --runs lists them"),
        (("--prune", "nan"), "a number of days"),
        (("--prune", "-1"), "a number of days"),
        (("--prune", "inf"), "a number of days"),
    ],
)
def test_what_cannot_be_opened_is_told_in_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.ode").write_text("par k=1\nx'=-k*\n")
    (tmp_path / "noise.ode").write_bytes(bytes(range(256)))
    (tmp_path / "empty.ode").write_text("")
    assert main(arguments) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("parfit: ")
    assert message in error
    assert error.count("\n") == 1
    assert folders_of_runs(tmp_path) == []


def test_version_and_help(tmp_path):
    assert parfit(tmp_path, "--version").stdout == f"parfit {__version__}\n"
    shown = parfit(tmp_path, "--help").stdout
    for option in ("MODEL", "-b", "-e", "--keep-going", "--quiet", "--run-folder", "--resume", "--runs", "--prune"):
        assert option in shown or option.lower() in shown
    assert shown.count("\n  parfit ") >= 4, "examples"
    for words in (["--help"], ["new", "--help"], ["convert", "--help"]):
        assert max(map(len, parfit(tmp_path, *words).stdout.splitlines())) < 80, words


# ---- a conversation


def test_a_conversation_begins_with_the_problem_and_the_personal_script(tmp_path):
    (tmp_path / "config" / "parfit").mkdir(parents=True)
    (tmp_path / "config" / "parfit" / "start.pft").write_text("SET 1 3\n")
    with Session(tmp_path, *PREDATOR) as session:
        shown = session.wait()
        assert "predator-prey: 2 state variables, 6 parameters, 50 observations on y1, y2, t = 0 to 12.5" in shown
        assert "> SET 1 3" in shown
        session.type("QUIT\r")
        assert session.end() == 0
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"]
    with Session(tmp_path, "--resume") as session:
        session.wait()
        session.type("QUIT\r")
        assert session.end() == 0
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"], "it is for those that begin"


@pytest.mark.parametrize("content", ["XYZZY\nSET 1 3\n", None])
def test_a_bad_personal_script_is_told_and_the_conversation_begins(content, tmp_path):
    path = tmp_path / "config" / "parfit" / "start.pft"
    path.parent.mkdir(parents=True)
    path.mkdir() if content is None else path.write_text(content)
    with Session(tmp_path, ENZYME) as session:
        assert str(path) in session.wait().replace("\n", "")
        assert "1  p1 " in session.give("SET 1 3")


def test_importing_the_command_line_is_light():
    """`parfit --help` should not wait for numpy."""
    code = "import sys, parfit.__main__ as m; sys.stdout.write(str({'numpy', 'sympy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()"


# ---- how it ends


@pytest.mark.parametrize(
    ("commands", "code"),
    [
        (["SET 1 2", "FIT 1 .01 1e-6 1e-6 2"], 5),
        (["SET 1 2", "FIT 1 .01 1e-6 1e-6 2", "FIT MORE"], 0),
        (["FIT MORE", "SET 1 2", "FIT 1 .01 1e-6 1e-6 2", "XYZZY"], 1),
    ],
)
def test_the_exit_code_tells_a_last_fit_that_did_not_end_at_a_minimum(tmp_path, commands, code):
    data = str(MODELS / "predator-prey-noisy.csv")
    assert parfit(tmp_path, PREDATOR[0], data, *executing("OPTION 1977", *commands)).returncode == code


@pytest.mark.parametrize("interrupts", [signal.SIG_DFL, signal.SIG_IGN], ids=["heard", "ignored"])
def test_a_time_limit_ends_whatever_is_being_done_and_keeps_what_was_reached(tmp_path, interrupts):
    """The integration would take days; also in the background of a shell script, where interrupts are ignored."""
    endless = ["SAMPLE MESH 100000 .05", "OPTION PROCEDURE GEAR HMAX 1e-6 HMIN 0"]
    commands = executing("SET 1 3", *endless, "INTEG N", "SET 2 7")
    with started_with(signal.SIGINT, interrupts):
        run = parfit(tmp_path, ENZYME, "--time", "1", *commands)
    assert run.returncode == 4
    assert "the 1 s of --time are over: what was reached is kept" in run.stderr
    (folder,) = folders_of_runs(tmp_path)
    assert journal_of(folder)[0] == "SET p1 3"
    assert "SET p2 7" not in journal_of(folder)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "soon"])
def test_a_time_limit_is_a_number_of_seconds(seconds, capsys):
    with pytest.raises(SystemExit) as ended:
        main([ENZYME, "--time", seconds])
    assert ended.value.code == 2
    assert "--time" in capsys.readouterr().err


def test_a_model_to_begin_with(tmp_path):
    assert parfit(tmp_path, "new", "mine", "S", "I").returncode == DONE
    done = parfit(tmp_path, "mine.ode", "mine.csv", "-e", "FIT MORE")
    assert "CONVERGED" in done.stdout
    again = parfit(tmp_path, "new", "mine", "S")
    assert again.returncode == FAILED
    assert "mine.ode exists already" in again.stderr


def test_the_help_of_new_writes_nothing(tmp_path):
    for words in (["--help"], ["-h"], ["mine", "--help"]):
        run = parfit(tmp_path, "new", *words)
        assert run.returncode == DONE
        assert run.stdout.startswith("usage: parfit new [NAME [STATE ...]]")
    assert parfit(tmp_path, "new", "--states", "x").returncode == 2
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".ode", ".csv")] == []


def test_new_says_what_a_shell_understands(tmp_path):
    run = parfit(tmp_path, "new", "my model", "x")
    assert "parfit 'my model.ode' 'my model.csv'" in run.stdout
    assert (tmp_path / "my model.ode").exists()


class HalfMade:
    """As a library's object is that Ctrl-C has interrupted in its making."""

    def __del__(self):
        raise AttributeError("it has no pointer")


def test_what_destructors_raise_is_not_written_over_the_screen(tmp_path, monkeypatch, capsys):
    def make(self, *given):
        HalfMade()
        gc.collect()

    hook = sys.unraisablehook
    monkeypatch.setattr(Interpreter, "_do", make)
    assert main([ENZYME, "--run-folder", str(tmp_path / "run"), "-e", "REPORT 3"]) == DONE
    assert capsys.readouterr().err == ""
    assert sys.unraisablehook is hook


def test_several_files_of_data_are_experiments(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "decay.ode").write_text("par k=.3\na'=-k*a\ninit a=1\nlocal k\ndone\n")
    for name, start in (("low", 1.0), ("high", 5.0)):
        (tmp_path / f"{name}.csv").write_text(
            f"t,a(0),a\n0,{start},{start}\n1,{start},{start / 2}\n2,{start},{start / 4}\n"
        )
    code = main(["decay.ode", "low.csv", "high.csv", "-e", "FIT", "--json", "found.json", "--run-folder", "run"])
    assert code == DONE
    found = json.loads((tmp_path / "found.json").read_text())
    assert {each["name"]: round(each["value"], 4) for each in found["parameters"]} == {
        "k[low]": 0.6931,
        "k[high]": 0.6931,
    }
    assert main(["--resume=run", "-e", "EXPERIMENT"]) == DONE
    assert "high        a(0)=5" in capsys.readouterr().out
