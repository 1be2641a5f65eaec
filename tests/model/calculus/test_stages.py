"""Experiments with the same equations derive them once, and nothing that is computed changes by a bit."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from parfit.model.calculus.stages import MOST, Stages
from parfit.model.conditions.design import Condition, Design, Dose
from parfit.model.conditions.joining import joined
from parfit.model.language.expression import Number
from parfit.model.model import Model

# 30, 2 and .5 stand in the equations, in aux quantities and, below, in initial values and doses.
TEXT = """par k=.5, v=2, w=3
number c=2
f(x)=x/(30+x)
q=v*a*(k+w)
a'=-k*a*c+f(b)-(k+w)
b'=q-2*b+heav(b-.5)*f(q)
init a=v*30, b=.5
aux half=q/2+30*a
aux other=30*(k+w)-b
done
"""
STARTS = [Condition(f"e{k}", {"b(0)": value}) for k, value in enumerate((30.0, 2.0, 0.5, 0.0, -0.0))]
DOSES = [
    Condition(f"e{k}", {}, (Dose("a", amount, (1.0, 2.0), over),))
    for k, (amount, over) in enumerate([(30.0, None), (2.0, None), (7.0, 0.5), (8.0, 0.5)])
]
NUMBERS = [Condition(f"e{k}", {"c": value}) for k, value in enumerate((2.0, 1.0, 0.0, -0.0, 2.0))]
KNOWN = [Condition("e0", {"w": 1.0}), Condition("e1", {"w": 2.0}), Condition("e2"), Condition("e3", {"b(0)": 1.0})]


def plain(value):
    """What tapes and systems are made of, with numbers as their bits."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if value is None or isinstance(value, int | float | str):
        return repr(value)
    if hasattr(value, "__dataclass_fields__"):
        return [plain(getattr(value, name)) for name in value.__dataclass_fields__]
    return plain(value.__reduce__()[1])


def parts(conditions, *lines):
    text = TEXT.replace("done", "\n".join([*lines, "done"]))
    return [part.model for part in joined(Model.from_text(text), Design(tuple(conditions))).parts]


def dynamics_of(model, active):
    tape, *_ = model.compiled(active).system.__reduce__()[1]
    return tape


@pytest.mark.parametrize("conditions", [STARTS, DOSES, NUMBERS, KNOWN], ids=["starts", "doses", "numbers", "known"])
@pytest.mark.parametrize("lines", [(), ("rest c=1",), ("local k",)], ids=["alone", "rest", "local"])
def test_tapes_are_those_of_a_model_alone(conditions, lines):
    for model in parts(conditions, *lines):
        alone = replace(model, stages=None)
        for active in (tuple(range(len(model.parameters))), (0,)):
            assert plain(model.compiled(active)) == plain(alone.compiled(active))
            assert plain(model.jumping(active)) == plain(alone.jumping(active))


def test_equal_equations_are_derived_and_lowered_once():
    first, *others = parts(STARTS)
    for other in others:
        assert other is not first
        assert other.derivation.dynamics is first.derivation.dynamics
        assert dynamics_of(other, (0, 1)) is dynamics_of(first, (0, 1))
        assert dynamics_of(other, (0,)) is not dynamics_of(first, (0, 1))


def test_where_all_is_equal_but_jumps_one_derivation_serves_all():
    first, second, third, fourth = parts(DOSES)
    assert second.derivation is first.derivation
    assert second.compiled((0, 1)).system is first.compiled((0, 1)).system
    assert third.derivation is not first.derivation  # an infusion is in the equations
    assert fourth.derivation is not third.derivation


def test_other_numbers_in_the_equations_make_others():
    models = parts(NUMBERS)
    assert models[0] is models[-1]  # under the same conditions
    assert len({id(model.derivation.dynamics) for model in models}) == len(models) - 1


def test_only_some_are_kept():
    stages, model = Stages(), parts(STARTS)[0]
    others = [replace(model, equations=(Number(float(k)), Number(0.0))) for k in range(MOST)]
    assert stages.begun(model, lambda: "first") == "first"
    assert [stages.begun(each, lambda: "other") for each in others[1:]] == ["other"] * (MOST - 1)
    assert stages.begun(model, lambda: "again") == "first"
    assert [stages.begun(each, lambda: "new") for each in others] == ["new"] * MOST
    assert stages.begun(model, lambda: "again") == "again"


def test_models_are_pickled_without_them_and_go_on_to_share():
    found = joined(Model.from_text(TEXT), Design(tuple(STARTS)))
    small = len(pickle.dumps(found))
    _ = found.parts[0].model.stages.begun(found.parts[0].model, lambda: "x" * small)
    assert len(pickle.dumps(found)) < 1.1 * small
    first, second, *_ = (part.model for part in pickle.loads(pickle.dumps(found)).parts)
    assert first.derivation.dynamics is second.derivation.dynamics
