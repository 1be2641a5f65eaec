"""PLOT."""

from dataclasses import replace

import matplotlib.figure
import numpy as np
import pytest
from drawn import at

from parfit import plotting
from parfit.data.csvfile import read_csv
from parfit.data.observations import make_observations
from parfit.model.curves import interpolating, least_squares
from parfit.model.model import Model
from parfit.session.records import Guess, Smoothing


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were drawn, in order."""
    figures, draw = [], plotting.draw

    def watched(figure, *rest, **more):
        figures.append(figure)
        return draw(figure, *rest, **more)

    monkeypatch.setattr(plotting, "draw", watched)
    return figures


@pytest.fixture
def curves(begin):
    """A session with y1 smoothed and y2 guessed, as SMOOTH and CREOBS will leave it."""
    session = begin()
    session("INTEG N")
    env = session.env
    t, y = env.observations.times, env.observations.values
    smoothing = Smoothing("spline", {"y1": np.array([4.0, 8.0])}, {"y1": least_squares(t, y[:, 0], [4, 8], "spline")})
    ends = np.array([0.0, 6.0, 12.5])
    guess = Guess(ends, np.array([8.0, 5.0, 5.0]), interpolating(ends, [8.0, 5.0, 5.0], "hermite"))
    timeline = session.interpreter.timeline
    session.interpreter.timeline = timeline.then(replace(env, smoothing=smoothing, guesses={"y2": guess}))
    return session


def contents(figure):
    return [(series.label, series.kind, series.number) for series in figure.series]


STATES = [("y1", "solid", 0), ("y2", "solid", 1)]
OBSERVED = [("y1 observed", "points", 0), ("y2 observed", "points", 1)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["PLOT 1"], STATES),
        (["PLOT 2"], OBSERVED),
        (["PLOT 1 2"], STATES + OBSERVED),
        (["PLOT STATES OBSERVATIONS"], STATES + OBSERVED),
        (["plot st obs 0"], STATES + OBSERVED),
        (["PLOT 1 0 y2"], STATES[1:]),
        (["PLOT 1 0 2 1"], STATES[::-1]),
        (["PLOT 1 2 0 y1 0 y1 0 N"], [STATES[0], OBSERVED[0]]),
        (["PLOT 1 2 0 2 0 1 0"], [STATES[1], OBSERVED[0]]),
        (["PLOT", "1 2 0", "y1 0", "y2 0", "N"], [STATES[0], OBSERVED[1]]),
        (["PLOT", "1", "2", "0", "1", "0", "2", "0", "n"], [STATES[0], OBSERVED[1]]),
        (["PLOT", "1 2 0", "", "", ""], STATES + OBSERVED),
        (["PLOT", "1 0", "REPORT 1"], STATES),  # the next command, not an answer
    ],
)
def test_states_and_observations(session, drawn, lines, expected):
    session("INTEG N", *lines)
    [figure] = drawn
    assert contents(figure) == expected
    run, data = session.env.integration.trajectory, session.env.observations
    for series in figure.series:
        if series.kind == "points":
            np.testing.assert_array_equal(series.x, data.times)
            np.testing.assert_array_equal(series.y, data.values[:, series.number])
        else:
            np.testing.assert_allclose(at(series, run.times), run.y[:, series.number], rtol=1e-6)
            assert np.diff(series.x).max() < 12.5 / 250, "a smooth curve"
    shown = {label.split()[0] for label, _, _ in expected}
    up = "STATE" if len(shown) > 1 else shown.pop()
    assert (figure.x_label, figure.y_label, figure.title) == ("TIME", up, "predator-prey")


def test_the_plot_is_shown_with_its_legend(session):
    said = session("INTEG N", "PLOT 1 2")
    assert "TIME" in said
    assert "y1 observed" in said
    assert max(map(len, said.split("\n"))) <= 79
    assert said.isascii(), "where nothing else can be shown"


def test_smoothed_and_guessed_observations(curves, drawn):
    curves("PLOT 3", "PLOT SMOOTHED GUESSED 0 y1 0 y2 0", "PLOT 1 2 3 4")
    first, second, third = drawn
    assert contents(first) == [("y1 smoothed", "dashed", 0)]
    assert contents(second) == [("y1 smoothed", "dashed", 0), ("y2 guessed", "dotted", 1)]
    assert contents(third) == [*STATES, *OBSERVED, *contents(second)]
    smoothed, guessed = second.series
    data = curves.env.observations
    # An independent fit of the same space: the truncated power basis of cubic splines with joints 4 and 8.
    basis = [smoothed.x**k for k in range(4)] + [np.maximum(smoothed.x - joint, 0) ** 3 for joint in (4, 8)]
    at = [data.times**k for k in range(4)] + [np.maximum(data.times - joint, 0) ** 3 for joint in (4, 8)]
    fit = np.linalg.lstsq(np.column_stack(at), data.values[:, 0], rcond=None)[0]
    np.testing.assert_allclose(smoothed.y, np.column_stack(basis) @ fit, rtol=1e-6)
    known = np.isin(guessed.x, [0.0, 6.0, 12.5])
    assert guessed.x[known].tolist() == [0.0, 12.5] or guessed.x[known].tolist() == [0.0, 6.0, 12.5]
    assert guessed.y[0] == pytest.approx(8)
    assert guessed.y[guessed.x == 6.0] == pytest.approx(5)
    assert "y2 was not smoothed; smoothed are y1" in curves.refused("PLOT 3 0 y2")
    assert "y1 was not guessed; guessed are y2" in curves.refused("PLOT 4 0 1")


@pytest.mark.parametrize(
    ("lines", "x", "y"),
    [
        (["PLOT 5"], "y1", "y2"),
        (["PLOT PHASE"], "y1", "y2"),
        (["PLOT PHASE 0 y2 y1"], "y2", "y1"),
        (["PLOT 5 0 2 1 N"], "y2", "y1"),
        (["PLOT", "5 0", "y1", "t", "N"], "y1", "t"),
        (["PLOT PHASE 0 t y2"], "t", "y2"),
        (["PLOT PHASE 0 3 1"], "t", "y1"),
    ],
)
def test_phase_plots_of_any_two(session, drawn, lines, x, y):
    session("INTEG N", *lines)
    [figure] = drawn
    run = session.env.integration.trajectory
    columns = {"y1": run.y[:, 0], "y2": run.y[:, 1], "t": run.times}
    [series] = figure.series
    away = np.hypot(*(np.subtract.outer(*each) for each in ((columns[x], series.x), (columns[y], series.y))))
    assert away.min(axis=1).max() < 1e-6, "it passes through all points"
    assert series.x.size > 300
    assert (figure.x_label, figure.y_label) == (x, y)


def test_aux_quantities_are_plotted_too(begin, drawn):
    session = begin("enzyme", "enzyme")
    session("INTEG N", "PLOT 1 0 product", "PLOT PHASE 0 y1 product", "PLOT 1")
    run = session.env.integration.trajectory.fine
    product = 1 - run.y[:, 0] - run.y[:, 1] / 1000  # as the model defines it
    np.testing.assert_allclose(drawn[0].series[0].y, product, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(drawn[1].series[0].y, product, rtol=1e-12, atol=1e-15)
    assert contents(drawn[2]) == STATES, "the states are the default"


def test_a_phase_plot_stands_alone(session):
    assert "plot it alone" in session.refused("INTEG N", "PLOT 1 5")


def test_permanent_copies_are_numbered_and_recorded(session):
    session("INTEG N", "PLOT 1 2 0 y1 0 y1 0 Y", "SET 2 .2", "PLOT 1", "PLOT", "2 0", "y2 0", "Y")
    session("PLOT", "5 0", "y1", "y2", "y")
    report, graphs = session.report, session.file("graphs")
    for text in (report, graphs):
        assert [line.split(":")[0] for line in text.split("\n") if line.startswith("PLOT NUMBER")] == [
            "PLOT NUMBER 1",
            "PLOT NUMBER 2",
            "PLOT NUMBER 3",
        ]
        assert text.count("PARAMETERS: p1 = 1, p2 = 0.1,") == 2, "the phase plot is of the integration before SET"
        assert text.count("CHANGED SINCE TO: p1 = 1, p2 = 0.2,") == 1
        assert text.count("p2 = 0.2,") == 2
    assert "PLOT NUMBER 1: y1; y1 observed" in report
    assert "PLOT NUMBER 3: y2 against y1" in report
    assert graphs.count("TIME") == 2
    lines = graphs.split("\n")
    assert len(lines) > 3 * 40, "a large version of each"
    assert 100 < max(map(len, lines)) < 132, "that fits a printer"


def test_nothing_permanent_is_written_by_default(session):
    session("INTEG N", "PLOT 1")
    assert session.file("graphs") == ""
    assert session.report == ""


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("PLOT STATES OBSERVATIONS fit.png", ["fit.png"]),
        ("PLOT 1 fit.svg fit.pdf", ["fit.svg", "fit.pdf"]),
        ("PLOT 1 0 y1 0 fit.png", ["fit.png"]),  # as the answer to the last question
    ],
)
def test_pictures(session, tmp_path, line, files):
    said = session("INTEG N", line)
    heads = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    for name in files:
        assert (tmp_path / name).read_bytes().startswith(heads[name[-4:]])
        assert f"the picture is in {name}" in said
    assert session.file("graphs") == ""


def test_a_picture_that_cannot_be_written(session, tmp_path):
    assert "nowhere/fit.png" in session.refused("INTEG N", "PLOT 1 nowhere/fit.png")
    session.refused("PLOT 1 fit.png 0 y1 0 N more")
    assert not (tmp_path / "fit.png").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("PLOT 1", "INTEG does it"),
        ("PLOT 3", "SMOOTH does it"),
        ("PLOT 4", "CREOBS does it"),
        ("PLOT 5", "INTEG does it"),
        ("PLOT 2 0 y3", "'y3' is no observed variable"),
        ("PLOT 2 SIZE 6", "width and height in inches, such as 6x4"),
        ("PLOT 2 SIZE 0x4", "width and height in inches, such as 6x4"),
        ("PLOT 2 curve", "'curve' is neither a variable nor an item of PLOT; the variables are y1, y2"),
        ("PLOT 2 0 0", "no variables were chosen"),
        ("PLOT 20", "'20' is neither a variable nor an item"),
        ("PLOT fit.gif", "'fit.gif' will not do; pictures are files .png, .svg, .pdf"),
        ("PLOT 2 0 y1 0 fit.jpeg", "pictures are files .png, .svg, .pdf"),
        ("PLOT BAND 100", "'100' will not do here; enter a whole number from 1 to 99"),
        ("PLOT 2 0 y1 0 perhaps", "enter Y or N"),
    ],
)
def test_plot_refuses(session, line, message):
    assert message in session.refused(line)


def test_plot_needs_observations_on_the_variable(begin):
    assert "LOAD DATA" in begin("predator-prey", None).refused("PLOT 2")
    data = make_observations([1, 2], ["y2"], [[1.0], [np.nan]])
    session = begin(data=data)
    assert "y1 was not observed; observed are y2" in session.refused("PLOT 2 0 y1")
    session("PLOT 2")


def test_a_plot_changes_nothing_and_stays_after_set(session, drawn):
    """The states are those of the last integration."""
    session("INTEG N")
    before = session.env.integration.trajectory
    session("SET 1 9", "PLOT 1 0 y1")
    np.testing.assert_allclose(at(drawn[0].series[0], before.times), before.y[:, 0], rtol=1e-6)


# ---- variables by name, and the decks of 1977

CURVES = """\
par k=1, V=2
C'=-k*C
B'=k*C-V*B
C(0)=3
"""


@pytest.fixture
def named(begin):
    """A model whose variables begin like items of the menu: COMPUTED, BAND."""
    model = Model.from_text(CURVES, "named")
    return begin(model, make_observations([0.5, 1.0, 2.0], ["C"], [[2.0], [1.0], [0.5]]))


def test_a_variable_is_meant_rather_than_the_beginning_of_an_item(named):
    named("INTEG N")
    said = named("PLOT C")
    assert "C observed" in said
    assert "B" not in [line.strip() for line in said.split("\n")]
    assert "RESIDUAL" not in said
    assert named.entries[-1] == "PLOT C 0 N"
    assert "C observed" in named("PLOT c b"), "in either case of letters"
    assert named.entries[-1] == "PLOT C B 0 N"
    assert "C observed" not in named("PLOT B")
    assert "C observed" not in named("PLOT STATES C")
    assert "residual" in named("PLOT COMPUTED 0 C").lower()


# ---- PLOT as people type it


def test_plot_alone_draws_what_was_observed_and_its_solution(named, drawn):
    for line in (["PLOT"], ["PLOT 0"], ["PLOT", "NOTE and on"]):
        named(*line)
    for figure in drawn:
        assert contents(figure) == [("C", "solid", 0), ("C observed", "points", 0)]
        line = figure.series[0]
        np.testing.assert_allclose(line.y, 3 * np.exp(-line.x), rtol=1e-5)
    assert named.env.integration is None, "to look changes nothing"
    named("PLOT B", "SET k 2", "PLOT C")
    assert contents(drawn[3]) == [("B", "solid", 1)]
    line = drawn[4].series[0]
    np.testing.assert_allclose(line.y, 3 * np.exp(-2 * line.x), rtol=1e-5, err_msg="at the present parameters")
    assert [entry for entry in named.entries if entry.startswith("PLOT")][:2] == ["PLOT 0", "PLOT 0 N"]
    again = len(drawn)
    named(*named.entries)
    assert [contents(figure) for figure in drawn[again:]] == [contents(figure) for figure in drawn[:again]]


def test_plot_alone_asks_nobody_at_a_terminal(named, drawn):
    typist = named.typed("PLOT", "OPTION 1977", "PLOT", "2 0", "", "N")
    assert [contents(figure)[0][0] for figure in drawn] == ["C", "C observed"]
    asked = [text for _, text in typist.asked if "SEQUENCE OF ITEMS" in text]
    assert len(asked) == 1, "in the conversation of 1977"


def test_a_plot_can_be_kept_in_one_line(session):
    session("INTEG N", "PLOT 1 2 Y", "PLOT 1 N")
    assert "PLOT NUMBER 1: y1; y2; y1 observed; y2 observed" in session.report
    assert "PLOT NUMBER 2" not in session.report
    replayed = session.entries[1:]
    assert replayed[0].startswith("PLOT STATES OBSERVATIONS Y")


def test_titles_labels_and_size(named, drawn, tmp_path, monkeypatch):
    pages = []
    save = matplotlib.figure.Figure.savefig

    def kept(page, *rest, **more):
        pages.append(page)
        return save(page, *rest, **more)

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", kept)
    line = 'PLOT C LOGY TITLE Two compartments XLABEL "t [h]" YLABEL "C = C(t)" SIZE 6x4.5 fit.pdf'
    named(line)
    assert (drawn[0].title, drawn[0].x_label, drawn[0].y_label) == ("Two compartments", "t [h]", "C = C(t)")
    assert drawn[0].y_log
    assert (tmp_path / "fit.pdf").read_bytes().startswith(b"%PDF")
    assert pages[0].get_size_inches().tolist() == [6.0, 4.5]
    axes = pages[0].axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("t [h]", "C = C(t) (log)")
    named(named.entries[-1])
    assert drawn[1].title == "Two compartments"


def test_a_picture_that_is_there_is_asked_about_or_named_as_replaced(named, tmp_path):
    old = tmp_path / "fit.svg"
    old.write_text("old")
    named.typed("PLOT C fit.svg", "")
    assert old.read_text() == "old"
    assert "fit.svg was left as it is" in named.errors
    assert "the picture is in fit.svg, in place of an older file" in named("PLOT C fit.svg")
    assert old.read_text().startswith("<?xml")
    old.write_text("old")
    named.typed("PLOT C fit.svg", "Y")
    assert old.read_text().startswith("<?xml")
    assert named.entries[-1] == "PLOT C fit.svg 0 N", "played again there may be no such file"


def test_variables_of_other_sizes_have_plots_of_their_own(begin, drawn):
    data = [[100.0, 2.5], [50.0, 1.0]]
    session = begin(Model.from_text(CURVES, "named"), make_observations([1.0, 2.0], ["C", "B"], data))
    session("INTEG N", "PLOT", "PLOT C B TITLE both", "PLOT STATES OBSERVATIONS")
    assert [isinstance(picture, plotting.Grid) for picture in drawn] == [True, True, False]
    assert [panel.y_label for panel in drawn[0].panels] == ["C", "B"]
    assert (drawn[0].title, drawn[1].title) == ("named", "both")


@pytest.mark.parametrize("answers", [["Y"], ["y1 y2", "Y"], ["y1", "y2", "Y"]])
def test_a_phase_plot_of_two_states_asks_for_nothing_but_whether_to_keep_it(begin, answers):
    """Appendix A, PLOT: item 5 is for two states, and nothing is asked about it; names may follow all the same."""
    session = begin()
    session("INTEG", "N", "PLOT", "5 0", *answers)
    assert "PLOT NUMBER 1: y2 against y1" in session.report
    again = begin()
    again(*session.entries)
    assert again.file("graphs") == session.file("graphs")


def test_the_one_guess_is_plotted_without_a_question(begin):
    session = begin(data="predator-prey-y1")
    session("CREOBS 4 0 2.5 8.75 12.5 8 3 5 4", "PLOT", "4 0", "N", "PLOT", "4 0", "Y")
    assert "PLOT NUMBER 1: y2 guessed" in session.report
    session("PLOT GUESSED 0 y2 0 N", "PLOT 4 0 Y")
    assert "PLOT NUMBER 2: y2 guessed" in session.report


def test_units_of_the_data_stand_at_the_axes(begin, tmp_path):
    (tmp_path / "d.csv").write_text("Time [h],C [mg/L]\n0.5,2\n1,1\n")
    model = Model.from_text(CURVES, "named")
    session = begin(model, read_csv(tmp_path / "d.csv", model))
    said = session("PLOT C")
    assert "Time [h]" in said
    assert "C [mg/L]" in said
    assert "C [mg/L]" in session("DATA")


def test_move_shows_parts_on_the_whole_screen_and_leaves_the_last_one(named, drawn):
    """Scripts never wait: there all of the picture is drawn."""
    whole = named("PLOT C").split("\n")
    assert named("PLOT C MOVE").split("\n")[2:-2] == whole[2:-2]
    shown = []

    def show(view):
        shown.append(view)
        return view.press("+").press("+").press("+").press("q")

    named.interpreter.console.show_view = show
    named.typed("PLOT MOVE C")
    assert len(shown) == 1
    low, high = drawn[0].series[0].x[[0, -1]]
    middle, half = (low + high) / 2, (high - low) / 2 * (2 / 3) ** 3
    assert drawn[-1].x_range == pytest.approx((middle - half, middle + half))
    line = drawn[-1].series[0]
    np.testing.assert_allclose(line.y, 3 * np.exp(-line.x), rtol=1e-5, err_msg="the solution itself")
    assert named.entries[-1] == "PLOT MOVE C 0 N"
    assert named.interpreter.console.proposed == "", "who has just moved it knows how"


def test_keys_at_the_prompt_are_offered_after_a_plot_and_until_the_next_command(named):
    named.interpreter.console.show_view = lambda view: view
    named("PLOT C")
    assert named.interpreter.console.proposed == "", "nobody is there"
    named.typed("PLOT C LOGY")
    assert named.interpreter.console.proposed == "PLOT MOVE C LOGY 0 N"
    named.typed("REPORT 3")
    assert named.interpreter.console.proposed == ""


def test_bars_cannot_be_moved(session):
    session("INTEG N")
    assert "bars cannot be moved" in session.refused("PLOT VECTORS MOVE")
