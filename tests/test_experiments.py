"""Several experiments against a model that was doubled by hand: the same estimates and standard errors."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import parfit

SINGLE = "par k=.3, b=.1, m=.2\na'=b-k*a\nz'=k*a-m*z\ninit a=1, z=0\nlocal k\ndone\n"
DOUBLED = """par k1=.3, k2=.3, b=.1, m=.2
al'=b-k1*al
zl'=k1*al-m*zl
ah'=b-k2*ah
zh'=k2*ah-m*zh
init al=1, zl=0, ah=5, zh=0
done
"""
TIMES = np.linspace(0.0, 10.0, 11)


def solution(k, b, m, start):
    def slope(t, y):
        return [b - k * y[0], k * y[0] - m * y[1]]

    return solve_ivp(slope, (0.0, 10.0), [start, 0.0], t_eval=TIMES, rtol=1e-10, atol=1e-12).y.T


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """The same data for the model with experiments, and for the one that was doubled by hand."""
    folder, rng = tmp_path_factory.mktemp("experiments"), np.random.default_rng(1)
    low, high = (solution(k, 0.12, 0.3, y0) + 0.02 * rng.standard_normal((11, 2)) for k, y0 in ((0.25, 1), (0.4, 5)))
    lines = ["experiment,time,a(0),a,z"]
    for name, start, rows in (("low", 1, low), ("high", 5, high)):
        lines += [f"{name},{t!r},{start},{a!r},{z!r}" for t, (a, z) in zip(TIMES.tolist(), rows.tolist(), strict=True)]
    (folder / "single.csv").write_text("\n".join(lines) + "\n")
    both = zip(TIMES.tolist(), np.hstack((low, high)).tolist(), strict=True)
    rows = [",".join(map(repr, (t, *row))) for t, row in both]
    (folder / "doubled.csv").write_text("\n".join(["t,al,zl,ah,zh", *rows]) + "\n")
    how = parfit.Method(eps=1e-12)
    pairs = ((SINGLE, "single.csv"), (DOUBLED, "doubled.csv"))
    loaded = [parfit.load(parfit.Model.from_text(text), folder / file).with_method(how) for text, file in pairs]
    return [each.smooth() for each in loaded]


@pytest.mark.parametrize("method", ["fit", "dfit", "ifit", "contin", "shoot", "seq"])
def test_estimates_are_those_of_the_doubled_model(problems, method):
    single, doubled = (getattr(each, method)() for each in problems)
    assert list(single.values) == ["k[low]", "k[high]", "b", "m"]
    np.testing.assert_allclose(list(single.values.values()), list(doubled.values.values()), rtol=1e-8)
    np.testing.assert_allclose(list(single.errors.values()), list(doubled.errors.values()), rtol=1e-8)


def test_statistics_are_those_of_the_doubled_model(problems):
    single, doubled = (each.fit().problem.stats() for each in problems)
    np.testing.assert_allclose(list(single.errors.values()), list(doubled.errors.values()), rtol=1e-8)
    np.testing.assert_allclose(list(single.intervals.values()), list(doubled.intervals.values()), rtol=1e-8)


def test_probe_sees_what_it_sees_of_the_doubled_model(problems):
    single, doubled = (each.probe() for each in problems)
    assert single.rank == doubled.rank
    np.testing.assert_allclose(single.singular_values, doubled.singular_values, rtol=1e-8)
