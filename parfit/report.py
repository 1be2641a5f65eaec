"""Results as text: pure functions of an environment or a part of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parfit.environment import Environment
from parfit.estimation import direct
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.model import Model
from parfit.model.observations import Observations
from parfit.model.simulation import Step, Trajectory
from parfit.records import OF_1977, Integration, Mark, Note, Options

Array = NDArray[np.float64]

LONGEST_NAME = 24  # of a parameter in a table; a longer one is cut, so that the rows fit a line
SCALINGS = {Scaling.NONE: "", Scaling.LOGARITHM: "log", Scaling.SQUARE_ROOT: "square root"}
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
    states = counted(len(model.states), "state variable")
    text = f"{model.name}: {states}, {counted(len(model.parameters), 'parameter')}"
    if data is None:
        return f"{text}, no observations"
    seen = counted(data.n_observations, "observation")
    return f"{text}, {seen} on {', '.join(data.names)} up to t = {number(data.times[-1])}"


# ---- parameters


def parameters(env: Environment) -> str:
    """The parameters with starting and current values, freezing and scaling."""
    return map_table(env.parameters, env.start)


def map_table(map_: ParameterMap, start: Array | None = None) -> str:
    """The parameters of a map: values, scaling, freezing and bounds."""
    n = len(map_.names)
    scaled = [_scaled(value, scaling) for value, scaling in zip(map_.full, map_.scaling, strict=True)]
    status = ["frozen" if k in map_.frozen else "" for k in range(n)]
    headings = ["", "parameter", "value"]
    names = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 2]}.." for name in map_.names]
    cells: list[Sequence[str]] = [[str(k + 1) for k in range(n)], names, [number(v) for v in map_.full]]
    if any(map_.scaling):
        headings += ["scaled value", "scaling"]
        cells += [scaled, [SCALINGS[s] for s in map_.scaling]]
    if any(status):
        headings, cells = [*headings, "status"], [*cells, status]
    if np.isfinite([map_.lower, map_.upper]).any():
        headings += ["from", "to"]
        cells += [[number(v) if np.isfinite(v) else "" for v in limits] for limits in (map_.lower, map_.upper)]
    if start is not None:
        headings, cells = [*headings, "started at"], [*cells, [number(v) for v in start]]
    left = [k for k, heading in enumerate(headings) if heading in ("parameter", "scaling", "status")]
    return columns(headings, cells, left)


def _scaled(value: float, scaling: Scaling) -> str:
    if scaling is Scaling.NONE:
        return ""
    return number(float(np.log(value) if scaling is Scaling.LOGARITHM else np.sqrt(value)))


def assignments(names: Sequence[str], values: Array) -> str:
    """Parameters with their values, on one line."""
    return ", ".join(f"{name} = {number(v)}" for name, v in zip(names, values, strict=True))


def marks(model: Model, kept: Sequence[Mark]) -> str:
    """The marks, one to a line."""
    return "\n".join(
        f"{mark.name}: {assignments(model.parameters, mark.values)}"
        + _known_sum(mark.sum_of_squares)
        + (f"; guessed {', '.join(mark.guesses)}" if mark.guesses else "")
        for mark in kept
    )


def _known_sum(total: float | None) -> str:
    if total is None:
        return ""
    return f"; sum of squares {number(total)}" if np.isfinite(total) else "; cannot be integrated there"


def notes(kept: Sequence[Note]) -> str:
    """The notes with their dates and the parameters of their moments."""
    return "\n".join(
        f"{note.time:%Y-%m-%d %H:%M}  {note.text}\n    at {assignments(note.names, note.values)}" for note in kept
    )


# ---- the twelve items of REPORT


def general(env: Environment) -> str:
    """Item 1."""
    observations = env.observations
    names = observations.names if observations is not None else ()
    n_times = np.unique(observations.times).size if observations is not None else 0
    rows = [
        ("NUMBER OF PARAMETERS", str(len(env.model.parameters))),
        ("NUMBER OF STATE VARIABLES", str(len(env.model.states))),
        ("NUMBER OF VARIABLES OBSERVED", str(len(names))),
        ("VARIABLES OBSERVED", " ".join(names) or "none"),
        ("NUMBER OF OBSERVATION TIMES", str(n_times)),
    ]
    return titled(f"GENERAL DATA: {env.model.name}", "\n".join(f"{label:30}{value}" for label, value in rows))


def observed(env: Environment) -> str:
    """Item 2."""
    env.require("observations")
    data = _observations(env)
    return titled("OBSERVATIONS", table(["t", *data.names], [data.times, *data.values.T]))


def parameter_values(env: Environment) -> str:
    """Item 3."""
    return titled("PARAMETERS", parameters(env))


def creation(env: Environment) -> str:
    """Item 4."""
    env.require("creation")
    assert env.creation is not None
    made = env.creation
    text = columns(
        ["", "parameter", "simulated at"],
        [[str(k + 1) for k in range(len(made.names))], made.names, [number(v) for v in made.values]],
        left=[1],
    )
    return titled(
        "CREATION OF THE OBSERVATIONS",
        f"{text}\nSTANDARD DEVIATION OF THE RANDOM ERROR  {number(made.sd)}\nSEED  {made.seed}",
    )


def states(env: Environment) -> str:
    """Item 5."""
    env.require("integration")
    assert env.integration is not None
    last = env.integration
    return titled(
        "SAMPLE TIMES AND STATE VARIABLES",
        f"INTEGRATION PARAMETERS\n{map_table(last.parameters)}\n\n{method(last.trajectory)}\n\n"
        f"{solution(last.trajectory)}{_ending(last.trajectory)}",
    )


def _ending(trajectory: Trajectory) -> str:
    return "" if trajectory.status else f"\nTHE INTEGRATION STOPPED: {trajectory.status}"


def smoothing(env: Environment) -> str:
    """Item 6."""
    env.require("smoothing")
    assert env.smoothing is not None
    kept, t = env.smoothing, env.samples.times
    parts = [f"LEAST SQUARES CUBIC {kept.kind.upper()}"]
    parts += [f"JOINTS FOR {name}: {' '.join(map(number, joints)) or 'none'}" for name, joints in kept.joints.items()]
    names = [part for name in kept.curves for part in (name, f"{name}'")]
    values = [curve(t, derivative) for curve in kept.curves.values() for derivative in (0, 1)]
    return titled("SMOOTHED OBSERVATIONS AND DERIVATIVES", "\n".join([*parts, table(["t", *names], [t, *values])]))


def jacobian(env: Environment) -> str:
    """Item 7: in full, or of the least-squares problem, as control parameter 3 says."""
    env.require("parameters", "integration", "jacobian")
    assert env.integration is not None
    last = env.integration
    head = f"INTEGRATION PARAMETERS\n{map_table(last.parameters)}\n"
    if env.options.jacobian:
        env.require("observations", "observation times")
        return titled("LEAST SQUARES JACOBIAN", f"{head}\n{_least_squares_jacobian(last, _observations(env))}")
    return titled("FULL JACOBIAN", f"{head}\n{_full_jacobian(last)}")


def _full_jacobian(last: Integration) -> str:
    """Derivatives of all states and aux quantities at all sample times, by the active parameters, scaled."""
    run, map_ = last.trajectory, last.parameters
    names = [*run.model.states, *(name for name, _ in run.model.aux)]
    blocks = np.stack([map_.chain(map_.start, run.sensitivity(name)) for name in names], axis=1)
    rows = blocks.reshape(-1, blocks.shape[2])
    times = [number(t) for t in run.times for _ in names]
    return _derivatives(times, list(names) * run.times.size, rows, map_)


def _least_squares_jacobian(last: Integration, data: Observations) -> str:
    """Derivatives of the weighted residuals."""
    rows = direct.jacobian(last.trajectory, last.parameters, data)
    at, which = np.nonzero(data.observed)
    return _derivatives([number(data.times[i]) for i in at], [data.names[j] for j in which], rows, last.parameters)


def _derivatives(times: Sequence[str], names: Sequence[str], rows: Array, map_: ParameterMap) -> str:
    known = [k for k, row in enumerate(rows) if not np.isnan(row).any()]
    labels = [_scaled_name(map_, k) for k in map_.active]
    cells = [[times[k] for k in known], [names[k] for k in known]]
    return columns(
        ["t", "of", *labels], [*cells, *([number(rows[k, j]) for k in known] for j in range(len(labels)))], left=[1]
    )


def _scaled_name(map_: ParameterMap, k: int) -> str:
    forms = {Scaling.NONE: "{}", Scaling.LOGARITHM: "log {}", Scaling.SQUARE_ROOT: "sqrt {}"}
    return "by " + forms[map_.scaling[k]].format(map_.names[k])


def details(env: Environment) -> str:
    """Item 8."""
    env.require("details")
    return titled("INTEGRATION AND OPTIMIZATION DETAILS", "\n".join(env.details))


def statistics(env: Environment) -> str:
    """Item 9."""
    env.require("statistics")
    return titled("STATISTICAL DATA", env.statistics)


def option_settings(env: Environment) -> str:
    """Item 10."""
    return titled("OPTION SETTINGS", options(env.options))


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


def weights(env: Environment) -> str:
    """Item 11."""
    env.require("observations")
    data = _observations(env)
    shown = np.where(data.observed, data.weights, np.nan)
    return titled("WEIGHTS", table(["t", *data.names], [data.times, *shown.T]))


def guesses(env: Environment) -> str:
    """Item 12."""
    env.require("guesses")
    t, parts = env.samples.times, []
    for name, guess in env.guesses.items():
        parts.append(f"GUESSED OBSERVATIONS ON {name}\n{table(['abscissae', 'ordinates'], [guess.t, guess.y])}\n")
        parts.append(table(["t", name, f"{name}'"], [t, guess.curve(t), guess.curve(t, 1)]) + "\n")
    return "\n".join(parts)


def _observations(env: Environment) -> Observations:
    assert env.observations is not None
    return env.observations


# ---- integrations


def solution(trajectory: Trajectory) -> str:
    """States and aux quantities at the times that were reached."""
    model = trajectory.model
    names = [*model.states, *(name for name, _ in model.aux)]
    reached = ~np.isnan(trajectory.y).any(axis=1)
    numbers = [trajectory.times, *(trajectory.column(name) for name in names)]
    return table(["t", *names], [column[reached] for column in numbers])


def method(trajectory: Trajectory) -> str:
    """How it was integrated."""
    how = trajectory.simulator.method
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
    return "" if total is None else f"SUM OF SQUARES OF THE RESIDUALS  {number(total)}"


# ---- data


def data_summary(env: Environment) -> str:
    """What was observed: how many values, between what times, of what size, how weighted."""
    data = _observations(env)
    rows = []
    for j, name in enumerate(data.names):
        seen = data.observed[:, j]
        v, w = data.values[seen, j], data.weights[seen, j]
        t = data.times[seen]
        missing = data.times.size - v.size
        if not v.size:
            rows.append([name, "0", str(missing), *[""] * 5])
            continue
        weight = number(w[0]) if (w == w[0]).all() else f"{number(w.min())} to {number(w.max())}"
        cells = [t[0], t[-1], v.min(), v.max()]
        rows.append([name, str(v.size), str(missing), *map(number, cells), weight])
    headings = ["observed", "values", "missing", "first t", "last t", "smallest", "largest", "weights"]
    replicated = data.times.size - np.unique(data.times).size
    text = columns(headings, list(zip(*rows, strict=True)), left=[0])
    repeats = "1 row repeats" if replicated == 1 else f"{replicated} rows repeat"
    notes = [f"{repeats} a time"] if replicated else []
    notes += ["standard deviations are given"] if data.sds is not None else []
    return "\n".join([text, *notes])
