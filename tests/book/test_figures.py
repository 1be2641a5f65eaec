"""Published numbers: how they are written down, found and compared."""

import pytest
from conversation import Session, data_of, model_of

from parfit.book.comparing import DIFFERS, EXPLAINED, PRINTED, compare
from parfit.book.figures import parse, unit
from parfit.errors import ParfitError


@pytest.fixture(scope="module")
def env():
    session = Session(model_of("enzyme"), data_of("enzyme"))
    session("SET p1=1000 p2=.99 p3=.01", "INTEG N")
    return session.env


def agreements(line, env, shown=""):
    return [compare(figure, env, shown).agreement for figure in parse(line, "x.pft:1")]


@pytest.mark.parametrize(
    ("printed", "last"),
    [
        ("969.6", 0.1),
        (".1080", 1e-4),
        ("59600", 100.0),
        ("1.160E-6", 1e-9),
        ("-20", 1.0),
        ("1350", 10.0),
        ("7", 1.0),
        ("1000.", 1.0),
    ],
)
def test_the_last_digit_that_was_printed(printed, last):
    assert unit(printed) == pytest.approx(last)


def test_parameters_and_the_sum_of_squares(env):
    assert agreements("#= p1 p2: 1000. .990", env) == [PRINTED, PRINTED]
    (found,) = parse("#= F: 1", "")
    assert float(compare(found, env, "").computed) == pytest.approx(env.sum_of_squares, rel=1e-5)
    (half,) = parse("#= F/2: 1", "")
    assert float(compare(half, env, "").computed) == pytest.approx(env.sum_of_squares / 2, rel=1e-5)


def test_several_numbers_of_a_line_have_their_last_words_as_labels(env):
    shown = "  t  x   y\n  1  0  .1 .2 .3\n1.5  0  .4 .5 .6\n"
    line = '#= Table 2, t 1.5, y of A B C @ "t" "1.5" 2..4: .4 .5 .7'
    found = [compare(figure, env, shown) for figure in parse(line, "x.pft:1")]
    assert [one.figure.label for one in found] == [f"Table 2, t 1.5, y of {name}" for name in "ABC"]
    assert [one.computed for one in found] == ["0.4", "0.5", "0.6"]
    assert [one.agreement for one in found] == [PRINTED, PRINTED, DIFFERS]


@pytest.mark.parametrize("place", ["0..2", "3..1", "2..3"])
def test_places_that_are_none_or_not_as_many_as_numbers_are_refused(place):
    with pytest.raises(ParfitError, match=r"x\.pft:1.*no line of published numbers"):
        parse(f'#= a b c @ "t" {place}: 1 2 3', "x.pft:1")


@pytest.mark.parametrize(
    ("line", "agreement"),
    [
        ("#= p1: 999.6", DIFFERS),  # 1000 is .4 away, and tenths were printed
        ("#= p1: 1000", PRINTED),
        ("#= p1: 999.", DIFFERS),  # half a unit of the last digit counts, no more
        ("#= p1: 607.3 | 1000.5 within 1e-3 | misprint", EXPLAINED),
        ("#= p1: 607.3 | 1002 within 1e-3 | misprint", DIFFERS),
        ("#= p1: 607.3 | 990..1010 | unknown noise", EXPLAINED),
        ("#= p1: 607.3 | 1010..1020 | unknown noise", DIFFERS),
        ("#= p1: 1000. | 607.3 within 1e-3 | what is computed independently must come out too", DIFFERS),
        ("#= p9: 1", DIFFERS),  # there is no such parameter
        ("#= FIT @ near 1000 .99 .01: C", PRINTED),
        ("#= FIT @ near 1000 .99 .01: L", DIFFERS),
        ("#= FIT @ near 1000 .99 .01: L | C | stopped early", EXPLAINED),
        ("#= FIT @ near 1000 .99 .01: C | L | not so", DIFFERS),
        ("#= FIT @ near 1011 .99 .01: C", DIFFERS),
        ("#= FIT @ near 1011 .99 .01: L", DIFFERS),  # no fit has ended there
        ("#= FIT @ near 1000: C", DIFFERS),  # there are three parameters
    ],
)
def test_agreement(env, line, agreement):
    assert agreements(line, env) == [agreement]


def test_a_fit_that_ended_elsewhere(env):
    (figure,) = parse("#= FIT @ near 1011 .99 .01: L", "")
    assert compare(figure, env, "SUM OF SQUARES OF THE RESIDUALS 3").agreement == PRINTED


SHOWN = """\
CONDITION NUMBER OF THE JACOBIAN 59614.5 (4.41263 scaled)
   parameter   value   interval
1  p1          4.5e-6  5.86e-07
2  p2-p1       -.5     7
4  p4          nan     3
5  p5          ****    3
12 integrations
NOTHING HERE
6
"""


@pytest.mark.parametrize(
    ("where", "computed"),
    [
        ('"CONDITION NUMBER OF THE JACOBIAN"', "59614.5"),
        ('"p1" 1', "4.5e-06"),
        ('"p1" 2', "5.86e-07"),
        ('"p2-p1" 1', "-0.5"),
        ('"p1" 3', "not found"),
        ('"p4" 1', "nan"),
        ('"p5" 1', "nan"),
        ('"value" "p1" 2', "5.86e-07"),
        ('"integrations" "p1" 2', "not found"),
        ('"NOTHING HERE"', "not found"),  # the number must stand in the same line
        ('"p" 1', "not found"),
        ('"nothing like it"', "not found"),
    ],
)
def test_numbers_of_the_output(env, where, computed):
    (figure,) = parse(f"#= it @ {where}: 1", "")
    assert compare(figure, env, SHOWN).computed == computed


@pytest.mark.parametrize(
    "line",
    [
        "#= p1 p2: 1",
        "#= p1: 1 | 2 within x | why",
        "#= p1: 1 | 2 within 1e-3",  # no reason
        "#= p1 p2: 1 2 | 3 | why",
        "#= p1",
        "#= p1: nan",
        "#= p1: 1 | 1 within .5 | too wide",
        "#= p1: 1 | 0..inf | too wide",
        "#= p1: 1 | 1..3 | too wide",
        '#= it @ "p1" 0: 1',
        "#= it @ p1: 1",
        "#= FIT @ near 1 2 3: X",
        "#= FIT @ near 1 nan 3: C",
    ],
)
def test_a_line_that_cannot_be_read_says_where_it_is(line):
    with pytest.raises(ParfitError, match=r"^a\.pft:7: .*is no line of published numbers"):
        parse(line, "a.pft:7")
