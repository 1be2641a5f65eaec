"""How files are written: the examples of the help and the templates are files that load."""

import numpy as np
import pytest

from parfit.commands.format_text import DATA_EXAMPLE, FORMAT, MODEL_EXAMPLE, data_template, model_template
from parfit.data.csvfile import read_csv
from parfit.model.language.reader import model_from_text


def test_the_examples_of_the_help_load_and_fit(begin, tmp_path):
    model = model_from_text(MODEL_EXAMPLE, "infection")
    (tmp_path / "d.csv").write_text(DATA_EXAMPLE)
    data = read_csv(tmp_path / "d.csv", model)
    assert data.names == ("I",)
    assert data.sds is not None
    assert MODEL_EXAMPLE in FORMAT
    assert DATA_EXAMPLE in FORMAT
    assert max(map(len, FORMAT.split("\n"))) <= 79
    session = begin(model, data)
    assert FORMAT in session("HELP FORMAT")
    assert "HELP FORMAT" in session("HELP MODEL")
    assert "HELP FORMAT" in session("HELP DATA")


@pytest.mark.parametrize("states", [["x"], ["S", "I", "R"]])
def test_templates_load(states, tmp_path):
    model = model_from_text(model_template(states), "new")
    assert list(model.states) == states
    (tmp_path / "d.csv").write_text(data_template(states))
    data = read_csv(tmp_path / "d.csv", model)
    assert list(data.names) == states
    assert np.isfinite(data.values).all()
