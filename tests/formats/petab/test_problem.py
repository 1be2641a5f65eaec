"""PEtab problems: the official cases where they are at hand, and problems of our own."""

import csv
import io
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.stats import cauchy, chi2, expon, gamma, rayleigh

import parfit
from parfit.errors import ParfitError
from parfit.export.exchange import with_data
from parfit.export.summary import summary
from parfit.model.textfile import file_bytes
from parfit.session.adoption import read_environment
from parfit.session.console import Console
from parfit.session.opening import open_run
from parfit.session.sources import Script

OFFICIAL = os.environ.get("PARFIT_PETAB", "")
CASES = sorted(Path(OFFICIAL).glob("v*/sbml/0*")) if OFFICIAL else []
MODELS = Path(__file__).parents[1] / "models"


def opened(path):
    return read_environment(str(path), file_bytes)


@pytest.mark.skipif(not OFFICIAL, reason="PARFIT_PETAB names no folder with PEtab's test cases")
def test_there_are_official_cases():
    assert len(CASES) == 39


@pytest.mark.parametrize("folder", CASES, ids=lambda each: f"{each.parents[1].name}-{each.name}")
def test_official_case(folder, tmp_path):
    import yaml

    expected = yaml.safe_load((folder / f"_{folder.name}_solution.yaml").read_text())
    found = summary(opened(folder / f"_{folder.name}.yaml"))
    assert found["chi2"] == pytest.approx(expected["chi2"], abs=expected["tol_chi2"])
    assert found["log_likelihood"] == pytest.approx(expected["llh"], abs=expected["tol_llh"])
    assert difference(folder, expected["simulation_files"], tmp_path / "copy") < expected["tol_simulations"]


def difference(folder, simulations, copy):
    """How far what is computed is from the simulations on average, read in the place of the measurements."""
    shutil.copytree(folder, copy)
    assert len(simulations) == 1
    text = (folder / simulations[0]).read_text()
    (copy / "_measurements.tsv").write_text(
        text.replace("\tsimulation\t", "\tmeasurement\t").replace("\tsimulation\n", "\tmeasurement\n")
    )
    env = opened(copy / f"_{folder.name}.yaml")
    data, run = env.observations, env.simulator()(env.values)
    assert data.n_observations == len(list(csv.reader(text.splitlines()))) - 1
    rows = np.searchsorted(run.times, data.times)
    computed = np.column_stack([run.column(name)[rows] for name in data.names])
    return np.abs(computed - data.values)[data.observed].mean()


# ---- one of our own: A -> B -> C with feedback, two inputs, a scaled observable and unknown errors

TRUTH = {"k1": 0.7, "k2": 0.25, "kb": 0.1, "a0": 2.0, "scale": 3.0, "offset": 0.4, "sd_a": 0.02, "sd_c": 0.03} | {
    "boost": 1.8
}
SBML = MODELS / "chain.xml"
TIMES = np.linspace(0.5, 12.0, 24)


def truth(u):
    """A and C of the chain in a cell of size 2.5, with k1 multiplied by u."""
    p = TRUTH

    def slope(t, y):
        a, b, _ = y
        return [-u * p["k1"] * a, u * p["k1"] * a - 2 * p["k2"] * b * b, p["k2"] * b * b]

    run = solve_ivp(slope, (0, 12), [p["a0"], 0.5, 0.0], t_eval=TIMES, rtol=1e-10, atol=1e-12)
    return run.y


def written(folder, rows, version=2):
    folder.mkdir(exist_ok=True)
    shutil.copy(SBML, folder / "model.xml")
    for name, text in rows.items():
        (folder / name).write_text(text)
    if version == 2:
        (folder / "p.yaml").write_text(
            "format_version: 2.0.0\nmodel_files:\n  m:\n    language: sbml\n    location: model.xml\n"
            "parameter_files: [parameters.tsv]\ncondition_files: [conditions.tsv]\n"
            "experiment_files: [experiments.tsv]\nobservable_files: [observables.tsv]\n"
            "measurement_files: [measurements.tsv]\n"
        )
    else:
        (folder / "p.yaml").write_text(
            "format_version: 1\nparameter_file: parameters.tsv\nproblems:\n- sbml_files: [model.xml]\n"
            "  condition_files: [conditions.tsv]\n  observable_files: [observables.tsv]\n"
            "  measurement_files: [measurements.tsv]\n"
        )
    return folder / "p.yaml"


def own_problem(folder):
    chance = np.random.default_rng(7)
    rows = ["observableId\tsimulationConditionId\ttime\tmeasurement\tnoiseParameters"]
    for condition, u in (("plain", 1.0), ("boosted", TRUTH["boost"])):
        a, _, c = truth(u)
        for t, x, y in zip(TIMES, a, c, strict=True):
            seen_a = TRUTH["scale"] * x + TRUTH["offset"] + chance.normal(0, TRUTH["sd_a"])
            seen_c = y * math.exp(chance.normal(0, TRUTH["sd_c"]))
            rows.append(f"obs_a\t{condition}\t{t}\t{seen_a}\tsd_a")
            rows.append(f"obs_c\t{condition}\t{t}\t{seen_c}\tsd_c")
    table = ["parameterId\tparameterScale\tlowerBound\tupperBound\tnominalValue\testimate"]
    begins = {
        "k1": 0.3,
        "k2": 0.5,
        "kb": 0.1,
        "a0": 1.0,
        "scale": 1.0,
        "offset": 0.1,
        "sd_a": 0.1,
        "sd_c": 0.1,
        "boost": 1.0,
    }
    for name, value in begins.items():
        table.append(f"{name}\tlog10\t1e-4\t1e3\t{value}\t{int(name != 'kb')}")
    return written(
        folder,
        {
            "measurements.tsv": "\n".join(rows) + "\n",
            "parameters.tsv": "\n".join(table) + "\n",
            "conditions.tsv": "conditionId\tA\tu\nplain\ta0\t1\nboosted\ta0\tboost\n",
            "observables.tsv": "observableId\tobservableFormula\tobservableTransformation\tnoiseFormula\n"
            "obs_a\tscale * A + offset\tlin\tnoiseParameter1_obs_a\n"
            "obs_c\tC\tlog\tnoiseParameter1_obs_c\n",
            "model.xml": SBML.read_text()
            .replace("<ci> k1 </ci>", "<ci> k1 </ci><ci> u </ci>")
            .replace('<parameter id="k1"', '<parameter id="u" value="1"/><parameter id="k1"'),
        },
        version=1,
    )


def test_a_problem_with_log_scales_unknown_errors_and_two_conditions_is_fitted(tmp_path):
    folder = tmp_path / "own"
    fit = parfit.load(own_problem(folder)).fit()
    assert fit.verdict == "minimum"
    for name, value in fit.values.items():
        assert value == pytest.approx(TRUTH[name], rel=0.4 if name.startswith("sd") else 0.03), name


def test_it_is_opened_resumed_and_loaded_in_conversation(tmp_path):
    path = own_problem(tmp_path / "own")
    out = io.StringIO()
    first = open_run([str(path)], tmp_path / "run", Console(out, out))
    assert first.converse(Script(["REPORT 10", "EXPERIMENT", "FIT"], "test")) == 0, out.getvalue()
    first.run.close()
    (tmp_path / "other.ode").write_text("x'=-x\nx(0)=1\n")
    second = open_run([str(tmp_path / "other.ode")], tmp_path / "again", Console(out, out))
    assert second.converse(Script([f"LOAD {path}"], "test")) == 0, out.getvalue()
    second.run.close()
    one, other = first.env, second.env
    assert other.model.source == one.model.source
    np.testing.assert_array_equal(other.parameters.upper, one.parameters.upper)
    assert other.noise == one.noise
    assert [each.name for each in other.parameters.scaling] == ["LOGARITHM"] * len(other.model.parameters)


def test_as_text_and_csv_it_keeps_its_experiments_and_noise(tmp_path):
    env = opened(own_problem(tmp_path / "own"))
    for path, text in with_data(env, tmp_path / "own.ode").items():
        path.write_text(text)
    again = parfit.load(tmp_path / "own.ode", tmp_path / "own.csv").environment
    assert again.noise == env.noise
    assert summary(again)["log_likelihood"] == pytest.approx(summary(env)["log_likelihood"], rel=1e-12)


def test_data_beside_it_have_no_place(tmp_path):
    path = own_problem(tmp_path / "own")
    (tmp_path / "d.csv").write_text("t,A\n1,2\n")
    with pytest.raises(ParfitError, match="has data of its own"):
        open_run([str(path), str(tmp_path / "d.csv")], tmp_path / "run", Console(io.StringIO(), io.StringIO()))
    with pytest.raises(ParfitError, match="has data of its own"):
        parfit.load(path, tmp_path / "d.csv")


# ---- several periods, against a solution in closed form

PERIODS = {
    "parameters.tsv": "parameterId\tlowerBound\tupperBound\tnominalValue\testimate\n"
    "k1\t0\t9\t0.5\ttrue\nk2\t0\t1\t0\tfalse\n",
    "conditions.tsv": "conditionId\ttargetId\ttargetValue\nstart\tA\t2*k1\nstart\tB\t0\nmore\tA\tA + 3\nmore\tk2\t0\n"
    "big\tcell\t5\n",
    "experiments.tsv": "experimentId\ttime\tconditionId\ne\t0\tstart\ne\t2\tmore\ne\t2\tbig\nf\t0\t\n",
    "observables.tsv": "observableId\tobservableFormula\tnoiseFormula\nobs\tA\t0.1\nsize\tA*cell\t0.1 + 0*k1\n",
    "measurements.tsv": "observableId\texperimentId\ttime\tmeasurement\nobs\te\t1\t1\nobs\te\t2\t1\nobs\te\t3\t1\n"
    "obs\te\t3\t2\nsize\te\t3\t1\nobs\tf\t2\t1\n",
}


def test_periods_change_states_and_sizes(tmp_path):
    """A' = -k1 A; 3 is added at 2, where the cell grows and concentrations stay."""
    env = opened(written(tmp_path / "p", PERIODS))
    run = env.simulator()(env.values)
    e = math.exp
    at = {t: run.column("obs[e]")[np.searchsorted(run.times, t)] for t in (1.0, 2.0, 3.0)}
    after = e(-1.0) + 3.0
    assert at == {
        1.0: pytest.approx(e(-0.5), rel=1e-5),
        2.0: pytest.approx(after, rel=1e-5),
        3.0: pytest.approx(after * e(-0.5), rel=1e-5),
    }
    assert run.column("size[e]")[-1] == pytest.approx(5 * after * e(-0.5), rel=1e-5)
    assert run.column("obs[f]")[np.searchsorted(run.times, 2.0)] == pytest.approx(4 * e(-1.0), rel=1e-5)
    assert env.observations.n_observations == 6


def test_experiments_may_begin_at_different_times(tmp_path):
    """f begins at 1, and is at 2 where it would be at 1; g comes to rest first, at nothing, and adds 2 to it."""
    experiments = PERIODS["experiments.tsv"].replace("f\t0\t", "f\t1\t") + "g\t-inf\t\ng\t1.5\ttwo\n"
    rows = PERIODS["measurements.tsv"] + "obs\tg\t2\t1\n"
    conditions = PERIODS["conditions.tsv"] + "two\tA\tA + 2\n"
    tables = {"experiments.tsv": experiments, "measurements.tsv": rows, "conditions.tsv": conditions}
    env = opened(written(tmp_path / "p", PERIODS | tables))
    run = env.simulator()(env.values)
    at_2 = np.searchsorted(run.times, 2.0)
    assert run.column("obs[e]")[at_2] == pytest.approx(math.exp(-1.0) + 3.0, rel=1e-5)
    assert run.column("obs[f]")[at_2] == pytest.approx(4 * math.exp(-0.5), rel=1e-5)
    assert run.column("obs[g]")[at_2] == pytest.approx(2 * math.exp(-0.25), rel=1e-5)


def test_names_of_the_tables_may_stand_for_others_in_the_model(tmp_path):
    path = written(tmp_path / "p", PERIODS)
    expected = summary(opened(path))["log_likelihood"]
    for table in ("conditions.tsv", "observables.tsv"):
        text = (tmp_path / "p" / table).read_text()
        (tmp_path / "p" / table).write_text(text.replace("cell", "size_of_cell").replace("\tA", "\tsubstance"))
    (tmp_path / "p" / "conditions.tsv").write_text(
        (tmp_path / "p" / "conditions.tsv").read_text().replace("A + 3", "substance + 3")
    )
    (tmp_path / "p" / "mapping.tsv").write_text(
        "petabEntityId\tmodelEntityId\tname\nsize_of_cell\tcell\t\nsubstance\tA\tthe substance\nbig\t\ta condition\n"
    )
    path.write_text(path.read_text() + "mapping_files: [mapping.tsv]\n")
    assert summary(opened(path))["log_likelihood"] == pytest.approx(expected, rel=1e-12)


def test_measurements_at_rest_and_far_from_the_beginning(tmp_path):
    """A' = -k1 A from 4: nothing is left in the end, and time begins at 0 wherever measurements do."""
    rows = "observableId\texperimentId\ttime\tmeasurement\nobs\tf\t40\t1\nobs\tf\t41\t1\nobs\tf\tinf\t0\n"
    env = opened(written(tmp_path / "p", PERIODS | {"measurements.tsv": rows}))
    run = env.simulator()(env.values)
    assert env.model.t0 == 0.0
    np.testing.assert_allclose(run.column("obs")[-3:], [4 * math.exp(-20), 4 * math.exp(-20.5), 0.0], atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "numbers", "density"),
    [
        ("cauchy", "0.4;.2", cauchy(0.4, 0.2)),
        ("gamma", "3;.2", gamma(3.0, scale=0.2)),
        ("exponential", ".3", expon(scale=0.3)),
        ("chisquare", "4", chi2(4)),
        ("rayleigh", ".3", rayleigh(scale=0.3)),
    ],
)
def test_priors_are_the_densities_of_scipy(tmp_path, kind, numbers, density):
    """What they add to F, from one value to another."""
    text = PERIODS["parameters.tsv"].replace("estimate\n", "estimate\tpriorDistribution\tpriorParameters\n")
    text = text.replace("true\n", f"true\t{kind}\t{numbers}\n")
    env = opened(written(tmp_path / "p", PERIODS | {"parameters.tsv": text}))
    prior = env.noise.priors["k1"]
    assert not any("prior" in each for each in env.model.remarks)
    rise = prior.row(0.7)[0] ** 2 - prior.row(0.2)[0] ** 2
    assert rise == pytest.approx(2.0 * (density.logpdf(0.2) - density.logpdf(0.7)), rel=1e-3)


def test_what_is_passed_over_is_told(tmp_path):
    text = PERIODS["parameters.tsv"].replace("estimate\n", "estimate\tpriorDistribution\tpriorParameters\n")
    text = text.replace("true\n", "true\tchisquare\t1\n")
    env = opened(written(tmp_path / "p", PERIODS | {"parameters.tsv": text}))
    assert any("the prior of k1 (chisquare) is infinite at 0" in each for each in env.model.remarks)
    assert any("K is K_2" in each for each in parfit.load_model(MODELS / "names.xml").remarks)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("parameters.tsv", "true", "maybe", "parameters.tsv:2: estimate is 'maybe'"),
        ("parameters.tsv", "estimate", "guess", "parameters.tsv:1: has no column estimate"),
        ("parameters.tsv", "k2\t0\t1\t0", "k1\t0\t1\t0", "parameters.tsv:3: parameterId k1 is given twice"),
        ("parameters.tsv", "0\t9\t0.5", "9\t0\t0.5", "lowerBound 9 is above upperBound 0"),
        ("conditions.tsv", "A + 3", "A + ", "conditions.tsv:4: targetValue"),
        ("conditions.tsv", "A + 3", "A + zz", "conditions.tsv:4: zz is neither in the model"),
        ("experiments.tsv", "big", "small", "experiments.tsv:4: there is no condition small"),
        ("experiments.tsv", "e\t2\tmore", "e\tinf\tmore", "experiments.tsv:3: a period cannot begin at time inf"),
        ("experiments.tsv", "e\t0\tstart", "e\tnan\tstart", "experiments.tsv:2: a period cannot begin at time nan"),
        ("observables.tsv", "0.1 + 0*k1", "sin(", "observables.tsv:3: noiseFormula"),
        ("observables.tsv", "obs\tA\t0.1", "obs\tA\t-0.1", "the standard deviation is -0.1"),
        ("measurements.tsv", "obs\tf", "obs\tg", "measurements.tsv:7: there is no experiment g"),
        ("measurements.tsv", "size\te", "sizes\te", "measurements.tsv:6: there is no observable sizes"),
        ("measurements.tsv", "obs\te\t1\t1", "obs\te\tsoon\t1", "measurements.tsv:2: time is 'soon'"),
        ("measurements.tsv", "obs\te\t1\t1", "obs\te\t-inf\t1", "measurements.tsv:2: a measurement at time -inf"),
        ("measurements.tsv", "obs\te\t1\t1", "obs\te\t1\t1\t1\t1\t1", "measurements.tsv:2: has 7 cells for 4 columns"),
        (
            "measurements.tsv",
            "obs\te\t1\t1",
            "obs\te\t-1\t1",
            "measurements.tsv:2: time is -1, but the experiment begins",
        ),
        ("conditions.tsv", "more\tk2", "more\tk3", "conditions.tsv:5: k3 is neither in the model nor in a formula"),
        ("parameters.tsv", "k2\t", "B\t", "parameters.tsv:3: B is in the model, but no parameter there"),
        ("p.yaml", "2.0.0", "3.0.0", "format_version 3.0.0"),
        ("p.yaml", "location: model.xml", "location: none.xml", "none.xml"),
        ("p.yaml", "language: sbml", "language: bngl", "model m is in bngl; expected sbml"),
        ("p.yaml", "parameter_files: [parameters.tsv]", "parameter_files: []", "names no file"),
        ("p.yaml", "model_files:", "model_files: [", "is not YAML"),
        ("p.yaml", "condition_files", "extensions: {a: 1}\ncondition_files", "extensions"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path, file, old, new, words):
    path = written(tmp_path / "p", PERIODS)
    target = tmp_path / "p" / file
    assert old in target.read_text()
    target.write_text(target.read_text().replace(old, new, 1))
    with pytest.raises(ParfitError) as caught:
        opened(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "numbers", "scale", "expected"),
    [
        ("normal", "1;2", "lin", "NORMAL 1 2"),
        ("logNormal", "0;2", "log10", "LOGNORMAL 1 2"),
        ("parameterScaleNormal", "0;1", "log10", f"LOGNORMAL 1 {math.log(10)!r}"),
        ("parameterScaleLaplace", "3;1", "lin", "LAPLACE 3 1"),
        ("uniform", "1;2", "lin", "UNIFORM 1 2"),
        ("parameterScaleUniform", "", "lin", "None"),
        ("parameterScaleUniform", "-1;2", "lin", "UNIFORM -1 2"),
        ("parameterScaleUniform", "0;1", "log", f"UNIFORM 1 {math.e!r}"),
        ("log-uniform", ".5;2", "", "UNIFORM 0.5 2"),
    ],
)
def test_priors(kind, numbers, scale, expected):
    from parfit.formats.petab.parameters import read_parameters
    from parfit.formats.petab.tables import Row

    cells = {"parameterId": "k", "estimate": "1", "nominalValue": "1", "parameterScale": scale}
    row = Row("p.tsv", 2, cells | {"objectivePriorType": kind, "objectivePriorParameters": numbers})
    assert str(read_parameters([row])["k"].prior) == expected
