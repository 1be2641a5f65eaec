"""A model that is being typed: every statement is checked as it comes, and what is missing is known at any time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import NamedTuple

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.model.language.editing import edited
from parfit.model.language.expression import Call, Expression, Name
from parfit.model.language.locating import placed
from parfit.model.language.reader import RESERVED, model_from_text
from parfit.model.language.statements import Statement, logical_lines, read_statements
from parfit.model.language.syntax import NAME, short
from parfit.model.textfile import Read, file_bytes, real

EQUATION, DEFINITION, VALUE, START = "equation", "definition", "value", "start"
SOME_STATE = "a state"  # stands for the name of one where there is no equation at all
UNDEFINABLE = {*RESERVED, "pi"}
STAND_IN = "y_stand_in"  # a state for a draft that has none yet


class Missing(NamedTuple):
    """What a model lacks: the equation or the initial value of a state, a definition, the value of a parameter."""

    what: str
    name: str


@dataclass(frozen=True)
class Draft:
    """The text of a model so far; all of it is right, and more may be needed."""

    text: str = ""

    def with_line(self, line: str, folder: str | PathLike[str] | None = None, read: Read = file_bytes) -> Draft:
        """With one more statement, which replaces the one before that defines the same."""
        try:
            new = Draft(_typed(self.text, line))
            model_from_text(new._with_stand_ins(), folder=folder, read=read)
        except ModelError as error:
            raise ModelError(error.message) from None
        return new

    def with_answer(self, missing: Missing, answer: str) -> Draft:
        """With what is missing, given as a number, as a name or formula, or as a whole statement."""
        if missing.what == START and (real(answer) is not None or "=" not in answer):
            return self.with_line(f"{missing.name}(0)={answer}")
        if real(answer) is not None:
            return self.with_line(f"par {missing.name}={answer}")
        return self.with_line(answer)

    @property
    def missing(self) -> list[Missing]:
        """What it takes to make a model of this, in the order in which one would ask."""
        statements = read_statements(self.text)
        states = _names(statements, "state")
        begun = _names(statements, "initial value")
        equations = [name for key, name in begun.items() if key not in states] if states or begun else [SOME_STATE]
        parameters = [item for item in placed(self.text) if item.kind == "parameter"]
        return [
            *(Missing(EQUATION, name) for name in equations),
            *(Missing(DEFINITION, name) for name in _undefined(statements)),
            *(Missing(VALUE, item.statement.name) for item in parameters if item.body is None),
            *(Missing(START, name) for key, name in states.items() if key not in begun),
        ]

    def _with_stand_ins(self) -> str:
        """The text with something in place of what is missing, so that all the rest can be checked."""
        lines = []
        for what, name in self.missing:
            if what == EQUATION:
                lines.append(f"{STAND_IN if name == SOME_STATE else name}'=0")
            elif what == DEFINITION:
                lines.append(f"par {name}=1")
        return "\n".join([self.text, *lines])


def _typed(text: str, line: str) -> str:
    """The text with a line: one that defines something anew takes the place of what did before."""
    lines = list(logical_lines("\n" + line))
    if not lines:  # a comment
        return _ended(text) + line + "\n"
    if any(each.ends for each in lines):
        raise ModelError(f"`{short(line)}` ends the model; expected a statement")
    if re.fullmatch(NAME, line.strip()):
        raise ModelError(f"`{line.strip()}` alone says nothing; expected a statement such as {line.strip()}'=...")
    if re.match(r"(remove|delete)\s", line.strip(), re.IGNORECASE):
        return edited(text, line)
    read_statements("\n" + line)  # what is wrong with the line itself is told without the rest
    if {item.key for item in placed("\n" + line)} & {item.key for item in placed(text)}:
        return edited(text, line)
    return _ended(text) + line.strip() + "\n"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _names(statements: Iterable[Statement], kind: str) -> dict[str, str]:
    return {item.key: item.name for item in statements if item.kind == kind}


def _undefined(statements: list[Statement]) -> Iterator[str]:
    """Names that are used and not defined, each once, as they are first written."""
    known = {item.key for item in statements if item.kind not in ("initial value", "option", "set", "ignored")}
    begun = {item.key for item in statements if item.kind == "initial value"}
    seen = known | begun | UNDEFINABLE
    for item in statements:
        own = {argument.lower() for argument in item.arguments} if item.kind == "function" else set[str]()
        for name in _in_order(item.body):
            if name.lower() not in seen | own:
                seen.add(name.lower())
                yield name


def _in_order(node: Expression) -> Iterator[str]:
    """The names of an expression as one reads them."""
    left = [node]
    while left:
        first = left.pop()
        if isinstance(first, Name):
            yield first.name
        elif isinstance(first, Call):
            left += reversed(first.arguments)
