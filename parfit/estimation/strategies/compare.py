"""Fits of several models to the same data, compared by the criteria of information and, where nested, by an F test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.estimation.diagnosis.information import Criteria, criteria, of_deviance
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.session.environment import Environment
from parfit.session.records import Options, Samples
from parfit.session.results import Basis, Mark, differences

SAME_FIT = ("model", "data", "weights", "values", "freezing", "noise", "loss")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A fit that takes part."""

    name: str
    model: str
    n_parameters: int  # that the data determine, of those that were fitted
    sum_of_squares: float
    criteria: Criteria


@dataclass(frozen=True, eq=False)
class FTest:
    """Whether the larger of two nested models fits better than chance explains (the extra sum of squares)."""

    small: str
    large: str
    ratio: float
    freedom: tuple[int, int]
    p: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Fits to the same observations, the best first by AICc, or by AIC where that is infinite."""

    candidates: tuple[Candidate, ...]
    weights: Array  # of Akaike, (n_candidates,)
    tests: tuple[FTest, ...]
    n_observations: int
    is_corrected: bool  # whether AICc decides


def compare(marks: Sequence[Mark]) -> Comparison:
    """Compare the fits that were marked; what cannot be compared is refused."""
    bases = [_basis(mark) for mark in marks]
    first = bases[0]
    for mark, basis in zip(marks[1:], bases[1:], strict=True):
        other = differences(first, basis, ("data", "weights"))  # the likelihood compares whatever the noise is
        if other:
            raise StateError(f"{marks[0].name} and {mark.name} have {' and '.join(other)}: they do not compare")
    data = first.observations
    assert data is not None
    n = int(np.count_nonzero(data.weights[data.observed]))
    constant = _constant(data) if any(basis.noise for basis in bases) else 0.0
    is_known = _has_known_errors(data)
    found = [_candidate(mark, basis, n, is_known, constant) for mark, basis in zip(marks, bases, strict=True)]
    is_corrected = all(np.isfinite(each.criteria.aicc) for each in found)
    values = np.array([each.criteria.aicc if is_corrected else each.criteria.aic for each in found])
    order = np.argsort(values, kind="stable")
    weights = np.exp(-0.5 * (values - values.min()))[order]
    tests = [
        _f_test(found[i], found[j], n)
        for i in range(len(found))
        for j in range(len(found))
        if _is_nested(bases[i], bases[j]) and found[i].n_parameters < found[j].n_parameters < n
    ]
    return Comparison(tuple(found[k] for k in order), weights / weights.sum(), tuple(tests), n, is_corrected)


def distinct(marks: Sequence[Mark]) -> tuple[list[Mark], list[tuple[Mark, Mark]]]:
    """Each fit once, and those that are another one over again, with that one."""
    different: list[Mark] = []
    same = []
    for mark in marks:
        first = next((other for other in different if _is_same(other, mark)), None)
        if first is None:
            different.append(mark)
        else:
            same.append((mark, first))
    return different, same


def _is_same(one: Mark, other: Mark) -> bool:
    if one.basis is None or other.basis is None or one.sum_of_squares is None or other.sum_of_squares is None:
        return False
    return not differences(one.basis, other.basis, SAME_FIT)


def _basis(mark: Mark) -> Basis:
    if mark.basis is None or mark.basis.observations is None or mark.sum_of_squares is None:
        raise StateError(f"the sum of squares of {mark.name} is not known", "FIT or INTEG before MARK")
    if mark.loss or not np.isfinite(mark.sum_of_squares):
        raise StateError(f"{mark.name} is no least-squares fit, so that it does not compare")
    return mark.basis


def _constant(data: Observations) -> float:
    """What F, or n log F/n, lacks to be -2 log L as that of noise models is counted."""
    weights = data.weights[data.observed & (data.weights != 0.0)]
    known = weights.size if _has_known_errors(data) else 0
    return float(-2.0 * np.log(weights).sum()) - known


def _candidate(mark: Mark, basis: Basis, n: int, has_known_errors: bool, constant: float) -> Candidate:
    k = _n_determined(basis)
    assert mark.sum_of_squares is not None
    found = _by_likelihood(mark.sum_of_squares, basis, n, k) or criteria(
        mark.sum_of_squares, n, k, has_known_errors, constant
    )
    if found is None:
        raise StateError(f"{mark.name} fits the data exactly, so that there is nothing to compare")
    return Candidate(mark.name, basis.model.name, k, mark.sum_of_squares, found)


@np.errstate(all="ignore")
def _n_determined(basis: Basis) -> int:
    """How many combinations of the fitted parameters the data determine, as STATS counts them."""
    data = basis.observations
    assert data is not None
    times = np.union1d(basis.times, data.times[np.isfinite(data.times)])
    options = Options(method=basis.method)
    env = Environment(basis.model, basis.parameters, basis.values, Samples(times), data, options, noise=basis.noise)
    problem = env.problem()
    at = problem.evaluate(basis.parameters.point)
    return problem.freedom(at).rank if at.usable else len(basis.parameters.active)


def _by_likelihood(total: float, basis: Basis, n: int, k: int) -> Criteria | None:
    """The criteria of a fit with noise models or priors, by its likelihood without the priors, as FIT tells it."""
    if not basis.noise or basis.observations is None or not total > 0.0:
        return None
    rows = NoiseRows(basis.noise, basis.observations)
    estimated = [group for group in rows.groups if group.is_estimated]
    values = dict(zip(basis.model.parameters, basis.values.tolist(), strict=True))
    penalty = sum(prior.row(values[name])[0] ** 2 for name, prior in basis.noise.felt.items())
    deviance = rows.scale.deviance(total) - penalty - 2.0 * rows.log_weights
    return of_deviance(deviance, n, k + len(estimated))


def _has_known_errors(data: Observations) -> bool:
    """Whether the weights are the reciprocals of known standard deviations."""
    if data.sds is None:
        return False
    seen = data.observed & (data.weights != 0.0)
    return bool(np.array_equal(data.weights[seen], 1.0 / data.sds[seen]))


def _is_nested(small: Basis, large: Basis) -> bool:
    """Whether the fitted parameters of one are some of those of the other, in the same model or a larger one."""
    fitted = [{each.parameters.names[k].lower() for k in each.parameters.active} for each in (small, large)]
    return fitted[0] < fitted[1] and small.noise == large.noise


def _f_test(small: Candidate, large: Candidate, n: int) -> FTest:
    from scipy.stats import f  # takes as long as all the rest of a start

    freedom = large.n_parameters - small.n_parameters, n - large.n_parameters
    gain = max(small.sum_of_squares - large.sum_of_squares, 0.0)
    with np.errstate(divide="ignore"):
        ratio = float(np.divide(gain / freedom[0], large.sum_of_squares / freedom[1]))
    return FTest(small.name, large.name, ratio, freedom, float(f.sf(ratio, *freedom)))
