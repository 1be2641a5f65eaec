"""FIT: what it asks, what it finds against an exact solution, what it shows on its way, and how it is interrupted."""

import re

import numpy as np
import pytest
from certified import ACCURATE, WASH_OUT_TIMES, WASH_OUT_VALUES, wash_out
from conversation import Session, Typist, data_of, model_of
from parfit.kernel.fit import TRIAL
from washing import BEST, DATA, FITS, LEAST, START, near, optimum, table, wash_model

from parfit.data.observations import make_observations
from parfit.errors import FAILED
from parfit.estimation.optimizers import searching
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.model import Model
from parfit.session.sources import Script
from parfit.simulation.simulator import Simulator

# ---- the three options and their questions


@pytest.mark.parametrize(
    "lines",
    [
        ["FIT 3"],
        ["FIT MORE"],
        ["fit m"],
        ["FIT", "3", "", "", ""],
        ["FIT", "MORE", "1e-9", "100", "LINEAR"],
        ["FIT", "more 1e-9 100 1"],
        ["FIT 3 1e-9 100 linear"],
        ["FIT", ""],
        ["FIT 1 .01 1e-12 1e-20 100 3"],
        ["FIT 1, .01, 1e-12, 1e-20, 100"],
        ["FIT MARQUARDT -1 -1e-12 -1e-20 100"],
        ["FIT", "1", ".01", "1e-12", "1e-20", "100", "3"],
        ["FIT", "MARQ", ".01 1e-12 1e-20", "100 3"],
        ["FIT 1", "FIT 1", "FIT 1"],
        ["FIT 2", "N .1", "", "", "", "N 1e-6", "", "", "", "", "Q"],
    ],
    ids=" / ".join,
)
def test_every_way_of_saying_it_leads_to_the_minimum(wash, lines):
    if lines[0] == "fit m":
        assert "'m' could be several; enter 1 or MARQUARDT, 3 or MORE" in wash.refused("fit m")
        return
    said = wash(*lines)
    assert wash.env.values == near(BEST)
    assert wash.env.sum_of_squares == pytest.approx(LEAST, rel=1e-6)
    assert f"{LEAST:.5g}"[:5] in said


@pytest.mark.of_1977
def test_the_questions_of_marquardts_method(wash):
    typist = wash.typed("FIT", "1", "", "", "", "", "")
    assert typist.n_left == 0
    assert typist.questions == [
        "CHOOSE METHOD",
        "ENTER STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE MARQUARDT",
        "RELATIVE TOLERANCE",
        "ABSOLUTE TOLERANCE",
        "MAXIMUM NUMBER OF ITERATIONS",
        "MAXIMUM NUMBER OF ERRORS",
    ]
    assert typist.prompts == ["[MORE]: ", "[0.01]: ", "[1e-06]: ", "[1e-15]: ", "[25]: ", "[3]: "]
    assert wash.entries[-1] == "FIT MARQUARDT 0.01 1e-06 1e-15 25 3"


def test_the_questions_of_mores_method(wash):
    typist = wash.typed("FIT", "", "", "", "HUBER", ".1")
    assert typist.n_left == 0
    assert typist.prompts == ["[MORE]: ", "[1e-08]: ", "[500]: ", "[LINEAR]: ", "[1]: "]
    assert typist.questions[1:] == [
        "ENTER RELATIVE TOLERANCE",
        "MAXIMUM NUMBER OF INTEGRATIONS",
        "ENTER LOSS FUNCTION",
        "ENTER RESIDUAL THAT COUNTS AS LARGE",
    ]
    assert wash.entries[-1] == "FIT MORE 1e-08 500 HUBER 0.1"


def test_defaults_of_a_line_are_said_and_written_down(wash):
    assert "(tolerance 1e-08; integrations 500; loss LINEAR)" in wash("FIT 3")
    assert wash.entries[-1] == "FIT MORE 1e-08 500 LINEAR"
    assert "(iterations 25; errors 3)" in wash("FIT 1 .01 1e-6 1e-9")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("FIT 4", "'4' is not on the menu"),
        ("FIT NEWTON", "'NEWTON' is not on the menu"),
        ("FIT 1 x", "'x' is not a number"),
        ("FIT 1 .01 1e-6 y", "'y' is not a number"),
        ("FIT 1 .01 1e-6 1e-6 -1", "enter a whole number from 0 to 100000"),
        ("FIT 1 .01 1e-6 1e-6 2.5", "enter a whole number"),
        ("FIT 1 .01 1e-6 1e-6 25 0", "enter a whole number from 1 to 1000"),
        ("FIT 1 .01 1e-6 1e-6 25 3 7", "'7' is more than the command can use"),
        ("FIT 1 .01 100000", "'100000' is not between -1 and 1"),
        ("FIT 3 2", "is not between 1e-15 and 1"),
        ("FIT 3 0", "is not between 1e-15 and 1"),
        ("FIT 3 1e-8 -5", "enter a whole number from 1"),
        ("FIT 3 1e-8 500 SQUARE", "'SQUARE' is not on the menu"),
        ("FIT 3 1e-8 500 HUBER 0", "is not greater than 0"),
        ("FIT 3 1e-8 500 LINEAR 2", "'2' is more than the command can use"),
    ],
)
def test_wrong_answers_are_refused(wash, line, message):
    assert message in wash.refused(line)


@pytest.mark.of_1977
def test_wrong_answers_are_asked_for_again_at_a_terminal(wash):
    typist = wash.typed("FIT", "7", "1", "much", ".01", "", "", "none", "50", "")
    assert typist.n_left == 0
    assert wash.errors.count("'7' is not on the menu") == 1
    assert wash.errors.count("'much' is not a number") == 1
    assert wash.entries[-1] == "FIT MARQUARDT 0.01 1e-06 1e-15 50 3"


def test_both_tolerances_negative_scale_the_columns(begin):
    """One negative tolerance alone does not (Appendix A, FIT)."""
    paths = {}
    for line in ("FIT 1 1 1e-6 1e-6 1", "FIT 1 1 -1e-6 1e-6 1", "FIT 1 1 1e-6 -1e-6 1", "FIT 1 1 -1e-6 -1e-6 1"):
        session = begin(wash_model(), DATA)
        session(ACCURATE, line)
        paths[line] = session.env.values.tolist()
    plain, first, second, scaled = paths.values()
    assert plain == first == second
    assert scaled != plain


@pytest.mark.parametrize("line", FITS)
def test_undo(wash, line):
    wash("INTEG N")
    before = wash.env
    wash(line, "UNDO")
    assert wash.env is before
    wash("REDO")
    assert wash.env.values == near(BEST)


def test_needs(begin):
    assert "there are no observations" in begin(wash_model(), None).refused("FIT 3")
    assert "SAMPLE 1 restores them" in begin(wash_model(), DATA).refused("SAMPLE 2 10 .4", "FIT 3")
    bare = begin(Model.from_text("x'=-x\ninit x=1\n@ total=1\ndone", "bare"), make_observations([1.0], ["x"], [[0.4]]))
    assert "the model has no parameters" in bare.refused("FIT 3")


# ---- what it fits


@pytest.mark.parametrize("line", FITS)
def test_frozen_parameters_stay(wash, line):
    wash("FREEZE c", line)
    best, least = optimum(lambda q: wash_out([q[0], 2.0, q[1]]), [1.0, 5.0])
    assert wash.env.values == near([best[0], 2.0, best[1]])
    assert wash.env.values[1] == 2.0
    assert wash.env.sum_of_squares == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("line", FITS)
def test_scaled_parameters_have_the_same_minimum(wash, line):
    wash("SCALE k LOG c ROOT a LOG", line)
    assert wash.env.values == near(BEST)
    # Where tolerances are finer than the integration, rounding decides how it ends, but not where.
    assert "is a minimum" in wash.output + wash.errors


@pytest.mark.parametrize("line", FITS)
def test_weights(wash, line):
    weights = np.array([3.0, 1, 1, 0, 1, 1, 0.5, 2])
    wash("WEIGHT 2 x 0 " + " ".join(f"{k} {w}" for k, w in enumerate(weights, 1)) + " 0 N", line)
    assert wash.env.observations.weights[:, 0].tolist() == weights.tolist()
    best, least = optimum(lambda p: wash_out(p, weights))
    assert wash.env.values == near(best)
    assert wash.env.sum_of_squares == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("line", FITS)
def test_missing_values(begin, line):
    seen = np.array([True, False, True, True, False, True, True, True])
    both = np.column_stack([np.where(seen, WASH_OUT_VALUES, np.nan), np.where(seen, np.nan, 2 * WASH_OUT_VALUES)])
    session = begin(wash_model("aux twice=2*x\n"), make_observations(WASH_OUT_TIMES, ["x", "twice"], both))
    session(ACCURATE, line)
    best, least = optimum(lambda p: np.where(seen, 1.0, 2.0) * wash_out(p))
    assert session.env.values == near(best)
    assert session.env.sum_of_squares == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("loss", ["SOFT_L1", "HUBER", "CAUCHY", "ARCTAN"])
def test_robust_losses(begin, loss):
    values = WASH_OUT_VALUES + 2.0 * (WASH_OUT_TIMES == 2.0)

    def function(p):
        return wash_out(p) + WASH_OUT_VALUES - values

    session = begin(wash_model(), make_observations(WASH_OUT_TIMES, ["x"], values[:, np.newaxis]))
    said = session(ACCURATE, f"FIT 3 1e-12 500 {loss} .1")
    best, least = optimum(function, loss=loss.lower(), f_scale=0.1)
    assert session.env.values == pytest.approx(best, rel=1e-4)
    assert "CONVERGED: this is a minimum" in said, "of the loss that was asked for"
    rows = table(said)
    assert len(rows) >= 3
    first = rows[0, 1] + rows[0, 2]
    assert float(said.split(f"INITIAL {loss} LOSS IS")[1].split()[0]) == pytest.approx(first, rel=1e-3)
    assert (rows[:, 2] > 0).all(), "what is shown is what is minimized"
    assert rows[-1, 1] == pytest.approx(least, rel=1e-5)
    assert float(said.split(f"{loss} LOSS OF THE RESIDUALS")[1].split()[0]) == pytest.approx(least, rel=1e-5)


# ---- what is seen on the way


@pytest.mark.parametrize("line", FITS)
def test_progress_is_plain_lines(wash, line):
    said = wash("INTEG N", line)
    rows = table(said)
    first = wash_out(START) @ wash_out(START)
    assert float(said.split("INITIAL SUM OF SQUARES IS")[1].split()[0]) == pytest.approx(first, rel=1e-6)
    assert rows[:, 0].tolist() == list(range(1, len(rows) + 1))
    assert rows[:, 2] == pytest.approx(-np.diff([first, *rows[:, 1]]), rel=1e-2, abs=1e-7)
    assert (np.diff(rows[:, 1]) <= 0).all()
    assert rows[-1, 1] == pytest.approx(LEAST, rel=1e-6)
    assert "\x1b" not in said
    assert f"{len(rows)} step" in said


@pytest.mark.parametrize(("line", "has_lambda"), [("FIT 1 .25", True), ("FIT 3", False)])
def test_details(wash, line, has_lambda):
    said = wash(line)
    n = int(said.split(" integration")[0].split()[-1])
    details = wash("REPORT 8 0 N")
    trials = [part for part in details.split("\n") if part.startswith("TRIAL")]
    assert len(trials) == n - 1
    assert "INITIAL SUM OF SQUARES IS" in details
    assert trials[0].startswith("TRIAL LAMBDA 0.25, PARAMETERS") == has_lambda
    final = [float(word) for word in trials[-1].split("PARAMETERS")[1].split(":")[0].split()]
    assert final == pytest.approx(BEST, rel=1e-2)
    assert "t = " not in details


def test_details_tell_which_trials_had_larger_errors(begin):
    session = begin("escep", "escep-a")
    session("FIT MORE")
    trials = [part for part in session("REPORT 8 0 N").split("\n") if part.startswith("TRIAL")]
    rough = [bool(re.search(r"\(WITH [\d.]+ TIMES EPS\)$", part)) for part in trials]
    assert rough[0]
    assert not rough[-1], "the result has those that were asked for"
    assert len(set(trials)) == len(trials), "a trial that is made again without them is another line"


def test_details_with_the_steps_of_every_integration(wash):
    """Control parameters 1 and 2 (Appendix A, OPTION)."""
    wash("OPTION OUTPUT 1", "FIT 1")
    plain = wash("REPORT 8 0 N").count("\n")
    wash("SET 1 1 2 2 3 5", "OPTION OPTOUTPUT 0", "FIT 1")
    whole = wash("REPORT 8 0 N")
    assert whole.count("\n") > 20 * plain
    trials = whole.count("TRIAL")
    assert sum(line.split()[:1] == ["4"] for line in whole.split("\n")) == trials, "each integration goes to t = 4"


def test_a_trial_beyond_all_numbers_is_no_obstacle_to_details(begin):
    """A bold step of a logarithm overflows."""
    model = Model.from_text("par k=1e-3\nx'=-k*x\ninit x=1\n@ total=1\ndone", "decay")
    session = begin(model, make_observations([0.5, 1.0], ["x"], [[0.2], [0.05]]))
    session(ACCURATE, "SCALE k LOG", "OPTION OUTPUT 1 OPTOUTPUT 0", "FIT 1 0 1e-9 1e-12 50 9")
    assert "TRIAL" in session("REPORT 8 0 N")
    assert "flat" in session.errors, "k is so large that nothing is left of x"


# ---- what the data do not see


@pytest.mark.parametrize("line", FITS)
def test_a_parameter_that_nothing_observed_depends_on_is_told_once_and_the_others_are_judged(begin, line):
    model = wash_model("par u=3, v=4\nz'=-u*z\ninit z=1\n")
    session = begin(model, DATA)
    said = session(ACCURATE, line)
    assert said.count("nothing that was observed depends on u, v: they stay unchanged") == 1
    assert session.errors == ""
    assert session.env.values[:3] == near(BEST)
    assert session.env.values[3:].tolist() == [3.0, 4.0]
    assert session.env.parameters.frozen == frozenset(), "they are not frozen by this"
    assert "CONVERGED: this is a minimum" in said
    run = session.env.integration.trajectory
    assert run.s.shape[2] == 5, "the solution is complete all the same"
    last = [text for text in session("OPTION JACOBIAN 0", "REPORT 7").split("\n") if text.split()[:2] == ["4", "z"]]
    assert [float(cell) for cell in last[0].split()[2:]] == pytest.approx([0, 0, 0, -4 * np.exp(-12), 0], abs=1e-9)
    assert "minimum" not in session("OPTION JACOBIAN 1", "REPORT 7", "PROBE N", "STATS"), "STATS agrees with FIT"


def test_of_frozen_parameters_nothing_is_said(begin):
    session = begin(wash_model("par u=3\nz'=-u*z\ninit z=1\n"), DATA)
    session(ACCURATE, "FREEZE u", "FIT 3")
    assert session.errors == ""
    assert session.env.values == near([*BEST, 3.0])


def test_nothing_can_be_fitted_if_the_data_see_nothing(begin):
    session = begin(wash_model("par u=3\nz'=-u*z\ninit z=1\n"), DATA)
    message = session.refused("FREEZE k c a", "FIT 3")
    assert "no active parameter has any influence on the observations" in message


# ---- what cannot be integrated


@pytest.mark.parametrize("line", ["FIT 1", "FIT 3"])
def test_a_start_that_cannot_be_integrated_is_refused_with_the_reason(begin, line):
    model = Model.from_text("par k=1\nx'=k*x^2\ninit x=1\n@ total=2\ndone", "explosion")
    session = begin(model, make_observations([0.5, 2.0], ["x"], [[1.3], [3.0]]))
    message = session.refused("OPTION 8 1 5 1e-6", line)
    assert "the equations cannot be integrated at the starting values: " in message
    assert "at t = 1" in message or "at t = 0.99" in message
    session("SET k .2", line)
    assert session.env.values[0] == pytest.approx(1 / 3, rel=0.1)


@pytest.mark.parametrize("line", ["FIT 1", "FIT 3"])
def test_what_is_observed_must_be_a_number(begin, line):
    """The equations can be integrated, but the logarithm that was observed has no value."""
    session = begin(wash_model("aux z=ln(x-c)\n"), make_observations(WASH_OUT_TIMES, ["z"], np.ones((8, 1))))
    message = session.refused("SET c 9", line)
    assert "z or its derivative by a parameter is not a finite number at t = 0.5" in message


@pytest.mark.parametrize("line", ["FIT 1 1e-9 1e-9 1e-15 50 20", "FIT 3"])
def test_it_goes_around_where_the_equations_cannot_be_integrated(begin, line):
    """x' = k x^2 ends before t = 1 for k > 1; the first step from k = .01 would go far beyond."""
    model = Model.from_text("par k=.01\nx'=k*x^2\ninit x=1\n@ total=1\ndone", "explosion")
    session = begin(model, make_observations([0.5, 1.0], ["x"], [[1.0 / 0.55], [10.0]]))
    session(ACCURATE, line)
    assert session.env.values[0] == pytest.approx(0.9, rel=1e-5)
    assert ": the " in session("REPORT 8 0 N"), "a trial failed on the way, and says why"


def test_too_many_errors_end_it(begin):
    model = Model.from_text("par k=.01\nx'=k*x^2\ninit x=1\n@ total=1\ndone", "explosion")
    session = begin(model, make_observations([0.5, 1.0], ["x"], [[1.0 / 0.55], [10.0]]))
    session(ACCURATE, "FIT 1 1e-9 1e-9 1e-15 50 1")
    assert "STOPPED: the equations could not be integrated at several trials in a row" in session.errors
    assert "begin with a larger lambda" in session.errors
    assert session.env.values[0] == 0.01


# ---- Ctrl-C


def interrupt(monkeypatch, n):
    """Raise KeyboardInterrupt at the n-th integration; gives the points of those before with their sums."""
    evaluate, seen = TrajectoryFit._evaluated, []

    def look():
        if len(seen) == n:
            seen.append(None)
            raise KeyboardInterrupt

    def interrupted(self, active):
        look()
        found = evaluate(self, active)
        seen.append((found.sum_of_squares, self.parameters.expand(active)))
        return found

    class Interrupted(searching.Fit):
        """One trial at a time."""

        def __init__(self, problem, *_):
            self.mapping = problem.mapping

        def advance(self, seconds):
            look()
            before, goes_on = self.n_trials, super().advance(-1.0)
            for row in self.trials(before):
                trial = dict(zip(TRIAL, row, strict=False))
                seen.append((trial["total"], self.mapping.expanded(row[len(TRIAL) :])))
            return goes_on

    monkeypatch.setattr(TrajectoryFit, "_evaluated", interrupted)
    monkeypatch.setattr(searching, "Fit", Interrupted)
    return seen


@pytest.mark.parametrize("line", FITS)
def test_what_is_said_of_the_work_is_all_of_it(wash, monkeypatch, line):
    """The start is looked at once, and one more integration checks the accuracy of the last one."""
    seen = interrupt(monkeypatch, 10_000)
    said = wash(line)
    assert f", {len(seen)} integrations)" in said
    assert len({values.tobytes() for _, values in seen}) == len(seen)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("line", FITS)
def test_ctrl_c_keeps_the_best_point_and_says_so(wash, monkeypatch, line, n):
    seen = interrupt(monkeypatch, n)
    wash(line)
    total, values = min(seen[:n], key=lambda pair: pair[0])
    assert wash.env.values.tolist() == values.tolist()
    assert wash.env.sum_of_squares == pytest.approx(total)
    assert "STOPPED: it was interrupted; " in wash.errors
    if total > 1.01 * LEAST:
        assert "the best point so far is kept; UNDO goes back" in wash.errors
    wash("UNDO")
    assert wash.env.values.tolist() == START.tolist()


def test_ctrl_c_before_anything_was_computed_changes_nothing(wash, monkeypatch):
    interrupt(monkeypatch, 0)
    env = wash.env
    code, _, warned = wash.obey(Script(["FIT 3"]))
    assert code == FAILED
    assert "interrupted; nothing was changed" in warned
    assert wash.env is env


@pytest.mark.parametrize("n", [1, 2, 4, 6])
@pytest.mark.parametrize("line", [*FITS, "FIT 3 1e-12 500 HUBER .1", "BOUNDS a 4.2 NONE / FIT 3 1e-14"])
def test_the_journal_leads_where_an_interrupted_fit_ended(wash, monkeypatch, line, n):
    *before, line = line.split(" / ")
    wash(*before)
    interrupt(monkeypatch, n)
    wash(line)
    assert "it was interrupted" in wash.errors
    monkeypatch.undo()
    again = Session(wash_model(), DATA)
    again(*wash.entries)
    assert again.env.values.tobytes() == wash.env.values.tobytes()


def test_somebody_at_a_terminal_can_go_on_after_a_refusal(wash):
    typist = Typist(["FIT 9", "FIT 3", "FIT"])
    wash.obey(typist)
    assert wash.env.values == near(BEST)


def test_data_with_standard_deviations_weigh_by_them(begin):
    session = begin("barnes", data_of("barnes"))
    session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "FIT 3")
    assert session.env.sum_of_squares == pytest.approx(0.1644614, rel=1e-6)  # PUBLISHED.md 10


def test_a_parameter_that_is_too_large_for_a_number_is_no_trial():
    """The square of what is fitted overflows, and the equations do not notice."""
    model = Model.from_text("par k=1\ny'=-y\ny(0)=1/(1+exp(-k))\ndone\n", "far")
    data = make_observations([1.0, 2.0], ["y"], [[0.3], [0.1]])
    map_ = ParameterMap(model.parameters, model.values, scaling=(Scaling.SQUARE_ROOT,))
    problem = TrajectoryFit(Simulator(model, data.sample_times(0.0)), map_, data)
    assert problem.evaluate(np.array([10.0])).usable
    far = problem.evaluate(np.array([1e200]))
    assert not far.usable
    assert "too large for a number" in str(far.status)


def test_bounds_too_far_away_are_none(wash):
    wash("BOUNDS k -1e308 1e308", "FIT MORE")
    assert wash.env.values == near(BEST)


@pytest.mark.parametrize("loss", ["HUBER", "CAUCHY", "ARCTAN", "SOFT_L1"])
@pytest.mark.parametrize("scale", ["1e160", "1e300", "1e-300"])
def test_scales_of_a_loss_that_cannot_be_computed_with_are_refused(wash, loss, scale):
    assert "is not between 1e-100 and 1e+100" in wash.refused(f"FIT MORE 1e-8 100 {loss} {scale}")


def test_fit_answers_at_once_with_values_errors_and_where_this_fit_began(begin):
    """A second fit begins where the first has ended; the errors are those of the value that is kept."""
    session = begin(model_of("barnes"), data_of("barnes"))
    session("FIT MORE")
    first = session.env.values
    said = session("SET p1 .9", "FIT MORE")
    table = said[said.rindex("SUM OF SQUARES OF THE RESIDUALS") :].split("\n")
    assert table[1].split() == ["parameter", "value", "standard", "error", "%", "started", "at"]
    rows = [[float(word) for word in line.split()[2:]] for line in table[2:5]]
    errors = session("STATS 95") and session.env.statistics.errors.values
    for row, start, value, error in zip(rows, [0.9, *first[1:]], session.env.values, errors, strict=True):
        assert row == pytest.approx([value, error, 100 * error / value, start], rel=1e-2)
    assert len(table) < 22


def test_who_is_asked_again_is_offered_the_last_answers_but_a_line_means_the_same_again(session):
    session.typed("FIT", "1", ".5", "1e-5", "1e-9", "7", "3")
    session.typed("FIT", "1", "", "", "", "", "")
    assert session.entries[-2:] == ["FIT MARQUARDT 0.5 1e-05 1e-09 7 3"] * 2
    session("FIT 1")
    usual = session.entries[-1]
    assert usual.startswith("FIT MARQUARDT AUTO")
    session.typed("FIT", "3", "1e-6", "40", "HUBER", "2")
    session.typed("FIT", "3", "", "", "", "")
    assert session.entries[-2:] == ["FIT MORE 1e-06 40 HUBER 2"] * 2
    session.typed("FIT", "1", "", "", "", "", "")
    assert session.entries[-1] == usual, "the last of its kind"
    session("OPTION 1977")
    session.typed("FIT", "1", "", "", "", "", "")
    assert session.entries[-1].startswith("FIT MARQUARDT 0.01")
