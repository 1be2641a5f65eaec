"""The whole table of commands: what holds for every one of them."""

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conversation import MODELS, SCRIPT, assert_same, data_of

from parfit.commands import TABLE
from parfit.commands.help_text import TITLES, about, about_question, overview, readme
from parfit.commands.problem.weight import to_csv
from parfit.data.tabulating import csv_text
from parfit.errors import CommandError, StateError
from parfit.model.model import Model
from parfit.model.textfile import write_text
from parfit.session.environment import Environment
from parfit.session.needs import NEEDS
from parfit.session.records import Note
from parfit.session.results import Mark
from parfit.session.sources import Commands, Script

COMMANDS = TABLE.commands
NAMES = [each.name for each in COMMANDS]
LOOKING = {"HELP", "NOTES", "HISTORY", "SAVE", "KEEP", "SUSP", "DATA"}
ON_SCREEN = {"NUDGE"}  # commands for somebody at a terminal, which a script cannot give
IN_ONE_FILE = defaultdict(
    tuple, UNFREEZE=("freeze",), RECALL=("mark",), RESMOOTH=("smooth",), NOTES=("note",), REDO=("undo",)
)
TAKING_ALL = {"NOTE", "MODEL", "HELP", "TRY"}  # commands whose text is all that is left of the line


def each(chosen):
    """Parametrize over some commands."""
    return pytest.mark.parametrize("command", chosen, ids=lambda command: command.name)


every_command = each(COMMANDS)
of_a_script = each([command for command in COMMANDS if command.name not in ON_SCREEN])
WIDTH = 79

# The commands of the manual (Appendix A, section 5) that belong to the conversation so far.
OF_THE_MANUAL = {"ECHO", "OPTION", "FREEZE", "SCALE", "SAMPLE", "WEIGHT", "PLOT", "REPORT", "SET", "INTEG"}
OF_THE_MANUAL |= {"QUIT", "SUSP", "CREATE", "FIT", "PROBE", "STATS", "SMOOTH", "CREOBS", "LINEAR", "DFIT", "IFIT"}
OF_THE_MANUAL |= {"CONTIN"}

# What a command works on, where it is not there from the beginning: y1 alone observed, smoothed, y2 guessed.
PREY = ["CREATE 0 .5(.5)12.5 0 y1"]
SMOOTHED = "SMOOTH SPLINE 2 4 8 N"
GUESSED = "CREOBS 4 0 2.5 8.75 12.5 8 3 5 4"
BEFORE = {
    "PLOT": ["PROFILE 95 p1", "BOOT 20"],
    "COMPARE": ["INTEG N", "MARK one", "FREEZE 1", "MARK two"],
    "RESMOOTH": ["SMOOTH SPLINE 2 4 8 2 7 10.5 N"],
    "CREOBS": [*PREY, GUESSED],
    "DFIT": [*PREY, SMOOTHED, GUESSED],
    "IFIT": [*PREY, SMOOTHED, GUESSED],
    "CONTIN": ["SMOOTH SPLINE 2 4 8 2 7 10.5 N"],
}

# Sessions that answer the questions of a command, to be played again from the journal; of others, the examples.
SESSIONS = {
    "CONTIN": [
        *BEFORE["CONTIN"],
        "CONTIN .2 BREAKS 4 8 14 22",
        "CONTIN .5",
        "CONTIN 0 BREAKS NONE",
        "CONTIN .2 .6 1 BREAKS 3. 6. ALPHA .5 W 2",
    ],
    "COMPARE": [*BEFORE["COMPARE"], "COMPARE", "COMPARE one two"],
    "MODEL": ["MODEL", "MODEL DERIVATIVES", "MODEL aux total=y1+y2", "MODEL par p7=.5", "MODEL remove p7"],
    "DATA": ["DATA"],
    "LOAD": ["LOAD DATA other.csv", "LOAD ADD second.csv", "LOAD other.ode", "LOAD MODEL other.ode"],
    "EXPERIMENT": ["LOAD DATA other.csv", "LOAD ADD second.csv", "EXPERIMENT", "EXPERIMENT second OFF"],
    "CREATE": ["CREATE p1 1.1 0 .5(.5)3 0 y1 y2 0 1e-6 1 0 .05 7 p2 .2 0 Y", "CREATE 0 1 2 0 y2"],
    "SET": ["SET 1 3. 4 6.2", "SET p1=-.1 p4=1e-3"],
    "FREEZE": ["FREEZE 1 3", "FREEZE p2", "FREEZE 0", "FREEZE p6"],
    "UNFREEZE": ["FREEZE 1 3 5", "UNFREEZE p3 5"],
    "SCALE": ["SCALE 1 1 2 2", "SCALE p1 NONE p3 LOG", "SCALE 0", "SCALE p6 ROOT"],
    "BOUNDS": ["BOUNDS p1 0 NONE p5 0 1", "BOUNDS 2 -1 1"],
    "SCAN": ["FREEZE 2 4 5", "SET 1 1.1", "SCAN p1 .9 1.2 4", "SCAN p3 .9 1.2 3 FIT"],
    "FIT": ["FREEZE 2 4 5", "SET 1 1.1", "FIT 1 .01 1e-6 1e-6", "FIT MORE"],
    "PROBE": ["INTEG Y", "PROBE N Y", "SET 1 1.1", "PROBE Y"],
    "PROFILE": [
        *("CREATE 0 .5(.5)8 0 y1 y2 0 1e-6 1 0 .02 7 0 Y", "FIT MORE", "PROFILE 90 p1", "PLOT PROFILES", "PLOT ALONG"),
        *("PROFILE y1 AT 9 JOINT", "PROFILE 90 p1*p2 p3"),
    ],
    "STATS": ["SET 1 1.1", "FIT MORE", "STATS", "REPORT 9", "STATS 99"],
    "SMOOTH": ["SMOOTH 1 2 4 8 2 7 10.5", "SMOOTH HERMITE AUTO AUTO Y", "SMOOTH SPLINE 0 0 N"],
    "RESMOOTH": [
        *BEFORE["RESMOOTH"],
        "RESMOOTH y1 4 4.5",
        "RESMOOTH y2 ADD 4",
        "RESMOOTH y1 NEW AUTO",
        "RESMOOTH y2 7 REMOVE N",
    ],
    "CREOBS": [*BEFORE["CREOBS"], "CREOBS y2 EDIT 8 6", "CREOBS ADD 5 2", "CREOBS y2 MOVE 5 4", "CREOBS REMOVE 4"],
    "LINEAR": ["LINEAR 1", "LINEAR 0", "LINEAR AUTO"],
    "DFIT": [
        *BEFORE["DFIT"],
        "DFIT 2",
        "DFIT 3 N .01",
        "FREEZE p5",
        "DFIT 2 LINEAR",
        "SET 1 1.1",
        "DFIT 3 Y .01 LINEAR Y .001 N 2 N",
    ],
    "IFIT": [
        "SMOOTH SPLINE 2 4 8 2 7 10.5",
        "IFIT 1",
        *BEFORE["IFIT"],
        "IFIT 2 .1 -1e-6 -1e-6",
        "IFIT 3",
        "LINEAR 1",
        "FREEZE p5",
        "IFIT 3 1 N",
        "LINEAR AUTO",
        "IFIT 4 Y .01 LINEAR N 2 N",
    ],
    "MARK": ["MARK", "INTEG N", "MARK best", "SET 1 2", "MARK best", "MARK"],
    "RECALL": ["MARK first", "SET 1 2", "MARK second", "RECALL first", "RECALL", "RECALL 1"],
    "NUDGE": ["NUDGE p2"],
    "OPTION": ["OPTION 1 3 2 0 3 1 4 0 5 1e-5 6 0 7 2 8 1", "OPTION METHOD AUTO PROC TRAP", "OPTION 0"],
    "SAMPLE": ["SAMPLE INSERT 5 2 8 1", "SAMPLE MESH 50 .1", "SAMPLE 1", "SAMPLE 3 0 2 1"],
    "NOISE": ["NOISE ALL ADDITIVE", "NOISE y1 PROPORTIONAL 1+y1", "NOISE y2 NONE", "NOISE y2 RELATIVE s"],
    "WEIGHT": ["WEIGHT 2 y1 y2 0 3 .5 ALL .1 0 4 2 0 Y", "WEIGHT ONE", "WEIGHT FILE weights.csv"],
    "ECHO": ["ECHO 1", "ECHO OFF", "ECHO ON"],
    "INTEG": ["INTEG Y", "SET 1 1.1", "OPTION 1 5", "INTEG N"],
    "PLOT": [
        *("INTEG N", "MARK a", "SET 1 1.1", "PLOT MARKS a NOW EACH 0 y2 0 marks.svg", "PLOT 12 a a 0 y1 0 Y"),
        *("PLOT EACH LOGX LOGY", "PLOT RESIDUALS 0 y2 0 Y", "PLOT COMPUTED", "PLOT BAND 0 y1 0 80 Y"),
        *("PLOT SENSITIVITIES 0 y1 0 p1 3 0 Y", "PLOT VECTORS 0 Y"),
        *("PLOT 1 2 0 y1 0 y2 0 Y", "PLOT PHASE 0 y2 t", "PLOT 1 2 plot.svg"),
    ],
    "REPORT": ["OPTION OUTPUT 1", "INTEG Y", "REPORT 8 0 Y", "REPORT 1 2 3 4 5 6 7 8 9 10 11 12"],
    "HELP": ["HELP", "HELP PLOT", "HELP PLOT items"],
    "NOTE": ["NOTE p5, wants = to be 'negative'", 'NOTE "quoted # mark"', "NOTE 0"],
    "NOTES": ["NOTE one", "NOTES"],
    "HISTORY": ["SET 1 2", "HISTORY"],
    "UNDO": ["SET 1 2", "SET 1 3", "SET 1 4", "UNDO 2", "UNDO", "REDO", "SET 2 5", "UNDO"],
    "REDO": ["SET 1 2", "SET 1 3", "UNDO 2", "REDO 2", "UNDO"],
    "CLUSTER": ["CLUSTER", "CLUSTER OFF"],
    "SAVE": ["SET 1 2", "SAVE session.pft"],
    "KEEP": ["REPORT 3", "KEEP REPORT JOURNAL"],
    "SUSP": ["SUSP"],
    "QUIT": ["SET 1 2", "QUIT 0"],
}

# Cards of which the last is wrong, so that a command fails after having been answered; others fail at once.
BROKEN = {
    "CONTIN": ["CONTIN", "2", "4 8", ".2", "0 0", "1 -1"],
    "MODEL": ["MODEL y1' = p1*("],
    "LOAD": ["LOAD", "DATA", "nowhere.csv"],
    "CREATE": ["CREATE", "p1 2 0", "1 2 3 0", "y1 0", "1e-6", "5", "0", ".1", "3", "0", "perhaps"],
    "SET": ["SET", "p1 3", "p2 4", "p9 5 0"],
    "FREEZE": ["FREEZE", "1 2", "p9 0"],
    "UNFREEZE": ["UNFREEZE", "1", "p9 0"],
    "SCALE": ["SCALE", "1 LOG", "2 CUBE 0"],
    "BOUNDS": ["BOUNDS", "p1 0 1", "p2 3 2 0"],
    "FIT": ["FIT", "1", ".01", "1e-6", "much"],
    "SCAN": ["SCAN", "p1", "0", "2", "20", "perhaps"],
    "PROBE": ["PROBE", "Y", "perhaps"],
    "STATS": ["STATS much"],
    "PROFILE": ["PROFILE", "95 p1 much"],
    "SMOOTH": ["SMOOTH", "1", "2 4 8", "2 7", "late"],
    "RESMOOTH": ["RESMOOTH", "y1", "4", "much"],
    "CREOBS": ["CREOBS", "3", "0 5 12.5", "8 3", "many"],
    "LINEAR": ["LINEAR", "3"],
    "DFIT": ["DFIT", "3", "Y", ".01", ".01 1e-6 1e-6", "Y", "-1"],
    "IFIT": ["IFIT", "3", ".01 1e-6 1e-6", "Y", ".01", "1e-6", "much"],
    "MARK": ["MARK 7up"],
    "RECALL": ["RECALL middle"],
    "OPTION": ["OPTION", "5 1e-3", "8 3 0"],
    "SAMPLE": ["SAMPLE", "3", "1 4", "5 2", "99 1 0"],
    "NOISE": ["NOISE y1", "0-1"],
    "WEIGHT": ["WEIGHT", "2", "y1 0", "3 .5", "4 -1 0", "N"],
    "ECHO": ["ECHO", "2"],
    "INTEG": ["INTEG", "perhaps"],
    "PLOT": ["PLOT", "1 2 0", "y1 0", "y2 0", "perhaps"],
    "REPORT": ["REPORT", "1 3", "13 0"],
    "HELP": ["HELP NOTHING"],
    "NOTE": ["NOTE"],
    "UNDO": ["UNDO 99"],
    "REDO": ["REDO 99"],
    "SAVE": ["SAVE there/is/none.pft"],
    "KEEP": ["KEEP", "4", "99 0"],
    "QUIT": ["QUIT", "4", "99 0"],
}

NO_PARAMETERS = Model.from_text("x'=-x\ninit x=1\ndone", "bare")


NOBODY = "nobody is there"


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch):
    """Examples ask for no machines and begin no processes."""

    def connect(where, n=0):
        raise CommandError(f"{where}: {NOBODY}")

    monkeypatch.setattr("parfit.estimation.strategies.workers.check", lambda where: None)
    monkeypatch.setattr("parfit.estimation.strategies.workers.connect", connect)


@pytest.fixture
def files(tmp_path, begin):
    """The files that the examples and the sessions name."""
    (tmp_path / "other.ode").write_text((MODELS / "predator-prey-2.ode").read_text())
    write_text(tmp_path / "second.csv", csv_text(data_of("predator-prey-3", "predator-prey")))
    write_text(tmp_path / "other.csv", csv_text(data_of("predator-prey-3", "predator-prey")))
    (tmp_path / "weights.csv").write_text(to_csv(data_of("predator-prey")).replace(",1", ",2"))


# ---- the table itself


def test_the_commands_of_the_manual_are_there():
    assert set(NAMES) >= OF_THE_MANUAL
    assert len(set(NAMES)) == len(NAMES)


@every_command
def test_help_says_enough_and_fits(command):
    assert command.summary.endswith(".")
    assert command.group in TITLES
    assert command.examples
    assert all(each.split()[0] == command.name for each in command.examples)
    text = about(command)
    assert text.startswith(f"{command.name}: ")
    assert command.summary.split()[0] in text
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert all(each in text for each in command.examples)


@every_command
def test_every_question_can_be_read(command):
    labels = [question.label.lower() for question in command.questions]
    assert len(set(labels)) == len(labels), "HELP COMMAND LABEL could not tell them apart"
    for question in command.questions:
        assert question.text == question.text.upper(), "the words of the manual are in upper case"
        assert re.search(r"[A-Z]{2}", question.text)
        assert len(question.help) > 10
        assert question.help.rstrip()[-1] in ".0", question.help
        text = about_question(command, question.label)
        assert question.text in text
        assert all(item.text in text and str(item.number) in text for item in question.menu)
        words = [item.word for item in question.menu]
        assert len(set(words)) == len(words)
        assert len({item.number for item in question.menu}) == len(words)


def test_the_overview_names_every_command_within_the_width():
    text = overview(TABLE)
    lines = text.split("\n")
    assert max(map(len, lines)) <= WIDTH
    assert all(any(line.startswith(f"  {name} ") for line in lines) for name in NAMES)
    narrow = overview(TABLE, 40).split("\n")
    assert max(map(len, narrow)) <= 40
    begin = min(len(line) - len(line.lstrip()) for line in narrow if line.startswith("   "))
    assert begin == 4 + max(map(len, NAMES)), "what goes on in another line stands below the summary"


def test_the_readme_holds_the_table():
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert readme(TABLE) in text
    assert set(NAMES) <= set(readme(TABLE).split())


@every_command
def test_unique_beginnings_find_it_and_others_name_the_candidates(command):
    for n in range(1, len(command.name) + 1):
        typed = command.name[:n].lower()
        candidates = [name for name in NAMES if name.startswith(typed.upper())]
        if typed.upper() in NAMES:
            assert TABLE.find(typed).name == typed.upper()
        elif len(candidates) == 1:
            assert TABLE.find(typed) is command
        else:
            with pytest.raises(CommandError) as refusal:
                TABLE.find(typed)
            assert all(name in str(refusal.value) for name in candidates)


@every_command
def test_a_word_leads_to_the_command_that_has_it(command):
    assert [TABLE.find(word) for word in (command.name, *command.also)] == [command] * (1 + len(command.also))
    assert command.work.__module__.rpartition(".")[2].rstrip("_") in {command.name.lower(), *IN_ONE_FILE[command.name]}


def test_there_are_no_other_words():
    assert TABLE.words == [word for each in COMMANDS for word in (each.name, *each.also)]


def test_unknown_words_are_refused_with_a_suggestion(session):
    assert "did you mean FREEZE?" in session.refused("FREZE 1")
    assert "HELP lists the commands" in session.refused("xyzzy")
    assert "there is no command" in session.refused("FREEZES")
    assert "it begins a line of the model, which MODEL local ... adds" in session.refused("local p1")


# ---- doing them


@every_command
def test_examples_run_or_are_refused_for_what_is_missing(command, files, begin):
    """On the predator-prey problem, after an integration with the Jacobian, with a mark and a note."""
    for example in command.examples:
        session = begin()
        session("INTEG Y", "MARK start", "NOTE before", "REPORT 3", "SET 1 1.5", "UNDO", "PLOT 2 0 y1 0 Y")
        session(*BEFORE.get(command.name, []))
        if example in ("MODEL EDIT", "CREOBS y2 DRAW", "RESMOOTH y1 DRAW") or command.name in ON_SCREEN:
            assert "needs a terminal" in session.refused(example)
            continue
        code, _, warned = session.obey(Commands([example], "> "))
        if code:
            missing = ("'p7' is no parameter", "'7' is no parameter", "there is no `rate`", "no standard deviations")
            missing += ("there is one experiment only",) if command.name == "EXPERIMENT" else ()
            missing += ("no earlier run of this model",) if command.name == "LOAD" else ()
            missing += (NOBODY,) if command.name == "CLUSTER" else ()
            assert any(each in warned for each in missing) or "can be undone" in warned, f"{example}: {warned}"


def lacking(need, begin):
    """A session in which something is missing, and as much as possible else is there."""
    if need == "parameters":
        return begin(NO_PARAMETERS, None)
    session = begin(data=None if need == "observations" else "predator-prey")
    if need == "observation times":
        session("SAMPLE MESH 5 1")
    return session


@each([command for command in COMMANDS if command.needs])
def test_what_a_command_needs_is_asked_for_by_name(command, begin):
    for need in command.needs:
        session = lacking(need, begin)
        for example in command.examples:
            message = session.refused(example)
            assert NEEDS[need][1] in message
            assert any(re.search(rf"\b{name}\b", message) for name in NAMES), message


@pytest.mark.parametrize("need", NEEDS)
def test_every_need_is_refused_where_it_is_missing_and_says_what_supplies_it(need):
    env = Environment.of(NO_PARAMETERS)
    with pytest.raises(StateError) as refusal:
        env.require(need)
    error = refusal.value
    assert "\n" not in error.told
    assert any(re.search(rf"\b{name}\b", error.advice) for name in NAMES), error.told
    assert not any(re.search(rf"\b{name}\b", str(error)) for name in NAMES), "what happened names no command"


def missing(env, *needs):
    """Which of them an environment refuses."""
    found = []
    for need in needs:
        try:
            env.require(need)
        except StateError:
            found.append(need)
    return found


def test_needs_are_fulfilled_by_what_they_name(session):
    """And so a check that always refuses would be found."""
    begun = "observation times", "integration", "jacobian", "marks", "notes", "details"
    assert missing(session.env, "parameters", "observations", *begun) == [*begun[1:]]
    session("OPTION OUTPUT 1", "MARK a", "NOTE b", "INTEG Y")
    env = session.env
    assert missing(env, "parameters", "observations", *begun) == []
    assert missing(env, "creation", "smoothing", "statistics", "standard deviations") == [
        "creation",
        "smoothing",
        "statistics",
        "standard deviations",
    ]
    session("CREATE 0 1 2 0 y1")
    assert missing(session.env, "creation") == []
    session(*BEFORE["DFIT"], "DFIT 3")
    assert missing(session.env, "smoothing", "guesses", "iterates") == []
    sds = replace(env.observations, sds=np.ones_like(env.observations.values))
    assert missing(replace(env, observations=sds), "standard deviations") == []
    assert missing(env.with_statistics("some"), "statistics") == []


@every_command
def test_failing_in_the_middle_changes_nothing(command, begin, tmp_path):
    cards = BROKEN.get(command.name, [f"{command.name} )("] if command.name != "TRY" else ["TRY"])
    session = begin()
    before = BEFORE.get(command.name, [])
    session("INTEG Y", "MARK start", "NOTE before", "REPORT 3", *before)
    around = sorted(path for path in tmp_path.rglob("*"))
    message = session.failing(Script(cards, SCRIPT))
    assert re.match(rf"{SCRIPT}:\d+: ", message), message
    assert "internal" not in message
    assert sorted(path for path in tmp_path.rglob("*")) == around
    assert len(session.interpreter.timeline.past) == 3 + len(before)


@each([command for command in COMMANDS if command.name not in TAKING_ALL])
def test_words_left_over_are_refused(command, begin, tmp_path, files):
    *before, example = SESSIONS.get(command.name, command.examples)
    session = begin()
    session("INTEG N", *before)
    around = sorted(tmp_path.rglob("*"))
    message = session.refused(f"{example} 0 0 superfluous")
    assert "superfluous" in message or "0 0" in message or "more than" in message, message
    assert sorted(tmp_path.rglob("*")) == around


def assert_same_curves(first, second):
    """The smoothing, the guesses and the rounds of two environments are the same."""
    assert first.linear is second.linear
    assert (first.smoothing is None) == (second.smoothing is None)
    if first.smoothing is not None:
        assert first.smoothing.kind == second.smoothing.kind
        assert list(first.smoothing.curves) == list(second.smoothing.curves)
        for name, curve in first.smoothing.curves.items():
            np.testing.assert_array_equal(first.smoothing.joints[name], second.smoothing.joints[name])
            np.testing.assert_array_equal(
                curve(first.samples.times), second.smoothing.curves[name](first.samples.times)
            )
    assert list(first.guesses) == list(second.guesses)
    for name, guess in first.guesses.items():
        np.testing.assert_array_equal(guess.t, second.guesses[name].t)
        np.testing.assert_array_equal(guess.y, second.guesses[name].y)
    for one, other in zip(first.iterates, second.iterates, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        for name in one.guesses:
            np.testing.assert_array_equal(one.guesses[name], other.guesses[name])


@of_a_script
def test_the_journal_played_again_gives_the_same(command, files, begin):
    first, second = begin(), begin()
    first(*SESSIONS.get(command.name, command.examples))
    entries = first.entries
    assert bool(entries) or not command.journaled
    assert all(entry.split()[0] in NAMES for entry in entries), "the journal has full names"
    second(*entries)
    assert_same(first.env, second.env)
    assert_same_curves(first.env, second.env)
    assert second.entries == entries, "what is written down is its own shortest form"


@of_a_script
def test_the_journal_can_be_played_one_line_at_a_time(command, files, begin):
    """Every entry holds all answers: nothing more is asked for, and no default is taken."""
    first, second = begin(), begin()
    first(*SESSIONS.get(command.name, command.examples))
    for entry in first.entries:
        said = second.commands(entry)
        assert not re.search(r"^\([A-Za-z]", said, re.MULTILINE), f"{entry}: a default was taken"
    assert_same(first.env, second.env)
    assert_same_curves(first.env, second.env)


@each([command for command in COMMANDS if command.group == "looking" or command.name in LOOKING])
def test_commands_that_only_look_change_nothing(command, files, begin):
    session = begin()
    session("INTEG Y", "MARK one", "MARK two", "NOTE a note", "REPORT 3")
    env = session.env
    session(SESSIONS.get(command.name, command.examples)[-1])
    assert session.env is env


def test_marks_and_notes_are_made_with_copies(session):
    session("MARK a", "NOTE b", "SET 1 9")
    kept = [session.env.marks[0], session.env.notes[0]]
    assert [type(each) for each in kept] == [Mark, Note]
    assert all(each.values[0] == 1.0 for each in kept)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("fti", "FIT"), ("plto", "PLOT"), ("hlep", "HELP"), ("statts", "STATS"), ("wieght", "WEIGHT"), ("exti", "EXIT")],
)
def test_a_slip_of_the_fingers_is_seen(typed, meant):
    with pytest.raises(CommandError, match=f"did you mean {meant}"):
        TABLE.find(typed)


@pytest.mark.parametrize("typed", ["clear", "ls", "run", "xyzzy", "open"])
def test_nothing_silly_is_suggested(typed):
    with pytest.raises(CommandError, match="HELP lists the commands"):
        TABLE.find(typed)


def test_other_words_for_commands():
    assert [TABLE.find(word).name for word in ("exit", "bye", "show", "par", "params", "parameters")] == [
        "QUIT",
        "QUIT",
        *["PARAMETERS"] * 4,
    ]
    assert TABLE.find("sh").name == "SHOOT", "other words cannot be shortened"
    assert "EXIT, BYE" in about(TABLE.find("QUIT"))


@pytest.mark.parametrize(("typed", "meant"), [("uit", "QUIT"), ("gidue", "GUIDE"), ("FTI", "FIT")])
def test_a_slip_of_the_fingers_is_understood(typed, meant):
    with pytest.raises(CommandError, match=f"did you mean {meant}"):
        TABLE.find(typed)
