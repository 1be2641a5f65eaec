"""Where in the text of a model each definition stands, so that one can be changed and the rest left as it is."""

from __future__ import annotations

import re

from parfit.dataclass import dataclass
from parfit.model.language.statements import USED_OPTION, Line, Statement, line_statements, logical_lines
from parfit.model.language.syntax import NAME, tokenize

Span = tuple[int, int]  # first character and the one behind the last, in the code of a line


@dataclass(frozen=True)
class Placed:
    """A definition and its place: a whole line of code, or an entry in a list such as `par a=1, b=2`."""

    statement: Statement
    line: Line
    span: Span
    siblings: tuple[Span, ...]  # all entries of its list, this one among them; empty for a whole line

    @property
    def key(self) -> str:
        return self.statement.key

    @property
    def kind(self) -> str:
        return self.statement.kind

    @property
    def code(self) -> str:
        """The definition as it is written."""
        return self.line.code[slice(*self.span)]

    @property
    def body(self) -> str | None:
        """Its right-hand side as it is written; None of an entry without a value."""
        _, equals, body = self.code.partition("=")
        return body.strip() if equals else None

    @property
    def body_span(self) -> Span:
        """Where the right-hand side stands; empty, behind the name, if there is none."""
        last = self.span[1]
        return (last - len(self.body), last) if self.body else (last, last)

    def in_text(self, span: Span) -> Span:
        """The same span in the text of the model."""
        first, last = span
        start = self.line.places[first] if first < last else self.line.places[first - 1] + 1
        return start, self.line.places[last - 1] + 1


def placed(text: str) -> list[Placed]:
    """The definitions of a model text with their places, in their order."""
    found: list[Placed] = []
    for line in logical_lines(text):
        if not line.ends:
            found += _of_line(line)
    return found


def _of_line(line: Line) -> list[Placed]:
    if line.code[0] == "%" or "[" in line.code:  # a loop, of which no part can be changed by itself
        return []
    statements = [item for item in line_statements(line) if item.kind != "ignored"]
    if not statements:
        return []
    if statements[0].kind == "option":
        spans = [(match.start(1), match.end(2)) for match in USED_OPTION.finditer(line.code, 1)]
    elif _is_list(statements[0], line.code):
        spans = _entries(line.code)
    else:
        return [Placed(statements[0], line, (0, len(line.code)), ())]
    return [Placed(item, line, span, tuple(spans)) for item, span in zip(statements, spans, strict=True)]


def _is_list(first: Statement, code: str) -> bool:
    """Whether a line is a list: `init x=1`, but not `x(0)=1`, and `local k, b`, but not `local k low, high`."""
    if first.kind == "local":
        return not first.arguments
    return first.kind in ("parameter", "constant", "initial value") and "(" not in code.partition("=")[0]


def _entries(code: str) -> list[Span]:
    """The entries of a list behind its statement word.

    An entry starts at a name that no operator joins to what stands before it.
    """
    word = re.match(rf"{NAME}\s+", code)
    offset = word.end() if word else 0
    spans: list[Span] = []
    depth, joined = 0, False
    for token in tokenize(code[offset:]):
        depth += (token.text == "(") - (token.text == ")")
        start, stop = offset + token.start, offset + token.start + len(token.text)
        begins = token.kind == "name" and token.text.lower() not in ("then", "else") and not (joined or depth)
        if begins:
            spans.append((start, stop))
        elif token.kind != "end" and token.text != ",":
            spans[-1] = (spans[-1][0], stop)
        elif depth:  # a comma between arguments
            joined = True
            continue
        joined = token.kind == "sign" and token.text not in (")", ",")
    return spans


def lines_of(text: str, item: Placed) -> Span:
    """The span of the whole lines on which a definition stands, with the line end."""
    first, last = item.line.places[0], item.line.places[-1] + 1
    end = re.compile(r"[^\r\n]*(\r\n|\r|\n)?").match(text, last)
    return line_start(text, first), end.end() if end else last


def line_start(text: str, place: int) -> int:
    """Where the line begins on which a place is."""
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
