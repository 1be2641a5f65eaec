"""Fingerprints: the same for the same, others for whatever makes results others."""

import numpy as np

from parfit.data.observations import make_observations
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies.reliability.fingerprint import fingerprint
from parfit.model.model import Model
from parfit.session.environment import Environment


def environment(text="par a=1, b=2\ny'=b\ninit y=a\ndone", values=(1.0, 3.0, 5.0)):
    return Environment.of(Model.from_text(text), make_observations(np.arange(3.0), ["y"], np.array([values]).T))


def test_equal_things_have_equal_fingerprints():
    assert fingerprint(environment(), "BOOT", 1) == fingerprint(environment(), "BOOT", 1)


def test_whatever_changes_results_changes_it():
    env = environment()
    others = [
        fingerprint(env),
        fingerprint(env, "BOOT"),
        fingerprint(environment("par a=1, b=2\ny'=b+0\ninit y=a\ndone")),
        fingerprint(environment(values=(1.0, 3.0, 6.0))),
        fingerprint(env.with_values([1.0, 3.0])),
        fingerprint(env.with_frozen(["a"])),
        fingerprint(env.with_scaling({"a": Scaling.LOGARITHM})),
        fingerprint(env.with_bounds([0.0, 0.0], [9.0, 9.0])),
        fingerprint(env.with_weights(np.full((3, 1), 2.0))),
        fingerprint(env.with_noise(Noise({"y": VariableNoise(Form.RELATIVE)}))),
    ]
    assert len(set(others)) == len(others)
