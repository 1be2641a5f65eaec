"""Linear curve fitting: solved at once from anywhere, found to be linear by the program itself."""

import numpy as np
import pytest
from smoothed import equilibrium, lotka_volterra, minimum, predator_prey

from parfit import Model
from parfit.estimation.optimizers.linear import is_linear, solve_linear
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.derivative_fit import DefectFit, DerivativeFit
from parfit.estimation.problems.integral_fit import IntegralFit, QuadratureFit
from parfit.model.calculus.structure import only_initial, without_effect
from parfit.simulation.status import Reason, Status


class Given:
    """J p - b with a given matrix."""

    def __init__(self, jac, b, status=None):
        self.jac, self.b = np.array(jac, float), np.array(b, float)
        self.status = Status() if status is None else status

    def evaluate(self, active):
        return Evaluation(self.jac @ active - self.b, self.jac, self.status)


def every(case):
    return case.model, case.parameters(), case.times, case.curves


def guessed():
    return {"y2": 2 + np.sin(lotka_volterra().times)}


PROBLEMS = {
    "DFIT 1": lambda: DerivativeFit(*every(equilibrium())),
    "IFIT 1": lambda: IntegralFit(*every(equilibrium())),
    "IFIT 2, all smoothed": lambda: QuadratureFit(*every(equilibrium())),
    "DFIT 3": lambda: DefectFit(*every(lotka_volterra()), guessed()),
    "IFIT 2": lambda: QuadratureFit(*every(lotka_volterra()), guessed()),
}


@pytest.mark.of_1977
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_minimum_does_not_depend_on_the_start(name):
    problem = PROBLEMS[name]()
    starts = np.random.default_rng(0).normal(scale=10.0, size=(5, 4))
    found = [solve_linear(problem, start) for start in starts]
    for each in found:
        assert each.p == pytest.approx(found[0].p, rel=1e-9)
        assert each.sum_of_squares == pytest.approx(found[0].sum_of_squares, rel=1e-9)
        assert each.n_rejected == 0
        assert each.singular_values.size == 4
    expected, total = minimum(problem, problem.parameters)
    assert found[0].p == pytest.approx(expected, rel=1e-5)
    assert found[0].sum_of_squares == pytest.approx(total, rel=1e-9)


def test_small_singular_values_are_rejected():
    """Below 1e-5 of the largest (SING_CUTOFF), of columns of length 1; in that direction nothing moves."""
    for small, rejected in ((4e-5, 0), (0.5e-5, 1)):
        found = solve_linear(Given([[1, 1], [0, small], [0, 0]], [3 + 1, small, 1]), np.array([7.0, 7.0]))
        assert found.n_rejected == rejected
        assert found.p == pytest.approx([2.0, 2.0] if rejected else [3.0, 1.0])
        assert found.undetermined == ((0, 1) if rejected else ())
        assert found.singular_values == pytest.approx([2**0.5, small / 2**0.5], rel=1e-4)
        assert found.sum_of_squares == pytest.approx(1.0 + rejected * small**2)


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1.0, 1e12])
def test_units_do_not_decide_what_is_rejected(unit):
    """Columns of very different lengths are as well determined as others."""
    found = solve_linear(Given([[1, 0], [0, unit]], [3, 5 * unit]), np.zeros(2))
    assert found.n_rejected == 0
    assert found.p == pytest.approx([3.0, 5.0])


def test_of_many_minima_that_nearest_to_the_start():
    found = solve_linear(Given([[1, 1]], [2]), np.array([100.0, -3.0]))
    assert found.p == pytest.approx([52.5, -50.5])
    assert found.n_rejected == 1
    assert found.undetermined == (0, 1)
    alone = solve_linear(Given([[1, 0], [1, 0]], [2, 2]), np.array([100.0, -3.0]))
    assert alone.p == pytest.approx([2.0, -3.0])
    assert alone.undetermined == (1,)
    nothing = solve_linear(Given([[0, 0], [0, 0]], [2, 1]), np.array([100.0, -3.0]))
    assert nothing.p.tolist() == [100.0, -3.0]
    assert nothing.n_rejected == 2


def test_a_problem_that_cannot_be_evaluated_says_so():
    found = solve_linear(Given([[1.0]], [1.0], Status(Reason.NOT_FINITE, 0.0, "x")), np.array([2.0]))
    assert not found.evaluation.status
    assert found.p.tolist() == [2.0]


# ---- is it linear?


def of(text, **options):
    model = Model.from_text(text)
    return model, ParameterMap(model.parameters, model.values, **options)


@pytest.mark.parametrize("integral", [False, True])
def test_models_of_the_thesis(integral):
    case = equilibrium()
    assert is_linear(case.model, case.parameters(), ["y1", "y2"], integral)
    assert is_linear(lotka_volterra().model, lotka_volterra().parameters(), ["y1", "y2"], integral)
    prey = predator_prey()
    assert not is_linear(prey.model, prey.parameters(), ["y1", "y2"], integral)
    # "linear in all but one parameter" (section 4.3)
    assert is_linear(prey.model, prey.parameters(frozen=frozenset({4})), ["y1", "y2"], integral)
    scaled = (Scaling.SQUARE_ROOT, *(Scaling.NONE,) * 3)
    start = (0.1, 1, 1, 1)
    assert not is_linear(case.model, case.parameters(start, scaling=scaled), ["y1", "y2"], integral)
    only = case.parameters(start, scaling=scaled, frozen=frozenset({0}))
    assert is_linear(case.model, only, ["y1", "y2"], integral)


@pytest.mark.parametrize(
    ("equation", "linear"),
    [
        ("a*x+b", True),
        ("exp(x)*a/(1+t)-b*sin(t)", True),
        ("a*b*x", False),
        ("a*x+abs(b)", False),
        ("a*x+b+floor(b)", False),
        ("a*x+b*heav(x)", True),
        ("a*x+b*heav(b)", False),
        ("a*x+b+if(a>3)then(1)else(0)", False),
        ("if(x>1)then(a*x)else(b)", True),
        ("a*x+min(b,x)", False),
        ("a*x+b^2", False),
        ("x^a+b", False),
    ],
)
def test_structure(equation, linear):
    model, parameters = of(f"par a=1,b=2\nx'={equation}\ninit x=1\ndone\n")
    assert is_linear(model, parameters, ["x"]) is linear
    assert is_linear(model, parameters, ["x"], integral=True) is linear


def test_initial_conditions_count_for_integrals_only():
    model, parameters = of("par a=1,b=2\nx'=a*x+b\ninit x=b^2\ndone\n")
    assert is_linear(model, parameters, ["x"])
    assert not is_linear(model, parameters, ["x"], integral=True)
    model, parameters = of("par a=1,b=2\nx'=a*x\ninit x=3*b\ndone\n")
    assert is_linear(model, parameters, ["x"], integral=True)


def test_aux_quantities():
    text = "par a=1,b=2\nx'=a*x\ny'=b*x\ninit x=1,y=2\naux sum=x+y\naux product=x*y\naux scaled=a*x\ndone\n"
    model, parameters = of(text)
    both = ["x", "y"]
    assert is_linear(model, parameters, [*both, "sum", "product"])  # the rate of a product of given curves
    assert is_linear(model, parameters, [*both, "sum"], integral=True)
    assert not is_linear(model, parameters, [*both, "product"], integral=True)  # of integrals
    assert not is_linear(model, parameters, [*both, "scaled"], integral=True)
    assert not is_linear(model, parameters, [*both, "scaled"])  # its rate is a*a*x


def test_states_that_are_integrated():
    text = "par a=1,b=2\nx'=a*x+y\ny'={}\nz'=b*z*x\ninit x=1,y=2,z=1\ndone\n"
    for equation, linear in (("-y", True), ("-b*y", False)):
        model, parameters = of(text.format(equation))
        assert is_linear(model, parameters, ["x"]) is linear
        assert is_linear(model, parameters, ["x"], integral=True) is linear
    model, parameters = of(text.format("-b*y"))
    assert is_linear(model, parameters, ["x", "y"])


def test_where_parameters_occur():
    text = "par a=1,b=2,c=3,d=4,e=5\nx'=a*x+y\ny'=-b*y\nz'=e*z\ninit x=c,y=d,z=1\naux seen=z*x\ndone\n"
    model = Model.from_text(text)
    every = range(5)
    assert only_initial(model, every) == ("c", "d")
    assert only_initial(model, [0, 3]) == ("d",)
    assert without_effect(model, every, ["x", "y", "z"]) == ("c", "d")
    assert without_effect(model, every, ["x"]) == ("c", "e"), "b and d count through y, which is integrated"
    assert without_effect(model, every, ["x", "seen"]) == ("c",)
    assert without_effect(model, [0, 1], ["y"]) == ("a",)


def test_parameters_without_effect_have_columns_of_zeros():
    text = "par a=1,b=2,c=3,d=4,e=5\nx'=a*x+y\ny'=-b*y\nz'=e*z\ninit x=c,y=d,z=1\ndone\n"
    model, parameters = of(text)
    case = lotka_volterra()
    jac = DerivativeFit(model, parameters, np.linspace(0, 2, 9), {"x": case.curves["y1"]}).evaluate(model.values).jac
    zero = [name for name, column in zip(model.parameters, jac.T, strict=True) if not column.any()]
    assert tuple(zero) == without_effect(model, range(5), ["x"])
