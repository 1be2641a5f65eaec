"""MODEL."""

import numpy as np
import pytest
from conversation import SCRIPT, model_of
from scipy.integrate import solve_ivp

from parfit import load_model
from parfit.estimation.parameters import Scaling
from parfit.session.sources import Script


def test_model_shows_the_model(session):
    for lines in (["MODEL"], ["model"], ["mod"]):
        said = session(*lines)
        assert "y1' = p1*y1 - p2*eaten - p6*y1^2" in said
        assert "y2(0) = 8" in said
        assert "Bazykin" in said
        assert "p6 = 0.15" in said


@pytest.mark.parametrize("line", ["MODEL DERIVATIVES", "model deriv"])
def test_model_shows_its_derivatives(session, line):
    said = session(line)
    rows = dict(row.strip().split(" = ", 1) for row in said.split("\n") if " = " in row)
    p = dict(p1=1.3, p2=0.2, p3=2.5, p4=0.9, p5=0.3, p6=0.15)  # noqa: C408
    point = {**p, "y1": 2.2, "y2": 3.3}

    def slope(name, k):
        def g(at):
            eaten = at["y1"] * at["y2"] / (1 + at["p5"] * at["y1"])
            first = at["p1"] * at["y1"] - at["p2"] * eaten - at["p6"] * at["y1"] ** 2
            return (first, -at["p3"] * at["y2"] + at["p4"] * eaten)[k]

        d = 1e-5
        shifted = [{**point, name: point[name] + sign * d} for sign in (1, -1)]
        return (g(shifted[0]) - g(shifted[1])) / (2 * d)

    known = {**point, "eaten": point["y1"] * point["y2"] / (1 + point["p5"] * point["y1"])}
    for k, equation in enumerate(("y1'", "y2'")):
        for name in point:
            shown = rows.get(f"d{equation}/d{name}")
            expected = slope(name, k)
            if shown is None:
                assert expected == pytest.approx(0, abs=1e-9), f"d{equation}/d{name} is missing"
            else:
                value = eval(shown.replace("^", "**"), {}, known)
                assert value == pytest.approx(expected, rel=1e-6), f"d{equation}/d{name}"


def test_an_edit_changes_the_equations(session):
    session("INTEG N", "MODEL y1' = p1*y1 - p2*y1*y2", "MODEL y2' = -p3*y2 + p4*y1*y2", "OPTION 8 1 5 1e-9 6 0")
    assert session.env.integration is None, "that was another model's"
    session("SET 4 .2", "INTEG N")

    def lotka_volterra(t, y):
        return [y[0] - 0.1 * y[0] * y[1], -3 * y[1] + 0.2 * y[0] * y[1]]

    times = session.env.samples.times
    y = solve_ivp(lotka_volterra, (0, 12.5), [2.0, 8.0], "DOP853", times, rtol=1e-11, atol=1e-12).y.T
    np.testing.assert_allclose(session.env.integration.trajectory.y, y, rtol=1e-5, atol=1e-6)
    assert load_model(session.run.folder / "model.ode").parameters == session.env.model.parameters


def test_what_survives_an_edit(session):
    session("SET 1 2 3 4", "FREEZE 2", "SCALE 3 LOG", "WEIGHT 2 y1 0 1 .5", "OPTION 5 1e-3", "NOTE here")
    session("MODEL par extra=7")
    env = session.env
    assert env.model.parameters == ("p1", "p2", "p3", "p4", "p5", "p6", "extra")
    assert env.values.tolist() == [2, 0.1, 4, 1, 0.1, 0.15, 7]
    assert env.first_values.tolist() == [1, 0.1, 3, 1, 0.1, 0.15, 7]
    assert env.parameters.frozen == {1}
    assert env.parameters.scaling[2] is Scaling.LOGARITHM
    assert env.observations.weights[0].tolist() == [0.5, 1]
    assert env.options.method.eps == 1e-3
    assert [note.text for note in env.notes] == ["here"]
    session("MODEL par p1=5")
    assert session.env.values[0] == 5, "a new value in the text is what is wanted"
    session("MODEL remove extra")
    assert session.env.model.parameters == ("p1", "p2", "p3", "p4", "p5", "p6")
    assert session.env.values.tolist() == [5, 0.1, 4, 1, 0.1, 0.15]


def test_aux_quantities_initial_values_and_removal(session):
    session("MODEL aux total=y1+y2", "MODEL y1(0)=3", "INTEG N")
    run = session.env.integration.trajectory
    np.testing.assert_allclose(run.column("total"), run.y.sum(axis=1), rtol=1e-12)
    assert run.y[0].tolist() == [3, 8]
    session("MODEL remove total")
    assert session.env.variables == ("y1", "y2")


TEXT = ["| # another one", "| par k=.5, a=2   # with a remark", "| x'=-k*x", "| x(0)=a", "| aux y1=2*x", "| done"]


@pytest.mark.of_1977
def test_a_text_replaces_the_model(session):
    session("SET 1 2", "MODEL TEXT", *TEXT, "INTEG N")
    env = session.env
    assert env.model.parameters == ("k", "a")
    assert env.model.states == ("x",)
    assert env.observations.names == ("y1",), "what can be used of the observations stays"
    assert "the observations of y2 have no place in this model" in session.errors
    np.testing.assert_array_equal(env.samples.times, np.arange(0, 12.75, 0.5))
    run = env.integration.trajectory
    np.testing.assert_allclose(run.y[:, 0], 2 * ((1 - 0.125) / (1 + 0.125)) ** np.arange(26), rtol=1e-12)
    assert "# with a remark" in session.file("model")
    entries = [entry for entry in session.entries if entry.startswith("|")]
    assert entries == TEXT
    session("UNDO 2")
    assert session.env.model is model_of("predator-prey")
    assert session.env.values[0] == 2
    assert session.env.observations.names == ("y1", "y2")


def test_a_text_at_a_terminal_ends_with_done_or_an_empty_line(session):
    session.typed("MODEL TEXT", "par k=.5", "x'=-k*x", "init x=1", "done", "SET k .25")
    assert session.env.model.states == ("x",)
    assert session.env.values.tolist() == [0.25]
    session.typed("MODEL TEXT", "par q=.5", "z'=-q*z", "init z=1", "", "SET q .75")
    assert session.env.values.tolist() == [0.75]


def test_history_counts_a_text_once(session):
    said = session("SET 1 2", "MODEL TEXT", *TEXT, "SET k 1", "HISTORY")
    numbered = [line for line in said[said.index("HISTORY") :].split("\n") if line[:4].strip().isdigit()]
    assert [line.split(maxsplit=1) for line in numbered] == [["1", "SET p1 2"], ["2", "MODEL TEXT"], ["3", "SET k 1"]]


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (["MODEL y1' = p1*("], "expected"),
        (["MODEL y1' = unknown*y1"], "unknown name `unknown`"),
        (["MODEL remove p1"], "`p1` is used in"),
        (["MODEL remove rate"], "there is no `rate` to remove"),
        (["MODEL TEXT"], ""),
        (["MODEL TEXT", "| x'=-k*x", "| done"], "unknown name `k`"),
        (["MODEL EDIT"], "MODEL EDIT needs a terminal"),
    ],
)
def test_model_refuses(session, cards, message):
    assert message in session.failing(Script(cards, SCRIPT))


def test_a_value_in_the_text_must_fit_the_scaling(session):
    assert "has no logarithm" in session.refused("SCALE 1 LOG", "MODEL par p1=-1")


def test_the_editor(session, monkeypatch, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/init y1=2/init y1=3/' \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    session.typed("MODEL EDIT")
    assert "y1(0) = 3" in session("MODEL")
    assert session.entries[0] == "MODEL TEXT"
    env = session.env
    session.typed("MODEL EDIT")
    assert "the model was not changed" in session.errors
    assert session.env is env
    editor.write_text("#!/bin/sh\nsed -i 's/par p1/par q1/' \"$1\"\n")
    session.typed("MODEL EDIT", "N")
    assert "unknown name `p1`" in session.errors
    assert session.env is env
    monkeypatch.setenv("VISUAL", "there-is-no-such-editor")
    session.typed("MODEL EDIT")
    assert "cannot be started" in session.errors
