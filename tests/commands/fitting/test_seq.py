"""SEQ: what it asks, what it shows after every batch, how it ends early, and that its journal does the same again."""

import re

import numpy as np
import pytest
from coarse import ONE, TWO, only, setting
from conversation import Session, Typist, assert_same, data_of, model_of

from parfit.commands import TABLE
from parfit.commands.fitting.seq import seq
from parfit.commands.table import Table
from parfit.data.observations import make_observations
from parfit.errors import FAILED, Abandoned
from parfit.estimation.problems.sequential import Batch
from parfit.model.model import Model
from parfit.session.sources import Script

COMMANDS = TABLE if TABLE.has("SEQ") else Table([*TABLE.commands, seq])
# Problem 4.2.1 from the parameters of 4.2.2 (section 5.3), by an independent computation; published beside it.
FIRST = [0.9900, 0.1300, 3.863, 2.085, 0.3126, 0.1511]  # .9743, .1281, 3.873, 2.101, .3153, .1473
LAST = [1.017, 0.1179, 3.537, 1.399, 0.1626, 0.1543]  # 1.014, .1178, 3.548, 1.406, .1632, .1539
LOOSE = ".01 1e-4 1e-4"


@pytest.fixture
def prey(begin):
    session = begin(table=COMMANDS)
    session(setting(TWO))
    return session


def near(expected):
    return pytest.approx(expected, rel=4e-4)


def again(session, model=None, data=None):
    """Another session, given the journal of one."""
    copy = Session(
        model or model_of("predator-prey"), data or data_of("predator-prey"), of_1977=session.of_1977, table=COMMANDS
    )
    copy(*session.entries)
    return copy


def integrations(said):
    """How many each batch is said to have taken."""
    return [int(n) for n in re.findall(r"steps?, (\d+) integrations", said)]


# ---- every way of saying it


@pytest.mark.of_1977
@pytest.mark.parametrize(
    "lines",
    [
        [f"SEQ 5 5 {LOOSE}"],
        ["seq 5, 5, .01, 1e-4, 1e-4, 100, all"],
        [f"SEQ 5 5 {LOOSE} 100 C 1 CONTINUE CONT"],
        ["SEQ", "5", "5", ".01", "1e-4", "1e-4", "100", "", "", "", "", ""],
        ["SEQ", "5 5", LOOSE, "100", "ALL"],
        ["SEQ", "5 5", LOOSE, "100", "1 1 1 1 3"],
        [f"SEQ ENDS 2.5 5 7.5 10 12.5 0 {LOOSE}"],
        [f"SEQ E 2.9 5 7.5 10 99 0 {LOOSE} 100 ALL"],
        ["SEQ", "ENDS", "2.5 5", "7.5 10 12.5", "0", LOOSE, "100", "4"],
    ],
    ids=" / ".join,
)
def test_every_way_of_saying_it_leads_to_the_same(prey, lines):
    said = prey(*lines)
    assert prey.env.values == near(LAST)
    assert said.count("SUM OF SQUARES OF ALL OBSERVATIONS SO FAR") == 5
    assert prey.errors == ""
    assert_same(again(prey).env, prey.env)


@pytest.mark.of_1977
def test_the_questions_and_their_defaults(prey):
    typist = prey.typed("SEQ", "", "", "", "1e-4", "1e-4", "", "", "", "", "", "")
    assert typist.n_left == 0
    assert typist.questions == [
        "ENTER NUMBER OF OBSERVATION TIMES IN THE FIRST BATCH, OR ENDS",
        "ENTER NUMBER OF OBSERVATION TIMES IN EACH BATCH THAT FOLLOWS",
        "ENTER STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE MARQUARDT",
        "RELATIVE TOLERANCE",
        "ABSOLUTE TOLERANCE",
        "MAXIMUM NUMBER OF ITERATIONS",
        *["WHAT NEXT"] * 5,
    ]
    assert typist.prompts[:6] == ["[5]: ", "[5]: ", "[0.01]: ", "[1e-06]: ", "[1e-15]: ", "[100]: "]
    assert typist.prompts[6:] == [*["[CONTINUE]: "] * 4, "[STOP]: "]
    assert prey.env.values == near(LAST)
    assert prey.entries[-1] == "SEQ 5 5 0.01 0.0001 0.0001 100 CONTINUE CONTINUE CONTINUE CONTINUE STOP"


def test_a_line_runs_all_and_says_so(prey):
    assert "(iterations 100; next ALL)" in prey(f"SEQ 5 5 {LOOSE}")
    assert prey.entries[-1] == "SEQ 5 5 0.01 0.0001 0.0001 100 ALL"


@pytest.mark.of_1977
def test_the_first_batch_alone(prey):
    said = prey(f"SEQ 5 5 {LOOSE} 100 STOP")
    assert prey.env.values == near(FIRST)
    assert "BATCH 2" not in said
    assert prey.env.integrated.times.size == 26, "the solution is that of all sample times"


@pytest.mark.of_1977
def test_a_script_may_leave_what_is_next_to_the_program(prey):
    prey("SEQ", "5", "5", ".01", "1e-4", "1e-4", "100", "REPORT 3")
    assert prey.env.values == near(LAST)


def test_batches_may_end_at_time_0(begin):
    """The first of them holds what was observed at the initial time alone."""
    model = Model.from_text("par a=0\nx'=1\ninit x=a\n@ t0=-1\ndone", "line")
    data = make_observations([-1.0, 0.0, 1.0], ["x"], [[1.0], [3.0], [3.5]])
    session = begin(model, data, table=COMMANDS)
    said = session("SEQ ENDS -1 0.0 1 0 0")
    assert [f"BATCH {k} UP TO t = {t}: " in said for k, t in ((1, -1), (2, 0), (3, 1))] == [True] * 3
    assert session.env.values == pytest.approx([1.5])  # the mean of x - (t + 1)
    assert session.entries[-1].startswith("SEQ ENDS -1 0.0 1 0 0 ")
    assert_same(again(session, model, data).env, session.env)


# ---- continue, repeat, stop


def test_a_batch_can_be_repeated_with_other_settings_from_where_it_began(prey):
    typist = prey.typed("SEQ", "5", "5", "1000", ".5", "1e-4", "3", "REPEAT", ".01", "1e-4", "", "100", "", "STOP")
    assert typist.n_left == 0
    assert typist.prompts[7:11] == ["[10000]: ", "[0.5]: ", "[0.0001]: ", "[3]: "]
    assert prey.entries[-1] == "SEQ 5 5 1000 0.5 0.0001 3 REPEAT 0.01 0.0001 0.0001 100 CONTINUE STOP"
    repeated = prey.env.values
    assert_same(again(prey).env, prey.env)
    prey("UNDO", f"SEQ 5 5 {LOOSE} 100 C STOP")
    assert prey.env.values.tolist() == repeated.tolist(), "the new settings hold for the second batch too"


def test_a_repeated_batch_is_the_same_with_the_same_settings(prey):
    prey(f"SEQ 5 5 {LOOSE} 100 C R {LOOSE} 100 STOP")
    values = prey.env.values
    prey("UNDO", f"SEQ 5 5 {LOOSE} 100 C STOP")
    assert prey.env.values.tolist() == values.tolist()


@pytest.mark.of_1977
def test_scaled_columns_are_offered_again(prey):
    typist = prey.typed("SEQ 5 5 -1 -1e-4 -1e-4 100 REPEAT", "UNDO")
    assert typist.n_left == 0
    prey.typed("SEQ", "5", "5", "-1", "-1e-4", "-1e-4", "100", "REPEAT", "", "", "", "", "STOP")
    assert prey.entries[-1] == "SEQ 5 5 0.01 -0.0001 -0.0001 100 REPEAT 0.1 -0.0001 -0.0001 100 STOP"


def test_the_last_batch_can_be_repeated_too(prey):
    prey(f"SEQ 20 5 1 1 1 3 CONTINUE REPEAT {LOOSE} 50 STOP")
    assert prey.output.count("BATCH 2 OF 2") == 2


def test_what_next_is_explained(prey):
    prey.typed("SEQ", "5", "5", "", "", "", "", "?", "STOP")
    assert "this batch again from where it began" in " ".join(prey.output.split())


# ---- what is shown


@pytest.mark.of_1977
def test_sums_of_squares_and_parameters_after_each_batch(prey):
    said = prey(f"SEQ 5 5 {LOOSE}", "INTEG Y")
    firsts = [text for text in said.split("\nBATCH ") if "SO FAR" in text]
    assert [float(text.split("t = ")[1].split(":")[0]) for text in firsts] == [2.5, 5, 7.5, 10, 12.5]
    assert "LINEARIZED" not in firsts[0]
    own, linearized = (float(firsts[1].split(word)[1].split()[0].strip(",")) for word in ("SQUARES ", ","))
    assert 0 < own < linearized, "of ten observations, and of twenty"
    so_far = [float(text.split("SO FAR ")[1].split()[0]) for text in firsts]
    assert so_far[1] > linearized, "the linearization is not the truth"
    assert so_far[-1] == pytest.approx(prey.env.sum_of_squares, rel=1e-6), "all batches are the full problem"
    assert f"SUM OF SQUARES OF THE FULL PROBLEM THERE {so_far[-1]:.7g}" in said
    assert "FIT goes on from here" in said
    assert prey.report.count("parameter") == 5
    for expected in ("1.016", "0.9899"):
        assert expected in prey.report


def test_the_picture_has_the_observations_so_far(prey):
    said = prey(f"SEQ 5 5 {LOOSE} 100 C STOP")
    pictures = said.split("after batch ")[1:]
    assert len(pictures) == 2
    for picture, end in zip(pictures, ("2.5", "5"), strict=True):
        axis = picture.split("TIME")[0].strip().split("\n")[-1].split()
        assert float(axis[-1]) == float(end)
        assert "y1 observed" in picture
        assert "y2 observed" in picture


def test_what_was_tried_is_in_the_details(prey):
    said = prey(f"SEQ 5 5 {LOOSE} 100 C STOP", "REPORT 8 0 N")
    details = said.split("> REPORT")[1]
    assert details.count("INITIAL SUM OF SQUARES IS") == 2
    assert details.count("TRIAL LAMBDA") == sum(integrations(said)) - 2, "all but the first of each batch"


def test_a_parameter_that_nothing_tells_of_yet_is_named(begin):
    model = Model.from_text("par a=1, b=9\nx'=b*heav(t-4)\ninit x=a\ndone", "late")
    session = begin(
        model, make_observations([1.0, 2.0, 5.0, 8.0], ["x"], [[2.0], [4.0], [3.5], [6.0]]), table=COMMANDS
    )
    said = session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0 HMAX .1", "SEQ 2 2")
    assert said.count("the observations so far do not see b: unchanged") == 1
    design = np.array([[1, 0], [1, 0], [1, 1], [1, 4]])
    assert session.env.values == pytest.approx(np.linalg.lstsq(design, [2, 4, 3.5, 6], rcond=None)[0], rel=1e-3)


# ---- what has its say


@pytest.mark.of_1977
def test_fit_goes_on_to_the_minimum(prey):
    """Table 5.3.1: FIT alone L, from the first and from the last batch C."""
    fit = "FIT 1 .01 1e-9 1e-9 300"
    prey(fit)
    assert prey.env.sum_of_squares > 10
    for line in (f"SEQ 5 5 {LOOSE} 100 STOP", f"SEQ 5 5 {LOOSE}"):
        prey(setting(TWO), line, fit)
        assert prey.env.sum_of_squares == pytest.approx(0.0078589, rel=1e-4)


def test_frozen_and_scaled_parameters(prey):
    prey("FREEZE p2 p6", "SET p2 .1 p6 .15", "SCALE p1 LOG p5 ROOT", f"SEQ 5 5 {LOOSE}")
    values = prey.env.values
    assert values[[1, 5]].tolist() == [0.1, 0.15]
    assert values == pytest.approx(ONE, rel=0.3)
    assert values.tolist() != list(ONE)
    assert prey.env.parameters.scaling != ()
    assert_same(again(prey).env, prey.env)


def test_bounds_are_kept(prey):
    prey("BOUNDS p5 .05 .2", f"SEQ 5 5 {LOOSE}")
    assert prey.env.values[4] <= 0.2


def test_a_state_that_was_not_observed(begin):
    """Problem 4.4.1: y2 goes on from batch to batch with its own linearization."""
    session = begin(data=only("predator-prey", "y1"), table=COMMANDS)
    near_by = np.array(ONE) * 1.05
    session(setting(near_by), "INTEG N")
    before = session.env.sum_of_squares
    session("SEQ 10 5 .01 1e-4 1e-4")
    assert session.env.sum_of_squares < 0.05 * before
    assert_same(again(session, data=only("predator-prey", "y1")).env, session.env)


def test_weights_and_missing_values(begin):
    """A straight line: weighted linear least squares."""
    t, y = np.arange(1.0, 9.0), np.array([1.0, 2.5, 2.0, np.nan, 5.5, 5.0, 7.5, 7.0])
    w = np.array([1.0, 2.0, 1.0, 1.0, 0.5, 0.0, 1.0, 3.0])
    model = Model.from_text("par a=0, b=0\ny'=b\ninit y=a\ndone", "line")
    session = begin(model, make_observations(t, ["y"], y[:, np.newaxis], w[:, np.newaxis]), table=COMMANDS)
    session("SEQ 2 1 0")
    seen = ~np.isnan(y)
    design = np.stack((np.ones(8), t), axis=1) * w[:, np.newaxis]
    assert session.env.values == pytest.approx(np.linalg.lstsq(design[seen], (w * y)[seen], rcond=None)[0], rel=1e-9)


# ---- refusals


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "SEQ 2 5",
            "2 times would give fewer observations than there are active parameters; take at least 3, or FREEZE",
        ),
        ("SEQ 26 5", "'26' will not do here; enter a whole number from 1 to 25"),
        ("SEQ x", "'x' will not do here"),
        ("SEQ 5 0", "'0' will not do here"),
        ("SEQ 5 5 .01 1e-4 1e-4 100 MAYBE", "'MAYBE' is not on the menu"),
        ("SEQ 5 5 .01 1e-4 1e-4 100 STOP 3", "'3' is more than the command can use"),
        ("SEQ ENDS 1 5", "the first batch needs the observations up to t = 1.5 for its parameters"),
        ("SEQ ENDS 0", "the first batch needs the observations up to t = 1.5"),
        ("SEQ ENDS 5 4", "must increase, but 4 follows 5"),
        ("SEQ ENDS 5 5.2", "nothing was observed between 5 and 5.2"),
    ],
)
def test_what_it_does_not_take(prey, line, message):
    assert message in prey.refused(line)


def test_wrong_ends_are_asked_for_again(prey):
    typist = prey.typed("SEQ", "ENDS", "5 4 0", "2.5 5 0", ".01", "1e-4", "1e-4", "", "ALL")
    assert typist.n_left == 0
    assert "must increase" in prey.errors
    assert prey.entries[-1] == "SEQ ENDS 2.5 5 0 0.01 0.0001 0.0001 100 ALL"


def test_what_it_needs(begin):
    session = begin(data=None, table=COMMANDS)
    assert "there are no observations" in session.refused("SEQ 5 5")
    session = begin(table=COMMANDS)
    assert "the sample times are a uniform mesh" in session.refused("SAMPLE 2 20 .5", "SEQ 5 5")
    data = make_observations([1.0, 2.0], ["y1", "y2"], [[2.0, 3.0], [2.0, np.nan]])
    session = begin(data=data, table=COMMANDS)
    assert "only 3 observations count, for 6 active parameters; FREEZE some" in session.refused("SEQ 1 1")
    session("FREEZE 1 2 3", "SEQ 2 1")


EXPLOSION = Model.from_text("par k=1\nx'=k*x^2\ninit x=1\n@ t0=0, total=2\ndone", "explosion")  # x = 1 / (1 - k t)


def test_a_first_batch_that_cannot_be_integrated_changes_nothing(begin):
    session = begin(EXPLOSION, make_observations([0.5, 2.0], ["x"], [[1.3], [3.0]]), table=COMMANDS)
    message = session.refused("OPTION 8 1 5 1e-6", "SET k 3", "SEQ 1 1")
    assert "batch 1 cannot be integrated at the starting values: " in message
    assert "take fewer observation times at once" in message


@pytest.mark.parametrize("more", ["", " .01 1e-6 1e-9 100 C C STOP"])
def test_a_later_batch_that_cannot_be_integrated_ends_it(begin, more):
    """1 / (1 - k / 2) = 5 for k = 1.6, and there is no solution at t = 1."""
    data = make_observations([0.5, 1.0, 1.5], ["x"], [[5.0], [6.0], [7.0]])
    session = begin(EXPLOSION, data, table=COMMANDS)
    session("OPTION 8 1 5 1e-8 6 0", "SET k 1.5", f"SEQ 1 1{more}")
    assert session.env.values == pytest.approx([1.6], rel=1e-4)
    assert "batch 2 cannot be integrated from what the one before led to: " in session.errors
    assert "kept is what the first batch led to" in session.errors
    assert "the full problem cannot be integrated at these parameters" in session.errors
    assert_same(again(session, EXPLOSION, data).env, session.env)


def test_linearization_may_hide_that_nothing_can_be_integrated_that_far(begin):
    """With x(.5) = 5 + 12.5 (k - 1.6) the second value asks for k = 2.23, but x has no value after t = 1 / 2.23."""
    data = make_observations([0.5, 0.52], ["x"], [[5.0], [30.0]], [[1.0], [100.0]])
    session = begin(EXPLOSION, data, table=COMMANDS)
    session("OPTION 8 1 5 1e-8 6 0", "SET k 1.5", "SEQ 1 1 .01 1e-9 1e-9 100 C R 1e7 1e-9 1e-9 100 STOP")
    k = session.env.values[0]
    assert 1 / (1 / (5 + 12.5 * (k - 1.6)) - 0.02 * k) == pytest.approx(30, rel=1e-3)
    assert "REPEAT the batch with a larger lambda" in session.errors
    assert "from the initial time on the equations cannot be integrated that far; the linearization" in session.errors
    assert "the full problem cannot be integrated at these parameters" in session.errors
    assert "SUM OF SQUARES OF ALL OBSERVATIONS SO FAR CANNOT BE HAD: " in session.report
    assert "batch 2 from its beginning" in session.output
    assert_same(again(session, EXPLOSION, data).env, session.env)


# ---- ends that are none


def test_the_limit_of_iterations_is_said(prey):
    prey("SEQ 5 5 .01 1e-6 1e-9 3 STOP")
    assert "STOPPED: the limit of its work was reached; REPEAT the batch with more iterations" in prey.errors


def interrupt(monkeypatch, n):
    """Raise KeyboardInterrupt at the n-th integration of a batch."""
    evaluate, seen = Batch._evaluated, []

    def interrupted(self, active):
        if len(seen) == n:
            seen.append(None)
            raise KeyboardInterrupt
        seen.append(None)
        return evaluate(self, active)

    monkeypatch.setattr(Batch, "_evaluated", interrupted)


@pytest.mark.parametrize("n", [0, 1, 10])
def test_ctrl_c_in_the_first_batch_changes_nothing(prey, monkeypatch, n):
    env = prey.env
    interrupt(monkeypatch, n)
    code, _, warned = prey.obey(Script([f"SEQ 5 5 {LOOSE}"]))
    assert code == FAILED
    assert "interrupted; nothing was changed" in warned
    assert prey.env is env


@pytest.mark.parametrize(("batches", "then"), [(1, 0), (1, 1), (1, 9), (2, 0), (2, 2), (3, 1)])
@pytest.mark.parametrize("line", ["", " 100 C C C C", " 100 C ALL"])
def test_ctrl_c_keeps_the_batches_before_and_the_journal_does_too(prey, monkeypatch, batches, then, line):
    work = integrations(prey(f"SEQ 5 5 {LOOSE}", "UNDO"))
    assert work[batches] > then
    interrupt(monkeypatch, sum(work[:batches]) + then)
    prey(f"SEQ 5 5 {LOOSE}{line}")
    monkeypatch.undo()
    kept = "batch" if batches == 1 else f"{batches} batches"
    assert f"interrupted; UNDO goes back; kept is what the first {kept} led to" in prey.errors
    answers = " ".join([*["CONTINUE"] * (batches - 1), "STOP"])
    assert prey.entries[-1] == f"SEQ 5 5 0.01 0.0001 0.0001 100 {answers}"
    copy = again(prey)
    assert_same(copy.env, prey.env)
    prey("UNDO")
    assert prey.env.values.tolist() == list(TWO)


@pytest.mark.of_1977
def test_ctrl_c_while_a_batch_is_repeated_keeps_it_as_it_was(prey, monkeypatch):
    interrupt(monkeypatch, integrations(prey(f"SEQ 5 5 {LOOSE} 100 STOP", "UNDO"))[0] + 5)
    prey.typed("SEQ", "5", "5", ".01", "1e-4", "1e-4", "", "REPEAT", "1", "", "", "")
    monkeypatch.undo()
    assert prey.entries[-1] == "SEQ 5 5 0.01 0.0001 0.0001 100 STOP"
    assert prey.env.values == near(FIRST)
    assert_same(again(prey).env, prey.env)


def test_ctrl_c_at_a_question_changes_nothing(prey):
    env = prey.env
    prey.typed("SEQ", "5", "5", ".01", "1e-4", "1e-4", "", "", KeyboardInterrupt())
    assert "interrupted; nothing was changed" in prey.errors
    assert prey.env is env


def test_undo_and_redo(prey):
    prey(f"SEQ 5 5 {LOOSE}")
    values = prey.env.values
    prey("UNDO")
    assert prey.env.values.tolist() == list(TWO)
    prey("REDO")
    assert prey.env.values.tolist() == values.tolist()


def test_help_tells_of_it(prey):
    said = prey("HELP SEQ")
    assert "SEQ 10 5 .01 1e-4 1e-4" in said
    assert "of the batch at work nothing is kept" in " ".join(said.split())


def test_who_ends_at_the_question_keeps_the_batches_that_are_done(begin):
    """Ctrl-C at WHAT NEXT is STOP; the journal says so."""
    session = begin("predator-prey")
    session("SET p2 .12 p3 2.8")

    class Leaving(Typist):
        def read(self, prompt, text=""):
            if "WHAT NEXT" in text:
                raise Abandoned("abandoned; nothing was changed")
            return super().read(prompt, text)

    before = session.env.values.copy()
    session.obey(Leaving(["SEQ", "10", "5", "", "", "", ""]))
    assert (session.env.values != before).any()
    assert session.entries[-1].endswith("STOP")
