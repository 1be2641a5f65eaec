"""The twelve items of REPORT as text (Appendix A, REPORT)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems import trajectory_fit
from parfit.model.naming import base_of
from parfit.session.environment import Environment
from parfit.session.records import Display
from parfit.session.results import OF_JACOBIANS, Integration
from parfit.simulation.trajectory import Trajectory
from parfit.text import report
from parfit.text.details import written_out
from parfit.text.diagnosis.statistics import statistics_text
from parfit.text.options import display_text
from parfit.text.report import columns, map_table, method, number, solution, table, titled


def general(env: Environment) -> str:
    """Item 1."""
    observations = env.observations
    names = dict.fromkeys(map(base_of, observations.names)) if observations is not None else ()
    n_times = np.unique(observations.times).size if observations is not None else 0
    rows = [
        ("NUMBER OF PARAMETERS", str(len(env.model.parameters))),
        ("NUMBER OF STATE VARIABLES", str(len((env.model.template or env.model).states))),
        *([("NUMBER OF EXPERIMENTS", str(len(env.model.parts)))] if env.model.parts else []),
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
    return titled("PARAMETERS", report.parameters(env))


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
        f"{solution(last.trajectory)}{_ending(last.trajectory)}{_since(env.stale())}",
    )


def _since(stale: Sequence[str]) -> str:
    """What is not any more as it was when something was computed."""
    return f"\nTHIS WAS COMPUTED WITH {' AND '.join(stale).upper()}" if stale else ""


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
    stale = _since(env.stale(OF_JACOBIANS))
    head = f"INTEGRATION PARAMETERS\n{map_table(last.parameters)}\n\n{method(last.trajectory)}{stale}\n"
    if env.options.jacobian:
        env.require("observations", "observation times")
        return titled("LEAST SQUARES JACOBIAN", f"{head}\n{_least_squares_jacobian(last, _observations(env))}")
    return titled("FULL JACOBIAN", f"{head}\n{_full_jacobian(last)}")


def _full_jacobian(last: Integration) -> str:
    """Derivatives of all states and aux quantities at all sample times, by the active parameters, scaled."""
    run, map_ = last.trajectory, last.parameters
    names = [*run.model.states, *(name for name, _ in run.model.aux)]
    blocks = np.stack([map_.chain(map_.point, run.sensitivity(name)) for name in names], axis=1)
    rows = blocks.reshape(-1, blocks.shape[2])
    times = [number(t) for t in run.times for _ in names]
    return _derivatives(times, list(names) * run.times.size, rows, map_)


def _least_squares_jacobian(last: Integration, data: Observations) -> str:
    """Derivatives of the weighted residuals."""
    rows = trajectory_fit.jacobian(last.trajectory, last.parameters, data)
    at, which = np.nonzero(data.observed)
    return _derivatives([number(data.times[i]) for i in at], [data.names[j] for j in which], rows, last.parameters)


def _derivatives(times: Sequence[str], names: Sequence[str], rows: Array, map_: ParameterMap) -> str:
    known = [k for k, row in enumerate(rows) if not np.isnan(row).any()]
    labels = [f"by {label}" for label in map_.labels]
    cells = [[times[k] for k in known], [names[k] for k in known]]
    return columns(
        ["t", "of", *labels],
        [*cells, *([number(rows[k, j]) for k in known] for j in range(len(labels)))],
        left=[1],
    )


def details(env: Environment) -> str:
    """Item 8."""
    env.require("details")
    return titled("INTEGRATION AND OPTIMIZATION DETAILS", "\n".join(written_out(env.model, env.details)))


def statistics(env: Environment) -> str:
    """Item 9."""
    env.require("statistics")
    assert env.statistics is not None
    return titled("STATISTICAL DATA", statistics_text(env.statistics))


def option_settings(env: Environment) -> str:
    """Item 10."""
    shown = "" if env.display == Display() else f"\n{display_text(env.display)}"
    return titled("OPTION SETTINGS", report.options(env.options) + shown)


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
