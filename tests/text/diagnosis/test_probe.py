"""What PROBE advises, and from where on."""

from types import SimpleNamespace

import pytest

from parfit.text.diagnosis import probe


@pytest.mark.parametrize(("condition", "advised"), [(999.0, False), (1001.0, True), (float("inf"), False)])
def test_logarithms_must_be_worth_it(condition, advised, monkeypatch):
    """They must reduce the condition number by more than a factor of ten."""
    monkeypatch.setattr(probe, "_unlogged", lambda found: ["p1", "p3"])
    found = SimpleNamespace(condition=condition, log_condition=100.0, undetermined=())
    said = " ".join(probe._scaling(found))
    assert ("from 1001 to 100. SCALE p1 LOG p3 LOG" in said) is advised
    assert bool(said) is advised
