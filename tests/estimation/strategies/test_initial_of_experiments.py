"""Initial values in several experiments."""

import numpy as np
import pytest

import parfit
from parfit.data.csvfile import read_csv
from parfit.estimation.strategies.initial import first_unexplained
from parfit.model.model import Model


def test_initial_values_are_fitted_in_every_experiment(begin, tmp_path):
    """x = x0 exp(-k t), with another x0 in each of them."""
    times, starts = np.arange(5.0), {"p": 2.0, "q": 7.0}
    rows = [f"{name},{t},{start * np.exp(-0.3 * t)}" for name, start in starts.items() for t in times]
    (tmp_path / "d.csv").write_text("\n".join(["run,t,x", *rows]) + "\n")
    model = Model.from_text("par k=1\nx'=-k*x\ndone\n", "free")
    session = begin(model, read_csv(tmp_path / "d.csv", model))
    session("INIT x OBSERVED")
    assert [line.split()[1] for line in session("INIT").splitlines() if line.startswith("x[")] == ["2", "7"]
    session("UNDO", "INIT x[p] x[q] FREE")
    assert dict(zip(session.env.model.parameters, session.env.values, strict=True)) == {
        "k": 1.0,
        "x0[p]": 2.0,
        "x0[q]": 7.0,
    }
    session("SET x0=4", "FIT MORE")
    assert session.env.values == pytest.approx([0.3, 2, 7], rel=1e-5)
    assert "begins at the parameter x0 already" in session.refused("INIT x FREE")
    session("UNDO 3")
    assert "INIT x FREE" in session("GUIDE")


PK = "par ka=1,ke=.1\na'=-ka*a\nc'=ka*a-ke*c\n{}done\n"
SEEN = "1,.25,3.1,,\n1,1,7.2,,\n1,4,6.0,,\n1,12,2.1,,\n"


@pytest.mark.parametrize(
    ("lines", "first", "is_explained"),
    [
        ("", "1,0,,10,\n", True),
        ("", "1,0,,10,5\n", True),  # an infusion
        ("", "1,.25,,10,\n", True),  # what is observed at the time of a dose comes after it
        ("", "1,.5,,10,\n", False),
        ("", "", False),
        ("dose a=10 at 0\n", "", True),
        ("dose a=10 at 2\n", "", False),
        ("par lag=.1\ndose a=10 at lag\n", "", True),
        ("dose c=10 over 3 at 0\n", "", True),
        ("dose c=10 over 3 at 2\n", "", False),
    ],
)
def test_what_a_dose_can_have_brought_about_is_no_beginning(begin, tmp_path, lines, first, is_explained):
    """Who gives doses means states to begin at 0, whatever is observed soon after the first."""
    (tmp_path / "d.csv").write_text(f"id,t,c,amt,rate\n{first}{SEEN}")
    model = Model.from_text(PK.format(lines), "pk")
    session = begin(model, read_csv(tmp_path / "d.csv", model))
    assert ("INIT c FREE" not in session("GUIDE")) == is_explained


def test_each_experiment_has_doses_of_its_own(begin, tmp_path):
    rows = "".join(line.replace("1,", "2,", 1) + "\n" for line in SEEN.splitlines())
    (tmp_path / "d.csv").write_text(f"id,t,c,amt,rate\n1,0,,10,\n{SEEN}{rows}")
    model = Model.from_text(PK.format(""), "pk")
    session = begin(model, read_csv(tmp_path / "d.csv", model))
    assert list(first_unexplained(session.env)) == ["c[2]"]


def test_auto_from_python_frees_what_the_command_would():
    times, starts = np.arange(6.0), {"p": 2.0, "q": 7.0}
    rows = [(name, t, start * np.exp(-0.3 * t)) for name, start in starts.items() for t in times]
    data = dict(zip(("run", "t", "x"), map(list, zip(*rows, strict=True)), strict=True))
    found = parfit.load(Model.from_text("par k=1\nx'=-k*x\ndone\n", "free"), data).auto(5.0)
    assert found.result.lines[0] == "INIT x FREE"
    assert dict(found.values) == pytest.approx({"k": 0.3, "x0[p]": 2.0, "x0[q]": 7.0}, rel=1e-5)
