"""Tables of several experiments."""

import numpy as np
import pytest

from parfit.data.csvfile import read_csv
from parfit.data.stacking import apart
from parfit.errors import DataError, ModelError
from parfit.model.conditions.design import Condition, Dose
from parfit.model.model import Model

DECAY = Model.from_text("par k=.3, b=.01\na'=b-k*a\ninit a=1\nlocal k\ndone\n")
PK = Model.from_text("par ka=1, cl=3, v=30\ngut'=-ka*gut\ncen'=ka*gut-cl/v*cen\naux c=cen/v\ndone\n")
RECEPTOR = Model.from_text("par kon=.1, koff=.5\nnumber ligand=0\nra'=kon*ligand*(1-ra)-koff*ra\naux py=ra\ndone\n")


@pytest.fixture
def read(tmp_path):
    def read(text, model):
        path = tmp_path / "data.csv"
        path.write_text(text)
        return read_csv(path, model)

    return read


def conditions(observations):
    return observations.design.conditions


def test_a_column_names_the_experiments_and_another_sets_initial_values(read):
    found = read("experiment,time,a(0),a\nlow,0,1,1.02\nlow,2,,0.55\nhigh,0,5,4.9\nhigh,3,,2.2\n", DECAY)
    assert conditions(found) == (Condition("low", {"a(0)": 1.0}), Condition("high", {"a(0)": 5.0}))
    assert found.names == ("a[low]", "a[high]")
    np.testing.assert_array_equal(found.times, [0, 2, 3])
    np.testing.assert_array_equal(found.values, [[1.02, 4.9], [0.55, np.nan], [np.nan, 2.2]])


@pytest.mark.parametrize("word", ["ID", "Group", "run", "condition", "subject"])
def test_other_names_of_that_column(read, word):
    assert read(f"t,{word},a\n0,1,1\n0,2,3\n", DECAY).names == ("a[1]", "a[2]")


def test_what_the_model_defines_has_its_meaning_there(read):
    model = Model.from_text("par k=1\nid'=-k*id\ninit id=1\ndone\n")
    assert read("t,id\n0,1\n1,2\n", model).names == ("id",)


def test_a_dose_response_needs_nothing_but_settings(read):
    found = read("time,ligand,py\n10,0,.02\n10,.1,.11\n10,.1,.12\n10,,.5\n", RECEPTOR)
    assert found.names == ("py[0]", "py[0.1]", "py[model]")
    assert [each.settings for each in conditions(found)] == [{"ligand": 0.0}, {"ligand": 0.1}, {}]
    np.testing.assert_array_equal(found.values[:, 1], [0.11, 0.12])  # replicates


def test_a_constant_that_jumps_later_is_a_setting_like_any_other(read):
    model = Model.from_text("par k=1\nnumber conc=1\nr'=k*conc*(1-r)-r\ninit r=0\nset conc=0 at 5\ndone\n")
    found = read("time,conc,r\n1,2,.3\n6,2,.5\n1,9,.4\n6,9,.6\n", model)
    assert found.names == ("r[2]", "r[9]")
    assert [each.settings for each in conditions(found)] == [{"conc": 2.0}, {"conc": 9.0}]


def test_dose_rows(read):
    text = "id,time,amt,cmt,ii,addl,c\nonce,0,100,gut,,,\nonce,1,,,,,2.1\ndaily,0,50,1,24,2,\ndaily,24,,,,,.41\n"
    found = read(text, PK)
    assert conditions(found)[0].doses == (Dose("gut", 100.0, (0.0,)),)
    assert conditions(found)[1].doses == (Dose("gut", 50.0, (0.0, 24.0, 48.0)),)
    np.testing.assert_array_equal(found.values, [[2.1, np.nan], [np.nan, 0.41]])


def test_doses_without_names_are_one_experiment(read):
    found = read("time,amt,evid,mdv,c\n0,100,1,1,0\n1,,0,0,2.1\n2,0,0,1,0\n", PK)
    assert found.names == ("c",)
    assert found.values.tolist() == [[2.1]]
    assert conditions(found) == (Condition("", {}, (Dose("gut", 100.0, (0.0,)),)),)


def test_covariates_of_a_table_with_doses_are_passed_over(read):
    found = read("ID,TIME,AMT,CMT,WT,SEX,c\n1,0,5,1,70,M,.\n1,1,.,0,70,M,2\n2,0,5,1,80,F,.\n2,1,.,.,80,F,3\n", PK)
    assert found.design.unused == ("WT", "SEX")
    assert found.values.tolist() == [[2, 3]]


def test_tables_as_pharmacologists_keep_them(read):
    """Units, a mark before the names, rows to pass over, values that are said to be none, columns for other uses."""
    model = Model.from_text("par ka=1\ngut'=-ka*gut\naux dv=gut\ndone\n")
    expected = read("id,time,amt,dv\n1,0,5,\n1,1,,2\n1,4,,3\n", model)
    for text in (
        "\ufeffID,TIME (h),AMT [mg],DV [mg/L]\n1,0,5,.\n1,1,.,2\n1,4,.,3\n",
        "#ID,TIME,AMT,DV\n1,0,5,.\n1,1,.,2\n1,4,.,3\n",
        "C,ID,TIME,AMT,DV\n.,1,0,5,.\n.,1,1,.,2\nC,1,2,.,99\n.,1,4,.,3\n",
        "ID,TIME,AMT,EVID,MDV,DV\n1,0,5,1,1,7\n1,1,0,0,0,2\n1,2,0,2,.,8\n1,4,0,0,0,3\n",
        "ID,TIME,TAD,OCC,BLQ,AMT,MDV,DV\n1,0,0,1,0,5,1,0\n1,1,1,1,0,0,0,2\n1,3,3,2,1,0,1,.1\n1,4,4,2,0,0,0,3\n",
    ):
        found = read(text, model)
        assert conditions(found) == conditions(expected)
        assert (found.times.tolist(), found.values.tolist()) == (expected.times.tolist(), expected.values.tolist())


def test_an_experiment_in_which_nothing_was_observed_is_left_out(read):
    found = read("id,t,amt,mdv,c\n1,0,5,1,\n1,1,,0,2\n2,0,5,1,\n3,0,5,1,\n3,1,,1,7\n4,2,,0,3\n", PK)
    assert (found.design.names, found.design.silent) == (("1", "4"), ("2", "3"))


def test_statements_at_the_head_of_the_data(read):
    text = "#: experiment low: init a=7\n# a comment\n#: local b\ngroup,t,a\nlow,0,1\nhigh,0,2\n"
    said = read(text, DECAY).design.statements
    assert [(each.line, each.text) for each in said] == [(1, "experiment low: init a=7"), (3, "local b")]


def test_experiments_apart_are_what_they_were_together(read):
    low, high = apart(read("experiment,time,a(0),a,a.sd\nlow,0,1,1,.1\nlow,2,,2,.2\nhigh,1,5,3,.3\n", DECAY))
    assert (low.name, high.condition) == ("low", Condition("high", {"a(0)": 5.0}))
    assert (low.observations.names, low.observations.values.tolist()) == (("a",), [[1.0], [2.0]])
    np.testing.assert_allclose(high.observations.weights, [[1 / 0.3]])


@pytest.mark.parametrize(
    ("text", "model", "line", "said"),
    [
        ("experiment,t,a(0),a\nlow,0,1,1\nlow,1,2,1\n", DECAY, 3, ["a(0) is 2 in column 'a(0)'", "`set ... at ...`"]),
        ("experiment,t,a\nlow,0,1\n,1,1\n", DECAY, 3, ["missing in column 'experiment'"]),
        ("id,t,a\na b,0,5\nA B,1,4\na_b,1,2\n", DECAY, 4, ["'a b' and 'a_b' would both be called a_b"]),
        ("t,a(0),a\n0,5,5\n1,,4\n", DECAY, 3, ["'a(0)' is blank in some rows", "add a column `experiment`"]),
        ("experiment,t,a\nlow,0,1\n.,1,1\n", DECAY, 3, ["missing in column 'experiment'"]),
        ("id,t,amt,evid,c\n1,0,5,1,\n1,1,5,0,2\n", PK, 3, ["amt is 5 beside evid 0", "write evid 1"]),
        ("id,t,amt,mdv,c\n1,0,5,1,\n1,1,,2,2\n", PK, 3, ["mdv is 2", "expected 1"]),
        ("id,t,amt,c\n1,inf,5,\n1,1,,2\n", PK, 2, ["a dose at the time inf", "a finite time"]),
        ("id,t,c(0),c\n1,1,2,2\n", PK, 1, ["'c(0)' is no initial value of a state", "gut(0), cen(0)", "(c(0))"]),
        ("id,t,c(0)\n1,1,2\n", PK, 1, ["'c(0)' is no initial value of a state"]),
        ("id,t,amt,c\n1,0,5,3\n1,1,,2\n", PK, 2, ["a row with a dose has an observation in column 'c'"]),
        ("id,t,amt,cmt,c\n1,0,5,liver,\n1,1,,,2\n", PK, 2, ["'liver'", "gut, cen"]),
        ("id,t,amt,addl,c\n1,0,5,3,\n1,1,,,2\n", PK, 2, ["addl needs ii"]),
        ("id,t,amt,c\n1,0,x,\n1,1,,2\n", PK, 2, ["'x' in column 'amt' is not a number"]),
        ("id,group,t,a\n1,x,0,1\n", DECAY, 1, ["'group'", "column 'id' names the experiments", "in parentheses"]),
        ("plot,t,a\nx,0,1\n", DECAY, 1, ["'plot'", "if it names the experiments, call it experiment"]),
        ("id,t,amt,dv\n1,0,5,\n1,1,,2\n", PK, 1, ["'dv'", "`aux dv=...`"]),
        ("id,t,amt,DV [mg/L]\n1,0,5,\n1,1,,2\n", PK, 1, ["'DV [mg/L]'", "`aux DV=...`"]),
        ("id,t,cmt,c\n1,0,1,2\n", PK, 1, ["'cmt'", "doses need a column amt"]),
        ("id,t,dose,c\n1,0,1,2\n", PK, 1, ["'dose'", "doses need a column amt"]),
        ("id,t,amt,wt,c\n1,0,5,70,\n1,1,,71,2\n", PK, 3, ["'wt' is '71', but '70'", "the model does not know it"]),
        ("id,t,amt,cmt,c\n1,0,5,1,\n1,1,,1,2\n1,2,,2,2\n", PK, 4, ["cmt is '2'", "'c'", "a column of its own"]),
        ("t,amt,wt,c\n0,5,70,\n1,,71,2\n", PK, 3, ["'wt' is '71', but '70' in an earlier row, and"]),
        ("id,t,amt,blq,c\n1,0,5,0,\n1,1,,1,2\n", PK, 3, ["'blq' is '1'", "cannot be fitted yet", "mdv 1"]),
        ("id,t,amt,evid,c\n1,0,5,1,\n1,1,,0,2\n1,0,5,4,\n1,1,,0,2\n", PK, 4, ["time goes back to 0", "of their own"]),
        ("id,t,amt,ka,c\n1,0,5,x,\n1,1,,,2\n", PK, 2, ["'x' in column 'ka'", "as the model has it"]),
    ],
)
def test_what_is_wrong_has_its_line_and_column(read, text, model, line, said):
    with pytest.raises(DataError) as error:
        read(text, model)
    assert error.value.line == line
    for part in said:
        assert part in error.value.message


def test_a_statement_that_is_wrong_has_its_line_in_the_data(read):
    with pytest.raises(ModelError, match=r"data.csv:2: .*there is no experiment lo in the data") as error:
        read("# head\n#: experiment lo: init a=7\ngroup,t,a\nlow,0,1\nhigh,0,2\n", DECAY)
    assert error.value.line == 2
