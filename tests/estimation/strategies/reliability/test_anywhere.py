"""What can never be determined: symmetries that were put into models are found, and nothing else."""

import numpy as np
import pytest
from crews import AT_ONCE

from parfit.data.observations import make_observations
from parfit.errors import NumericalError
from parfit.estimation.diagnosis.tradeoffs import Form
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.strategies.reliability.anywhere import Request, anywhere, drawn
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.text.diagnosis.anywhere import findings, told

T = np.arange(0.0, 5.0)


def environment(text, names=("x", "y")):
    data = make_observations(T, names, np.ones((T.size, len(names))))
    return Environment.of(Model.from_text(text), data)


SYMMETRIC = environment("par a=2, b=.5, c=1, d=3, e=1\nx'=-a*b*x\ny'=(c+d)*x-.3*y\nz'=e*y\ninit x=1, y=0, z=0\ndone")


def test_products_and_sums_are_found_wherever_the_parameters_are():
    found = anywhere(SYMMETRIC, Request(8))
    assert found.rank == 2
    assert found.never == ("a", "b", "c", "d", "e")
    assert found.n_seen.tolist() == [8, 8, 8, 8, 0]
    assert {(each.members, each.form) for each in found.always} == {((0, 1), Form.PRODUCT), ((2, 3), Form.SUM)}
    said = " ".join(told(found).split())
    assert "only a*b is determined" in said
    assert "only c + d is determined" in said
    assert "e is seen nowhere" in said
    assert "at most 2 combinations of 5 parameters" in said
    assert "more combination" not in said


def test_what_is_not_observed_is_not_determined_and_more_data_are_the_remedy():
    text = "par k=.5, s=2\nx'=-k*x\ninit x=1\naux seen=s*x\naux whole=x\ndone"
    assert anywhere(environment(text, ("seen",)), Request(6)).never == ()
    text = "par k=.5, s=2, a=1\nx'=-k*x\ninit x=a\naux seen=s*x\ndone"
    assert anywhere(environment(text, ("seen",)), Request(6)).never == ("s", "a")
    assert anywhere(environment(text, ("seen", "x")), Request(6)).never == ()


def test_a_combination_that_is_another_at_each_point():
    text = "par a=1, b=2\nx'=-(a+b^2)*x\ninit x=1\ndone"
    found = anywhere(environment(text, ("x",)), Request(6))
    assert found.rank == 1
    assert found.always == []
    assert "1 combination of a, b cannot be determined, at each point another" in " ".join(findings(found))


def test_what_can_be_determined_is_said_to_be_so():
    found = anywhere(environment("par a=1, b=2\nx'=-a*x\ny'=b*x\ninit x=1, y=0\ndone"), Request(5))
    assert (found.rank, found.never, found.n_failed) == (2, (), 0)
    assert "both parameters are determined" in findings(found)[-1]


def test_points_lie_within_the_bounds_or_a_decade_and_are_always_the_same():
    values = np.array([2.0, -3.0, 0.0, 5.0, 1.0])
    low, high = np.array([-np.inf, -np.inf, -1.0, 1.0, 0.5]), np.array([np.inf, np.inf, 4.0, 100.0, np.inf])
    map_ = ParameterMap(tuple("abcde"), values, frozenset(), (Scaling.NONE,) * 5, low, high)
    points = np.array([drawn(map_, 1, k).full for k in range(400)])
    assert (points >= np.maximum(low, [0.2, -30.0, -1.0, 1.0, 0.5])).all()
    assert (points <= np.minimum(high, [20.0, -0.3, 4.0, 100.0, 10.0])).all()
    assert np.median(points[:, 3]) == pytest.approx(10.0, rel=0.25)  # half of the decades, not of the way
    assert np.median(points[:, 2]) == pytest.approx(1.5, abs=0.4)
    assert drawn(map_, 1, 7).full.tobytes() == points[7].tobytes()
    assert drawn(map_, 2, 7).full.tobytes() != points[7].tobytes()


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e9])
def test_a_parameter_that_is_0_is_drawn_by_its_effect_in_any_units(unit):
    """c flows in while x is of the size of the data; what it is counted in does not matter."""
    text = f"par k=.5, c=0\nx'=c/{unit!r}-k*x\ninit x=3\ndone"
    data = make_observations(T, ["x"], 3.0 * np.exp(-0.5 * T)[:, np.newaxis])
    found = anywhere(Environment.of(Model.from_text(text), data), Request(6))
    assert found.around_zero["c"] == pytest.approx(unit * anywhere_size(), rel=1e-4)
    assert found.never == ()
    size = found.around_zero["c"]
    assert f"c is 0, which has no decade around it: it was drawn from {-size:.3g} to" in " ".join(told(found).split())


def anywhere_size():
    """Of c by which x(c) - x(0) = (1 - exp(-.5 t)) c / .5 is as large as the data differ from their mean."""
    x = 3.0 * np.exp(-0.5 * T)
    return np.linalg.norm(x - x.mean()) / np.linalg.norm((1.0 - np.exp(-0.5 * T)) / 0.5)


def test_a_parameter_that_is_0_and_moves_nothing_stays_there_and_is_told():
    found = anywhere(environment("par k=.5, c=0\nx'=-k*x+c^2\ninit x=1\ndone", ("x",)), Request(6))
    assert found.around_zero == {"c": 0.0}
    assert "c is 0, and was left there" in " ".join(told(found).split())
    assert "c is 0" not in told(
        anywhere(environment("par k=.5, c=1\nx'=-k*x+c^2\ninit x=1\ndone", ("x",)), Request(6))
    )


def test_points_that_cannot_be_integrated_are_counted():
    text = "par a=2\nx'=sqrt(1.9-a)*x\ninit x=1\ndone"
    found = anywhere(environment(text, ("x",)).with_bounds([0.0], [4.0]), Request(20), crew=AT_ONCE)
    assert 3 < found.n_failed < 17
    assert f"At {found.n_failed} of 20 points the equations could not be integrated" in findings(found)[0]
    with pytest.raises(NumericalError, match="none of 5 random points"):
        anywhere(environment(text, ("x",)).with_bounds([2.0], [4.0]), Request(5))
