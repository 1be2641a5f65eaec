"""Noise models against likelihoods written out: unknown standard deviations solved for against searched for."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import laplace, lognorm, norm

from parfit.data.observations import make_observations
from parfit.estimation.freedom import Freedom
from parfit.estimation.likelihood.estimates import likelihood
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.prior import ROUNDED, Density, Prior
from parfit.estimation.problem import Evaluation
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.simulation.status import Reason, Status

T = np.arange(10.0)
RNG = np.random.default_rng(3)
V = np.column_stack((3.0 * np.exp(-0.2 * T + 0.1 * RNG.normal(size=10)), 2.0 + 0.5 * T + 0.3 * RNG.normal(size=10)))
START = np.array([3.1, 0.22, 2.1, 0.45, 0.1])  # the last is of the errors alone
OK = Status(Reason.OK)


def computed(p):
    return np.column_stack((p[0] * np.exp(-p[1] * T), p[2] + p[3] * T))


def slopes(p):
    jac = np.zeros((10, 2, 5))
    jac[:, 0, 0], jac[:, 0, 1] = np.exp(-p[1] * T), -p[0] * T * np.exp(-p[1] * T)
    jac[:, 1, 2], jac[:, 1, 3] = 1.0, T
    return jac


def quantity(p, name):
    """1 + b y of the own variable, or what no data can change."""
    if name == "fixed":
        return np.full(20, 0.2), np.zeros((20, 5))
    shape = 1.0 + p[4] * computed(p)
    by = p[4] * slopes(p)
    by[:, :, 4] += computed(p)
    return shape.ravel(), by.reshape(20, 5)


def rows(a=None, b=None, weights=None, rounded=ROUNDED, priors=None):
    given = {name: each for name, each in (("a", a), ("b", b)) if each is not None}
    return NoiseRows(Noise(given, priors or {}), make_observations(T, ["a", "b"], V, weights), rounded)


def at(p):
    return Evaluation((computed(p) - V).ravel(), slopes(p).reshape(20, 5), OK)


def applied(found, p):
    return found.applied(at(p), partial(quantity, p))


ADDITIVE, RELATIVE, LOGNORMAL = (VariableNoise(each) for each in (Form.ADDITIVE, Form.RELATIVE, Form.LOGNORMAL))
MULTIPLE = VariableNoise(Form.PROPORTIONAL, quantity="shape")
SHARED = VariableNoise(Form.RELATIVE, "s")
FIXED = VariableNoise(Form.GIVEN, quantity="fixed")
SAID = VariableNoise(Form.GIVEN, quantity="shape")  # a standard deviation that follows solution and parameters
LAPLACE, LOGLAPLACE = VariableNoise(Form.LAPLACE), VariableNoise(Form.LOGLAPLACE)
PART = VariableNoise(Form.RELATIVE, quantity="fixed")
OF_LOG, OF_SIZE, OF_LOG_SIZE = (
    VariableNoise(form, quantity="fixed") for form in (Form.LOGNORMAL, Form.LAPLACE, Form.LOGLAPLACE)
)
PAIRS = [
    (ADDITIVE, ADDITIVE),
    (RELATIVE, ADDITIVE),
    (LOGNORMAL, ADDITIVE),
    (MULTIPLE, ADDITIVE),
    (SHARED, SHARED),
    (FIXED, RELATIVE),
    (FIXED, FIXED),
    (SAID, ADDITIVE),
    (SAID, FIXED),
    (LAPLACE, ADDITIVE),
    (LOGLAPLACE, LAPLACE),
    (PART, OF_LOG),
    (OF_SIZE, OF_LOG_SIZE),
    (OF_SIZE, RELATIVE),
]


def density(model, v, y, s, p):
    """log of the density of scipy, with the standard deviation, scale or multiple s."""
    shape = 1.0 + p[4] * y
    if model in (LOGNORMAL, OF_LOG):
        return lognorm.logpdf(v, s, scale=y)
    if model in (LAPLACE, OF_SIZE):
        return laplace.logpdf(v, y, s)
    if model in (LOGLAPLACE, OF_LOG_SIZE):
        return laplace.logpdf(np.log(v), np.log(y), s) - np.log(v)
    by = {ADDITIVE: 1.0, FIXED: 1.0, RELATIVE: y, SHARED: y, PART: y, MULTIPLE: shape, SAID: shape}[model]
    return norm.logpdf(v, y, s * by)


def explicit(pair, p, sds):
    """-2 log L with standard deviations given."""
    y, total, left = computed(p), 0.0, list(sds)
    shared = left[0] if pair[0] is SHARED else None
    for k, model in enumerate(pair):
        s = 1.0 if model is SAID else 0.2 if not model.is_estimated else left.pop(0) if shared is None else shared
        total += density(model, V[:, k], y[:, k], s, p).sum()
    return -2.0 * total


@pytest.mark.parametrize("pair", PAIRS)
def test_the_sum_of_squares_says_the_same_as_the_likelihood(pair):
    found = rows(*pair, rounded=0.0)
    said = likelihood(found, at(START).residuals, partial(quantity, START), Freedom(20, 5, 0))
    sds = [each.sd for each in said.estimates]
    assert -2.0 * said.log_likelihood == pytest.approx(explicit(pair, START, sds), rel=1e-10)
    assert said.k == 5 + len(sds)
    assert said.n == 20
    for k in range(len(sds)):  # and they are the best there are
        for factor in (0.99, 1.01):
            moved = [*sds[:k], sds[k] * factor, *sds[k + 1 :]]
            assert explicit(pair, START, moved) > -2.0 * said.log_likelihood


@pytest.mark.parametrize("pair", PAIRS)
def test_the_jacobian_is_exact(pair):
    found, step = rows(*pair, rounded=1.0), 1e-6  # so round that differences see no tip
    exact = applied(found, START)
    for k in range(5):
        ahead, back = START.copy(), START.copy()
        ahead[k] += step
        back[k] -= step
        slope = (applied(found, ahead).residuals - applied(found, back).residuals) / (2.0 * step)
        n = exact.residuals.size - exact.n_bends
        assert exact.jac[:n, k] == pytest.approx(slope[:n], abs=1e-7)
    assert found.total(at(START).residuals, partial(quantity, START)) == pytest.approx(exact.sum_of_squares, rel=1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_slope_of_the_sum_is_that_of_the_likelihood(pair):
    """By differences of scipy's densities."""
    found, step = rows(*pair, rounded=1e-9), 1e-5
    here = applied(found, START)
    sds = [
        each.sd
        for each in likelihood(found, at(START).residuals, partial(quantity, START), Freedom(20, 5, 0)).estimates
    ]
    by = 2.0 * here.gradient / here.sum_of_squares / found.scale.slope(here.sum_of_squares)
    for k in range(5):
        change = np.zeros(5)
        change[k] = step
        slope = (explicit(pair, START + change, sds) - explicit(pair, START - change, sds)) / (2.0 * step)
        assert by[k] == pytest.approx(slope, rel=1e-6, abs=1e-5)  # the sds are at their best, and may be held


def test_the_information_is_the_expected_one():
    """Of y = N(m, sd) it is dm dm'/sd^2 + 2 dlog sd dlog sd': no sum over one set of data has it."""
    found = applied(rows(SAID, FIXED), START)
    y, (sd, by) = computed(START), quantity(START, "shape")
    own, flat = slopes(START).reshape(20, 5), np.arange(0, 20, 2)
    logs = by[flat] / sd[flat, np.newaxis]
    of_a = own[flat] / sd[flat, np.newaxis]
    of_b = own[flat + 1] / 0.2
    expected = of_a.T @ of_a + of_b.T @ of_b + 2.0 * logs.T @ logs
    # What one set of data has in place of e^2 = 1 and e = 0 is put back.
    e = (y[:, 0] - V[:, 0]) / sd[flat]
    lacking = logs.T @ ((1.0 - e**2)[:, np.newaxis] * logs)
    crossed = of_a.T @ (e[:, np.newaxis] * logs)
    bare = np.concatenate((of_a - e[:, np.newaxis] * logs, of_b))
    assert bare.T @ bare + lacking + crossed + crossed.T + logs.T @ logs == pytest.approx(expected, rel=1e-9, abs=1e-9)
    # The factors of the rows change, too, which matters only off the minimum and along the residuals.
    r = np.concatenate((e, (y[:, 1] - V[:, 1]) / 0.2))
    total, pull = found.sum_of_squares, r @ bare
    part, wanted = total / (r @ r + 20.0), total * rows(SAID, FIXED).scale.slope(total)
    bend = (found.gradient - part * pull) / total
    turned = part * (np.outer(pull, bend) + np.outer(bend, pull)) + total * np.outer(bend, bend)
    assert found.jac.T @ found.jac == pytest.approx(
        wanted * (bare.T @ bare + logs.T @ logs) + turned, rel=1e-9, abs=1e-9 * wanted
    )


PRIORS = {"k": Prior(Density.NORMAL, 0.2, 0.01), "a": Prior(Density.LOGNORMAL, 2.0, 0.1)}
PRIORS |= {"c": Prior(Density.LAPLACE, 2.0, 0.05), "d": Prior(Density.LOGLAPLACE, 0.5, 0.3)}


def with_parameters(p, name):
    if name not in ("a", "k", "c", "d"):
        return quantity(p, name)
    k = "akcd".index(name)
    by = np.zeros((20, 5))
    by[:, k] = 1.0
    return np.full(20, p[k]), by


def prior_penalty(p):
    """-2 log of the densities of scipy, next to their largest values."""
    pairs = [
        (norm(0.2, 0.01), p[1], 0.2),
        (norm(math.log(2.0), 0.1), math.log(p[0]), math.log(2.0)),
        (laplace(2.0, 0.05), p[2], 2.0),
        (laplace(math.log(0.5), 0.3), math.log(p[3]), math.log(0.5)),
    ]
    return -2.0 * sum(each.logpdf(x) - each.logpdf(best) for each, x, best in pairs)


@pytest.mark.parametrize("pair", [(None, None), (RELATIVE, ADDITIVE), (FIXED, FIXED), (SAID, LAPLACE)])
def test_priors_are_rows(pair):
    found, step = rows(*pair, priors=PRIORS), 1e-6

    def there(p):
        return found.applied(at(p), partial(with_parameters, p))

    here = there(START)
    assert here.n_priors == 4
    assert here.n_data == 20
    said = likelihood(found, at(START).residuals, partial(with_parameters, START), Freedom(20, 4, 0))
    assert said.penalty == pytest.approx(prior_penalty(START), rel=1e-3)  # but for the rounded tips
    bare = rows(*pair)
    without = likelihood(bare, at(START).residuals, partial(with_parameters, START), Freedom(20, 4, 0))
    assert said.log_likelihood == pytest.approx(without.log_likelihood, rel=1e-9)
    for k in range(5):
        change = np.zeros(5)
        change[k] = step
        slope = (there(START + change).residuals - there(START - change).residuals) / (2.0 * step)
        n = here.residuals.size - here.n_bends
        assert here.jac[:n, k] == pytest.approx(slope[:n], rel=1e-5, abs=1e-5)


def test_with_known_errors_priors_only_add_their_squares():
    data = make_observations(T, ["a", "b"], V, sds=[0.2, 0.2])
    found = NoiseRows(Noise({}, {"k": PRIORS["k"]}), data)
    plain = Evaluation(5.0 * at(START).residuals, 5.0 * at(START).jac, OK)
    here = found.applied(plain, partial(with_parameters, START))
    assert here.residuals == pytest.approx([*plain.residuals, 2.0], rel=1e-9)
    assert here.jac[:20] == pytest.approx(plain.jac, rel=1e-9, abs=1e-9)
    assert here.jac[20] == pytest.approx([0, 100, 0, 0, 0])


@pytest.mark.parametrize("pair", PAIRS[:5])
def test_solved_for_is_the_same_as_searched_for(pair):
    """The minimum over parameters and standard deviations together, by a method that knows nothing of this."""
    found, n_sds = rows(*pair), 1 if pair[0] is SHARED else 2
    free = 5 if MULTIPLE in pair else 4

    def whole(x):
        p = np.append(x[:free], START[free:5])
        return explicit(pair, p, np.exp(x[free:]))

    searched = minimize(
        whole,
        [*START[:free], *([-1.0] * n_sds)],
        method="Nelder-Mead",
        tol=1e-13,
        options={"maxiter": 20_000, "maxfev": 20_000, "adaptive": True},
    )
    p = np.append(searched.x[:free], START[free:5])
    here = applied(found, p)
    lengths = np.linalg.norm(here.jac[:, :free], axis=0)
    assert np.abs(here.gradient[:free]) == pytest.approx(
        0.0, abs=2e-5 * lengths.max() * math.sqrt(here.sum_of_squares)
    )
    said = likelihood(found, at(p).residuals, partial(quantity, p), Freedom(20, free, 0))
    assert [each.sd for each in said.estimates] == pytest.approx(np.exp(searched.x[free:]), rel=1e-4)
    assert -2.0 * said.log_likelihood == pytest.approx(searched.fun, abs=1e-6)


def test_one_group_of_additive_errors_changes_nothing():
    shared = VariableNoise(Form.ADDITIVE, "s")
    plain, found = at(START), applied(rows(shared, shared), START)
    assert found.residuals == pytest.approx(plain.residuals, rel=1e-13)
    assert found.jac == pytest.approx(plain.jac, rel=1e-11, abs=1e-13)


def test_weights_of_zero_do_not_count():
    weights = np.ones((10, 2))
    weights[3] = 0.0
    found = rows(ADDITIVE, ADDITIVE, weights)
    assert found.n == 18
    assert [group.rows.size for group in found.groups] == [9, 9]


def test_what_cannot_be_estimated_has_a_status():
    wrong = START.copy()
    wrong[0] = -1.0
    found = applied(rows(LOGNORMAL), wrong)
    assert not found.usable
    assert "a cannot be estimated" in str(found.status)
    exact = NoiseRows(
        Noise({"a": ADDITIVE}), make_observations(T, ["a", "b"], np.column_stack((computed(START)[:, 0], V[:, 1])))
    )
    zero = Evaluation(
        (computed(START) - np.column_stack((computed(START)[:, 0], V[:, 1]))).ravel(), slopes(START).reshape(20, 5), OK
    )
    assert not exact.applied(zero, partial(quantity, START)).usable


TIMES = np.linspace(0.0, 10.0, 21)
TWO = "par a=1, b=.3\nx'=-a*x\ny'=-b*y+.1*a*x\ninit x=1, y=1\ndone"


def two(a, b):
    x = np.exp(-a * TIMES)
    return x, np.exp(-b * TIMES) + 0.1 * a * (x - np.exp(-b * TIMES)) / (b - a)


@pytest.mark.parametrize("optimizer", [bounded, marquardt])
@pytest.mark.parametrize(("true", "said"), [(0.1, 0.1), (0.01, 0.01), (0.001, 0.001), (0.1, 0.001), (0.01, 0.1)])
def test_known_errors_beside_unknown_ones_are_fitted_from_far_away(true, said, optimizer):
    """The start is up to 1000 standard deviations off; the likelihood is written out, and searched from nearby."""
    rng = np.random.default_rng(1)
    x, y = (each + sd * rng.standard_normal(21) for each, sd in zip(two(0.1, 0.3), (true, 0.01), strict=True))
    sds = np.column_stack((np.full(21, said), np.ones(21)))
    data = make_observations(TIMES, ["x", "y"], np.column_stack((x, y)), sds=sds)
    env = replace(Environment.of(Model.from_text(TWO), data), noise=Noise({"y": ADDITIVE}))
    found = optimizer.Settings().minimize(env.problem(), env.parameters)

    def deviance(p):
        at = two(*p)
        return (((x - at[0]) / said) ** 2).sum() + 21 * math.log(((y - at[1]) ** 2).sum())

    best = minimize(deviance, [0.11, 0.31], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    assert deviance(found.p) == pytest.approx(best.fun, abs=1e-3)


def test_each_variable_has_its_known_errors():
    """Whether or not those with noise models have standard deviations, too."""
    for sds in ([0.1, np.nan], [0.1, 1.0]):
        found = NoiseRows(Noise({"b": ADDITIVE}), make_observations(T, ["a", "b"], V, sds=sds))
        assert [(each.name, each.form, each.rows.size) for each in found.groups] == [
            ("the others", Form.GIVEN, 10),
            ("b", Form.ADDITIVE, 10),
        ]


def test_the_jacobian_is_exact_far_out():
    """Where the chi-square of what is known has no exponential."""
    found, step = NoiseRows(Noise({"b": RELATIVE}), make_observations(T, ["a", "b"], V, sds=[1e-3, 1.0])), 1e-7
    weights = np.tile([1e3, 1.0], 10)

    def there(p):
        at_p = at(p)
        wide = Evaluation(weights * at_p.residuals, weights[:, np.newaxis] * at_p.jac, OK)
        return found.applied(wide, partial(quantity, p))

    exact = there(START)
    assert exact.sum_of_squares > 1e3
    for k in range(5):
        ahead, back = START.copy(), START.copy()
        ahead[k] += step
        back[k] -= step
        slope = (there(ahead).residuals - there(back).residuals) / (2.0 * step)
        n = exact.residuals.size - exact.n_bends
        assert exact.jac[:n, k] == pytest.approx(slope[:n], rel=1e-5, abs=1e-4)
