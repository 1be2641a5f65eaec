"""PROFILE in conversation: what it shows, keeps, draws, reports and refuses."""

import json

import numpy as np
import pytest
from conversation import Session
from schemas import violations

from parfit.data.observations import make_observations
from parfit.estimation.strategies.reliability import sides
from parfit.model.model import Model

X = np.arange(8.0)
Y = 2.0 * np.exp(-0.5 * X) + np.array([0.05, -0.08, 0.03, 0.06, -0.04, -0.02, 0.07, -0.05])
DECAY = Model.from_text("par a=2, k=.5\ny'=-k*y\ninit y=a\naux half=log(2)/k\ndone", "decay")


@pytest.fixture
def decay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session(DECAY, make_observations(X, ["y"], Y[:, np.newaxis]), tmp_path / "run")
    session("FIT MORE")
    yield session
    session.run.close()


def test_the_table_says_what_is_determined(decay):
    said = decay("PROFILE")
    assert "95 % from" in said
    assert said.count("determined") == 2
    assert "F distribution, 1 and 6 degrees of freedom" in " ".join(said.split())
    assert "PROFILES: RISE OF F / LIMIT" in said
    assert all(f" {name} -" in said.replace("─", "-") for name in "ak")
    assert "95 % from" in (decay.run.folder / "report.txt").read_text()
    assert decay.entries[-1] == "PROFILE 95 a k"


def test_all_is_every_active_parameter(decay):
    decay("PROFILE ALL")
    assert decay.entries[-1] == "PROFILE 95 a k"


def test_what_the_model_does_not_know_is_named_with_what_it_knows(decay):
    said = " ".join(decay.refused("PROFILE a*xyz").split())
    assert "'a*xyz' cannot be profiled: unknown name `xyz`; the parameters are a, k" in said


def test_bounds_and_flat_sides_are_explained(decay):
    said = decay("BOUNDS k .45 NONE", "PROFILE k")
    assert "only an upper limit" in said
    assert "k downwards: its bound 0.45 is reached" in said
    assert "k upwards" not in said
    said = decay("BOUNDS 0", "MODEL par c=1", "MODEL y'=-k*c*y", "SCALE k LOG c LOG", "FIT MORE", "PROFILE k")
    assert "not determined" in said
    assert "the data set no limit" in " ".join(said.split())


def test_a_prediction_that_takes_a_parameter_to_infinity_names_it(tmp_path):
    """What is unseen of c is k1/k2 of it, or nothing at all."""
    times = np.arange(0.25, 6.0, 0.25)
    errors = 0.1 * np.random.default_rng(3).normal(size=times.size)
    data = make_observations(times, ["c"], (10.0 * np.exp(-0.5 * times) * 1.02 + errors)[:, np.newaxis])
    model = Model.from_text("par k1=.5, k2=20\nx'=-k1*x\ny'=k1*x-k2*y\nx(0)=10\naux c=x+y\ndone")
    session = Session(model, data)
    said = " ".join(session("FIT MORE", "PROFILE 99.9 y AT 1").split())
    found = session.env.profiles[0]
    assert found.limits[0] == -np.inf
    assert "y at 1 downwards: followed as far as" in said
    assert f"k2 went from {session.env.values[1]:.3g} to {found.parameters[0, 1]:.3g}, and may go on" in said
    assert "BOUNDS k2" in said


def test_one_of_several_profiles_is_drawn_by_its_name(decay):
    decay("PROFILE a k a*k", "PROFILE y AT 3")
    for line in ("PLOT PROFILES", "PLOT ALONG"):
        every = decay(line)
        assert all(name in every for name in ("a", "k", "a*k", "y at 3"))
        one = decay(f"{line} K")
        assert "a*k" not in one
        assert "y at 3" not in one
        assert decay.entries[-1].startswith(f"{line} K 0") or decay.entries[-1].startswith(f"{line} k 0")
        assert "y at 3" in decay(f"{line} y")
        both = decay(f"{line} k a*k")
        assert "a*k" in both
        assert "y at 3" not in both
    said = decay("PLOT PROFILES k")
    assert "a  " not in said.split("95 % from")[1], "nor is the other in the table"


def test_a_parameter_without_a_profile_is_said_to_have_none(decay):
    assert "k has no profile; PROFILE k makes one" in decay.refused("PLOT PROFILES k")
    decay("PROFILE a")
    said = decay.refused("PLOT PROFILES k")
    assert "k has no profile, but a" in said
    assert "PROFILE k makes one" in said


def test_pictures_and_plain_data(decay, tmp_path):
    decay("PROFILE a k", "PLOT PROFILES profiles.svg", "PLOT ALONG along.svg")
    assert "another at a bound" not in decay("PLOT PROFILES")
    decay(f'REPORT JSON "{tmp_path / "out.json"}"')
    found = json.loads((tmp_path / "out.json").read_text())
    assert violations(found) == []
    profile = found["profiles"][1]
    assert profile["name"] == "k"
    assert profile["limits"][0] == pytest.approx(decay.env.profiles[1].limits[0])
    assert profile["distribution"] == "F"
    assert profile["points"][0]["rise"] == pytest.approx(profile["rise"], rel=1e-4)


def test_what_has_changed_since_is_not_drawn(decay):
    decay("PROFILE k", "SET k .6")
    assert "no profiles have been computed" in decay.refused("PLOT PROFILES")


@pytest.mark.parametrize(
    "line", ["PROFILE 0", "PROFILE 100", "PROFILE q", "PROFILE y", "PROFILE 95 k 3", "PROFILE k*"]
)
def test_refusals_change_nothing(decay, line):
    before = decay.env
    decay.refused(line)
    assert decay.env is before


def test_ctrl_c_keeps_the_profiles_that_are_finished(decay, monkeypatch):
    whole, pieces = sides.walked, decay.run.folder / "pieces.jsonl"

    def slow(problem, parameters, target, limit, sign, tell):
        if target.name != "k":
            return whole(problem, parameters, target, limit, sign, tell)
        while pieces.read_text().count('"piece"') < 2:  # both sides of a are there
            tell(0.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(sides, "walked", slow)
    decay("PROFILE")
    assert "interrupted; a is kept" in decay.errors
    assert [each.name for each in decay.env.profiles] == ["a"]
    assert decay.entries[-1] == "PROFILE 95 a"
