"""Nothing depends on units or offsets: conversations in many units say the same sentences and find the same numbers.

States, time, data and every parameter are multiplied independently, and constants are added to an aux quantity and its
data. With powers of 2 nothing of that is rounded; with powers of 10 agreement is to the rounding that must remain.
PARFIT_UNITS=20 tries 20 units each.
"""

import os
import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from conversation import SCRIPT, Session
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parfit.data.observations import make_observations
from parfit.errors import DONE
from parfit.model.model import Model
from parfit.pictures import small
from parfit.session.sources import Script

EXAMPLES = int(os.environ.get("PARFIT_UNITS", "2"))
QUICK = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TRUE = np.array([1.0, 0.5, 0.4, 2.0])  # V, K, k, a0
PARTS = np.array([0.7, 1.6, 1.3, 0.9])  # of the true values, at the start
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
INFINITE = ("inf", "infinite")  # the condition number of a Jacobian in its units, which may be any number
OF_UNITS = re.compile(r"The sizes of the parameters .*? SCALE( \w+ LOG)+")  # what PROBE says of units on purpose
COUNT = re.compile(r"\b(\d+) (steps?|integrations?|iterations?|REJECTED)")


@pytest.fixture(autouse=True, scope="module")
def one_plot():
    """Which variables share a plot depends on their sizes, on purpose; everything else must not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "MUCH", np.inf)
        yield


@dataclass(frozen=True)
class Units:
    """What is called 1 is so large: states, time, and each parameter beside what states and time make of it."""

    a: float = 1.0
    b: float = 1.0
    t: float = 1.0
    parameters: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    offset: float = 0.0  # of the aux quantity and its data, in spreads

    @property
    def values(self):
        """Of the parameters at their true values."""
        natural = np.array([self.a / self.t, self.a, 1 / self.t, self.a])
        return TRUE * natural * np.array(self.parameters)

    def number(self, value):
        return repr(float(value))


ONE = Units()
# Gear's method lets no state be more exact than 1e-18 of what stands in its equation: states differ by less.
powers, nearer = st.sampled_from([-40, -23, -7, 0, 5, 19, 40]), st.sampled_from([-20, -3, 0, 9, 20])
tens, nearer_tens = st.sampled_from([-12, -9, -4, 0, 3, 6, 12]), st.sampled_from([-6, -2, 0, 3, 6])


def units(base, exponent, between):
    each, other = (some.map(lambda k: float(base) ** k) for some in (exponent, between))
    return st.builds(
        lambda a, ratio, t, parameters: Units(a, a * ratio, t, parameters),
        each,
        other,
        each,
        st.tuples(each, each, each, each),
    )


TWOS, TENS = units(2, powers, nearer), units(10, tens, nearer_tens)
OFFSETS = st.sampled_from([-1e5, -300.0, 40.0, 1e5]).map(lambda offset: Units(offset=offset))


@cache
def noise(n):
    return np.random.default_rng(5).normal(size=(n, 2))


@cache
def solution(n, end):
    """Of the equations in units of 1 at the true values; by scipy."""
    from scipy.integrate import solve_ivp

    v, k_m, k, a0 = TRUE
    times = end * np.arange(1, n + 1) / n
    found = solve_ivp(
        lambda t, y: (-v * y[0] / (k_m + y[0]), v * y[0] / (k_m + y[0]) - k * y[1]),
        (0.0, end),
        (a0, 0.0),
        "DOP853",
        times,
        rtol=1e-10,
        atol=1e-12,
    )
    return times, found.y.T


@dataclass(frozen=True)
class Case:
    """Lines of a conversation, as a function of units, and the data it has."""

    lines: tuple[str, ...]
    n: int = 16
    end: float = 8.0
    sd: float = 0.02
    observed: tuple[str, ...] = ("a", "y")
    linear: bool = False  # in k alone, the others frozen
    start: tuple[float, ...] = tuple(PARTS)


def model_of(unit, case):
    """Michaelis and Menten's reaction of a to b, which decays, in the given units."""
    u = [f"({unit.number(each)})" for each in unit.parameters]
    start = unit.values * np.array(case.start)
    values = ", ".join(f"{name}={unit.number(v)}" for name, v in zip(("V", "Km", "k", "a0"), start, strict=True))
    offset = unit.number(unit.offset * unit.b)
    return Model.from_text(
        f"""par {values}
rate=V/{u[0]}*a/(Km/{u[1]}+a)
a'=-rate
b'=rate*({unit.number(unit.b / unit.a)})-k/{u[2]}*b
a(0)=a0/{u[3]}
b(0)=0
aux y={offset}+b
@ t0=0
done
""",
        "reaction",
    )


def data_of(unit, case):
    times, y = solution(case.n, case.end)
    seen = np.round((y + case.sd * noise(case.n)) * 2.0**30) / 2.0**30  # so that an offset rounds it little
    columns = {"a": (0, unit.a, 0.0), "b": (1, unit.b, 0.0), "y": (1, unit.b, unit.offset)}
    chosen = [columns[name] for name in case.observed]
    values = np.stack([size * (seen[:, j] + offset) for j, size, offset in chosen], axis=1)
    sds = np.stack([np.full(case.n, size * case.sd) for _, size, _ in chosen], axis=1)
    return make_observations(unit.t * times, case.observed, values, sds=sds)


def typed(unit, line):
    """A line whose numbers in braces are in units of 1: {3|t} is a time, {2|b} a value of b."""
    sizes = {"a": unit.a, "b": unit.b, "t": unit.t, **dict(zip("VKkA", unit.values / TRUE, strict=True))}
    return re.sub(r"\{([^|]*)\|(\w)\}", lambda m: unit.number(float(m[1]) * sizes[m[2]]), line)


@dataclass(frozen=True, eq=False)
class Heard:
    """What a conversation has led to, in units of 1."""

    code: int
    values: np.ndarray
    total: float | None
    counts: list[str]
    words: list[str]


def heard(unit, case, method):
    session = Session(model_of(unit, case), data_of(unit, case))
    lines = [*(["OPTION PROCEDURE TRAPEZOIDAL"] if method == "trapezoidal" else []), *case.lines]
    code, said, warned = session.obey(Script([typed(unit, line) for line in lines], SCRIPT))
    env = session.env
    text = "\n".join(line for line in (said + "\n" + warned).split("\n") if not line.startswith(">"))
    words = re.sub(
        r"[^A-Za-z]", " ", NUMBER.sub("#", text)
    ).split()  # lines are broken elsewhere where numbers are long
    return Heard(
        code,
        env.values / (unit.values / TRUE),
        env.sum_of_squares,
        [" ".join(found) for found in COUNT.findall(text)],
        [word for word in words if word not in INFINITE],
    )


@cache
def reference(name, method):
    return heard(ONE, CASES[name], method)


LINEAR = ("FREEZE V Km a0",)
CASES = {
    "FIT 1": Case(("FIT 1",)),
    "FIT MORE": Case(("FIT MORE",)),
    "FIT 1 again": Case(("FIT 1 AUTO 1e-3 AUTO 2",)),
    "logarithms": Case(("SCALE V LOG Km LOG", "FIT MORE")),
    "huber": Case(("FIT MORE 1e-8 500 HUBER 2",)),
    "STATS": Case(("FIT MORE", "STATS 95")),
    "STATS at the start": Case(("INTEG Y", "STATS 95")),
    "PROBE": Case(("FIT MORE", "PROBE Y")),
    "IFIT": Case(("SMOOTH SPLINE AUTO", "IFIT"), observed=("a", "b")),
    "IFIT, linear": Case(("SMOOTH SPLINE AUTO", "FREEZE Km a0", "IFIT"), observed=("a", "b")),
    "DFIT, linear": Case(("SMOOTH SPLINE AUTO", "FREEZE Km a0", "DFIT"), observed=("a", "b")),
    "IFIT, guessed": Case(
        ("SMOOTH SPLINE AUTO", "CREOBS b 3 {0|t} {3|t} {8|t} {0|b} {1|b} {.3|b}", "IFIT GUESSED"), observed=("a",)
    ),
    "IFIT, iterated": Case(
        (
            "SMOOTH SPLINE AUTO",
            "CREOBS a 3 {0|t} {3|t} {8|t} {1.8|a} {.4|a} {.1|a}",
            "IFIT ITERATED Y .01 AUTO 1e-6 AUTO N 2 N",
        ),
        observed=("b",),
    ),
    "DFIT": Case(("SMOOTH SPLINE AUTO", "FREEZE a0", "DFIT")),
    "CONTIN": Case(("SMOOTH SPLINE AUTO", "CONTIN .5"), observed=("a", "b")),
    "CONTIN 1": Case(("SMOOTH SPLINE AUTO", "CONTIN 1 BREAKS 4 8 12")),
    "SEQ": Case(("SEQ 5 5",)),
    "SHOOT": Case(("SHOOT AUTO",)),
    "SHOOT 4 8": Case(("SHOOT 4 8",)),
    "GUIDE": Case(("GUIDE",)),
    "GUIDE after FIT": Case(("FIT MORE", "GUIDE")),
    "DATA": Case(("DATA",)),
    "EQUIL": Case(("EQUIL",)),
    "discretisation": Case(("FIT MORE",), n=6, end=12.0, sd=0.001),
    "stopped": Case(("FIT 1 AUTO 1e-6 AUTO 1",)),
    "one is not seen": Case(("FIT MORE",), observed=("a",)),
}
BOTH = pytest.mark.parametrize("method", ["gear", "trapezoidal"])
# Axes of a confidence region, and what is said of F along them, depend on the parameters' units; numbers do not.
OF_AXES = re.compile(r"The problem is not linear over the region .*? PROFILE finds better")
FOLLOWS_AXES = "GUIDE after FIT"
EVERY = pytest.mark.parametrize("name", CASES)


def told(name, found):
    """The words to be compared; singular vectors and axes of a Jacobian in its units are those of its units."""
    if name == FOLLOWS_AXES:
        return []
    if name not in ("PROBE", "STATS", "STATS at the start"):
        return found.words
    words = OF_AXES.sub("", OF_UNITS.sub("", " ".join(found.words))).split()
    return [word for word in words if len(word) > 2 and word != "unlimited"]


def agree(name, method, found, rtol):
    expected = reference(name, method)
    assert told(name, found) == told(name, expected)
    assert found.code == expected.code == DONE
    assert found.values == pytest.approx(expected.values, rel=rtol, abs=0.0)
    assert (found.total is None) == (expected.total is None)
    if expected.total is not None:
        assert found.total == pytest.approx(expected.total, rel=rtol)


@BOTH
@EVERY
@QUICK
@given(unit=TWOS)
def test_powers_of_two(name, method, unit):
    """Nothing is rounded otherwise: the same work, and the same numbers."""
    found = heard(unit, CASES[name], method)
    assert found.counts == reference(name, method).counts
    agree(name, method, found, 1e-9)


@BOTH
@EVERY
@QUICK
@given(unit=TENS)
def test_powers_of_ten(name, method, unit):
    agree(name, method, heard(unit, CASES[name], method), 1e-6)


@BOTH
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "y" in case.observed and name != "DATA"])
@QUICK
@given(unit=OFFSETS)
def test_offsets(name, method, unit):
    """What is added to an aux quantity and to its data changes nothing.

    It rounds residuals by 1e-11 of the spread, so that a search by a tolerance of 1e-8 of F may end a step earlier.
    """
    agree(name, method, heard(unit, CASES[name], method), 1e-5)
