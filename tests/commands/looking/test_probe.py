"""PROBE: its questions, its words, and what it leaves behind."""

import re

import numpy as np
import pytest
from conversation import Session, columns_of, data_of, model_of

from parfit import Model
from parfit.commands import TABLE
from parfit.commands.looking.probe import probe
from parfit.commands.table import Table
from parfit.data.observations import make_observations

COMMANDS = Table([*(each for each in TABLE.commands if each.name != "PROBE"), probe])
TIMES = np.linspace(0.5, 3.0, 6)


def session(text, names=("y",), times=TIMES, values=0.4, folder=None):
    model = Model.from_text(text + "\ndone\n", "m")
    data = make_observations(times, names, np.full((len(times), len(names)), values))
    return Session(model, data, folder, table=COMMANDS)


def enzyme(folder=None):
    return Session(model_of("enzyme"), data_of("enzyme"), folder, of_1977=True, table=COMMANDS)


@pytest.fixture
def kept(tmp_path):
    """A session whose files can be looked at."""
    kept = enzyme(tmp_path / "run")
    yield kept
    kept.run.close()


def words(text):
    """Without the ends of lines."""
    return " ".join(text.split())


def test_the_enzyme_model_of_the_thesis():
    """Section 1.3: from 59600 to 4.4."""
    text = enzyme()("PROBE")
    said = words(text)
    assert "All 3 parameters are determined by the data" in said
    assert "logarithms would reduce it from 59614.5 to 4.412628. SCALE p1 LOG p2 LOG p3 LOG" in said
    assert max(map(len, text.split("\n"))) <= 79
    assert float(re.search(r"CONDITION NUMBER +(\S+)", text)[1]) == pytest.approx(59614.5, rel=1e-3)


def test_the_advice_on_scaling_can_be_followed():
    s = enzyme()
    advice = re.search(r"SCALE p1 LOG p2 LOG p3 LOG", words(s("PROBE")))[0]
    said = s(advice, "PROBE")
    assert float(re.search(r"CONDITION NUMBER +(\S+)", said)[1]) == pytest.approx(4.41263, rel=1e-3)
    assert "SCALE" not in words(said).split("PROBE OF THE JACOBIAN")[1].replace("scaled", "")
    assert "-4.60517" in said


def test_singular_values_are_shown_with_their_digits():
    s = enzyme()
    rows = [line.split() for line in s("PROBE").split("\n") if re.match(r"[123] +\S+ +\S+ +1\.000 p", line)]
    expected = np.linalg.svd(
        s.env.integration.trajectory.s[1:].reshape(-1, 3), compute_uv=False
    )  # all states are observed at all times but the first
    np.testing.assert_allclose([float(row[1]) for row in rows], expected, rtol=1e-6)
    assert [row[4] for row in rows] == ["p3", "p2", "p1"]


@pytest.mark.parametrize(
    ("equations", "sentences"),
    [
        (
            "par a=.5, b=2\ny'=-a*b*y\ny(0)=1",
            [
                "a and b trade off: only a*b is determined; multiplying a by c and dividing b by c changes nothing.",
                "The data cannot tell",
                "FREEZE a or FREEZE b",
                "No further observation",
            ],
        ),
        ("par a=.5, c=2\ny'=-a/c^2*y\ny(0)=1", ["only a/c^2 is determined; multiplying a by k^2 and c by k changes"]),
        ("par a=.5, b=2\ny'=-(a+b)*y\ny(0)=1", ["only a + b is determined; raising a by 1 and lowering b by 1"]),
        ("par a=.5, b=2\ny'=-(2*a-b)*y\ny(0)=1", ["only 2*a - b is determined; raising a by 1 and b by 2 changes"]),
        (
            "par a=.5, b=2, c=3\ny'=-a*b*c*y\ny(0)=1",
            ["trade off: multiplying", "FREEZE a or FREEZE", "by k changes nothing"],
        ),
        ("par a=.5, b=2\ny'=-(a+b^2)*y\ny(0)=1", ["a and b trade off, nearly", "to first order"]),
        (
            "par a=.5, b=2\ny'=-a*y\nz'=-b*z+y\ny(0)=1\nz(0)=1",
            ["b is not seen by the data: it does not occur in the observed part of the model", "FREEZE b"],
        ),
        ("par a=.5, b=0\ny'=-a*y+b*y*(a-.5)\ny(0)=1", ["b is not seen by the data: it has no effect at these values"]),
        ("par a=.5, b=1e-14\ny'=-a*y-b*y^2\ny(0)=1", ["b is not seen by the data: it has a negligible effect"]),
        ("par a=.5\ny'=-a*y\ny(0)=1", ["The parameter is determined by the data; the condition number is 1."]),
        ("par a=.5\ny'=-y\nz'=-a*z\ny(0)=1\nz(0)=1", ["An observation of z near t = 2 would help most"]),
        ("par a=.5, b=1\ny'=a*y*y+b\ny(0)=5", ["the integration stopped:", "t = 0.38981"]),
        ("par a=1e200, b=1e200\ny'=-y\ny(0)=a*b", ["cannot be had", "the initial value of y is not a finite number"]),
    ],
)
def test_findings_are_said_in_words(equations, sentences):
    text = session(equations)("PROBE")
    for sentence in sentences:
        assert sentence in words(text)
    assert max(map(len, text.split("\n"))) <= 79
    assert "nan" not in text.lower()


def test_an_exact_statement_is_not_made_of_what_is_not_exact():
    said = session("par a=.5, b=2\ny'=-(a+b^2)*y\ny(0)=1")("PROBE")
    assert "cannot tell" not in said
    assert "is determined;" not in said


def test_fewer_observations_than_parameters():
    said = words(session("par a=.5, b=1\ny'=-a*y\ny(0)=b", times=TIMES[:1])("PROBE"))
    assert "There is 1 observation for 2 active parameters: at least 1 combination" in said
    assert "a and b trade off" in said


def test_a_poorly_determined_parameter_is_named_with_its_share():
    said = words(session("par a=.5, b=.001\ny'=-a*y-b*y^2\ny(0)=1", values=0.3)("PROBE"))
    assert re.search(r"Poorly determined: b \(\d+ %\)\. Changing b by \+\d+ % raises the sum of squares by only", said)
    assert "FIT, and then PROBE says more" in said
    assert re.search(r"An observation of y near t = \S+ would help most", said)


def test_a_parameter_at_a_bound():
    s = session("par a=.5, b=1\ny'=-a*y\ny(0)=b")
    s.interpreter.timeline = s.interpreter.timeline.then(s.env.with_bounds([0.5, 0.0], [np.inf, 1.0]))
    said = words(s("PROBE"))
    assert "a is at its lower bound 0.5: FREEZE a, or move the bound with BOUNDS." in said
    assert "b is at its upper bound 1" in said


def test_frozen_parameters_are_no_part_of_it():
    s = session("par a=.5, b=2\ny'=-a*b*y\ny(0)=1")
    said = words(s("FREEZE b", "PROBE"))
    assert "trade off" not in said
    assert "The parameter is determined" in said


# ---- questions, report and environment


def test_the_questions_and_their_defaults():
    typist = (s := enzyme()).typed("PROBE", "", "", "QUIT")
    assert typist.questions[:2] == ["IS AN INTEGRATION REQUIRED? Y OR N", "IS A REPORT OF PROBE REQUIRED?, Y OR N"]
    assert typist.prompts[:2] == ["[Y]: ", "[N]: "]
    assert s.env.integration.trajectory.s is not None


def test_the_integration_stays_and_can_be_used_again():
    s = enzyme()
    first = s("PROBE Y")
    run = s.env.integration.trajectory
    assert s.env.sum_of_squares == pytest.approx(4.675e-4, rel=1e-3)
    again = s("PROBE N")
    assert s.env.integration.trajectory is run
    body = [text.split("PROBE OF THE JACOBIAN")[1].split("\n(")[0] for text in (first, again)]
    assert body[0] == body[1]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "INTEG does it"),
        (["INTEG N"], "without the Jacobian"),
        (["INTEG Y", "SET p1 900"], "PROBE Y makes a new one"),
        (["INTEG Y", "FREEZE p1"], "PROBE Y makes a new one"),
        (["INTEG Y", "SCALE p1 LOG"], "PROBE Y makes a new one"),
    ],
)
def test_an_integration_that_does_not_fit_is_refused(lines, reason):
    assert reason in enzyme().refused(*lines, "PROBE N")


def test_the_report_holds_what_was_shown(kept):
    s = kept
    s("PROBE Y N")
    assert s.report == ""
    shown = s("PROBE Y Y")
    assert "PROBE OF THE JACOBIAN" in s.report
    assert s.report[s.report.index("PROBE OF") :].strip() in shown, "under a heading that says what it is of"
    assert s.entries[-1] == "PROBE Y Y"


def test_steps_are_shown_and_accumulated_if_asked_for(kept):
    s = kept
    s("OPTION OUTPUT 5")
    asked = s.typed("PROBE", "Y", "N", "Y", "Y").questions
    assert asked[2:] == ["IS INTEG OUTPUT TO BE DISPLAYED? Y OR N", "IS INTEG OUTPUT TO BE ACCUMULATED? Y OR N"]
    headings, steps = columns_of(s.file("details"), "t")
    assert headings == ["t", "step", "order", "y1", "y2"]
    assert len(steps) == 4  # of 23 steps every fifth
    assert "OUTPUT REFERENCE NUMBER IS 1" in s.report
    assert s.env.details
    assert "INTEGRATION IN PROBE" in s("PROBE N N Y N")


def test_without_data_or_at_other_times_it_is_refused():
    assert "there are no observations" in Session(model_of("enzyme"), table=COMMANDS).refused("PROBE")
    assert "SAMPLE 1" in enzyme().refused("SAMPLE 2 10 1", "PROBE")


def test_a_failed_integration_takes_all_its_answers():
    s = session("par a=.5, b=1\ny'=a*y*y+b\ny(0)=5")
    assert "integration stopped" in words(s("PROBE Y Y"))
    assert not s.env.integration.trajectory.status
    assert "integration stopped" in words(s("PROBE N"))
