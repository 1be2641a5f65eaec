"""GUIDE in conversation: advice that is taken, refused, undone and told to scripts."""

import pytest
from coarse import EPIDEMIC, THREE, TWO, epidemic, epidemic_data, setting
from conversation import assert_same
from situations import GEAR, SITUATIONS, alone, bundled, decay, ids, predator, prey

from parfit.advice import (
    advise,
)
from parfit.advice.facts import Facts
from parfit.errors import Abandoned
from parfit.estimation.problems.trajectory_fit import TrajectoryFit


def test_return_takes_the_advice_at_a_terminal(begin):
    session = begin(*predator())
    session(setting(TWO))
    typist = session.typed("guide", "", "guide", "", "guide", "")
    assert typist.prompts == ["[Y]: "] * 3
    assert typist.questions == ["TAKE THE ADVICE? Y, N OR ALL"] * 3
    assert [entry.split()[0] for entry in session.entries[1:]] == ["SMOOTH", "IFIT", "FIT"]
    assert "> IFIT REGULAR" in session.output, "what is done is shown as if it had been typed"


def test_what_was_taken_replays_without_guide(begin):
    first, again = begin(*predator()), begin(*predator())
    first(setting(TWO), "GUIDE Y", "GUIDE Y", "GUIDE Y")
    assert not any("GUIDE" in entry for entry in first.entries)
    again(*first.entries)
    assert_same(again.env, first.env)
    assert [each.origin for each in again.interpreter.timeline.past] == [
        each.origin for each in first.interpreter.timeline.past
    ]


ENDS = [
    (
        bundled("barnes"),
        [GEAR, "FIT MORE", "STATS 95"],
        "REPORT PAR",
        "KEEP copies the report, and QUIT ends",
    ),
    (predator, ["FIT 3 1e-8 500 HUBER 1"], "REPORT PAR", "KEEP copies the report, and QUIT ends"),
    (
        decay("0*a", "par a=1"),
        ["SMOOTH SPLINE AUTO", "UNDO", "TRY AUTO .1"],
        "PROBE",
        "PROBE has said which parameters",
    ),
]


@pytest.mark.parametrize(("problem", "lines", "command", "after"), ENDS, ids=[each[2] for each in ENDS])
def test_the_end_is_not_repeated(begin, problem, lines, command, after):
    """RETURN takes the last advice once; then it is done, until another command is given."""
    session = begin(*problem())
    session(*lines)
    asked = ["", ""] if command == "PROBE" else []
    typist = session.typed("guide", "", *asked, "guide", "guide")
    assert [prompt for prompt, text in typist.asked if "ADVICE" in text] == ["[Y]: "]
    session("GUIDE Y", "GUIDE Y")
    kept = [line for line in lines if not line.startswith("TRY")]
    assert [entry.split()[0] for entry in session.entries[len(kept) :]] == [command.split()[0]]
    said = " ".join(session("GUIDE N").split())
    assert after in said
    assert f"    {command}" not in session("GUIDE N")
    session("NOTE well")
    assert command in session("GUIDE N")


def test_without_statistics_none_are_to_be_reported(begin):
    session = begin(*bundled("barnes")())
    session(GEAR, "FIT MORE", "STATS 95", "UNDO")
    assert advise(session.interpreter.timeline).command == "REPORT PAR"
    session("GUIDE Y")


@pytest.mark.parametrize("answer", ["N", "n", "no", KeyboardInterrupt()])
def test_refused_advice_changes_nothing(begin, answer):
    session = begin(*predator())
    session(setting(TWO))
    env, entries = session.env, list(session.entries)
    session.typed("GUIDE", answer)
    assert session.env is env
    assert session.entries == entries
    assert advise(session.interpreter.timeline).command == "SMOOTH SPLINE AUTO", "it is still the best advice"


@pytest.mark.parametrize("lines", [["GUIDE"], ["GUIDE N"], ["GUIDE", "NOTE well"], ["GUIDE", "N"]])
def test_a_script_is_only_advised(begin, lines):
    session = begin(*predator())
    said = session(setting(TWO), *lines)
    assert "    SMOOTH SPLINE AUTO" in said
    assert session.env.smoothing is None
    assert len(session.env.notes) == lines.count("NOTE well")


@pytest.mark.parametrize("lines", [["GUIDE Y"], ["GUIDE", "Y"], ["guide yes"]])
def test_a_script_can_take_the_advice(begin, lines):
    session = begin(*predator())
    session(setting(TWO), *lines)
    assert session.env.smoothing is not None
    assert session.env.origin.startswith("SMOOTH SPLINE")


def test_undone_advice_is_not_given_again(begin):
    session = begin(*predator())
    session(setting(TWO), "GUIDE Y", "GUIDE Y")
    assert session.env.origin.startswith("IFIT")
    session("UNDO")
    assert advise(session.interpreter.timeline).command == "FIT MORE", "without IFIT"
    session("UNDO")
    assert advise(session.interpreter.timeline).command == "FIT MORE", "without curves"
    session("REDO 2")
    assert advise(session.interpreter.timeline).command == "FIT MORE", "after IFIT"


@pytest.mark.of_1977
@pytest.mark.parametrize("situation", SITUATIONS, ids=ids)
def test_no_undone_advice_is_given_again(led_to, situation):
    """Also after commands that only look, and none of these is the end of the conversation."""
    session = led_to(situation)
    advice = advise(session.interpreter.timeline)
    if advice.done or advice.command.split()[0] in ("UNDO", "MODEL", "INIT", "LOAD", "WEIGHT", "SAMPLE"):
        return
    session("GUIDE Y", "UNDO")
    assert advise(session.interpreter.timeline).command != advice.command
    session("NOTE well")
    assert advise(session.interpreter.timeline).command != advice.command
    session("GUIDE")


def test_an_undone_fit_is_advised_elsewhere(begin):
    session = begin(*bundled("gear")())
    session("GUIDE Y")
    assert session.env.origin.startswith("FIT MORE")
    session("UNDO", "MARK here")
    said = " ".join(session("GUIDE").split())
    assert "Nothing more is known that would lead on by itself, and what was undone is not advised again" in said
    session("SET p1 .99")
    assert advise(session.interpreter.timeline).command == "FIT MORE"


def test_what_is_undone_is_remembered_after_the_next_command(begin):
    """REDO is gone then, but IFIT was tried all the same, until something renews its chances."""
    session = begin(*predator())
    session(setting(TWO), "SMOOTH SPLINE AUTO", "IFIT REGULAR", "UNDO", "FIT MORE")
    facts = Facts(session.interpreter.timeline)
    assert session.interpreter.timeline.future == ()
    assert facts.tried("IFIT")
    assert facts.refused("IFIT")
    session(setting(THREE))
    assert not Facts(session.interpreter.timeline).tried("IFIT")
    session("UNDO")
    assert Facts(session.interpreter.timeline).tried("IFIT"), "what renewed them was undone itself"


def test_what_renews_the_chances_of_a_method(begin):
    session = begin(*predator())

    def tried() -> bool:
        return Facts(session.interpreter.timeline).tried("IFIT")

    session(setting(TWO), "SMOOTH SPLINE AUTO")
    assert not tried()
    for line in ("RESMOOTH y1 ADD 4", setting(THREE), "FREEZE p1", "SMOOTH HERMITE AUTO"):
        session("IFIT REGULAR", "MARK here")
        assert tried()
        session(line)
        assert not tried()


def test_other_data_let_everything_be_tried_again(begin, tmp_path):
    session = begin(*predator())
    session(setting(TWO), "GUIDE Y", "GUIDE Y", "GUIDE Y")
    (tmp_path / "other.csv").write_text(
        "t,y1,y2\n" + "".join(f"{t},{9 - t},{4 + t}\n" for t in range(1, 9)), encoding="utf-8"
    )
    session("LOAD DATA other.csv", setting(TWO))
    assert advise(session.interpreter.timeline).command == "SMOOTH SPLINE AUTO"


def test_a_failure_of_what_was_taken_is_told_and_changes_nothing(begin):
    session = begin(*alone("par k=1\ny'=-k*y\ninit y=1\ndone")())
    env = session.env
    typist = session.typed("GUIDE", "Y", "missing.csv")
    assert typist.n_left == 0
    assert "missing.csv" in session.errors
    assert session.env is env
    assert session.entries == []


@pytest.mark.of_1977
@pytest.mark.parametrize(("names", "n_guessed"), [(["s"], 2), (["i"], 2), (["sick"], 3)])
def test_guesses_on_several_states(begin, names, n_guessed):
    """One CREOBS for each state that was not observed, and then IFIT and FIT to where the data were made."""
    session = begin(epidemic(), epidemic_data(*names))
    session("SET b 3 a 4 g 6")
    words = []
    while not (advice := advise(session.interpreter.timeline)).done and len(words) < 25:
        words.append(advice.command.split()[0])
        session("GUIDE Y")
    assert words.count("CREOBS") == n_guessed
    assert session.env.values == pytest.approx(EPIDEMIC, rel=1e-4)


def test_guide_is_quick(begin, monkeypatch):
    """Trials are counted, not seconds: what GUIDE integrates at most to guess at y2."""
    session = begin(*prey())
    session(setting(TWO), "SMOOTH SPLINE AUTO")
    counted = []
    evaluate = TrajectoryFit.evaluate
    monkeypatch.setattr(TrajectoryFit, "evaluate", lambda self, p: counted.append(1) or evaluate(self, p))
    assert advise(session.interpreter.timeline).command.startswith("CREOBS")
    assert len(counted) < 13 * 70


def test_whoever_waits_for_advice_sees_a_bar(session, monkeypatch):
    """It is drawn by an alarm clock, which stops with the advice."""
    from contextlib import contextmanager

    labels = []

    @contextmanager
    def noticed(console, label):
        labels.append(label)
        yield

    monkeypatch.setattr("parfit.commands.session.guide.working", noticed)
    session("GUIDE N")
    assert labels == ["GUIDE"]


def test_guide_all_goes_on_until_done(begin):
    session = begin("tour", "tour")
    said = session("GUIDE AL")  # any beginning of ALL will do
    assert [entry.split()[0] for entry in session.entries][:3] == ["SMOOTH", "IFIT", "FIT"]
    assert session.entries[-1].startswith("REPORT")
    assert said.count("> GUIDE ALL") >= len(session.entries)


def test_who_leaves_a_question_leaves_guide_all(begin):
    """Otherwise the same command would ask the same question again."""
    problem, lines, *_ = ENDS[2]
    session = begin(*problem())
    session(*lines)
    typist = session.typed("guide all", Abandoned("abandoned; nothing was changed"), "NOTE after")
    assert len(typist.questions) == 1
    assert "abandoned" in session.errors
    assert session.entries[-1] == "NOTE after"
