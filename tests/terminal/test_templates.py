"""`parfit new`: what it asks, what it writes, and that nothing is lost."""

import io

import pytest
from conversation import Typist

from parfit.data.loading import read_data
from parfit.errors import Abandoned, ParfitError
from parfit.model.language.reader import read_model
from parfit.session.console import Console
from parfit.terminal.templates import write_templates


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(*words, answers=None):
    out = io.StringIO()
    write_templates(Console(out, out), None if answers is None else Typist(answers), words)
    return out.getvalue()


@pytest.mark.parametrize("name", ["mine", "mine.ode", "mine.csv"])
def test_both_files_belong_together(here, name):
    assert "parfit mine.ode mine.csv" in written(name, "S", "I")
    model = read_model(here / "mine.ode")
    assert model.states == ("S", "I")
    assert read_data(here / "mine.csv", model).names == ("S", "I")


def test_what_will_not_do_is_asked_for_again(here):
    (here / "model.csv").write_text("mine")
    said = written(answers=["", "other", "x 2y", "t", "S, I"])
    assert "model.csv exists already; give another name" in said
    assert "x, 2y will not do as names of states" in said
    assert read_model(here / "other.ode").states == ("S", "I")
    assert not (here / "model.ode").exists()


@pytest.mark.parametrize("words", [("a", "2y"), ("a", "t"), ("there",)])
def test_in_a_script_it_is_an_error_and_nothing_is_written(here, words):
    (here / "there.csv").write_text("mine")
    with pytest.raises(ParfitError):
        written(*words)
    assert [path.name for path in here.iterdir()] == ["there.csv"]


def test_ctrl_c_leaves(here):
    with pytest.raises(Abandoned):
        written(answers=[Abandoned("abandoned")])
    assert list(here.iterdir()) == []
