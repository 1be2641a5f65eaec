"""Statements that make states jump: `set a=a+5; b=0 at 7`, `dose gut=50 over 2 at 0(24)144`, `global 1 {c} {a=0}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.syntax import NAME, parse, short

MOST_TIMES = 10_000  # of one statement: what is longer is a slip of the pen
FORMS = {
    "set": "set a=a+5; b=0 at 7",
    "dose": "dose gut=50 at 0(24)144, or dose gut=50 over 2 at 0",
    "global": "global 1 {condition} {a=0; b=b+1}",
}
_WORDS = ((re.compile(r"set"), "set"), (re.compile(r"dose"), "dose"), (re.compile(r"g|glo\w*"), "global"))
_AT = re.compile(r"(.*)\bat\b(.*)", re.IGNORECASE | re.DOTALL)
_OVER = re.compile(r"(.*)\bover\b(.*)", re.IGNORECASE | re.DOTALL)
_GLOBAL = re.compile(r"\s*([-+]?\s*[01])\s*\{([^{}]*)\}\s*\{([^{}]*)\}\s*")
_ASSIGNMENT = re.compile(rf"\s*({NAME})\s*=(?!=)(.+)", re.DOTALL)
_NUMBER = r"[-+]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\(\s*({_NUMBER})\s*\)\s*({_NUMBER})\s*")


@dataclass(frozen=True)
class Spoken:
    """What such a statement says, names as they are written there."""

    word: str  # set, dose or global
    assignments: tuple[tuple[str, Expression], ...]
    times: tuple[Expression, ...] = ()
    over: Expression | None = None  # how long an infusion takes
    condition: Expression | None = None
    direction: int = 1

    @property
    def body(self) -> Expression:
        """One expression with all names in it, so that what is used is found."""
        parts: list[Expression] = [part for name, value in self.assignments for part in (Name(name), value)]
        parts += [*self.times, *(each for each in (self.over, self.condition) if each is not None)]
        return Call("+", tuple(parts))


def jump_word(word: str, rest: str) -> str | None:
    """Which of these statements begins with a word, if one does; `set name {...}` is another thing."""
    found = next((name for pattern, name in _WORDS if pattern.fullmatch(word.lower())), None)
    if (found == "set" and "{" in rest) or (found == "global" and "{" not in rest):
        return None
    return found


def read_jump(word: str, rest: str, code: str) -> Spoken:
    """What stands behind the word."""
    if word == "global":
        return _global(rest, code)
    match = _AT.fullmatch(rest)
    if match is None:
        _fail(code, word, "the time is missing")
    what, when = match[1], match[2]
    over = _OVER.fullmatch(what) if word == "dose" else None
    if over is not None:
        what = over[1]
    length = None if over is None else _parsed(over[2], code, word)
    if isinstance(length, Number) and not length.value > 0.0:
        _fail(code, word, "an infusion must take some time")
    return Spoken(word, _assignments(what, code, word), tuple(_times(when, code, word)), length)


def _global(rest: str, code: str) -> Spoken:
    match = _GLOBAL.fullmatch(rest)
    if match is None:
        _fail(code, "global", "`global` takes 1, -1 or 0 and two pairs of braces")
    direction = int(match[1].replace(" ", ""))
    condition = _parsed(match[2], code, "global")
    return Spoken("global", _assignments(match[3], code, "global"), condition=condition, direction=direction)


def _assignments(text: str, code: str, word: str) -> tuple[tuple[str, Expression], ...]:
    found: list[tuple[str, Expression]] = []
    for entry in text.strip().rstrip(";").split(";"):
        match = _ASSIGNMENT.fullmatch(entry)
        if match is None:
            _fail(code, word, f"`{short(entry)}` assigns nothing" if entry.strip() else "nothing is assigned")
        if any(match[1].lower() == name.lower() for name, _ in found):
            _fail(code, word, f"`{match[1]}` is assigned twice")
        found.append((match[1], _parsed(match[2], code, word)))
    return tuple(found)


def _times(text: str, code: str, word: str) -> Iterator[Expression]:
    """Numbers, expressions and lists such as 0(24)144, with commas between them."""
    for entry in entries_of(text):
        match = _RANGE.fullmatch(entry)
        if match is None:
            yield _parsed(entry, code, word)
            continue
        first, step, last = (float(match[k].replace(" ", "")) for k in (1, 2, 3))
        count = (last - first) / step if step else -1.0
        if not (step > 0.0 and 0.0 <= count < MOST_TIMES):
            _fail(code, word, f"`{short(entry)}` is no list of times: first(step)last, at most {MOST_TIMES} of them")
        yield from (Number(first + k * step) for k in range(int(count + 1e-9) + 1))


def entries_of(text: str) -> Iterator[str]:
    """What stands between commas that are not in parentheses."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _parsed(text: str, code: str, word: str) -> Expression:
    if not text.strip():
        _fail(code, word, "an expression is missing")
    try:
        found = parse(text)
    except ModelError as error:
        raise ModelError(f"{error.message}; a statement of this kind is {FORMS[word]}") from None
    if isinstance(found, Call) and found.function == "-" and isinstance(found.arguments[0], Number):
        return Number(-found.arguments[0].value)
    return found


def _fail(code: str, word: str, reason: str) -> NoReturn:
    raise ModelError(f"`{short(code)}`: {reason}; expected {FORMS[word]}")
