"""Experiments that are written and read again."""

import numpy as np
import pytest

from parfit.data.csvfile import read_csv
from parfit.data.tabulating import csv_text
from parfit.model.model import Model

PK = Model.from_text("par ka=1, cl=3, v=30\nnumber f=1\ngut'=-ka*gut*f\ncen'=ka*gut-cl/v*cen\naux c=cen/v\ndone\n")
HEAD = "#: experiment two: init cen=1\n"
ROWS = """id,Time [h],amt,cmt,dur,ii,addl,evid,cen(0),f,c [mg/L],c.sd,gut
one,0,100,gut,,,,1,2,,,,
one,1,,,,,,0,,,2.1,.1,5.25
one,1,,,,,,0,,,2.2,.2,
two,0,50,cen,2.5,24,1,1,,.5,,,
two,30,,,,,,3,,,,,
two,31,7,gut,,,,4,,,,,
two,31,,,,,,0,,,.3,.1,
"""


@pytest.mark.parametrize("text", [HEAD + ROWS, "t,ligand,py\n10,0,.5\n10,2,.7\n", "t,amt,c\n0,5,\n1,,2\n"])
def test_what_is_written_reads_back(tmp_path, text):
    model = Model.from_text("par k=1\nnumber ligand=0\ny'=-k*ligand\naux py=y\ndone\n") if "py" in text else PK
    path = tmp_path / "data.csv"
    path.write_text(text)
    first = read_csv(path, model)
    path.write_text(csv_text(first))
    again = read_csv(path, model)
    assert again.names == first.names
    assert dict(again.labels) == dict(first.labels)
    for name in ("times", "values", "weights"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    assert [said.text for said in again.design.statements] == [said.text for said in first.design.statements]
    for new, old in zip(again.design.conditions, first.design.conditions, strict=True):
        assert (new.name, new.settings) == (old.name, old.settings)
        assert sorted(given(new)) == sorted(given(old))


def given(condition):
    """Every dose by itself."""
    return [(t, dose.state, dose.amount, dose.over or 0, dose.resets) for dose in condition.doses for t in dose.times]
