"""CREATE."""

import numpy as np
import pytest
from conversation import SCRIPT, model_of
from problems import PROBLEMS
from scipy import stats
from scipy.integrate import solve_ivp

import parfit
from parfit.data.loading import read_problem
from parfit.model.model import Model
from parfit.session.sources import Script

[PREY] = [problem for problem in PROBLEMS if problem.name == "predator-prey"]
HALVES = 0.5 * np.arange(1, 26)


def solved(p, times):
    return solve_ivp(PREY.rhs, (0, times[-1]), [2.0, 8.0], "DOP853", times, args=(p,), rtol=1e-11, atol=1e-12).y.T


@pytest.mark.parametrize(
    "lines",
    [
        ["CREATE p1 1.1 p2 .2 0 .5(.5)12.5 0 y1 y2 0 1e-9 5 0 0 1 p3 2 0 Y"],
        ["CREATE 1 1.1 2 .2 0 .5(.5)12.5 0 1 2 0 1e-9 5 0 0 1 3=2 0 Y"],
        [
            *["CREATE", "p1 1.1", "p2 .2", "0", ".5(.5)12.5 0", "y1 y2 0"],
            *["1e-9", "5", "0", "0", "1", "p3 2 0", "Y"],
        ],
        ["CREATE", "1", "1.1", "2", ".2", "", ".5(.5)6", "6.5(.5)12.5", "", "1", "2", "0", "1e-9 5 0 0 1 3 2 0 Y"],
    ],
)
def test_exact_observations(begin, lines):
    session = begin("predator-prey", None)
    session(*lines)
    data = session.env.observations
    np.testing.assert_allclose(data.times, HALVES, rtol=1e-15)
    assert data.names == ("y1", "y2")
    np.testing.assert_allclose(data.values, solved([1.1, 0.2, 3, 1, 0.1, 0.15], HALVES), rtol=1e-6)
    np.testing.assert_array_equal(session.env.values, [1, 0.1, 2, 1, 0.1, 0.15], "the vector of starting values")
    np.testing.assert_array_equal(session.env.first_values, session.env.values)
    np.testing.assert_array_equal(session.env.samples.times, np.append(0, HALVES))
    assert not session.env.samples.uniform
    assert session.env.creation.values.tolist() == [1.1, 0.2, 3, 1, 0.1, 0.15]


def test_defaults_are_taken_and_said(session):
    said = session("CREATE p1 1.1")
    data = session.env.observations
    np.testing.assert_array_equal(data.times, HALVES, "the observation times there were")
    assert data.names == ("y1", "y2")
    np.testing.assert_allclose(data.values, solved([1.1, 0.1, 3, 1, 0.1, 0.15], HALVES), rtol=1e-6)
    for taken in ("EPS 1e-08", "HMAX NONE", "HMIN 0", "standard deviation 0", "seed 1", "data stored Y"):
        assert taken in said
    assert session.env.values[0] == 1, "the starting values are the current ones"


def test_the_noise_has_the_stated_standard_deviation(session):
    """Against the chi-square distribution of the sum of squares, and the normal one of the errors."""
    n, sd = 2 * 1000, 0.25
    session("CREATE 0 .01(.01)10 0 y1 y2 0 1e-8 5 0 .25 3")
    exact = solved([1, 0.1, 3, 1, 0.1, 0.15], session.env.observations.times)
    errors = (session.env.observations.values - exact) / sd
    assert errors.size == n
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], n)
    assert low < np.sum(errors**2) < high
    assert abs(errors.mean()) < 4 / np.sqrt(n)
    assert stats.kstest(errors.ravel(), "norm").pvalue > 1e-4
    assert abs(np.corrcoef(errors.T)[0, 1]) < 4 / np.sqrt(n / 2), "the variables are independent"


def test_the_seed_makes_it_repeatable(begin):
    line = "CREATE 0 1(1)9 0 y1 0 1e-8 5 0 .1 {}"
    values = []
    for seed in (1, 1, 2):
        session = begin()
        session(line.format(seed))
        values.append(session.env.observations.values)
    np.testing.assert_array_equal(values[0], values[1])
    assert (values[0] != values[2]).all()


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ("1 2 5", [1, 2, 5]),
        ("0.0 1", [0, 1]),
        (".5(.5)2", [0.5, 1, 1.5, 2]),
        ("0(.5)1", [0, 0.5, 1]),
        (".1(.1).3", [0.1, 0.2, 0.3]),
        ("1(2)6", [1, 3, 5]),
        ("1 2(1)4 10", [1, 2, 3, 4, 10]),
        ("3(1)3", [3]),
    ],
)
def test_times_and_ranges(session, words, times):
    session(f"CREATE 0 {words} 0 y1")
    np.testing.assert_allclose(session.env.observations.times, times, rtol=1e-14)


def test_aux_quantities_can_be_observed(begin):
    session = begin("enzyme", None)
    session("CREATE 0 1 10 0 product y2")
    data = session.env.observations
    assert data.names == ("product", "y2")
    run = parfit.simulate(model_of("enzyme"), [1, 10], method=parfit.Method("gear", eps=1e-10, h_min=0))
    np.testing.assert_allclose(data.values[:, 0], 1 - run.y[:, 0] - run.y[:, 1] / 1000, rtol=1e-5)


def test_the_data_file_of_the_run_reads_back(session, tmp_path):
    session("CREATE 0 1(1)9 0 y2 y1 0 1e-8 5 0 .1 4 0 Y")
    (tmp_path / "kept.csv").write_text(session.file("data"))
    data = parfit.load_data(tmp_path / "kept.csv", model_of("predator-prey"))
    kept = session.env.observations
    assert data.names == kept.names
    np.testing.assert_array_equal(data.values, kept.values)
    np.testing.assert_array_equal(data.times, kept.times)


def test_a_file_of_the_users_name(session, tmp_path):
    session("CREATE 0 1(1)9 0 y1 0 1e-8 5 0 .1 4 0 mine.csv")
    data = parfit.load_data(tmp_path / "mine.csv", model_of("predator-prey"))
    np.testing.assert_array_equal(data.values, session.env.observations.values)
    assert session.file("data")
    before = (tmp_path / "mine.csv").read_bytes()
    assert "mine.csv was left as it is" in session.refused("CREATE 0 1 0 y1 0 1e-8 5 0 .1 4 0 mine.csv N")
    assert (tmp_path / "mine.csv").read_bytes() == before
    session.typed("CREATE 0 1 0 y1 0 1e-8 5 0 .1 4 0 mine.csv", "N")
    assert (tmp_path / "mine.csv").read_bytes() == before
    said = session("CREATE 0 1 0 y1 0 1e-8 5 0 .1 4 0 mine.csv")
    assert "the data are in mine.csv, in place of an older file" in said
    assert (tmp_path / "mine.csv").read_bytes() != before


def test_no_file_if_none_is_wanted(session):
    session("CREATE 0 1(1)9 0 y1 0 1e-8 5 0 .1 4 0 N")
    assert session.file("data") == ""


def test_a_creation_that_fails_at_its_end_writes_no_file(session, tmp_path):
    """A starting value that the scaling does not allow."""
    session("SCALE 1 LOG")
    assert "has no logarithm" in session.refused("CREATE 0 1 0 y1 0 1e-8 5 0 .1 4 p1 -1 0 mine.csv")
    assert not (tmp_path / "mine.csv").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CREATE p9 1", "'p9' is no parameter"),
        ("CREATE 0 2 1 0 y1", "the times must increase"),
        ("CREATE 0 1 1 0 y1", "the times must increase"),
        ("CREATE 0 -1 0 y1", "'-1' lies before the initial time 0"),
        ("CREATE 0 0 y1", "at least one observation time"),
        ("CREATE 0 1 0 0", "at least one variable must be observed"),
        ("CREATE 0 1 0 y7", "'y7' is no state or aux quantity"),
        ("CREATE 0 2(1)1 0 y1", "is no range of times; write FIRST(STEP)LAST"),
        ("CREATE 0 1(0)2 0 y1", "is no range of times"),
        ("CREATE 0 1(x)2 0 y1", "is no range of times"),
        ("CREATE 0 1(1e-9)2 0 y1", "more than the 100000 times"),
        ("CREATE 0 1 0 y1 0 0", "EPS must lie between"),
        ("CREATE 0 1 0 y1 0 1e-8 0", "'0' is not greater than 0"),
        ("CREATE 0 1 0 y1 0 1e-8 5 6", "HMIN (6) and HMAX (5)"),
        ("CREATE 0 1 0 y1 0 1e-8 5 0 -1", "'-1' is negative"),
        ("CREATE 0 1 0 y1 0 1e-8 5 0 1 -1", "enter a whole number from 0"),
        ("CREATE 0 1 0 y1 0 1e-8 5 0 1 1 0 perhaps", "enter Y or N"),
        ("CREATE 0 1 0 y1 0 1e-13 5 .5", "the simulation stopped"),
    ],
)
def test_create_refuses(session, line, message):
    assert message in session.refused(line)


def test_without_data_times_are_needed(begin):
    session = begin("predator-prey", None)
    assert "the input ends where an answer is needed: ENTER OBSERVATION TIMES" in session.refused("CREATE p1 1")


def test_limits_can_be_given_anew_at_a_terminal(session):
    typist = session.typed("CREATE", "0", "1 2 0", "y1 0", "1e-13", "5", ".5", "1e-8", "5", "0", "0", "0", "1", "N")
    assert "the simulation stopped" in session.errors
    assert typist.questions.count("ENTER ERROR TOLERANCE FOR THE INTEGRATION") == 2
    assert session.env.observations.times.tolist() == [1, 2]
    assert session.entries == ["CREATE 0 1 2 0 y1 0 1e-08 5 0 0 1 0 N"], "what failed is not repeated"


def test_a_line_at_a_terminal_is_not_tried_for_ever(session):
    """x explodes whatever the limits: a command given in one line fails instead of taking its defaults again."""
    env = session.env
    session.typed("CREATE 0 1 0 y1 0 1e-13 5 .5")
    assert session.env is env
    assert session.errors.count("the simulation stopped") == 1


def test_it_is_not_tried_for_ever_when_the_input_has_ended(session):
    """Nobody is there any more who could give other limits."""
    env = session.env
    session.typed("CREATE", "p1 1e200 0", "1 2 0", "y1 0")
    assert session.env is env
    assert session.errors.count("the simulation stopped") == 1


def test_a_simulation_that_fails_in_a_script(begin):
    model = Model.from_text("par k=1\nx'=k*x^2\ninit x=1\ndone", "explosion")
    session = begin(model, None)
    cards = ["CREATE", "0", "1(1)3 0", "x 0", "1e-6", "1", "1e-5"]
    assert "the simulation stopped" in session.failing(Script(cards, SCRIPT))


def test_what_is_created_can_be_undone(session):
    before = session.env
    session("CREATE 0 1 2 0 y1", "UNDO")
    assert session.env is before


def test_at_a_terminal_the_seed_is_asked_for_last_and_stands_in_its_place_in_the_journal(session, begin):
    typist = session.typed("CREATE", "0", "1 2 0", "y1 0", "", "", "", ".1", "p1 2 0", "7", "N")
    assert typist.n_left == 0
    assert [text.split()[1] for text in typist.questions[-3:]] == ["PARAMETERS", "SEED", "THE"]
    assert " 0.1 7 p1 2 0 N" in session.entries[-1]
    again = begin()
    again(*session.entries)
    assert again.env.observations.values.tobytes() == session.env.observations.values.tobytes()
    assert again.env.first_values.tolist() == session.env.first_values.tolist()


def test_wrong_answers_are_asked_for_again_one_by_one(session):
    """Not at the end, when all answers would be lost."""
    answers = ["CREATE", "0", "-1", "3", "2", "4 0", "0", "y1 0", "2", "1e-8", "5", "9", "0", "0", "0", "1", "N"]
    typist = session.typed(*answers)
    assert typist.n_left == 0
    for message in ("'-1' lies before", "'2' does not come after 3", "one variable must be observed", "EPS", "HMIN"):
        assert message in session.errors
    assert session.env.observations.times.tolist() == [3, 4]


def test_cards_are_written_with_the_starting_values(begin, tmp_path):
    session = begin()
    session("CREATE 0 .5(.5)3 0 y1 y2 0 1e-8 5 0 .05 3 p1 1.25 0 made.dat", "WEIGHT 2 y1 0 2 .5 0 N", "SAVE saved.dat")
    made, saved = (read_problem(tmp_path / name, session.env.model) for name in ("made.dat", "saved.dat"))
    for data, start in (made, saved):
        assert data.times.tobytes() == session.env.observations.times.tobytes()
        assert data.values.tobytes() == session.env.observations.values.tobytes()
        assert start.tolist() == session.env.first_values.tolist()
        assert start[0] == 1.25
    assert saved[0].weights.tolist() == session.env.observations.weights.tolist()
    session("SAVE saved.csv")
    assert read_problem(tmp_path / "saved.csv", session.env.model)[0].values.tobytes() == made[0].values.tobytes()


def test_what_was_stored_is_found_again(begin):
    session = begin("predator-prey", None)
    said = session("CREATE 0 1(1)5", "LOAD DATA data.csv")
    assert f"stored in {session.run.folder / 'data.csv'}" in said
    assert session.env.observations.times.tolist() == [1, 2, 3, 4, 5]
    said = session("WEIGHT 2 y1 0 1 5 2 4 0 Y")
    assert f"stored in {session.run.folder / 'weights.csv'}" in said
    session("WEIGHT 1", "WEIGHT 4 weights.csv")
    assert session.env.observations.weights[:3, 0].tolist() == [5, 4, 1]


def test_the_end_of_time_is_a_time(begin):
    """The amount comes to v/k; data without errors are fitted exactly, the end with them."""
    session = begin(Model.from_text("par k=.5, v=2\nx'=v-k*x\ninit x=1\ndone", "growth"), None)
    session("CREATE k=.5 v=2 0 1 2 inf 0 x 0 1e-10 NONE 0 0 1 k=1 0 Y")
    data = session.env.observations
    assert data.times.tolist() == [1.0, 2.0, np.inf]
    np.testing.assert_allclose(data.values[:, 0], [4 - 3 * np.exp(-0.5), 4 - 3 * np.exp(-1.0), 4.0], rtol=1e-8)
    session("FIT MORE")
    np.testing.assert_allclose(session.env.values, [0.5, 2.0], rtol=1e-5)
