"""SCALE."""

import numpy as np
import pytest

from parfit.estimation.parameters import Scaling

LOG, ROOT, NONE = Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE


def scaling(session):
    return dict(zip(session.env.model.parameters, session.env.parameters.scaling, strict=True))


@pytest.mark.parametrize(
    "lines",
    [
        ["SCALE 1 1 3 2"],
        ["SCALE p1 LOG p3 ROOT"],
        ["SCALE 1=log 3=root 0"],
        ["SCALE", "1 1", "3 2", "0"],
        ["SCALE", "p1", "LOG", "p3", "2", ""],
    ],
)
def test_scale(session, lines):
    session("SET 3 4", *lines)
    assert scaling(session) == {"p1": LOG, "p2": NONE, "p3": ROOT, "p4": NONE, "p5": NONE, "p6": NONE}
    np.testing.assert_allclose(session.env.parameters.point, [0, 0.1, 2, 1, 0.1, 0.15], rtol=1e-15)
    assert session.env.values[2] == 4.0, "the parameter itself is the same"


def test_scaling_adds_up_until_it_is_removed(session):
    session("SCALE 1 LOG", "SCALE 2 ROOT 1 NONE")
    assert (scaling(session)["p1"], scaling(session)["p2"]) == (NONE, ROOT)
    session("SCALE 2 0 5 LOG")
    assert (scaling(session)["p2"], scaling(session)["p5"]) == (NONE, LOG)
    session("SCALE 0")
    assert set(scaling(session).values()) == {NONE}
    np.testing.assert_array_equal(session.env.parameters.point, [1, 0.1, 3, 1, 0.1, 0.15])


def test_scale_shows_the_transformed_value(session):
    said = session("SCALE p3 LOG p5 ROOT")
    rows = {line.split()[1]: line.split() for line in said.split("\n")[2:-1]}
    assert rows["p3"][2:5] == ["3", f"{np.log(3):.7g}", "log"]
    assert rows["p5"][2:6] == ["0.1", f"{np.sqrt(0.1):.7g}", "square", "root"]
    assert rows["p1"] == ["1", "p1", "1", "1"]


def test_scale_refuses_what_has_no_logarithm_or_root(session):
    session("SET 1 0 2 -1")
    assert "p1 = 0 has no logarithm" in session.refused("SCALE 1 LOG")
    assert "p2 = -1 has no logarithm" in session.refused("SCALE 5 LOG 2 LOG")
    assert "p2 = -1 has no square root" in session.refused("SCALE 2 ROOT")
    session("SCALE 1 ROOT")
    assert "'3' is not on the menu" in session.refused("SCALE 1 3")


def test_all_parameters_at_once(session):
    session("SCALE ALL LOG", "SCALE p1 NONE")
    assert [bool(each) for each in session.env.parameters.scaling] == [False, *[True] * 5]
