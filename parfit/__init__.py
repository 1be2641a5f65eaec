"""PARFIT: fit the parameters of ordinary differential equations to data.

>>> import parfit
>>> problem = parfit.load("models/tour.ode", "models/tour.csv")
>>> run = problem.simulate([1, 2, 5], p1=3, sensitivities=True)
>>> run.y.shape, run.s.shape, bool(run.status)
((3, 2), (3, 2, 6), True)

Names are imported when they are first used, so that `import parfit` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_HOMES = {
    "Blended": "parfit.simulation.blending",
    "Curve": "parfit.model.curves",
    "DataError": "parfit.errors",
    "Fit": "parfit.api.fit",
    "Interrupted": "parfit.api.progress",
    "Method": "parfit.simulation.method",
    "Model": "parfit.model.model",
    "ModelError": "parfit.errors",
    "Observations": "parfit.data.observations",
    "ParfitError": "parfit.errors",
    "Problem": "parfit.api.problem",
    "Progress": "parfit.api.progress",
    "Session": "parfit.api.session",
    "Simulator": "parfit.simulation.simulator",
    "Trajectory": "parfit.simulation.trajectory",
    "functions": "parfit.model.language.functions",
    "load": "parfit.api.problem",
    "load_data": "parfit.data.loading",
    "load_model": "parfit.formats.kinds",
    "simulate": "parfit.simulation.simulator",
    "where": "parfit.model.language.functions",
}
_ORIGINAL = {"load_data": "read_data", "load_model": "read_model"}

__all__ = [
    "Blended",
    "Curve",
    "DataError",
    "Fit",
    "Interrupted",
    "Method",
    "Model",
    "ModelError",
    "Observations",
    "ParfitError",
    "Problem",
    "Progress",
    "Session",
    "Simulator",
    "Trajectory",
    "functions",
    "load",
    "load_data",
    "load_model",
    "simulate",
    "where",
]

if TYPE_CHECKING:
    from parfit.api.fit import Fit
    from parfit.api.problem import Problem, load
    from parfit.api.progress import Interrupted, Progress
    from parfit.api.session import Session
    from parfit.data.loading import read_data as load_data
    from parfit.data.observations import Observations
    from parfit.errors import DataError, ModelError, ParfitError
    from parfit.formats.kinds import read_model as load_model
    from parfit.model.curves import Curve
    from parfit.model.language import functions
    from parfit.model.language.functions import where
    from parfit.model.model import Model
    from parfit.simulation.blending import Blended
    from parfit.simulation.method import Method
    from parfit.simulation.simulator import Simulator, simulate
    from parfit.simulation.trajectory import Trajectory


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'parfit' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = home if name == "functions" else getattr(home, _ORIGINAL.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
