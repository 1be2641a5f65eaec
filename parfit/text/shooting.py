"""What is reported of a fit by multiple shooting: the table of PEIDE (1975, appendix II), and the problems before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.errors import NumericalError
from parfit.estimation.problems.restarting import Restart
from parfit.estimation.strategies.shoot import Result, Weighting
from parfit.estimation.strategies.shooting_sequence import Stage, StageSequence
from parfit.session.environment import Environment
from parfit.spectrum import singular_values
from parfit.text import report


def sequence_text(sequence: StageSequence, env: Environment) -> str:
    """What PEIDE prints of its end (appendix II), the problems on the way, and the parameters."""
    last = sequence.last
    found = last.result.evaluation
    rows = [
        ("EUCL. NORM OF THE LAST RESIDUAL VECTOR", _norm(found.sum_of_squares)),
        ("EUCL. NORM OF THE FIRST RESIDUAL VECTOR", _norm(sequence.first)),
        ("NUMBER OF INTEGRATIONS PERFORMED", str(sequence.n_integrations)),
        ("LAST IMPROVEMENT OF THE EUCLIDEAN NORM", report.number(last.improvement)),
        ("CONDITION NUMBER OF J'J", report.number(condition_number(found.jac)) if found.usable else "not known"),
    ]
    needless = (
        [f"NEEDLESS BREAK POINTS: {' '.join(map(report.number, sequence.needless))}"] if sequence.needless else []
    )
    return "\n".join(
        [
            "MULTIPLE SHOOTING",
            _stages(sequence.stages),
            *needless,
            f"THE LAST PROBLEM, WITHOUT BREAK POINTS, ENDED BECAUSE {last.result.ending.value}",
            *(f"{label:42}{value}" for label, value in rows),
            f"SUM OF SQUARES OF THE RESIDUALS {report.number(found.sum_of_squares)}",
            f"{report.parameters(env)}\n",
        ]
    )


def _norm(total: float) -> str:
    return report.number(float(np.sqrt(total))) if np.isfinite(total) else "not known: the integration failed"


def _stages(stages: Sequence[Stage]) -> str:
    """One line for each problem."""
    rows = [
        (
            str(stage.weight) if stage.weight else "full",
            str(len(stage.times)),
            str(stage.n_integrations),
            report.number(stage.result.evaluation.sum_of_squares),
            report.number(stage.gap) if stage.weight else "",
            stage.result.ending.name.lower().replace("_", " "),
        )
        for stage in stages
    ]
    headings = ["weight", "break points", "integrations", "sum of squares", "largest gap", "ended"]
    return report.columns(headings, list(zip(*rows, strict=True)), left=[5])


def condition_number(jac: Array) -> float:
    """The ratio of the largest to the smallest eigenvalue of J'J (PEIDE, out[7])."""
    s = singular_values(jac)
    with np.errstate(over="ignore"):  # what is too large for a number is infinite
        return float((s[0] / s[-1]) ** 2) if s[-1] > 0.0 else np.inf


# ---- what begins anew, and how it ended


def heading(at: Weighting) -> str:
    """Which problem of the sequence is minimized."""
    if not at.weight:
        return "MINIMIZATION WITHOUT BREAK POINTS"
    times = " ".join(map(report.number, at.times))
    return f"MINIMIZATION WITH WEIGHT {at.weight} AND BREAK POINTS AT {times}"


def break_points(env: Environment, restarts: Sequence[Restart]) -> Iterator[str]:
    """Where the break points are, and what does not begin anew at them as one might expect."""
    assert env.observations is not None
    if not restarts:
        yield "NO BREAK POINTS"
        return
    names = env.model.states
    times = sorted({each.time for each in restarts})
    yield f"BREAK POINTS AT t = {' '.join(map(report.number, times))}"
    for i, name in enumerate(names):
        anew = {each.time: each.observed for each in restarts if each.state == i}
        between = [report.number(time) for time, seen in anew.items() if not seen]
        across = [report.number(time) for time in times if time not in anew]
        if not anew:
            yield f"{name} was not observed there: it continues across the break points"
        elif across:
            yield f"{name} was not observed before and after t = {' '.join(across)}: it continues there"
        if between:
            yield f"{name} was not observed at t = {' '.join(between)}: it begins between its neighbours there"
    for name in env.observations.names:
        if name not in names:
            yield f"{name} is computed from the states and cannot begin anew: it is compared with its observations"


def failure(sequence: StageSequence) -> NumericalError:
    """Not even the first problem could be integrated."""
    stage = sequence.stages[0]
    status = stage.result.evaluation.status
    if stage.times:
        return NumericalError(
            f"the equations cannot be integrated from break point to break point at the starting values: {status}",
            "give more break points, or SET other values",
        )
    return NumericalError(
        f"the equations cannot be integrated at the starting values: {status}",
        "give break points, or SET other values",
    )


def early_text(result: Result) -> str:
    """The report on an early end: after how many steps, and how the full problem fares there."""
    at, where = result.full, "" if result.ended_in is None else heading(result.ended_in)
    total = report.number(at.sum_of_squares) if at.usable else "not known: the integration failed"
    return (
        f"MULTIPLE SHOOTING, ENDED AFTER {report.counted(result.n_steps, 'step')}, IN {where}\n"
        f"SUM OF SQUARES OF THE FULL PROBLEM THERE {total}\n{report.parameters(result.env)}\n"
    )
