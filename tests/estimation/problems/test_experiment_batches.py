"""Experiments taken one by one: of a model linear in its parameters, the last estimate is that of all at once."""

import numpy as np
import pytest

import parfit
from parfit.errors import ParfitError

# x' = b + c t: x = b t + c t^2 / 2 + x(0), which is linear in b and c, and in the offset d[...] of each experiment
MODEL = parfit.Model.from_text("par b=0, c=0, d=0\nx'=b+c*t\ninit x=0\naux y=x+d\nlocal d\ndone\n", "line")
TIMES = np.array([0.5, 1.0, 2.0, 4.0])


def data(n=3):
    rng = np.random.default_rng(3)
    noise = rng.standard_normal((n, TIMES.size))
    seen = [2.0 * TIMES + 0.7 * TIMES**2 / 2 + k + 0.1 * noise[k] for k in range(n)]
    names = np.repeat([f"e{k}" for k in range(n)], TIMES.size)
    return {"run": names, "t": np.tile(TIMES, n), "y": np.concatenate(seen)}


def least_squares(n):
    """Of the first n experiments, directly."""
    rows = [[t, t * t / 2, *(float(k == j) for j in range(n))] for k in range(n) for t in TIMES]
    right = data()["y"][: n * TIMES.size]
    return np.linalg.lstsq(np.array(rows), right, rcond=None)[0]


def test_the_last_estimate_is_that_of_all():
    problem = parfit.load(MODEL, data()).with_method(eps=1e-10)
    fit = problem.seq(by_experiment=True, rtol=1e-12, lam=1e-12)
    estimates = fit.result.estimates
    assert len(estimates) == 3
    for n, each in enumerate(estimates, 1):
        b, c, *d = least_squares(n)
        np.testing.assert_allclose(each.result.p, [b, c, *d, *[0.0] * (3 - n)], rtol=1e-6, atol=1e-9)
        assert each.so_far.sum_of_squares == pytest.approx(each.result.evaluation.sum_of_squares, rel=1e-6)
    np.testing.assert_allclose(list(fit.values.values()), list(problem.fit().values.values()), rtol=1e-6)


def test_what_is_left_out_is_no_batch():
    fit = parfit.load(MODEL, data()).with_off("e1").seq(by_experiment=True)
    assert len(fit.result.estimates) == 2
    assert fit.values["d[e1]"] == 0.0


def test_one_experiment_has_no_batches_of_experiments():
    single = parfit.load(MODEL, {"t": TIMES, "y": TIMES})
    with pytest.raises(ParfitError, match="one experiment only"):
        single.seq(by_experiment=True)


def test_in_conversation_it_is_told_and_played_again(begin, tmp_path):
    session = begin(MODEL, parfit.load(MODEL, data()).data)
    said = session("SEQ EXPERIMENTS AUTO 1e-6 AUTO 100 ALL")
    assert "BATCH 3 OF 3, EXPERIMENT e2" in said
    assert "BATCH 1 EXPERIMENT e0: SUM OF SQUARES" in said
    assert session.entries[-1].startswith("SEQ EXPERIMENTS")
    first = session.env.values.copy()
    session("UNDO", session.entries[-1] if session.entries[-1].startswith("SEQ") else "SEQ EXPERIMENTS")
    np.testing.assert_array_equal(session.env.values, first)
