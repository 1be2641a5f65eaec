"""Results as text: numbers that can be read back, and columns that line up."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from conversation import columns_of, data_of, model_of
from hypothesis import given
from hypothesis import strategies as st

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.standard_errors import StandardErrors
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Note, Options
from parfit.session.results import Mark
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator
from parfit.text import report, report_items


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_have_seven_digits(value):
    text = report.number(value)
    assert float(text) == pytest.approx(value, rel=5.1e-7, abs=0)
    assert len(text) <= 14
    assert " " not in text


def test_what_is_not_known_is_blank():
    assert report.number(np.nan) == ""
    assert report.number(np.inf) == "inf"


def test_columns_line_up():
    text = report.columns(["", "name", "value"], [["1", "10"], ["a", "longer"], ["0.5", "-12"]], left=[1])
    assert text == "    name    value\n 1  a         0.5\n10  longer    -12"


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.one_of(st.none(), st.floats(-1e-9, 1e9))), min_size=1, max_size=8))
def test_tables_read_back(rows):
    t = np.array([row[0] for row in rows])
    y = np.array([np.nan if row[1] is None else row[1] for row in rows])
    headings, table = columns_of(report.table(["t", "y"], [t, y]), "t")
    assert headings == ["t", "y"]
    np.testing.assert_allclose(table, np.column_stack([t, y]), rtol=5.1e-7)


def test_counted():
    assert [report.counted(n, "step") for n in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]


def test_the_opening():
    model, data = model_of("predator-prey"), data_of("predator-prey")
    expected = "predator-prey: 2 state variables, 6 parameters, 50 observations on y1, y2, t = 0 to 12.5"
    assert report.opening(Environment.of(model, data)) == expected
    assert report.opening(Environment.of(model)) == "predator-prey: 2 state variables, 6 parameters, no observations"
    one = Model.from_text("par k=1\nx'=-k*x\ninit x=1\ndone", "small")
    assert report.opening(Environment.of(one)).startswith("small: 1 state variable, 1 parameter,")


def test_marks_and_notes():
    model = Model.from_text("par a=1, b=2\nx'=-a*x+b\ninit x=1\ndone")
    names = model.parameters
    kept = [Mark("first", names, np.array([1.0, 2.5]), None), Mark("second", names, np.array([0.125, 1e-9]), 3.25)]
    assert report.marks(Environment.of(model), kept).split("\n") == [
        "first: a = 1, b = 2.5",
        "second: a = 0.125, b = 1e-09; sum of squares 3.25",
    ]
    note = Note("a thought", datetime(2026, 2, 3, 4, 5, 6), ("k",), np.array([7.0]))
    assert report.notes([note]) == "2026-02-03 04:05  a thought\n    at k = 7", "the parameters are those of then"


def test_parameters_show_only_what_there_is():
    env = Environment.of(model_of("predator-prey"))
    heading = report.parameters(env).split("\n")[0].split()
    assert heading == ["parameter", "value", "started", "at"]
    assert "status" in report.parameters(env.with_frozen(["p1"])).split("\n")[0]


def test_option_settings_name_all_eight():
    *rows, last = report.options(Options()).split("\n")[1:]
    assert last.endswith("OPTION 1977 restores all defaults of the manual.")
    assert [row.split()[0] for row in rows] == list("12345678")
    values = [row.split()[-1] for row in rows]
    assert values == ["0", "no", "full", "stiff", "0.01", "1e-05", "5", "trapezoidal"], "the manual's"
    assert report.options(OF_1977).endswith("OPTION ACCURATE restores today's.")


def test_methods_in_words():
    model, times = model_of("predator-prey"), [0.0, 1.0]
    for method, words in (
        (Method("trapezoid"), "TRAPEZOIDAL METHOD ON THE SAMPLE TIMES, WITHOUT ERROR CONTROL"),
        (Method("gear", "adams", 1e-3, 1e-5, 5), "GEAR'S METHOD (ADAMS), EPS 0.001, HMIN 1e-05, HMAX 5"),
        (Method("gear", "bdf", 1e-3, 0, 2), "GEAR'S METHOD (STIFF), EPS 0.001, HMIN 0, HMAX 2"),
        (Method(), "GEAR'S METHOD (AUTOMATIC CHOICE), EPS 1e-06, HMIN 0, HMAX none"),
    ):
        assert report.method(Simulator(model, times, method)()) == words


def test_stiffness_is_mentioned_where_it_was_found():
    run = Simulator(model_of("enzyme"), [30.0], Method("gear", "auto", 1e-4, 0))()
    assert "found to be stiff at t = " in report.work(run)
    assert "stiff" not in report.work(Simulator(model_of("predator-prey"), [1.0], Method("gear", "adams", 1e-4, 0))())


def test_no_step_at_all_is_said():
    assert report.steps(model_of("enzyme"), []) == ["NO STEP WAS COMPLETED"]


def test_the_data_summary_of_a_variable_without_values():
    data = make_observations([1, 2], ["y1", "y2"], [[1.0, np.nan], [3.0, np.nan]], sds=[[0.5, np.nan], [2.0, np.nan]])
    env = Environment.of(model_of("predator-prey"), data)
    rows = report.data_summary(env).split("\n")
    assert rows[1].split() == ["y1", "2", "0", "1", "2", "1", "3", "0.5", "to", "2"]
    assert rows[2].split() == ["y2", "0", "2"]
    assert rows[3] == "standard deviations are given"


def test_a_long_model_does_not_break_the_reports():
    states = "\n".join(f"x{k}'=-k{k}*x{k}\ninit x{k}=1" for k in range(40))
    model = Model.from_text("\n".join([*(f"par k{k}=1" for k in range(40)), states, "done"]), "long")
    env = Environment.of(model, make_observations([1], ["x3"], [[0.5]]))
    run = Simulator(model, env.samples.times, Method("trapezoid"))(env.values, True)
    text = report_items.jacobian(env.with_integration(run))
    assert text.count("\n") > 80
    full = replace(env.with_integration(run), options=Options(jacobian=1))
    rows = report_items.jacobian(full).strip().split("\n")
    assert rows[-1].split()[:2] == ["1", "x3"]
    cells = np.array(rows[-1].split()[2:], dtype=float)
    exact = -1 / (1 + 0.5) ** 2  # of one trapezoidal step (1 - k/2) / (1 + k/2)
    np.testing.assert_allclose(cells, np.where(np.arange(40) == 3, exact, 0), rtol=1e-6)


def test_a_long_name_does_not_break_the_rows():
    map_ = ParameterMap(("k", "the_rate_of_elimination_of_the_drug"), np.array([1.0, 2.0]))
    rows = report.map_table(map_, np.array([1.0, 2.0])).splitlines()
    assert "the_rate_of_eliminatio.." in rows[2]
    assert max(map(len, rows)) < 60


def test_a_table_that_is_too_wide_leaves_the_scaled_values_out():
    map_ = ParameterMap(("k1", "k2"), np.array([1.2345678, 23.456789]), scaling=(Scaling.LOGARITHM, Scaling.NONE))
    start, values = np.array([1.2345678, 2.3456789]), np.array([0.01234567, 0.1234567])
    assert "scaled value" in report.map_table(map_, start)
    errors = StandardErrors(values, values, 1.0, 10, 8, None)
    wide = replace(map_, frozen=frozenset({1}), lower=np.array([0.1234567, 0.1234567]))
    table = report.map_table(wide, start, errors)
    assert "scaled value" not in table
    assert "scaling" in table
    assert "1.234568" in table
    assert "0.2107207" not in table  # the logarithm


def test_a_table_of_a_fit_keeps_to_a_line():
    names, full = ("k1", "k2"), np.array([1.2345678, 23.456789])
    upper = np.array([1234567.0, np.inf])
    map_ = ParameterMap(
        names, full, frozen=frozenset({1}), scaling=(Scaling.LOGARITHM,) * 2, lower=full / 7, upper=upper
    )
    start, errors = full / 3, StandardErrors(np.array([0.01234567, np.nan]), np.ones(1), 1.0, 10, 8, None)
    table = report.map_table(map_, start, errors)
    assert max(map(len, table.split("\n"))) <= report.WIDEST
    assert "frozen" in table.split("\n")[2]
    assert "started at" in table
    assert "1234567" in report.map_table(map_, start), "PARAMETERS shows the bounds"
