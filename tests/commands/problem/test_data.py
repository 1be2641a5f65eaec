"""DATA."""

import numpy as np

from parfit.data.observations import make_observations


def test_data_summarizes(begin):
    nan = np.nan
    data = make_observations(
        [1, 2, 2, 4], ["y1", "y2"], [[3.0, nan], [-5.0, nan], [1.0, 2.0], [2.0, nan]], [[1, 1], [2, 1], [1, 1], [4, 1]]
    )
    said = begin(data=data)("DATA")
    rows = {line.split()[0]: line.split()[1:] for line in said.split("\n")[2:4]}
    assert rows["y1"] == ["4", "0", "1", "4", "-5", "3", "1", "to", "4"]
    assert rows["y2"] == ["1", "3", "2", "2", "2", "2", "1"]
    assert "1 row repeats a time" in said


def test_data_needs_data(begin):
    assert "LOAD DATA FILE" in begin("predator-prey", None).refused("DATA")
