"""What is imported when: `import parfit` is quick, and neither reading nor simulating a model waits for sympy."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import parfit

HEAVY = {
    "sympy",
    "scipy",
    "prompt_toolkit",
    "plotext",
    "matplotlib",
}
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
        ("from parfit.commands import TABLE; TABLE.commands", "parfit.commands.fitting.fit"),
    ],
    ids=["import", "load_model", "load", "from_text", "load_data", "opening", "all commands"],
)
def test_nothing_heavy_is_imported(code, proof, folder):
    loaded = modules_after(code, folder)
    assert proof in loaded
    assert loaded & HEAVY == set()


def test_importing_alone_does_not_even_import_numpy(folder):
    assert "numpy" not in modules_after("import parfit", folder)


def test_the_prompt_waits_for_no_command(folder):
    loaded = modules_after("import parfit.terminal.prompt", folder)
    assert {name for name in loaded if name.startswith("parfit.commands.") and name.count(".") > 2} == set()
    assert not any(
        name.startswith(("parfit.advice", "parfit.estimation.strategies", "parfit.pictures")) for name in loaded
    )


def test_simulating_needs_nothing_heavy_either(folder):
    loaded = modules_after("import parfit; parfit.simulate(parfit.load_model('decay.ode'), [1, 2])", folder)
    assert "parfit.kernel.trapezoid" in loaded
    assert loaded & HEAVY == set()


def test_a_first_fit_waits_for_nothing_that_it_does_not_need(folder):
    words = ["parfit", "decay.ode", "decay.csv", "-e", "FIT 3"]
    code = f"import sys\nfrom parfit.__main__ import main\nsys.argv = {words}\nsys.stdout = None\nmain()"
    loaded = modules_after(f"{code}\nsys.stdout = sys.__stdout__", folder)
    assert "parfit.kernel.fit" in loaded
    assert loaded & (HEAVY | {"numpy.ma", "numpy.polynomial", "concurrent.futures", "asyncio", "random"}) == set()
    other = ("looking", "curves")
    assert not {name for name in loaded if name.startswith(tuple(f"parfit.commands.{room}." for room in other))}
    strategies = {name.split(".")[3] for name in loaded if name.startswith("parfit.estimation.strategies.")}
    assert "fit" in strategies
    assert strategies & {"contin", "curve_fit", "parallel", "reliability", "rounds", "scan", "seq", "shoot"} == set()
    assert not any(name.startswith(("parfit.estimation.profiles", "parfit.estimation.curves")) for name in loaded)


def test_all_names_are_there_and_others_are_not(folder):
    code = "import parfit\nfor name in parfit.__all__: getattr(parfit, name)\nassert not hasattr(parfit, 'nothing')"
    assert "parfit.api.problem" in modules_after(code, folder)


@pytest.mark.parametrize("started", [["-m", "parfit", "decay.ode"], ["-c", "import parfit; parfit.load('decay.ode')"]])
def test_sources_that_are_not_compiled_say_so(folder, started):
    """As in a copy of the project beside an installed program: Python takes them first."""
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(parfit.__file__).parent, folder / "parfit", ignore=compiled)
    run = subprocess.run([sys.executable, *started], capture_output=True, text=True, cwd=folder)
    assert run.returncode == 1
    assert f"the sources of PARFIT in {folder} are not compiled" in run.stderr
    assert "internal error" not in run.stderr
