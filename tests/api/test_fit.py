"""Fits from Python, against least squares by scipy on the exact solution."""

import hashlib
import json

import numpy as np
import pytest
from schemas import violations
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import parfit
from parfit.errors import NumericalError, ParfitError, StateError
from parfit.estimation.strategies import fit as strategy

T = np.arange(9.0)
A = 3 * np.exp(-0.7 * T) + 0.05 * np.array([1, -2, 0.5, 1.5, -1, 0.3, -0.2, 0.9, -1.1])
MODEL = parfit.Model.from_text("par k=1, a=2, idle=7\nx'=-k*x\nx(0)=a\naux none=idle\n", "decay")


def residuals(p):
    return p[1] * np.exp(-p[0] * T) - A


@pytest.fixture(scope="module")
def problem():
    return parfit.load(MODEL, {"t": T, "x": A}).with_frozen("idle").with_method(eps=1e-10)


@pytest.fixture(scope="module")
def reference():
    return least_squares(residuals, [1.0, 2.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)


@pytest.mark.parametrize("method", ["more", "marquardt"])
def test_values_and_errors_are_those_of_least_squares(problem, reference, method):
    fit = problem.fit(method)
    np.testing.assert_allclose([fit.values["k"], fit.values["a"]], reference.x, rtol=1e-5)
    jac = reference.jac
    covariance = np.linalg.inv(jac.T @ jac) * 2 * reference.cost / (T.size - 2)
    errors = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose([fit.errors["k"], fit.errors["a"]], errors, rtol=1e-4)
    assert np.isnan(fit.errors["idle"])
    np.testing.assert_allclose(fit.sum_of_squares, 2 * reference.cost, rtol=1e-8)
    assert (fit.verdict, fit.is_minimum) == ("minimum", True)
    low, high = fit.intervals["k"]
    assert low < fit.values["k"] < high
    assert fit.problem.values == fit.values
    assert problem.values == {"k": 1.0, "a": 2.0, "idle": 7.0}, "the problem is as it was"


def test_statistics_are_those_of_linear_theory(problem, reference):
    stats = problem.fit().problem.stats(90)
    jac = reference.jac
    covariance = np.linalg.inv(jac.T @ jac) * 2 * reference.cost / (T.size - 2)
    sd = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(stats.covariance, covariance, rtol=1e-4)
    np.testing.assert_allclose(stats.correlation, covariance / np.outer(sd, sd), rtol=1e-4)
    assert stats.names == ("k", "a")
    assert (stats.degrees_of_freedom, stats.is_minimum, stats.percentile) == (7, True, 90.0)
    assert json.loads(json.dumps(stats.to_dict()))["names"] == ["k", "a"]
    assert "k" in repr(stats)
    assert "<table>" in stats._repr_html_()


def test_a_fit_stays_within_bounds_and_holds_what_is_frozen(problem):
    fit = problem.with_bounds(k=(0.8, None)).fit()
    assert fit.values["k"] == pytest.approx(0.8, rel=1e-5)
    held = problem.with_frozen("a").fit(tol=1e-14)
    assert held.values["a"] == 2.0
    best = least_squares(lambda p: 2 * np.exp(-p[0] * T) - A, [1.0], xtol=1e-14, ftol=1e-14, gtol=1e-14).x[0]
    assert held.values["k"] == pytest.approx(best, rel=1e-5)


def test_a_robust_loss_is_passed_on(problem):
    away = problem.with_data({"t": [*T, 2.0], "x": [*A, 4.0]})
    plain, robust = away.fit().values["k"], away.fit(loss="cauchy", loss_scale=0.1).values["k"]
    assert abs(robust - 0.7) < 0.2 * abs(plain - 0.7)


def test_what_was_fitted_with_a_robust_loss_has_no_errors_but_a_word(problem):
    fit = problem.fit(loss="cauchy", loss_scale=0.1)
    assert np.isnan(list(fit.errors.values())).all()
    told = fit.to_dict()
    assert [row["standing"] for row in told["parameters"]] == ["robust", "robust", "frozen"]
    assert {(row["standard_error"], row["interval"]) for row in told["parameters"]} == {(None, None)}
    assert violations(told) == []
    assert "robust loss" in fit.table()
    assert np.isfinite(fit.problem.fit().errors["k"])


def test_what_is_at_a_bound_is_held_there_for_the_errors_of_the_others(problem):
    bounded = problem.with_bounds(k=(0.8, None)).fit(tol=1e-14)
    held = bounded.problem.with_frozen("k").fit(tol=1e-14)
    assert np.isnan(bounded.errors["k"])
    assert bounded.errors["a"] == pytest.approx(held.errors["a"], rel=1e-5)
    assert bounded.intervals["a"] == pytest.approx(held.intervals["a"], rel=1e-5)


def test_what_nobody_asks_for_is_not_computed(problem, monkeypatch):
    calls = []

    def counted(name, original):
        return lambda *args: calls.append(name) or original(*args)

    for name in ("judged", "standard_errors", "discretisation"):
        monkeypatch.setattr(strategy, name, counted(name, getattr(strategy, name)))
    fit = problem.fit()
    assert all(np.isfinite(value) for value in fit.values.values())
    assert not calls
    assert [fit.verdict, fit.result.judgement.is_minimum] == ["minimum", True]
    assert calls == ["judged"]
    assert fit.result.errors is fit.result.errors
    assert fit.result.accuracy is fit.result.accuracy
    assert calls == ["judged", "standard_errors", "discretisation"]


def test_a_search_that_is_stopped_says_so(problem):
    fit = problem.fit(tol=1e-12, max_evaluations=2)
    assert (fit.verdict, fit.is_minimum) == ("stopped", False)
    assert "stopped" in fit.sentence


def test_what_the_data_do_not_tell_has_no_error_but_a_word():
    """k has run away until nothing responds to it; b presses against its bound; nothing depends on idle."""
    t = np.linspace(0.5, 4.0, 8)
    text = "par k=300, a=1, b=1, idle=2\nx'=-x\nx(0)=1\naux y=a+b*x+exp(-k*t)\naux none=idle\n"
    values = 1.3 - 0.2 * np.exp(-t) + 0.01 * np.cos(9 * t)
    problem = parfit.load(parfit.Model.from_text(text), {"t": t, "y": values})
    fit = problem.with_bounds({"b": (0.0, None)}).fit()
    assert fit.values["b"] == 0.0
    assert np.isfinite(fit.errors["a"])
    assert [name for name in fit.errors if np.isnan(fit.errors[name])] == ["k", "b", "idle"]
    rows = {each["name"]: each for each in fit.to_dict()["parameters"]}
    words = {"k": "not_determined", "a": "estimated", "b": "at_bound", "idle": "not_determined"}
    assert {name: each["standing"] for name, each in rows.items()} == words
    assert {name: each["standard_error"] is None for name, each in rows.items()} == {n: n != "a" for n in words}
    assert rows["k"]["interval"] is None
    table = fit.table().splitlines()
    assert ["not determined" in line for line in table[1:]] == [True, False, False, True]
    assert "at a bound" in table[3]
    assert problem.with_frozen("k").fit().to_dict()["parameters"][0]["standing"] == "frozen"


def switched(text):
    t = np.linspace(0.3, 6.0, 20)
    x = 2.0 * np.exp(-0.8 * np.clip(t - 2.0, 0.0, None)) + 0.02 * np.cos(9 * t)
    return parfit.load(parfit.Model.from_text(f"par k=.5, c=1.3\n{text}\nu(0)=2\n"), {"t": t, "x": x})


@pytest.mark.parametrize(
    ("do", "expected"),
    [
        (lambda problem: problem.fit(), ("minimum", True)),
        (lambda problem: problem.fit(tol=1e-12, max_evaluations=2), ("stopped", False)),
        (lambda problem: problem.fit("marquardt", max_iterations=12, rtol=0.0, atol=0.0), ("stopped", True)),
        (lambda problem: problem.fit(loss="cauchy", loss_scale=0.1), ("minimum", True)),
        (lambda problem: problem.shoot([4.0]), ("minimum", True)),
        (lambda problem: problem.shoot([4.0], max_iterations=1, lam=1e3), ("stopped", False)),
        (lambda problem: problem.seq(4, 5), ("minimum", True)),
        (lambda problem: problem.seq(4, 5, max_iterations=1), ("stopped", False)),
        (lambda problem: problem.seq(4, 3, rtol=0.99, lam=1e3), ("not_a_minimum", False)),
        (lambda problem: switched("u'=-k*u*heav(t-c)\naux x=u").fit(), ("minimum", True)),  # crossed exactly
        (lambda problem: switched("u'=-k*u\naux x=if(t<c)then(2)else(u)").fit(), ("switch", False)),  # only looked at
    ],
)
def test_there_is_one_verdict_for_python_json_and_the_list_of_fits(problem, do, expected):
    fit = do(problem)
    assert (fit.verdict, fit.is_minimum) == expected
    told = fit.to_dict()
    assert told["verdict"] == {"code": fit.verdict, "sentence": fit.sentence}
    last = told["fits"][-1]
    assert (last["verdict"]["code"], last["is_minimum"]) == expected
    assert last["sum_of_squares"] == fit.sum_of_squares


@pytest.mark.parametrize(
    ("do", "kind", "message"),
    [
        (lambda p: p.fit("newton"), ParfitError, "method must be 'more' or 'marquardt', not 'newton'"),
        (lambda p: p.fit(speed=3), ParfitError, "speed is no setting; there are tol"),
        (lambda p: p.shoot(speed=3), ParfitError, "speed is no setting; there are"),
        (lambda p: p.ifit(), StateError, "^the observations have not been smoothed$"),
        (lambda p: p.contin(), StateError, "^the observations have not been smoothed$"),
        (lambda p: p.smooth().contin([0.5, 0.5]), ParfitError, "must increase"),
        (lambda p: p.smooth().contin([0.5], breaks=[0.25]), ParfitError, "not one of the problem's times"),
        (lambda p: p.smooth({"y": [1]}), ParfitError, "no observed variable 'y'"),
        (lambda p: p.smooth(kind="square"), ParfitError, "square"),
        (lambda p: p.guess("x", [0, 8], [1, 2]), StateError, "x is no state that was not observed"),
        (lambda p: p.scan("k", 2, 1), ParfitError, "the values must go up"),
        (lambda p: p.scan("kk", 1, 2), ParfitError, "no parameter 'kk'"),
        (lambda p: p.stats(300), ParfitError, "300"),
        (lambda p: p.band("y"), ParfitError, "no variable 'y'"),
        (lambda p: p.plot("a.gif"), ParfitError, "png"),
        (lambda p: p.plot(what="dance"), ParfitError, "what must be 'solution' or .*, not 'dance'"),
        (lambda p: p.plot(3), ParfitError, "not to int"),
        (lambda p: parfit.load(MODEL).fit(), StateError, "^there are no observations$"),
        (lambda p: p.with_values(k=-1e4).fit(), NumericalError, "starting values"),
    ],
)
def test_what_cannot_be_done_is_an_error_without_commands(problem, do, kind, message):
    with pytest.raises(kind, match=message) as refusal:
        do(problem)
    assert "FIT" not in str(refusal.value)
    assert "SMOOTH" not in str(refusal.value)


def test_values_of_one_parameter_are_tried(problem):
    """Held, the best is between those tried; fitted, it is the minimum in both parameters."""
    fit = problem.scan("k", 0.1, 1.5, 8)
    best = least_squares(lambda p: 2 * np.exp(-p[0] * T) - A, [1.0], xtol=1e-14).x[0]
    assert fit.values["k"] == pytest.approx(best, abs=1e-3)
    parts: list[float] = []
    both = problem.scan("k", 0.1, 1.5, 8, fitted=True, progress=parts.append)
    assert both.values["a"] == pytest.approx(3.0, rel=0.05)
    assert parts == sorted(parts)
    assert problem.fit().problem.scan("k", 5, 6, 3).values == problem.fit().values, "nothing better was found"


def test_a_fit_shows_itself(problem):
    fit = problem.fit()
    for word in ("minimum", "k", "idle"):
        assert word in repr(fit)
        assert word in fit._repr_html_()
    told = json.loads(fit.to_json(curves=True))
    assert told["verdict"]["code"] == "minimum"
    assert [each["value"] for each in told["parameters"]] == list(fit.values.values())
    assert told["curves"]["time"] == T.tolist()


def test_a_band_holds_the_curve(problem):
    band = problem.fit().problem.band()
    assert (band.lower["x"] < band.curves["x"]).all()
    assert (band.curves["x"] < band.upper["x"]).all()
    assert band.is_minimum
    assert not problem.band("x", percentile=50).is_minimum


def test_what_the_data_do_not_see_is_found(problem):
    probed = problem.with_free().probe()
    assert (probed.unseen, probed.rank) == (("idle",), 2)
    assert "rank 2 of 3" in repr(probed)
    assert "singular value" in probed._repr_html_()


def test_pictures_go_to_files_axes_and_figures(problem, tmp_path):
    figure_module = pytest.importorskip("matplotlib.figure")
    problem.plot(tmp_path / "a.svg", "x", title="decay & co")
    assert "<svg" in (tmp_path / "a.svg").read_text()
    smoothed = problem.smooth()
    for what in ("solution", "curves", "residuals", "band"):
        assert smoothed.plot(what=what).axes
    axes = figure_module.Figure().add_subplot()
    assert smoothed.fit().plot(axes, title="here") is axes
    assert axes.get_title() == "here"
    assert axes.lines


def test_the_equations_come_to_rest():
    """x' = x (1 - x) rests at 0, which repels, and at 1, which attracts."""
    model = parfit.Model.from_text("par r=1\nx'=r*x*(1-x)\nx(0)=.5\n", "logistic")
    points = parfit.load(model).equilibria()
    np.testing.assert_allclose([point.y[0] for point in points], [0, 1], atol=1e-9)
    np.testing.assert_allclose([point.eigenvalues[0].real for point in points], [1, -1], rtol=1e-9)
    assert "logistic" in repr(points)
    assert "logistic" in points._repr_html_()
    assert list(points.at) == [0.0]


def test_plain_data_name_the_files_that_were_read(tmp_path):
    files = {"decay.ode": "par k=1\nx'=-k*x\nx(0)=2\n", "decay.csv": "t,x\n1,.7\n2,.3\n", "other.csv": "t,x\n1,.8\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in files]
    sums = [hashlib.sha256(text.encode()).hexdigest() for text in files.values()]
    loaded = parfit.load(*paths[:2])
    (tmp_path / "decay.csv").write_text("changed since")
    with parfit.Session(loaded) as session:
        session("FIT MORE")
        for fit in (loaded.fit(), loaded.with_values(k=0.5).fit(), session.fit):
            found = fit.to_dict()
            assert [found["model"]["file"], found["model"]["sha256"]] == [paths[0], sums[0]]
            assert [found["data"]["file"], found["data"]["sha256"]] == [paths[1], sums[1]]
    other = loaded.with_data(paths[2]).fit().to_dict()
    assert [other["data"]["file"], other["data"]["sha256"]] == [paths[2], sums[2]]
    assert other["model"]["file"] == paths[0]
    from_values = parfit.load(MODEL, {"t": T, "x": A}).fit().to_dict()
    assert from_values["model"]["file"] is from_values["data"]["file"] is None


def test_a_minimum_that_is_not_unique_is_told_so():
    """Only the sum of two rates acts, so that the data fix no more than that."""
    model = parfit.Model.from_text("par a=.2, b=.3\ny'=-(a+b)*y\ny(0)=1\n", "sum")
    t = np.arange(1.0, 6.0)
    fit = parfit.load(model, {"t": t, "y": np.exp(-0.8 * t) + 0.01 * np.array([1, -1, 1, -1, 1])}).fit()
    told = "a minimum here, but to first order a combination of the parameters is not determined by the data."
    assert (fit.verdict, fit.is_minimum) == ("undetermined", True)
    assert told in fit.sentence
    assert told in repr(fit)
    assert fit.to_dict()["verdict"] == {"code": "undetermined", "sentence": fit.sentence}
    with pytest.raises(parfit.ParfitError, match="with_values"):
        fit.values["a"] = 1.0
    with pytest.raises(parfit.ParfitError, match="with_values"):
        fit.errors["a"] = 1.0


def test_a_loss_is_called_by_its_name(problem):
    fit = problem.fit(loss="cauchy", loss_scale=0.1)
    assert fit.sentence == "The CAUCHY loss has a minimum here."
    assert fit.to_dict()["verdict"]["sentence"] == fit.sentence
    assert problem.fit().sentence == "The sum of squares has a minimum here."


def test_predictions_beyond_the_observations(problem):
    fit = problem.fit()
    found = fit.predict([5.0, 1.0, 40.0], "x")
    assert found.times.tolist() == [5.0, 1.0, 40.0]
    run = fit.problem.simulate([1.0, 5.0, 40.0])
    assert found.curves["x"] == pytest.approx(run.column("x")[[1, 0, 2]], rel=1e-6)
    wider = fit.predict([5.0, 1.0, 40.0], "x", measured=True)
    assert (wider.upper["x"] > found.upper["x"]).all()
    with pytest.raises(ParfitError, match="no bootstrap"):
        fit.predict([1.0], band="boot")
    assert fit.bootstrap(20).problem.predict([1.0], band="boot").lower["x"][0] < found.curves["x"][1]


def test_a_power_below_1_of_what_begins_at_0():
    """Its slope is infinite there; a search that could not pass 1 would end beside it."""
    n, k, c = 0.6, 0.8, 0.1
    times = np.array([0.5, 1.0, 2.0, 3.0])
    exact = solve_ivp(lambda t, x: k * x**n + c, (0.0, 3.0), [0.0], t_eval=times, rtol=1e-11, atol=1e-13).y[0]
    model = parfit.Model.from_text("par k=1, n=1.7, c=.1\nx'=k*x^n+c\nx(0)=0\n")
    fit = parfit.load(model, {"t": times, "x": exact}).with_frozen("c").fit()
    assert [fit.values["k"], fit.values["n"]] == pytest.approx([k, n], rel=1e-4)


def test_values_wait_for_nothing_else_and_nobody_changes_them():
    fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit()
    values = dict(fit.values)
    assert "env" not in vars(fit.result), "a loop over data sets that wants values alone pays for them alone"
    with pytest.raises(ValueError, match="read-only"):
        fit.result.values[0] = 1.0
    assert values == dict(fit.problem.values)
    assert values == dict(fit.values)
    assert fit.environment is fit.problem.environment
