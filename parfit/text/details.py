"""What was tried, written out as the listing of 1977 does to its file -SC1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.estimation.strategies.fit import Stage
from parfit.estimation.trace import Steps, Trace, Tried
from parfit.model.model import Model
from parfit.session.records import Continuation
from parfit.simulation.status import Status
from parfit.text import report


def written_out(model: Model, details: Sequence[object]) -> list[str]:
    """The lines of all that was kept of an integration or optimization."""
    return [line for each in details for line in _lines(model, each)]


def _lines(model: Model, detail: object) -> list[str]:
    from parfit.estimation.strategies.curve_fit import Solved
    from parfit.text import curve_fit

    if isinstance(detail, Solved):
        return [curve_fit.solved(detail)]
    if isinstance(detail, Steps):
        return report.steps(model, detail.taken)
    if not isinstance(detail, Trace):
        return [str(detail)]
    title = heading(detail.about)
    first = f"INITIAL {detail.measure.upper()} IS {report.number(detail.first)}"
    trials = [line for each in detail.tried for line in _tried(model, each, detail.measure)]
    return [*([title] if title else []), first, *trials]


def _tried(model: Model, each: Tried, measure: str) -> list[str]:
    steps = [] if each.steps is None else report.steps(model, each.steps)
    return [trial_text(each.p, each.lam, each.part, each.total, each.status, measure, each.looseness), *steps]


def trial_text(
    p: Array, lam: float, part: float, total: float, status: Status, measure: str, looseness: float = 1.0
) -> str:
    """A trial on one line: the lambda and the part of the step, if there are any, the point, and what came of it.

    Where errors were allowed to be larger than EPS it says so: the same trial may follow without.
    """
    outcome = f"{measure.upper()} {report.number(total)}" if np.isfinite(total) else str(status)
    parameters = " ".join(report.number(value) for value in p)
    shortened = "" if part == 1.0 else f", PART {report.number(part)} OF THE STEP"
    damped = f"LAMBDA {report.number(lam)}{shortened}, " if lam else ""
    rough = f" (WITH {looseness:.3g} TIMES EPS)" if looseness > 1.0 else ""
    return f"TRIAL {damped}PARAMETERS {parameters}: {outcome}{rough}"


def heading(about: object) -> str:
    """Which problem of several was minimized; nothing where there is one."""
    if about is None or isinstance(about, Stage):
        return ""
    if isinstance(about, Continuation):
        return _of_continuation(about)
    return _of_strategy(about)


def _of_strategy(about: object) -> str:
    """Of those strategies that a FIT does not wait for."""
    from parfit.estimation.strategies.curve_fit import Solved
    from parfit.estimation.strategies.seq import Place
    from parfit.estimation.strategies.shoot import Weighting
    from parfit.text import curve_fit, seq, shooting

    if isinstance(about, Solved):
        return curve_fit.solved(about)
    if isinstance(about, Weighting):
        return shooting.heading(about)
    return seq.heading(about) if isinstance(about, Place) else ""


def _of_continuation(settings: Continuation) -> str:
    """Gamma and the break points on one line."""
    text = f"CONTINUATION PARAMETER {report.number(settings.gamma)}, "
    if not settings.breaks:
        return f"{text}NO BREAK POINTS"
    parts = [" ".join(map(report.number, each)) for each in (settings.breaks, settings.alpha, settings.weights)]
    return "{}BREAK POINTS AT {}, ALPHA {}, WEIGHTS {}".format(text, *parts)
