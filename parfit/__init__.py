"""PARFIT: fit the parameters of ordinary differential equations to data.

    import parfit
    model = parfit.load_model("models/predator-prey.ode")
    run = parfit.simulate(model, times=[1, 2, 5], sensitivities=True)
    run.y, run.s, run.status

Names are imported when they are first used, so that `import parfit` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Blended": "parfit.model.simulation",
    "Curve": "parfit.model.curves",
    "DataError": "parfit.errors",
    "Method": "parfit.model.method",
    "Model": "parfit.model.model",
    "ModelError": "parfit.errors",
    "Observations": "parfit.model.observations",
    "ParfitError": "parfit.errors",
    "Simulator": "parfit.model.simulation",
    "Trajectory": "parfit.model.simulation",
    "functions": "parfit.model.functions",
    "load_data": "parfit.model.data",
    "load_model": "parfit.model.reader",
    "simulate": "parfit.model.simulation",
    "where": "parfit.model.functions",
}
_ORIGINAL = {"load_data": "read_data", "load_model": "read_model"}

__all__ = [
    "Blended",
    "Curve",
    "DataError",
    "Method",
    "Model",
    "ModelError",
    "Observations",
    "ParfitError",
    "Simulator",
    "Trajectory",
    "functions",
    "load_data",
    "load_model",
    "simulate",
    "where",
]

if TYPE_CHECKING:
    from parfit.errors import DataError, ModelError, ParfitError
    from parfit.model import functions
    from parfit.model.curves import Curve
    from parfit.model.data import read_data as load_data
    from parfit.model.functions import where
    from parfit.model.method import Method
    from parfit.model.model import Model
    from parfit.model.observations import Observations
    from parfit.model.reader import read_model as load_model
    from parfit.model.simulation import Blended, Simulator, Trajectory, simulate


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'parfit' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = home if name == "functions" else getattr(home, _ORIGINAL.get(name, name))
    globals()[name] = value
    return value
