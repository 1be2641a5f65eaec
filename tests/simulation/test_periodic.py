"""Pharmacokinetics by closed forms: one and two compartments, single and many doses, and their steady states."""

import numpy as np
import pytest

import parfit
from parfit.data.beginning import begun
from parfit.data.csvfile import read_csv
from parfit.data.tabulating import csv_text
from parfit.errors import DataError
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Reason

ORAL = "par ka=1.1, cl=3, v=30\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\ndone\n"
TWO = "par ka=.9, cl=3, v=30, q=2, w=50\ngut'=-ka*gut\ncen'=ka*gut-(cl+q)/v*cen+q/w*per\nper'=q/v*cen-q/w*per\ndone\n"
TIMES = np.array([0.0, 0.5, 3.0, 11.0, 12.0, 20.0, 119.0])
TINY = 1e-30  # the step of complex differentiation


def matrix(p):
    """Of the linear equations."""
    if len(p) == 3:
        ka, cl, v = p
        return np.array([[-ka, 0], [ka, -cl / v]])
    ka, cl, v, q, w = p
    return np.array([[-ka, 0, 0], [ka, -(cl + q) / v, q / w], [0, q / v, -q / w]])


def exponential(a):
    """Of a small matrix, also of a complex one: a Taylor series, scaled and squared."""
    halvings = max(0, int(np.ceil(np.log2(np.abs(a).sum() + 1e-300))) + 1)
    term = found = np.eye(len(a), dtype=a.dtype)
    for k in range(1, 19):
        term = term @ a / (k * 2.0**halvings)
        found = found + term
    for _ in range(halvings):
        found = found @ found
    return found


def response(a, state, amount, over, t):
    """To one dose at 0, after a time t: e^(At) u, or its integral while the infusion lasts."""
    unit = np.zeros(len(a), dtype=a.dtype)
    if t < 0:
        return unit
    unit[state] = amount
    if over is None:
        return exponential(a * t) @ unit
    lasted = min(t, over)
    inverse = np.linalg.solve(a, (exponential(a * lasted) - np.eye(len(a))) @ (unit / over))
    return exponential(a * (t - lasted)) @ inverse


def solution(p, state, amount, over, doses, steady):
    """At all times, by superposition; all earlier doses of a steady state are a geometric series."""
    a, rows = matrix(p), []
    for t in TIMES:
        row = sum(response(a, state, amount, over, t - dose) for dose in doses)
        if steady is not None:
            before = response(a, state, amount, over, steady)  # one period after a dose
            row = row + exponential(a * t) @ np.linalg.solve(np.eye(len(a)) - exponential(a * steady), before)
        rows.append(row)
    return np.array(rows)


CASES = [
    ("gut", None, "", (0.0,), None),
    ("cen", None, "", (0.0,), None),
    ("cen", 2.0, "", (0.0,), None),
    ("gut", None, "12,9,", tuple(12.0 * k for k in range(10)), None),
    ("cen", 2.0, "12,9,", tuple(12.0 * k for k in range(10)), None),
    ("gut", None, "12,,1", (0.0,), 12.0),
    ("cen", None, "12,2,1", (0.0, 12.0, 24.0), 12.0),
    ("cen", 5.0, "12,,1", (0.0,), 12.0),
]


@pytest.mark.parametrize("text", [ORAL, TWO], ids=["one compartment", "two compartments"])
@pytest.mark.parametrize(("state", "over", "more", "doses", "steady"), CASES)
def test_amounts_are_those_of_the_closed_form(tmp_path, text, state, over, more, doses, steady):
    template = parfit.Model.from_text(text)
    lines = ["time,amt,cmt,dur,ii,addl,ss,cen", f"0,100,{state},{over or ''},{more or ',,'},"]
    (tmp_path / "pk.csv").write_text("\n".join([*lines, *(f"{t},,,,,,,1" for t in TIMES.tolist())]) + "\n")
    data = read_csv(tmp_path / "pk.csv", template)
    model = begun(template, data)
    run = Simulator(model, TIMES, Method(eps=1e-8))(sensitivities=True)
    assert run.status
    given = (model.states.index(state), 100.0, over, doses, steady)
    p = model.values.copy()
    expected = solution(p, *given)
    np.testing.assert_allclose(run.y, expected, rtol=1e-6, atol=1e-6)
    for k in range(p.size):
        step = p.astype(complex)
        step[k] += TINY * 1j
        slopes = solution(step, *given).imag / TINY
        np.testing.assert_allclose(run.s[:, :, k], slopes, rtol=1e-5, atol=1e-5 * np.abs(slopes).max())


def test_a_steady_state_is_that_of_the_same_doses_for_a_long_time(tmp_path):
    """Elimination that saturates: against 60 doses before."""
    text = "par ka=1, vm=12, km=20\ngut'=-ka*gut\ncen'=ka*gut-vm*cen/(km+cen)\ndone\n"
    template = parfit.Model.from_text(text)
    (tmp_path / "ss.csv").write_text("time,amt,ii,ss,cen\n0,80,12,1,\n0,,,,1\n7,,,,1\n")
    (tmp_path / "long.csv").write_text("time,amt,ii,addl,cen\n-720,80,12,60,\n0,,,,1\n7,,,,1\n")
    runs = []
    for name in ("ss.csv", "long.csv"):
        data = read_csv(tmp_path / name, template)
        runs.append(Simulator(begun(template, data), [0.0, 7.0], Method(eps=1e-10))(None, True))
    np.testing.assert_allclose(runs[0].y, runs[1].y, rtol=1e-6)
    np.testing.assert_allclose(runs[0].s, runs[1].s, rtol=1e-4, atol=1e-6)


def test_what_piles_up_has_no_steady_state(tmp_path):
    template = parfit.Model.from_text("par k=1\ncen'=-k*cen\nauc'=cen\ndone\n")
    (tmp_path / "auc.csv").write_text("time,amt,ii,ss,cen\n0,80,12,1,\n7,,,,1\n")
    model = begun(template, read_csv(tmp_path / "auc.csv", template))
    run = Simulator(model, [0.0, 7.0])()
    assert (run.status.reason, run.status.state) == (Reason.NO_REST, "auc")


def test_a_file_with_a_steady_state_is_written_as_it_was_read(tmp_path):
    template = parfit.Model.from_text(ORAL)
    (tmp_path / "pk.csv").write_text("id,time,amt,ii,addl,ss,cen\na,0,80,12,2,1,\na,7,,,,,1\nb,0,50,,,,\nb,1,,,,,2\n")
    first = read_csv(tmp_path / "pk.csv", template)
    (tmp_path / "again.csv").write_text(csv_text(first))
    again = read_csv(tmp_path / "again.csv", template)
    assert first.design.conditions[0].doses[0].steady == 12.0
    runs = [Simulator(begun(template, each), [0.0, 30.0])().y for each in (first, again)]
    np.testing.assert_array_equal(*runs)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,0,,,,1\na,5,80,12,1,\n", "a dose at steady state .ss. begins an experiment, but rows of it stand above"),
        ("a,3,80,12,1,\na,5,,,,1\nb,0,,,,1\n", "of experiment a is at t = 3, but all begins at t = 0"),
    ],
)
def test_a_steady_state_that_does_not_begin_an_experiment(tmp_path, rows, said):
    (tmp_path / "pk.csv").write_text("id,time,amt,ii,ss,cen\n" + rows)
    with pytest.raises(DataError, match=said):
        read_csv(tmp_path / "pk.csv", parfit.Model.from_text(ORAL))
