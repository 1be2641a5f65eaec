"""Fits compared: a table, and what it means."""

from __future__ import annotations

from collections.abc import Iterator

from parfit.estimation.strategies.compare import Comparison, FTest
from parfit.text.report import columns, counted, number

CLEAR = 0.95  # of the Akaike weights: a model that has so much of them stands alone
SIGNIFICANT = 0.05


def comparison(found: Comparison) -> str:
    """The candidates, the best first, with what speaks for each; then the F tests."""
    best = found.candidates[0]
    rows = [
        [
            each.name,
            each.model,
            str(each.n_parameters),
            number(each.sum_of_squares),
            *(f"{value:.5g}" for value in (each.criteria.aic, each.criteria.aicc, each.criteria.bic)),
            f"{weight:.3f}",
        ]
        for each, weight in zip(found.candidates, found.weights, strict=True)
    ]
    headings = ["mark", "model", "parameters", "sum of squares", "AIC", "AICc", "BIC", "weight"]
    criterion = "AICc" if found.is_corrected else "AIC"
    lines = [
        columns(headings, list(zip(*rows, strict=True)), left=[0, 1]),
        f"{counted(found.n_observations, 'observation')}; the best by {criterion} stands first, and its weight is the "
        "share of the evidence that speaks for it",
        *_counted(found),
    ]
    if found.weights[0] > CLEAR:
        lines.append(f"{best.name} is clearly the best of these")
    elif len(found.candidates) > 1:
        lines.append(f"{found.candidates[1].name} is nearly as good as {best.name}: the data do not decide")
    return "\n".join([*lines, *(_test(each) for each in found.tests)])


def _counted(found: Comparison) -> Iterator[str]:
    """What criteria count beside the parameters."""
    more = {each.name: each.criteria.n_parameters - each.n_parameters for each in found.candidates}
    which = set(more.values())
    if which == {0}:
        return
    said = ", ".join(f"{name} {n}" for name, n in more.items()) if len(which) > 1 else f"{which.pop()} in each"
    yield f"beside the parameters, AIC, AICc and BIC count standard deviations that were estimated: {said}"


def _test(found: FTest) -> str:
    meaning = "better than chance explains" if found.p < SIGNIFICANT else "no better than chance explains"
    a, b = found.freedom
    return (
        f"F test, if {found.small} is a special case of {found.large}: F({a}, {b}) = {found.ratio:.4g}, "
        f"p = {found.p:.3g}; {found.large} fits {meaning}"
    )
