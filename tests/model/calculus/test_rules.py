"""The rules of the operations: every derivative that a row gives, against differences in 40-digit arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from parfit.kernel.tape import OPCODES

from parfit.errors import ModelError
from parfit.model.calculus.rates import with_rates
from parfit.model.calculus.rules import is_choice, made_of, slopes_of
from parfit.model.language.operations import FUNCTIONS, NUMPY_NAMES, OPERATIONS, OPERATORS
from parfit.model.model import Model

MADE_OF_OTHERS = {"+", "-", "*", "/", "^"}  # sums, products and powers of the graph


def value_of(text: str, y: float) -> float:
    model = Model.from_text(f"y'={text}\ndone\n")
    return float(model.compiled(()).system.dynamics.evaluate(np.zeros(1), np.array([[y]]), np.empty(0), 1)[0][0, 0])


def slope_of(text: str, y: float) -> float:
    model = Model.from_text(f"y'={text}\ndone\n")
    return float(model.compiled(()).system.dynamics.evaluate(np.zeros(1), np.array([[y]]), np.empty(0), 2)[1][0, 0])


def test_every_operation_has_an_opcode_or_is_made_of_others():
    for name in OPERATIONS:
        assert name in OPCODES or name in MADE_OF_OTHERS or made_of(name) is not None, name
    for row in OPERATIONS.values():
        explained = row.is_step or row.slopes or made_of(row.name) is not None or row.name in MADE_OF_OTHERS
        assert explained, f"{row.name} has no derivative and is no step"
        assert len(slopes_of(row.name) if row.name != "trigamma" else "?") in (0, row.n_arguments), row.name


def test_names_are_told_apart():
    assert OPERATORS.isdisjoint(FUNCTIONS)
    assert {name for name in OPERATIONS if is_choice(name)} == {"if", "min", "max"}
    assert all(
        callable(getattr(np, name))
        for name in NUMPY_NAMES
        if name not in ("not", "if", "heav", "erf", "erfc", "lgamma")
    )


@pytest.mark.parametrize("x", [1e-5, 0.3, 0.9999, 1.0, 1.4616321449683623, 1.4617, 2.0, 2.5, 9.99, 10.0, 37.5, 1e8])
def test_the_logarithm_of_the_gamma_function_and_its_derivative(x):
    with mpmath.workdps(40):
        assert value_of("lgamma(y)", x) == pytest.approx(float(mpmath.loggamma(x)), rel=1e-14, abs=1e-15)
        assert slope_of("lgamma(y)", x) == pytest.approx(float(mpmath.psi(0, x)), rel=1e-14)


@pytest.mark.parametrize("x", [-0.25, -0.5, -1.75, -7.3, -19.875])
def test_the_same_of_negative_numbers(x):
    with mpmath.workdps(40):
        condition = abs(float(mpmath.psi(1, x) * x / mpmath.psi(0, x)))  # what rounding x alone would do
        assert slope_of("lgamma(y)", x) == pytest.approx(float(mpmath.psi(0, x)), rel=1e-14 * max(1.0, condition))


def test_poles_have_no_derivative():
    assert np.isnan(slope_of("lgamma(y)", -3.0))
    assert np.isnan(slope_of("lgamma(y)", 0.0))


def test_rates_of_an_observed_quantity_are_differentiated_once_more():
    model = with_rates(Model.from_text("par k=2\ny'=k\naux z=lgamma(y)\ndone\n"), ["z"])
    tape = model.compiled((0,)).outputs
    values, by_state, _ = tape.evaluate(np.zeros(1), np.array([[3.7]]), np.array([2.0]), 3)
    with mpmath.workdps(40):
        assert values[0, 1] == pytest.approx(float(2 * mpmath.psi(0, 3.7)), rel=1e-14)
        assert by_state[0, 1] == pytest.approx(float(2 * mpmath.psi(1, 3.7)), rel=1e-14)


def test_a_derivative_that_is_not_known_is_refused():
    with pytest.raises(ModelError, match="trigamma"):
        slopes_of("trigamma")
