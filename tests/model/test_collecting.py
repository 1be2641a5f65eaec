"""Python's search for circles of dead objects waits while a model is made, and goes on afterwards."""

import gc

import pytest

from parfit import Model
from parfit.errors import ModelError
from parfit.model.collecting import without_collecting


def test_no_search_meanwhile_and_again_afterwards():
    assert gc.isenabled()
    with without_collecting():
        assert not gc.isenabled()
        with without_collecting():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_has_turned_it_off_finds_it_off():
    gc.disable()
    try:
        with without_collecting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_goes_on_after_a_mistake_in_a_model():
    with pytest.raises(ModelError):
        Model.from_text("x'=-k*")
    assert gc.isenabled()


def test_large_models_are_made_without_a_search():
    lines = [f"x{i}'=-k*x{i}+exp(-x{(i + 1) % 200})" for i in range(200)]
    before = [each["collections"] for each in gc.get_stats()]
    Model.from_text("\n".join(["par k=1", *lines, "done"])).compiled((0,))
    searches = [each["collections"] - k for each, k in zip(gc.get_stats(), before, strict=True)]
    assert sum(searches) < 10
