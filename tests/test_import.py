"""What is imported when: `import parfit` is quick, and neither reading nor simulating a model waits for sympy."""

import subprocess
import sys

import pytest

HEAVY = {"sympy", "scipy.stats", "scipy.interpolate", "scipy.integrate", "prompt_toolkit", "plotext", "matplotlib"}
MODEL = "par k=1\nx'=-k*x\nrate=k*x\naux flow=rate\nx(0)=2\n"
DATA = "t,x\n1,0.7\n2,0.3\n"


def modules_after(code: str, cwd: object) -> set[str]:
    """The modules that a fresh interpreter has loaded after the code."""
    report = "\nimport sys\nsys.stdout.write(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, cwd=cwd)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "decay.ode").write_text(MODEL)
    (tmp_path / "decay.csv").write_text(DATA)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "proof"),
    [
        ("import parfit", "parfit"),
        ("import parfit; parfit.load_model('decay.ode')", "parfit.model.language.reader"),
        ("import parfit; parfit.load('decay.ode', 'decay.csv')", "parfit.api.problem"),
        (f"import parfit; parfit.Model.from_text({MODEL!r})", "parfit.model.language.reader"),
        ("import parfit; parfit.load_data('decay.csv', parfit.load_model('decay.ode'))", "parfit.data.csvfile"),
        ("import parfit.session.opening", "parfit.commands"),
    ],
    ids=["import", "load_model", "load", "from_text", "load_data", "all commands"],
)
def test_nothing_heavy_is_imported(code, proof, folder):
    loaded = modules_after(code, folder)
    assert proof in loaded
    assert loaded & HEAVY == set()


def test_importing_alone_does_not_even_import_numpy(folder):
    assert "numpy" not in modules_after("import parfit", folder)


def test_simulating_needs_nothing_heavy_either(folder):
    loaded = modules_after("import parfit; parfit.simulate(parfit.load_model('decay.ode'), [1, 2])", folder)
    assert "parfit.kernel.trapezoid" in loaded
    assert loaded & HEAVY == set()


def test_all_names_are_there_and_others_are_not(folder):
    code = "import parfit\nfor name in parfit.__all__: getattr(parfit, name)\nassert not hasattr(parfit, 'nothing')"
    modules_after(code, folder)
