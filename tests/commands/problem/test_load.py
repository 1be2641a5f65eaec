"""LOAD."""

import numpy as np
import pytest
from conversation import MODELS, assert_same

from parfit.errors import FAILED
from parfit.session.sources import Script

TEXT = ["| # another one", "| par k=.5, a=2   # with a remark", "| x'=-k*x", "| x(0)=a", "| aux y1=2*x", "| done"]


@pytest.mark.parametrize(
    "lines", [["LOAD DATA {}"], ["LOAD {}"], ["LOAD 2 {}"], ["LOAD", "DATA", "{}"], ["LOAD", "{}"]]
)
def test_load_data(begin, lines, tmp_path):
    path = tmp_path / "my data.csv"
    path.write_text("t,y2\n1,3\n4,5\n")
    session = begin()
    session("SET 1 2", "INTEG N", *(line.format('"my data.csv"') for line in lines))
    env = session.env
    assert env.observations.names == ("y2",)
    assert env.observations.values.tolist() == [[3], [5]]
    assert env.samples.times.tolist() == [0, 1, 4]
    assert env.integration is None
    assert env.values[0] == 2
    assert session.entries[-1].endswith(f'"{path}"'), "the journal has the whole path"
    session("UNDO")
    assert session.env.observations.names == ("y1", "y2")


def test_load_cards_of_1977_with_starting_values(session, tmp_path):
    """The manual's data file, Appendix A, section 2."""
    (tmp_path / "cards").write_text("PREY\n0\n2 6 1 3 10\n4. 3.5 3.\n1 2 4\n2\n.5 .1 5 1 .15 .01\n1 1 .5\n")
    session("SET 1 9", "LOAD DATA cards")
    env = session.env
    assert env.values.tolist() == env.first_values.tolist() == [0.5, 0.1, 5, 1, 0.15, 0.01]
    assert env.observations.names == ("y2",)
    assert env.observations.values[:, 0].tolist() == [4, 3.5, 3]
    assert env.observations.weights[:, 0].tolist() == [1, 1, 0.5]
    assert env.samples.times.tolist() == [0, 1, 2, 4]


def test_load_cards_for_create(session, tmp_path):
    """Only three cards, and the name CREATE (Appendix A, CREATE)."""
    (tmp_path / "cards").write_text("CREATE\n0\n2 6 2 25 30\n")
    said = session("LOAD DATA cards")
    assert "no observations yet" in said
    assert session.env.observations is None
    assert session.env.samples.uniform
    session("CREATE 0 1 2 0 y1")
    assert session.env.observations.n_observations == 2


@pytest.mark.parametrize("lines", [["LOAD MODEL {}"], ["LOAD {}"], ["LOAD 1 {}"], ["LOAD", "MODEL", "{}"]])
def test_load_model(session, lines):
    path = MODELS / "predator-prey-2.ode"
    session("SET 1 9", "FREEZE 2", "OPTION 5 1e-3", "MARK a", "NOTE b", *(line.format(path) for line in lines))
    env = session.env
    assert env.model.name == "predator-prey-2"
    np.testing.assert_array_equal(env.values, [1, 0.1, 3, 1, 0.2, 0.15], "its own values")
    assert env.parameters.frozen == frozenset()
    assert env.options.method.eps == 1e-3
    assert env.observations.names == ("y1", "y2"), "the observations that it can use stay"
    assert [note.text for note in env.notes] == ["b"]
    assert [mark.name for mark in env.marks] == ["a"], "to be compared with"


def test_load_a_model_that_can_use_nothing(session):
    session("CREATE 0 1 2 0 y1 y2", "NOTE of the old model", f"LOAD {MODELS / 'bard.ode'}")
    session("REPORT 1 2 3 4 5 6 7 8 9 10 11 12", "NOTES")
    session("MODEL TEXT", "| par k=1", "| z'=-k*z", "| init z=1", "| done", "REPORT 1 2 3 4 11", "NOTES")
    assert session.env.observations is None
    assert session.env.samples.uniform
    assert "at p1 = 1, p2 = 0.1" in session.output[session.output.rindex("> NOTES") :]


def test_files_called_like_the_menu(session, tmp_path):
    """A file without an ending, whose name is the word before it."""
    (tmp_path / "DATA").write_text("t,y1\n1,2\n")
    session("LOAD DATA DATA")
    assert session.entries[-1] == f"LOAD DATA {tmp_path / 'DATA'}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("LOAD nothing.csv", "there is no such file"),
        ("LOAD nothing.ode", "there is no such file"),
        ("LOAD nothing", "is not on the menu; enter 1 or MODEL, 2 or DATA"),
        ("LOAD DATA", "an answer is needed: NAME OF THE FILE"),
        (f"LOAD DATA {MODELS / 'bard.csv'}", "bard.csv:4: column 'y3'"),
        (f"LOAD MODEL {MODELS / 'bard.csv'}", "bard.csv"),
    ],
)
def test_load_refuses(session, line, message):
    assert message in session.refused(line)


def test_a_model_with_its_data(begin):
    """Also where the data of the model before would not do for the new one."""
    session = begin("barnes", "barnes")
    said = session(f"LOAD {MODELS / 'bellman.ode'} {MODELS / 'bellman.csv'}")
    assert "bellman: 1 state variable, 2 parameters, 14 observations" in said
    again = begin("barnes", "barnes")
    again(*session.entries)
    assert_same(session.env, again.env)


def test_a_word_too_many_is_refused_before_anything_is_said(begin):
    session = begin("barnes", "barnes")
    code, said, warned = session.obey(Script([f"LOAD {MODELS / 'bellman.ode'} {MODELS / 'bellman.csv'} x"], "x.pft"))
    assert code == FAILED
    assert "bellman:" not in said
    assert "'x' is more than the command can use" in warned
