"""Noise models as values."""

from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.prior import Density, Prior

ADDITIVE = VariableNoise(Form.ADDITIVE)


def test_models_and_priors_come_and_go():
    assert not Noise()
    assert Noise({"a": ADDITIVE}) == Noise({"a": VariableNoise(Form.ADDITIVE)})
    assert Noise({"a": ADDITIVE}).with_model("a", None) == Noise()
    normal, uniform = Prior(Density.NORMAL, 1.0, 2.0), Prior(Density.UNIFORM, 1.0, 2.0)
    assert Noise().with_prior("k", normal)
    assert not Noise().with_prior("k", uniform), "bounds are no likelihood"
    assert Noise().with_prior("k", normal).with_prior("k", None) == Noise()
    assert Noise({"a": ADDITIVE}).with_prior("k", normal).without_priors() == Noise({"a": ADDITIVE})


def test_what_is_estimated():
    assert ADDITIVE.is_estimated
    assert not VariableNoise(Form.ADDITIVE, quantity="s").is_estimated
    assert VariableNoise(Form.PROPORTIONAL, quantity="s").is_estimated
    assert not VariableNoise(Form.GIVEN, quantity="s").is_estimated
    assert not ADDITIVE.is_shaped
    assert VariableNoise(Form.RELATIVE).is_shaped
