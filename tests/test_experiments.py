"""Several experiments against a model that was doubled by hand: the same estimates and standard errors."""

import json

import numpy as np
import pytest
from schemas import violations
from scipy.integrate import solve_ivp

import parfit
from parfit.export.plain import json_text

SINGLE = "par k=.3, b=.1, m=.2\na'=b-k*a\nz'=k*a-m*z\ninit a=1, z=0\nlocal k\ndone\n"
DOUBLED = """par k1=.3, k2=.3, b=.1, m=.2
al'=b-k1*al
zl'=k1*al-m*zl
ah'=b-k2*ah
zh'=k2*ah-m*zh
init al=1, zl=0, ah=5, zh=0
done
"""
TIMES = np.linspace(0.0, 10.0, 11)
TIGHT = 1e-14  # FIT ends where F can fall by no more than this part of it: then parameters agree to 1e-8


def solution(k, b, m, start):
    def slope(t, y):
        return [b - k * y[0], k * y[0] - m * y[1]]

    return solve_ivp(slope, (0.0, 10.0), [start, 0.0], t_eval=TIMES, rtol=1e-10, atol=1e-12).y.T


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """The same data for the model with experiments, and for the one that was doubled by hand."""
    folder, rng = tmp_path_factory.mktemp("experiments"), np.random.default_rng(1)
    low, high = (solution(k, 0.12, 0.3, y0) + 0.02 * rng.standard_normal((11, 2)) for k, y0 in ((0.25, 1), (0.4, 5)))
    lines = ["experiment,time,a(0),a,z"]
    for name, start, rows in (("low", 1, low), ("high", 5, high)):
        lines += [f"{name},{t!r},{start},{a!r},{z!r}" for t, (a, z) in zip(TIMES.tolist(), rows.tolist(), strict=True)]
    (folder / "single.csv").write_text("\n".join(lines) + "\n")
    both = zip(TIMES.tolist(), np.hstack((low, high)).tolist(), strict=True)
    rows = [",".join(map(repr, (t, *row))) for t, row in both]
    (folder / "doubled.csv").write_text("\n".join(["t,al,zl,ah,zh", *rows]) + "\n")
    how = parfit.Method(eps=1e-12)
    pairs = ((SINGLE, "single.csv"), (DOUBLED, "doubled.csv"))
    loaded = [parfit.load(parfit.Model.from_text(text), folder / file).with_method(how) for text, file in pairs]
    return [each.smooth() for each in loaded]


@pytest.mark.parametrize("method", ["fit", "dfit", "ifit", "contin", "shoot", "seq"])
def test_estimates_are_those_of_the_doubled_model(problems, method):
    settings = {"tol": TIGHT} if method == "fit" else {}
    single, doubled = (getattr(each, method)(**settings) for each in problems)
    assert list(single.values) == ["k[low]", "k[high]", "b", "m"]
    np.testing.assert_allclose(list(single.values.values()), list(doubled.values.values()), rtol=1e-8)
    np.testing.assert_allclose(list(single.errors.values()), list(doubled.errors.values()), rtol=1e-8)


def test_statistics_are_those_of_the_doubled_model(problems):
    single, doubled = (each.fit(tol=TIGHT).problem.stats() for each in problems)
    np.testing.assert_allclose(list(single.errors.values()), list(doubled.errors.values()), rtol=1e-8)
    np.testing.assert_allclose(list(single.intervals.values()), list(doubled.intervals.values()), rtol=1e-8)


def test_probe_sees_what_it_sees_of_the_doubled_model(problems):
    single, doubled = (each.probe() for each in problems)
    assert single.rank == doubled.rank
    np.testing.assert_allclose(single.singular_values, doubled.singular_values, rtol=1e-8)


# ---- doses in tables

PK = "par ka=1.2, cl=3, v=30\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\naux c=cen/v\n{}done\n"
ACCURATE = parfit.Method(eps=1e-8)


def oral(t, dose, ka=1.2, cl=3.0, v=30.0):
    """One compartment with absorption; nothing before the dose."""
    k, after = cl / v, np.maximum(t, 0.0)
    return np.where(t >= 0, dose * ka / (v * (ka - k)) * (np.exp(-k * after) - np.exp(-ka * after)), 0.0)


def infused(t, dose, over, cl=3.0, v=30.0):
    k, during, after = cl / v, np.clip(t, 0.0, over), np.maximum(t - over, 0.0)
    return dose / over / cl * (1.0 - np.exp(-k * during)) * np.exp(-k * after)


def table(*rows):
    names = ("id", "time", "amt", "cmt", "rate", "ii", "addl", "evid", "c")
    return {name: [dict(row).get(name) for row in rows] for name in names}


def test_doses_of_a_table_have_the_closed_solutions():
    times = np.array([0.5, 3.0, 12.0, 25.0, 60.0, 100.0])
    seen = [{"id": i, "time": t, "evid": 0, "c": 1.0} for i in ("often", "drip") for t in times]
    given = [
        {"id": "often", "time": 0, "amt": 50, "cmt": "gut", "ii": 12, "addl": 9, "evid": 1},
        {"id": "drip", "time": 0, "amt": 80, "cmt": "cen", "rate": 40, "evid": 1},
        {"id": "drip", "time": 24, "amt": 80, "cmt": "2", "rate": 20, "evid": 1},
    ]
    problem = parfit.load(parfit.Model.from_text(PK.format("")), table(*given, *seen)).with_method(ACCURATE)
    run = problem.simulate(times)
    often = sum(oral(times - 12.0 * k, 50.0) for k in range(10))
    drip = infused(times, 80.0, 2.0) + infused(times - 24.0, 80.0, 4.0)
    np.testing.assert_allclose(run.column("c[often]"), often, rtol=1e-6)
    np.testing.assert_allclose(run.column("c[drip]"), drip, rtol=1e-6)


def test_a_table_of_doses_is_the_same_as_statements():
    times = [0.5, 3.0, 25.0]
    seen = [{"id": i, "time": t, "evid": 0, "c": 1.0} for i in (1, 2) for t in times]
    given = [
        {"id": 1, "time": 0, "amt": 50, "ii": 12, "addl": 2, "evid": 1},
        {"id": 2, "time": 1, "amt": 9, "evid": 1},
    ]
    lines = "experiment 1: dose gut=50 at 0(12)24\nexperiment 2: dose gut=9 at 1\n"
    first = parfit.load(parfit.Model.from_text(PK.format("")), table(*given, *seen))
    second = parfit.load(parfit.Model.from_text(PK.format(lines)), table(*seen))
    for name in ("c[1]", "c[2]"):
        np.testing.assert_array_equal(first.simulate(times).column(name), second.simulate(times).column(name))


def test_every_column_of_a_table_of_doses_is_the_same_as_statements():
    """Infusions, further doses, a reset and a compartment by its number; and a fit of both ends at the same place."""
    times = [0.5, 3.0, 7.0, 13.0, 25.0]
    seen = [{"id": i, "time": t, "evid": 0, "c": 1.0 + 0.1 * i * k} for i in (1, 2) for k, t in enumerate(times)]
    given = [
        {"id": 1, "time": 0, "amt": 50, "cmt": "gut", "rate": 25, "ii": 12, "addl": 1, "evid": 1},
        {"id": 1, "time": 6, "amt": 10, "cmt": "2", "rate": 0, "evid": 1},
        {"id": 2, "time": 1, "amt": 9, "cmt": "cen", "evid": 1},
        {"id": 2, "time": 12, "amt": 20, "cmt": "1", "evid": 4},
    ]
    lines = """experiment 1: dose gut=50 over 2 at 0, 12
experiment 1: dose cen=10 at 6
experiment 2: dose cen=9 at 1
experiment 2: set gut=20; cen=0 at 12
"""
    first = parfit.load(parfit.Model.from_text(PK.format("")), table(*given, *seen))
    second = parfit.load(parfit.Model.from_text(PK.format(lines)), table(*seen))
    for name in ("c[1]", "c[2]", "gut[1]", "gut[2]"):
        np.testing.assert_array_equal(first.simulate(times).column(name), second.simulate(times).column(name))
    np.testing.assert_allclose(list(first.fit().values.values()), list(second.fit().values.values()), rtol=1e-10)


# ---- from Python


def test_files_are_experiments_and_names_stand_for_all(tmp_path):
    for name, start in (("low", 1.0), ("high", 5.0)):
        rows = [
            f"{t!r},{start},{a!r},{z!r}"
            for t, (a, z) in zip(TIMES.tolist(), solution(0.3, 0.1, 0.2, start).tolist(), strict=True)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["t,a(0),a,z", *rows]) + "\n")
    problem = parfit.load(parfit.Model.from_text(SINGLE), [tmp_path / "low.csv", tmp_path / "high.csv"])
    assert problem.data.names == ("a[low]", "z[low]", "a[high]", "z[high]")
    moved = problem.with_values(k=0.5, b=0.05).with_bounds(k=(0, 1)).with_scaling(k="log")
    assert moved.values == {"k[low]": 0.5, "k[high]": 0.5, "b": 0.05, "m": 0.2}
    assert moved.bounds == {"k[low]": (0.0, 1.0), "k[high]": (0.0, 1.0)}
    np.testing.assert_allclose(list(moved.fit().values.values()), [0.3, 0.3, 0.1, 0.2], rtol=1e-4)


RECEPTOR = """par kon=.1, koff=.5, k1=1, k2=.2
number ligand=0
ra'=kon*ligand*(1-ra)-koff*ra
y'=k1*(ra+.05)*(1-y)-k2*y
aux py=y
done
"""


def test_a_dose_response_that_begins_at_rest(tmp_path):
    """Rest without ligand has ra = 0 and y = .05 k1/(.05 k1 + k2); the data are another program's solution."""
    true = {"kon": 0.4, "koff": 0.9, "k1": 1.5, "k2": 0.3}
    doses, times = (0.0, 0.3, 1.0, 10.0), (0.5, 1.0, 3.0, 10.0)
    lines = ["#: rest ligand=0", "time,ligand,py"]
    for ligand in doses:

        def slope(t, y, u=ligand):
            ra, bound = y
            return [
                true["kon"] * u * (1 - ra) - true["koff"] * ra,
                true["k1"] * (ra + 0.05) * (1 - bound) - true["k2"] * bound,
            ]

        begin = [0.0, 0.05 * true["k1"] / (0.05 * true["k1"] + true["k2"])]
        seen = solve_ivp(slope, (0.0, 10.0), begin, "LSODA", times, rtol=1e-11, atol=1e-13).y[1]
        lines += [f"{t},{ligand},{value!r}" for t, value in zip(times, seen.tolist(), strict=True)]
    (tmp_path / "receptor.csv").write_text("\n".join(lines) + "\n")
    problem = parfit.load(parfit.Model.from_text(RECEPTOR), tmp_path / "receptor.csv")
    fit = problem.with_method(parfit.Method(eps=1e-9)).fit()
    np.testing.assert_allclose(list(fit.values.values()), list(true.values()), rtol=1e-5)


def test_observations_at_the_end_of_time(tmp_path):
    """x comes to v/k: seen at inf it is fitted with the rest, here exactly; the other experiment ends at 2."""
    times = np.array([0.5, 1.0, 1.5, 2.0])
    lines = ["experiment,time,x(0),x"]
    for name, start in (("up", 0.0), ("down", 9.0)):
        seen = 4.0 + (start - 4.0) * np.exp(-0.5 * times)
        lines += [f"{name},{t},{start},{x!r}" for t, x in zip(times.tolist(), seen.tolist(), strict=True)]
    (tmp_path / "end.csv").write_text("\n".join([*lines, "up,inf,0,4.0"]) + "\n")
    model = parfit.Model.from_text("par k=1, v=1\nx'=v-k*x\ndone")
    problem = parfit.load(model, tmp_path / "end.csv").with_method(parfit.Method(eps=1e-10))
    fit = problem.fit()
    np.testing.assert_allclose(list(fit.values.values()), [0.5, 2.0], rtol=1e-7)
    written = json.loads(json_text(fit.to_dict()))
    assert violations(written) == []
    last = written["residuals"][-1]
    assert (last["variable"], last["observed"], last["time"]) == ("x[up]", 4.0, None)
    simulator = problem.environment.simulator()
    assert simulator.times.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, np.inf]
    assert list(simulator.ends) == [np.inf, 2.0]
    smoothed = problem.smooth()
    assert smoothed.environment.smoothing.curves["x[up]"].breaks[-1] == 2.0
    np.testing.assert_allclose(list(smoothed.ifit().values.values()), [0.5, 2.0], rtol=0.05)


def test_one_experiment_is_simulated_by_itself():
    problem = parfit.load("models/decay.ode", "models/decay.csv").with_method(ACCURATE)
    run = problem.simulate(TIMES, experiment="HIGH", k=0.4, b=0.1)
    np.testing.assert_allclose(run.column("a"), 0.25 + 4.75 * np.exp(-0.4 * TIMES), rtol=1e-6)
    with pytest.raises(parfit.ParfitError, match="there is no experiment 'hi'; did you mean high"):
        problem.simulate(TIMES, experiment="hi")


def test_experiments_are_added_and_left_out():
    problem = parfit.load(parfit.Model.from_text(SINGLE), {"t": [0, 1, 3], "a": [1, 0.8, 0.4]})
    more = problem.with_experiment({"t": [0, 2], "a": [5, 2]}, "high", **{"A(0)": 5, "m": 0.1})
    assert list(more.experiments) == ["first", "high"]
    assert "HIGH" in more.experiments
    assert "middle" not in more.experiments
    assert more.experiments.get("middle") is None
    assert more.experiments["High"].condition.settings == {"a(0)": 5, "m": 0.1}
    left = more.with_off("high").with_experiment({"t": [0, 2], "a": [2, 1]}, "third", **{"a(0)": 2})
    assert left.fit().to_dict()["data"]["experiments"][1]["is_fitted"] is False
    np.testing.assert_array_equal(left.data.weights.sum(axis=0), [3, 0, 2])
    np.testing.assert_array_equal(left.with_off("high", is_off=False).data.weights.sum(axis=0), [3, 2, 2])
    assert "high (off)" in left.experiments.table()
    for wrong in ({"zz": 3}, {"k": "much"}):
        with pytest.raises(parfit.ParfitError):
            problem.with_experiment({"t": [0, 2], "a": [2, 1]}, "third", **wrong)


def test_the_report_has_a_table_of_experiments(tmp_path):
    with parfit.Session("models/decay.ode", "models/decay.csv") as session:
        session("FIT MORE", f"REPORT HTML {tmp_path}/page.html", f"REPORT JSON {tmp_path}/found.json")
    page = (tmp_path / "page.html").read_text()
    assert "<h2>Experiments</h2>" in page
    assert "2 experiments, 14 observations on a" in page
    found = json.loads((tmp_path / "found.json").read_text())["data"]["experiments"]
    assert [each["n_observations"] for each in found] == [7, 7]
