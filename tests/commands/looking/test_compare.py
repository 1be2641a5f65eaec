"""COMPARE: against criteria worked out by hand."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model

ONE = "par a=1\nx'=-a*x\ninit x=4\n"
TWO = "par a=1, c=.1\nx'=-a*x+c\ninit x=4\n"
TIMES = np.arange(0.0, 6.0, 0.5)


@pytest.fixture
def decay(begin, tmp_path):
    (tmp_path / "two.ode").write_text(TWO)
    noise = np.random.default_rng(3).normal(0, 0.05, TIMES.size)
    values = 0.5 + 3.5 * np.exp(-TIMES) + noise
    session = begin(Model.from_text(ONE, "one"), make_observations(TIMES, ["x"], values[:, np.newaxis]))
    session("FIT MORE", "MARK one", "LOAD MODEL two.ode", "FIT MORE", "MARK two")
    return session


def test_marks_of_other_models_survive_and_compare(decay):
    n, sums = TIMES.size, {mark.name: mark.sum_of_squares for mark in decay.env.marks}
    said = decay("COMPARE one two")
    lines = {line.split()[0]: line.split() for line in said.split("\n") if len(line.split()) == 8}
    aic = {name: n * np.log(sums[name] / n) + 2 * k for name, k in (("one", 2), ("two", 3))}
    aicc = {name: aic[name] + 2 * k * (k + 1) / (n - k - 1) for name, k in (("one", 2), ("two", 3))}
    for name in ("one", "two"):
        assert float(lines[name][4]) == pytest.approx(aic[name], rel=1e-4)
        assert float(lines[name][5]) == pytest.approx(aicc[name], rel=1e-4)
    weight = 1 / (1 + np.exp(-0.5 * (aicc["one"] - aicc["two"])))
    assert float(lines["two"][7]) == pytest.approx(weight, abs=1e-3)
    assert said.index("\ntwo") < said.index("\none"), "the best stands first"
    ratio = (sums["one"] - sums["two"]) / (sums["two"] / (n - 2))
    assert f"F(1, {n - 2}) = {ratio:.4g}" in said
    assert "two is clearly the best" in said


def test_all_marks_are_compared_where_none_is_named(decay):
    assert decay("COMPARE").count("F test") == 1
    assert "NOW" in decay("SET c .3", "INTEG N", "COMPARE one NOW")


def test_what_does_not_compare(decay):
    assert "have other weights" in decay.refused("WEIGHT RELATIVE", "INTEG N", "MARK three", "COMPARE one three")
    assert "sum of squares of four is not known" in decay.refused("SET a 3", "MARK four", "COMPARE one four")
    assert "two fits at least" in decay.refused("COMPARE one")


def test_a_fit_that_was_marked_twice_counts_once(decay):
    before = decay("COMPARE one two")
    said = decay("MARK again", "COMPARE one two again")
    assert "again is the same fit as two, and counts once\n" in said
    assert said.endswith(before.partition("\n")[2])
    assert decay("COMPARE two again").endswith("counts once\nthere is nothing to compare them with\n")


@pytest.mark.parametrize("noise", [None, "NOISE x ADDITIVE"])
def test_fit_stats_and_compare_count_alike_where_the_data_do_not_determine_all_parameters(begin, noise):
    """c and d only add up: they are one parameter in each of the criteria, and in the F test."""
    rng = np.random.default_rng(3)
    data = make_observations(TIMES, ["x"], (0.5 + 3.5 * np.exp(-TIMES) + rng.normal(0, 0.05, 12))[:, np.newaxis])
    session = begin(Model.from_text("par a=1, c=.1, d=.2\nx'=-a*x+c+d\ninit x=4\n", "three"), data)
    session("FREEZE c d", *([noise] if noise else []), "FIT MORE", "MARK one", "UNFREEZE c d")
    said = session("FIT MORE", "MARK all", "STATS", "COMPARE")
    total = session.env.marks[-1].sum_of_squares
    aic = f"{12 * np.log(total / 12) + 2 * 3:.5g}"
    assert said.count(f"AIC {aic}, ") == (2 if noise else 1)
    row = next(line.split() for line in said.split("\n") if line.startswith("all  "))
    assert (row[2], row[4]) == ("2", aic)
    assert "F(1, 10) = " in said
    assert "estimated: 1 in each" in said
