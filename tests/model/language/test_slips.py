"""Slips of the fingers and habits of other languages: the message says what is meant, and where."""

import pytest

from parfit.errors import ModelError
from parfit.model.model import Model

CASES = [
    ("x'=\N{MINUS SIGN}k*x", "`\N{MINUS SIGN}` is a minus of word processors; expected `-`"),
    ("x'=\N{EN DASH}k*x", "expected `-`"),
    ("x'=1e\N{MINUS SIGN}3*x", "expected `-`"),
    ("x'=k\N{MULTIPLICATION SIGN}x", "expected `*`"),
    ("x'=k\N{MIDDLE DOT}x", "expected `*`"),
    ("x'=k\N{DIVISION SIGN}2", "expected `/`"),
    ("x'=-2k*x", "`2k` leaves out a sign; expected `2*k`"),
    ("x'=-k x", "`k x` leaves out a sign; expected `k*x`"),
    ("x'=exp(-2k*x)", "`2k` leaves out a sign; expected `2*k`"),
    ("x'=-1d3*x", "`1d3` is no number here; expected 1e3"),
    ("x'=2(x)", "expected `2*(`"),
    ("x'=(k)(x)", "expected `)*(`"),
    ("x'=-k//2*x", "expected one `/`; a comment begins with `#`"),
    ("x'=-k*x // decay", "a comment begins with `#`"),
    ("x'=-k*x %decay", "a comment begins with `#`"),
    ("x'=e^(-k*x)", "for a power of e write exp(...)"),
    ("x'=pow(x,2)", "for a power write a^b"),
    ("x'=-[k*x]", "expected parentheses"),
    ("x'=-{k*x}", "expected `(` and `)`"),
    ("x'=-k*\N{LEFT DOUBLE QUOTATION MARK}x\N{RIGHT DOUBLE QUOTATION MARK}", "is a quotation mark"),
    ("x\N{RIGHT SINGLE QUOTATION MARK}=-k*x", "is a curly quotation mark; expected `'`, as in x'=..."),
    ("x'=-1,5*x", "`1,5` has a decimal comma; expected 1.5"),
    ("x'=-k*x\npar m=0,5, n=2", "`0,5` has a decimal comma; expected 0.5"),
    ("x'=-k*x\ninit y=0,25", "`0,25` has a decimal comma; expected 0.25"),
    ("x'=-k*x\npar m 1", "expected `=` behind m, or a name, instead of `1`"),
    ("x'=x\N{SUPERSCRIPT TWO}", "`x\N{SUPERSCRIPT TWO}` has a raised number; expected `x^2`"),
    ("x'=\N{VULGAR FRACTION ONE HALF}*x", "expected `(1/2)`"),
    ("x'=-q7*x", "unknown name `q7`; define it: q7=... or par q7=1"),
    ("x'=-qq7(x)", "unknown function `qq7`; define it: qq7(x)=..."),
    ("x'=-k*x;", "expected one statement in each line"),
]


@pytest.mark.parametrize(("line", "message"), CASES)
def test_a_slip_says_what_is_meant(line, message):
    n = 2 + line.count("\n")
    with pytest.raises(ModelError) as error:
        Model.from_text(f"par k=1\n{line}\nx(0)=1\n", "slip")
    assert message in str(error.value)
    assert str(error.value).startswith(f"slip:{n}: ")


@pytest.mark.parametrize("line", ["x'=x**2", "x'=max(1,5)-x", "x'=-k*x  # half-life \N{MINUS SIGN} of k"])
def test_what_has_a_meaning_is_no_slip(line):
    assert Model.from_text(f"par k=1\n{line}\nx(0)=1\n", "fine").states == ("x",)
