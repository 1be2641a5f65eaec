"""A model typed from nothing: checked line by line, completed, shown, and saved where nothing is lost."""

import io

import pytest
from conversation import Typist
from terminals import PROMPT, QUESTION, READS, Session, parfit

from parfit.errors import Abandoned
from parfit.model.language.reader import read_model
from parfit.session.console import Console
from parfit.terminal.composing import compose, is_new

STATEMENT = READS + r"\|"


def composed(folder, *lines, path="new.ode"):
    """The path of what was typed, and all that was said."""
    out = io.StringIO()
    typist = Typist(lines)
    found = compose(Console(out, out), typist, str(folder / path))
    return found, out.getvalue() + "\n".join(text for _, text in typist.asked)


def test_a_model_is_typed_completed_and_saved(tmp_path):
    path, said = composed(tmp_path, "x'=-k*(x", "x'=-k*x+s", "par s", "", "2", ".5", "x0", "10", "")
    assert path == str(tmp_path / "new.ode")
    model = read_model(path)
    assert dict(zip(model.parameters, model.values.tolist(), strict=True)) == {"s": 0.5, "k": 2.0, "x0": 10.0}
    assert model.states == ("x",)
    assert "done" in (tmp_path / "new.ode").read_text()
    for words in ("expected `)` at the end", "k IS NOT DEFINED", "PARAMETER s", "x HAS NO INITIAL VALUE", "x' = "):
        assert words in said


def test_an_initial_value_may_stay_open(tmp_path):
    path, _ = composed(tmp_path, "x'=-k*x", "par k=1", "done", "", "")
    assert read_model(path).unset == ("x",)


def test_a_wrong_answer_is_asked_for_again(tmp_path):
    path, said = composed(tmp_path, "x'=-k*x", "x(0)=1", "", "two", "k=1+", "3", "")
    assert read_model(path).values.tolist() == [3.0]
    assert "`two` alone says nothing" in said


def test_a_question_mark_is_answered_by_help(tmp_path):
    path, said = composed(tmp_path, "x'=-k*x", "par s", "", "?", "2", "?", ".5", "help", "x0", "?", "10", "?", "")
    assert path == str(tmp_path / "new.ode")
    assert [each.name for each in tmp_path.iterdir()] == ["new.ode"]
    for words in ("says what k is", "rough guess of s", "value of x in the beginning", ".ode is added"):
        assert words in " ".join(said.split())


def test_an_equation_that_is_missing_is_typed_and_not_asked_for(tmp_path):
    path, said = composed(tmp_path, "par k=1", "", "x'=-k", "x(0)=1", "y(0)=1", "", "y'=0", "", "")
    assert "a state needs a differential equation" in said
    assert "y needs a differential equation" in said
    assert read_model(path).states == ("x", "y")


def test_undo_show_and_help(tmp_path):
    path, said = composed(
        tmp_path, "SHOW", "x'=-x", "x(0)=1", "aux z=x", "undo", "show", "?", "# why \\", "not", "", ""
    )
    assert "z" not in (tmp_path / "new.ode").read_text()
    assert "nothing yet" in said
    assert "A model is a text file" in said
    assert "# why not" in (tmp_path / "new.ode").read_text()
    assert read_model(path).aux == ()


def test_another_file_is_never_replaced_unasked(tmp_path):
    (tmp_path / "old.ode").write_text("mine")
    old = str(tmp_path / "old.ode")
    path, said = composed(tmp_path, "x'=-x", "x(0)=1", "", old, "N", old, "", str(tmp_path / "other"))
    assert (path, (tmp_path / "old.ode").read_text()) == (str(tmp_path / "other.ode"), "mine")
    assert "EXISTS ALREADY" in said
    assert composed(tmp_path, "x'=-x", "x(0)=1", "", old, "y")[0] == old
    assert read_model(old).states == ("x",)


def test_a_name_that_cannot_be_written_is_asked_for_again(tmp_path):
    path, said = composed(tmp_path, "x'=-x", "x(0)=1", "", str(tmp_path / "none" / "x.ode"), str(tmp_path / "x.ode"))
    assert path == str(tmp_path / "x.ode")
    assert "none" in said


@pytest.mark.parametrize("words", [("quit",), ("x'=-x", "exit", "Y"), ("x'=-x",), ("x'=-x", "quit", "", "bye", "y")])
def test_leaving_saves_nothing(tmp_path, words):
    assert composed(tmp_path, *words)[0] == ""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_goes_back_to_the_statements(tmp_path):
    stop = Abandoned("abandoned")
    path, said = composed(tmp_path, stop, "x'=-k*x", "", stop, "par k=2", "x(0)=1", "", stop, "k=4", "", "")
    assert read_model(path).values.tolist() == [4.0]
    assert "QUIT leaves" in said


def test_what_is_a_new_model(tmp_path):
    (tmp_path / "old.ode").write_text("x'=-x")
    assert is_new(str(tmp_path / "new.ode"))
    assert not is_new(str(tmp_path / "old.ode"))
    assert not is_new(str(tmp_path / "none" / "new.ode"))
    assert not is_new(str(tmp_path / "new.csv"))
    assert not is_new("models/tour.ode")  # found from anywhere


def test_at_a_terminal_the_conversation_goes_on_with_the_model(tmp_path):
    (tmp_path / "x.csv").write_text("t,x\n0,1\n1,.61\n2,.37\n")
    (tmp_path / "dekay.ode").write_text("x'=-x\n")
    with Session(tmp_path, "decay.ode", "x.csv", size=(24, 80)) as user:
        assert "there is dekay.ode" in user.wait(STATEMENT)
        user.type("x' = -k*x\r")
        user.wait(STATEMENT)
        user.type("x(0) = 1\r")
        user.wait(STATEMENT)
        user.type("\r")
        user.wait(QUESTION)
        user.type(".3\r")
        user.wait(QUESTION)
        user.type("\r")
        assert "3 observations on x" in user.wait(PROMPT)
        user.type("fit\r")
    assert read_model(tmp_path / "decay.ode").values.tolist() == [0.3]


def test_data_that_do_not_fit_are_left_out_for_now(tmp_path):
    (tmp_path / "z.csv").write_text("t,z\n0,1\n1,.61\n2,.37\n")
    with Session(tmp_path, "decay.ode", "z.csv", size=(24, 80)) as user:
        for line in ("x' = -x\r", "x(0) = 1\r", "\r"):
            user.wait(STATEMENT)
            user.type(line)
        user.wait(QUESTION)
        user.type("\r")
        said = " ".join(user.wait(PROMPT).split())
        assert "LOAD DATA z.csv reads them then" in said
        assert "no observations" in said
        user.give("MODEL aux z=x")
        assert "0.37" in user.give("LOAD DATA z.csv")


def test_in_a_script_a_missing_model_is_an_error(tmp_path):
    run = parfit(tmp_path, "new.ode", "-e", "INTEG")
    assert run.returncode == 1
    assert "there is no such file" in run.stderr
    assert list(tmp_path.glob("*.ode")) == []
