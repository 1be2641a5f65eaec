"""A model under the conditions of one experiment, against the same model written by hand."""

import numpy as np
import pytest

from parfit.errors import ModelError
from parfit.model.conditions.design import Condition, Design, Dose
from parfit.model.conditions.joining import joined
from parfit.model.language.reader import read_model
from parfit.model.model import Model
from parfit.simulation.simulator import simulate

TEXT = "par k=.5, v=2\nnumber c=2\ngut'=-k*gut*c\ncen'=k*gut*c-cen/v\ninit gut=3, cen=.5\ndone\n"
TIMES = np.linspace(0.0, 6.0, 13)


def under(condition, text=TEXT):
    return joined(Model.from_text(text), Design((condition,)))


def same(condition, by_hand, text=TEXT):
    found, wanted = under(condition, text), Model.from_text(by_hand)
    assert (found.parameters, found.states) == (wanted.parameters, wanted.states)
    np.testing.assert_array_equal(simulate(found, TIMES).y, simulate(wanted, TIMES).y)


def test_constants_and_initial_values_are_set():
    same(Condition("x", {"c": 3.0, "cen(0)": 4.0}), TEXT.replace("c=2", "c=3").replace("cen=.5", "cen=4"))


def test_a_parameter_that_is_set_is_known():
    same(Condition("x", {"v": 5.0}), TEXT.replace(", v=2", "").replace("number c=2", "number c=2, v=5"))


def test_doses_are_those_of_the_language():
    doses = (Dose("gut", 2.0, (1.0, 3.0)), Dose("cen", 1.0, (2.0,), 1.5))
    by_hand = TEXT.replace("done", "dose gut=2 at 1,3\ndose cen=1 over 1.5 at 2\ndone")
    same(Condition("x", {}, doses), by_hand)


def test_a_reset_restores_the_initial_values_of_the_experiment():
    condition = Condition(
        "x", {"cen(0)": 1.0}, (Dose("gut", 2.0, (2.0,), resets=True), Dose("", 0.0, (4.0,), resets=True))
    )
    text = TEXT.replace("cen=.5", "cen=1").replace("done", "set gut=3+2; cen=1 at 2\nset gut=3; cen=1 at 4\ndone")
    same(condition, text)


def test_statements_of_the_experiment_count_and_settings_after_them():
    text = TEXT.replace(
        "done", "experiment fed: init gut=7\nexperiment fed: number c=9\nexperiment other: init gut=8\ndone"
    )
    design = Design((Condition("fed", {"c": 3.0}), Condition("other")))
    fed, other = (part.model for part in joined(Model.from_text(text), design).parts)
    wanted = Model.from_text(TEXT.replace("c=2", "c=3").replace("gut=3", "gut=7"))
    np.testing.assert_array_equal(simulate(fed, TIMES).y, simulate(wanted, TIMES).y)
    np.testing.assert_array_equal(simulate(other, TIMES).y[0], [8.0, 0.5])


def test_what_is_no_constant_cannot_be_set():
    with pytest.raises(ModelError, match="`q` is neither a parameter nor a constant"):
        under(Condition("fed"), TEXT.replace("done", "experiment fed: number q=1\ndone"))


def test_a_dose_into_what_is_no_state_says_where():
    with pytest.raises(ModelError, match=r"in experiment fed: .*a dose into `k`, which is a parameter"):
        under(Condition("fed"), TEXT.replace("done", "experiment fed: dose k=1 at 2\ndone"))


def test_a_table_of_one_experiment(tmp_path):
    """x' is the table: 1 everywhere but in b, where it is 3, and in c, where it is computed."""
    for name, value in (("one", 1), ("three", 3)):
        (tmp_path / f"{name}.csv").write_text(f"0,{value}\n9,{value}\n")
    text = "par k=1\nx'=k*z(t)\ntable z one.csv\nexperiment b: table z three.csv\n"
    text += "experiment c: table z % 2 0 9 5\ndone\n"
    (tmp_path / "m.ode").write_text(text)
    template = read_model(tmp_path / "m.ode")
    model = joined(template, Design(tuple(map(Condition, "abc"))))
    assert simulate(model, [2.0]).y[0].tolist() == pytest.approx([2.0, 6.0, 10.0], rel=1e-6)


def test_a_table_that_the_model_does_not_have_is_refused():
    template = Model.from_text("par k=1\nx'=k\nexperiment b: table z % 2 0 9 5\ndone\n", "m")
    with pytest.raises(ModelError, match="`z` is no table of the model"):
        joined(template, Design((Condition("a"), Condition("b"))))


def test_what_is_wrong_with_a_statement_of_one_experiment_is_told_with_its_line():
    template = Model.from_text("par k=1\nx'=k\nexperiment b: par m=3\ndone\n", "m")
    with pytest.raises(ModelError, match=r"m.ode:3: in experiment b: `m` is neither a parameter nor a constant"):
        joined(template, Design((Condition("a"), Condition("b"))))
