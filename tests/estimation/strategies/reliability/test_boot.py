"""Bootstraps of a straight line against its own algebra; who does the work, and what is left when it is cut off."""

import numpy as np
import pytest
from crews import AT_ONCE, Memory

from parfit.data.observations import make_observations
from parfit.errors import CommandError, NumericalError, StateError
from parfit.estimation.noise import Noise
from parfit.estimation.prior import Density, Prior
from parfit.estimation.resampling import Kind
from parfit.estimation.strategies.parallel import threads
from parfit.estimation.strategies.reliability.boot import Refit, Request, boot, read
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
DESIGN = np.column_stack((np.ones_like(X), X))
SDS = np.full((X.size, 1), 0.2)


MODEL = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\ndone")


def line(x=X, y=Y, **more):
    data = make_observations(x, ["y"], y[:, np.newaxis], **more)
    return Environment.of(MODEL, data, options=Options(method=Method(eps=1e-11)))


def test_the_fits_of_a_straight_line_are_those_of_its_algebra():
    found = boot(line(weights=1.0 / SDS, sds=SDS), Request(1000))
    estimate = np.linalg.lstsq(DESIGN, Y)[0]
    exact = 0.2 * np.sqrt(np.diag(np.linalg.inv(DESIGN.T @ DESIGN)))
    assert found.is_moved
    assert found.env.values == pytest.approx(estimate, rel=1e-7)
    assert found.bootstrap.errors == pytest.approx(exact, rel=4 / np.sqrt(2000))
    assert found.bootstrap.limits == pytest.approx(estimate + np.outer([-1.96, 1.96], exact), abs=0.25 * exact.max())
    assert np.abs(found.bootstrap.biases) == pytest.approx([0, 0], abs=4 * exact.max() / np.sqrt(1000))
    assert found.env.bootstrap is found.bootstrap
    assert found.env.with_values([1.0, 2.0]).bootstrap is None


@pytest.mark.parametrize("kind", Kind)
def test_priors_are_drawn_anew_like_the_observations_they_stand_for(kind):
    env = line(weights=1.0 / SDS, sds=SDS).with_noise(Noise({}, {"a": Prior(Density.NORMAL, 1.6, 0.1)}))
    found = boot(env, Request(1000, kind)).bootstrap
    cov = np.linalg.inv(DESIGN.T @ DESIGN / 0.2**2 + np.diag([100.0, 0.0]))
    estimate, exact = cov @ (DESIGN.T @ Y / 0.2**2 + [160.0, 0.0]), np.sqrt(np.diag(cov))
    assert found.best == pytest.approx(estimate, rel=1e-6)
    assert np.abs(found.biases) == pytest.approx([0, 0], abs=4 * exact.max() / np.sqrt(1000))
    if kind is Kind.PARAMETRIC:
        assert found.errors == pytest.approx(exact, rel=4 / np.sqrt(2000))
        assert found.limits == pytest.approx(estimate + np.outer([-1.96, 1.96], exact), abs=0.25 * exact.max())


@pytest.mark.parametrize("kind", Kind)
def test_results_depend_on_the_seed_alone(kind):
    every = []
    for size in (1, 2, 3):
        with threads(size) as crew:
            every.append(boot(line(), Request(40, kind), crew=crew).bootstrap.points.tobytes())
    assert every[0] == every[1] == every[2]
    assert boot(line(), Request(40, kind, 2)).bootstrap.points.tobytes() != every[0]
    shorter = boot(line(), Request(20, kind)).bootstrap.points
    assert shorter.tobytes() == np.frombuffer(every[0]).reshape(-1, 2)[:20].tobytes()


def test_what_was_finished_is_not_done_again():
    memory, parts = Memory(), []
    whole = boot(line(), Request(20), kept=memory)
    assert len(memory) == 20
    boot(line(), Request(30), parts.append, memory, AT_ONCE)
    assert len(memory) == 30
    assert parts[0] >= 20 / 30
    again = boot(line(), Request(20), kept=memory, crew=None)
    assert again.bootstrap.points.tobytes() == whole.bootstrap.points.tobytes()
    boot(line(), Request(20, seed=2), kept=memory)
    boot(line(weights=1.0 / SDS, sds=SDS), Request(20), kept=memory)
    assert len(memory) == 70


def test_ctrl_c_keeps_the_first_ones():
    def tell(part):
        if part > 0.5:
            raise KeyboardInterrupt

    found = boot(line(), Request(100), tell, crew=AT_ONCE)
    assert found.is_interrupted
    assert 50 < found.request.n < 100
    whole = boot(line(), Request(100)).bootstrap
    assert found.bootstrap.points.tobytes() == whole.points[: found.request.n].tobytes()

    def at_once(part):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        boot(line(), Request(100), at_once, crew=AT_ONCE)


def test_bounds_hold_in_every_fit_and_are_counted():
    env = line(weights=1.0 / SDS, sds=SDS)
    a = float(np.linalg.lstsq(DESIGN, Y)[0][0])
    found = boot(env.with_bounds([a, -np.inf], [np.inf, np.inf]), Request(200)).bootstrap
    assert found.values[:, 0].min() == pytest.approx(a)
    assert found.at_bounds[0] == pytest.approx(0.5, abs=0.15)  # half of the errors lead across
    assert found.at_bounds[1] == 0.0


def test_data_that_cannot_be_fitted_are_counted_or_refused(monkeypatch):
    whole, refit = boot(line(), Request(30)).bootstrap, Refit.__call__
    monkeypatch.setattr(Refit, "__call__", lambda self, n, tell: None if n % 3 == 0 else refit(self, n, tell))
    found = boot(line(), Request(30)).bootstrap
    assert (found.n, found.n_failed) == (30, 10)
    assert found.points.tobytes() == whole.points[np.arange(30) % 3 > 0].tobytes()
    monkeypatch.setattr(Refit, "__call__", lambda self, n, tell: None)
    with pytest.raises(NumericalError, match="only 0 of 30 data sets could be fitted"):
        boot(line(), Request(30))


def test_a_line_is_read_and_written():
    for text, expected in {
        "": Request(),
        "500": Request(500),
        "50 residuals seed 7 level 90%": Request(50, Kind.RESIDUALS, 7, 90.0),
    }.items():
        assert read(text) == expected
        assert read(expected.written().removeprefix("BOOT")) == expected
    for wrong in (
        "5",
        "0",
        "-3",
        "200 x",
        "200 SEED",
        "200 SEED -1",
        "200 LEVEL 0",
        "200 LEVEL 100",
        "1e3",
        "2000000",
    ):
        with pytest.raises(CommandError):
            read(wrong)


def test_what_has_no_errors_has_no_bootstrap():
    with pytest.raises(StateError, match="exact"):
        boot(line(y=1.0 + 2.0 * X), Request())
    with pytest.raises(StateError, match="degrees of freedom"):
        boot(line(X[:2], Y[:2]), Request())
    with pytest.raises(StateError, match="loss"):
        boot(line().with_loss("HUBER"), Request())
