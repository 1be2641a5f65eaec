"""Solutions as CSV."""

import csv
import io

import numpy as np

from parfit.export.curves import curves_csv
from parfit.model.model import Model
from parfit.simulation.simulator import simulate

DECAY = Model.from_text("par k=2, a=3\nx'=-k*x\naux double=2*x\ninit x=a\n", "decay")


def rows_of(text):
    headers, *rows = csv.reader(io.StringIO(text))
    return headers, np.array(rows, dtype=float)


def test_solution_and_sensitivities_at_the_sample_times():
    times = np.array([0.0, 0.5, 1.0])
    headers, rows = rows_of(curves_csv(simulate(DECAY, times, sensitivities=True)))
    assert headers == ["t", "x", "double", "d(x)/d(k)", "d(x)/d(a)", "d(double)/d(k)", "d(double)/d(a)"]
    x = 3 * np.exp(-2 * times)
    exact = np.column_stack((times, x, 2 * x, -times * x, x / 3, -2 * times * x, 2 * x / 3))
    np.testing.assert_allclose(rows, exact, rtol=1e-4, atol=1e-6)


def test_without_sensitivities_and_to_the_last_digit():
    run = simulate(DECAY, [0.5, 1.0])
    headers, rows = rows_of(curves_csv(run))
    assert headers == ["t", "x", "double"]
    assert rows[:, 1].tolist() == run.column("x").tolist()


def test_only_times_that_were_reached():
    model = Model.from_text("x'=x*x\ninit x=1\n", "explosion")  # x = 1 / (1 - t)
    _, rows = rows_of(curves_csv(simulate(model, [0.0, 0.5, 2.0])))
    assert rows[:, 0].tolist() == [0.0, 0.5]
