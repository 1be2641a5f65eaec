"""STATS in conversation: what it shows, keeps and reports, whatever the problem."""

import re

import numpy as np
import pytest
from conversation import Session, data_of, model_of
from scipy.stats import t as student

from parfit.commands import TABLE
from parfit.commands.looking.stats import stats
from parfit.commands.table import Table
from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.text.diagnosis.statistics import statistics_text

WITH_STATS = Table([*(each for each in TABLE.commands if each.name != "STATS"), stats])
LINE = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\ndone", "line")
X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
SLOPE, START = np.polyfit(X, Y, 1)
AT_MINIMUM = f"SET a={float(START)!r} b={float(SLOPE)!r}"
ACCURATELY = "OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0"


def session(model=LINE, times=X, values=Y, folder=None, names=("y",), **more):
    data = make_observations(times, names, np.reshape(values, (len(times), -1)), **more)
    return Session(model, data, folder, table=WITH_STATS)


def section(text, title):
    """The lines under a title, up to the next blank line."""
    lines = text.split("\n")
    start = next(k for k, line in enumerate(lines) if line.startswith(title))
    return lines[start + 1 : next(k for k in range(start, len(lines)) if not lines[k].strip())]


def row(text, title, name):
    """The numbers of one row of a table."""
    line = next(line for line in section(text, title) if line.startswith(name))
    return [float(word) for word in line.removeprefix(name).split()]


def full_text(talk):
    return statistics_text(talk.env.statistics)


def shown(*lines, **more):
    talk = session(**more)
    talk(*lines, "STATS 95")
    check_form(full_text(talk))
    return full_text(talk)


def check_form(text):
    assert text
    assert max(map(len, text.split("\n"))) <= 79
    assert not re.search(r"\bnan\b|\binf\b", text)
    assert not any(line != line.rstrip() for line in text.split("\n"))


def test_a_straight_line():
    text = shown(AT_MINIMUM)
    s = np.sqrt(((Y - START - SLOPE * X) ** 2).sum() / 4)
    width = student.ppf(0.975, 4) * s / np.sqrt(((X - X.mean()) ** 2).sum())
    value, joint, held, alone, held_alone = row(text, "PARAMETERS AND 95 % INTERVALS", "b")
    assert value == pytest.approx(SLOPE, rel=1e-6)
    assert alone == pytest.approx(width, rel=1e-6)
    assert held < alone < joint
    assert held_alone == pytest.approx(student.ppf(0.975, 4) * s / np.sqrt((X**2).sum()), rel=1e-6)
    assert "F DISTRIBUTION, 95 %               6.944272, 2 AND 4 DEGREES OF FREEDOM" in text
    assert f"STANDARD ERROR OF THE FIT          {s:.7g}" in text
    correlation = -X.mean() / np.sqrt((X**2).mean())
    assert row(text, "CORRELATION MATRIX", "a") == pytest.approx([1.0, correlation], rel=1e-6)
    assert row(text, "COVARIANCE MATRIX", "b")[1] == pytest.approx(s**2 / ((X - X.mean()) ** 2).sum(), rel=1e-6)
    assert "as the linear theory says" in text
    assert "does not matter" in text  # the trapezoidal rule is exact for a straight line
    assert "REMARKS" not in text


def test_residuals_are_listed():
    text = shown(AT_MINIMUM)
    lines = [line.split() for line in section(text, "RESIDUALS")[1 : X.size + 1]]
    assert [line[1] for line in lines] == ["y"] * X.size
    np.testing.assert_allclose([float(line[0]) for line in lines], X)
    np.testing.assert_allclose([float(line[2]) for line in lines], Y)
    np.testing.assert_allclose([float(line[3]) for line in lines], START + SLOPE * X, rtol=1e-6)
    np.testing.assert_allclose([float(line[4]) for line in lines], START + SLOPE * X - Y, rtol=1e-4)


def test_statistics_are_shown_kept_and_reported(tmp_path):
    talk = session(folder=tmp_path / "run")
    said = talk(AT_MINIMUM, "STATS FULL 99")
    assert full_text(talk) in said
    assert "RESIDUAL  " in said
    assert "residuals of y" in said
    assert full_text(talk) in talk.report
    assert "residuals of y" in talk.report
    assert full_text(talk) in talk("REPORT 9")
    assert talk.env.sum_of_squares == pytest.approx(((Y - START - SLOPE * X) ** 2).sum())
    assert talk.entries[-2:] == ["STATS FULL 99", "REPORT STATISTICS"]
    talk.run.close()


def test_the_manual_asks_for_a_whole_percentile():
    talk = session()
    talk("OPTION 1977")
    assert talk.typed("STATS", "90").questions[0] == "ENTER (INTEGER) PERCENTILE FOR F DISTRIBUTION"


def test_the_percentile_is_asked_for():
    talk = session()
    typist = talk.typed("STATS", "101", "90")
    assert typist.questions[0] == "ENTER PERCENTILE FOR F DISTRIBUTION"
    assert typist.prompts == ["[95]: ", "[95]: "]
    assert "F DISTRIBUTION, 90 %" in full_text(talk)
    talk.typed("STATS", "")
    assert "F DISTRIBUTION, 95 %" in full_text(talk)
    assert "from 1 to 99" in talk.refused("STATS 100")


def test_what_it_needs_is_named():
    assert "no observations" in Session(LINE, table=WITH_STATS).refused("STATS 95")
    talk = session()
    assert "uniform mesh" in talk.refused("SAMPLE MESH 5 10", "STATS 95")


def test_a_change_of_data_forgets_the_statistics():
    talk = session()
    talk("STATS 95")
    talk("MODEL par c=1")
    assert talk.env.statistics is None


def test_published_intervals_of_barnes():
    """Van Domselaar & Hemker 1975, section 8, problem 4: .19, .35, .38; accurately .2191, .3622, .3787."""
    talk = Session(model_of("barnes"), data_of("barnes"), table=WITH_STATS)
    talk(ACCURATELY, "SET p1=.860941 p2=2.079029 p3=1.814944", "STATS 99")
    text = full_text(talk)
    check_form(text)
    widths = [row(text, "PARAMETERS AND 99 % INTERVALS", name)[1] for name in ("p1", "p2", "p3")]
    np.testing.assert_allclose(widths, (0.2191, 0.3622, 0.3787), rtol=7e-4)
    assert re.search(r"At p1 - \(p1 -0\.2192, .*\) F rises 1\.5\d times\s+less", text.replace("\n", " "))


def test_scaled_parameters_are_shown_both_ways():
    talk = Session(model_of("escep"), data_of("escep-b", "escep"), table=WITH_STATS)
    talk(ACCURATELY, "SET p1=999.899397 p2=.99000504 p3=.00999711291", "SCALE 1 LOG 2 LOG 3 ROOT", "STATS 99")
    text = full_text(talk)
    check_form(text)
    value, joint = row(text, "PARAMETERS AND 99 % INTERVALS", "log p1")[:2]
    assert value == pytest.approx(np.log(999.899397), rel=1e-6)
    assert joint == pytest.approx(3.354e-4, rel=7e-4)  # computed without this program; print .32e-3
    itself, low, high = row(text, "THE SCALED PARAMETERS THEMSELVES", "p1")[:3]
    assert itself == pytest.approx(999.8994, rel=1e-6)
    assert (low, high) == pytest.approx((itself * np.exp(-joint), itself * np.exp(joint)), rel=1e-6)
    root, joint = row(text, "PARAMETERS AND 99 % INTERVALS", "sqrt p3")[:2]
    assert row(text, "THE SCALED PARAMETERS THEMSELVES", "p3")[2] == pytest.approx((root + joint) ** 2, rel=1e-6)


def test_wide_matrices_are_split():
    names = [f"coefficient{k}" for k in range(8)]
    terms = "+".join(f"{name}*{k + 1}*t^{k}" for k, name in enumerate(names))
    model = Model.from_text(f"par {', '.join(f'{name}=1' for name in names)}\ny'={terms}\ninit y=0\ndone")
    times = np.linspace(0.1, 1, 40)
    text = shown(ACCURATELY, model=model, times=times, values=np.sin(9 * times))
    assert "not a minimum" in text
    assert text.count("coefficient7 ") >= 4


def test_the_coarse_integration_is_warned_of():
    model = Model.from_text("par k=1\ny'=-k*y\ninit y=1\ndone")
    times = np.arange(1.0, 6.0)
    text = shown("OPTION 1977", model=model, times=times, values=(1 / 3) ** times + [0.01, -0.01, 0.01, 0.0, -0.01])
    assert "The trapezoidal rule is too coarse here." in text
    assert "\n    OPTION ACCURATE\nand then FIT again." in text


def test_known_errors_tell_whether_the_model_is_consistent():
    assert "the model is consistent with the data" in shown(AT_MINIMUM, sds=0.2).replace("\n", " ")
    assert "not consistent with the data" in shown(AT_MINIMUM, sds=0.02).replace("\n", " ")
    assert "closer than the errors of the data allow" in shown(AT_MINIMUM, sds=4.0).replace("\n", " ")
    assert "errors of the observations are not known" in shown(AT_MINIMUM).replace("\n", " ")
    unweighted = session(sds=0.2)
    unweighted("WEIGHT 1", AT_MINIMUM, "STATS 95")
    assert "are not known" in full_text(unweighted)


# ---- whatever the problem, an answer in words


def test_a_point_that_is_no_minimum():
    text = shown("SET a=5").replace("\n", " ")
    assert "This point is not a minimum" in text
    assert "FIT should come first" in text
    assert "was not looked at on the boundary" in text


def test_fewer_observations_than_parameters():
    text = shown(times=X[:1], values=Y[:1]).replace("\n", " ")
    assert "fewer observations (1) than active parameters (2)" in text
    assert "There are no intervals" in text
    assert "PARAMETERS AND" not in text


def test_as_many_observations_as_parameters():
    text = shown("SET a=1.1 b=1.8", times=X[:2], values=Y[:2]).replace("\n", " ")
    assert "no degrees of freedom are left" in text
    assert "CORRELATION MATRIX" in text


def test_an_exact_fit():
    text = shown(values=1 + 2 * X).replace("\n", " ")
    assert "the fit is exact but for rounding" in text
    assert "SIGNS" not in text
    zero = shown("SET a=0 b=0", values=0 * X).replace("\n", " ")
    assert "the fit is exact but for rounding" in zero


def test_a_singular_problem():
    model = Model.from_text("par a=2, b=3, c=1\ny'=a*b-c*y\ninit y=0\ndone")
    y = 6 * (1 - np.exp(-X)) + 0.1 * np.array([0, 1, -1, -1, 1, 1])
    text = shown(ACCURATELY, model=model, values=y)
    assert "a and b are undetermined" in text
    assert "Other axes are unlimited." in text
    line = next(line for line in section(text, "PARAMETERS AND") if line.startswith("a "))
    assert line.split()[2] == line.split()[4] == "unlimited"
    assert len(section(text, "CORRELATION MATRIX")) == 2  # c alone
    assert "not unique: the Jacobian has rank 2 for 3 active" in text


def test_no_parameter_with_influence():
    model = Model.from_text("par p=1\ny'=2\nz'=p\ninit y=1, z=0\ndone")
    text = shown(model=model).replace("\n", " ")
    assert "p is undetermined: it has no influence" in text
    assert "no active parameter has any influence" in text


def test_all_weights_zero():
    text = shown("WEIGHT 2 y 0 ALL 0").replace("\n", " ")
    assert "all weights are 0" in text


def test_frozen_parameters_are_mentioned():
    assert "FROZEN                             a = 1\n" in shown("FREEZE a")


def test_missing_values_and_weights_of_zero_are_not_observations():
    y = Y.copy()
    y[1] = np.nan
    text = shown("WEIGHT 2 y 0 4 0", values=y)
    assert "NUMBER OF OBSERVATIONS             4\n" in text
    assert "2 AND 2 DEGREES OF FREEDOM" in text


def test_an_integration_that_fails_is_told_and_kept():
    model = Model.from_text("par k=1\ny'=k*y^2\ninit y=1\ndone")
    talk = session(model, [0.5, 2.0], [2.0, 3.0])
    talk("STATS 95")
    assert "there are no statistics, because the integration stopped" in talk.errors
    assert talk.env.statistics is None
    assert talk.env.integration is not None


def test_residuals_too_large_to_be_squared_are_told():
    talk = session(values=1e200 * Y)
    talk("STATS 95")
    assert "because the sum of squares of the residuals is too large for a number" in talk.errors
    assert talk.env.statistics is None


def test_an_integration_that_fails_on_the_boundary_is_told():
    model = Model.from_text("par k=1\ny'=-1/sqrt(k-.9)\ninit y=1/(1-k/2)\ndone")
    text = shown(ACCURATELY, model=model, times=[0.0, 1e-4], values=[1.5, 2.5]).replace("\n", " ")
    assert re.search(r"At \d of \d points of the boundary the equations cannot be integrated", text)
    assert text.count("cannot be integrated") == 1
    assert " none" in text


def test_the_residual_plot_uses_the_symbols_of_the_variables():
    said = Session(model_of("escep"), data_of("escep-b", "escep"), table=WITH_STATS)("STATS 95 FULL")
    assert "H residuals of y2" in said, "another than that of its observations"


def test_columns_line_up():
    head, *rows = section(shown(AT_MINIMUM), "RESIDUALS")[: X.size + 1]
    ends = [word.end() for word in re.finditer(r"\S+", head)]
    for line in rows:
        found = [word.end() for word in re.finditer(r"\S+", line)]
        assert [found[0], *found[2:]] == [ends[0], *ends[2:]]  # all but the variable, which begins under its heading
        assert line[head.index("variable")] == "y"


def test_a_superfluous_word_is_refused_before_anything_is_computed(begin):
    session = begin()
    session("FIT MORE")
    before = session.output
    session.refused("STATS 95 95")
    assert "STATISTICAL" not in session.output[len(before) :]


def test_one_screen_says_what_one_must_know():
    """The table of a straight line by the textbook, and no more than fits 80 columns and 24 lines."""
    talk = session()
    said = talk(AT_MINIMUM, "STATS 95%")
    s = np.sqrt(((Y - START - SLOPE * X) ** 2).sum() / 4)
    error = s / np.sqrt(((X - X.mean()) ** 2).sum())
    line = next(line for line in said.split("\n") if line.startswith("b "))
    value, se, percent, low, to, high = line.split()[1:]
    assert to == "to"
    assert float(value) == pytest.approx(SLOPE, rel=1e-6)
    assert float(se) == pytest.approx(error, rel=1e-3)
    assert float(percent) == pytest.approx(100 * error / SLOPE, rel=1e-2)
    width = student.ppf(0.975, 4) * error
    assert [float(low), float(high)] == pytest.approx([SLOPE - width, SLOPE + width], rel=1e-4)
    aic = 6 * np.log(((Y - START - SLOPE * X) ** 2).sum() / 6) + 2 * 3
    assert f"AIC {aic:.5g}, AICc {aic + 2 * 3 * 4 / 2:.5g}" in said
    assert "STATS FULL" in said
    shown = said[said.index("6 observations") :].split("\n")
    assert len(shown) <= 22
    assert max(map(len, shown)) <= 79


@pytest.mark.parametrize("line", ["STATS FULL", "STATS full 95", "STATS 95 FULL", "STATS 95% full"])
def test_full_may_stand_on_either_side(line):
    said = session()(AT_MINIMUM, line)
    assert "CORRELATION MATRIX" in said
    assert "F DISTRIBUTION, 95 %" in said


@pytest.mark.parametrize(("word", "level"), [("99.5", 0.995), ("99.9%", 0.999), ("50", 0.5)])
def test_percentiles_between_whole_numbers(word, level):
    talk = session()
    talk(AT_MINIMUM, f"STATS {word}")
    s = np.sqrt(((Y - START - SLOPE * X) ** 2).sum() / 4)
    width = student.ppf((1 + level) / 2, 4) * s / np.sqrt(((X - X.mean()) ** 2).sum())
    assert talk.env.statistics.statistics.intervals.single[1] == pytest.approx(width, rel=1e-6)


def test_correlations_above_nine_tenths_are_told_in_words():
    late = X + 10.0
    said = session(times=late, values=Y)("SET a=-18.9 b=2", "FIT MORE", "STATS 95")
    exact = -late.mean() / np.sqrt((late**2).mean())
    assert f"b falls as a rises ({exact:.4f})" in said


def test_what_is_doubtful_is_said_on_the_one_screen():
    said = " ".join(session()("SET a=1 b=1", "STATS 95").split())
    assert "This point is not a minimum" in said


def test_after_a_robust_fit_there_are_no_errors_and_nobody_is_sent_back_to_it():
    talk = session(values=[*Y[:-1], 30.0])
    said = talk("FIT MORE 1e-10 500 CAUCHY .1", "STATS 95")
    assert talk.env.values == pytest.approx([START, SLOPE], rel=0.1)
    assert "There are no intervals: the parameters were fitted with a robust loss" in said
    assert "usual 95 % interval" not in said
    assert "should come first" not in said
    assert "which has no standard errors" in talk.errors
    assert "usual 95 % interval" in talk("FIT MORE", "STATS 95")
