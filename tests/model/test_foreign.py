"""Files of other programs are told by their content."""

import io
import zipfile

import pytest

from parfit.data.loading import read_data
from parfit.errors import DataError, ModelError
from parfit.model.language.reader import model_from_text, read_model

MODEL = "par k=1\nx'=-k*x\ninit x=1\n"
DATA = "t,x\n0,1\n1,.4\n"


def workbook():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
    return content.getvalue()


FOREIGN = [
    (workbook(), "workbook of a spreadsheet"),
    (b'<?xml version="1.0"?>\n<sbml xmlns="http://www.sbml.org/sbml/level2" level="2"/>', "SBML"),
    (b"<?xml version='1.0'?><other/>", "XML"),
    (b"format_version: 1\nparameter_file: p.tsv\nproblems: []\n", "PEtab problem"),
    (b"observableId\tpreequilibrationConditionId\tsimulationConditionId\tmeasurement\n", "PEtab"),
]


@pytest.mark.parametrize(("content", "what"), FOREIGN)
def test_it_is_named_wherever_it_is_given(content, what, tmp_path):
    path = tmp_path / "given"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=what):
        read_model(path)
    with pytest.raises(DataError, match=what):
        read_data(path, model_from_text(MODEL))


def test_model_and_data_in_the_wrong_order(tmp_path):
    model, data = tmp_path / "m.ode", tmp_path / "d.csv"
    model.write_text(MODEL)
    data.write_text(DATA)
    with pytest.raises(ModelError, match="holds data; give the model first"):
        read_model(data)
    with pytest.raises(DataError, match="holds a model; give the model first"):
        read_data(model, model_from_text(MODEL))
    assert read_data(data, read_model(model)).n_observations == 2
