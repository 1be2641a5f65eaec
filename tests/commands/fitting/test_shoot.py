"""SHOOT: what it asks and refuses, what it says of break points, what it shows and reports, and how it ends."""

import numpy as np
import pytest
from conversation import Session, Typist, assert_same, columns_of, data_of, model_of
from scipy.integrate import solve_ivp

from parfit import plotting
from parfit.commands import TABLE
from parfit.commands.fitting.shoot import shoot
from parfit.commands.table import Table
from parfit.data.observations import make_observations
from parfit.errors import FAILED
from parfit.estimation.problems.trajectory_fit import Compared, TrajectoryFit
from parfit.model.model import Model
from parfit.session.sources import Script

WITH_SHOOT = Table([*TABLE.commands, *([] if TABLE.has("SHOOT") else [shoot])])
GEAR = "OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0"
LOGARITHMS = "SCALE p1 LOG p2 LOG p3 LOG"
REPORTS = "SHOOT 17 19 21 0 .01 1e-4 1e-8 50"  # PEIDE 1975, appendix II
BEST = (1000, 0.99, 0.01)  # data B were simulated there

LOTKA = "par a=1,b=-.6,c=1,d=1\nx'=a*x-b*x*y\ny'=d*x*y-c*y\ninit x=2,y=1\naux both=x+y\n@ total=10\ndone"
LOTKA_TIMES = np.arange(0.5, 10.25, 0.5)


@pytest.fixture
def start(begin):
    def make(*arguments, **more):
        return begin(*arguments, table=WITH_SHOOT, **more)

    return make


@pytest.fixture
def escep(start):
    session = start("escep", data_of("escep-b", "escep"))
    session(GEAR, LOGARITHMS)
    return session


def lotka_values():
    """Of a = b = c = d = 1, exact."""
    run = solve_ivp(
        lambda _, y: (y[0] * (1 - y[1]), y[1] * (y[0] - 1)), (0, 10), (2, 1), "DOP853", LOTKA_TIMES, rtol=1e-11
    )
    return run.y.T


def disturb(values):
    """So that gaps are left at break points."""
    values += 0.02 * np.random.default_rng(3).standard_normal(values.shape)


def lotka_model():
    return Model.from_text(LOTKA, "lotka")


def lotka_session(start, names=("x", "y"), change=lambda values: None):
    values = lotka_values()
    values = np.column_stack([{"x": values[:, 0], "y": values[:, 1], "both": values.sum(axis=1)}[n] for n in names])
    change(values)
    session = start(lotka_model(), make_observations(LOTKA_TIMES, names, values))
    session(GEAR)
    return session


# ---- every form of it


@pytest.mark.parametrize(
    "lines",
    [
        [REPORTS],
        ["shoot 17, 19, 21, 0, .01, 1e-4, 1e-8, 50"],
        ["SHOOT 2. 10. 20. 0 .01 1e-4 1e-8 50"],
        ["SHOOT 21 17 1e1 0 .01 1e-4 1e-8 50"],
        ["SHOOT", "17 19 21 0", ".01 1e-4 1e-8", "50"],
        ["SHOOT", "17", "19", "21", "0", ".01", "1e-4", "1e-8", "50"],
        ["SHO 17 2.0 20. 10.0 19 0 .01 1e-4 1e-8 50"],
    ],
    ids=" / ".join,
)
def test_every_way_of_saying_it(escep, lines):
    said = escep(*lines)
    assert "BREAK POINTS AT t = 2 10 20\n" in said
    assert escep.env.values == pytest.approx(BEST, rel=1e-3)
    assert "NUMBER OF INTEGRATIONS PERFORMED          12\n" in said, "PEIDE, appendix II"
    assert escep.env.integrated is not None
    assert escep.env.sum_of_squares == pytest.approx(1.410e-4**2, rel=1e-3)


@pytest.mark.of_1977
def test_the_questions(escep):
    typist = escep.typed("SHOOT", "17 19", "21", "", "", "1e-4", "1e-8", "")
    assert typist.n_left == 0
    assert typist.questions == [
        "ENTER BREAK POINTS: SUBSCRIPTS OF OBSERVATION TIMES, OR TIMES WITH A POINT",
        "ENTER RELATIVE STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE",
        "RELATIVE TOLERANCE",
        "ABSOLUTE TOLERANCE",
        "MAXIMUM NUMBER OF ITERATIONS",
    ]
    assert typist.prompts == [
        "[AUTO]: ",
        "  more (0 ends): ",
        "  more (0 ends): ",
        "[0.01]: ",
        "[1e-06]: ",
        "[1e-15]: ",
        "[100]: ",
    ]
    assert escep.entries[-1] == "SHOOT 17 19 21 0 0.01 0.0001 1e-08 100"


@pytest.mark.of_1977
def test_a_line_takes_its_defaults(escep):
    said = escep("SHOOT 17 19 21")
    assert "(lambda 0.01; relative tolerance 1e-06; absolute tolerance 1e-15; iterations 100)" in said
    assert escep.entries[-1] == "SHOOT 17 19 21 0 0.01 1e-06 1e-15 100"


@pytest.mark.of_1977
def test_break_points_that_are_chosen_are_written_down_by_subscript(start):
    session = lotka_session(start)
    said = session("SHOOT AUTO")
    times = said.split("BREAK POINTS AT t = ")[1].split("\n")[0].split()
    subscripts = [str(int(2 * float(time))) for time in times]
    assert session.entries[-1] == f"SHOOT {' '.join(subscripts)} 0 0.01 1e-06 1e-15 100"


def test_who_types_nothing_gets_the_chosen_ones(start):
    session = lotka_session(start)
    typist = session.typed("SHOOT", "", "", "", "", "")
    assert typist.n_left == 0
    assert session.env.values == pytest.approx([1, 1, 1, 1], rel=1e-4)


def test_no_break_points_at_all(escep):
    said = escep("SHOOT 0 .01 1e-4 1e-8")
    assert "NO BREAK POINTS" in said
    assert "WITH WEIGHT" not in said
    assert escep.env.values == pytest.approx(BEST, rel=1e-3)
    assert escep.entries[-1] == "SHOOT 0 0.01 0.0001 1e-08 100"


@pytest.mark.of_1977
def test_nothing_is_chosen_where_the_solution_stays_with_the_data(escep):
    escep("SET p1 1000 p2 .99 p3 .01")
    said = escep("SHOOT AUTO")
    assert "NO BREAK POINTS" in said
    assert escep.entries[-1] == "SHOOT AUTO 0 0.01 1e-06 1e-15 100"
    again = Session(model_of("escep"), data_of("escep-b", "escep"), of_1977=True, table=WITH_SHOOT)
    again(*escep.entries)
    assert_same(again.env, escep.env)


# ---- refusals


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SHOOT 23", "t = 30 is the last observation time, after which nothing begins"),
        ("SHOOT 30.", "t = 30 is the last observation time"),
        ("SHOOT 24", "'24' is no subscript of an observation time: enter 1 to 23, or a time with a decimal point"),
        ("SHOOT -1", "'-1' is no subscript"),
        ("SHOOT y2", "'y2' is not a number"),
        ("SHOOT 17 0 x", "'x' is not a number"),
        ("SHOOT 17 0 .01 1e-6 1e-6 2.5", "enter a whole number from 0"),
        ("SHOOT 17 0 .01 1e-6 1e-6 50 7", "'7' is more than the command can use"),
    ],
)
def test_wrong_answers(escep, line, message):
    assert message in escep.refused(line)


@pytest.mark.of_1977
def test_a_wrong_break_point_is_asked_for_again_at_a_terminal(escep):
    typist = escep.typed("SHOOT", "17 23", "19 21 0", "", "", "", "")
    assert typist.n_left == 0
    assert escep.entries[-1] == "SHOOT 17 19 21 0 0.01 1e-06 1e-15 100"


def test_the_initial_time_is_no_break_point(start):
    data = make_observations([0.0, 1.0, 2.0, 3.0], ["x"], [[2.0], [3.0], [1.0], [1.0]])
    session = start(lotka_model(), data)
    message = session.refused("SET b 1", "SHOOT 1")
    assert "t = 0 is the initial time, where everything begins anyway" in message


def test_it_needs_observations(start):
    assert "there are no observations; LOAD DATA FILE" in start("barnes", None).refused("SHOOT AUTO")


def test_it_needs_their_times(start):
    session = start("barnes", "barnes")
    message = session.refused("SAMPLE 2 20 5", "SHOOT AUTO")
    assert "a uniform mesh without connection to the observations; SAMPLE 1" in message


def test_only_states_begin_anew(start):
    session = lotka_session(start, ("both",))
    message = session.refused("SHOOT 3")
    assert "no state was observed, only both, and nothing but a state can begin anew" in message


def test_a_break_point_needs_observations_around_it(start):
    def change(values):
        values[6:, 0] = np.nan

    session = lotka_session(start, ("x", "both"), change)
    assert "no state was observed at t = 5, or before and after it" in session.refused("SHOOT 10")


def test_a_start_that_even_break_points_do_not_save(start):
    session = lotka_session(start)
    message = session.refused("SET b -6 d 6", "SHOOT 4 8 12")
    assert "cannot be integrated from break point to break point at the starting values" in message
    assert "give more break points" in message
    assert "at the starting values: " in session.refused("SHOOT 0")


# ---- what is said of break points


def test_a_time_without_observation(escep):
    said = escep("SHOOT 17 20.7 0 .01 1e-4 1e-8")
    assert "no observation at t = 20.7: the break point is at t = 20\n" in said
    assert escep.entries[-1].startswith("SHOOT 17 21 0 ")


def test_a_state_that_was_not_observed_continues(escep):
    said = escep(REPORTS)
    assert "y1 was not observed there: it continues across the break points" in said
    assert "y2 was not" not in said


def test_missing_observations_at_a_break_point(start):
    def change(values):
        values[5, 1] = values[12:, 1] = np.nan

    session = lotka_session(start, change=change)
    said = session("SET b .9", "SHOOT 6 10 15 0 .01 1e-8")
    assert "y was not observed at t = 3: it begins between its neighbours there" in said
    assert "y was not observed before and after t = 7.5: it continues there" in said
    assert session.env.values == pytest.approx([1, 1, 1, 1], rel=1e-4)


def test_aux_quantities_are_only_compared(start):
    session = lotka_session(start, ("x", "both"))
    said = session("SET b .7", "SHOOT 4 8 12 16")
    assert "both is computed from the states and cannot begin anew" in said
    assert "y was not observed there" in said
    assert session.env.values == pytest.approx([1, 1, 1, 1], rel=1e-4)


# ---- what the environment says has its effect


def test_frozen_parameters_stay(escep):
    escep("SET p2 .99", "FREEZE p2", REPORTS)
    assert escep.env.values[1] == 0.99
    assert escep.env.values == pytest.approx(BEST, rel=1e-3)
    assert escep.env.integration.trajectory.active == (0, 2)


def test_bounds_hold(start):
    session = start("barnes", "barnes")
    session(GEAR, "BOUNDS p2 NONE 2", "SHOOT 3 5 7")
    assert session.env.values[1] == pytest.approx(2.0, rel=1e-9)
    assert "at a bound: p2" in session.output


def test_an_observation_of_weight_0_does_not_count(start):
    def change(values):
        values[7, 0] = 50.0

    session = lotka_session(start, change=change)
    said = session("SET b .8", "WEIGHT 2 x 0 8 0", "SHOOT 4 8 12")
    assert "x was not observed at t = 4: it begins between its neighbours there" in said
    assert session.env.values == pytest.approx([1, 1, 1, 1], rel=1e-4)


# ---- what is seen on the way, and the report


def test_every_problem_has_its_lines_and_its_picture(start):
    session = lotka_session(start, change=disturb)
    said = session("SHOOT AUTO")
    for weight in (1, 4, 9, 16):
        assert f"MINIMIZATION WITH WEIGHT {weight} AND BREAK POINTS AT " in said
    assert said.count("INITIAL SUM OF SQUARES IS") == 5
    assert said.count("MINIMIZATION WITHOUT BREAK POINTS") == 1
    details = session("REPORT 8 0 N")
    assert "MINIMIZATION WITH WEIGHT 4" in details
    assert "TRIAL LAMBDA" in details


def test_pictures_have_gaps_at_break_points(escep, monkeypatch):
    drawn, draw = [], plotting.draw

    def noted(figure, *arguments):
        drawn.append(figure)
        return draw(figure, *arguments)

    monkeypatch.setattr(plotting, "draw", noted)
    escep(REPORTS)
    [line] = [series for series in drawn[0].series if series.kind == "solid"]
    assert line.x[np.isnan(line.y)].tolist() == [2, 10, 20]
    for time in (2, 10, 20):
        assert np.isfinite(line.y[line.x == time]).tolist() == [True, False, True]


def test_the_report_has_the_table_of_peide(escep):
    """Appendix II: norms .1430776E-3 (computed 1.410E-4) and 1.331071, 12 integrations."""
    escep(REPORTS)
    text = escep.report
    rows = dict(
        line.rsplit(None, 1) for line in text.split("\n") if line.startswith(("EUCL", "NUMBER", "LAST", "COND"))
    )
    assert float(rows["EUCL. NORM OF THE LAST RESIDUAL VECTOR"]) == pytest.approx(1.410e-4, rel=1e-3)
    assert float(rows["EUCL. NORM OF THE FIRST RESIDUAL VECTOR"]) == pytest.approx(1.331071, rel=2e-6)
    assert rows["NUMBER OF INTEGRATIONS PERFORMED"] == "12"
    assert 0 < float(rows["LAST IMPROVEMENT OF THE EUCLIDEAN NORM"]) < 1e-4
    assert float(rows["CONDITION NUMBER OF J'J"]) == pytest.approx(373.5, rel=1e-2)
    assert "ENDED BECAUSE the sum of squares no longer falls by more than the tolerances" in text
    assert "CONVERGED: this is a minimum" in escep.output


def test_the_report_lists_the_problems(start):
    session = lotka_session(start, change=disturb)
    session("SHOOT AUTO")
    lines = session.report.split("\n")
    top = next(k for k, line in enumerate(lines) if line.split()[:1] == ["weight"])
    rows = [line.split() for line in lines[top + 1 : top + 6]]
    assert [row[0] for row in rows] == ["1", "4", "9", "16", "full"]
    assert rows[-1][1] == "0"
    n = next(int(line.split()[-1]) for line in lines if line.startswith("NUMBER OF INTEGRATIONS"))
    assert sum(int(row[2]) for row in rows) == n
    assert "FIRST RESIDUAL VECTOR   not known: the integration failed" in session.report


def test_needless_break_points_are_named(start):
    session = start("gear", "gear")
    said = session(GEAR, "SHOOT 2 3 0 1e-4 1e-4 1e-6")
    assert "NEEDLESS BREAK POINTS: 0.672 1.012" in said
    assert "NUMBER OF INTEGRATIONS PERFORMED          4\n" in said, "PEIDE, section 8, problem 3"


def test_the_solution_that_is_left_is_the_full_one(escep):
    escep(REPORTS)
    run = escep.env.integrated
    assert run.model is escep.env.model
    assert run.times.tolist() == escep.env.samples.times.tolist()
    assert run.s is not None
    headings, numbers = columns_of(escep("REPORT 5"), "t")
    assert headings == ["t", "y1", "y2"]
    assert np.isfinite(numbers).all()


@pytest.mark.of_1977
def test_the_coarse_rule_is_warned_of(start):
    session = start()
    session("SET p3 2.8 p5 .12", "SHOOT 5 10 15 20")
    assert "The trapezoidal rule is too coarse here" in session.errors


def test_what_ends_too_soon_is_not_called_a_minimum(escep):
    said = escep("SHOOT 17 19 21 0 .01 1e-4 1e-8 1")
    assert "this is a minimum" not in said
    assert "STOPPED: the limit of its work was reached" in escep.errors


def test_parameters_are_kept_where_the_full_problem_cannot_be_integrated(start):
    """No steps are allowed, so that nothing becomes better."""
    session = lotka_session(start)
    session("SHOOT AUTO 0 .01 1e-6 1e-15 0")
    assert "the full problem cannot be integrated at the parameters reached" in session.errors
    assert "UNDO" in session.errors
    assert session.env.values.tolist() == [1, -0.6, 1, 1]
    assert "LAST RESIDUAL VECTOR    not known" in session.report


# ---- the hard case


def test_where_fit_cannot_take_a_step(start):
    session = lotka_session(start)
    for line in ("FIT 3", "FIT 1"):
        assert "the equations cannot be integrated at the starting values" in session.refused(line)
    session("SHOOT AUTO")
    assert session.env.values == pytest.approx([1, 1, 1, 1], rel=1e-5)
    assert session.env.sum_of_squares < 1e-10


# ---- undo, journal and Ctrl-C


def test_undo_and_redo(escep):
    before = escep.env.values
    escep(REPORTS)
    after = escep.env.values
    escep("UNDO")
    assert escep.env.values.tolist() == before.tolist()
    escep("REDO")
    assert escep.env.values.tolist() == after.tolist()


@pytest.mark.parametrize("line", ["SHOOT AUTO", "SHOOT 2. 5.1 7 12 7.5 18 3 0 1 -1e-6 -1e-9 30"])
def test_the_journal_leads_to_the_same_place(start, line):
    session = lotka_session(start)
    session("SET b .5", line)
    again = Session(lotka_model(), session.env.observations, table=WITH_SHOOT)
    again(*session.entries)
    assert_same(again.env, session.env)


@pytest.mark.parametrize("n", [0, 1, 3, 8, 11])
def test_ctrl_c_changes_nothing(escep, monkeypatch, n):
    seen = []

    def interrupting(evaluated):
        def interrupted(self, active):
            if len(seen) == n:
                raise KeyboardInterrupt
            seen.append(active)
            return evaluated(self, active)

        return interrupted

    for problem in (Compared, TrajectoryFit):
        monkeypatch.setattr(problem, "_evaluated", interrupting(problem._evaluated))
    env, entries, files = escep.env, escep.entries, escep.files()
    code, _, warned = escep.obey(Script([REPORTS]))
    assert code == FAILED
    assert "interrupted; nothing was changed" in warned
    assert escep.env is env
    assert escep.entries == entries
    assert escep.files() == files
    monkeypatch.undo()
    escep.obey(Typist([REPORTS]))
    assert escep.env.values == pytest.approx(BEST, rel=1e-3)


def test_help_says_what_it_is(start):
    said = " ".join(start()("HELP SHOOT").split())
    assert "Fit by multiple shooting" in said
    assert "Ctrl-C abandons it" in said


def test_auto_is_the_whole_answer(escep):
    """Who has it choose is not asked for more break points."""
    typist = Typist(["SHOOT", "auto", "", "", "", ""])
    escep.obey(typist)
    assert not any("more" in prompt for prompt in typist.prompts)
    assert escep.entries[-1].startswith("SHOOT")
