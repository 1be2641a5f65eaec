"""Every rule of GUIDE in a situation of its own: what it says there, in which order, and that it can be obeyed."""

import numpy as np
import pytest
from coarse import TWO, setting
from conversation import assert_same
from situations import GEAR, ORDER, SITUATIONS, ids, predator, ruling

from parfit.advice import (
    RULES,
    advise,
    returning,
)
from parfit.advice.facts import Facts
from parfit.commands import TABLE
from parfit.data.observations import make_observations
from parfit.model.model import Model


def test_every_rule_has_a_situation():
    assert {each.rule for each in SITUATIONS} == set(RULES) - {returning.start_directly}


@pytest.mark.of_1977
@pytest.mark.parametrize(("lines", "command"), [([], "UNDO 2"), ([GEAR, "FIT MORE"], "SET p1 ")])
def test_going_back_keeps_the_integration_that_a_promise_rests_on(begin, monkeypatch, lines, command):
    """UNDO would take OPTION back as well; values that are set leave it as it is."""
    session = begin(*predator())
    session(setting(TWO), "SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE", *lines)
    facts = Facts(session.interpreter.timeline)
    monkeypatch.setattr(Facts, "seeking", True)
    monkeypatch.setattr(Facts, "minimal", True)
    monkeypatch.setattr(Facts, "other_ways", [(0.5 * facts.at.sum_of_squares, 2 + len(lines))])
    advice = returning.start_directly(facts)
    assert advice.command.startswith(command)
    assert "before IFIT" in advice.why
    assert ("integrated as now" in advice.why) is bool(lines)


def test_what_failed_is_not_advised_again(begin, monkeypatch):
    session = begin(*predator())
    session(setting(TWO))
    command = advise(session.interpreter.timeline).command
    session.interpreter.timeline = session.interpreter.timeline.without_effect(command, "it failed")
    assert advise(session.interpreter.timeline).command != command
    session("SET p1 .123")
    assert advise(session.interpreter.timeline).command == command


def test_a_command_that_fails_or_changes_nothing_is_remembered(begin):
    session = begin(*predator())
    session.refused("SET nobody 3")
    session("DATA")
    assert [each.line for each in session.interpreter.timeline.failed] == ["SET nobody 3", "DATA"]
    session("SET p1 2", "UNDO")
    assert len(session.interpreter.timeline.failed) == 2


def test_the_order_in_which_rules_are_asked():
    """What is asked first decides where several apply: an order is changed on purpose, or not at all."""
    assert [f"{rule.__module__.split('.')[-1]}.{rule.__name__}" for rule in RULES] == ORDER


@pytest.mark.parametrize(("factor", "far"), [(0.249, False), (0.251, True)])
def test_a_solution_is_far_from_the_data_from_a_quarter_of_their_spread_on(begin, factor, far):
    """q = -cos(pi t) is 1, -1, 1, -1, which spreads by 4; y = 0 was observed to be at a constant distance."""
    values = np.array([1.0, -1.0, 1.0, -1.0])
    offset = np.sqrt(factor)
    data = make_observations([1, 2, 3, 4], ["y", "q"], np.column_stack([np.zeros(4) + offset, values]))
    model = Model.from_text("par c=0\ny'=c\ninit y=0\naux q=-cos(pi*t)\n", "line")
    facts = Facts(begin(model, data).interpreter.timeline)
    assert facts.at.sum_of_squares == pytest.approx(4 * factor)
    assert facts.far is far


@pytest.mark.parametrize(("total", "back"), [(0.989, True), (0.991, False)])
def test_an_earlier_fit_is_better_from_a_hundredth_on(begin, monkeypatch, total, back):
    session = begin(*predator())
    session(GEAR, "FIT MORE")
    facts = Facts(session.interpreter.timeline)
    monkeypatch.setattr(returning, "_fits", lambda facts, minima: iter([(total * facts.at.sum_of_squares, 1)]))
    assert (returning.best_before(facts) is not None) is back


@pytest.mark.of_1977
@pytest.mark.parametrize("situation", SITUATIONS, ids=ids)
def test_what_is_advised(led_to, situation):
    session = led_to(situation)
    assert ruling(session) is situation.rule
    env, timeline = session.env, session.interpreter.timeline
    advice = advise(timeline)
    said = " ".join(session("GUIDE").split())
    assert advice.command in said
    for part in situation.says:
        assert part in said
    assert advice.command.startswith(situation.command)
    assert advice.done is situation.done
    assert 2 <= f"{advice.situation} {advice.why}".count(". ") + 1 <= 3, "two or three sentences"
    assert session.env is env, "GUIDE acts by itself"
    assert session.interpreter.timeline is timeline
    assert advise(timeline) == advice, "the same session, another advice"


@pytest.mark.of_1977
@pytest.mark.parametrize("situation", SITUATIONS, ids=ids)
def test_what_is_advised_can_be_obeyed(led_to, situation, tmp_path):
    (tmp_path / "data.csv").write_text("t,y\n1,.4\n2,.2\n", encoding="utf-8")
    session = led_to(situation)
    advice = advise(session.interpreter.timeline)
    command = advice.command
    assert TABLE.has(command.split()[0])
    n = len(session.entries)
    if advice.done and not advice.after:
        session("GUIDE Y")
        assert len(session.entries) == n, "there is nothing to be taken"
        return
    session("GUIDE Y", *situation.answers)
    entries = session.entries[n:]
    if command.split()[0] != "AUTO":  # which is written down as the commands of its way
        [entry] = entries
        assert entry.split()[0] == command.split()[0], "what was obeyed is what is written down"
    again = led_to(situation)
    again(*entries)
    assert_same(again.env, session.env)
