"""The command line: what it keeps, and runs that were."""

import os
import subprocess

import pytest
from fingerprints import resumed
from terminals import (
    ENZYME,
    MODELS,
    PARFIT,
    PREDATOR,
    Session,
    environment,
    executing,
    folders_of_runs,
    journal_of,
    parfit,
)

# ---- what it keeps


def test_a_script_keeps_report_and_graphs_and_overwrites_nothing(tmp_path):
    commands = executing("INTEG N", "PLOT 1 2 0 y1 0 y1 0 Y", "REPORT 3")
    for k in (1, 2, 3):
        run = parfit(tmp_path, *PREDATOR, "-e", f"SET 1 {k}", *commands)
        assert (run.returncode, run.stderr) == (0, "")
    kept = [tmp_path / name for name in ("predator-prey-run", "predator-prey-run-2", "predator-prey-run-3")]
    for k, folder in enumerate(kept, 1):
        assert {path.name for path in folder.iterdir()} == {"report.txt", "graphs.txt"}
        assert f"PARAMETERS: p1 = {k}, p2 = 0.1" in (folder / "graphs.txt").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [*(folder.name for folder in kept), "state"]


def test_what_a_failed_script_reported_is_kept(tmp_path):
    assert parfit(tmp_path, ENZYME, *executing("REPORT 3", "XYZZY")).returncode == 1
    assert "PARAMETERS" in (tmp_path / "enzyme-run" / "report.txt").read_text()


def test_runs_at_the_same_time_do_not_get_into_each_other(tmp_path):
    command = [*PARFIT, ENZYME, *executing("REPORT 3")]
    started = [
        subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE) for _ in range(4)
    ]
    for process in started:
        process.communicate()
    assert [process.returncode for process in started] == [0] * 4
    assert len(list(tmp_path.glob("enzyme-run*/report.txt"))) == 4
    assert len(folders_of_runs(tmp_path)) == 4


@pytest.mark.parametrize(
    ("end", "kept"),
    [("QUIT", {"report.txt"}), ("QUIT 0", None), ("QUIT REPORT", {"report.txt"}), ("QUIT 1", {"journal.pft"})],
)
def test_quit_in_a_script_says_what_to_keep(end, kept, tmp_path):
    run = parfit(tmp_path, ENZYME, input=f"REPORT 3\n{end}\nSET 1 3\n")
    assert (run.returncode, run.stderr) == (0, "")
    found = [{path.name for path in folder.iterdir()} for folder in tmp_path.glob("enzyme-run*")]
    assert found == ([] if kept is None else [kept])
    assert journal_of(*folders_of_runs(tmp_path)) == ["REPORT PAR"], "nothing after QUIT is obeyed"


def test_quit_ends_everything(tmp_path):
    (tmp_path / "a.pft").write_text("SET 2 4")
    parfit(tmp_path, ENZYME, "-b", "a.pft", *executing("SET 1 3", "QUIT", "SET 3 5"))
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"]


def test_a_folder_of_ones_own(tmp_path):
    run = parfit(tmp_path, ENZYME, "--run-folder", "deep/mine", *executing("SET 1 3", "REPORT 3"))
    assert run.returncode == 0
    assert {"journal.pft", "report.txt", "inputs"} == {path.name for path in (tmp_path / "deep" / "mine").iterdir()}
    assert folders_of_runs(tmp_path) == []
    again = parfit(tmp_path, ENZYME, "--run-folder", "deep/mine", *executing("SET 1 4"))
    assert again.returncode == 1
    assert "holds a run already; continue it with --resume" in again.stderr
    further = parfit(tmp_path, "--resume", "deep/mine", *executing("SET 2 4"))
    assert further.returncode == 0
    assert journal_of(tmp_path / "deep" / "mine") == ["SET p1 3", "REPORT PAR", "SET p2 4"]


@pytest.mark.parametrize("end", [[], ["QUIT"], ["QUIT REPORT"], ["KEEP REPORT"]])
def test_with_a_folder_of_ones_own_nothing_is_written_anywhere_else(end, tmp_path):
    run = parfit(
        tmp_path, *PREDATOR, "--run-folder", "mine", *executing("FIT MORE", "CREATE 0 1(1)5", "REPORT 3", *end)
    )
    assert run.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert {"report.txt", "data.csv"} <= {path.name for path in (tmp_path / "mine").iterdir()}


def test_a_script_leaves_a_folder_only_for_what_was_asked_for(tmp_path):
    assert parfit(tmp_path, *PREDATOR, *executing("FIT MORE", "STATS 95")).returncode == 0
    assert parfit(tmp_path, *PREDATOR, *executing("FIT MORE", "QUIT")).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["state"], "nobody asked for a file"
    noisy = str(MODELS / "predator-prey-noisy.csv")
    assert parfit(tmp_path, PREDATOR[0], noisy, *executing("FIT MORE", "REPORT 3")).returncode == 0
    assert (tmp_path / "predator-prey-predator-prey-noisy-run" / "report.txt").exists(), "named by model and data"


def test_a_folder_is_used_again_by_force_which_leaves_other_files_alone(tmp_path):
    first = parfit(tmp_path, *PREDATOR, "--run-folder", "mine", *executing("SET 1 3", "CREATE 0 1(1)5"))
    assert first.returncode == 0
    (tmp_path / "mine" / "precious").write_text("!")
    again = parfit(tmp_path, ENZYME, "--run-folder", "mine", "--force", *executing("SET 1 4"))
    assert (again.returncode, again.stderr) == (0, "")
    assert journal_of(tmp_path / "mine") == ["SET p1 4"]
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"journal.pft", "inputs", "precious"}
    assert parfit(tmp_path, ENZYME, "--run-folder", "new", "--force", *executing("SET 1 4")).returncode == 0


def test_force_leaves_a_run_alone_that_somebody_is_at(tmp_path):
    with Session(tmp_path, ENZYME, "--run-folder", "mine") as session:
        session.wait()
        session.give("SET 1 3")
        run = parfit(tmp_path, ENZYME, "--run-folder", "mine", "--force", *executing("SET 1 4"))
        assert (run.returncode, run.stderr) == (1, "parfit: mine: the run is in use by another parfit\n")
    assert journal_of(tmp_path / "mine") == ["SET p1 3"]


@pytest.mark.parametrize("inside", [[], ["precious"], ["inputs", "precious"], ["inputs", "1", "enzyme.csv"]])
def test_a_run_in_which_nothing_was_done_takes_nothing_away(inside, tmp_path):
    mine = tmp_path / "mine"
    path = mine.joinpath(*inside)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("!") if inside else path.mkdir()
    assert parfit(tmp_path, ENZYME, "--run-folder", "mine", "-e", "HELP").returncode == 0
    found = sorted(each for each in mine.rglob("*"))
    assert found == ([mine.joinpath(*inside[:k]) for k in range(1, len(inside) + 1)] if inside else [])
    assert mine.is_dir()


@pytest.mark.parametrize("arguments", [("-e", "HELP"), ("-e", "XYZZY"), (), ("nothing.csv",)])
def test_a_run_in_which_nothing_was_done_leaves_no_folder(arguments, tmp_path):
    parfit(tmp_path, ENZYME, *arguments)
    assert folders_of_runs(tmp_path) == []


# ---- runs that were


@pytest.fixture
def three_runs(tmp_path):
    """Folders of three runs, the second of which was the last that something was done in."""
    for k in (1, 2, 3):
        parfit(tmp_path, PREDATOR[0] if k == 3 else ENZYME, *executing(*[f"SET 1 {k}"] * k))
    runs = sorted(folders_of_runs(tmp_path), key=lambda run: len(journal_of(run)))
    for days, run in zip((30, 1, 10), runs, strict=True):
        then = 1.7e9 - 86400 * days
        os.utime(run / "journal.pft", (then, then))
    return runs


def test_runs_are_listed_the_latest_first(three_runs, tmp_path):
    lines = parfit(tmp_path, "--runs").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [three_runs[k].name for k in (1, 2, 0)]
    assert lines[0].endswith("  2 commands  enzyme.ode")
    assert lines[1].endswith("  3 commands  predator-prey.ode")


@pytest.mark.parametrize(
    ("name", "which"),
    [
        (lambda runs: [], 1),
        (lambda runs: [runs[0].name], 0),
        (lambda runs: [runs[2].name[:-2]], 2),
        (lambda runs: [str(runs[0])], 0),
        (lambda runs: [os.path.join("state", "parfit", "runs", runs[2].name)], 2),
    ],
    ids=["latest", "name", "beginning of a name", "folder", "relative folder"],
)
def test_resuming(name, which, three_runs, tmp_path):
    run = parfit(tmp_path, *(f"--resume={word}" for word in name(three_runs) or [""]), *executing("SET 2 7"))
    assert (run.returncode, run.stderr) == (0, "")
    assert journal_of(three_runs[which]) == [f"SET p1 {which + 1}"] * (which + 1) + ["SET p2 7"]
    assert resumed(three_runs[which]).values[:2].tolist() == [which + 1, 7]


def test_resuming_without_a_name_at_the_end_of_the_line(three_runs, tmp_path):
    assert parfit(tmp_path, "-e", "SET 2 7", "--resume").returncode == 0
    assert journal_of(three_runs[1])[-1] == "SET p2 7"


def test_old_runs_are_removed(three_runs, tmp_path):
    days = (_now() - 1.7e9) / 86400
    shown = parfit(tmp_path, "--prune", str(days + 5)).stdout.splitlines()
    assert [line.split()[:2] for line in shown] == [["removed", three_runs[k].name] for k in (2, 0)]
    assert folders_of_runs(tmp_path) == [three_runs[1]]
    assert parfit(tmp_path, "--prune", "1e9").stdout == ""
    assert len(parfit(tmp_path, "--prune", "0").stdout.splitlines()) == 1
    assert folders_of_runs(tmp_path) == []


def _now():
    from time import time

    return time()


def test_a_run_that_somebody_is_at_is_neither_removed_nor_resumed(tmp_path):
    with Session(tmp_path, ENZYME) as session:
        session.wait()
        session.give("SET 1 3")
        (run,) = folders_of_runs(tmp_path)
        refused = parfit(tmp_path, "--resume", "-e", "SET 1 4")
        assert refused.returncode == 1
        assert refused.stderr == f"parfit: {run}: the run is in use by another parfit\n"
        assert parfit(tmp_path, "--prune", "0").stdout == ""
        session.give("SET 1 5")
        session.type("QUIT\r")
        assert session.end() == 0
    assert journal_of(run) == ["SET p1 3", "SET p1 5"]


def test_data_that_were_stored_are_kept_by_a_script(tmp_path):
    run = parfit(tmp_path, PREDATOR[0], *executing("CREATE 0 1(1)5"))
    assert run.returncode == 0
    assert (tmp_path / "predator-prey-run" / "data.csv").exists()
