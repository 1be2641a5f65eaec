"""What is said of a continuation: the values of gamma that were reached, and what helps where one was not."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.estimation.problem import Ending, Evaluation
from parfit.estimation.strategies.contin import (
    Failure,
    Reached,
    Request,
    Result,
    clauses,
    remembered,
    with_breaks,
)
from parfit.session.environment import Environment
from parfit.session.questions import plain
from parfit.session.records import Continuation
from parfit.simulation.status import Reason, Status
from parfit.text import report

FAILS = "go on with another gamma or other break points"


def result_text(result: Result) -> str:
    """What goes to the report: a table if there are several values, and the parameters at the last."""
    last = result.reached[-1]
    table = [f"{_table(result.env, result.reached)}\n"] if len(result.reached) > 1 else []
    total = f"{title(last)}: SUM OF SQUARES {report.number(last.sum_of_squares)}"
    return "\n".join([*table, f"{total}\n{report.parameters(last.env)}\n"])


def title(last: Reached) -> str:
    return f"CONTIN, GAMMA {report.number(last.gamma)}"


def _table(env: Environment, reached: Sequence[Reached]) -> str:
    """As Table 3.5.1: the values of gamma, the parameters, and whether the full problem can be integrated."""
    cells = [
        [report.number(each.gamma) for each in reached],
        *([report.number(each.env.values[k]) for each in reached] for k in range(len(env.values))),
        [report.number(each.sum_of_squares) for each in reached],
        ["" if each.full is None else _sum(each.full) for each in reached],
    ]
    return report.columns(["gamma", *env.model.parameters, "sum of squares", "full problem"], cells)


def _sum(full: Evaluation) -> str:
    return report.number(full.sum_of_squares) if full.usable else "unstable"


# ---- after each value of gamma


def ending(env: Environment, found: Reached, before: float) -> str:
    """Why the search with a value of gamma ended, unless it converged; `before` is the value before it."""
    why = found.result.ending
    if found.is_accepted:
        return f"ACCEPTED after {report.counted(found.result.n_iterations, 'step')}; UNDO goes back"
    if why is Ending.CONVERGED:
        return ""
    if why is Ending.ERRORS and found.failed is not None:
        advice = remedies(env, found.settings, before, found.failed)
        return f"STOPPED: {why.value}: {found.failed}; {advice}"
    return f"STOPPED: {why.value}; give the command again to go on from here"


def failure(found: Failure) -> str:
    """What went wrong with a value of gamma, and the one that follows."""
    text = f"gamma {report.number(found.gamma)}: {found.ending.value}: {found.status}"
    return text if found.following is None else f"{text}; now {report.number(found.following)}"


# ---- proposals


def remedies(env: Environment, settings: Continuation, reached: float, status: Status) -> str:
    """What to do where the equations cannot be integrated, as commands."""
    found, curves = [], env.curves()
    if settings.gamma > reached and all(name in curves for name in env.model.states):
        lower = float(f"{(settings.gamma + reached) / 2:.3g}")
        found.append(f"lower gamma ({shortest(env, Request((lower,), settings))})")
    place = None if status.reason is Reason.START else _place(env, settings, status.time)
    if place is not None:
        more = Request((settings.gamma,), with_breaks(settings, sorted([*settings.breaks, place])))
        found.append(f"add a break point at t = {report.number(place)} ({shortest(env, more)})")
    return " or ".join(found) or "insert sample times there (SAMPLE INSERT), or begin from other values (IFIT)"


def shortest(env: Environment, request: Request) -> str:
    """The shortest line that does it after what is remembered."""
    old, settings = remembered(env), request.settings
    known = clauses(env, with_breaks(old, settings.breaks))
    known["BREAKS"] = clauses(env, old)["BREAKS"]
    needed = {word: text for word, text in clauses(env, settings).items() if known[word] != text}
    if "BREAKS" in needed and len(settings.breaks) == env.samples.times.size - 2:
        needed["BREAKS"] = "BREAKS ALL"
    return " ".join(["CONTIN", *map(plain, request.gammas), *needed.values()])


def _place(env: Environment, settings: Continuation, time: float) -> float | None:
    """The last sample time before a failure where there is no break point yet."""
    inner = env.samples.times[1:-1]
    before = inner[inner < time]
    if not before.size or before[-1] in settings.breaks:
        return None
    return float(before[-1])
