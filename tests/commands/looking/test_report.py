"""REPORT: all twelve items, their numbers computed by other means."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conversation import columns_of
from discrete import differences, trapezoidal
from problems import PROBLEMS
from scipy.integrate import solve_ivp

from parfit.data.observations import make_observations
from parfit.model.curves import interpolating, least_squares
from parfit.session.records import Guess, Smoothing

[PREY] = [problem for problem in PROBLEMS if problem.name == "predator-prey"]
HALVES = np.arange(0.5, 12.75, 0.5)
DIGITS = 5.1e-7  # of numbers in reports, relative
WORDS = ["GENERAL", "OBS", "PAR", "CREATION", "STATES", "SMOOTHING"]
WORDS += ["JACOBIAN", "DETAILS", "STATISTICS", "OPTIONS", "WEIGHTS", "GUESSES"]
READ = re.compile(r"> |: |  more ")  # before what was read
# What each item is called in the manual's menu (Appendix A, REPORT).
MENU = [
    "GENERAL DATA",
    "OBS",
    "PAR",
    "CREATION",
    "PTS AND STATE VARS",
    "SMOOTHING DATA",
    "JACOBIAN",
    "INTEG./OPT. DETAILS",
    "STATISTICAL DATA",
    "OPTION SETTINGS",
    "WEIGHTS",
    "GUESSED OBS",
]


def by_the_rule(values):
    return replace(PREY, times=HALVES, p=tuple(values), initial=lambda p: [2.0, 8.0])


def derivatives_of(text):
    """Times, names and the derivatives of a printed Jacobian, and what they are by."""
    lines = text[text.index("\n   t  of") if "\n   t  of" in text else text.index("t  of") - 1 :].strip().split("\n")
    labels = [label.strip() for label in lines[0].split("by ")[1:]]
    rows = [line.split() for line in lines[1:] if len(line.split()) == 2 + len(labels)]
    return (
        [float(row[0]) for row in rows],
        [row[1] for row in rows],
        np.array([row[2:] for row in rows], float),
        labels,
    )


def test_the_menu_is_the_manuals(session):
    typist = session.typed("REPORT", "0")
    menu = typist.asked[1][1].split("\n")
    assert menu[0] == "ENTER LIST OF ITEMS TO PRINT (END WITH 0)"
    assert [line.rstrip("0123456789").rstrip("-") for line in menu[1:]] == MENU
    assert [int(line[line.rindex("-") + 1 :]) for line in menu[1:]] == list(range(1, 13))


def test_what_is_no_item_is_told_of_files_too(session):
    assert "REPORT HTML writes a page" in session.refused("REPORT 3 HTML")


@pytest.mark.parametrize("number", range(1, 13))
def test_numbers_words_and_cards_are_the_same(session, number):
    session("INTEG Y")
    forms = [
        [f"REPORT {number}"],
        [f"report {WORDS[number - 1].lower()}"],
        ["REPORT", f"{number} 0"],
        ["REPORT", WORDS[number - 1], ""],
    ]
    texts = ["".join(line for line in session(*form).splitlines(True) if not READ.match(line)) for form in forms]
    assert len(set(texts)) == 1
    assert len(texts[0]) > 20
    blocks = session.report.split(f"> REPORT {WORDS[number - 1]}\n")[1:]
    assert [block.split("\n\n", 1)[1] for block in blocks] == texts, "all of it goes to the report"


def test_several_items_in_the_order_asked_for(session):
    said = session("REPORT 10 3 1")
    places = [said.index(title) for title in ("OPTION SETTINGS", "\nPARAMETERS\n", "GENERAL DATA")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("number", "reason"),
    [(4, "CREATE"), (5, "INTEG"), (6, "SMOOTH"), (7, "INTEG"), (8, "OPTION OUTPUT 1"), (9, "STATS"), (12, "CREOBS")],
)
def test_what_is_not_there_is_said_and_the_rest_is_reported(session, number, reason):
    said = session(f"REPORT {number} 1")
    told = next(line for line in said.split("\n") if line.startswith(f"{MENU[number - 1]}: "))
    assert reason in told
    assert "GENERAL DATA: predator-prey" in said
    assert told in session.report


def test_observations_that_are_not_there(begin):
    said = begin("predator-prey", None)("REPORT 1 2 11")
    assert said.count("there are no observations; LOAD DATA FILE reads some, CREATE simulates some") == 2
    assert "NUMBER OF VARIABLES OBSERVED  0" in said


def test_refusals(session):
    assert "'13' is not on the menu" in session.refused("REPORT 13")
    assert "could be several; enter 5 or STATES, 9 or STATISTICS" in session.refused("REPORT STAT")


# ---- item by item


def test_1_general_data(begin):
    data = make_observations([1, 2, 2, 3], ["y2"], [[1.0], [2.0], [3.0], [np.nan]])
    said = begin(data=data)("REPORT 1")
    rows = dict(line.rsplit(maxsplit=1) for line in said.split("\n")[2:] if line)
    assert rows == {
        "NUMBER OF PARAMETERS": "6",
        "NUMBER OF STATE VARIABLES": "2",
        "NUMBER OF VARIABLES OBSERVED": "1",
        "VARIABLES OBSERVED": "y2",
        "NUMBER OF OBSERVATION TIMES": "3",
    }


def test_2_observations(session):
    headings, table = columns_of(session("REPORT OBS"), "t")
    data = session.env.observations
    assert headings == ["t", "y1", "y2"]
    np.testing.assert_allclose(table, np.column_stack([data.times, data.values]), rtol=DIGITS)


def test_2_observations_with_gaps(begin):
    values = [[1.5, np.nan], [np.nan, 1234567.25], [1e-9, -3.0]]
    said = begin(data=make_observations([1, 2, 30], ["y1", "y2"], values))("REPORT OBS")
    np.testing.assert_allclose(columns_of(said, "t")[1][:, 1:], values, rtol=DIGITS)


def test_3_parameters(session):
    said = session("SET 1 2.5 3 7", "FREEZE 2 5", "SCALE 1 ROOT 5 LOG", "REPORT PAR")
    text = said[said.index("\nPARAMETERS\n") :]
    rows = [line for line in text.split("\n") if line[:1].isdigit()]
    heading = text.split("\n")[2]
    cells = [(line.split()[1], line.split()[2], line.split()[-1]) for line in rows]
    assert cells == [
        ("p1", "2.5", "1"),
        ("p2", "0.1", "0.1"),
        ("p3", "7", "3"),
        ("p4", "1", "1"),
        ("p5", "0.1", "0.1"),
        ("p6", "0.15", "0.15"),
    ], "current and starting values"
    assert heading.split() == ["parameter", "value", "scaled", "value", "scaling", "status", "started", "at"]
    assert ["frozen" in row for row in rows] == [False, True, False, False, True, False]
    assert [("log" in row, "square root" in row) for row in rows] == [
        (False, True),
        *[(False, False)] * 3,
        (True, False),
        (False, False),
    ]
    assert f"{np.sqrt(2.5):.7g}" in rows[0]
    assert f"{np.log(0.1):.7g}" in rows[4]


def test_4_creation(session):
    said = session("CREATE p1 1.25 0 1 2 0 y1 0 1e-8 5 0 .05 42", "REPORT CREATION")
    text = said[said.index("CREATION OF THE OBSERVATIONS") :]
    rows = [line.split()[1:] for line in text.split("\n") if line[:1].isdigit()]
    assert rows == [["p1", "1.25"], ["p2", "0.1"], ["p3", "3"], ["p4", "1"], ["p5", "0.1"], ["p6", "0.15"]]
    assert "STANDARD DEVIATION OF THE RANDOM ERROR  0.05" in text
    assert "SEED  42" in text


def test_4_creation_is_remembered_when_the_model_changes(session):
    """The parameters of then, even if the model has others now."""
    said = session("CREATE p1 1.25 0 1 2 0 y1", "MODEL par extra=3", "REPORT 4")
    text = said[said.index("CREATION OF THE OBSERVATIONS") :]
    assert "p1" in text
    assert "1.25" in text
    assert "extra" not in text


@pytest.mark.of_1977
def test_5_states_of_the_last_integration(session):
    said = session("SET 1 1.1", "INTEG N", "SET 1 9", "REPORT STATES")
    text = said[said.index("SAMPLE TIMES AND STATE VARIABLES") :]
    assert "1  p1           1.1" in text, "the parameters of the integration, not those of now"
    headings, table = columns_of(text, "t")
    assert headings == ["t", "y1", "y2"]
    problem = by_the_rule([1.1, 0.1, 3, 1, 0.1, 0.15])
    y = np.vstack([[2.0, 8.0], trapezoidal(problem, problem.p)])
    np.testing.assert_allclose(table, np.column_stack([np.arange(0, 12.75, 0.5), y]), rtol=DIGITS)


def test_5_aux_quantities_too(begin):
    said = begin("enzyme", "enzyme")("INTEG N", "REPORT 5")
    headings, table = columns_of(said, "t")
    assert headings == ["t", "y1", "y2", "product"]
    np.testing.assert_allclose(table[:, 3], 1 - table[:, 1] - table[:, 2] / 1000, atol=1e-6)


def with_curves(session):
    """Smoothing and guesses as SMOOTH and CREOBS will leave them."""
    env = session.env
    t, y = env.observations.times, env.observations.values
    curve = least_squares(t, y[:, 0], [4, 8], "spline")
    smoothing = Smoothing("spline", {"y1": np.array([4.0, 8.0])}, {"y1": curve})
    ends, heights = np.array([0.0, 6.0, 12.5]), np.array([8.0, 5.0, 6.0])
    guess = Guess(ends, heights, interpolating(ends, heights, "spline"))
    changed = replace(env, smoothing=smoothing, guesses={"y2": guess})
    session.interpreter.timeline = session.interpreter.timeline.then(changed)


def test_6_smoothing(session):
    with_curves(session)
    said = session("REPORT SMOOTHING")
    assert "LEAST SQUARES CUBIC SPLINE" in said
    assert "JOINTS FOR y1: 4 8" in said
    headings, table = columns_of(said, "t")
    assert headings == ["t", "y1", "y1'"]
    t, data = table[:, 0], session.env.observations
    np.testing.assert_array_equal(t, np.arange(0, 12.75, 0.5), "at the sample times")

    def basis(t, slope=False):  # truncated powers, which span the same space
        powers = [k * t ** max(k - 1, 0) if slope else t**k for k in range(4)]
        beyond = [np.maximum(t - joint, 0) for joint in (4, 8)]
        return np.column_stack([*powers, *(3 * b**2 if slope else b**3 for b in beyond)])

    fit = np.linalg.lstsq(basis(data.times), data.values[:, 0], rcond=None)[0]
    np.testing.assert_allclose(table[:, 1], basis(t) @ fit, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(table[:, 2], basis(t, slope=True) @ fit, rtol=1e-5, atol=1e-6)


def test_12_guesses(session):
    with_curves(session)
    said = session("REPORT GUESSES")
    assert "GUESSED OBSERVATIONS ON y2" in said
    np.testing.assert_array_equal(columns_of(said, "abscissae")[1], [[0, 8], [6, 5], [12.5, 6]])
    headings, table = columns_of(said[said.index("ordinates") :], "t")
    assert headings == ["t", "y2", "y2'"]
    parabola = np.polyfit([0, 6, 12.5], [8, 5, 6], 2)  # not-a-knot through three points
    np.testing.assert_allclose(table[:, 1], np.polyval(parabola, table[:, 0]), rtol=1e-6)
    np.testing.assert_allclose(table[:, 2], np.polyval(np.polyder(parabola), table[:, 0]), rtol=1e-5, atol=1e-6)


@pytest.mark.of_1977
def test_7_the_full_jacobian(session):
    said = session("SET 1 1.1", "INTEG Y", "SET 1 7", "REPORT JACOBIAN")
    text = said[said.index("FULL JACOBIAN") :]
    assert "1  p1           1.1" in text, "the parameters of the integration"
    times, names, table, labels = derivatives_of(text)
    assert labels == ["p1", "p2", "p3", "p4", "p5", "p6"]
    assert times == np.repeat(np.arange(0, 12.75, 0.5), 2).tolist()
    assert names == ["y1", "y2"] * 26
    expected = differences(by_the_rule([1.1, 0.1, 3, 1, 0.1, 0.15])).reshape(50, 6)
    assert (table[:2] == 0).all()
    np.testing.assert_allclose(table[2:], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


@pytest.mark.of_1977
def test_7_the_full_jacobian_follows_freezing_and_scaling(session):
    """d y / d log p = p d y / d p,  d y / d sqrt p = 2 sqrt p d y / d p."""
    said = session("FREEZE 2 6", "SCALE 1 LOG 3 ROOT", "INTEG Y", "REPORT 7")
    times, _, table, labels = derivatives_of(said[said.index("FULL JACOBIAN") :])
    assert labels == ["log p1", "sqrt p3", "p4", "p5"]
    expected = differences(by_the_rule([1, 0.1, 3, 1, 0.1, 0.15])).reshape(50, 6)[:, [0, 2, 3, 4]]
    expected = expected * [1.0, 2 * np.sqrt(3), 1, 1]
    np.testing.assert_allclose(table[2:], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    assert len(times) == 52


def test_7_the_full_jacobian_by_gears_method(session):
    """Against differences of accurate integrations by scipy."""
    said = session("OPTION 8 1 5 1e-8 6 0", "INTEG Y", "REPORT 7")
    table = derivatives_of(said[said.index("FULL JACOBIAN") :])[2]
    values = np.array([1, 0.1, 3, 1, 0.1, 0.15])

    def solved(p):
        return solve_ivp(PREY.rhs, (0, 12.5), [2.0, 8.0], "DOP853", HALVES, args=(p,), rtol=1e-11, atol=1e-12).y.T

    for j, value in enumerate(values):
        step = np.zeros(6)
        step[j] = 1e-4 * value
        central = (solved(values + step) - solved(values - step)) / (2 * step[j])
        wide = (solved(values + 2 * step) - solved(values - 2 * step)) / (4 * step[j])
        expected = ((4 * central - wide) / 3).ravel()
        np.testing.assert_allclose(table[2:, j], expected, atol=2e-5 * np.abs(expected).max())


@pytest.mark.of_1977
def test_7_the_least_squares_jacobian(begin):
    """Of w (y - v) at the observations only, in the order of time and variable."""
    values = np.array([[2.0, np.nan], [2.5, 2.0], [2.6, 2.2], [np.nan, 1.5]])
    weights = [[1, 1], [0.5, 2], [3, 1], [1, 4]]
    data = make_observations([0.5, 1, 1, 2], ["y1", "y2"], values, weights)
    session = begin(data=data)
    said = session("OPTION 3 1", "SCALE 2 LOG", "SAMPLE 3 0 4 1", "INTEG Y", "REPORT 7")
    text = said[said.index("LEAST SQUARES JACOBIAN") :]
    times, names, table, labels = derivatives_of(text)
    assert times == [0.5, 1, 1, 1, 1, 2]
    assert names == ["y1", "y1", "y2", "y1", "y2", "y2"]
    assert labels[1] == "log p2"
    problem = replace(by_the_rule([1, 0.1, 3, 1, 0.1, 0.15]), times=[0.5, 1, 1.5, 2])  # 1.5 was inserted
    s = differences(problem) * [1, 0.1, 1, 1, 1, 1]
    expected = [s[0, 0], 0.5 * s[1, 0], 2 * s[1, 1], 3 * s[1, 0], s[1, 1], 4 * s[3, 1]]
    np.testing.assert_allclose(table, expected, rtol=1e-5, atol=1e-6)


def test_7_aux_quantities_have_derivatives_too(begin):
    said = begin("enzyme", "enzyme")("OPTION 8 1 5 1e-6 6 0", "INTEG Y", "REPORT 7")
    _, names, table, _ = derivatives_of(said[said.index("FULL JACOBIAN") :])
    assert names[:3] == ["y1", "y2", "product"]
    by_name = {name: table[[k for k, each in enumerate(names) if each == name]] for name in names[:3]}
    np.testing.assert_allclose(  # product = 1 - y1 - y2/p1; by p2 and p3, on which it depends through the states
        by_name["product"][:, 1:], -by_name["y1"][:, 1:] - by_name["y2"][:, 1:] / 1000, rtol=1e-5, atol=1e-6
    )


@pytest.mark.of_1977
def test_8_details(session):
    session("OPTION OUTPUT 10", "INTEG N")
    said = session("REPORT 8")
    headings, table = columns_of(said, "t")
    assert headings == ["t", "step", "order", "y1", "y2"]
    y = trapezoidal(by_the_rule([1, 0.1, 3, 1, 0.1, 0.15]), [1, 0.1, 3, 1, 0.1, 0.15])
    np.testing.assert_allclose(table, [[5, 0.5, 2, *y[9]], [10, 0.5, 2, *y[19]]], rtol=DIGITS)
    assert session.file("details") == "", "not accumulated by default"
    assert "INTEGRATION AND OPTIMIZATION DETAILS" not in session.report


@pytest.mark.parametrize("lines", [["REPORT 8 0 Y"], ["REPORT DETAILS 0 yes"], ["REPORT", "8 0", "Y"]])
def test_8_details_are_accumulated_under_numbers(session, lines):
    session("OPTION OUTPUT 10", "INTEG N", *lines, "SET 1 1.5", "INTEG N", *lines)
    text = session.file("details")
    assert [line for line in text.split("\n") if "NUMBER" in line] == [
        "OUTPUT REFERENCE NUMBER 1",
        "OUTPUT REFERENCE NUMBER 2",
    ]
    assert session.report.count("OUTPUT REFERENCE NUMBER IS 1\n") == 1
    assert session.report.count("OUTPUT REFERENCE NUMBER IS 2\n") == 1


def test_8_details_of_gears_method(session):
    said = session("OPTION 8 1 1 1 4 1 5 1e-4", "INTEG N", "REPORT 8")
    _, table = columns_of(said, "t")
    t, steps, orders = table[:, 0], table[:, 1], table[:, 2]
    assert (np.diff(t) > 0).all()
    np.testing.assert_allclose(np.diff(t), steps[1:], rtol=1e-4)
    assert set(orders) <= {1, 2, 3, 4, 5}, "the stiff formulas go up to 5"
    assert len(t) == session.env.integration.trajectory.counts.steps


def test_9_statistics(session):
    session("STATS 90")
    said = session("REPORT STATISTICS")
    assert "STATISTICAL DATA\nNUMBER OF OBSERVATIONS             50" in said
    assert "F DISTRIBUTION, 90 %" in said
    session("MODEL par extra=1")
    assert "no statistics have been computed" in session("REPORT 9"), "those were of another model"


@pytest.mark.parametrize(
    "change",
    [
        "WEIGHT 2 y1 0 3 .5",
        "OPTION EPS .002",
        "SET p1 2",
        "FREEZE p1",
        "SCALE p1 LOG",
        "BOUNDS p1 0 5",
        "SAMPLE MESH 5 .1",
    ],
)
def test_9_statistics_belong_to_what_they_were_computed_from(session, change):
    session("STATS 90")
    assert "F DISTRIBUTION, 90 %" in session("REPORT 9")
    said = session(change, "REPORT 9")
    assert "F DISTRIBUTION, 90 %" not in said
    assert "no statistics have been computed for the present" in said
    assert "F DISTRIBUTION, 90 %" in session("UNDO", "REPORT 9")


def test_10_option_settings(session):
    said = session("OPTION 1 3 4 0 5 1e-5 8 2", "REPORT OPTIONS")
    text = said[said.index("OPTION SETTINGS") :]
    rows = [line for line in text.split("\n") if line[:1].isdigit()]
    assert [row.split()[0] for row in rows] == list("12345678")
    assert rows[0].split()[1:] == ["OUTPUT", "3", "0", "0"]
    assert rows[3].split()[-6:] == ["0", "Adams", "2", "automatic", "1", "stiff"]
    assert rows[4].split()[1:] == ["EPS", "1e-05", "1e-06", "0.01"]
    assert rows[5].split()[1:] == ["HMIN", "0", "0", "1e-05"]
    assert rows[6].split()[1:] == ["HMAX", "none", "none", "5"]
    assert rows[7].split()[-6:] == ["2", "trapezoidal", "1", "Gear", "2", "trapezoidal"]


def test_11_weights(session):
    said = session("WEIGHT 2 y2 0 3 .5", "REPORT WEIGHTS")
    _, table = columns_of(said[said.rindex("WEIGHTS") :], "t")
    expected = np.ones((25, 2))
    expected[2, 1] = 0.5
    np.testing.assert_array_equal(table[:, 1:], expected)


@pytest.mark.parametrize("lines", [["REPORT 5 8 0 Y"], ["REPORT", "5 8 0", "N"], ["REPORT 8 0 N"]])
def test_details_that_there_are_not_can_be_asked_for_in_a_script(session, lines):
    """The same script passes after a FIT, where the question whether to accumulate them is put."""
    session("INTEG N", *lines, "SET 1 2")
    assert session.env.values[0] == 2.0
    assert session.file("details") == ""


def test_a_block_of_the_report_says_what_it_reports(session):
    session("SET 1 1.5", "FIT 1 .01 1e-6 1e-6 3", "SMOOTH 1 AUTO AUTO", "IFIT 1")
    blocks = session.report.split("\n> ")
    assert blocks[0].startswith("> FIT MARQUARDT 0.01 1e-06 1e-06 3 3\nMODEL predator-prey, DATA predator-prey.csv\n")
    assert "STOPPED: the limit of its work was reached" in blocks[0]
    assert any(block.startswith("IFIT REGULAR") for block in blocks)


# ---- files


def test_a_json_file_holds_what_is_known(session):
    from schemas import violations

    said = session("SET 1 .9", "REPORT JSON out.json")
    assert "written to out.json" in said
    found = json.loads(Path("out.json").read_text())
    assert violations(found) == []
    assert [each["value"] for each in found["parameters"]] == session.env.values.tolist()
    assert found["curves"] is None
    assert "in place of an older file" in session("REPORT json out.json curves")
    found = json.loads(Path("out.json").read_text())
    assert found["curves"]["time"] == session.env.samples.times.tolist()
    assert session.run.commands()[-1] == ["REPORT JSON out.json CURVES"]


def test_a_csv_file_holds_the_solution_and_its_derivatives(session):
    session("SET 1 .9", "INTEG Y", "REPORT CSV curves.csv")
    headers, *rows = csv.reader(Path("curves.csv").read_text().splitlines())
    assert headers[:4] == ["t", "y1", "y2", "d(y1)/d(p1)"]
    run = session.env.integration.trajectory
    numbers = np.array(rows, dtype=float)
    assert numbers[:, 1:3].tolist() == run.y.tolist()
    assert numbers[:, 3:].tolist() == run.s.reshape(len(rows), -1).tolist()


@pytest.mark.parametrize("form", ["JSON", "CSV", "HTML"])
def test_a_file_without_a_name_is_called_after_the_model(session, form, tmp_path):
    name = f"predator-prey-report.{form.lower()}"
    assert f"written to {name}" in session(f"REPORT {form}")
    assert session.run.commands()[-1] == [f"REPORT {form}"]
    assert Path(name).read_text()
    (tmp_path / "chosen").mkdir()
    session.run.folder, session.run.is_chosen = tmp_path / "chosen", True
    session(f"REPORT {form}")
    assert (tmp_path / "chosen" / name).read_text() == Path(name).read_text() or form == "HTML"


def test_curves_go_with_a_file_without_a_name(session):
    session("REPORT JSON CURVES")
    assert json.loads(Path("predator-prey-report.json").read_text())["curves"] is not None
    assert session.run.commands()[-1] == ["REPORT JSON CURVES"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("REPORT JSON a.json MORE", "'MORE' is more than the command can use"),
        ("REPORT CSV a.csv CURVES", "'CURVES' is more than the command can use"),
        ("REPORT JSON nowhere/a.json", "nowhere/a.json: cannot be written"),
    ],
)
def test_files_that_are_refused(session, line, error):
    assert error in session.refused(line)
    assert not Path("a.json").exists()
    assert not Path("a.csv").exists()
