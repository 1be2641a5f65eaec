"""What models say of their data: quantities for sizes of errors, spelling, and mistakes with their lines."""

import pytest

from parfit.errors import ModelError
from parfit.model.model import Model
from parfit.model.said.lines import NoiseLine

TEXT = "par k=1, b=.1, s=2\nX'=-k*X\ny'=-k*y\naux z=2*X\n{}\ndone"


def made(*lines):
    return Model.from_text(TEXT.format("\n".join(lines)))


def test_a_size_becomes_a_quantity_unless_it_is_a_parameter_or_a_new_name():
    model = made("noise x .1+b*x", "noise y lognormal S", "noise z additive shared")
    assert [(each.variable, each.form, each.quantity, each.group) for each in model.noise] == [
        ("X", "GIVEN", "sd_x", ""),
        ("y", "LOGNORMAL", "s", ""),
        ("z", "ADDITIVE", "", "shared"),
    ]
    assert [name for name, _ in model.aux] == ["z", "sd_x"]


def test_a_size_keeps_its_name_as_a_quantity_and_has_another_where_that_is_taken():
    model = made("par sd_y=.3", "aux own=.1*X", "noise x own", "noise y 2*sd_y")
    assert [each.quantity for each in model.noise] == ["own", "sd_y_2"]
    assert [name for name, _ in model.aux] == ["z", "own", "sd_y_2"]
    assert model.remarks == ()


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (
            ("noise y additive", "noise Y relative"),
            "`noise Y` says something else in line 5; expected one line for Y",
        ),
        (("noise X, y .1", "noise y .2"), "`noise y` says something else"),
        (("prior k normal 1 2", "prior k normal 2 2"), "`prior k` says something else in line 5"),
        (("local k", "local k a+b, c"), "`local` says something else in line 5; expected one line for k"),
    ],
)
def test_two_lines_about_the_same_contradict_each_other(lines, why):
    with pytest.raises(ModelError, match=why) as error:
        made(*lines)
    assert error.value.line == 6


def test_who_says_the_same_twice_is_understood():
    assert made("noise y additive", "noise Y Additive").noise == (NoiseLine("y", "ADDITIVE", line=6),)


def test_priors_and_linear_parameters():
    model = made("prior K normal 2 .5", "linear S, b")
    assert [(each.parameter, each.words) for each in model.priors] == [("k", ("normal", "2", ".5"))]
    assert model.linear == ("s", "b")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("noise q additive", "no state and no aux quantity q; expected one of X, y, z"),
        ("noise y foo", "neither a form of errors nor a quantity"),
        ("noise y 1+foo", "unknown name `foo`"),
        ("noise y -1", "a standard deviation must be positive, and -1 is not"),
        ("noise y relative 0", "a standard deviation must be positive, and 0 is not"),
        ("prior q normal 1 2", "no parameter q"),
        ("linear q", "no parameter q"),
    ],
)
def test_mistakes_have_their_line(line, why):
    with pytest.raises(ModelError, match=why) as error:
        made(line)
    assert error.value.line == 5
