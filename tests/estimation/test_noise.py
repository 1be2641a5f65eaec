"""Noise models as values, and their words."""

import pytest

from parfit.errors import CommandError
from parfit.estimation.noise import Form, Noise, VariableNoise, read_noise

ADDITIVE, RELATIVE = VariableNoise(Form.ADDITIVE), VariableNoise(Form.RELATIVE)


def test_words():
    assert read_noise("additive s") == VariableNoise(Form.ADDITIVE, "s")
    assert read_noise("Relative") == RELATIVE
    for wrong in ("", "loud", "additive s t", "additive 3"):
        with pytest.raises(CommandError):
            read_noise(wrong)
    assert not Noise()
    assert Noise({"a": ADDITIVE}) == Noise({"a": VariableNoise(Form.ADDITIVE)})
    assert Noise({"a": ADDITIVE}).with_model("a", None) == Noise()
