"""How a session begins: which defaults it has, and that a run which is played again has those it had."""

import io
import shutil
from pathlib import Path

import numpy as np
import pytest
from conversation import MODELS, assert_same

from parfit.session.console import Console
from parfit.session.interpreter import DONE
from parfit.session.opening import open_run, resume_run
from parfit.session.records import OF_1977, Options
from parfit.session.runs.run import FILES
from parfit.session.sources import Script, script_lines

MODEL, DATA = (str(MODELS / f"predator-prey.{kind}") for kind in ("ode", "csv"))
CARDS = "PREY\n0\n2 6 1 3 10\n4. 3.5 3.\n1 2 4\n2\n.5 .1 5 1 .15 .01\n1 1 .5\n"  # the manual's, Appendix A, section 2
LINES = ["OPTION EPS .001", "SET p1 1.1", "REPORT OPTIONS"]


@pytest.fixture
def deck(tmp_path):
    (tmp_path / "prey.dat").write_text(CARDS)
    return str(tmp_path / "prey.dat")


def console():
    return Console(io.StringIO(), io.StringIO(), quiet=True)


def opened(paths, folder, *lines):
    interpreter = open_run(paths, folder, console(), debug=True)
    code = interpreter.converse(Script(lines, "test.pft"))
    interpreter.run.close()
    assert code == DONE
    return interpreter.env


def resumed(folder):
    interpreter = resume_run(folder, console(), debug=True)
    interpreter.run.close()
    return interpreter.env


def test_a_model_with_csv_data_or_alone_opens_accurately(tmp_path):
    assert opened([MODEL, DATA], tmp_path / "one").options == Options()
    assert opened([MODEL], tmp_path / "two").options == Options()


def test_a_deck_of_cards_opens_as_in_1977(tmp_path, deck):
    assert opened([MODEL, deck], tmp_path / "run").options == OF_1977


def test_a_run_is_resumed_with_the_defaults_it_had(tmp_path, deck):
    for name, paths, before in (("csv", [MODEL, DATA], Options()), ("cards", [MODEL, deck], OF_1977)):
        env = opened(paths, tmp_path / name, *LINES)
        again = resumed(tmp_path / name)
        assert_same(env, again)
        assert again.options == before.with_controls({5: 0.001})


@pytest.mark.parametrize("change", ["none", "other data", "gone"])
def test_a_run_that_is_resumed_says_which_file_has_changed(tmp_path, change):
    model, data = (shutil.copy(path, tmp_path) for path in (MODEL, DATA))
    env = opened([model, data], tmp_path / "run", *LINES)
    if change == "other data":
        Path(data).write_text(Path(data).read_text() + "\n# another line\n")
    elif change == "gone":
        Path(data).unlink()
    said = Console(io.StringIO(), io.StringIO(), quiet=True)
    interpreter = resume_run(tmp_path / "run", said, debug=True)
    interpreter.run.close()
    assert_same(env, interpreter.env)
    told = said.err.getvalue()
    assert (f"{data} has changed since the run read it; the run goes on with its copy" in told) is (
        change == "other data"
    )
    assert str(model) not in told


def _made_old(journal):
    """Without what journals did not have before: a word about defaults, and checksums."""
    lines = journal.read_text(encoding="utf-8").split("\n")
    kept = [line for line in lines if not line.startswith(("#! defaults", "#= ", "#< "))]
    assert len(kept) < len(lines)
    journal.write_text("\n".join(["# A run of PARFIT", *kept[1:]]), encoding="utf-8")


def test_a_journal_from_before_replays_with_the_manuals_defaults(tmp_path):
    """It says nothing of defaults, for there were no others."""
    opened([MODEL, DATA], tmp_path / "run", "SET p1 1.1", "INTEG N")
    journal = tmp_path / "run" / FILES["journal"]
    _made_old(journal)
    env = resumed(tmp_path / "run")
    assert env.options == OF_1977
    manual = opened([MODEL, DATA], tmp_path / "manual", "OPTION 1977", "SET p1 1.1", "INTEG N")
    np.testing.assert_array_equal(env.integration.trajectory.y, manual.integration.trajectory.y)


def test_a_saved_script_says_what_it_began_with(tmp_path, deck):
    """Played on other data, it is still the same."""
    for name, paths, others, first in (
        ("csv", [MODEL, DATA], [MODEL, deck], "OPTION ACCURATE"),
        ("cards", [MODEL, deck], [MODEL, DATA], "OPTION 1977"),
    ):
        script = str(tmp_path / f"{name}.pft")
        env = opened(paths, tmp_path / name, *LINES, f"SAVE {script}")
        lines = script_lines(script)
        assert lines[1] == first
        assert opened(others, tmp_path / f"{name}-again", *lines).options == env.options


def test_a_journal_from_before_begins_at_0(tmp_path):
    """Data in years, of a model that does not say when it begins: now with the first of them, but not in old runs."""
    (tmp_path / "years.ode").write_text("par a=1e-3\nH'=a*H\ninit H=30\n")
    (tmp_path / "years.csv").write_text("Year,H\n1900,30\n1901,33\n1902,37\n")
    paths = [str(tmp_path / "years.ode"), str(tmp_path / "years.csv")]
    assert opened(paths, tmp_path / "run", "SET a .002").model.t0 == 1900
    assert resumed(tmp_path / "run").model.t0 == 1900
    journal = tmp_path / "run" / FILES["journal"]
    _made_old(journal)
    assert resumed(tmp_path / "run").model.t0 == 0
