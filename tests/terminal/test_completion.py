"""What Tab offers, with its help: words of the table, names of the environment, marks and files."""

import os
from contextlib import suppress

import pytest
from conversation import Session, data_of, model_of

from parfit.commands import TABLE
from parfit.errors import Abandoned, CommandError, EndSession, ParfitError
from parfit.session.dialogue import Dialogue
from parfit.session.questions import Question
from parfit.terminal.completion import words_for
from parfit.text.report import number

SPECIAL = {"SUSP", "QUIT"}  # these end or stop what is tested here


@pytest.fixture
def session():
    made = Session(model_of("predator-prey"), data_of("predator-prey"))
    made("FREEZE p3", "SCALE p1 LOG", "INTEG Y", "MARK start", "MARK better", "SMOOTH SPLINE AUTO AUTO N")
    return made


def offered(text, session, asked=None):
    return {each.word: each.help for each in words_for(text, TABLE, session.env, asked)}


def completed(text, word, session, asked=None):
    """The text after choosing a word."""
    (found,) = [each for each in words_for(text, TABLE, session.env, asked) if each.word == word]
    return text[: len(text) - found.replaces] + found.word


def asked_by(session, *lines):
    """The question at which somebody who types these lines is left."""

    class Leaving:
        interactive = echoed = True
        place = ""
        found = None

        def __init__(self):
            self.left = list(lines)

        def read(self, prompt, text=""):
            if self.left:
                return self.left.pop(0)
            self.found = session.interpreter.console.asked
            raise Abandoned("")

        def unread(self):
            raise AssertionError

    source = Leaving()
    session.interpreter.obey(source.left.pop(0), source)
    assert isinstance(source.found, Question)
    assert session.interpreter.console.asked is None
    return source.found


# ---- commands


def test_commands_with_their_first_sentence(session):
    assert offered("", session) == {each.name: each.summary for each in TABLE.commands}
    assert set(offered("re", session)) == {each.name for each in TABLE.commands if each.name.startswith("RE")}
    assert completed("  fre", "FREEZE", session) == "  FREEZE"


def test_what_is_no_command_has_no_completion(session):
    assert offered("XYZZY p", session) == {}
    assert offered("S p", session) == {}, "it could be several"


def test_help_explains_commands_and_their_questions(session):
    assert offered("HELP FRE", session) == {"FREEZE": TABLE.find("FREEZE").summary}
    assert set(offered("? FRE", session)) == {"FREEZE"}
    assert "STRATEGY" in offered("HELP STR", session)
    assert "relative tolerance" in offered("HELP FIT ", session)
    assert completed("help fit rel", "relative tolerance", session) == "help fit relative tolerance"
    assert offered("HELP XYZZY ", session) == {}


def test_a_command_may_follow_try(session):
    assert set(offered("TRY FRE", session)) == {"FREEZE"}
    assert set(offered("TRY FREEZE p", session)) == set(session.env.model.parameters)


# ---- on the line of a command


@pytest.mark.parametrize("text", ["SET p", "freeze p", "UNFREEZE p1 p", "SCALE p", "BOUNDS p", "SET p1=3,p"])
def test_parameters(text, session):
    found = offered(text, session)
    assert set(found) == {"p1", "p2", "p3", "p4", "p5", "p6"}
    assert found["p1"] == "parameter 1, 1, log"
    assert found["p3"] == "parameter 3, 3, frozen"


def test_menus_and_variables(session):
    assert set(offered("PLOT ", session)) >= {"STATES", "PHASE", "y1", "y2"}
    assert offered("PLOT O", session) == {"OBSERVATIONS": "2: observations"}
    assert offered("PLOT STATES y", session)["y1"] == "state 1, observed"
    assert "p1" not in offered("OPTION ", session)
    assert set(offered("SCALE p1 L", session)) == {"LOG"}
    assert "y1" not in offered("ECHO ", session)
    assert offered("OPTION SHOW y", session)["y1"] == "state 1, observed"
    assert completed("plot states obs", "OBSERVATIONS", session) == "plot states OBSERVATIONS"


def test_marks(session):
    assert set(offered("RECALL ", session)) == {"start", "better"}
    assert offered("RECALL s", session)["start"] == f"mark, sum of squares {number(session.env.sum_of_squares)}"


def test_marks_whose_names_have_blanks(session):
    session('MARK "odd name 1"', 'MARK "odd name 2"')
    assert completed("recall o", '"odd name 1"', session) == 'recall "odd name 1"'
    assert completed('recall "odd na', '"odd name 2"', session) == 'recall "odd name 2"'
    assert set(offered('RECALL "odd name 1" s', session)) == {"start"}
    session(completed("recall o", '"odd name 1"', session))


# ---- files


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    for name in ("enzyme.ode", "enzyme.csv", "other.txt", ".hidden", "with blank.csv", "deep/fit.pft", "a\nb.csv"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "deep"))


def test_files_are_offered_where_one_is_asked_for(files, session):
    found = offered("SAVE ", session)
    assert {word: help for word, help in found.items() if word not in "YN"} == {
        "enzyme.ode": "model",
        "enzyme.csv": "data",
        '"with blank.csv"': "data",
        "deep/": "folder",
        "other.txt": "file",
    }
    assert set(offered("LOAD ", session)) >= {"MODEL", "DATA", "enzyme.csv"}
    assert set(offered("LOAD e", session)) == {"enzyme.ode", "enzyme.csv"}
    assert set(offered("LOAD MODEL ", session)) == {"enzyme.ode", "deep/"}
    assert set(offered("load dat ", session)) == {"enzyme.csv", '"with blank.csv"', "other.txt", "deep/"}
    assert set(offered("LOAD MODEL enzyme.ode enz", session)) == {"enzyme.csv"}
    assert offered("LOAD DATA .h", session) == {".hidden": "file"}
    assert "enzyme.csv" not in offered("FREEZE ", session)


def test_paths_go_into_folders(files, session):
    assert completed("SAVE de", "deep/", session) == "SAVE deep/"
    assert offered("SAVE deep/", session) == {"deep/fit.pft": "script", "deep/deeper/": "folder"}
    assert completed("SAVE ~/f", "~/fit.pft", session) == "SAVE ~/fit.pft"
    assert completed('LOAD DATA "with', '"with blank.csv"', session) == 'LOAD DATA "with blank.csv"'
    assert offered("SAVE nowhere/", session) == {}
    assert offered("SAVE \0", session) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="may read everything")
def test_a_folder_that_cannot_be_read(files, session):
    os.chmod("deep", 0)
    assert offered("SAVE deep/", session) == {}


# ---- at questions


def test_at_a_question_what_it_takes(session):
    assert set(offered("", session, asked_by(session, "SET"))) == {"p1", "p2", "p3", "p4", "p5", "p6"}
    assert offered("", session, asked_by(session, "SET", "p1")) == {}, "a number"
    assert set(offered("", session, asked_by(session, "SCALE", "p1"))) == {"LOG", "ROOT", "NONE"}
    assert set(offered("", session, asked_by(session, "INTEG"))) == {"Y", "N"}
    assert set(offered("", session, asked_by(session, "RESMOOTH"))) == {"y1", "y2"}
    session("OPTION 1977")
    assert {"BAND", "y1", "TITLE"} <= set(offered("", session, asked_by(session, "PLOT")))
    assert offered("PLOT", session, asked_by(session, "PLOT")) == {}


def test_the_words_of_a_line_that_is_not_asked_for(session):
    words = offered("CONTIN .2 ", session)
    assert {"BREAKS", "ALPHA", "WEIGHTS", "LAMBDA", "STOP", "ONLY", "ALL", "NONE", "AUTO"} <= set(words)
    assert "once the full problem can be integrated" in words["STOP"]
    assert set(offered("PLOT y1 T", session)) == {"TITLE"}


def test_every_question_for_yes_or_no_offers_both(session):
    asked = [each for command in TABLE.commands for each in command.questions if "Y OR N" in each.text]
    assert len(asked) > 10
    assert all({"Y", "N"} <= set(each.words) for each in asked)


def test_what_is_offered_does_not_hang_on_the_words_of_a_question(session):
    silent = Question("x", "X", "", names="parameters", words=("AUTO",))
    assert set(offered("", session, silent)) == {"p1", "p2", "p3", "p4", "p5", "p6", "AUTO"}
    assert offered("", session, Question("parameters", "STATE? Y OR N", "Enter NONE or AUTO.")) == {}


def test_words_of_which_the_help_speaks(session):
    joints = offered("", session, asked_by(session, "SMOOTH", ""))
    assert "AUTO" in joints
    assert "AUTO" in joints["AUTO"], "the sentence about it"


def test_files_at_a_question(files, session):
    assert "enzyme.csv" in offered("e", session, asked_by(session, "LOAD", "DATA"))
    assert "deep/" in offered("d", session, asked_by(session, "SAVE"))


def test_a_text_has_no_completion(session):
    assert offered("n", session, asked_by(session, "NOTE")) == {}


def nobody(where, n=0):
    raise CommandError(f"no scheduler answers at {where}")


def test_what_an_answer_may_name_is_offered_on_the_line_too(session, tmp_path, monkeypatch):
    """Labels tell what questions take: this finds a question whose label does not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setattr("parfit.estimation.strategies.workers.connect", nobody)  # for whom one would wait
    found = {}
    original = Dialogue._next

    def noticed(self, question, reader, *more):
        found[self._noted[0], question.label] = question, reader
        return original(self, question, reader, *more)

    monkeypatch.setattr(Dialogue, "_next", noticed)
    env = session.env
    for command in TABLE.commands:
        if command.name in SPECIAL:
            continue
        for example in (command.name, *command.examples):
            _rehearse(session, example)
            session.interpreter.timeline = type(session.interpreter.timeline)(env)
    assert len(found) > 60
    names = [*env.model.parameters, *env.variables, *(mark.name for mark in env.marks)]
    for (command, label), (question, reader) in found.items():
        if not TABLE.has(command) or _accepts(reader, "xyzzy"):  # within FIT INTERACTIVE, or any name will do
            continue
        line, here = (set(offered(text, session, asked)) for text, asked in ((f"{command} ", None), ("", question)))
        taken = {name for name in names if _accepts(reader, name)} | {item.word for item in question.menu}
        assert taken <= here, f"{command}: {label}"
        if question in TABLE.find(command).questions:
            assert taken <= line, f"{command}: {label}"


def _rehearse(session, line):
    """Whether it succeeds is not the point."""
    with suppress(ParfitError, EndSession):
        session.typed(line, Abandoned(""))


def _accepts(reader, word):
    try:
        reader(word)
    except CommandError:
        return False
    return True


def test_experiments_are_offered_and_names_for_all_of_them():
    study = Session(model_of("decay"), data_of("decay"))
    study("EXPERIMENT low OFF")
    assert offered("EXPERIMENT ", study).items() >= {
        ("low", "experiment, left out of fits"),
        ("high", "experiment"),
    }
    assert offered("FREEZE k", study).keys() == {"k", "k[low]", "k[high]"}
    assert offered("PLOT a", study).keys() >= {"a", "a[low]", "a[high]"}
    study.run.close()
