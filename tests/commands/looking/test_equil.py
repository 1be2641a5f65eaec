"""EQUIL: what it asks, and what it shows."""

import numpy as np
import pytest
from conversation import Session

from parfit.model.curves import linear
from parfit.model.model import Model

ALGAE = """par p1=.1562, p2=3.336, p3=.8963
r=exp(-((t-110)/55)^2)
z=.9+.0001*t
y'=p1*r*y*(1-y/25)-p3*z*y^2/(p2^2+y^2)
init y=3.2
@ total=226
done"""
TIMED = "par a=2\nx'=a*t-x\ny'=x-y*y\ninit x=1, y=1\n@ total=4\ndone"
SIR = "par b=2, a=1\nS'=-b*S*I\nI'=b*S*I-a*I\ninit S=.9, I=.1\ndone"
CLOSED = "par k=2, m=1\nA'=-k*A+m*B\nB'=k*A-m*B\ninit A=.9, B=.3\ndone"


def talk(text, **more):
    return Session(Model.from_text(text, "test"), **more)


def row(text, word):
    """The words after a word, in the first line of which it is one (how published numbers are cited)."""
    words = next(line.split() for line in text.split("\n") if word in line.split())
    return words[words.index(word) + 1 :]


def numbers(words):
    found = []
    for word in words:
        try:
            found.append(float(word))
        except ValueError:
            continue
    return found


@pytest.mark.parametrize(
    ("values", "inside", "kind", "boundary"),
    [  # thesis, section 4.2, cases (1) and (2)
        ("", (4.29, 5.10), "stable focus", (6.67, 0)),
        ("SET 1 .5 3 5 5 .15 6 .01", (20.0, 12.0), "unstable focus", (50.0, 0)),
    ],
)
def test_the_equilibria_of_the_thesis(session, values, inside, kind, boundary):
    if values:
        session(values)
    env = session.env
    text = session("EQUIL")
    assert session.env is env
    assert numbers(row(text, "E1"))[:2] == pytest.approx(inside, abs=0.005)
    assert " ".join(row(text, "E1")[2:4]) == kind
    assert numbers(row(text, "E2"))[:2] == pytest.approx(boundary, abs=0.005)
    assert numbers(row(text, "E3"))[:2] == [0.0, 0.0]
    assert text.removeprefix("> EQUIL\n").strip() in session.report
    assert session.entries[-1] == "EQUIL"


def test_the_case_without_biological_significance(session):
    text = session("SET 5 .2", "EQUIL")
    assert numbers(row(text, "E1"))[:2] == pytest.approx((6.67, 0), abs=0.005)
    assert row(text, "E1")[2:4] == ["stable", "node"]
    assert numbers(row(text, "E3"))[1] < 0.0
    assert "negative states come last" in text


def test_autonomous_equations_ask_for_nothing_and_times_do_not_matter(session):
    assert session.typed("EQUIL").questions == []
    alone, timed = session("EQUIL"), session("EQUIL 1 84 85")
    assert "do not depend on time" in timed
    assert alone.removeprefix("> EQUIL\n") in timed


def cubic(t, p1=0.1562, p2=3.336, p3=0.8963):
    """Real roots of equation (6.3.2)."""
    growth, z = p1 * np.exp(-(((t - 110) / 55) ** 2)), 0.9 + 0.0001 * t
    found = np.roots([-growth / 25, growth, -growth * p2**2 / 25 - p3 * z, growth * p2**2])
    return np.sort(found[np.abs(found.imag) < 1e-9].real)


def test_one_state_has_a_row_for_every_time():
    times = [1, 70, 85, 88, 110, 134, 150, 226]
    text = talk(ALGAE)(f"EQUIL {' '.join(map(str, times))}")
    assert "y = 0 is always an equilibrium (unstable)" in text
    counts = set()
    for t in times:
        count, *roots = numbers(row(text, f"t={t}"))
        np.testing.assert_allclose(roots, cubic(t), rtol=1e-6)
        assert count == len(roots)
        assert row(text, f"t={t}")[2::2] == ["stable", "unstable", "stable"][: len(roots)]
        counts.add(count)
    assert counts == {1, 3}
    assert "held fixed" in text
    assert max(map(len, text.split("\n"))) <= 79


def test_times_are_asked_for_with_a_default():
    session = talk(ALGAE)
    typist = session.typed("EQUIL", "")
    assert typist.questions == ["ENTER TIMES AT WHICH EQUILIBRIA ARE WANTED (0 TO END)"]
    assert typist.prompts[0] == "[0.0 113 226]: "
    assert [line.split()[0] for line in session.output.split("\n") if line.startswith("t=")] == [
        "t=0",
        "t=113",
        "t=226",
    ]
    text = session.cards("EQUIL\n60(20)100 0. 0")
    assert [line.split()[0] for line in text.split("\n") if line.startswith("t=")] == ["t=60", "t=80", "t=100", "t=0"]


def test_wrong_times_are_refused():
    session = talk(ALGAE)
    assert "written 0. with a point" in session.refused("EQUIL 0")
    assert "is not a number" in session.refused("EQUIL noon")
    assert "more than the 1000" in session.refused("EQUIL 1(.01)200")
    assert "more than the command can use" in session.refused("EQUIL 1 2 0 3")


def test_several_states_have_a_row_for_every_time_and_equilibrium():
    """x = a t and y = +-sqrt(x), of which the negative one comes last."""
    text = talk(TIMED)("EQUIL 2 4.5")
    assert numbers(row(text, "E1"))[:3] == [2.0, 4.0, 2.0]
    assert numbers(row(text, "E2"))[:3] == [2.0, 4.0, -2.0]
    assert numbers(row(text, "E3"))[:3] == [4.5, 9.0, 3.0]
    assert row(text, "E1")[3:5] == ["stable", "node"]
    assert row(text, "E2")[3] == "saddle"


def test_a_line_of_equilibria_is_told_in_a_sentence():
    text = talk(SIR)("EQUIL")
    assert "no isolated equilibrium was found" in text
    assert "not isolated: a line of equilibria with I = 0 along S; found S from -" in text
    assert "E1" not in text


def test_what_is_conserved_is_told():
    text = talk(CLOSED)("EQUIL")
    assert "A + B = 1.2 is conserved" in text
    assert row(text, "E1") == ["0.4", "0.8", "stable", "0", "-3"]
    assert "E2" not in text


def test_nothing_found_is_said_with_where_it_was_searched():
    text = talk("x'=1\ny'=x\ninit x=0, y=0\n@ total=2\ndone")("EQUIL")
    assert "no equilibrium was found" in text
    assert "most up to 10 for x, 10 for y, some up to 100 times as far" in " ".join(text.split())
    assert "y was scanned from -5000 to 5000" in talk("y'=1+y^2\ninit y=1\ndone")("EQUIL")


def test_initial_values_that_are_no_numbers_are_refused():
    assert "initial value of y" in talk("par a=0\ny'=-y\nx'=-x\ninit x=1\ny(0)=1/a\ndone").refused("EQUIL")


def test_many_states_are_written_over_several_lines():
    text = talk("\n".join([f"y{k}'={k + 1}-{k + 2}*y{k}" for k in range(9)] + ["done"]))("EQUIL")
    assert max(map(len, text.split("\n"))) <= 79
    assert "E1  y0 = 0.5, y1 = 0.6666667" in text
    assert "stable; eigenvalues of g_y: -2  -3" in text


def test_tables_are_not_continued_silently():
    model = Model.from_text("par a=1\nw=t\nx'=a*w-x\ninit x=1\n@ total=4\ndone", "test")
    tabled = Model(**{**vars(model), "tables": (("z", linear([0, 4], [0, 1])),)})
    session = Session(tabled)
    session("EQUIL 2 9")
    assert "t = 9 is not within the sample times, 0 to 4; tables are continued" in session.errors
