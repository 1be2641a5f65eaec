"""Results as text: pure functions of an environment or a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parfit.arrays import Array
from parfit.estimation.diagnosis.standard_errors import StandardErrors
from parfit.estimation.parameters import ParameterMap
from parfit.model.model import Model
from parfit.model.naming import base_of, experiment_of, told_apart
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Note, Options
from parfit.session.results import Mark
from parfit.simulation.method import Method
from parfit.simulation.trajectory import Step, Trajectory

SCALED = "scaled value"  # a column that is left out where the table would be wider than a line
BOUNDS = ("from", "to")
WIDEST = 79
LONGEST_NAME = 24  # of a parameter in a table; a longer one is cut, so that the rows fit a line
CONTROLS: tuple[tuple[str, tuple[str, ...]], ...] = (  # their names, and what their values are called
    ("OUTPUT", ()),
    ("INT. OUTPUT IN OPT.", ("yes", "no")),
    ("JACOBIAN", ("full", "least squares")),
    ("GEAR'S METHOD", ("Adams", "stiff", "automatic")),
    ("EPS", ()),
    ("HMIN", ()),
    ("HMAX", ()),
    ("INTEGRATION PROCEDURE", ("", "Gear", "trapezoidal")),
)
DEFAULTS = (Options(), OF_1977)
OTHERS = {
    False: "What else has a default has today's; OPTION 1977 restores all defaults of the manual.",
    True: "What else has a default has the manual's; OPTION ACCURATE restores today's.",
}


# ---- numbers and tables


def number(value: float) -> str:
    """Seven significant digits, blank for what is not known."""
    return "" if np.isnan(value) else f"{value:.7g}"


def columns(headings: Sequence[str], cells: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Columns of text under their headings, to the right but for those in `left`."""
    texts = [[heading, *column] for heading, column in zip(headings, cells, strict=True)]
    widths = [max(map(len, column)) for column in texts]
    rows = [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in zip(*texts, strict=True)
    ]
    return "\n".join(row.rstrip() for row in rows)


def table(headings: Sequence[str], numbers: Sequence[Array]) -> str:
    """Numbers in columns that line up, under their headings."""
    return columns(headings, [[number(value) for value in column] for column in numbers])


def beside(first: str, second: str) -> str:
    """Two tables of as many rows, side by side."""
    left, right = first.split("\n"), second.split("\n")
    width = max(map(len, left))
    return "\n".join(f"{a:{width}}  {b}".rstrip() for a, b in zip(left, right, strict=True))


def titled(title: str, text: str) -> str:
    """A section of a report."""
    return f"{title}\n{text}\n"


def counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def opening(env: Environment) -> str:
    """A model and its data in a few lines."""
    model, data = env.model, env.observations
    states = counted(len((model.template or model).states), "state variable")
    text = f"{model.name}: {states}, {counted(len(model.parameters), 'parameter')}"
    if data is None:
        return f"{text}, no observations"
    several = f"{len(model.parts)} experiments, " if model.parts else ""
    seen = counted(data.n_observations, "observation")
    times = f"t = {number(model.t0)} to {number(data.times[-1])}"
    return f"{text}, {several}{seen} on {', '.join(dict.fromkeys(map(base_of, data.names)))}, {times}"


def heading(command: str, env: Environment) -> str:
    """What stands above a block of the report: the command with its answers, the model, the data, the method."""
    data = env.observations
    source = "NO DATA" if data is None else f"DATA {Path(data.source).name or 'without a file'}"
    return f"> {command.splitlines()[0]}\nMODEL {env.model.name}, {source}\n{described(env.options.method)}\n"


# ---- parameters


def parameters(env: Environment, names: Sequence[str] = ()) -> str:
    """The parameters with starting and current values, freezing and scaling; all, or those of some names."""
    return map_table(env.parameters, env.first_values, names=names)


def map_table(
    map_: ParameterMap, start: Array | None = None, errors: StandardErrors | None = None, names: Sequence[str] = ()
) -> str:
    """The parameters of a map: values, with standard errors if there are any, scaling, freezing and bounds."""
    n = len(map_.names)
    pairs = zip(map_.full, map_.scaling, strict=True)
    scaled = [number(scaling.scaled(float(value))) if scaling else "" for value, scaling in pairs]
    status = ["frozen" if k in map_.frozen else "" for k in range(n)]
    headings = ["", "parameter", "value"]
    short = told_apart(map_.names, LONGEST_NAME)
    cells: list[Sequence[str]] = [[str(k + 1) for k in range(n)], short, [number(v) for v in map_.full]]
    is_fitted = errors is not None and errors.lack is None
    if errors is not None and is_fitted:
        held = [word or error(v) for word, v in zip(status, errors.values, strict=True)]
        headings += ["standard error", "%"]
        cells += [held, [percent(v) for v in errors.relative(map_.full)]]
    if any(map_.scaling):
        headings += [SCALED, "scaling"]
        cells += [scaled, [s.word for s in map_.scaling]]
    if any(status) and not is_fitted:
        headings, cells = [*headings, "status"], [*cells, status]
    if np.isfinite([map_.lower, map_.upper]).any():
        headings += BOUNDS
        cells += [[number(v) if np.isfinite(v) else "" for v in limits] for limits in (map_.lower, map_.upper)]
    if start is not None:
        headings, cells = [*headings, "started at"], [*cells, [number(v) for v in start]]
    rows = [k for k in range(n) if not names or map_.names[k] in names]
    shown = [[column[k] for k in rows] for column in cells]
    table = _with_words_left(headings, shown)
    spare = [(SCALED,), *([BOUNDS] if is_fitted else [])]  # it follows from value and scaling; PARAMETERS shows them
    for names_ in spare:
        if max(map(len, table.split("\n"))) > WIDEST:
            kept = [k for k, heading in enumerate(headings) if heading not in names_]
            headings, shown = [headings[k] for k in kept], [shown[k] for k in kept]
            table = _with_words_left(headings, shown)
    return table


def _with_words_left(headings: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    left = [k for k, heading in enumerate(headings) if heading in ("parameter", "scaling", "status")]
    return columns(headings, cells, left)


def error(value: float) -> str:
    """A standard error with four digits."""
    return "not determined" if np.isinf(value) else "" if np.isnan(value) else f"{value:.4g}"


def percent(part: float) -> str:
    return f"{100.0 * part:.3g}" if np.isfinite(part) else ""


def assignments(names: Sequence[str], values: Array) -> str:
    """Parameters with their values, on one line."""
    return ", ".join(f"{name} = {number(v)}" for name, v in zip(names, values, strict=True))


def marks(env: Environment, kept: Sequence[Mark]) -> str:
    """The marks, one to a line; a sum of squares that was computed otherwise than it would be now is not shown."""
    return "\n".join(
        f"{mark.name}: {assignments(mark.names, mark.values)}"
        + _known_sum(mark.sum_of_squares, env.stale_sum(mark))
        + (f"; guessed {', '.join(mark.guesses)}" if mark.guesses else "")
        for mark in kept
    )


def _known_sum(total: float | None, stale: Sequence[str]) -> str:
    if total is None:
        return ""
    if stale:
        return f"; its sum of squares was computed with {' and '.join(stale)}"
    return f"; sum of squares {number(total)}" if np.isfinite(total) else "; cannot be integrated there"


def notes(kept: Sequence[Note]) -> str:
    """The notes with their dates and the parameters of their moments."""
    return "\n".join(
        f"{note.time:%Y-%m-%d %H:%M}  {note.text}\n    at {assignments(note.names, note.values)}" for note in kept
    )


# ---- control parameters


def options(settings: Options) -> str:
    """The control parameters with their defaults and those of the manual, and which of them the rest follows."""
    numbers = [str(k) for k in range(1, len(CONTROLS) + 1)]
    shown = [[_control(*each) for each in zip(CONTROLS, of.controls, strict=True)] for of in (settings, *DEFAULTS)]
    names = [name for name, _ in CONTROLS]
    table = columns(["", "control parameter", "value", "default", "manual"], [numbers, names, *shown], left=[1])
    return f"{table}\n{OTHERS[settings.of_1977]}"


def _control(control: tuple[str, tuple[str, ...]], value: float) -> str:
    _, words = control
    return f"{value:g} {words[int(value)]}" if words else limit(value)


def limit(value: float) -> str:
    """A number that may be infinite."""
    return number(value) if np.isfinite(value) else "none"


# ---- integrations


def solution(trajectory: Trajectory) -> str:
    """States and aux quantities at the times that were reached."""
    model = trajectory.model
    names = [*model.states, *(name for name, _ in model.aux)]
    reached = ~np.isnan(trajectory.y).all(axis=1)
    numbers = [trajectory.times, *(trajectory.column(name) for name in names)]
    return table(["t", *names], [column[reached] for column in numbers])


def method(trajectory: Trajectory) -> str:
    """How it was integrated."""
    return described(trajectory.simulator.method)


def described(how: Method) -> str:
    """A method of integration."""
    if how.procedure == "trapezoid":
        return "TRAPEZOIDAL METHOD ON THE SAMPLE TIMES, WITHOUT ERROR CONTROL"
    formula = {"adams": "ADAMS", "bdf": "STIFF", "auto": "AUTOMATIC CHOICE"}[how.formula]
    return f"GEAR'S METHOD ({formula}), EPS {number(how.eps)}, HMIN {number(how.h_min)}, HMAX {limit(how.h_max)}"


def work(trajectory: Trajectory) -> str:
    """What the integration took."""
    counts = trajectory.counts
    text = ", ".join(
        counted(n, what)
        for n, what in (
            (counts.steps, "step"),
            (counts.evaluations, "evaluation"),
            (counts.factorizations, "factorization"),
        )
    )
    if trajectory.stiff_time is not None:
        text += f"; found to be stiff at t = {trajectory.stiff_time:.4g}"
    return text


def steps(model: Model, taken: Sequence[Step]) -> list[str]:
    """Steps of an integration, as control parameter 1 asks for them."""
    if not taken:
        return ["NO STEP WAS COMPLETED"]
    y = np.array([step.y for step in taken])
    head = [np.array([getattr(step, name) for step in taken], dtype=float) for name in ("t", "h", "order")]
    return table(["t", "step", "order", *model.states], [*head, *y.T]).split("\n")


def sum_of_squares(env: Environment) -> str:
    """The sum of squares at the last integration, or why there is none."""
    total = env.sum_of_squares
    what = "BY THE LIKELIHOOD" if env.noise else "OF THE RESIDUALS"
    return "" if total is None else f"SUM OF SQUARES {what}  {number(total)}"


# ---- data


def data_summary(env: Environment) -> str:
    """What was observed: how many values, between what times, of what size, how weighted."""
    assert env.observations is not None
    data = env.observations
    rows = []
    for j, name in enumerate(data.names):
        seen = data.observed[:, j]
        v, w = data.values[seen, j], data.weights[seen, j]
        t = data.times[seen]
        together = [k for k, other in enumerate(data.names) if experiment_of(other) == experiment_of(name)]
        n_rows = np.count_nonzero(data.observed[:, together].any(axis=1)) if env.model.parts else data.times.size
        missing = int(n_rows) - v.size
        if not v.size:
            rows.append([data.label(name), "0", str(missing), *[""] * 5])
            continue
        weight = number(w[0]) if (w == w[0]).all() else f"{number(w.min())} to {number(w.max())}"
        cells = [t[0], t[-1], v.min(), v.max()]
        rows.append([data.label(name), str(v.size), str(missing), *map(number, cells), weight])
    headings = ["observed", "values", "missing", "first t", "last t", "smallest", "largest", "weights"]
    replicated = data.times.size - np.unique(data.times).size
    text = columns(headings, list(zip(*rows, strict=True)), left=[0])
    repeats = "1 row repeats" if replicated == 1 else f"{replicated} rows repeat"
    notes = [f"{repeats} a time"] if replicated else []
    notes += [f"the time is column {data.label('t')}"] if "t" in data.labels else []
    notes += ["standard deviations are given"] if data.sds is not None else []
    return "\n".join([text, *notes])
