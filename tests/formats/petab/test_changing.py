"""Changes of conditions against closed forms: compartments in which something begins, and their sizes later."""

import pytest
from petab_tables import EXCHANGE, FIRST, exchanged, problem

from parfit.export.summary import summary
from parfit.model.textfile import file_bytes
from parfit.session.adoption import read_environment

K = ("parameterId|lowerBound|upperBound|nominalValue|estimate", "k1|0|9|0.8|true")
K1, K2 = 0.8, 0.6  # of the model
OBSERVED = ("observableId|observableFormula|noiseFormula", "oa|A|1", "ob|B|1")


def computed(path):
    found = summary(read_environment(str(path), file_bytes))["residuals"]
    return {(each["variable"], each["time"]): each["computed"] for each in found}


def test_an_amount_begins_in_the_size_that_a_condition_sets(tmp_path):
    sbml = EXCHANGE.read_text().replace('size="2.5"', 'size="1"')
    path = problem(
        tmp_path,
        FIRST,
        sbml,
        parameters=K,
        conditions=["conditionId|cell", "c|4"],
        observables=OBSERVED,
        measurements=["observableId|simulationConditionId|time|measurement", "ob|c|0|1", "ob|c|1|1"],
    )
    found = computed(path)
    assert found["ob", 0.0] == pytest.approx(0.5 / 4)
    assert found["ob", 1.0] == pytest.approx(exchanged(1.0, 1.0, 0.125, 0.8, 0.6)[1], rel=1e-5)


def test_a_size_that_something_begins_with_may_change_again(tmp_path):
    """What is there stays as concentrated as it was."""
    path = problem(
        tmp_path,
        parameters=K,
        conditions=["conditionId|targetId|targetValue", "c|cell|5", "d|cell|cell*2"],
        experiments=["experimentId|time|conditionId", "e|0|c", "e|1|d"],
        observables=[*OBSERVED, "size|cell|1"],
        measurements=["observableId|experimentId|time|measurement", "ob|e|0|1", "oa|e|2|1", "ob|e|2|1", "size|e|2|1"],
    )
    a, b = exchanged(2.0, 1.0, 0.1, 0.8, 0.6)
    assert computed(path) == pytest.approx({("ob", 0): 0.1, ("oa", 2): a, ("ob", 2): b, ("size", 2): 10}, rel=1e-5)


EVENT = """<listOfEvents>
  <event id="more" useValuesFromTriggerTime="true">
    <trigger initialValue="{was}" persistent="true"><math xmlns="http://www.w3.org/1998/Math/MathML">
      <apply><geq/><csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol>
      <cn>2</cn></apply></math></trigger>
    <listOfEventAssignments><eventAssignment variable="A"><math xmlns="http://www.w3.org/1998/Math/MathML">
      <apply><plus/><ci>A</ci><cn>1</cn></apply></math></eventAssignment></listOfEventAssignments>
  </event>
</listOfEvents></model>"""


@pytest.mark.parametrize("was", [True, False])
def test_an_event_does_not_happen_before_an_experiment_begins(tmp_path, was):
    """At 2, and at the beginning if that is later and the trigger counts as false before."""
    begins = {"early": 0.5, "at": 2, "late": 3}
    path = problem(
        tmp_path,
        sbml=EXCHANGE.read_text().replace("</model>", EVENT.format(was=str(was).lower())),
        parameters=K,
        conditions=["conditionId|targetId|targetValue", "c|B|k1 + time"],
        experiments=["experimentId|time|conditionId", *(f"{name}|{time}|c" for name, time in begins.items())],
        observables=OBSERVED,
        measurements=["observableId|experimentId|time|measurement", *(f"oa|{name}|4|1" for name in begins)],
    )
    then, _ = before = exchanged(1.5, 1.0, 1.3, 0.8, 0.6)
    expected = {"early": exchanged(2.0, then + 1.0, before[1], 0.8, 0.6)[0]}
    expected |= {
        name: exchanged(4.0 - t, 1.0 + (not was), 0.8 + t, 0.8, 0.6)[0] for name, t in begins.items() if t > 1
    }
    assert computed(path) == pytest.approx({(f"oa[{name}]", 4): a for name, a in expected.items()}, rel=1e-5)


def test_what_a_condition_changes_comes_before_an_event_of_the_same_time(tmp_path):
    path = problem(
        tmp_path,
        sbml=EXCHANGE.read_text().replace("</model>", EVENT.format(was="true")),
        parameters=K,
        conditions=["conditionId|targetId|targetValue", "c|A|3 * A"],
        experiments=["experimentId|time|conditionId", "e|0|", "e|2|c"],
        observables=OBSERVED,
        measurements=["observableId|experimentId|time|measurement", "oa|e|0|1", "ob|e|0|1", "oa|e|2|1"],
    )
    found = computed(path)
    before, _ = exchanged(2.0, found["oa", 0.0], found["ob", 0.0], 0.8, 0.6)
    assert found["oa", 2.0] == pytest.approx(3.0 * before + 1.0, rel=1e-5)


def test_a_model_in_which_nothing_moves_has_its_likelihood(tmp_path):
    still = (
        '<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2"><model><listOfParameters>'
        '<parameter id="k1" value="1" constant="true"/></listOfParameters></model></sbml>'
    )
    path = problem(
        tmp_path,
        sbml=still,
        parameters=K,
        observables=["observableId|observableFormula|noiseFormula", "double|2 * k1|0.5"],
        measurements=["observableId|time|measurement", "double|0|1.5", "double|7|1.2"],
    )
    assert computed(path) == {("double", 0.0): 1.6, ("double", 7.0): 1.6}


RISING = """<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2"><model><listOfParameters>
  <parameter id="k1" value="1" constant="true"/><parameter id="x" value="0" constant="false"/></listOfParameters>
  <listOfRules><rateRule variable="x"><math xmlns="http://www.w3.org/1998/Math/MathML">
    <piecewise><piece><ci>k1</ci><apply><leq/><ci>x</ci><cn>50</cn></apply></piece><otherwise><cn>0</cn></otherwise>
    </piecewise></math></rateRule></listOfRules>
  <listOfEvents><event useValuesFromTriggerTime="true"><trigger initialValue="false" persistent="true">
    <math xmlns="http://www.w3.org/1998/Math/MathML"><apply><geq/><ci>x</ci><cn>50</cn></apply></math></trigger>
    <listOfEventAssignments><eventAssignment variable="x"><math xmlns="http://www.w3.org/1998/Math/MathML">
      <apply><plus/><ci>x</ci><cn>100</cn></apply></math></eventAssignment></listOfEventAssignments>
  </event></listOfEvents></model></sbml>"""


@pytest.mark.parametrize("begin", [0, 3])
def test_an_event_on_the_way_to_rest_does_not_happen_again_afterwards(tmp_path, begin):
    path = problem(
        tmp_path,
        sbml=RISING,
        parameters=K,
        conditions=["conditionId|targetId|targetValue", "c|x|60"],
        experiments=["experimentId|time|conditionId", "rested|-inf|", f"rested|{begin}|", "high|0|c", "low|0|"],
        observables=["observableId|observableFormula|noiseFormula", "o|x|1"],
        measurements=[
            "observableId|experimentId|time|measurement",
            *(f"o|rested|{t}|1" for t in (begin, "inf")),
            *("o|high|0|1", "o|low|1|1", "o|low|inf|1"),
        ],
    )
    expected = {("o[rested]", begin): 150.0, ("o[high]", 0): 160.0, ("o[low]", 1): 0.8}
    found = computed(path)
    ends = {name: found.pop((name, None)) for name in ("o[rested]", "o[low]")}
    assert found == pytest.approx(expected, rel=1e-6)
    assert ends == pytest.approx({"o[rested]": 150.0, "o[low]": 150.0}, rel=1e-6)


def test_values_may_be_made_of_those_before_which_change_at_the_same_time(tmp_path):
    """k1 and k2, which the model begins with at .8 and .6, change places; after rest, what held there is doubled."""
    path = problem(
        tmp_path,
        parameters=("parameterId|lowerBound|upperBound|nominalValue|estimate", "a|0|9|3|true"),
        conditions=[
            "conditionId|targetId|targetValue",
            *("c|k1|k2", "c|k2|k1", "c|A|a", "c|B|0"),
            *("r|k1|3 * k1", "r|B|2", "r|A|1", "d|k1|2 * k1 + a", "d|A|A + 1"),
        ],
        experiments=["experimentId|time|conditionId", "e|0|c", "f|-inf|r", "f|0|d"],
        observables=[*OBSERVED, "o1|k1|1", "o2|k2|1"],
        measurements=[
            "observableId|experimentId|time|measurement",
            *(f"{each}|{name}|1|1" for each in ("oa", "o1", "o2") for name in "ef"),
        ],
    )
    rest, other = exchanged(1e3, 1.0, 2.0, 3 * K1, K2)
    expected = {
        ("oa[e]", 1): exchanged(1.0, 3.0, 0.0, K2, K1)[0],
        ("o1[e]", 1): K2,
        ("o2[e]", 1): K1,
        ("oa[f]", 1): exchanged(1.0, rest + 1, other, 6 * K1 + 3, K2)[0],
        ("o1[f]", 1): 6 * K1 + 3,
        ("o2[f]", 1): K2,
    }
    assert computed(path) == pytest.approx(expected, rel=1e-5)


def test_before_rest_nothing_holds_that_is_set_afterwards(tmp_path):
    """A blank cell of a wide table: at rest the model's own k1 and k2 hold, and later another k1."""
    path = problem(
        tmp_path,
        FIRST,
        parameters=("parameterId|lowerBound|upperBound|nominalValue|estimate", "a|0|9|3|1"),
        conditions=["conditionId|k1|A|B", "before||a|1", "after|2.5||"],
        observables=OBSERVED,
        measurements=[
            "observableId|preequilibrationConditionId|simulationConditionId|time|measurement",
            *(f"{each}|before|after|{t}|1" for each in ("oa", "ob") for t in (0, 1)),
        ],
    )
    a, b = exchanged(1e3, 3.0, 1.0, K1, K2)
    later = exchanged(1.0, a, b, 2.5, K2)
    expected = {("oa", 0): a, ("ob", 0): b, ("oa", 1): later[0], ("ob", 1): later[1]}
    assert computed(path) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("begin", [0, 2])
def test_after_rest_all_changes_at_once_by_what_was_there(tmp_path, begin):
    """A constant, a concentration and the size of its compartment, of which the constant and A are made of states."""
    path = problem(
        tmp_path,
        parameters=("parameterId|lowerBound|upperBound|nominalValue|estimate", "a|0|9|3|true"),
        conditions=[
            "conditionId|targetId|targetValue",
            *("r|A|a", "r|B|1", "c|k1|A + B", "c|A|k1 * B", "c|B|5", "c|cell|2 * cell"),
        ],
        experiments=["experimentId|time|conditionId", "e|-inf|r", f"e|{begin}|c", "other|0|"],
        observables=[*OBSERVED, "o1|k1|1", "size|cell|1"],
        measurements=[
            "observableId|experimentId|time|measurement",
            *(f"{each}|e|{begin + 1}|1" for each in ("oa", "ob", "o1", "size")),
            "oa|other|1|1",
        ],
    )
    a, b = exchanged(1e3, 3.0, 1.0, K1, K2)
    later = exchanged(1.0, K1 * b, 5.0, a + b, K2)
    found = computed(path)
    expected = {"oa[e]": later[0], "ob[e]": later[1], "o1[e]": a + b, "size[e]": 5.0}
    assert {name: found[name, begin + 1] for name in expected} == pytest.approx(expected, rel=1e-5)
