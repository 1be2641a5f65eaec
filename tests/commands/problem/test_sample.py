"""SAMPLE."""

import numpy as np
import pytest

HALVES = np.arange(0, 12.75, 0.5)  # initial time and observation times of problem 4.2.1


def times(session):
    return session.env.samples.times


def test_the_default_is_initial_time_and_observation_times(session):
    np.testing.assert_array_equal(times(session), HALVES)
    assert not session.env.samples.uniform


@pytest.mark.parametrize("lines", [["SAMPLE 1"], ["SAMPLE OBSERVATIONS"], ["SAMPLE", "1"], ["sam obs"]])
def test_option_1_restores_the_default(session, lines):
    session("SAMPLE 2 3 1", *lines)
    np.testing.assert_array_equal(times(session), HALVES)
    assert not session.env.samples.uniform


@pytest.mark.parametrize(
    "lines", [["SAMPLE 2 50 .25"], ["SAMPLE MESH 50 .25"], ["SAMPLE", "2", "50 .25"], ["SAMPLE", "mesh", "50", ".25"]]
)
def test_option_2_makes_a_uniform_mesh(session, lines):
    session(*lines)
    np.testing.assert_allclose(times(session), 0.25 * np.arange(51), rtol=1e-15)
    assert session.env.samples.uniform
    session("INTEG N")
    assert session.env.integration.trajectory.times.size == 51


def test_a_mesh_starts_at_the_initial_time(begin):
    session = begin("heart", "heart")  # t0 = .1
    session("SAMPLE 2 4 .5")
    np.testing.assert_allclose(times(session), [0.1, 0.6, 1.1, 1.6, 2.1], rtol=1e-14)


@pytest.mark.parametrize(
    "lines",
    [
        ["SAMPLE 3 0 2 1 4 3"],
        ["SAMPLE INSERT 0 2 1 4 3 0"],
        ["SAMPLE INSERT 2 1 4 3 0"],  # without the 0 for no listing the same, however the text is given
        ["SAMPLE INSERT", "2 1 4 3 0"],
        ["SAMPLE", "INSERT", "2 1 4 3 0"],
        ["SAMPLE 3", "2 1", "4 3", "0"],
        ["SAMPLE INSERT 0 4 3 2 1"],  # in any order
        ["SAMPLE", "3", "0", "2 1", "4 3", "0"],
        ["SAMPLE", "INSERT", "0", "2", "1", "4", "3", ""],
    ],
)
def test_option_3_inserts_evenly_before_the_upper_index(session, lines):
    session(*lines)
    expected = [0, 0.25, 0.5, 1, 1.125, 1.25, 1.375, 1.5, 2]
    np.testing.assert_allclose(times(session)[:9], expected, rtol=1e-15)
    assert times(session).size == 26 + 4
    assert not session.env.samples.uniform
    assert set(HALVES) <= set(times(session)), "the observation times are among them exactly"


def test_inserting_goes_on_from_what_there_is(session):
    session("SAMPLE 3 0 2 1", "SAMPLE 3 0 2 1")
    assert times(session)[:4].tolist() == [0, 0.125, 0.25, 0.5]
    session("SAMPLE 2 2 1", "SAMPLE 3 0 3 1")
    assert times(session).tolist() == [0, 1, 1.5, 2]
    assert session.env.samples.uniform, "it still has no connection to the observations"


def test_a_listing_of_sample_times(session):
    """Whoever is asked whether to list them sees it; it is nothing that has to be done again."""
    session.typed("SAMPLE", "3", "2 4", "3 1 0")
    rows = [line.split() for line in session.output.split("\n") if line[:1].isdigit() and len(line.split()) == 2]
    assert rows == [["2", "0.5"], ["3", "1"], ["4", "1.5"]]
    assert times(session).size == 27
    assert session.entries == ["SAMPLE INSERT 0 3 1"]


@pytest.mark.of_1977
def test_more_sample_times_make_the_trapezoidal_rule_better(session):
    session("INTEG N")
    coarse = session.env.sum_of_squares
    session("SAMPLE 3 0 " + " ".join(f"{k} 7" for k in range(2, 27)), "INTEG N")
    assert session.env.sum_of_squares < coarse / 1000, "the error is of order h^2, so F of order h^4: 8^4 = 4096"


def test_other_sample_times_leave_no_integration(session):
    session("INTEG N", "SAMPLE 2 5 1")
    assert session.env.integration is None
    assert "INTEG does it" in session.refused("PLOT 1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SAMPLE 4", "'4' is not on the menu"),
        ("SAMPLE 2 0 1", "enter a whole number from 1"),
        ("SAMPLE 2 1.5 1", "enter a whole number from 1"),
        ("SAMPLE 2 5 0", "is not greater than 0"),
        ("SAMPLE 2 5 -1", "is not greater than 0"),
        ("SAMPLE 2 5", "ENTER POINT SPACING"),
        ("SAMPLE 2 10000000 1", "enter a whole number from 1 to 1000000"),
        ("SAMPLE 2 10 1e308", "too large or too small"),
        ("SAMPLE 3 0 1 2", "enter a whole number from 2 to 26"),
        ("SAMPLE 3 0 27 2", "enter a whole number from 2 to 26"),
        ("SAMPLE 3 0 2 -1", "enter a whole number from 0"),
        ("SAMPLE 3 0 2 999999", "more than 1000000 sample times"),
        ("SAMPLE 3 27 2", "enter a whole number from 2 to 26"),
    ],
)
def test_sample_refuses(session, line, message):
    assert message in session.refused(line)


def test_without_observations_there_is_a_mesh_over_the_models_length(begin):
    session = begin("predator-prey", None)
    np.testing.assert_allclose(times(session), np.linspace(0, 12.5, 51))
    assert session.env.samples.uniform
    session("INTEG Y", "PLOT 1", "REPORT 5 7", "PLOT PHASE")
    session("SAMPLE 2 4 1", "SAMPLE 1")
    np.testing.assert_allclose(times(session), np.linspace(0, 12.5, 51))


def test_what_needs_the_observation_times_says_why_it_cannot(session):
    said = session("SAMPLE 2 50 .25", "INTEG Y", "OPTION 3 1", "REPORT 7")
    assert "JACOBIAN: the sample times are a uniform mesh" in said
    assert "SAMPLE 1 restores them" in said
    assert "SUM OF SQUARES" not in said
    assert session.env.sum_of_squares is None
    assert "FULL JACOBIAN" in session("OPTION 3 0", "REPORT 7")
    assert "LEAST SQUARES JACOBIAN" in session("SAMPLE 1", "OPTION 3 1", "INTEG Y", "REPORT 7")
