"""What FIT says of where it has ended: minima and what is none, bounds, and errors of the integration."""

import signal
from dataclasses import replace

import numpy as np
import pytest
from certified import ACCURATE
from washing import BEST, FITS, LEAST, optimum, table

from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.text.fit import judgement

# ---- what it says of the end


@pytest.mark.parametrize("line", FITS)
def test_a_minimum_is_called_one(wash, line):
    assert "CONVERGED: this is a minimum" in wash(line)
    assert wash.errors == ""
    assert "CONVERGED: this is a minimum" in wash.report, "beside the numbers"
    assert float(wash.report.split("RESIDUALS")[1].split()[0]) == pytest.approx(LEAST, rel=1e-6)


def test_loose_tolerances_end_before_the_minimum(wash):
    said = wash("FIT 1 1e4 1e-2 1e-2")
    assert "minimum" not in said
    assert "NOT A MINIMUM: the sum of squares falls too slowly for the tolerances" in wash.errors
    assert "FIT again with smaller tolerances" in wash.errors


def test_the_limit_of_iterations_is_said(wash):
    said = wash("FIT 1 10 1e-9 1e-15 2")
    assert "minimum" not in said
    assert "STOPPED: the limit of its work was reached; FIT again to go on from here" in wash.errors
    assert len(table(said)) == 2


def test_the_limit_of_integrations_is_said(wash):
    said = wash("FIT 3 1e-12 3")
    assert "STOPPED: the limit of its work was reached" in wash.errors
    assert "minimum" not in said


@pytest.mark.parametrize(
    ("line", "strategy"),
    [("FIT 3", "fit"), ("SHOOT 6 0 .01 1e-8 1e-12 50", "shoot"), ("SEQ 5 2 .01 1e-8 1e-12", "seq")],
)
def test_who_interrupts_the_judgement_keeps_what_was_found(wash, monkeypatch, line, strategy):
    """It may take longer than the search; the line that was written leads there again."""
    start = wash.env.values

    def impatient(*_):
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(f"parfit.estimation.strategies.{strategy}.judged", impatient)
        wash(line)
    assert "its parameters are kept, but were not judged" in wash.errors
    found, written = wash.env.values, wash.entries[-1]
    assert not np.array_equal(found, start)
    wash("UNDO", written)
    assert np.array_equal(wash.env.values, found)
    assert wash.errors.count("were not judged") == 1


def test_more_at_a_minimum_that_is_one_already(wash):
    wash("FIT 3")
    values = wash.env.values
    said = wash("FIT 3", "FIT 1")
    assert "CONVERGED: this is a minimum" in said
    assert (said + wash.errors).count("is a minimum") == 2, "whether or not the second one has anything to gain"
    assert wash.env.values == pytest.approx(values, rel=1e-5)


TWO, THREE = (0.5, 0.1, 5, 1, 0.15, 0.01), (1, 0.1, 3, 1, 0.2, 0.15)  # of problems 4.2.2 and 4.2.3
LATE, NARROW = (0.2, 8.0, 0.2, 0.1), (0.387, 5.131, 0.158, 0.32)  # effusions that the observations do not see


@pytest.mark.parametrize(
    ("name", "values", "procedure", "line"),
    [
        ("heart", LATE, "GEAR", "FIT 1 .01 1e-3 1e-3"),
        ("heart", LATE, "GEAR", "FIT 1 -1 -1e-6 -1e-6 100"),
        ("heart", LATE, "GEAR", "FIT 3"),
        ("heart", NARROW, "GEAR", "FIT 1 .01 -1e-6 -1e-6 100"),
        ("predator-prey", TWO, "GEAR", "FIT 1 .01 1e-6 1e-6"),
        ("predator-prey", TWO, "TRAPEZOIDAL", "FIT 1 1 1e-7 1e-7"),  # thesis, Figure 4.3.1: "a local minimum"
        ("predator-prey-2", THREE, "TRAPEZOIDAL", "FIT 1 .01 1e-6 1e-6"),  # Figure 4.3.2: "a local minimum"
        ("predator-prey-2", THREE, "GEAR", "FIT 1 .01 1e-6 1e-6"),
    ],
)
def test_fit_does_not_call_a_minimum_what_is_none(begin, name, values, procedure, line):
    """Sums of squares at the minima: 4034.84, and next to 0."""
    session = begin(name, name)
    session(f"OPTION PROCEDURE {procedure} EPS 1e-8 HMIN 0")
    said = session("SET " + " ".join(f"{k} {v}" for k, v in enumerate(values, 1)), line)
    assert session.env.sum_of_squares > {"heart": 5e5}.get(name, 1.0)
    assert "this is a minimum" not in said
    assert "a minimum all the same" not in session.errors
    assert "NOT A MINIMUM" in session.errors or "STOPPED" in session.errors


def test_a_flat_sum_of_squares_is_said_to_be_flat(begin):
    session = begin("heart", "heart")
    session("OPTION 8 1 5 1e-8 6 0", "SET 1 .2 2 8 3 .2 4 .1", "FIT 3")
    assert "the sum of squares is flat, because at the point reached the data do not see" in session.errors


@pytest.mark.parametrize("line", ["FIT 3", "FIT 1 .01 1e-9 1e-12 100"])
def test_a_square_root_that_would_be_negative_is_at_a_bound(begin, line):
    """y = exp(-k t) + c with c below 0: the best that a square root can do is c = 0, and GUIDE must say the same."""
    t = np.arange(1, 9) / 2.0
    observed = np.exp(-0.7 * t) - 0.1 + 0.01 * np.array([1, -2, 1, 1, -1, -1, 2, -1])
    (k,), least = optimum(lambda p: np.exp(-p[0] * t) - observed, [0.7])
    model = Model.from_text("par k=1, c=.2\ny'=-k*(y-c)\ny(0)=1+c\ndone", "decay")
    session = begin(model, make_observations(t, ["y"], observed[:, np.newaxis]))
    said = session("OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0", "SCALE c ROOT", line)
    assert session.env.values == pytest.approx([k, 0.0], rel=1e-3, abs=1e-6)
    assert session.env.sum_of_squares == pytest.approx(least, rel=1e-4)
    assert "at a bound: c (c at 0, which a square root cannot pass)\n" in said
    assert "this is a minimum" in said
    assert session.errors == ""
    assert "\nThis is a minimum" in session("GUIDE")


def test_a_square_root_is_not_said_to_be_at_0_where_it_is_not(wash):
    """Judged as after a fit that has left the parameter away from 0, where 0 would do as well."""
    wash("SCALE 1 ROOT", "FIT 3")
    found = wash.env.judgement
    pressed = replace(found, standing=replace(found.standing, pressed=(0,)))
    said = [each.text for each in judgement(pressed)]
    assert said[0] == "0 would fit as well, which a square root cannot pass: k"
    at_zero = replace(pressed, reached=np.zeros_like(found.reached))
    assert next(judgement(at_zero)).text == "at a bound: k (k at 0, which a square root cannot pass)"


def test_a_bound_of_a_square_root_is_only_called_a_bound(wash):
    said = wash(f"BOUNDS 1 0 {BEST[0] / 2}", "SCALE 1 ROOT", "FIT 3")
    assert "at a bound: k\n" in said


# ---- the integration's errors


@pytest.mark.of_1977
def test_the_coarse_rule_is_warned_of(session):
    session("FIT 3")
    assert "The trapezoidal rule is too coarse here" in session.errors
    assert "\n    OPTION ACCURATE\n" in session.errors


def test_an_accurate_integration_is_not(begin):
    session = begin("barnes", "barnes")
    session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "FIT 3")
    assert session.errors == ""


@pytest.mark.of_1977
def test_the_advice_can_be_followed(session):
    session("SET 1 1.05 3 2.9", "FIT 3")
    advice = next(line.strip() for line in session.errors.split("\n") if line.strip().startswith("OPTION"))
    before = len(session.errors)
    session(advice, "FIT 3")
    assert "too coarse" not in session.errors[before:]
    assert session.env.values == pytest.approx([1, 0.1, 3, 1, 0.1, 0.15], rel=1e-3), (
        "the true parameters (thesis, 4.2)"
    )


# ---- what it says is so


def of(text, times, values, name="x"):
    return Model.from_text(text, "test"), make_observations(times, [name], np.array(values)[:, np.newaxis])


def test_a_minimum_at_infinity_is_none_and_never_unique(begin):
    session = begin(*of("par k=1\nx'=-k*(x-1)\nx(0)=2\ndone", [1, 2, 3], [1.0, 1, 1]))
    session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "FIT MORE")
    assert session.env.values[0] > 20
    assert "is a minimum" not in session.output + session.errors
    said = " ".join(session("STATS 95").split())
    assert "not a minimum" in said
    assert "The parameters are unique" not in said
    assert "does not matter" not in said


def test_fit_and_stats_agree_on_a_parameter_of_0(begin):
    """Data 1, 2 and 3 at the same time: the best rate is 0."""
    session = begin(*of("par k=1\nx'=-k*x\nx(0)=2\ndone", [1, 1, 1], [1.0, 2, 3]))
    said = " ".join(session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "FIT MORE", "STATS FULL 95").split())
    assert "CONVERGED: this is a minimum" in said
    assert "cannot be said whether" not in said
    assert "The parameters are unique near this point" in said


def test_a_step_towards_data_with_an_offset_is_no_minimum(begin):
    """Pressure 101325 + .1 exp(-.7 t), whose decay is small next to it."""
    t = np.arange(25) / 5.0
    values = 101325 + 0.1 * np.exp(-0.7 * t) + 0.005 * np.cos(31.0 * t)
    text = "par a=1, k=2\nx'=-k*x\nx(0)=a\naux y=101325+x\ndone"
    session = begin(*of(text, t, values, "y"))
    session(ACCURATE, "FIT 1 .01 1e-6 1e-6 1")
    assert "is a minimum" not in session.output + session.errors
    assert "not a minimum" in " ".join(session("STATS 95").split())
    assert "CONVERGED: this is a minimum" in session("FIT MORE")


@pytest.mark.parametrize("line", ["FIT MORE", "FIT 1", "FIT 1 0 1e-8 1e-12", "FIT MORE 1e-8 100 HUBER .1"])
@pytest.mark.parametrize("bounds", ["", "BOUNDS b 0 10"])
def test_what_the_data_do_not_determine_stays_put(begin, line, bounds):
    """Only b + c is determined."""
    t = np.linspace(0.5, 6, 12)
    model, data = of("par b=.16, c=.36\nx'=-(b+c)*x\nx(0)=1\ndone", t, np.exp(-0.4512 * t) + 0.003 * np.cos(9 * t))
    session = begin(model, data)
    session(ACCURATE, *([bounds] if bounds else []), line)
    b, c = session.env.values
    assert c - b == pytest.approx(0.2, abs=1e-6)
    assert b + c == pytest.approx(0.45, abs=0.02)
