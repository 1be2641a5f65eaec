"""PEtab's formulas: its own examples where they are at hand, and what is unlike the model language."""

import math
import os
from pathlib import Path

import pytest

from parfit.errors import ModelError
from parfit.formats.petab.mathematics import parse
from parfit.model.language.expression import value

OFFICIAL = os.environ.get("PARFIT_PETAB", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2^2^3", 256),
        ("-2^4", -16),
        ("2**3**2 - -2**2", 516),
        ("9 * 3 ^ -2", 1),
        ("1 - 2 - 3", -4),
        ("8 / 4 / 2", 1),
        ("--1", 1),
        ("true || false && false", 0),  # from the left: both bind alike
        ("1 + 2 < 4 && !(3 == 4)", 1),
        ("log(8, 2)", 3),
        ("log2(8) + log(1) + ln(exp(2)) + log10(100)", 7),
        ("log(0)", -math.inf),
        ("piecewise(1, 1 > 2, 2, 0.1, 3)", 2),
        ("piecewise(7)", 7),
        ("min(1, 2) + max(1, 2)", 3),
        ("-!!2", -1),
        ("arccoth(2)", 0.5 * math.log(3)),
        ("1e-2 + .5", 0.51),
        ("-inf", -math.inf),
        ("a * b + a", 8),
    ],
)
def test_values(text, expected):
    assert value(parse(text), {"a": 2.0, "b": 3.0}) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    "text",
    ["", "1 +", "(1", "1 2", "f(1)", "piecewise(1, 2)", "a'", "1 = 2", "sin()", "pow(1)", "(" * 200, "a..b", "§"],
)
def test_what_is_wrong_is_told(text):
    with pytest.raises(ModelError, match=r"`"):
        parse(text)


@pytest.mark.skipif(not OFFICIAL, reason="PARFIT_PETAB names no folder with PEtab's test cases")
def test_the_official_expressions():
    import yaml

    cases = yaml.safe_load((Path(OFFICIAL) / "v2.0.0" / "math" / "math_tests.yaml").read_text())["cases"]
    assert len(cases) == 98
    for case in cases:
        names = {"a": 1.25, "b": -3.5}
        expected = case["expected"]
        expected = value(parse(expected), names) if isinstance(expected, str) else float(expected)
        assert value(parse(case["expression"]), names) == pytest.approx(expected, rel=1e-13, abs=1e-15), case
