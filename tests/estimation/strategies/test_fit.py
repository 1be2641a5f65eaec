"""Fits without anybody to talk to: the numbers are those of the command, and what is thought of them is a value."""

import numpy as np
import pytest
from conversation import Session, data_of, model_of
from scipy.optimize import least_squares

from parfit.data.observations import make_observations
from parfit.errors import Abandoned
from parfit.estimation.diagnosis.judgement import Verdict
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.problem import Ending
from parfit.estimation.strategies.fit import Request, StartError, fit
from parfit.estimation.strategies.watching import telling
from parfit.model.model import Model
from parfit.session.environment import Environment

T = np.linspace(0.5, 4, 8)
DECAY = 2 * np.exp(-0.7 * T) + 0.02 * np.cos(9 * T)


def environment(text, values=DECAY):
    return Environment.of(Model.from_text(text), make_observations(T, ["y"], np.reshape(values, (-1, 1))))


def barnes():
    return Environment.of(model_of("barnes"), data_of("barnes"))


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (bounded.Settings(), "FIT MORE"),
        (marquardt.Settings(), "FIT MARQUARDT"),
        (bounded.Settings(loss="huber", loss_scale=0.1), "FIT MORE 1e-8 500 HUBER .1"),
    ],
)
def test_it_finds_what_the_command_finds_to_the_last_bit(settings, line):
    found = fit(barnes(), Request(settings))
    session = Session(model_of("barnes"), data_of("barnes"))
    session(line)
    np.testing.assert_array_equal(found.env.values, session.env.values)
    assert found.env.loss == session.env.loss
    assert found.judgement.verdict is Verdict.MINIMUM
    assert (found.errors is None) == bool(settings.robust)
    np.testing.assert_array_equal(found.start, barnes().values)


ABSORBED = """par ka=1, ke=.1, V=10, A0=100
A'=-ka*A
y'=ka*A/V-ke*y
A(0)=A0
y(0)=0
"""
TAKEN = np.array([0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24])


def absorbed(ka, ke, ratio):
    """The concentration after a dose, of which only dose / volume counts."""
    return ratio * ka / (ka - ke) * (np.exp(-ke * TAKEN) - np.exp(-ka * TAKEN))


@pytest.mark.parametrize("settings", [bounded.Settings(), marquardt.Settings(), bounded.Settings(loss="huber")])
@pytest.mark.parametrize(("seed", "start"), [(1, (10, 100)), (2, (10, 100)), (3, (3, 90)), (4, (30, 90))])
def test_a_dose_and_a_volume_that_only_their_ratio_shows_stay_near_where_they_begin(settings, seed, start):
    """Their columns agree but for errors of the integration, which are nothing that a step could be built on."""
    noise = 1.0 + 0.05 * np.random.default_rng(seed).normal(size=TAKEN.size)
    values = absorbed(1.3, 0.15, 100 / 12) * noise
    data = make_observations(TAKEN, ["y"], values[:, np.newaxis])
    env = Environment.of(Model.from_text(ABSORBED), data).with_values(np.array([1.0, 0.1, *start]))
    found = fit(env, Request(settings))
    best = least_squares(
        lambda p: absorbed(*p) - values, (1.3, 0.15, 8.0), loss=settings.robust or "linear", xtol=1e-14, ftol=1e-14
    )
    ka, ke, volume, dose = found.env.values
    assert [ka, ke, dose / volume] == pytest.approx(best.x, rel=1e-3)
    across = np.log(start[1] / start[0] / best.x[2])
    assert abs(np.log(volume * dose / (start[0] * start[1]))) < 0.1 + across**2, (
        "along the valley to second order only"
    )
    assert found.judgement.verdict is Verdict.MINIMUM
    assert found.judgement.undetermined == 1
    if found.errors is not None:
        sd = np.sqrt(2.0 * best.cost / 9.0)
        inverse = np.linalg.inv(best.jac.T @ best.jac)
        assert found.errors.values[:2] == pytest.approx(sd * np.sqrt(np.diag(inverse)[:2]), rel=1e-3)
        assert np.isinf(found.errors.values[2:]).all()


def test_what_presses_against_a_bound_has_no_standard_error_in_the_table():
    env = environment("par k=.5, a=2\ny'=-k*y\ny(0)=a\n").with_bounds([0.9, -np.inf], [np.inf, np.inf])
    found = fit(env)
    assert found.env.values[0] == 0.9
    assert found.judgement.standing.pressed == (0,)
    assert np.isnan(found.errors.values[0])
    assert np.isfinite(found.errors.values[1])


@pytest.mark.parametrize("settings", [bounded.Settings(), marquardt.Settings()])
@pytest.mark.parametrize("upper", [10.0, np.inf])
def test_a_parameter_may_be_small_next_to_its_start_and_not_at_a_bound(settings, upper):
    """y = a t is linear in a, whose best value is 2e-8 of its start: far from 0 next to its standard error."""
    values = 2e-8 * T * (1.0 + 0.01 * np.cos(9.0 * T))
    data = make_observations(T, ["y"], values[:, np.newaxis], sds=[1e-9])
    env = Environment.of(Model.from_text("par a=1\ny'=a\ny(0)=0\n"), data).with_bounds([0.0], [upper])
    found = fit(env, Request(settings))
    assert found.env.values[0] == pytest.approx(T @ values / (T @ T), rel=1e-6)
    assert found.judgement.verdict is Verdict.MINIMUM
    assert found.judgement.standing.pressed == ()


def test_every_trial_is_watched_and_kept():
    seen = []
    found = fit(barnes(), watch=telling(seen.append))
    (trace,) = found.traces
    assert trace.first == found.problem.evaluate(barnes().parameters.point).sum_of_squares
    assert [each.total for each in trace.tried] == [trial.evaluation.sum_of_squares for trial in seen]
    assert found.env.details == found.traces


def test_who_interrupts_it_keeps_the_best_so_far_and_the_line_that_leads_there():
    def tell(trial):
        if trial.iteration == 3 and trial.accepted:
            raise KeyboardInterrupt

    request = Request(marquardt.Settings())
    found = fit(barnes(), request, telling(tell))
    assert found.reached.ending is Ending.INTERRUPTED
    assert found.judgement.verdict is Verdict.STOPPED
    line = request.written(found.reached)
    assert line == "FIT MARQUARDT AUTO 1e-06 AUTO 3 3"
    session = Session(model_of("barnes"), data_of("barnes"))
    session(line)
    np.testing.assert_array_equal(found.env.values, session.env.values)


def test_who_abandons_it_gets_nothing():
    def tell(trial):
        raise Abandoned("enough")

    with pytest.raises(Abandoned):
        fit(barnes(), watch=telling(tell))


def test_what_the_data_do_not_see_is_set_aside_and_fitted_as_soon_as_they_do():
    """At a = 0 nothing depends on k; where a has been found it does."""
    env = environment("par a=0, k=1\ny'=-k*y\ninit y=a\ndone").with_values([0.0, 1.0])
    parts = []

    def tell(trial):
        parts.append(trial.p.size)

    found = fit(env, watch=telling(tell))
    assert sorted(set(parts)) == [1, 2]
    assert len(found.traces) == 2
    assert found.traces[0].about.aside == ("k",)
    assert found.traces[1].about.joined == ("k",)
    assert found.env.values == pytest.approx([2, 0.7], rel=0.05)
    assert found.judgement.is_minimum


def test_no_fit_can_begin_where_nothing_can_be_integrated():
    with pytest.raises(StartError, match="cannot be integrated at the starting values") as caught:
        fit(environment("par k=1\ny'=k*y^2\ninit y=1\ndone"))
    assert not caught.value.at.usable
    assert not caught.value.advice


def test_no_fit_can_begin_without_any_influence():
    with pytest.raises(StartError, match="no active parameter has any influence"):
        fit(environment("par k=1\ny'=-y\nz'=k\ninit y=1, z=0\ndone"))
    with pytest.raises(StartError, match="only through a switch") as caught:
        fit(environment("par s=1\ny'=-y\ninit y=heav(s)\ndone"))
    assert caught.value.hidden == ("s",)


def test_standard_errors_are_those_of_the_normal_equations():
    found = fit(environment("par a=1, k=1\ny'=-k*y\ninit y=a\ndone"))
    a, k = found.env.values
    jac = np.column_stack([np.exp(-k * T), -a * T * np.exp(-k * T)])
    residuals = a * np.exp(-k * T) - DECAY
    cov = residuals @ residuals / (T.size - 2) * np.linalg.inv(jac.T @ jac)
    assert found.errors.values == pytest.approx(np.sqrt(np.diag(cov)), rel=1e-4)


@pytest.mark.parametrize("text", ["par k=1\ny'=-k*y\ny(0)=2\n", "par k=1, b=.5\ny'=-k*y+b\ny(0)=2\n"])
@pytest.mark.parametrize("settings", [bounded.Settings(), marquardt.Settings()])
def test_a_fit_may_end_with_all_its_parameters_at_bounds(text, settings):
    """What falls fastest within its bounds still falls too slowly."""
    env = environment(text, 2.0 * np.exp(-3.0 * T))
    n = len(env.model.parameters)
    found = fit(env.with_bounds(np.array([0.1, 0.5])[:n], np.array([2.0, 3.0])[:n]), Request(settings))
    assert found.env.values == pytest.approx([2.0, 0.5][:n])
    assert found.judgement.verdict is Verdict.MINIMUM
    assert np.isnan(found.errors.values).all()
