"""Initial values in several experiments."""

import numpy as np
import pytest

from parfit.data.csvfile import read_csv
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
