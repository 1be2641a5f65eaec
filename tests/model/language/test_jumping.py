"""Statements that make states jump: what they mean, what is wrong with them, and that they can be written again."""

import numpy as np
import pytest

from parfit import Method, Model, Simulator
from parfit.errors import ModelError
from parfit.model.language.editing import edit, text_of
from parfit.model.language.expression import Number
from parfit.model.language.typeset import typeset
from parfit.model.language.writing import model_text

PK = "par ka=1, cl=3, v=30, lag=.5\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\nnumber k=0\n"
TIMES = np.array([0.0, 1.0, 2.5, 6.0, 25.0])


def of(line):
    return Model.from_text(PK + line)


def numbers(jump):
    return [each.value for each in jump.times if isinstance(each, Number)]


def test_times_are_numbers_lists_and_expressions():
    model = of("dose gut=50 at 0(24)96, 100, lag+1, -3*(1-3)")
    (jump,) = model.jumps
    assert numbers(jump) == [0.0, 24.0, 48.0, 72.0, 96.0, 100.0, 6.0]
    assert len(jump.times) == 8
    assert [each.adds for each in jump.assignments] == [True]


def test_a_list_with_steps_that_are_no_binary_numbers_reaches_its_end():
    assert numbers(of("dose gut=1 at 0(.1).7").jumps[0]) == pytest.approx(np.arange(8) / 10)


def test_a_constant_that_is_assigned_to_is_a_state_that_only_jumps():
    model = of("set k=k+1; gut=0 at 2")
    assert model.states == ("gut", "cen", "k")
    assert model.held == ("k",)
    assert Simulator(model, TIMES)().column("k").tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]


def test_a_model_begins_with_the_first_jump():
    assert of("dose gut=50 at -24, 0").t0 == -24.0
    assert of("dose gut=50 at 5").t0 == 0.0
    assert of("dose gut=50 over 2 at -24, 0").t0 == -24.0


def test_words_of_statements_are_still_names():
    model = Model.from_text("par dose=3, set=1, over=2\nat'=-dose*at+set*over\nat(0)=1\ndone")
    assert model.states == ("at",)
    assert model.jumps == ()
    named = Model.from_text("par k=1\ndose'=-k*dose\nx=dose\nset one {k=3}\nonly x\ndone")
    assert named.states == ("dose",)
    assert named.sets == (("one", (("k", 3.0),)),)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("dose c=5 at 1", "`c`, which is not defined; expected a state (gut, cen)"),
        (
            "dose cl=5 at 1",
            "`cl`, which is a parameter; expected a state (gut, cen) or, for cl to jump, number cl=...",
        ),
        ("dose gut=5", "the time is missing; expected dose gut=50 at"),
        ("set gut=5", "the time is missing; expected set a=a+5; b=0 at 7"),
        ("set gut at 5", "assigns nothing"),
        ("set at 5", "nothing is assigned"),
        ("set gut=1; gut=2 at 5", "assigned twice"),
        ("set gut= at 5", "assigns nothing"),
        ("set gut=1 at", "an expression is missing"),
        ("set gut=1 at 2,", "an expression is missing"),
        ("dose gut=5 at 10(1)5", "is no list of times"),
        ("dose gut=5 at 0(0)5", "is no list of times"),
        ("dose gut=5 at 0(1e-9)5", "at most 10000"),
        ("dose gut=5 at cen", "the time uses `cen`, which changes with time"),
        ("dose gut=cen over 2 at 0", "the amount uses `cen`, which changes with time"),
        ("dose gut=5 over 0 at 1", "an infusion must take some time"),
        ("dose gut=5 at 1/0", "the time is"),
        ("dose gut=5 at -1\n@ t0=0", "t = -1 lies before the beginning, t0 = 0"),
        ("dose gut=5 at 2 3", "a statement of this kind is dose gut=50"),
        ("global 2 {t-5} {gut=0}", "`global` takes 1, -1 or 0"),
        ("global 1 {t-5} {gut}", "assigns nothing"),
        ("global 1 {} {gut=0}", "an expression is missing"),
        ("global 1 {wrong-5} {gut=0}", "unknown name `wrong`"),
    ],
)
def test_what_is_wrong_says_where_and_what(line, says):
    with pytest.raises(ModelError) as caught:
        of(line)
    assert says in caught.value.message
    assert caught.value.line == 5


@pytest.mark.parametrize(
    "line",
    [
        "set gut=gut/2; cen=gut at 2, lag*3",
        "dose gut=50; cen=lag at 0(2)6",
        "dose gut=50 over 2 at lag",
        "global -1 {gut-cen} {gut=gut+5; cen=0}",
        "set k=cen at 2",
    ],
)
def test_what_is_written_from_expressions_means_the_same(line):
    model = of(line)
    again = Model.from_text(model_text(model))
    method = Method(eps=1e-9)
    start = np.array([10.0, 1.0, 0.0][: len(model.states)])
    first, second = (Simulator(each, TIMES, method)(y_start=start, sensitivities=True) for each in (model, again))
    assert first.status
    assert np.array_equal(first.y, second.y)
    assert np.array_equal(first.s, second.s)


def test_jumps_are_shown_added_and_removed():
    model = of("dose gut=50 at 0")
    assert "Jumps\n  dose gut=50 at 0" in typeset(model)
    changed = edit(model, "set cen=0 at 5")
    assert len(changed.jumps) == 2
    assert "set cen=0 at 5" in text_of(changed)
    assert len(edit(changed, "remove dose gut=50 at 0").jumps) == 1
    assert "global 1 {t-5} {gut=0}" in typeset(Model.from_text(model_text(of("global 1 {t-5} {gut=0}"))))


def test_a_state_that_a_dose_needs_cannot_be_removed():
    with pytest.raises(ModelError, match="is used in `dose gut=50 at 0`"):
        edit(Model.from_text("par k=1\ngut'=-1\ncen'=-k\ndose gut=50 at 0"), "remove gut")


@pytest.mark.parametrize(
    ("lines", "when"),
    [
        ("set gut=1 at 2\nset GUT=3 at 2", "t = 2"),
        ("set gut=1 at 0(1)4\nset cen=0; gut=3 at 3", "t = 3"),
        ("set gut=1 at lag+1\nset gut=3 at lag+1", "the same time"),
    ],
)
def test_two_values_at_one_time_are_refused_with_both_lines(lines, when):
    with pytest.raises(ModelError, match=f"is set at {when.replace('+', '.')} in line 5, too; expected one") as caught:
        of(lines)
    assert caught.value.line == 6


def test_doses_at_one_time_are_added_and_values_at_several_times_count():
    model = of("dose gut=50 at 0\ndose gut=30 at 0\nset cen=1 at 1\nset cen=2 at 2")
    run = Simulator(model, [0.0, 1.0, 2.0])()
    assert run.column("gut")[0] == 80.0
    assert list(run.column("cen")[1:]) == [1.0, 2.0]


def test_what_holds_in_one_experiment_may_set_what_is_set_everywhere():
    assert of("set gut=1 at 2\nexperiment low: set gut=3 at 2").jumps
