"""Problems written as PEtab and SBML: read again they are the same, and other programs take them."""

import io
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parfit
from parfit.errors import ParfitError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import Scaling
from parfit.estimation.prior import Density, Prior
from parfit.export.exchange import files_of
from parfit.export.summary import summary
from parfit.model.textfile import file_bytes
from parfit.session.adoption import read_environment
from parfit.session.console import Console
from parfit.session.opening import open_run
from parfit.session.records import Options
from parfit.session.sources import Script
from parfit.simulation.method import Method

OFFICIAL = os.environ.get("PARFIT_PETAB", "")
CASES = sorted(Path(OFFICIAL).glob("v*/sbml/0*")) if OFFICIAL else []
LIBRARY = Path(parfit.__file__).parents[1] / "models"
DECAY = (
    "par k=.3, b=.01\na'=b-k*a\ninit a=1\nlocal k\n",
    "experiment,t,a(0),a\nlow,1,1,1.02\nlow,2,,.55\nhigh,2,5,2.2\n",
)
DOSES = (
    "par ka=1, cl=3, v=30\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\naux c=cen/v\n",
    "id,time,amt,cmt,ii,addl,c\na,0,100,gut,,,\na,1,,,,,2.1\nb,0,50,gut,24,6,\nb,24,,,,,.41\nb,150,,,,,.5\n",
)
RECEPTOR = (
    "par kon=.1, koff=.5, k1=1, k2=.2\nnumber ligand=0\nra'=kon*ligand*(1-ra)-koff*ra\ny'=k1*ra*(1-y)-k2*y\n"
    "aux py=y\nrest ligand=.02\n",
    "time,ligand,py\n10,0,.02\n10,.1,.11\n10,1,.55\n10,10,.93\n",
)
KNOWN_SOMEWHERE = (
    "par k=.3, f=2\nnumber u=1, w=.5\n!r=k*f\na'=-r*a*u+w*(t<2)+max(a-3,0)+mod(t,2)*.01+sign(a)*heav(1.5-t)\n"
    "a(0)=4*f\n"
    "aux seen=atan2(a,1)+(a>1)*.1\nexperiment two: set u=2; a=a+1 at 1.5\nexperiment two: number w=k\n"
    "experiment one: init a=3\n",
    "experiment,time,k,seen,seen.sd\none,1,,1,.1\none,2,,.9,.1\ntwo,1,.5,1.2,.2\ntwo,2,,1.1,.1\n",
)
EVENTS = (
    "par k=.8, lag=.7\nnumber hits=0\na'=-k*a\na(0)=4\nglobal 1 {1.5-a} {a=a+3; hits=hits+1}\n"
    "dose a=1 at lag, 2\n@ t0=.1\n",
    "t,a,a.weight\n.5,3,2\n1,2.5,1\n3,1,0\n3,2,.5\n",
)
AT_ONCE = (
    "par k=.3\nnumber u=1\na'=-k*a*u\na(0)=3\nset a=a*2; u=2 at 1, 2\nexperiment x: dose a=5 at 1\n",
    "experiment,t,a\nx,1,3\nx,3,2\ny,3,2\n",
)
PROBLEMS = {name: name for name in ("tour", "heart", "barnes", "plankton")}
PROBLEMS |= {"jumps": (EVENTS[0].replace("@ t0=.1\n", ""), EVENTS[1])}
PROBLEMS |= {
    "decay": DECAY,
    "doses": DOSES,
    "receptor": RECEPTOR,
    "known somewhere": KNOWN_SOMEWHERE,
    "events": EVENTS,
    "at once": AT_ONCE,
}


def environment(given, folder):
    folder.mkdir(exist_ok=True, parents=True)
    if isinstance(given, str):
        return parfit.load(LIBRARY / f"{given}.ode", LIBRARY / f"{given}.csv").environment
    (folder / "m.ode").write_text(given[0])
    (folder / "m.csv").write_text(given[1])
    return parfit.load(folder / "m.ode", folder / "m.csv").environment


def written(env, folder):
    folder.mkdir(exist_ok=True, parents=True)
    for path, text in files_of(env, folder / "p.yaml").items():
        path.write_text(text)
    return folder / "p.yaml"


def again(env, folder):
    return read_environment(str(written(env, folder)), file_bytes)


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_written_is_read_as_the_same_problem(name, tmp_path):
    env = environment(PROBLEMS[name], tmp_path / "given")
    new = again(env, tmp_path / "written")
    at, there = (each.problem().evaluate(each.parameters.point) for each in (env, new))
    assert there.sum_of_squares == pytest.approx(at.sum_of_squares, rel=1e-12)
    assert len(new.model.parameters) == len(env.model.parameters)
    counts = env.observations.weights[env.observations.observed] > 0.0  # what counts nothing is not written
    rows, others = (np.sort(np.abs(each), axis=0) for each in (at.jac[counts], there.jac))  # in any order
    columns = [_place(name, new.model.parameters) for name in env.model.parameters]
    np.testing.assert_allclose(others[:, columns], rows, rtol=1e-12, atol=1e-12 * np.abs(rows).max())


@pytest.mark.parametrize("folder", CASES, ids=lambda each: f"{each.parents[1].name}-{each.name}")
def test_official_cases_are_written_as_they_were(folder, tmp_path):
    env = read_environment(str(folder / f"_{folder.name}.yaml"), file_bytes)
    expected, found = summary(env), summary(again(env, tmp_path / "written"))
    assert found["log_likelihood"] == pytest.approx(expected["log_likelihood"], rel=1e-11)
    assert found["chi2"] == pytest.approx(expected["chi2"], rel=1e-11)


def _place(name, names):
    plain = name.replace("[", "_").rstrip("]")
    return next(names.index(each) for each in (name, plain, f"{plain}_fitted") if each in names)


FORMS = [
    VariableNoise(Form.ADDITIVE),
    VariableNoise(Form.RELATIVE),
    VariableNoise(Form.LOGNORMAL),
    VariableNoise(Form.LAPLACE),
    VariableNoise(Form.GIVEN, quantity="q"),
    VariableNoise(Form.LOGNORMAL, quantity="q"),
    VariableNoise(Form.RELATIVE, quantity="q"),
    VariableNoise(Form.PROPORTIONAL, quantity="q"),
]


@pytest.mark.parametrize(
    "noise", FORMS, ids=lambda each: f"{each.form.name}{'-' + each.quantity if each.quantity else ''}"
)
def test_noise_is_written_as_formulas_and_parameters(noise, tmp_path):
    given = "par k=.4\na'=-k*a\na(0)=3\naux q=.1+.05*a\n", "t,a\n1,2.1\n2,1.4\n3,1.01\n4,.8\n"
    env = environment(given, tmp_path).with_noise(Noise({"a": noise}))
    new = again(env, tmp_path / "written")
    assert summary(new)["log_likelihood"] == pytest.approx(
        summary(env)["log_likelihood"], rel=1e-6 if noise.form.is_laplace else 1e-10
    )
    assert len(new.model.parameters) == 1 + noise.is_estimated


def test_bounds_scales_frozen_parameters_priors_and_values_are_kept(tmp_path):
    env = environment(DECAY, tmp_path)
    names = env.model.parameters
    env = env.with_values([0.25, 0.5, 0.02]).with_frozen(["b"]).with_scaling({names[0]: Scaling.LOGARITHM})
    env = env.with_bounds([0.1, 0.0, -np.inf], [1.0, np.inf, np.inf])
    env = env.with_noise(Noise({}, {names[0]: Prior(Density.LOGNORMAL, 0.5, 0.3)}))
    new = again(env, tmp_path / "written")
    assert new.model.parameters == ("k_low", "k_high")  # what is frozen is a constant there
    np.testing.assert_array_equal(new.values, [0.25, 0.5])
    np.testing.assert_array_equal(new.parameters.lower, [0.1, 0.0])
    np.testing.assert_array_equal(new.parameters.upper, [1.0, np.inf])
    assert [each.name for each in new.parameters.scaling] == ["LOGARITHM", "NONE"]
    assert str(new.noise.priors["k_low"]).startswith("LOGNORMAL 0.5")
    assert "number b=0.02" in new.model.source


INFUSED = "par k=.3, d=5\na'=-k*a\nb'=k*a-.1*b\ninit a=1\n@ t0=0\n"
INFUSIONS = {
    "one alone": (
        f"{INFUSED}experiment x: dose a=d over 2 at 1, 6\n",
        "experiment,t,a,b\nx,.5,1,1\nx,2,5,1\nx,4,3,2\nx,9,4,3\ny,2,.5,.3\ny,9,.1,.2\n",
    ),
    "that overlap": (
        f"{INFUSED}experiment x: dose a=d over 4 at 1\nexperiment x: dose a=2 over 3 at 2\nset b=0 at 5\n",
        "experiment,t,a,b\nx,2,5,1\nx,4,3,2\nx,9,4,3\ny,2,.5,.3\ny,9,.1,.2\n",
    ),
    "of the data, with a reset": (
        INFUSED,
        "id,time,amt,cmt,dur,evid,a,b\nx,0,10,a,4,1,,\nx,1,,,,0,2,1\nx,3,5,b,2,4,,\nx,4,,,,0,1,3\nx,8,,,,0,.5,3\n"
        "y,2,,,,0,.5,.3\ny,8,,,,0,.2,.4\n",
    ),
}


@pytest.mark.parametrize("name", INFUSIONS)
def test_infusions_of_single_experiments_are_rates_that_change(name, tmp_path):
    env = environment(INFUSIONS[name], tmp_path / "given")
    new = again(env, tmp_path / "written")
    exact = Options(method=Method(eps=1e-11))
    at, there = (replace(each, options=exact) for each in (env, new))
    at, there = (each.problem().evaluate(each.parameters.point) for each in (at, there))
    assert at.sum_of_squares > 1.0
    assert there.sum_of_squares == pytest.approx(at.sum_of_squares, rel=1e-8)
    assert len(new.model.parameters) == len(env.model.parameters)


@pytest.mark.parametrize("density", list(Density))
def test_every_prior_is_kept(density, tmp_path):
    env = environment(DECAY, tmp_path)
    name = env.model.parameters[0]
    prior = Prior(density, 0.0 if density is Density.RAYLEIGH else 1.5, 2.0)
    new = again(env.with_noise(Noise({}, {name: prior})), tmp_path / "written")
    found = new.noise.priors["k_low"]
    assert found.density is density
    assert (found.first, found.second) == pytest.approx((prior.first, prior.second), rel=1e-12)


def test_a_prior_that_petab_does_not_know_is_told(tmp_path):
    env = environment(DECAY, tmp_path)
    env = env.with_noise(Noise({}, {env.model.parameters[0]: Prior(Density.RAYLEIGH, 0.1, 2.0)}))
    with pytest.raises(ParfitError, match="does not begin at 0"):
        files_of(env, tmp_path / "p.yaml")


@pytest.mark.parametrize(
    ("model", "data", "words"),
    [
        ("par k=1\na'=-k*a+erf(t)\n", "t,a\n1,2\n", r"erf\(...\) cannot be written"),
        (
            "par k=1\na'=-k*a\nexperiment x: dose a=1 over k at 0\n",
            "experiment,t,a\nx,1,2\n",
            "only values at fixed times",
        ),
        ("par k=1\na'=-k*a\nexperiment x: dose a=1 at k\n", "experiment,t,a\nx,1,2\n", "only values at fixed times"),
        ("par k=1\ntable f % 3 0 2 t\na'=-k*a+f(t)\n", "t,a\n1,2\n", "table f cannot be written"),
        ("par k=1\na'=-k*a\n", "id,time,amt,ii,ss,a\nx,0,10,6,1,\nx,1,,,,3\n", r"experiment x: a dose at steady"),
        (
            "par k=1\ntable f % 3 0 2 t\na'=-k*a+f(t)\nexperiment x: table f % 3 0 2 1-t\n",
            "experiment,t,a\nx,1,2\n",
            "experiment x: the table f cannot be written",
        ),
    ],
)
def test_what_cannot_be_written_is_told(model, data, words, tmp_path):
    env = environment((model, data), tmp_path)
    with pytest.raises(ParfitError, match=words):
        files_of(env, tmp_path / "p.yaml")


def test_noise_of_one_experiment(tmp_path):
    """Errors of the others are given; those of one are unknown, and then a parameter."""
    given = (
        "par k=.3, s=.2\na'=-k*a\na(0)=3\naux sd=s+.1*a\nnoise a sd\nexperiment x: noise a additive\n",
        AT_ONCE[1],
    )
    env = environment(given, tmp_path / "given")
    new = again(env, tmp_path / "written")
    assert summary(new)["log_likelihood"] == pytest.approx(summary(env)["log_likelihood"], rel=1e-11)
    assert new.model.parameters == ("k", "s", "sd_a_x")


def test_it_is_saved_in_conversation_and_converted(tmp_path, capsys):
    from parfit.__main__ import main

    environment(DOSES, tmp_path)
    out = io.StringIO()
    opened = open_run([str(tmp_path / "m.ode"), str(tmp_path / "m.csv")], tmp_path / "run", Console(out, out))
    code = opened.converse(Script([f"SAVE {tmp_path / 'saved.yaml'}", f"SAVE {tmp_path / 'saved.xml'}"], "test"))
    opened.run.close()
    assert code == 0, out.getvalue()
    assert main(["convert", str(tmp_path / "saved.yaml"), str(tmp_path / "back.ode")]) == 0
    assert str(tmp_path / "back.csv") in capsys.readouterr().out
    found = [
        summary(parfit.load(*paths).environment)["sum_of_squares"]
        for paths in (
            (tmp_path / "m.ode", tmp_path / "m.csv"),
            (tmp_path / "saved.yaml",),
            (tmp_path / "back.ode", tmp_path / "back.csv"),
        )
    ]
    assert found[1:] == pytest.approx(found[:1] * 2, rel=1e-12)
    assert parfit.load_model(tmp_path / "saved.xml").states == ("gut", "cen")
    assert main(["convert", str(tmp_path / "m.ode"), str(tmp_path / "m.ode")]) == 1
    assert "give another name" in capsys.readouterr().err
    assert main(["convert"]) == 2


# ---- others


@pytest.mark.parametrize("name", PROBLEMS)
def test_libsbml_finds_nothing_wrong(name, tmp_path):
    libsbml = pytest.importorskip("libsbml", reason="needs python-libsbml")
    written(environment(PROBLEMS[name], tmp_path / "given"), tmp_path)
    document = libsbml.readSBML(str(tmp_path / "p_model.xml"))
    document.setConsistencyChecks(libsbml.LIBSBML_CAT_UNITS_CONSISTENCY, False)
    document.setConsistencyChecks(libsbml.LIBSBML_CAT_MODELING_PRACTICE, False)
    document.checkConsistency()
    errors = [document.getError(k) for k in range(document.getNumErrors())]
    assert [each.getMessage() for each in errors if each.getSeverity() >= libsbml.LIBSBML_SEV_ERROR] == []


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")  # of petab's own calls of pandas
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_linter_of_petab_finds_nothing_wrong(name, tmp_path):
    v2 = pytest.importorskip("petab.v2", reason="needs petab")
    from petab.v2.lint import lint_problem

    path = written(environment(PROBLEMS[name], tmp_path / "given"), tmp_path)
    found = lint_problem(v2.Problem.from_yaml(path))
    assert [str(each) for each in found if each.level.name in ("ERROR", "CRITICAL")] == []


@pytest.mark.parametrize("name", ["jumps", "tour", "barnes"])  # SBML itself begins at 0
def test_copasi_computes_the_same_curves(name, tmp_path, basico):
    env = environment(PROBLEMS[name], tmp_path / "given")
    written(env, tmp_path)
    there = basico.load_model(str(tmp_path / "p_model.xml"))
    try:
        t = np.linspace(env.model.t0, env.model.t0 + 3, 7)
        found = basico.run_time_course_with_output(
            ["Time", *(f"Values[{each}]" for each in env.model.states)],
            values=list(t),
            start_time=t[0],
            use_numbers=True,
            r_tol=1e-10,
            a_tol=1e-12,
        )
    finally:
        basico.remove_datamodel(there)
    from parfit.simulation.method import Method
    from parfit.simulation.simulator import Simulator

    run = Simulator(env.model, t, Method(eps=1e-10))(env.values)
    for each in env.model.states:
        np.testing.assert_allclose(found[f"Values[{each}]"], run.column(each), rtol=1e-6, atol=1e-8)
