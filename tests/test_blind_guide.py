"""GUIDE obeyed blindly comes to an end, whatever the start; how often it is right is counted by the benchmark."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "benchmarks"))

from blind_guide import MOST_STEPS, follow, least


@pytest.mark.parametrize(
    ("name", "number"), [("chain", 0), ("logistic", 0), ("epidemic", 1), ("enzyme", 0), ("drug", 1), ("predators", 0)]
)
def test_it_ends(name, number):
    how, _, steps = follow(name, 1, number)
    assert how != "endless", f"no end after {MOST_STEPS}: {steps}"


@pytest.mark.parametrize(("name", "number"), [("decay", 0), ("chain", 1)])
def test_easy_problems_are_solved(name, number):
    how, total, steps = follow(name, 1, number)
    assert how == "claimed", steps
    assert total <= 1.01 * least(name, 1)
