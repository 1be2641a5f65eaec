"""FIT of parameters that nothing responds to at the start, or that act through switches and jumps."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model

# ---- parameters that are not seen at the start


def test_what_was_set_aside_is_fitted_where_it_is_seen(begin):
    """y = (exp(-b t) - exp(-a t)) a / (a - b): with both rates 0 nothing shows b."""
    t = np.arange(0.5, 8.0, 0.5)
    a, b = 0.7, 0.3
    y = np.column_stack([np.exp(-a * t), a / (a - b) * (np.exp(-b * t) - np.exp(-a * t))])
    model = Model.from_text("par a=0, b=0\nx'=-a*x\ny'=a*x-b*y\ninit x=1, y=0\n", "chain")
    session = begin(model, make_observations(t, ["x", "y"], y))
    shown = session("OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0", "FIT MORE")
    assert "the data do not see b at these values" in session.errors
    assert "the data see b: fitted as well" in session.errors
    assert session.env.values == pytest.approx([a, b], rel=1e-5)
    assert "this is a minimum" in shown


SWITCH = "par k=.4, tau=1.6, d=2.5\nu'=-k*u\nu(0)=1\naux x=u+d*heav(t-tau)\n"
LOCATED = "par k=.4, tau=1.6, d=2.5\nx'=-k*x+d*heav(t-tau)\nx(0)=1\n"


def switching(begin, text=SWITCH):
    """x = exp(-k t) before tau; after it d more, or d/k (1 - exp(-k (t - tau))) where the equation switches."""
    t = np.arange(0.25, 5.1, 0.25)
    k, tau, d = 0.5, 2.3, 2.0
    more = d if text == SWITCH else d / k * (1 - np.exp(-k * (t - tau)))
    x = np.exp(-k * t) + np.where(t > tau, more, 0.0)
    noise = 0.02 * np.random.default_rng(3).normal(size=t.size)
    return begin(Model.from_text(text, "switch"), make_observations(t, ["x"], (x + noise)[:, np.newaxis]))


def test_a_switch_of_the_equations_is_located_and_fitted_like_anything_else(begin):
    session = switching(begin, LOCATED)
    shown = session("OPTION PROCEDURE GEAR EPS 1e-7 HMIN 0", "FIT MORE")
    assert "this is a minimum" in shown
    assert "switch" not in shown + session.errors
    assert session.env.values == pytest.approx([0.5, 2.3, 2.0], abs=0.05)


ORAL = "par ka=.7, ke=.15, lag=.3\ngut'=-ka*gut\ncen'=ka*gut-ke*cen\n"


def dosed(begin, lines):
    """100 into the gut after a lag, 50 at 6 and at 12, by superposition; ka = 1.1, ke = .1, lag = .43."""
    t = np.array([0.25, 0.6, 1, 2, 4, 5.9, 6.2, 7, 9, 11, 12.5, 14, 17, 20])
    ka, ke = 1.1, 0.1
    cen = np.zeros(t.size)
    for dose, tau in ((100, 0.43), (50, 6), (50, 12)):
        u = np.maximum(t - tau, 0.0)
        cen += dose * ka / (ka - ke) * (np.exp(-ke * u) - np.exp(-ka * u))
    return begin(Model.from_text(ORAL + lines, "pk"), make_observations(t, ["cen"], cen[:, np.newaxis]))


@pytest.mark.parametrize(
    "lines",
    [
        "dose gut=100 at lag\ndose gut=50 at 6(6)12",
        "global 1 {t-lag} {gut=gut+100}\nset gut=gut+50 at 6, 12",
        "clock'=1\nglobal 1 {clock-lag} {gut=gut+100}\nnumber u=50\nset gut=gut+u; u=50 at 6, 12",
    ],
)
def test_a_lag_time_is_fitted_like_anything_else(begin, lines):
    session = dosed(begin, lines)
    shown = session("OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0", "FIT MORE")
    assert "this is a minimum" in shown
    assert session.env.values == pytest.approx([1.1, 0.1, 0.43], rel=1e-5)
    assert "lag" in session("STATS 95")
    assert "Jumps" in session("MODEL")


def test_curves_do_not_jump(begin):
    session = dosed(begin, "dose gut=100 at lag\ndose gut=50 at 6(6)12")
    session("OPTION PROCEDURE GEAR EPS 1e-6 HMIN 0", "SMOOTH SPLINE 0", "CREOBS gut 2 0 20 100 0")
    assert "smooth curves through data cannot" in session.refused("IFIT GUESSED")
    assert "smooth curves through data cannot" in session.refused("FREEZE lag", "DFIT GUESSED")
    assert "FIT" in session("GUIDE")


def test_while_a_switch_is_open_nothing_is_called_a_minimum(begin):
    session = switching(begin)
    shown = session("OPTION PROCEDURE GEAR EPS 1e-7 HMIN 0", "FIT MORE")
    assert "tau acts only through a switch (heav)" in session.errors
    assert "NOT A MINIMUM in all parameters" in session.errors
    assert "this is a minimum" not in shown
    assert "tau acts only through a switch" in " ".join(session("STATS 95").split())
    assert "tau is not seen by the data: it acts only through a switch (heav)" in " ".join(session("PROBE").split())
    assert "this is a minimum" in session("FREEZE tau", "FIT MORE")


def test_where_only_a_switch_is_active_nothing_can_be_fitted(begin):
    session = switching(begin)
    assert "tau acts only through a switch (heav)" in session.refused("FREEZE k d", "FIT MORE")
