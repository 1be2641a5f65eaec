"""What never changes is found in a sample of rates, in whole numbers and in any units."""

import numpy as np
import pytest

from parfit.equilibria.conservation import conserved

RNG = np.random.default_rng(6)


def enzyme(units=(1.0, 1.0, 1.0, 1.0)):
    """Rates of s + e <-> c -> e + p at random points: e + c and s + c + p stay."""
    s, e, c = RNG.uniform(0.1, 2.0, (3, 12))
    bind, back, make = s * e, 0.3 * c, 0.7 * c
    return np.column_stack((back - bind, back + make - bind, bind - back - make, make)) * units


def test_amounts_in_a_closed_system():
    laws = conserved(enzyme(), np.array([10.0, 1.0, 0.5, 0.0]))
    found = {tuple(law.coefs.tolist()): law.value for law in laws}
    assert len(found) == 2
    for coefs, value in found.items():
        assert np.abs(enzyme() @ coefs).max() < 1e-9
        assert value == pytest.approx(np.dot(coefs, [10.0, 1.0, 0.5, 0.0]))
        assert all(coef == round(coef) for coef in coefs)
    assert np.linalg.matrix_rank([*found, [0, 1, 1, 0], [1, 0, 1, 1]]) == 2


def test_units_of_the_states_do_not_hide_it():
    laws = conserved(enzyme((1e-8, 1.0, 1.0, 1e8)), np.ones(4))
    assert len(laws) == 2


def test_nothing_stays_where_everything_moves():
    assert conserved(RNG.standard_normal((10, 3)), np.ones(3)) == ()
    assert conserved(np.full((4, 2), np.nan), np.ones(2)) == ()
