"""The case book as its readers call it: the list, a session, the tour, the guide, and the check of all its numbers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conversation import Session, data_of, model_of

from parfit.book.checking import check_all, table, verdict
from parfit.book.experiment import chosen, experiments
from parfit.commands import TABLE
from parfit.library import guide
from parfit.session.sources import Commands

ROOT = Path(__file__).parent.parent
PROMISED = (  # the experiments whose data are printed, and chapter 6 with simulated data
    "1.3 2.4 3.2 3.3 3.4 3.5 4.2 4.3 4.4 4.5 5.3 6.2 6.3 6.4 6.5 peide-1 peide-2 peide-3 peide-4 peide-5 peide-6 "
    "odeparest-1 odeparest-2 odeparest-3 odeparest-4 odeparest-5 today-1 today-2 today-3 today-4 today-5"
)
SIMULATED = {"today-1", "today-2", "today-3", "today-4", "today-5"}  # for the program, and published nowhere


def run(*words, folder):
    """Call the program without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "parfit", *words],
        input="",
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )


def test_every_experiment_is_there():
    assert set(PROMISED.split()) <= {each.number for each in experiments()}


@pytest.fixture(scope="module")
def results():
    return check_all(experiments())


def test_every_published_number_comes_out_or_is_explained(results):
    assert all(each.passed for each in results), table([each for each in results if not each.passed])
    assert sum(len(each.comparisons) for each in results) >= 60


def test_most_experiments_have_numbers(results):
    numbered = {each.experiment.number for each in results if each.comparisons}
    in_figures = {"3.4", "3.5", "4.5", "6.2", "6.4", "6.5"}  # whose observations or errors are not printed
    assert set(PROMISED.split()) - numbered <= in_figures | SIMULATED


def test_whatever_is_explained_has_its_reason(results):
    for each in results:
        for one in each.comparisons:
            assert one.agreement == "printed digits" or one.figure.remark


def test_the_readme_says_how_the_numbers_agree(results):
    assert verdict(results) in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_number_that_differs_fails_the_check(tmp_path, monkeypatch):
    """A wrong print, a wrong reason and a broken session are all found."""
    broken = chosen(["1.3"])[0]
    lines = tuple(re.sub(r"^(#= .*:).*", r"\1 61234", line) for line in broken.lines)
    wrong = type(broken)(**{**broken.__dict__, "lines": lines})
    stopped = type(broken)(**{**broken.__dict__, "lines": ("NONSENSE",)})
    found = check_all([wrong, stopped])
    assert [each.passed for each in found] == [False, False]
    assert "DIFFERS" in table(found)
    assert "there is no command" in table(found)
    assert "1 session could not be played" in verdict(found)


def test_the_list(tmp_path):
    done = run("book", folder=tmp_path)
    assert done.returncode == 0
    words = " ".join(done.stdout.split())
    for each in experiments():
        assert each.title in words
    literature, _, today = done.stdout.partition("Today's problems")
    assert "The ESCEP problem" in literature
    assert "Theophylline in twelve people" in today


def test_a_session_plays_through_a_pipe_from_anywhere(tmp_path):
    done = run("book", "4.3-second", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "published" in done.stdout
    assert "> FIT" in done.stdout


def test_one_experiment_is_checked_alone(tmp_path):
    done = run("book", "--check", "1.3", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"1\.3-\w+ +condition number +59600 +59614\.5 +printed digits", done.stdout)
    assert list(tmp_path.iterdir()) in ([], [tmp_path / "state"])  # it leaves nothing behind


def test_an_experiment_that_is_not_there(tmp_path):
    done = run("book", "7.7", folder=tmp_path)
    assert done.returncode == 1
    assert "no experiment '7.7'" in done.stderr


def test_the_tour_plays_through_a_pipe(tmp_path):
    done = run("tour", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lost, _, home = done.stdout.partition("> SMOOTH")
    assert "this is a minimum" not in lost
    assert "this is a minimum" in home
    for word in ("IFIT", "FIT", "PROBE", "STATS"):
        assert f"> {word}" in home
    found = [float(line.split()[2]) for line in home.splitlines() if re.match(r"\d  p\d ", line)][-6:]
    assert found == pytest.approx([0.5, 0.1, 5, 1, 0.15, 0.01], rel=0.05)  # what the data were made with


def commands_of_the_guide():
    """Whole command lines of the guide: what stands in a column of its own, one or several with commas between."""
    cells = re.findall(r"(?<=  )([A-Z]{3,}[^\n]*?)(?=  |$)", guide(), re.M)
    parts = [part for cell in cells for part in re.split(r", (?:or |and )?", re.sub(r" \(.*| says where", "", cell))]
    return sorted({part for part in parts if TABLE.has(part.split()[0])})


SEEN = (  # by other tests
    "NUDGE",
    "CREOBS y2 DRAW",
    "RESMOOTH y1 DRAW",
    "FIT 2: one step at a time",
    "FIT 1 10",
    "QUIT",
    "PLOT STATES OBSERVATIONS fit.png",
)


def test_the_guide_is_shown(tmp_path):
    assert run("guide", folder=tmp_path).stdout.strip() == guide().strip()
    assert max(map(len, guide().splitlines())) < 80


def test_the_guide_has_many_commands():
    assert len({line.split()[0] for line in commands_of_the_guide()}) > 20


@pytest.mark.parametrize("line", [line for line in commands_of_the_guide() if line not in SEEN])
def test_every_command_of_the_guide_can_be_typed(line, tmp_path, monkeypatch):
    """On the problem with both populations observed, that with the prey alone, or one with two experiments."""
    monkeypatch.chdir(tmp_path)
    prepared = ["MARK good", "SET p2=.12", "INTEG Y", "MARK start", "FREEZE p1"]
    both = Session(model_of("predator-prey"), data_of("predator-prey"), tmp_path / "both")
    both(*prepared, "SMOOTH SPLINE 2 4 8 2 4 8 N")
    prey = Session(model_of("predator-prey"), data_of("predator-prey-y1", "predator-prey"), tmp_path / "prey")
    prey(*prepared, "UNFREEZE p1", "SMOOTH SPLINE 2 4 8 N", "CREOBS 4 0 2.5 8.75 12.5 8 3 5 4", "IFIT SUBSYSTEMS")
    study = Session(model_of("decay"), data_of("decay"), tmp_path / "study")
    (tmp_path / "more.csv").write_text("t,a(0),a\n0,3,3\n2,3,1.5\n")
    outcomes = [session.obey(Commands([line], "> "))[::2] for session in (both, prey, study)]
    for session in (both, prey, study):
        session.run.close()
    assert any(code == 0 for code, _ in outcomes), outcomes
