"""One session in every form that it can be given in: the same environment, the same report, the same graphs."""

import numpy as np
import pytest
from fingerprints import fingerprint, resumed
from terminals import PREDATOR, Session, environment, folders_of_runs, journal_of, parfit

from parfit.estimation.parameters import Scaling

# A command in one line, and the same command with its answers on the cards that follow it.
SESSION = (
    ("OPTION 1977", ["OPTION 1977"]),  # with which PLOT alone asks what it is to show
    ("SET p1=1.1 p6=.2", ["SET", "1", "1.1 6", ".2", "0"]),
    ("freeze 2 P3", ["FREEZE", "2 3 0"]),
    ("SCALE p4 LOG", ["SCALE", "4 1 0"]),
    ("SAMPLE 3 0 3 2", ["SAMPLE", "3", "0", "3 2", "0"]),
    ("WEIGHT 2 y1 0 3 .5 4 .25 0 Y", ["WEIGHT", "INDIVIDUAL", "y1 0", "3", ".5", "4 .25 0", "Y"]),
    ("INTEG Y", ["INTEG", "Y"]),
    ("PLOT 1 2 0 y1 0 y1 0 Y", ["PLOT", "1 2", "0", "1 0", "y1 0", "Y"]),
    ("REPORT GENERAL 2 3 5 10 11", ["REPORT", "1 2 3", "5 10", "11 0"]),
)
LINES = [line for line, _ in SESSION]
CARDS = [card for _, cards in SESSION for card in cards]
FILES = ("report.txt", "graphs.txt", "weights.csv")


def by_execute(folder):
    return parfit(folder, *PREDATOR, *(word for line in LINES for word in ("-e", line)))


def by_script(folder, lines):
    (folder / "all.pft").write_text("# a session\n" + "\n".join(lines) + "\n")
    return parfit(folder, *PREDATOR, "-b", "all.pft")


def by_pipe(folder, lines, *arguments):
    return parfit(folder, *PREDATOR, *arguments, input="\n".join(lines))


def by_typing(folder, commands, **terminal):
    with Session(folder, *PREDATOR, env=environment(folder, **terminal)) as session:
        session.wait()
        for cards in commands:
            session.answer(cards)
        session.type("QUIT 0\r")
        return session.end()


FORMS = {
    "commands of the command line": by_execute,
    "a script of lines": lambda folder: by_script(folder, LINES),
    "a script of cards": lambda folder: by_script(folder, CARDS),
    "a pipe of lines": lambda folder: by_pipe(folder, LINES),
    "a pipe of cards": lambda folder: by_pipe(folder, CARDS, "-b", "-"),
    "lines typed": lambda folder: by_typing(folder, [[line] for line in LINES]),
    "answers typed": lambda folder: by_typing(folder, [cards for _, cards in SESSION]),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder of the run that each form leaves."""
    found = {}
    for name, give in FORMS.items():
        folder = tmp_path_factory.mktemp("form")
        done = give(folder)
        assert getattr(done, "returncode", done) == 0, (name, done)
        (found[name],) = folders_of_runs(folder)
    return found


@pytest.fixture(scope="module")
def first(runs):
    return next(iter(runs.values()))


def test_the_environment_is_what_was_asked_for(first):
    env = resumed(first)
    assert env.values.tolist() == [1.1, 0.1, 3, 1, 0.1, 0.2]
    assert env.parameters.frozen == {1, 2}
    assert env.parameters.scaling == (Scaling.NONE,) * 3 + (Scaling.LOGARITHM,) + (Scaling.NONE,) * 2
    observed = np.arange(0, 12.75, 0.5)
    np.testing.assert_allclose(env.samples.times, np.sort([*observed, 0.5 + 0.5 / 3, 0.5 + 1 / 3]), rtol=1e-12)
    weights = np.ones((25, 2))
    weights[2:4, 0] = 0.5, 0.25
    assert env.observations.weights.tolist() == weights.tolist()
    assert env.integrated.s.shape == (28, 2, 4)


def test_the_files_are_what_was_asked_for(first):
    report, graphs = ((first / name).read_text() for name in FILES[:2])
    assert graphs.startswith("PLOT NUMBER 1: y1; y1 observed\n")
    headings = ["PLOT NUMBER 1", "GENERAL DATA", "OBSERVATIONS", "PARAMETERS\n", "SAMPLE TIMES", "OPTION", "WEIGHTS"]
    places = [report.index(f"\n{heading}" if k else heading) for k, heading in enumerate(headings)]
    assert places == sorted(places)
    assert len((first / "weights.csv").read_text().splitlines()) == 26


@pytest.mark.parametrize("form", list(FORMS)[1:])
def test_every_form_leaves_the_same_environment(form, runs, first):
    assert fingerprint(resumed(runs[form])) == fingerprint(resumed(first))


@pytest.mark.parametrize("form", list(FORMS)[1:])
def test_every_form_leaves_the_same_files(form, runs, first):
    assert {name: (runs[form] / name).read_bytes() for name in FILES} == {
        name: (first / name).read_bytes() for name in FILES
    }


@pytest.mark.parametrize("form", list(FORMS)[1:])
def test_every_form_leaves_the_same_journal(form, runs, first):
    assert journal_of(runs[form]) == journal_of(first)
    assert len(journal_of(first)) == len(SESSION)


def test_a_resumed_run_reports_the_same_again(runs, tmp_path):
    """Independently of our comparison of environments: as the user would see it."""
    shown = {
        parfit(tmp_path, f"--resume={run}", "-e", "REPORT 1 2 3 5 7 10 11", env=environment(tmp_path)).stdout
        for run in runs.values()
    }
    assert len(shown) == 1
    assert "FULL JACOBIAN" in shown.pop()


def test_the_journal_is_a_script_that_does_the_same(first, tmp_path):
    done = parfit(tmp_path, *PREDATOR, "-b", str(first / "journal.pft"))
    assert done.returncode == 0, done.stderr
    (again,) = folders_of_runs(tmp_path)
    assert fingerprint(resumed(again)) == fingerprint(resumed(first))
    assert (again / "report.txt").read_bytes() == (first / "report.txt").read_bytes()
