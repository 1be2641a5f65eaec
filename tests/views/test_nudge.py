"""NUDGE without a terminal: what each key makes of the view, and what the view shows."""

import re
from dataclasses import replace

import numpy as np
import pytest
from conversation import data_of, model_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from parfit.estimation.parameters import Scaling
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Options, Samples
from parfit.simulation.method import Method
from parfit.views.nudge import Nudge
from parfit.views.view import END, NUMBER, UNDO

ENV = Environment.of(model_of("predator-prey"), data_of("predator-prey"), options=OF_1977)
MANY = Model.from_text(
    "par "
    + ", ".join(f"rate{k}={k}" for k in range(1, 41))
    + "\nx'=-x*(rate1"
    + "".join(f"+rate{k}" for k in range(2, 41))
    + ")/100\ninit x=1\ndone",
    "many",
)


def view_of(env=ENV, **how):
    return Nudge.of(env, env.simulator(), **how)


def pressed(*keys, env=ENV, **how):
    view = view_of(env, **how)
    for key in keys:
        view = view.press(key)
    return view


def shown(view, label):
    """A number of the table on the left."""
    return float(re.search(rf"^{label} +(\S+)", view.render(79, 24), re.M)[1])


# ---- choosing and changing


def test_up_and_down_choose_a_parameter():
    assert [pressed(*["down"] * n).name for n in (0, 1, 5, 9)] == ["p1", "p2", "p6", "p6"]
    assert pressed("down", "down", "up").name == "p2"
    assert pressed("up").name == "p1"
    assert pressed("end").name == "p6"
    assert pressed("end", "home").name == "p1"


def test_left_and_right_change_it_by_per_cent():
    assert pressed("right").env.values[0] == 1.02
    assert pressed("left", "left").env.values[0] == 0.96
    assert pressed("down", "right").env.values[1] == 0.102
    assert pressed("s-right").env.values[0] == 1.2
    assert pressed("s-left").env.values[0] == 0.8
    assert pressed("*", "right").env.values[0] == 1.05
    assert pressed("/", "right").env.values[0] == 1.01
    assert_array_equal(pressed("right").env.values[1:], ENV.values[1:])
    assert_array_equal(ENV.values, model_of("predator-prey").values)


def test_steps_stay_the_same_while_a_key_is_held_and_pass_0():
    assert pressed(*["left"] * 49).env.values[0] == 0.02
    assert pressed(*["left"] * 50).env.values[0] == 0.0
    assert pressed(*["left"] * 51).env.values[0] == -0.02


def test_steps_of_scaled_parameters_follow_the_scaling():
    logarithm = pressed("s", *["left"] * 200)
    assert logarithm.env.parameters.scaling[0] is Scaling.LOGARITHM
    assert logarithm.env.values[0] == pytest.approx(1.02**-200, rel=1e-7)
    root = pressed("s", "s", "*", "*", "right")
    assert root.env.parameters.scaling[0] is Scaling.SQUARE_ROOT
    assert root.env.values[0] == pytest.approx(1.1**2)
    ended = pressed("s", "s", "*", "*", *["left"] * 11)
    assert ended.env.values[0] == 0
    assert "p1 can go no farther than 0" in ended.message
    assert pressed("s", "s", "s").env.parameters.scaling[0] is Scaling.NONE


def test_a_number_is_typed():
    assert pressed("down", *"2.5e-1", "enter").env.values[1] == 0.25
    assert pressed(*"5,2", "enter").env.values[0] == 5.2
    assert pressed(*"-3", "enter").env.values[0] == -3
    assert pressed(*"12", "backspace", "enter").env.values[0] == 1
    assert pressed(*"12", "escape").env is ENV
    assert pressed("7", "q", "enter").env.values[0] == 7  # a letter is not part of a number, nor a key then
    wrong = pressed(*"1-2", "enter")
    assert wrong.env is ENV
    assert "is not a number" in wrong.message
    assert "p1 = 12_" in pressed(*"12").render(79, 24)
    refused = pressed("s", *"-3", "enter")
    assert refused.env.values[0] == 1
    assert "no logarithm" in refused.message


def test_bounds_are_kept():
    env = ENV.with_bounds([0.5, *[-np.inf] * 5], [1.03, *[np.inf] * 5])
    assert pressed("right", "right", env=env).env.values[0] == 1.03
    assert "no farther" in pressed("right", "right", "right", env=env).message
    assert pressed("s-left", "s-left", "s-left", "s-left", env=env).env.values[0] == 0.5
    outside = pressed("2", "enter", env=env)
    assert outside.env.values[0] == 2  # as SET allows
    assert "outside its bounds" in outside.message
    assert outside.press("left").env.values[0] == 1.96


# ---- the other changes


def test_freezing_and_freeing():
    assert pressed("f").env.parameters.frozen == {0}
    assert pressed("f", "down", "f").env.parameters.frozen == {0, 1}
    assert pressed("f", "f").env.parameters.frozen == set()
    assert pressed("f", "right").env.values[0] == 1.02
    last = pressed("f", *["down", "f"] * 5)
    assert last.env.parameters.frozen == {0, 1, 2, 3, 4}
    assert "at least one parameter must stay active" in last.message
    assert re.search(r"> p1 +1 frozen", pressed("f").render(79, 24))


def test_scaling_passes_over_what_the_value_does_not_allow():
    zero = ENV.with_values([0, *ENV.values[1:]])
    assert pressed("s", env=zero).env.parameters.scaling[0] is Scaling.SQUARE_ROOT
    negative = ENV.with_values([-1, *ENV.values[1:]])
    assert "no logarithm" in pressed("s", env=negative).message
    assert re.search(r"> p1 +1 log", pressed("s").render(79, 24))


def test_marks():
    view = pressed("right", "m", "right", "m")
    assert [(mark.name, mark.values[0]) for mark in view.env.marks] == [("m1", 1.02), ("m2", 1.0404)]
    assert view.env.marks[0].sum_of_squares == pytest.approx(pressed("right").content.total)
    assert "RECALL m2 brings it back, if the changes are kept" in view.message
    assert pressed("m", "u").env.marks == ()


def test_undo_and_redo():
    view = pressed("right", "right", "right", "down", "left", "f")
    assert view.press("u").env.parameters.frozen == set()
    twice = view.press("u").press("u")
    assert_array_equal(twice.env.values, [1.06, *ENV.values[1:]])
    all_back = twice.press("u")
    assert all_back.env is ENV
    assert not all_back.changed
    assert "nothing to undo" in all_back.press("u").message
    assert_array_equal(all_back.press("U").press("U").env.values, view.env.values)
    assert "nothing to redo" in view.press("U").message
    assert "nothing to redo" in view.press("u").press("right").press("U").message


def test_a_marquardt_step_is_that_of_the_normal_equations():
    """With the Jacobian from differences of an independent integration: (J'J + lambda D) step = -J'f (thesis, 2.2).

    Lambda is relative here, so that D holds the squares of the lengths of the columns.
    """
    env = ENV.with_options(Options(method=Method(eps=1e-10)))
    start = env.with_values([1.02, *ENV.values[1:]])

    def f(p):
        def rates(t, y):
            eaten = y[0] * y[1] / (1 + p[4] * y[0])
            return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten]

        times = env.observations.times
        run = solve_ivp(rates, (0, times[-1]), [2, 8], "DOP853", times, rtol=1e-11, atol=1e-12)
        return (run.y.T - env.observations.values).ravel()

    p = start.values
    steps = 1e-5 * np.maximum(np.abs(p), 0.1)
    jac = np.column_stack([(f(p + h * e) - f(p - h * e)) / (2 * h) for h, e in zip(steps, np.eye(6), strict=True)])
    free = [0, 1, 3, 4, 5]
    jac = jac[:, free]
    change = np.linalg.solve(jac.T @ jac + 0.01 * np.diag(np.sum(jac**2, axis=0)), -jac.T @ f(p))
    view = pressed("down", "down", "f", "g", env=start)
    assert_allclose(view.env.values[free], p[free] + change, rtol=1e-4)
    assert view.env.values[2] == 3
    assert view.content.total < view_of(start).content.total
    assert view.content.total == pytest.approx(np.sum(f(view.env.values) ** 2), rel=1e-6)
    assert "Marquardt step with lambda 0.01" in view.message
    assert view.lam == 0.001


def test_marquardt_steps_go_to_the_minimum_and_then_say_so():
    view = pressed(*["g"] * 30)
    assert "no Marquardt step" in view.message
    assert view.content.total < 0.3545
    assert_allclose(view.env.problem().evaluate(view.env.parameters.point).gradient, 0, atol=1e-3)


def test_no_marquardt_step_where_there_is_none_to_make():
    assert "no observations" in pressed("g", env=Environment.of(ENV.model)).message
    failing = pressed(*"5", "enter", "g")
    assert "cannot be integrated" in failing.message
    assert failing.env.values[0] == 5


# ---- what is seen


def test_the_sum_of_squares_and_its_changes_follow_at_once():
    first, view = view_of(), pressed("right", "right", "down", "left")
    before = pressed("right", "right")
    assert shown(view, "F") == pytest.approx(view.content.total, rel=1e-6)
    assert shown(view, "change") == pytest.approx(view.content.total - before.content.total, rel=1e-4)
    assert shown(view, "in all") == pytest.approx(view.content.total - first.content.total, rel=1e-4)
    assert shown(first, "change") == 0


def test_the_sum_of_squares_is_that_of_an_integration_of_its_own():
    times = data_of("predator-prey").times
    env = ENV.with_options(Options(method=Method(eps=1e-9)))
    p = np.array([1.02, 0.1, 3, 1, 0.1, 0.15])

    def rates(t, y):
        eaten = y[0] * y[1] / (1 + p[4] * y[0])
        return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten]

    run = solve_ivp(rates, (0, times[-1]), [2, 8], "DOP853", times, rtol=1e-10, atol=1e-12)
    expected = np.sum((run.y.T - env.observations.values) ** 2)
    assert shown(pressed("right", env=env), "F") == pytest.approx(expected, rel=1e-5)


def test_what_cannot_be_integrated_is_said_and_it_goes_on():
    view = pressed(*"5", "enter")
    text = view.render(79, 24)
    assert "the integration stopped: the trapezoidal rule found no solution for y1" in text
    assert re.search(r"^F +not known", text, re.M)
    back = view.press("u")
    assert "stopped" not in back.render(79, 24)
    assert shown(back, "F") == pytest.approx(0.3545851)
    assert "stopped" in pressed(*"5", "enter", "right").render(79, 24)


def test_without_observations_there_are_curves_but_no_sum_of_squares():
    text = pressed("right", env=Environment.of(ENV.model)).render(79, 24)
    assert "F not known" in text
    assert "no observations" in text
    assert "y2" in text
    mesh = ENV.with_samples(Samples(np.linspace(0, 12.5, 26), uniform=True))
    assert "see SAMPLE 1" in pressed(env=mesh).render(79, 24)


def test_other_pictures():
    assert "y1 residual" in pressed("r").render(79, 24)
    assert "y1 observed" in pressed("r", "r").render(79, 24)
    assert "y2 against y1" in pressed("p").render(79, 24)
    assert "y1 observed" in pressed("p", "p").render(79, 24)
    assert "y2 observed" not in pressed("v").render(79, 24)
    assert "y1 observed" not in pressed("v", "v").render(79, 24)
    assert "y1 observed" not in pressed("V").render(79, 24)
    assert "y2 observed" in pressed("v", "V").render(79, 24)
    assert "no other variables" in pressed("p", "v").message


def test_zooming():
    def axis(view):
        line = [each for each in view.render(79, 24).split("\n") if re.fullmatch(r".{24} [ \d.]+", each)][-1]
        return [float(word) for word in line[24:].split()]

    assert axis(pressed())[-1] == 12
    assert axis(pressed("z")) == [3, 4, 5, 6, 7, 8, 9]
    assert axis(pressed("z", "<")) == [2, 3, 4, 5, 6, 7, 8]
    assert axis(pressed("z", ">")) == [5, 6, 7, 8, 9, 10, 11]
    assert axis(pressed("z", "Z")) == axis(pressed("z", "z", "a")) == axis(pressed())
    assert "all times are shown" in pressed("<").message


def test_the_table_shows_the_chosen_one_of_many():
    env = Environment.of(MANY)
    view = pressed(*["down"] * 24, env=env)
    text = view.render(79, 24)
    assert re.search(r"^> rate25 +25", text, re.M)
    assert "rate40" not in text
    assert "of 40" in text
    assert re.search(r"^> rate40 +40", pressed("end", env=env).render(79, 24), re.M)
    assert len(text.split("\n")) == 24


@pytest.mark.parametrize("size", [(79, 24), (199, 50), (119, 35), (60, 16), (45, 13), (40, 12), (400, 100)])
@pytest.mark.parametrize("keys", [(), ("r",), ("p",), ("?",), ("5", "enter"), ("1",), ("right", "q"), ("f", "s")])
def test_every_screen_fits(size, keys):
    for how in ({"unicode": False}, {"unicode": True}):
        lines = pressed(*keys, **how).render(*size).split("\n")
        assert len(lines) <= size[1]
        assert max(map(len, lines)) <= size[0]
        assert how["unicode"] or "\n".join(lines).isascii()


def test_a_large_screen_is_used():
    text = pressed("right").render(199, 50)
    lines = text.split("\n")
    assert len(lines) == 50
    assert max(map(len, lines)) > 190
    assert "began at" in text
    assert re.search(r"> p1 +1.02 +1\b", text)


def test_a_window_that_is_too_small_says_so():
    assert "larger" in pressed().render(30, 8)
    assert max(map(len, pressed().render(10, 3).split("\n"))) <= 10


def test_colour_only_where_it_is_wanted():
    assert "\x1b" not in pressed().render(79, 24)
    text = pressed("down", colour=True).render(79, 24)
    assert re.search(r"\x1b\[7m> p2 .*?\x1b\[0m", text)
    assert re.sub(r"\x1b\[[\d;]*m", "", text) == pressed("down").render(79, 24)


def test_every_key_is_on_the_screen_and_on_the_page_of_help():
    bottom = " ".join(" ".join(pressed().render(79, 24).split("\n")[-3:]).split())
    page = pressed("?").render(79, 24)
    assert len(page.split("\n")) <= 24
    for key in (*Nudge.keys, NUMBER, UNDO, *END):
        assert " ".join(key.brief.split()) in bottom
        assert re.search(rf"^{re.escape(key.shown)} ", page, re.M)
        assert key.sentence in page
    named = {word.lower() for key in Nudge.keys for word in (*key.shown.split(), *re.findall(r"\w+", key.sentence))}
    assert {key.removeprefix("s-").lower() for key in Nudge.actions} <= named


def test_where_there_is_no_room_for_all_keys_the_help_is_there():
    *_, last = lines = pressed().render(60, 16).split("\n")
    assert len(lines) == 16
    assert last.endswith("? help")
    assert all(word in last for word in ("z Z zoom", "u U undo redo"))
    assert "Esc" not in last


# ---- leaving


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        (("enter", "enter"), "kept"),
        (("enter", "y"), "kept"),
        (("q", "y"), "kept"),
        (("q", "n"), "discarded"),
        (("q", "x"), ""),
        (("q", "escape"), ""),
        (("escape",), "discarded"),
        (("c-c",), "discarded"),
        (("c-d",), "discarded"),
        (("q", "c-c"), "discarded"),
        (("?", "c-c"), "discarded"),
        (("?", "escape"), ""),
        (("?", "right"), ""),
        (("1", "c-c"), "discarded"),
    ],
)
def test_how_it_is_left(keys, outcome):
    assert pressed("right", *keys).outcome == outcome
    assert pressed("right", *keys).env.values[0] == 1.02


def test_nothing_is_asked_when_nothing_was_changed():
    assert pressed("enter").outcome == "discarded"
    assert pressed("right", "u", "q").outcome == "discarded"
    assert pressed("right", "left", "f", "f", "enter").outcome == "discarded"
    assert pressed("right", "left", "m", "enter").outcome == ""
    assert "KEEP the changes?" in pressed("right", "q").render(79, 24)


def test_a_key_that_answers_nothing_is_pressed_all_the_same():
    assert pressed("right", "enter", *"-3", "enter").env.values[0] == -3
    assert pressed("right", "q", "right").env.values[0] == 1.04
    assert "KEEP" not in pressed("right", "q", "right").render(79, 24)


def test_what_is_said_takes_two_lines_where_it_must():
    view = replace(pressed(), message="the first and the last sample time are needed " * 2 + "to the end")
    lines = view.render(79, 24).split("\n")
    assert len(lines) == 24
    assert " ".join(lines[-5:-3]) == view.message


def test_overflow_is_no_warning():
    """Warnings are errors here; in a conversation they would be written over the screen."""
    env = ENV.with_observations(replace(ENV.observations, weights=np.full((25, 2), 1e200)))
    view = pressed("right", "g", env=env)
    assert re.search(r"^F +not known", view.render(79, 24), re.M)


def test_the_uncontrolled_rule_is_named():
    assert "trapezoidal rule" in pressed().render(79, 24)
    gear = ENV.with_options(Options())
    assert "trapezoidal" not in pressed(env=gear).render(79, 24)


@pytest.mark.parametrize("size", [(43, 14), (40, 12), (60, 16)])
def test_the_page_of_help_names_every_key_on_a_small_screen(size):
    page = pressed("?").render(*size)
    for key in (*Nudge.keys, NUMBER, UNDO, *END):
        assert key.brief in page
    assert "larger window" in page


def test_other_keys_do_nothing():
    for key in ("x", "f5", "tab", "ä", "c-a", "pageup"):
        assert pressed(key).content.env is ENV


def test_after_the_end_keys_count_no_more():
    assert pressed("right", "q", "y", "right").env.values[0] == 1.02
