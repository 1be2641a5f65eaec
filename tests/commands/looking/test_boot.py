"""BOOT in conversation: what it shows, keeps, draws, reports and refuses."""

import json

import numpy as np
import pytest
from conversation import Session
from schemas import violations

from parfit.data.observations import make_observations
from parfit.estimation.strategies.reliability.boot import Refit
from parfit.model.model import Model

X = np.arange(8.0)
Y = 2.0 * np.exp(-0.5 * X) + np.array([0.05, -0.08, 0.03, 0.06, -0.04, -0.02, 0.07, -0.05])
DECAY = Model.from_text("par a=2, k=.5\ny'=-k*y\ninit y=a\ndone", "decay")


@pytest.fixture
def decay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session(DECAY, make_observations(X, ["y"], Y[:, np.newaxis]), tmp_path / "run")
    session("FIT MORE")
    yield session
    session.run.close()


def test_the_table_the_sentences_and_the_line_that_is_kept(decay):
    said = decay("BOOT 60")
    assert "95 % from" in said
    assert "percentiles of 60 fits" in " ".join(said.split())
    assert "60 fits are few" in said
    assert "FITS TO DATA DRAWN ANEW" in said
    assert "95 % from" in (decay.run.folder / "report.txt").read_text()
    assert decay.entries[-1] == "BOOT 60 SEED 1 LEVEL 95"
    assert "drawn from the residuals" in " ".join(decay("BOOT 60 RESIDUALS LEVEL 80").split())
    assert decay.entries[-1] == "BOOT 60 RESIDUALS SEED 1 LEVEL 80"


def test_who_has_not_fitted_is_led_to_the_minimum(decay):
    said = decay("SET k .6", "BOOT 20")
    assert "not at the minimum, and are now" in " ".join(said.split())


def test_failures_bounds_and_biases_are_told(decay, monkeypatch):
    k = float(decay.env.values[1])
    refit = Refit.__call__
    monkeypatch.setattr(Refit, "__call__", lambda self, n, tell: None if n < 4 else refit(self, n, tell))
    said = " ".join(decay(f"BOUNDS k {k - 0.001} NONE", "BOOT 80").split())
    assert "4 of 80 data sets (5 %) could not be fitted" in said
    assert "k ended at a bound in" in said
    assert "The fits of k lie" in said
    assert "estimated with a bias" in said


def test_pictures_and_plain_data(decay, tmp_path):
    assert "no bootstrap has been computed" in decay.refused("PLOT BOOT")
    decay("BOOT 50", "PLOT BOOT boot.svg")
    assert (tmp_path / "boot.svg").stat().st_size > 1000
    decay(f'REPORT JSON "{tmp_path / "out.json"}"')
    found = json.loads((tmp_path / "out.json").read_text())
    assert violations(found) == []
    assert len(found["bootstrap"]["samples"]) == 50
    low, high = np.quantile(np.array(found["bootstrap"]["samples"])[:, 1], [0.025, 0.975], method="weibull")
    assert found["bootstrap"]["parameters"][1]["limits"] == pytest.approx([low, high])
    decay("SET k .6")
    assert "no bootstrap has been computed" in decay.refused("PLOT BOOT")


@pytest.mark.parametrize("line", ["0", "200 x", "200 SEED", "200 LEVEL 100", "-5", "1" * 5000, f"SEED {'1' * 5000}"])
def test_refusals_change_nothing(decay, line):
    before = decay.env
    decay.refused(f"BOOT {line}")
    assert decay.env is before


def test_bands_by_profiles_and_by_the_bootstrap(decay):
    assert "no bootstrap has been computed" in decay.refused("PLOT BAND BOOT")
    said = " ".join(decay("BOOT 60", "PLOT BAND BOOT 90").split())
    assert "by the percentiles of fits to data drawn anew" in said
    assert "y lies within -" in said
    said = " ".join(decay("PLOT BAND PROFILE").split())
    assert "by profiles of the curves" in said
    assert "95 % band" in said
    said = " ".join(decay("PLOT BAND ERRORS y").split())
    assert "holds a new observation at any one time with 95 %" in said
    assert "95 % of observations" in said
    assert "is neither a variable nor an item" in decay.refused("PLOT y ERRORS")


def test_before_the_fit_random_points_are_probed(decay):
    said = " ".join(decay("PROBE ANYWHERE 4").split())
    assert "determined, of 4" in said
    assert "both parameters are determined" in said
    assert decay.entries[-1] == "PROBE ANYWHERE 4"
    said = " ".join(decay("MODEL par c=1", "MODEL y'=-k*c*y", "PROBE ANY").split())
    assert "only k*c is determined" in said
    assert decay.entries[-1] == "PROBE ANYWHERE 10"
    decay.refused("PROBE ANYWHERE 0")


def test_a_few_fits_that_ran_away_do_not_spoil_the_rest(decay, monkeypatch):
    refit = Refit.__call__
    monkeypatch.setattr(Refit, "__call__", lambda self, n, tell: [2.0, 4e4] if n == 7 else refit(self, n, tell))
    said = decay("BOOT 100")
    assert "A few fits of k are far away, as 40000: its limits hold, its standard error does not" in " ".join(
        said.split()
    )
    assert "The fits of k lie" not in said
    assert "40000" not in said[said.index("FITS TO DATA DRAWN ANEW") :]
