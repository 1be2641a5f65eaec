"""Data files of either kind: which kind one is, and what it gives."""

import numpy as np
import pytest

from parfit.data.beginning import begun
from parfit.data.loading import data_text, is_deck, read_data, read_experiments, read_problem
from parfit.data.observations import make_observations
from parfit.data.stacking import added
from parfit.errors import DataError, ParfitError
from parfit.model.model import Model
from parfit.model.textfile import file_bytes
from parfit.simulation.simulator import simulate

MODEL = Model.from_text("par k=1\nx'=-k*x\ny'=k*x\n", "line")
DATA = make_observations([1.0, 2.0], ("x", "y"), [[0.5, 0.25], [0.125, 3.0]])
START = np.array([7.0])


@pytest.fixture(params=["run.csv", "run.dat", "RUN.CARDS"])
def path(request, tmp_path):
    found = tmp_path / request.param
    found.write_text(data_text(str(found), MODEL, DATA, START))
    return found


def test_the_ending_of_its_name_decides_what_is_written(path):
    assert is_deck(path) is (path.suffix != ".csv")


def test_what_was_written_is_read(path):
    found = read_data(path, MODEL)
    assert found.names == ("x", "y")
    np.testing.assert_array_equal(found.times, DATA.times)
    np.testing.assert_array_equal(found.values, DATA.values)


def test_cards_have_starting_values(path):
    found, start = read_problem(path, MODEL)
    np.testing.assert_array_equal(found.values, DATA.values)
    assert (start is None) is (path.suffix == ".csv")
    assert start is None or start.tolist() == [7.0]


def test_a_file_is_read_once_because_it_may_be_a_pipe(path):
    read = []

    def once(name):
        read.append(name)
        return file_bytes(name)

    read_problem(path, MODEL, once)
    assert read == [path]


def test_a_model_is_no_data(tmp_path):
    path = tmp_path / "line.ode"
    path.write_text("par k=1\nx'=-k*x\ndone\n")
    with pytest.raises(DataError, match="holds a model"):
        read_data(path, MODEL)


# ---- several files

STILL = Model.from_text("par k=1\nx'=0*k\ny'=0\n", "still")


@pytest.fixture
def files(tmp_path):
    def write(**contents):
        for name, content in contents.items():
            (tmp_path / f"{name}.csv").write_text(content)
        return [str(tmp_path / f"{name}.csv") for name in contents]

    return write


def last_states(model, paths):
    found, _ = read_experiments(paths, model)
    whole = begun(model, found)
    return dict(zip(whole.states, simulate(whole, [5.0]).y[0].tolist(), strict=True))


def test_what_one_file_says_holds_in_its_own_experiments(files):
    paths = files(
        one="#: dose x=3 at 1\nt,x\n1,1\n",
        two="#: dose y=5 at 1\n#: dose y=5 at 1\n#: init x=2\nexperiment,t,x\na,1,1\nb,2,1\n",
        three="t,x\n1,1\n",
    )
    expected = {"x[one]": 3, "y[one]": 0, "x[a]": 2, "y[a]": 10, "x[b]": 2, "y[b]": 10, "x[three]": 0, "y[three]": 0}
    assert last_states(STILL, paths) == expected


def test_what_all_files_say_is_said_once(files):
    same = "#: dose x=3 at 1\n#:  number c=2\nt,x\n1,1\n"
    assert last_states(STILL, files(one=same, two=same)) == {"x[one]": 3, "y[one]": 0, "x[two]": 3, "y[two]": 0}
    paths = files(one=same, two=same, three="t,x\n1,1\n")
    assert last_states(STILL, paths)["x[three]"] == 0


def test_statements_may_name_the_experiments_of_other_files(files):
    model = Model.from_text("par k=1\nnumber c=1\nx'=k*c\nlocal k one, two\nexperiment two: init x=3\n", "named")
    paths = files(one="#: experiment two: set x=7 at 4\nt,c,x\n1,1,1\n", two="t,c,x\n1,2,1\n")
    found, _ = read_experiments(paths, model)
    assert begun(model, found).parameters == ("k[one]", "k[two]")
    assert last_states(model, paths) == pytest.approx({"x[one]": 5.0, "x[two]": 9.0})
    more = added(found, read_data(files(three="t,c,x\n1,3,1\n")[0], model, is_part=True))
    assert begun(model, more).parameters == ("k[one]", "k[two]", "k")


def test_what_is_wrong_is_said_with_the_file_in_which_it_stands(files):
    paths = files(one="\n#: local k one, four\nt,x\n1,1\n", two="t,x\n1,1\n")
    with pytest.raises(
        ParfitError, match=r"one.csv:2: `local k`: there is no experiment four in the data; .*one, two"
    ):
        read_experiments(paths, STILL)
    paths = files(one="\n#: local k\nt,x\n1,1\n", two="\n#: experiment one: dose z=2 at 3\nt,x\n1,1\n")
    with pytest.raises(ParfitError, match=r"two.csv:2: in experiment one: `dose z=2 at 3`: a dose into `z`, which is"):
        read_experiments(paths, STILL)
