"""What PROBE advises, and from where on."""

from types import SimpleNamespace

import pytest

from parfit.text.diagnosis import probe


@pytest.mark.parametrize("advised", [False, True])
def test_logarithms_are_advised_where_they_help(advised, monkeypatch):
    monkeypatch.setattr(probe, "_unlogged", lambda found: ["p1", "p3"])
    found = SimpleNamespace(condition=1001.0, log_condition=100.0, logarithms_help=advised)
    said = " ".join(probe._scaling(found))
    assert ("from 1001 to 100. SCALE p1 LOG p3 LOG" in said) is advised
    assert bool(said) is advised
