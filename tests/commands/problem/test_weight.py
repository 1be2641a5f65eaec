"""WEIGHT."""

import numpy as np
import pytest
from conversation import model_of

from parfit import load_data
from parfit.data.observations import make_observations


def weights(session):
    return session.env.observations.weights


@pytest.fixture
def gaps():
    """Observations with a gap, a replicate and standard deviations."""
    nan = np.nan
    values = [[1.0, nan], [2.0, 5.0], [2.5, nan], [3.0, 6.0]]
    sds = [[0.5, nan], [0.25, 0.1], [nan, nan], [2.0, 0.2]]
    return make_observations([1, 2, 2, 3], ["y1", "y2"], values, sds=sds)


@pytest.mark.parametrize("lines", [["WEIGHT 1"], ["WEIGHT ONE"], ["WEIGHT", "1"], ["weight one"]])
def test_option_1_sets_all_to_one(session, lines):
    session("WEIGHT 2 y1 0 ALL 7", *lines)
    np.testing.assert_array_equal(weights(session), np.ones((25, 2)))


@pytest.mark.parametrize(
    "lines",
    [
        ["WEIGHT 2 y1 0 3 .5 4 .25"],
        ["WEIGHT INDIVIDUAL 1 0 3=.5 4=.25 0 N"],
        ["WEIGHT", "2", "y1 0", "3 .5", "4 .25", "0", "N"],
        ["WEIGHT", "INDIV", "1", "0", "3", ".5", "4", ".25", "0", "n"],
    ],
)
def test_option_2_sets_some(session, lines):
    session(*lines)
    expected = np.ones((25, 2))
    expected[[2, 3], 0] = 0.5, 0.25
    np.testing.assert_array_equal(weights(session), expected)
    assert session.file("weights") == ""


def test_several_variables_one_after_the_other(session):
    session("WEIGHT", "2", "y2 y1 0", "1 2 0", "ALL .5", "25 3 0", "N")
    expected = np.ones((25, 2))
    expected[0, 1] = 2
    expected[:, 0], expected[24, 0] = 0.5, 3
    np.testing.assert_array_equal(weights(session), expected)


def test_weights_multiply_the_residuals(session):
    """F = sum (w (y - v))^2, thesis eq. 1.1.2, from the numbers themselves."""
    session("WEIGHT 2 y1 0 ALL 3 2 0", "INTEG N")
    run, data = session.env.integration.trajectory, session.env.observations
    w = np.ones((25, 2))
    w[:, 0], w[1, 0] = 3, 0
    assert session.env.sum_of_squares == pytest.approx(np.sum((w * (run.y[1:] - data.values)) ** 2), rel=1e-12)


def test_weights_are_stored_and_read_again(session, tmp_path):
    session("WEIGHT 2 y1 y2 0 3 .5 0 ALL 1e-3 4 .1 0 Y")
    kept = weights(session)
    text = session.file("weights")
    assert text.split("\n")[0] == "t,y1,y2"
    table = np.array([line.split(",") for line in text.strip().split("\n")[1:]], dtype=float)
    np.testing.assert_array_equal(table[:, 1:], kept)
    (tmp_path / "mine.csv").write_text(text)
    for lines in (["WEIGHT FILE mine.csv"], ["WEIGHT 4 mine.csv"], ["WEIGHT", "4", "mine.csv"]):
        session("WEIGHT 1", *lines)
        np.testing.assert_array_equal(weights(session), kept)
    assert load_data(tmp_path / "mine.csv", model_of("predator-prey")).n_observations == 50


def test_a_file_of_weights_may_leave_some_open(session, tmp_path):
    rows = [f"{0.5 * k},{2 if k == 3 else ''}" for k in range(1, 26)]
    (tmp_path / "some.csv").write_text("\n".join(["t,y2", *rows]) + "\n")
    session("WEIGHT 2 y1 0 ALL 5", "WEIGHT FILE some.csv")
    expected = np.ones((25, 2))
    expected[:, 0], expected[2, 1] = 5, 2
    np.testing.assert_array_equal(weights(session), expected)


def test_a_file_of_weights_must_fit(session, tmp_path):
    (tmp_path / "short.csv").write_text("t,y1\n.5,1\n1,2\n")
    assert "short.csv: holds other times or variables" in session.refused("WEIGHT 4 short.csv")
    assert "nowhere.csv: there is no such file" in session.refused("WEIGHT FILE nowhere.csv")
    rows = [f"{0.5 * k},{-1 if k == 3 else 1}" for k in range(1, 26)]
    (tmp_path / "negative.csv").write_text("\n".join(["t,y2", *rows]) + "\n")
    assert "weight is negative" in session.refused("WEIGHT FILE negative.csv")


def test_option_3_takes_them_from_standard_deviations(begin, gaps):
    session = begin(data=gaps)
    expected = np.array([[2, 0], [4, 10], [1, 0], [0.5, 5]])  # 1/sd, 1 without, 0 where not observed
    session("WEIGHT 1")
    np.testing.assert_array_equal(weights(session), [[1, 0], [1, 1], [1, 0], [1, 1]])
    for lines in (["WEIGHT 3"], ["WEIGHT SD"], ["WEIGHT", "3"]):
        session("WEIGHT 1", *lines)
        np.testing.assert_allclose(weights(session), expected, rtol=1e-14)
    assert session.env.observations.sds is not None


def test_replicates_share_a_subscript_and_gaps_have_none(begin, gaps):
    session = begin(data=gaps)
    session("WEIGHT 1", "WEIGHT 2 y1 0 2 .5")
    np.testing.assert_array_equal(weights(session)[:, 0], [1, 0.5, 0.5, 1])
    assert "y2 was not observed at time 1, t = 1" in session.refused("WEIGHT 2 y2 0 1 .5")
    session("WEIGHT 2 y2 0 ALL 4 0 Y")
    np.testing.assert_array_equal(weights(session)[:, 1], [0, 4, 0, 4])
    assert session.file("weights").split("\n")[1:3] == ["1,1,", "2,0.5,4"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("WEIGHT 7", "'7' is not on the menu"),
        ("WEIGHT SD", "the data have no standard deviations"),
        ("WEIGHT 2 y3 0 1 1", "'y3' is no observed variable"),
        ("WEIGHT 2 y1 0 26 1", "enter a whole number from 1 to 25"),
        ("WEIGHT 2 y1 0 1 -1", "'-1' is negative; a weight is 0 or more"),
        ("WEIGHT 2 y1 0 1", "an answer is needed: NEW WEIGHT"),
    ],
)
def test_weight_refuses(session, line, message):
    assert message in session.refused(line)


def test_weights_need_observations_on_the_variable(begin):
    assert "LOAD DATA" in begin("predator-prey", None).refused("WEIGHT 1")
    one = make_observations([1, 2], ["y2"], [[1.0], [2.0]])
    assert "y1 was not observed; observed are y2" in begin(data=one).refused("WEIGHT 2 1 0 1 1")
    session = begin(data=one)
    session("WEIGHT 2 2 0 1 3")  # subscripts are those of the states
    assert weights(session).tolist() == [[3], [1]]


def test_the_report_shows_them(begin, gaps):
    said = begin(data=gaps)("REPORT 11")
    rows = [line.split() for line in said.split("\n")]
    assert ["2", "4", "10"] in rows
    assert ["1", "2"] in rows, "nothing where nothing was observed"


def test_one_weight_for_a_variable(begin, gaps):
    session = begin("predator-prey", gaps)
    session("WEIGHT y1 1000")
    np.testing.assert_array_equal(weights(session)[:, 0], 1000)
    np.testing.assert_array_equal(weights(session)[:, 1], gaps.weights[:, 1])
    session("WEIGHT Y2 7 y1 2")
    assert session.entries[-1] == "WEIGHT y2 7 y1 2"
    np.testing.assert_array_equal(weights(session), [[2, 0], [2, 7], [2, 0], [2, 7]])


def test_relative_weights(begin):
    data = make_observations([1, 2, 3], ["y1", "y2"], [[200.0, -4.0], [100.0, 2.0], [0.0, 1.0]])
    session = begin("predator-prey", data)
    session("WEIGHT RELATIVE")
    np.testing.assert_allclose(weights(session), [[1 / 200, 1 / 4], [1 / 100, 1 / 2], [1 / 2, 1]])


def test_weights_by_size(begin):
    rng = np.random.default_rng(1)
    data = make_observations(np.arange(1.0, 21), ["y1", "y2"], rng.normal(50, [1000, 1e-3], (20, 2)))
    session = begin("predator-prey", data)
    session("WEIGHT AUTO")
    np.testing.assert_allclose(weights(session)[0] * np.std(data.values, axis=0), 1, rtol=0.05)


def test_what_is_all_zero_has_no_relative_weight(begin):
    data = make_observations([1, 2], ["y1"], [[0.0], [0.0]])
    assert "all observations of y1 are 0" in begin("predator-prey", data).refused("WEIGHT RELATIVE")
