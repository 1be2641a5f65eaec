"""Fingerprints: the same for the same, others for whatever makes results others."""

import numpy as np

from parfit.data.csvfile import read_csv
from parfit.data.observations import make_observations
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies.reliability.fingerprint import fingerprint
from parfit.model.language.reader import read_model
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


def test_weights_that_come_from_standard_deviations_are_others():
    times, values, sds = np.arange(3.0), np.array([[1.0], [3.0], [5.0]]), np.full((3, 1), 0.5)
    model = environment().model
    data = make_observations(times, ["y"], values, sds=sds), make_observations(times, ["y"], values, 1.0 / sds)
    assert len({fingerprint(Environment.of(model, each)) for each in data}) == 2


def test_a_table_that_holds_something_else_now_is_another(tmp_path):
    """The text of the model only names its file."""
    (tmp_path / "m.ode").write_text("par k=1\ntable u u.csv\ny'=u(t)-k*y\ninit y=1\ndone")
    found = []
    for last in (3, 3, 4):
        (tmp_path / "u.csv").write_text(f"t,u\n0,1\n1,2\n2,{last}\n")
        data = make_observations(np.arange(3.0), ["y"], np.ones((3, 1)))
        found.append(fingerprint(Environment.of(read_model(tmp_path / "m.ode"), data)))
    assert found[0] == found[1] != found[2]


def test_it_does_not_matter_where_experiments_were_read(tmp_path):
    """A run that is resumed reads copies of its files."""
    model = Model.from_text("par k=1\ny'=-k*y\ninit y=1\ndone")
    found = []
    for folder, last in (("here", 3), ("there", 3), ("other", 4)):
        (tmp_path / folder).mkdir()
        text = f"#: experiment b: init y=2\nexperiment,t,y\na,1,.5\nb,1,1\nb,{last},.2\n"
        (tmp_path / folder / "d.csv").write_text(text)
        found.append(fingerprint(Environment.of(model, read_csv(tmp_path / folder / "d.csv", model))))
    assert found[0] == found[1] != found[2]
