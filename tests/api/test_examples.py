"""The examples in the docstrings of the Python interface do what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import parfit

ROOT = Path(__file__).parents[2]
MODULES = ["parfit", *(f"parfit.api.{path.stem}" for path in sorted((ROOT / "parfit/api").glob("[a-z]*.py")))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name, tmp_path, monkeypatch):
    """From anywhere, as the library is found wherever one is."""
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(name), extraglobs={"parfit": parfit})
    assert found.failed == 0


def is_wanting(member: object) -> bool:
    return callable(member) and ">>>" not in (member.__doc__ or "")


@pytest.mark.parametrize("name", ["Fit", "Problem", "Session", "load"])
def test_everything_that_can_be_called_has_an_example(name):
    """Of each class of the interface, and of its methods."""
    thing = getattr(parfit, name)
    assert ">>>" in thing.__doc__
    names = [each for each in dir(thing) if not each.startswith("_")] if isinstance(thing, type) else []
    methods = [getattr(thing, each) for each in names]
    assert [method.__name__ for method in methods if is_wanting(method)] == []


def test_the_names_are_listed():
    assert set(parfit.__all__) <= set(dir(parfit))
    assert "annotations" not in dir(parfit)
    wanted = {"fit", "dfit", "ifit", "contin", "shoot", "seq", "scan", "smooth", "guess"}
    wanted |= {"simulate", "stats", "probe", "equilibria", "band", "plot"}
    assert wanted <= set(dir(parfit.Problem))
