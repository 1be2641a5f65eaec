"""What is said of a study."""

import re

import numpy as np

from parfit.data.observations import make_observations
from parfit.model.model import Model

T = np.linspace(0.2, 6.0, 25)
MODEL = "par a=1, b=1, c=1, d=.3, e=.2\nx'=1\nx(0)=0\naux y=a*exp(-.5*x)+b*exp(-.7*x)+c*exp(-x)+d*x+e*x^2\n"


def test_stats_counts_the_pairs_of_parameters_that_stats_full_lists(begin):
    columns = np.stack([np.exp(-0.5 * T), np.exp(-0.7 * T), np.exp(-T), T, T**2], axis=1)
    values = columns @ [2.0, -1.0, 0.5, 0.1, 0.3] + 0.01 * np.cos(9 * T)
    session = begin(Model.from_text(MODEL, "sum"), make_observations(T, ["y"], values[:, np.newaxis]))
    session("FIT")
    short, full = session("STATS"), session("STATS FULL")
    inverse = np.linalg.inv(columns.T @ columns)
    sizes = np.sqrt(np.diag(inverse))
    n = int(np.count_nonzero(np.abs(np.tril(inverse / np.outer(sizes, sizes), -1)) > 0.9))
    assert n > 4, "or nothing is tested"
    told = " ".join(short.split())
    assert len(re.findall(r"(rises with|falls as)", told)) == 3
    assert f"and {n - 3} more pairs." in told
    remarks = " ".join(full.split()).split("Hardly told apart")[1].split("Correlated as well")
    assert sum(len(re.findall(r"\w and \w \(-?\d", part)) for part in remarks) == n


def test_what_is_frozen_is_named_and_a_wide_interval_is_so_in_any_scaling(begin):
    """y = a + b exp(-t) with b of the size of its error: too little is known of it, however it is measured."""
    model = Model.from_text("par a=1, b=.1, c=.25\nx'=1\nx(0)=0\naux y=a+b*exp(-x)+c\n", "offset")
    noise = 0.2 * np.cos(9 * T)
    values = 1.25 + noise + 0.1 * np.exp(-T)
    session = begin(model, make_observations(T, ["y"], values[:, np.newaxis]))
    session("FREEZE c", "FIT")
    columns = np.stack([np.ones_like(T), np.exp(-T)], axis=1)
    (_, b), (squares,), *_ = np.linalg.lstsq(columns, values - 0.25, rcond=None)
    error = np.sqrt(squares / (T.size - 2) * np.linalg.inv(columns.T @ columns)[1, 1])
    assert 0.0 < b < 2.0 * error, "or nothing is tested"
    for line in ("SCALE NONE", "SCALE b LOG", "SCALE b ROOT"):
        session("SCALE 0") if line == "SCALE NONE" else session(line)
        said = session("STATS")
        assert "The interval of b is wider than the parameter itself" in " ".join(said.split()), line
        assert "\nfrozen: c = 0.25\n" in said
