"""PLOT beyond solutions and observations: residuals, small plots, logarithms, bands, sensitivities, marks, vectors."""

import re

import matplotlib.figure
import numpy as np
import pytest
from conversation import data_of
from drawn import at
from scipy.integrate import solve_ivp
from scipy.stats import t as student

from parfit import plotting
from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.plotting import Bars, Figure, Grid, text

ACCURATELY = "OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0"
LINE = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\ndone", "line")
X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])


@pytest.fixture
def drawn(monkeypatch):
    """The pictures that were drawn, in order."""
    pictures, draw = [], plotting.draw

    def watched(picture, *rest, **more):
        pictures.append(picture)
        return draw(picture, *rest, **more)

    monkeypatch.setattr(plotting, "draw", watched)
    return pictures


@pytest.fixture
def line(begin):
    """A straight line at its least-squares values, which are exact, with one observation left out."""
    session = begin(LINE, make_observations(X, ["y"], Y[:, np.newaxis]))
    slope, start = np.polyfit(X, Y, 1)
    session(f"SET a={float(start)!r} b={float(slope)!r}", "INTEG N")
    return session


def words(text):
    """Text, wherever its lines end."""
    return " ".join(text.split())


def by_label(figure):
    return {series.label: series for series in figure.series}


def solution(p, times):
    """The model of predator-prey.ode, written down again; (n_times, 2)."""

    def rates(_, y):
        eaten = y[0] * y[1] / (1 + p[4] * y[0])
        return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten]

    return solve_ivp(rates, (0.0, times[-1]), [2.0, 8.0], "LSODA", t_eval=times, rtol=1e-11, atol=1e-12).y.T


# ---- residuals


def test_residuals_over_time_with_a_line_at_zero(begin, drawn):
    data = data_of("predator-prey")
    weights = np.where(np.arange(data.times.size)[:, np.newaxis] < 3, [[2.0, 0.5]], 1.0)
    weights[4, 1] = 0.0
    session = begin(data=make_observations(data.times, data.names, data.values, weights))
    said = session("INTEG N", "PLOT RESIDUALS")
    [figure] = drawn
    found = by_label(figure)
    computed = session.env.integration.trajectory.y[1:]
    for j, name in enumerate(("y1", "y2")):
        series = found[f"{name} residuals"]
        expected = np.where(weights[:, j] > 0, weights[:, j] * (computed[:, j] - data.values[:, j]), np.nan)
        assert (series.kind, series.number) == ("residuals", j)
        np.testing.assert_array_equal(series.x, data.times)
        np.testing.assert_allclose(series.y, expected, rtol=1e-12)
    np.testing.assert_array_equal(found["0"].y, 0.0)
    assert found["0"].x.tolist() == [data.times[0], data.times[-1]]
    assert (figure.x_label, figure.y_label) == ("TIME", "WEIGHTED RESIDUAL")
    (limit,) = (each for each in figure.series if each.kind == "band")
    squares = sum(np.nansum(found[f"{name} residuals"].y ** 2) for name in ("y1", "y2"))
    assert np.nanmax(limit.y) == pytest.approx(2 * np.sqrt(squares / (49 - 6)))
    assert "positive where the curve lies above" in said
    assert re.search(r"y1: \d+ runs among", said)
    assert "1 observation of weight 0" in said


def test_residuals_against_computed_values_stand_beside_each_other(session, drawn):
    said = session("INTEG N", "PLOT 9", "PLOT COMPUTED 0 y2")
    grid, figure = drawn
    assert isinstance(grid, Grid)
    assert [panel.y_label for panel in grid.panels] == ["y1", "y2"]
    assert grid.title == "predator-prey: WEIGHTED RESIDUAL AGAINST COMPUTED VALUE"
    computed, data = session.env.integration.trajectory.y[1:], session.env.observations
    for j, panel in enumerate(grid.panels):
        found = by_label(panel)
        np.testing.assert_allclose(found["residuals"].x, computed[:, j], rtol=1e-12)
        np.testing.assert_allclose(found["residuals"].y, computed[:, j] - data.values[:, j], rtol=1e-9, atol=1e-12)
        assert found["0"].x.tolist() == [computed[:, j].min(), computed[:, j].max()]
    assert isinstance(figure, Figure)
    assert "y1:" not in said.split("PLOT COMPUTED")[-1]


def test_residuals_of_other_parameters_are_told(session):
    assert "INTEG N" not in session("INTEG N", "PLOT RESIDUALS").replace("> INTEG N", "")
    assert "was made with other values of the parameters" in " ".join(session("SET 1 1.2", "PLOT RESIDUALS").split())


def test_residuals_without_a_degree_of_freedom_have_no_limits(begin, drawn):
    session = begin(LINE, make_observations(X[:2], ["y"], Y[:2, np.newaxis]))
    session("INTEG N", "PLOT RESIDUALS")
    assert [series.label for series in drawn[0].series] == ["0", "y residuals"]


# ---- small plots and logarithms


def test_each_variable_in_its_own_plot(session, drawn):
    said = session("INTEG N", "PLOT EACH", "PLOT 1 2 EACH", "PLOT 1 14 0 y2", "PLOT OBS EACH LOGX LOGY")
    first, second, alone, logarithmic = drawn
    for grid in (first, second):
        assert [panel.y_label for panel in grid.panels] == ["y1", "y2"]
        for j, panel in enumerate(grid.panels):
            assert [(each.label, each.kind, each.number) for each in panel.series] == [
                ("computed", "solid", 0),
                ("observed", "points", 0),
            ]
            run = session.env.integration.trajectory
            np.testing.assert_allclose(at(panel.series[0], run.times), run.y[:, j], rtol=1e-6)
    assert isinstance(alone, Figure), "one variable has all the room"
    assert all(panel.x_log and panel.y_log for panel in logarithmic.panels)
    assert "- y1 -" in said
    assert "- y2 (log) -" in said


def test_logarithmic_axes(session, drawn):
    said = session("INTEG N", "PLOT LOGX 1 0 y1", "PLOT LOGY RESIDUALS", "PLOT PHASE LOGX LOGY", "PLOT LOGY SENS")
    assert [(each.x_log, each.y_log) for each in drawn[:3]] == [(True, False), (False, True), (True, True)]
    assert all(panel.y_log and not panel.x_log for panel in drawn[3].panels)
    assert "TIME (log, linear within 0.02)" in said
    assert re.search(r"WEIGHTED RESIDUAL \(log, linear within [\d.e-]+\)", said)


def test_kinds_keep_their_looks_in_small_plots(begin, drawn):
    session = begin("predator-prey", "predator-prey")
    session("INTEG N", "MARK a", "SET 1 1.1", "PLOT MARKS a NOW EACH")
    assert [each.kind for each in drawn[-1].panels[0].series] == ["solid", "dashed", "points"]


# ---- the band


def test_the_band_of_a_line(line, drawn):
    said = line("PLOT BAND", "PLOT BAND 0 y 0 80")
    figure, narrow = drawn
    found = by_label(figure)
    slope, start = np.polyfit(X, Y, 1)
    s = np.sqrt(np.sum((Y - start - slope * X) ** 2) / 4)
    error = s * np.sqrt(1 / 6 + (X - X.mean()) ** 2 / np.sum((X - X.mean()) ** 2))
    np.testing.assert_allclose(at(found["y"], X), start + slope * X, rtol=1e-9)
    fine = found["y"].x
    error_there = s * np.sqrt(1 / 6 + (fine - X.mean()) ** 2 / np.sum((X - X.mean()) ** 2))
    for label, level in (("y 95 % band", 0.975), ("y 80 % band", 0.9)):
        series = by_label(figure if "95" in label else narrow)[label]
        width = student.ppf(level, 4) * error_there
        np.testing.assert_allclose(series.y[: fine.size], start + slope * fine - width, rtol=1e-6)
        np.testing.assert_allclose(series.y[fine.size + 1 :], start + slope * fine + width, rtol=1e-6)
        assert series.kind == "band"
    np.testing.assert_array_equal(found["y observed"].y, Y)
    worst = student.ppf(0.975, 4) * error[-1]
    assert f"y is known to +-{worst:.3g} at worst, at t = 8" in said
    assert "FIT" not in said


def test_the_band_is_at_the_present_parameters_and_says_if_they_are_no_minimum(line, drawn):
    said = words(line("SET a 3", "PLOT STATES BAND"))
    (figure,) = drawn
    assert [series.label for series in figure.series] == ["y", "y", "y 95 % band", "y observed"]
    assert figure.series[1].y[0] == pytest.approx(3)
    assert "the parameters are not at one: FIT" in said
    line("UNDO", "PLOT STATES OBSERVATIONS BAND")
    assert [series.label for series in drawn[1].series] == ["y", "y observed", "y 95 % band"], "nothing twice"


def test_no_band_where_there_is_none(begin):
    session = begin(LINE, make_observations(X[:2], ["y"], Y[:2, np.newaxis]))
    assert "no degrees of freedom" in session.refused("PLOT BAND")
    assert "LOAD DATA" in begin(LINE, None).refused("PLOT BAND")


@pytest.mark.parametrize(("item", "missing"), [("BAND", "confidence band"), ("VECTORS", "Jacobian")])
def test_where_the_equations_cannot_be_integrated(begin, item, missing):
    model = Model.from_text("par k=1\ny'=k*y^2\ninit y=1\ndone", "explosion")
    session = begin(model, make_observations(X, ["y"], Y[:, np.newaxis]))
    message = session.refused("OPTION PROCEDURE GEAR", f"PLOT {item}")
    assert f"there is no {missing} at these parameters: " in message


def test_what_is_not_determined_has_no_band(begin):
    model = Model.from_text("par k1=.3, k2=.2\ny'=-(k1+k2)*y\nz'=k1*y\ninit y=10, z=1\ndone", "split")
    session = begin(model, make_observations(X, ["y"], (9 * np.exp(-0.4 * X) + 0.1 * np.sin(X))[:, np.newaxis]))
    assert "z is not determined by the data from t = 1 on; PROBE" in session("PLOT BAND")
    said = " ".join(session("FIT MORE", "PLOT BAND PROFILES z").split())
    assert "No limit of z was found from t = 0 on" in said
    assert f"PROFILE z AT {X[-1]:g} tells which" in said


# ---- sensitivities


def test_sensitivities_are_p_times_derivatives(session, drawn):
    session(ACCURATELY, "SET p2 .12", "FREEZE p3", "PLOT SENSITIVITIES", "PLOT 11 0 y2 0 p3 p1")
    grid, figure = drawn
    times, p = session.env.samples.times, session.env.values
    steps = 1e-5 * p
    pairs = [(solution(p + h, times), solution(p - h, times)) for h in np.diag(steps)]
    s = np.stack([(up - down) / 2e-5 for up, down in pairs], axis=-1)  # by relative changes
    for j, panel in enumerate(grid.panels):
        found = by_label(panel)
        assert set(found) == {"0", "p1", "p2", "p4", "p5", "p6"}, "those that are active"
        for name in ("p1", "p2", "p4", "p5", "p6"):
            expected = s[:, j, int(name[1]) - 1]
            np.testing.assert_allclose(at(found[name], times), expected, atol=2e-5 * np.abs(expected).max())
    assert [panel.y_label for panel in grid.panels] == ["p dy1/dp", "p dy2/dp"]
    assert set(by_label(figure)) == {"0", "p3", "p1"}
    expected = s[:, 1, 2]
    np.testing.assert_allclose(at(by_label(figure)["p3"], times), expected, atol=2e-5 * np.abs(expected).max())
    kinds = {(series.kind, series.number % 4) for series in grid.panels[0].series}
    assert len(kinds) == 6, "which ASCII can tell apart"


def test_what_the_sensitivities_say(begin):
    model = Model.from_text("par a=2, b=3, c=0, d=5\nx'=b+c*t\nz'=0*d\ninit x=a, z=1\n@ total=4\ndone", "said")
    said = words(begin(model, None)("PLOT SENSITIVITIES"))
    assert "x: b most, 1 % of it is worth 0.12 at t = 4; d not at all." in said
    assert "z follows none of these parameters" in said
    assert "c (is 0: d/dc itself)" in said
    alone = begin(model, None)
    assert "x: b most, 1 % of it is worth 0.12 at t = 4." in words(alone("PLOT SENSITIVITIES 0 x 0 b"))
    assert "derivatives that cannot be compared" in words(alone("PLOT SENSITIVITIES 0 x 0 c"))


def test_sensitivities_as_far_as_the_integration_came(begin, drawn):
    """y = 1 / (1 - k t), of which k dy/dk = k t / (1 - k t)^2, runs away at t = 1."""
    model = Model.from_text("par k=1\ny'=k*y^2\ninit y=1\n@ total=2\ndone", "explosion")
    said = words(begin(model, None)(ACCURATELY, "SAMPLE MESH 21 .1", "PLOT SENSITIVITIES"))
    (figure,) = drawn
    series = by_label(figure)["k"]
    t = series.x[:10]
    np.testing.assert_allclose(series.y[:10], t / (1 - t) ** 2, rtol=1e-5)
    assert not np.isfinite(series.y[-1])
    assert "The integration stopped: " in said


# ---- marks


def test_marks_side_by_side(session, drawn):
    session("SET 3 2.9", "INTEG N", "MARK start", "SET 1 1.1 4 .8", "MARK other", "SET 2 .2")
    said = session("PLOT MARKS start other", "PLOT MARKS start NOW 0 y2", "PLOT", "12 other", "start 0", "y1 0", "N")
    both, now, typed = drawn
    data = session.env.observations
    times = session.env.samples.times
    assert [(each.label, each.kind, each.number) for each in both.series] == [
        *(("y1 at start", "solid", 0), ("y2 at start", "solid", 1)),
        *(("y1 at other", "dashed", 0), ("y2 at other", "dashed", 1)),
        *(("y1 observed", "points", 0), ("y2 observed", "points", 1)),
    ]
    session("OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0", "PLOT MARKS other start")
    accurate = by_label(drawn[3])
    squares = {}
    for name, p in (("start", [1, 0.1, 2.9, 1, 0.1, 0.15]), ("other", [1.1, 0.1, 2.9, 0.8, 0.1, 0.15])):
        y = solution(np.array(p), times)
        np.testing.assert_allclose(at(accurate[f"y1 at {name}"], times), y[:, 0], rtol=1e-6)
        squares[name] = np.sum((y[1:] - data.values) ** 2)
    row = next(each for each in session.output.split("\n")[::-1] if each.startswith("sum of squares"))
    found = [float(word) for word in row.split()[3:]]
    np.testing.assert_allclose(found, [squares["other"], squares["start"]], rtol=1e-5)
    assert [each.label for each in now.series] == ["y2 at start", "y2 now", "y2 observed"]
    assert [each.label for each in typed.series] == ["y1 at other", "y1 at start", "y1 observed"]
    assert re.search(r"^p1 +1 +1\.1$", said, re.MULTILINE)
    assert re.search(r"^p4 +1 +0\.8$", said, re.MULTILINE)
    assert not re.search(r"^p3 ", said, re.MULTILINE), "which is the same"


def test_marks_that_are_the_same_and_one_that_stops(begin):
    model = Model.from_text("par k=1\ny'=k*y^2\ninit y=1\n@ total=2\ndone", "blow-up")
    session = begin(model, None)
    session("SET k .1", "MARK slow", "SET k 5", ACCURATELY)
    said = session("PLOT MARKS slow NOW")
    assert "The integration now stopped" in said
    assert "The parameters are the same." in session("PLOT MARKS slow slow")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("PLOT MARKS", "no parameter values have been marked"),
        ("PLOT 1 RESIDUALS", "RESIDUALS has axes of its own and cannot be drawn with STATES; plot it alone"),
        ("PLOT SENS BAND", "plot it alone"),
        ("PLOT VECTORS LOGY", "neither logarithmic axes"),
        ("PLOT VECTORS EACH", "neither logarithmic axes"),
        ("PLOT RESIDUALS 0 0", "no variables were chosen"),
        ("PLOT SENS 0 y1 0 p7", "'p7' is no parameter"),
        ("PLOT SENS 0 0", "no variables or no parameters"),
        ("PLOT LOG", "could be several"),
        ("PLOT BAND 0 y1 0 100", "from 1 to 99"),
    ],
)
def test_refusals(session, line, message):
    session("INTEG N")
    assert message in session.refused(line)


def test_marks_are_named(session):
    session("INTEG N", "MARK a")
    assert "'b' is no mark" in session.refused("PLOT MARKS a b")


# ---- vectors


def test_singular_vectors_as_bars(session, drawn):
    session("SCALE p1 LOG", "FREEZE p5", "INTEG Y", "PLOT VECTORS")
    said = session("PROBE N")
    bars, probed = drawn
    run, data = session.env.integration.trajectory, session.env.observations
    s = run.s[1:].reshape(-1, 5)  # p1 is 1, so that it changes as its logarithm does
    _, values, v = np.linalg.svd(s, full_matrices=False)
    assert isinstance(bars, Bars)
    assert bars.names == ("log p1", "p2", "p3", "p4", "p6")
    assert [float(heading.split(":")[1]) for heading in bars.headings] == pytest.approx(values, rel=5e-3)
    for found, expected, again in zip(bars.vectors, v, probed.vectors, strict=True):
        assert found[np.argmax(np.abs(found))] > 0
        np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-6)
        np.testing.assert_allclose(found, again, atol=1e-9)
    assert data.values.size == s.shape[0]
    lines = said.split("\n")
    top = next(k for k, text in enumerate(lines) if text.startswith("SINGULAR VECTORS"))
    assert [text.split()[0] for text in lines[top + 2 : top + 7]] == ["log", "p2", "p3", "p4", "p6"]
    assert "#" in lines[top + 2]
    assert "CONDITION NUMBER" in "\n".join(lines[top + 7 :])


def test_a_single_parameter_needs_no_bars(session):
    assert "SINGULAR VECTORS" not in session("FREEZE 2 3 4 5 6", "PROBE Y")


# ---- copies


def test_every_kind_is_written_as_a_picture_and_kept(session, tmp_path, monkeypatch):
    pages = []
    original = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *a, **k: (pages.append(self), original(self, *a, **k))
    )
    session("INTEG N", "MARK a", "SET 1 1.05")
    kinds = ("RESIDUALS", "COMPUTED", "BAND", "SENSITIVITIES", "MARKS a NOW", "VECTORS", "1 2 EACH", "1 2 LOGX LOGY")
    for k, kind in enumerate(kinds):
        file = f"{k}.{('png', 'svg', 'pdf')[k % 3]}"  # each form of each picture is not a matter of PLOT
        said = session(f"PLOT {kind} {file}")
        assert f"the picture is in {file}" in said
        assert (tmp_path / file).stat().st_size > 5000
    assert [len(page.axes) for page in pages] == [1, 2, 1, 2, 1, 6, 2, 1]
    session("PLOT BAND 0 y1 0 95 Y", "PLOT VECTORS 0 Y")
    graphs = session.file("graphs")
    assert "PLOT NUMBER 1: y1; y1 95 % band; y1 observed" in graphs
    assert "y1 is known to" in graphs
    assert "PLOT NUMBER 2: SINGULAR VECTORS" in graphs


LINES = (
    *("PLOT EACH", "PLOT RESIDUALS", "PLOT 9 0 y2 0 N", "PLOT BAND 0 y1 0 80 N", "PLOT SENS 0 y1 0 p1 p6 0 N"),
    *("PLOT MARKS a NOW LOGY", "PLOT 1 2 14 15 16", "PLOT VECTORS"),
)


def test_the_journal_plays_every_plot_again(begin, drawn):
    first, original = begin(), text.draw
    first("INTEG N", "MARK a", "SET 1 1.05", *LINES)
    before = list(drawn)
    drawn.clear()
    begin()(*first.entries)
    assert len(drawn) == len(before) == len(LINES)
    for old, new in zip(before, drawn, strict=True):
        assert original(old) == original(new)


def test_nothing_but_ascii_and_no_wider_than_it_may_be(session):
    session("INTEG N", "MARK a", "SET 1 1.05")
    said = session(*LINES)
    assert said.isascii()
    assert max(map(len, said.split("\n"))) <= 79


def test_the_last_results_stay(session):
    session("INTEG N", "MARK a")
    before = session.env
    session(*LINES)
    assert session.env.integration is before.integration
    assert session.env.values is before.values


# ---- an integration with other parameters


@pytest.mark.parametrize("line", ["PLOT STATES OBSERVATIONS", "PLOT PHASE", "PLOT RESIDUALS", "PLOT COMPUTED"])
def test_what_belongs_to_other_parameters_says_so(session, line):
    session("INTEG N")
    assert "made with other values" not in " ".join(session(line).split())
    session("SET 1 1.2")
    assert "was made with other values of the parameters" in " ".join(session(line).split())
    said = " ".join(session("SET 1 1", "OPTION EPS .002", line).split())
    assert "was made with another method or accuracy of integration; INTEG N" in said


def test_a_kept_plot_has_the_parameters_of_its_curves(session):
    session("INTEG N", "SET 1 99", "PLOT STATES 0 y1 0 Y")
    caption = session.file("graphs").split("\n")[1:3]
    assert caption[0].startswith("PARAMETERS: p1 = 1, ")
    assert caption[1].startswith("CHANGED SINCE TO: p1 = 99, ")


# ---- the percentile of a band


def test_a_number_behind_band_is_its_percentile(session):
    shown = session("PLOT BAND 80 0 y1")
    assert "y1 80 % band" in shown
    assert session("PLOT BAND 0 y1 0 80").split("\n")[1:] == shown.split("\n")[1:]
    assert session.entries[-2].startswith("PLOT BAND 80 0 y1")
    again = session(session.entries[-2])
    assert "y1 80 % band" in again
