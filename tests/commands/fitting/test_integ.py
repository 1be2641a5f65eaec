"""INTEG: against integrations that share nothing with the program."""

import io
from dataclasses import replace

import numpy as np
import pytest
from conversation import Typist
from discrete import differences, trapezoidal
from fingerprints import fingerprint, resumed
from problems import PROBLEMS
from scipy.integrate import solve_ivp

from parfit.model.model import Model
from parfit.session.console import Console
from parfit.session.opening import open_run

HALVES = np.arange(0, 12.75, 0.5)
[PREY] = [problem for problem in PROBLEMS if problem.name == "predator-prey"]


def accurate(p):
    found = solve_ivp(PREY.rhs, (0, 12.5), [2.0, 8.0], "DOP853", HALVES, args=(p,), rtol=1e-11, atol=1e-12)
    return found.y.T


def by_the_rule(p):
    """The trapezoidal rule on the observation times, from the same start as the bundled model."""
    here = replace(PREY, times=HALVES[1:], p=tuple(p), initial=lambda p: [2.0, 8.0], t0=0.0)
    return here, np.vstack([[2.0, 8.0], trapezoidal(here, p)])


@pytest.mark.of_1977
@pytest.mark.parametrize("lines", [["INTEG N"], ["INTEG no"], ["INTEG", "N"], ["INTEG", ""], ["inte n"]])
def test_without_the_jacobian(session, lines):
    said = session(*lines)
    run = session.env.integration.trajectory
    np.testing.assert_allclose(run.y, by_the_rule(session.env.values)[1], rtol=1e-9)
    assert run.s is None
    assert "TRAPEZOIDAL METHOD ON THE SAMPLE TIMES" in said
    assert "25 steps" in said


@pytest.mark.of_1977
def test_the_sum_of_squares(session):
    said = session("INTEG N")
    y = by_the_rule(session.env.values)[1][1:]
    total = np.sum((y - session.env.observations.values) ** 2)
    assert float(said.split("RESIDUALS")[1]) == pytest.approx(total, rel=1e-6)
    assert session.env.sum_of_squares == pytest.approx(total, rel=1e-9)
    session("SET 1 1.1")
    assert session.env.sum_of_squares is None, "the parameters are others now"
    session("SET 1 1")
    assert session.env.sum_of_squares == pytest.approx(total, rel=1e-9)


@pytest.mark.of_1977
@pytest.mark.parametrize("lines", [["INTEG Y"], ["INTEG yes"], ["INTEG", "Y"]])
def test_with_the_jacobian(session, lines):
    session("SET 1 1.1 5 .12", *lines)
    run = session.env.integration.trajectory
    here, y = by_the_rule(session.env.values)
    np.testing.assert_allclose(run.y, y, rtol=1e-9)
    expected = differences(here)
    np.testing.assert_allclose(run.s[1:], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    assert (run.s[0] == 0).all(), "the initial values are no parameters"


@pytest.mark.of_1977
def test_frozen_parameters_cost_nothing(session):
    session("FREEZE 2 3 4", "INTEG Y")
    run = session.env.integration.trajectory
    assert run.s.shape == (26, 2, 3)
    here, _ = by_the_rule(session.env.values)
    expected = differences(here)[:, :, [0, 4, 5]]
    np.testing.assert_allclose(run.s[1:], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


@pytest.mark.of_1977
def test_gears_method(session):
    said = session("OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0", "SET 2 .12", "INTEG N")
    np.testing.assert_allclose(
        session.env.integration.trajectory.y, accurate([1, 0.12, 3, 1, 0.1, 0.15]), rtol=1e-6, atol=1e-7
    )
    assert "GEAR'S METHOD (STIFF), EPS 1e-09, HMIN 0, HMAX 5" in said
    assert "GEAR'S METHOD (ADAMS)" in session("OPTION METHOD ADAMS", "INTEG N")
    np.testing.assert_allclose(
        session.env.integration.trajectory.y, accurate([1, 0.12, 3, 1, 0.1, 0.15]), rtol=1e-6, atol=1e-7
    )


def test_the_bundled_data_are_what_an_accurate_integration_gives(session):
    session("OPTION 8 1 5 1e-10 6 0", "INTEG N")
    np.testing.assert_allclose(session.env.observations.values, accurate([1, 0.1, 3, 1, 0.1, 0.15])[1:], rtol=1e-8)
    assert session.env.sum_of_squares < 1e-12


@pytest.mark.of_1977
def test_an_integration_that_fails_says_where_and_keeps_what_it_reached(begin):
    """x' = x^2, x(0) = 1 is 1/(1-t), which ends at t = 1."""
    model = Model.from_text("par k=1\nx'=k*x^2\ninit x=1\n@ total=2\ndone", "explosion")
    session = begin(model, None)
    session("SAMPLE 2 20 .1", "OPTION 8 1 5 1e-6")
    assert "the integration stopped: " in session.refused("INTEG Y"), "a script ends there"
    session.obey(Typist(["INTEG Y"]))
    assert "the integration stopped: " in session.errors
    assert "HMIN" in session.errors, "and what could be done"
    run = session.env.integration.trajectory
    assert not run.status
    reached = ~np.isnan(run.y[:, 0])
    assert 9 <= reached.sum() <= 10
    np.testing.assert_allclose(run.y[:9, 0], 1 / (1 - 0.1 * np.arange(9)), rtol=1e-4)
    said = session("REPORT 5 7")
    assert "THE INTEGRATION STOPPED" in said
    assert "nan" not in said.lower()
    session("PLOT 1")
    session("SET k .1", "INTEG N")
    assert session.env.integration.trajectory.status, "the session goes on"


def test_what_was_kept_of_it_at_a_terminal_is_played_again(tmp_path):
    (tmp_path / "model.ode").write_text("par k=1\nx'=k*x^2\ninit x=1\n@ total=2\ndone")
    run = tmp_path / "run"
    interpreter = open_run([str(tmp_path / "model.ode")], run, Console(io.StringIO(), io.StringIO()))
    interpreter.converse(Typist(["INTEG Y", "SET k 3"]))
    interpreter.run.close()
    again = resumed(run)
    assert again.values.tolist() == [3]
    assert fingerprint(again) == fingerprint(interpreter.env)


def test_a_failed_integration_has_no_sum_of_squares(session):
    session("OPTION 8 1 5 1e-13 6 .1")
    _, said, _ = session.obey(Typist(["INTEG N"]))
    assert not session.env.integration.trajectory.status
    assert "SUM OF SQUARES" not in said
    assert session.env.sum_of_squares == np.inf
    session("MARK failed")
    assert session.env.marks[0].sum_of_squares == np.inf


def test_a_model_without_parameters_can_be_integrated(begin):
    session = begin(Model.from_text("x'=-x\ninit x=1\n@ total=1\ndone", "bare"), None)
    said = session("INTEG Y", "PLOT 1", "REPORT 1 3 5 7")
    assert "JACOBIAN: the model has no parameters" in said
    assert session.env.integration.trajectory.y[-1, 0] == pytest.approx(np.exp(-1), rel=1e-3)


def test_integ_refuses_other_answers(session):
    assert "'perhaps' is not an answer here; enter Y or N" in session.refused("INTEG perhaps")
