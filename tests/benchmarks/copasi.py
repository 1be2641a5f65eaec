"""A model with its data as a parameter estimation of COPASI, through basico (`pip install parfit[benchmark]`).

States become global quantities with differential equations, the quantities of the model assignments. Time is counted
from the initial time of the model, for COPASI begins at 0. A weight of ours multiplies the residual, one of COPASI
its square.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import basico
import COPASI
import numpy as np
import pandas as pd

from parfit import Model
from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.model.language.expression import Expression
from parfit.model.language.writing import expression_text

METHOD = "Levenberg - Marquardt"


class Estimation:
    """A parameter estimation that can be run again and again from the same start."""

    def __init__(
        self,
        model: Model,
        observations: Observations,
        active: Sequence[int],
        rtol: float,
        atol: float,
        folder: Path,
    ):
        self._data_model = basico.new_model(name=model.name)
        _add_model(model)
        basico.set_task_settings(
            "Time-Course",
            {"method": {"name": "Deterministic (LSODA)", "Relative Tolerance": rtol, "Absolute Tolerance": atol}},
        )
        _add_data(model, observations, self._data_model, folder)
        basico.set_fit_parameters([_item(model, k) for k in active])
        basico.set_task_settings(
            "Parameter Estimation",
            {
                "problem": {"Randomize Start Values": False, "Calculate Statistics": False},
                "method": {"name": METHOD, "Iteration Limit": 2000},
            },
        )
        self._task = self._data_model.getTask("Parameter Estimation")
        self.ready = float("inf")  # least seconds that it took to initialize the task

    def run(self) -> float:
        """Seconds that the estimation takes, without reading the data and preparing the task."""
        start = process_time()
        if not self._task.initializeRaw(COPASI.CCopasiTask.NO_OUTPUT):
            raise RuntimeError(COPASI.CCopasiMessage.getAllMessageText())
        self.ready = min(self.ready, process_time() - start)
        start = process_time()
        self._task.processRaw(True)
        seconds = process_time() - start
        self._task.restore(True)
        return seconds

    @property
    def solution(self) -> Array:
        """The active parameters that the last run found."""
        found = self._task.getProblem().getSolutionVariables(False)
        return np.array([found.get(k) for k in range(found.size())])

    @property
    def total(self) -> float:
        """The sum of squares by COPASI's reckoning."""
        return float(self._task.getProblem().getSolutionValue())

    @property
    def n_evaluations(self) -> int:
        return int(self._task.getProblem().getFunctionEvaluations())

    def close(self) -> None:
        basico.remove_datamodel(self._data_model)


def _add_model(model: Model) -> None:
    for name, value in zip(model.parameters, model.values, strict=True):
        basico.add_parameter(name, initial_value=float(value))
    for name in model.states:
        basico.add_parameter(name, initial_value=0.0)
    for name, node in model.quantities:
        basico.add_parameter(name, type="assignment", expression=_text(model, node))
    for name, node, initial in zip(model.states, model.equations, model.initial, strict=True):
        begin = _text(model, initial, ".InitialValue")
        start = {"initial_expression": begin} if "Values" in begin else {"initial_value": float(begin)}
        basico.set_parameters(name, exact=True, type="ode", expression=_text(model, node), **start)


def _text(model: Model, node: Expression, suffix: str = "") -> str:
    """An expression as COPASI reads it: the names of objects stand between blanks."""
    known = {*model.states, *model.parameters, *(name for name, _ in model.quantities)}

    def respelled(match: re.Match[str]) -> str:
        name = match[0]
        if name == "t":
            return f" ( Time + {model.t0!r} ) " if model.t0 else " Time "
        return f" Values[{name}]{suffix} " if name in known else name

    return re.sub(r"(?<![\w.])[A-Za-z_]\w*", respelled, expression_text(node)).strip()


def _add_data(model: Model, observations: Observations, data_model: COPASI.CDataModel, folder: Path) -> None:
    columns = {f"Values[{name}]": observations.values[:, k] for k, name in enumerate(observations.names)}
    frame = pd.DataFrame({"Time": observations.times - model.t0, **columns})
    basico.add_experiment("data", frame, file_name=str(folder / "data.txt"))
    experiments = data_model.getTask("Parameter Estimation").getProblem().getExperimentSet()
    experiment = experiments.getExperiment("data")
    for k, weights in enumerate(observations.weights.T, start=1):
        used = np.unique(weights[weights > 0])
        assert used.size == 1, "COPASI knows one weight for all observations of a variable"
        experiment.getObjectMap().setScale(k, float(used[0]) ** 2)
    assert experiments.compile(data_model.getModel().getMathContainer())


def _item(model: Model, k: int) -> dict[str, object]:
    start = float(model.values[k])
    return {"name": f"Values[{model.parameters[k]}]", "lower": "-inf", "upper": "inf", "start": start}
