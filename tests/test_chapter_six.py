"""Data of chapter 6 of the thesis, whose observations are only in figures: simulated as they say, or inferred."""

import re
from pathlib import Path

import numpy as np
import pytest
from conversation import data_of, model_of
from scipy.integrate import solve_ivp

MODELS = Path(__file__).parent.parent / "models"
MICE = (5.403, 2.691, 0.1042, 3.507, np.exp(-6.807), 3.848, np.exp(-4.688))
TABLE_1 = (
    (0.1562, 3.336, 0.8963),
    {  # thesis, Table 6.3.1: times and real roots, at the parameters of Figure 6.3.4
        1: "0.07464",
        84: "2.093",
        85: "2.216 9.331 13.45",
        89: "3.130 5.395 16.47",
        90: "16.95",
        151: "17.14",
        152: "3.260 5.142 16.60",
        156: "2.134 10.83 12.03",
        157: "1.994",
        226: "0.1436",
    },
)
TABLE_2 = (
    (0.9900, 0.7284, 2.796),
    {  # thesis, Table 6.3.2, at the parameters of Figure 6.3.5
        1: "0.007244",
        42: "0.08443",
        43: "0.08730 10.66 14.25",
        112: "0.6511 0.8676 23.48",
        113: "23.52",
        129: "23.51",
        130: "0.6316 0.8947 23.47",
        176: "0.08548 12.34 12.57",
        177: "0.08367",
        226: "0.01396",
    },
)
ROUNDED_PARAMETERS = {(1, "0.007244"): 5.1}  # in units of the doubt; z(1) is that of the other table


def zooplankton(t):
    """The curve z(t) of the model."""
    ((_, curve),) = model_of("algae").tables
    return float(curve(t))


def light(t):
    return np.exp(-(((t - 110) / 55) ** 2))


def doubt(printed):
    """Half a unit of the last digit."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


@pytest.mark.parametrize("table", [TABLE_1, TABLE_2], ids=["6.3.1", "6.3.2"])
def test_the_inferred_zooplankton_gives_all_roots_of_the_tables(table):
    (p1, p2, p3), rows = table
    for t, row in rows.items():
        cubic = [1, -25, p2**2 + 25 * p3 * zooplankton(t) / (p1 * light(t)), -25 * p2**2]
        roots = np.roots(cubic)
        real = np.sort(roots[abs(roots.imag) < 1e-9].real)
        assert len(real) == len(row.split())
        for root, printed in zip(real, row.split(), strict=True):
            assert abs(root - float(printed)) <= ROUNDED_PARAMETERS.get((t, printed), 1.05) * doubt(printed)


def test_the_inferred_zooplankton_lies_where_single_roots_put_it():
    lines = (MODELS / "algae-zooplankton.csv").read_text(encoding="utf-8").splitlines()
    found = [re.match(r"(\d+),(\S+)  # (\S+) \+- (\S+) from y = (\S+)", line) for line in lines]
    rows = [[float(word) for word in each.groups()] for each in found if each]
    assert len(rows) == 18
    for t, z, inferred, width, y in rows:
        p1, p2, p3 = next(p for p, table in (TABLE_1, TABLE_2) if y in map(float, table.get(int(t), "").split()))
        assert inferred == pytest.approx(p1 * light(t) * (1 - y / 25) * (p2**2 + y**2) / (p3 * y), abs=6e-7)
        assert abs(z - inferred) <= 1.1 * width + 1e-6
        assert z == pytest.approx(zooplankton(t), abs=2e-6)  # what the smoothing changes


# ---- simulated observations


def mice(_, y):
    """Thesis, equations (6.2.5) at the optimum of Figure 6.2.7: docile and aggressive mice."""
    _, _, p3, p4, p5, p6, p7 = MICE
    total = y[0] + y[1]
    return p6 * y[0] ** 2 / total - p4 * y[0] - p5 * y[0] * total, p3 * y[0] * y[1] / total - p7 * y[1]


def algae(t, y):
    """Thesis, equation (6.3.1) at the optimum of Figure 6.3.5."""
    return 0.99 * light(t) * y * (1 - y / 25) - 2.796 * zooplankton(t) * y**2 / (0.7284**2 + y**2)


def reindeer(_, y):
    """Thesis, equations (6.4.1) at the optimum of Experiment 4."""
    eaten = 2 * y[0] * y[1] / (14.61 + y[0])
    return 0.04046 * y[0] * (1 - 0.1 * y[0]) - eaten / 100, 3.635 * eaten - 2.669 * y[1]


def plankton(t, y):
    """Thesis, equations (6.5.1) and (6.5.2) at its first optimum."""
    x = 22.15 + 8.036 * t - 0.3099 * t**2 + 0.003156 * t**3
    p1, p2, p3, p4, p5, p6 = 0.1256, -0.1121, 0.1626, 0.06709, 0.2219, 0.07167
    return -(p1 + p4) * y[0] + p6 * x, p4 * y[0] - (p2 + p5) * y[1], p5 * y[1] - p3 * y[2]


DOCILE = MICE[0] / (1 + np.exp(-MICE[1]))
SIMULATED = {  # rates, initial time and state, states observed, their error: absolute, relative; seed
    "mice": (mice, 0, (DOCILE, MICE[0] - DOCILE), "sum", (1.3, 0), 1),
    "algae": (algae, 0, (3.2,), [0], (0, 0.4), 57),
    "reindeer": (reindeer, 0, (10, 0.001), [1], (0, 0.27), 9),
    "plankton": (plankton, 1, (0.407, 0.271, 0.291), [0, 1, 2], (0, 0.28), 12),
}


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_observations_are_what_their_head_says(name):
    rates, t0, start, seen, (absolute, relative), seed = SIMULATED[name]
    data = data_of(name)
    head = (MODELS / f"{name}.csv").read_text(encoding="utf-8")
    assert "SIMULATED" in head
    assert f"seed {seed} " in head
    solution = solve_ivp(rates, (t0, data.times[-1]), start, "LSODA", data.times, rtol=1e-11, atol=1e-12).y.T
    exact = solution.sum(axis=1, keepdims=True) if seen == "sum" else solution[:, seen]
    noise = np.random.default_rng(seed).standard_normal(exact.shape)
    made = exact + (absolute + relative * exact) * noise
    assert data.values == pytest.approx(made, rel=5.1e-3, abs=5.1e-3)  # two decimals, or three figures
    total = float(re.search(r"squares of (?:these|the) errors\W+is ([\d.]+\d)", head.replace("\n#", ""))[1])
    assert np.sum((data.values - exact) ** 2) == pytest.approx(total, abs=0.051)
