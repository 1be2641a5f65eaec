"""`noise x 0.1+0.05*x`, `prior k normal 2 .5` and `linear scale, offset` as values, by names of the model."""

from __future__ import annotations

import re

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.model.language.expression import Expression
from parfit.model.language.syntax import NAME, parse, short

FORMS = ("ADDITIVE", "RELATIVE", "LOGNORMAL", "LAPLACE", "LOGLAPLACE", "PROPORTIONAL")
GIVEN = "GIVEN"  # what follows is the standard deviation itself
DENSITIES = ("NORMAL", "LOGNORMAL", "LAPLACE", "LOGLAPLACE", "UNIFORM", "CAUCHY", "GAMMA", "RAYLEIGH")
NOISE = "noise x additive, or relative, lognormal, laplace, loglaplace, proportional EXPRESSION, or an EXPRESSION"
PRIOR = "prior k normal 2 .5, or lognormal, laplace, loglaplace, uniform, cauchy, gamma, rayleigh, and two numbers"
LINEAR = "linear scale, offset"
WORDS = ("noise", "prior", "linear")


@dataclass(frozen=True)
class NoiseLine:
    """The errors of one variable: a word for their form, what their size is made of, and who shares it."""

    variable: str
    form: str
    quantity: str = ""  # a parameter or an aux quantity
    group: str = ""
    line: int = 0


@dataclass(frozen=True)
class PriorLine:
    """What is known of a parameter beforehand, in words."""

    parameter: str
    words: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True)
class Read:
    """One name of such a line, with the rest: words, and what they give for the size of errors."""

    name: str
    words: tuple[str, ...] = ()
    body: Expression | None = None


def read_line(word: str, rest: str, code: str) -> list[Read]:
    """What a line says, by each of its names."""
    if word == "linear":
        names = [name.strip() for name in rest.split(",")]
        _check(all(re.fullmatch(NAME, name) for name in names), code, LINEAR)
        return [Read(name) for name in names]
    match = re.match(rf"({NAME}(?:\s*,\s*{NAME})*)\s+(\S.*)", rest)
    _check(match is not None, code, NOISE if word == "noise" else PRIOR)
    assert match is not None
    names = [name.strip() for name in match[1].split(",")]
    if word == "prior":
        return [Read(name, _prior(match[2], code)) for name in names]
    form, body = read_errors(match[2], code)
    return [Read(name, (form, body.strip()), parse(body) if body.strip() else None) for name in names]


def read_errors(text: str, code: str = "") -> tuple[str, str]:
    """A word for the form of errors, and what stands behind it; without a word all of it is a standard deviation."""
    word, _, rest = text.strip().partition(" ")
    if word.upper() not in FORMS:
        return GIVEN, text.strip()
    _check(word.upper() != "PROPORTIONAL" or bool(rest.strip()), code or text, NOISE)
    return word.upper(), rest.strip()


def _prior(text: str, code: str) -> tuple[str, ...]:
    words = tuple(re.split(r"[\s,]+", text.strip()))
    _check(words[0].upper() in DENSITIES and len(words) == 3, code, PRIOR)
    return words


def _check(is_right: bool, code: str, expected: str) -> None:
    if not is_right:
        raise ModelError(f"`{short(code)}`: expected {expected}")
