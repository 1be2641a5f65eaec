"""PLOT ROUNDS and INTEGRATIONS: the rounds of an iterated method one after another (Figures 3.4.2 to 3.4.5)."""

import numpy as np
from coarse import TWO, only, ready, rounds_of, setting
from drawn import at
from numpy.testing import assert_allclose, assert_array_equal

from parfit.pictures.rounds import MOST_SHOWN, successive_guesses, successive_integrations

ROUNDS = "IFIT 3 .01 1e-6 1e-6 2 N"


def test_before_any_round_there_is_nothing(prey):
    for item in ("ROUNDS", "INTEGRATIONS", "6", "7"):
        message = prey.refused(f"PLOT {item}")
        assert "no iterated method has been used yet; DFIT 3, IFIT 3 and IFIT 4 are such" in message
    prey("DFIT 2")
    assert "no iterated method has been used yet" in prey.refused("PLOT 6")


def test_the_guesses_of_every_round(prey):
    first = prey.env.guesses["y2"].curve
    said = prey(ROUNDS, "PLOT ROUNDS")
    series = successive_guesses(prey.env)
    labels = ["y2 at first", "y2 after 1", "y2 after 2", "y2 after 3"]
    assert [each.label for each in series] == labels
    assert [each.kind for each in series] == ["dotted", "dotted", "dotted", "solid"]
    _, _, plotted = said.partition("PLOT ROUNDS")
    assert all(label in plotted for label in labels)
    assert_allclose(series[0].y, first(prey.env.samples.times), rtol=1e-14)
    assert_array_equal(series[-1].y, prey.env.guesses["y2"].y)
    assert all(each.y[0] == 8 for each in series), "integrated from the initial value"


def test_they_are_shown_when_the_rounds_end(prey):
    said = prey(ROUNDS)
    assert "successive guesses" in said
    assert "y2 after 3" in said
    assert "ITERATION 3: SUM OF SQUARES" in said
    assert "IFIT, ITERATED BY INTEGRATION: SUM OF SQUARES" in prey.report
    assert "ITERATION 3" not in prey.report, "only the end is for the report"


def test_the_integrations_of_every_round(prey):
    prey(ROUNDS)
    rounds = rounds_of(prey)
    assert_array_equal(rounds[0], TWO)
    assert_array_equal(rounds[-1], prey.env.values)
    *runs, observed = successive_integrations(prey.env)
    assert [each.label for each in runs] == ["y1 at first", "y1 after 1", "y1 after 2", "y1 after 3"]
    assert observed.label == "y1 observed"
    for values, series in zip(rounds, runs, strict=True):
        prey(setting(values), "INTEG N")
        assert_allclose(at(series, prey.env.samples.times), prey.env.integrated.column("y1"), rtol=1e-6)
    said = prey("PLOT INTEGRATIONS 0 Y")
    assert "y1 after 3" in said
    assert "PLOT NUMBER 1: y1 at first; y1 after 1; y1 after 2; y1 after 3; y1 observed" in prey.report


def test_the_next_method_begins_anew(prey):
    prey(ROUNDS, "DFIT 3")
    assert len(prey.env.iterates) == 2


def test_of_many_rounds_some_are_shown(prey):
    prey("IFIT 3 .01 1e-6 1e-6 19 N")
    assert len(prey.env.iterates) == 21
    labels = [each.label for each in successive_guesses(prey.env)]
    assert labels == ["y2 at first", "y2 after 5", "y2 after 10", "y2 after 15", "y2 after 20"]
    assert len(labels) == MOST_SHOWN
    assert len(successive_integrations(prey.env)) == MOST_SHOWN + 1
    styles = {(each.kind, each.number) for each in successive_guesses(prey.env)}
    assert len(styles) == MOST_SHOWN, "all of them can be told apart"


def test_rounds_that_cannot_be_integrated_are_shown_as_far_as_they_go(begin):
    session = begin(data=only("predator-prey", "y1"))
    ready(session, "c")
    said = session("DFIT 3", "PLOT INTEGRATIONS")
    assert "cannot be integrated" in session.errors
    assert "y1 after 1" in said
    runs = successive_integrations(session.env)
    reached = np.isfinite(runs[1].y)
    assert reached[0]
    assert not reached.all()
    assert np.isfinite(runs[0].y).all()


def test_a_picture_of_the_rounds_in_a_file(prey, tmp_path):
    prey(ROUNDS, "PLOT ROUNDS rounds.svg")
    assert (tmp_path / "rounds.svg").stat().st_size > 1000


def test_other_data_or_another_model_end_them(prey):
    prey(ROUNDS, "MODEL par p7=1")
    assert "no iterated method has been used yet" in prey.refused("PLOT ROUNDS")
