"""Models in SBML against libsbml and scipy: every construct, as it is integrated."""

from pathlib import Path

import numpy as np
import pytest

from parfit.formats.kinds import read_model
from parfit.formats.naming import renamed_in
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[1] / "models"
FILES = sorted(FOLDER.glob("*.xml"))
TIMES = np.array([0.0, 0.7, 1.9, 4.0])


def simulated(path):
    """All states and aux quantities by their names in the file."""
    model = read_model(path)
    run = Simulator(model, TIMES, Method(eps=1e-11))()
    assert run.status, run.status
    there = renamed_in(model.source)
    names = [*model.states, *(name for name, _ in model.aux)]
    return {there.get(name, name): run.column(name) for name in names}


def test_there_is_a_file_of_every_kind():
    assert len(FILES) >= 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_runs_as_elsewhere(path):
    pytest.importorskip("libsbml", reason="needs python-libsbml")
    from sbml_oracle import Oracle

    oracle = Oracle(path)
    expected = oracle.simulate(TIMES)
    found = simulated(path)
    free = [name for name, each in oracle.species.items() if not (each.getBoundaryCondition() or each.getConstant())]
    assert {*free, *oracle.rules, *oracle.rates} <= set(found)
    for name in set(found) & set(expected[0]):
        np.testing.assert_allclose(found[name], [each[name] for each in expected], rtol=2e-8, atol=1e-9, err_msg=name)


def test_copasi_computes_the_same_where_an_event_sets_sizes_and_concentrations(basico):
    there = basico.load_model(str(FOLDER / "squeezed.xml"))
    try:
        wanted = {"A": "[A]", "B": "[B]", "E": "[E]", "cell": "Compartments[cell].Volume"}
        run = basico.run_time_course_with_output(
            ["Time", *wanted.values()],
            values=list(TIMES),
            start_time=0,
            use_numbers=True,
            r_tol=1e-10,
            a_tol=1e-12,
        )
    finally:
        basico.remove_datamodel(there)
    found = simulated(FOLDER / "squeezed.xml")
    for name, shown in wanted.items():
        np.testing.assert_allclose(found[name], run[shown], rtol=1e-6, err_msg=name)
