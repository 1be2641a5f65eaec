"""What GUIDE says is true."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from conversation import data_of, model_of
from situations import (
    GEAR,
    bundled,
    decay,
    noisy,
    one_observation,
)

from parfit.advice import (
    advise,
    fitting,
    undetermined,
)
from parfit.advice.facts import Facts
from parfit.advice.words import few
from parfit.data.observations import make_observations
from parfit.model.model import Model


@pytest.mark.parametrize(
    ("start", "now", "expected"),
    [(2.0, 1.0, np.log(2.0)), (0.5, 3.7e-6, np.log(0.5 / 3.7e-6)), (1.0, -1.0, np.inf), (0.0, 1.0, np.inf), (0, 0, 0)],
)
def test_what_collapses_to_0_has_not_moved_least(start, now, expected):
    assert undetermined.moved(start, now) == pytest.approx(expected)


def test_one_held_parameter_need_not_determine_the_others(begin):
    session = begin(*one_observation())
    session(GEAR, "FIT MORE")
    assert "determined" not in advise(session.interpreter.timeline).why
    session("GUIDE Y")
    last = advise(session.interpreter.timeline)
    assert "trade off" in last.situation
    assert "determined near this point" in last.why
    session("GUIDE Y")
    assert "trade off" not in advise(session.interpreter.timeline).situation


@pytest.mark.of_1977
def test_a_method_that_led_away_from_the_data_is_said_to_have(begin):
    session = begin(*bundled("mice")())
    session("FIT MORE")
    before = session.env.sum_of_squares
    session("SMOOTH SPLINE AUTO", "CREOBS y1 3 0 33 44 .5003 .1251 .7504", "IFIT GUESSED")
    said = advise(session.interpreter.timeline).situation
    assert f"more than the {few(before)} before it" in said
    assert "near enough" not in said


@pytest.mark.of_1977
def test_curves_are_advised_only_if_they_will_be_used(begin):
    """Of mice and reindeer one state was not observed, and at first no guess at it leads further than a direct fit."""
    for name in ("mice", "reindeer"):
        session = begin(*bundled(name)())
        assert advise(session.interpreter.timeline).command == "FIT MORE"


@pytest.mark.of_1977
def test_another_integration_does_not_lead_far_from_the_data(begin):
    session = begin(*bundled("barnes")())
    session("SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE", GEAR)
    said = advise(session.interpreter.timeline).situation
    assert said == "Integrated in this way, the solution has a sum of squares of 0.1726, which is no minimum."


@pytest.mark.of_1977
def test_a_fit_that_ended_nowhere_and_a_coarse_integration(begin):
    session = begin(model_of("mice-3"), data_of("mice", "mice-3"))
    said = []
    for _ in range(12):
        said.append(advise(session.interpreter.timeline).situation)
        session("GUIDE Y")
    assert any(
        re.search(r"minimum \(sum of squares [\d.]+\), (and|but) the discretisation is coarse", each) for each in said
    )


@pytest.mark.of_1977
def test_infinite_derivatives_are_not_a_failed_integration(begin):
    model, _ = one_observation()
    session = begin(model, make_observations([0.5, 1.0, 2.0], ["cp"], [[2.0], [3.2], [2.5]]))
    session("SET v 1e-200", "INTEG N")
    said = advise(session.interpreter.timeline).situation
    assert "No fit can begin at the present parameters" in said
    assert "cannot be integrated" not in said


def test_no_bound_is_named_where_none_was_set(begin):
    session = begin(*noisy())
    session(GEAR, "SCALE p5 ROOT", "FIT MORE")
    assert "with p5 at 0, which a square root cannot pass" in advise(session.interpreter.timeline).situation


EXACT = decay("a", "par a=.5", digits=9)


@pytest.mark.parametrize(
    ("problem", "lines"),
    [
        (EXACT, [GEAR, "SET a .7000000004"]),
        (noisy, [GEAR, "SCALE p5 ROOT", "FIT MORE"]),
        (one_observation, ["FIT MORE"]),
    ],
    ids=["exact", "at the 0 of a root", "one observation"],
)
def test_statistics_and_guide_agree_on_a_minimum(begin, problem, lines):
    session = begin(*problem())
    session(*lines)
    assert advise(session.interpreter.timeline).situation.startswith("This is a minimum")
    said = session("STATS 95")
    assert "not a minimum" not in said


def test_statistics_and_fit_agree_on_a_plain(begin):
    session = begin(*decay("a*(1-exp(-b))", "par a=.5, b=200", digits=1)())
    session(GEAR, "FIT MORE")
    assert "NOT A MINIMUM: the sum of squares is flat" in session.errors
    assert "flat in b, which the data do not see here" in " ".join(session("STATS 95").split())


def test_it_compares_with_nothing_where_there_was_no_sum_of_squares(session):
    """On a mesh that has nothing to do with the observation times."""
    session("SET p1 3", "SAMPLE MESH 40 .1", "SAMPLE 1")
    assert "GUIDE" in session("GUIDE N")


@pytest.mark.parametrize("advised", [False, True])
def test_logarithms_are_advised_where_they_help(session, monkeypatch, advised):
    probed = SimpleNamespace(logarithms_help=advised, condition=1001.0, log_condition=100.0)
    monkeypatch.setattr(Facts, "stuck", True)
    monkeypatch.setattr(Facts, "probe", probed)
    found = fitting.logarithms(Facts(session.interpreter.timeline))
    assert (found is not None) is advised
    assert not advised or found.command.startswith("SCALE p1 LOG")


def test_keeping_a_sign_does_not_end_at_a_far_worse_minimum(begin):
    """Two compartments from 1, 1, ...: kept positive, a fit runs away to a minimum 50 times as high as the one before.

    A plain fit from the same beginning says how low it can be with all of them positive.
    """
    text = """gut'=-ka*gut\ncentral'=ka*gut-(ke+k12)*central+k21*per\nper'=k12*central-k21*per
        aux C=central/V\ngut(0)=100\npar ka=1, ke=1, k12=1, k21=1, V=1\ncentral(0)=0\nper(0)=0\ndone\n"""
    times = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24]
    seen = [1.987, 3.27, 4.175, 4.11, 3.777, 2.549, 1.92, 1.242, 1.03, 0.799, 0.6, 0.366]
    opened = begin(Model.from_text(text), make_observations(times, ["C"], np.transpose([seen])))
    opened("FIT MORE")
    plain = opened.env.problem().evaluate(opened.env.values).sum_of_squares
    opened("UNDO", "GUIDE ALL")
    assert opened.env.problem().evaluate(opened.env.parameters.point).sum_of_squares <= 1.01 * plain
