"""Text of a model file to statements: what each line defines, with its line number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parfit.errors import ModelError
from parfit.model.language import slips
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.jumping import Spoken, jump_word, read_jump
from parfit.model.language.loops import BLOCK, block_written_out, written_out
from parfit.model.language.scopes import ALLOWED, EXPERIMENT, read_local, read_rest, read_scope
from parfit.model.language.syntax import NAME, parse, parse_entries, short
from parfit.model.language.tables import read_table_statement
from parfit.model.said import lines as said
from parfit.model.textfile import real

ZERO = Number(0.0)
AT_0 = "(0)"  # stands with an initial value that was written x(0)=
AFTER = "after rest"  # and with one that holds when the equations have come to rest


@dataclass(frozen=True, slots=True)
class Statement:
    """One definition. `kind` is a word for messages: parameter, constant, state, initial value, quantity,
    derived quantity, function, aux, table, option, set, jump, rest, experiment, local, noise, prior, linear, or
    ignored."""

    kind: str
    line: int
    name: str
    body: Expression = ZERO
    arguments: tuple[str, ...] = ()  # of a function; of a table the words behind its name
    doubts: tuple[str, ...] = ()  # comparisons that XPPAUT reads differently
    jump: Spoken | None = None  # of a jump, whose name is its text
    inner: tuple[Statement, ...] = ()  # what holds in the experiments that are the arguments, or at rest

    @property
    def key(self) -> str:
        """The name as it is compared: case never matters."""
        return self.name.lower()


class Line(NamedTuple):
    """A line with its continuations, without comments."""

    number: int  # of its first line in the text
    code: str
    places: list[int]  # where each character of the code stands in the text
    ends: bool = False  # whether it ends the model


# Statement words and how they may be shortened or extended: `p`, `par`, `params`, `parameter`, ...
_LISTS = (
    (re.compile(r"p|par\w*"), "parameter"),
    (re.compile(r"n|num\w*"), "constant"),
    (re.compile(r"i|ini\w*"), "initial value"),
)
_IGNORED = re.compile(r"set|only|opt\w*|fold\w*|but\w*")

_DERIVED = re.compile(rf"!\s*({NAME})\s*=(?!=)")
_SLOPE = re.compile(rf"[dD]({NAME})\s*/\s*[dD][tT]\s*=(?!=)")
_PRIMED = re.compile(rf"({NAME})\s*('+)\s*=(?!=)")
_START = re.compile(rf"({NAME})\s*\(\s*0*\.?0*\s*\)\s*=(?!=)")
_FUNCTION = re.compile(rf"({NAME})\s*\(([^()]*)\)\s*=(?!=)")
_QUANTITY = re.compile(rf"({NAME})\s*=(?!=)")
_WORD = re.compile(rf"({NAME})(?:\s+|$)")
_AUX = re.compile(r"([^\W\d][\w.'/+()-]*)\s*=(?!=)")  # a label: real files have P.E., dv/dt and glucose(mM)
_COMMENT = re.compile(r'\s*(#|"|%(?!\s*\[))')  # for a whole line; %[1..9] begins a loop
_PHYSICAL = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_INCLUDE = re.compile(r"#include\s+\S+$")
USED_OPTION = re.compile(r"(?:^|[\s,])(t0|total|dt)\s*=\s*([^\s,]+)", re.IGNORECASE)
_OPTION_NAME = re.compile(r"(\w+)\s*=")
_SET = re.compile(rf"set\s+({NAME})\s*\{{([^{{}}]*)\}}", re.IGNORECASE)
_METHOD = re.compile(r"(?:^|[\s,])meth\w*\s*=\s*(d\w*)", re.IGNORECASE)

_EXPECTED = (
    "expected name'=..., name=..., name(0)=..., par, number, init, aux, table, set, dose, global, rest, local, "
    "experiment, noise, prior, linear or done"
)


def read_statements(text: str) -> list[Statement]:
    """The statements of a model file, in their order."""
    found: list[Statement] = []
    for line in _without_blocks(logical_lines(text)):
        if not line.ends:
            found += line_statements(line)
        elif not re.match(r"d(\b|on)", line.code, re.IGNORECASE):
            found.append(Statement("ignored", line.number, f"everything from `{short(line.code, 20)}` on"))
    return found


def _without_blocks(lines: Iterator[Line]) -> Iterator[Line]:
    """The lines with every block between `%[1..9]` and `%` written out."""
    for line in lines:
        if not BLOCK.match(line.code):
            yield line
            continue
        inner: list[Line] = []
        for each in lines:
            if each.code[0] == "%" or each.ends:
                break
            inner.append(each)
        else:
            raise ModelError(
                f"`{short(line.code)}` begins a block that has no end; expected a line with %", None, line.number
            )
        try:
            for place, code in block_written_out(line.code, [each.code for each in inner]):
                yield inner[place]._replace(code=code)
        except ModelError as error:
            raise ModelError(error.message, None, line.number) from None


def line_statements(line: Line) -> list[Statement]:
    """What one line defines."""
    try:
        if "[" not in line.code or not _may_loop(line.code):
            return _statements(line.number, line.code)
        return [item for code in written_out(line.code) for item in _statements(line.number, code)]
    except ModelError as error:
        raise ModelError(error.message, None, line.number) from None


def _may_loop(code: str) -> bool:
    """Whether brackets in a line can be those of a loop; what is ignored or refused anyway may hold others."""
    word = _WORD.match(code)
    ignored = word is not None and not _defines(code) and _IGNORED.fullmatch(word[1].lower())
    return code[0] not in "@#" and not ignored and not slips.INTEGRAL.search(code)


def logical_lines(text: str) -> Iterator[Line]:
    """The lines of a model file that say something, up to the one that ends it."""
    for line in _joined_lines(text):
        if _ends(line.code):
            yield line._replace(ends=True)
            return
        yield line


def _joined_lines(text: str) -> Iterator[Line]:
    start, pending, places, joining, in_block = 0, "", list[int](), False, False
    for number, match in enumerate(_PHYSICAL.finditer(text), 1):
        line = match[1]
        if not joining:
            start, pending, places = number, "", []
        # A comment of a whole line swallows its continuation, as in XPPAUT; another ends with its line.
        ends_block = in_block and not joining and line.lstrip().startswith("%")
        whole = _COMMENT.match(pending + line) is not None and not ends_block
        code = (line if whole else line.partition("#")[0]).rstrip()
        joining = code.endswith("\\") and match.end() < len(text)
        code = code.removesuffix("\\")
        pending += code
        places += range(match.start(), match.start() + len(code))
        if not joining and pending.strip() and (not whole or _INCLUDE.match(pending.strip())):
            in_block = not ends_block and (in_block or BLOCK.match(pending.strip()) is not None)
            yield _stripped(start, pending, places)


def _stripped(number: int, code: str, places: list[int]) -> Line:
    first = len(code) - len(code.lstrip())
    return Line(number, code.strip(), places[first : len(code.rstrip())])


def _ends(code: str) -> bool:
    """Whether a line ends the model: `done`, or any word with d that defines nothing."""
    word = re.match(r"[dD][^\s=/'(]*(?=\s|$)", code)
    return word is not None and not _begins(word[0].lower(), code) and not _defines(code)


def _begins(word: str, code: str) -> bool:
    """Whether a word with d begins a statement."""
    return word.startswith("delay") or (word == "dose" and "=" in code)


def _defines(code: str) -> bool:
    return any(form.match(code) for form in (_SLOPE, _PRIMED, _START, _FUNCTION, _QUANTITY))


def _statements(line: int, code: str) -> list[Statement]:
    if code[0] == "@":
        return _options(line, code[1:])
    if code[0] == "#":
        slips.refuse(code, "#include", "other files")
    if line == 1 and code.isdecimal():
        raise ModelError(
            f"`{short(code)}`: XPPAUT's old format, which counts equations, is not supported; {_EXPECTED}"
        )
    word = _WORD.match(code)
    if kept := _SET.fullmatch(code):
        return [Statement("set", line, kept[1], arguments=tuple(_assigned(kept[2])))]
    jump = jump_word(word[1], code[word.end() :]) if word and not _defines(code) else None
    if word and jump:
        spoken = read_jump(jump, code[word.end() :], code)
        return [Statement("jump", line, " ".join(code.split()), spoken.body, jump=spoken)]
    if word and not _defines(code) and _IGNORED.fullmatch(word[1].lower()):
        return [Statement("ignored", line, word[1].lower())]
    slips.refuse_everywhere(code)
    found = _definition(line, code)
    if found:
        return [found]
    if word is None:
        raise ModelError(f"`{short(code)}`: {slips.of_line(code) or _EXPECTED}")
    return _command(line, word[1].lower(), code[word.end() :], code)


def _assigned(text: str) -> Iterator[str]:
    """The names and numbers of `a=1,b=2` in turn; what is no number is passed over."""
    for entry in re.split(r"[,\s]+(?=[^,\s=]+=)", text.strip()):
        name, _, number = entry.partition("=")
        if real(number.strip(" ,")) is not None:
            yield from (name.strip(), number.strip(" ,"))


def _definition(line: int, code: str) -> Statement | None:
    """A line that is a definition by its form."""
    if match := _DERIVED.match(code):
        return _defined("derived quantity", line, code, match)
    if match := _SLOPE.match(code):
        return _defined("state", line, code, match)
    if match := _PRIMED.match(code):
        if len(match[2]) > 1:
            raise ModelError(
                f"`{short(code)}`: expected a first derivative; write {match[1]}'=v and v'=... for a second one"
            )
        return _defined("state", line, code, match)
    if match := _START.match(code):
        return _defined("initial value", line, code, match, (AT_0,))
    if match := _FUNCTION.match(code):
        return _defined("function", line, code, match, _arguments(code, match[2]))
    if match := _QUANTITY.match(code):
        return _defined("quantity", line, code, match)
    return None


def _defined(kind: str, line: int, code: str, match: re.Match[str], arguments: tuple[str, ...] = ()) -> Statement:
    text = code[match.end() :]
    if not text.strip():
        raise ModelError(f"`{short(code)}` has an empty right-hand side; expected an expression")
    doubts: list[str] = []
    return Statement(kind, line, match[1], parse(text, doubts), arguments, tuple(doubts))


def _arguments(code: str, text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not re.fullmatch(NAME, name):
            raise ModelError(f"`{short(code)}`: expected names as arguments, instead of `{short(name)}`")
    if len({name.lower() for name in names}) < len(names):
        raise ModelError(f"`{short(code)}`: expected arguments with different names")
    return names


def _command(line: int, word: str, rest: str, code: str) -> list[Statement]:
    """A line that starts with a statement word."""
    for pattern, kind in _LISTS:
        if pattern.fullmatch(word):
            return _entries(kind, line, rest)
    if word.startswith("aux"):
        match = _AUX.match(rest)
        if match is None:
            raise ModelError(f"`{short(code)}`: expected aux name=expression")
        return [_defined("aux", line, rest, match)]
    if word.startswith("tab"):
        name, body, words = read_table_statement(rest, code)
        return [Statement("table", line, name, body, words)]
    if word == "local":
        return [Statement("local", line, name, arguments=groups) for name, groups in read_local(rest, code)]
    if word == "experiment":
        return [_scope(line, rest, code)]
    if word == "rest":
        return [_rest(line, rest, code)]
    if word in said.WORDS:
        return [
            Statement(
                word, line, f"{word} {each.name}", ZERO if each.body is None else each.body, (each.name, *each.words)
            )
            for each in said.read_line(word, rest, code)
        ]
    for pattern, name, what in slips.REFUSED:
        if pattern.fullmatch(word):
            slips.refuse(code, name, what)
    raise ModelError(f"`{short(code)}`: `{word}` is not a statement; {_EXPECTED}")


def _scope(line: int, rest: str, code: str) -> Statement:
    names, text = read_scope(rest, code)
    inner = tuple(_statements(line, text))
    if any(item.kind not in ALLOWED for item in inner):
        raise ModelError(f"`{short(code)}`: this cannot differ between experiments; expected {EXPERIMENT}")
    return Statement("experiment", line, " ".join(code.split()), arguments=names, inner=inner)


def _rest(line: int, rest: str, code: str) -> Statement:
    """What `rest ligand=0, a(0)=1` sets while the equations come to rest: values, and initial values as x(0)=."""
    inner = tuple(
        Statement("initial value" if starts else "constant", line, name, body)
        for name, starts, body in read_rest(rest, code)
    )
    used = tuple(part for item in inner for part in (Name(item.name), item.body))
    return Statement("rest", line, " ".join(code.split()), Call("+", used) if used else ZERO, inner=inner)


def _entries(kind: str, line: int, text: str) -> list[Statement]:
    return [
        Statement(kind, line, entry.name, ZERO if entry.value is None else entry.value)
        for entry in parse_entries(text)
    ]


def _options(line: int, text: str) -> list[Statement]:
    """What an `@` line sets: the initial time and the length of a run count, the rest is ignored."""
    if match := _METHOD.search(text):
        slips.refuse("@" + text, f"meth={match[1]}", "maps")
    found = [Statement("option", line, name.lower(), parse(value)) for name, value in USED_OPTION.findall(text)]
    rest = USED_OPTION.sub("", text).strip(" \t,")
    if rest:
        names = _OPTION_NAME.findall(rest)
        found.append(Statement("ignored", line, f"@ {', '.join(names)}" if names else "options after @"))
    return found
