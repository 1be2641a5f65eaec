"""What a Jacobian says: against the thesis, models whose null vectors are known, and brute force."""

from dataclasses import replace

import numpy as np
import pytest
from conversation import data_of, model_of

from parfit import Model
from parfit.data.observations import make_observations
from parfit.estimation.diagnosis import next_observation, probing
from parfit.estimation.diagnosis.probing import Blindness
from parfit.estimation.diagnosis.study import study
from parfit.estimation.diagnosis.tradeoffs import Form
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.calculus.structure import Structure
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

TIMES = np.linspace(0.5, 3.0, 6)
TRAPEZOID, GEAR = Method("trapezoid"), Method("gear", eps=1e-4, h_min=0.0)
COUPLED = "par a=.5, b=2, z0=1\ny'=-a*y*z*b\nz'=-a*z\ny(0)=1\nz(0)=z0\naux q=y+z"


def probed(text, names=("y",), method=TRAPEZOID, times=TIMES, values=None, weights=None, **map_):
    """The probe of a model at its own values, with observations of its solution unless others are given."""
    model = Model.from_text(text + "\ndone\n", "m")
    parameters = ParameterMap(model.parameters, model.values, **map_)
    data = make_observations(
        times, names, np.full((len(times), len(names)), 0.4) if values is None else values, weights
    )
    simulator = Simulator(model, data.sample_times(0.0), method, parameters.active)
    return probe_of(simulator, parameters, data), data


def probe_of(simulator, parameters, data):
    evaluation = TrajectoryFit(simulator, parameters, data).evaluate(parameters.point)
    return probing.probe(evaluation, parameters, data)


def the_only(found):
    (each,) = found.undetermined
    return each


# ---- published


def enzyme(*scaling):
    model, data = model_of("enzyme"), data_of("enzyme")
    parameters = ParameterMap(model.parameters, np.array([1000.0, 0.99, 0.01]), scaling=scaling)
    return probe_of(Simulator(model, data.sample_times(0.0)), parameters, data)


@pytest.mark.parametrize(
    ("changed", "help"),
    [
        ({"condition": 999.0}, False),
        ({"condition": 1001.0}, True),
        ({"condition": np.inf}, False),
        ({"condition": 1001.0, "usable": False}, False),
        ({"condition": 1001.0, "undetermined": (object(),)}, False),
    ],
)
def test_logarithms_must_reduce_the_condition_number_tenfold(changed, help):
    assert replace(enzyme(), log_condition=100.0, **changed).logarithms_help is help


@pytest.mark.of_1977
def test_condition_numbers_of_the_thesis():
    """Section 1.3: approximately 59600, and 4.4 with logarithms; the digits are from an independent computation."""
    found = enzyme()
    assert found.spectrum.condition == pytest.approx(59614.5, rel=1e-3)
    assert found.log_condition == pytest.approx(4.41263, rel=1e-3)
    scaled = enzyme(*[Scaling.LOGARITHM] * 3)
    assert scaled.spectrum.condition == pytest.approx(4.41263, rel=1e-3)
    np.testing.assert_allclose(scaled.spectrum.s, found.relative_spectrum.s, rtol=1e-10)
    assert (found.unseen, found.undetermined, found.poor) == ((), (), ())


# ---- known null vectors


@pytest.mark.parametrize("method", [TRAPEZOID, GEAR], ids=["trapezoid", "gear"])
@pytest.mark.parametrize(
    ("equations", "form", "coefficients"),
    [
        ("par a=.5, b=2\ny'=-a*b*y", Form.PRODUCT, [1, -1]),
        ("par a=1, b=1\ny'=-a*b*y", Form.PRODUCT, [1, -1]),
        ("par a=.5, b=2\ny'=-a/b*y", Form.PRODUCT, [1, 1]),
        ("par a=.5, b=2\ny'=-a*b^2*y", Form.PRODUCT, [2, -1]),
        ("par a=-.5, b=-2\ny'=-a*b*y", Form.PRODUCT, [1, -1]),
        ("par a=.5, b=2\ny'=-(a+b)*y", Form.SUM, [1, -1]),
        ("par a=1, b=1\ny'=-(a+b)*y", Form.SUM, [1, -1]),
        ("par a=.5, b=0\ny'=-(a-2*b)*y", Form.SUM, [2, 1]),
        ("par a=1, b=-3\ny'=-(a+b)^2*y", Form.SUM, [1, -1]),
    ],
)
def test_trade_offs_are_recognized_and_hold(equations, form, coefficients, method):
    found, _ = probed(f"{equations}\ny(0)=1", method=method)
    each = the_only(found)
    assert (each.form, each.exact, each.members) == (form, True, (0, 1))
    np.testing.assert_array_equal(each.coefficients, coefficients)
    assert found.rank == 1
    assert found.spectrum.condition == np.inf
    assert not np.array_equal(each.tried, found.parameters.full)


def test_a_curved_trade_off_is_not_called_exact():
    each = the_only(probed("par a=.5, b=2\ny'=-(a+b^2)*y\ny(0)=1")[0])
    assert not each.exact
    assert each.change > 1e-4


def test_two_trade_offs_are_separated():
    found, _ = probed("par a=.5, b=2, c=1, d=3\ny'=-a*b*y\nz'=-(c+d)*z\ny(0)=1\nz(0)=1", ("y", "z"))
    assert {(each.members, each.form) for each in found.undetermined} == {((0, 1), Form.PRODUCT), ((2, 3), Form.SUM)}
    assert all(each.exact for each in found.undetermined)


def test_an_initial_value_that_trades_off():
    found, _ = probed(COUPLED)
    assert the_only(found).members == (1, 2)
    assert the_only(found).exact


@pytest.mark.parametrize("scaling", [Scaling.NONE, Scaling.LOGARITHM, Scaling.SQUARE_ROOT])
def test_scaling_changes_singular_values_but_not_what_is_found(scaling):
    found, _ = probed(COUPLED, scaling=(scaling,) * 3)
    assert the_only(found).members == (1, 2)
    np.testing.assert_allclose(found.relative_spectrum.s[:2], probed(COUPLED)[0].relative_spectrum.s[:2], rtol=1e-10)
    np.testing.assert_allclose(found.spectrum.s, np.linalg.svd(found.evaluation.jac, compute_uv=False), atol=1e-12)


def test_freezing_one_of_two_ends_a_trade_off():
    found, _ = probed(COUPLED, frozen=frozenset({2}))
    assert not found.undetermined
    assert found.rank == 2
    assert found.spectrum.condition < np.inf


# ---- what is not seen


@pytest.mark.parametrize(
    ("equations", "reason"),
    [
        ("par a=.5, b=2\ny'=-a*y\nz'=-b*z+y\ny(0)=1\nz(0)=1", Blindness.STRUCTURE),
        ("par a=.5, b=2\ny'=-a*y\nz'=-z+y\ny(0)=1\nz(0)=b", Blindness.STRUCTURE),
        ("par a=.5, b=0\ny'=-a*y+b*y*(a-.5)\ny(0)=1", Blindness.VALUES),
        ("par a=.5, b=1e-14\ny'=-a*y-b*y^2\ny(0)=1", Blindness.NEGLIGIBLE),
    ],
)
def test_parameters_that_are_not_seen(equations, reason):
    found, _ = probed(equations)
    assert [(each.parameter, each.reason) for each in found.unseen] == [(1, reason)]
    assert found.rank == 1
    assert found.condition == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("equations", "switch"),
    [
        ("par a=.5, b=2\ny'=-a*y+heav(y-b)\ny(0)=1", "heav"),
        ("par a=.5, b=2\ny'=if(y<b)then(-a*y)else(1)\ny(0)=1", "a comparison"),
        ("par a=.5, b=2\ny'=-a*y+floor(b*t)\ny(0)=1", "floor"),
        ("par a=.5, b=2\ny'=-a*y+heav(z-1)\nz'=b\ny(0)=1\nz(0)=0", "heav"),
        ("par a=.5, b=2\ny'=-a*y\ny(0)=1+sign(b)", "sign"),
    ],
)
def test_parameters_that_act_only_through_a_switch(equations, switch):
    found, _ = probed(equations)
    assert [(each.parameter, each.reason, each.detail) for each in found.unseen] == [(1, Blindness.SWITCH, switch)]


@pytest.mark.parametrize("term", ["b*heav(t-1)", "max(b,y)", "abs(b)", "heav(t-b)*b", "mod(t,b)"])
def test_what_has_a_derivative_is_no_switch(term):
    model = Model.from_text(f"par a=.5, b=2\ny'=-a*y+{term}\ny(0)=1")
    assert Structure(model).switched(("y",), on_times_only=True) == {}
    assert Structure(model).occurring(("y",)) == {0, 1}


@pytest.mark.parametrize("term", ["heav(t-b)", "sign(b-y)", "if(t<2*b)then(1)else(0)", "floor(b*t)", "heav(z-1)"])
def test_what_is_located_on_the_way_hides_nothing(term):
    model = Model.from_text(f"par a=.5, b=2\ny'=-a*y+{term}\nz'=b\ny(0)=1")
    assert Structure(model).switched(("y",), on_times_only=False) == {}


def test_a_square_root_at_0_blinds_the_optimizer():
    found, _ = probed("par a=.5, b=0\ny'=-a*y-b*y^2\ny(0)=1", scaling=(Scaling.NONE, Scaling.SQUARE_ROOT))
    assert [(each.parameter, each.reason) for each in found.unseen] == [(1, Blindness.ROOT)]


def test_what_acts_through_another_state_or_an_aux_quantity_occurs():
    model = Model.from_text(
        "par a=1, b=1, c=1, d=1\ny'=-a*y\nz'=-b*z+y\nw'=-c*w\ny(0)=1\nz(0)=1\nw(0)=1\naux q=w*d\ndone\n", "m"
    )
    assert Structure(model).occurring(("y",)) == {0}
    assert Structure(model).occurring(("z",)) == {0, 1}
    assert Structure(model).occurring(("q",)) == {2, 3}
    assert Structure(model).occurring(("q", "z")) == {0, 1, 2, 3}


# ---- poorly determined


def test_a_poor_combination_raises_the_sum_of_squares_as_said():
    """Two almost equal exponentials: their difference is what the data hardly see."""
    text = "par a=1, b=1.2\ny'=-a*y\nz'=-b*z\ny(0)=1\nz(0)=1\naux q=y+z"
    rng = np.random.default_rng(3)
    values = (np.exp(-TIMES) + np.exp(-1.2 * TIMES) + 0.05 * rng.standard_normal(6))[:, np.newaxis]
    found, data = probed(text, ("q",), values=values)
    (worst,) = found.poor
    np.testing.assert_allclose(np.sign(worst.vector[0]), -np.sign(worst.vector[1]))
    # To first order, one standard error along it adds error^2 to the sum of squares.
    moved = found.relative @ (worst.error * worst.vector)
    assert moved @ moved == pytest.approx(found.error**2, rel=1e-9)
    assert found.error == pytest.approx(np.sqrt(found.evaluation.sum_of_squares / (data.n_observations - 2)))


# ---- where to observe


def brute_force(found, data):
    """Every candidate with the singular value that adding it to the Jacobian gives."""
    run, map_ = found.evaluation.trajectory, found.parameters
    target = min(found.rank, len(map_.active) - 1)
    sizes = {name: np.abs(run.column(name)).max() for name in (*run.model.states, *(n for n, _ in run.model.aux))}
    typical = {n: np.median(w[w > 0]) for n, w in zip(data.names, data.weights.T, strict=True)}
    precision = np.median([typical[n] * sizes[n] for n in typical])
    p = map_.full[list(map_.active)]
    for name in sizes:
        weight = typical.get(name, precision / sizes[name])
        for t, row in zip(run.times, run.sensitivity(name), strict=True):
            stacked = np.vstack((found.relative, weight * row * np.abs(p)))
            yield np.linalg.svd(stacked, compute_uv=False)[target], name, t


@pytest.mark.parametrize(
    ("text", "names", "more"),
    [
        (COUPLED, ("y",), {}),
        (COUPLED, ("y",), {"frozen": frozenset({2})}),
        (COUPLED, ("q",), {"scaling": (Scaling.LOGARITHM,) * 3}),
        (COUPLED, ("y", "z"), {"weights": [[1.0, 5.0]]}),
        ("par a=.5, b=2, c=1\ny'=-a*y\nz'=-b*z+c*y\ny(0)=1\nz(0)=.3", ("y",), {}),  # two that are not seen
        ("par a=900, b=.01\ny'=-a*y+b\nz'=a*y\ny(0)=1\nz(0)=0", ("z",), {"method": GEAR}),
    ],
)
def test_the_observation_that_helps_most(text, names, more):
    found, data = probed(text, names, **more)
    advice = found.advice
    ranked = sorted(brute_force(found, data), reverse=True)
    assert advice.after == pytest.approx(ranked[0][0], rel=1e-9)
    assert advice.after > advice.before
    # The best may not be alone; the one that is named must be among them.
    best = [(name, t) for value, name, t in ranked if value >= ranked[0][0] * (1 - 1e-9)]
    assert (advice.variable, advice.time) in best
    assert len(best) < len(ranked)


def test_many_candidates_are_searched_in_parts(monkeypatch):
    whole = probed(COUPLED, ("q",))[0].advice
    monkeypatch.setattr(next_observation, "CHUNK", 3)
    assert probed(COUPLED, ("q",))[0].advice == whole


def test_no_observation_helps_where_the_model_cannot_tell():
    assert probed("par a=.5, b=2\ny'=-a*b*y\ny(0)=1")[0].advice is None


# ---- bounds, and cases at the edge


def test_parameters_at_a_bound():
    bounds = {"lower": np.array([0.5, -np.inf, 0.0]), "upper": np.array([9.0, 1.5, 1.0])}
    assert probed(COUPLED, **bounds)[0].at_bound == (0, 1, 2)
    assert probed(COUPLED, frozen=frozenset({1}), **bounds)[0].at_bound == (0, 2)
    assert probed(COUPLED)[0].at_bound == ()


def test_fewer_observations_than_parameters():
    found, _ = probed(COUPLED, times=TIMES[:1])
    assert found.spectrum.s.shape == (3,)
    assert found.rank == 1
    assert len(found.undetermined) == 2
    assert np.isnan(found.error)


def test_a_jacobian_of_zeros():
    found, _ = probed("par a=.5\ny'=-y\nz'=-a*z\ny(0)=1\nz(0)=1")
    assert found.rank == 0
    assert not found.combinations
    assert (found.advice.variable, found.advice.time) == ("z", 2.0)  # t exp(-t/2) is largest there


def test_observations_without_any_weight():
    found, _ = probed("par a=.5\ny'=-a*y\ny(0)=1", weights=0.0)
    assert found.rank == 0
    assert found.unseen[0].reason is Blindness.VALUES


def test_one_parameter():
    found, _ = probed("par a=.5\ny'=-a*y\ny(0)=1")
    assert found.spectrum.condition == 1.0
    assert (found.unseen, found.undetermined) == ((), ())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("par a=.5, b=1\ny'=a*y*y+b\ny(0)=5", "y"),
        ("par a=.5, b=1\ny'=-a*y\ny(0)=b\naux q=sqrt(y-2)", "q"),
        ("par a=1e200, b=1e200\ny'=-y\ny(0)=a*b", "y"),
    ],
)
def test_what_cannot_be_computed_is_no_exception(text, name):
    found, _ = probed(text, (name,))
    assert not found.usable
    assert found.rank == 0


def test_numbers_of_any_size():
    found, _ = probed("par a=1e300, b=1e-300\ny'=-a*b*y\ny(0)=1")
    assert the_only(found).exact
    np.testing.assert_array_equal(the_only(found).coefficients, [1, -1])


def test_the_standard_error_is_that_of_stats_where_a_combination_is_not_seen():
    """Three parameters, of which two are seen only as a sum: n - 2 degrees of freedom for both."""
    t = np.linspace(0.5, 4.0, 8)
    model = Model.from_text("par b=.2, c=.3, a=1\nx'=-(b+c)*x\nx(0)=a\ndone")
    data = make_observations(t, ["x"], (np.exp(-0.5 * t) + 0.01 * np.cos(9 * t))[:, np.newaxis])
    map_ = ParameterMap(model.parameters, np.array([0.2, 0.3, 1.0]))
    problem = TrajectoryFit(Simulator(model, t, Method("gear", eps=1e-8, h_min=0.0), map_.active), map_, data)
    at = problem.evaluate(map_.point)
    expected = float(np.sqrt(at.sum_of_squares / (t.size - 2)))
    assert probing.probe(at, map_, data).error == pytest.approx(expected)
    assert study(problem, at, 95, [1.0]).statistics.intervals.sd == pytest.approx(expected)
