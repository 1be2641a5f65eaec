"""Models and their derivatives typeset for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.statements import Statement, read_statements
from parfit.model.language.writing import READABLE, UNICODE, expression_text, jump_text, number_text
from parfit.model.model import Definition, Model
from parfit.model.said.lines import GIVEN

Rows = Sequence[tuple[str, str]]  # what stands left and right of =
INDENT = "  "
MAX_LABEL = 16  # longer ones do not push the others to the right
# Where a line may be broken: before an operator, and behind a comma.
_BREAK = re.compile(r" (?=(?:[-+<>=!≤≥≠&|]+ |then\(|else\())|(?=[·*/])|(?<=,) ")


def typeset(model: Model, unicode: bool = True, width: int = 80) -> str:
    """Name and remarks, equations, quantities, aux, initial values, parameters and tables."""
    style = UNICODE if unicode else READABLE
    found = definitions(model)
    written = {title: [(name, expression_text(node, style)) for name, node in rows] for title, rows in found.items()}
    parts = [_head(model, width)]
    parts += [_section(title, rows, width) for title, rows in written.items() if rows]
    if lines := _rest(model):
        parts.append("It begins at rest\n" + "\n".join(INDENT + line for line in lines))
    if lines := _jumps(model):
        parts.append("Jumps\n" + "\n".join(INDENT + line for line in lines))
    if lines := _said(model):
        parts.append("Said of data and parameters\n" + "\n".join(INDENT + line for line in lines))
    if model.parameters:
        pairs = zip(model.parameters, model.values.tolist(), strict=True)
        cells = [f"{name} = {number_text(number, READABLE)}" for name, number in pairs]
        parts.append("Parameters, and where their search begins\n" + _grid(cells, width))
    if model.tables:
        parts.append("Tables\n" + "\n".join(_tables(model.template or model)))
    return "\n\n".join(parts)


def _jumps(model: Model) -> list[str]:
    """The statements that make states jump, as they were written."""
    if not model.source:
        return [jump_text(jump) for jump in model.jumps]
    return [item.name for item in read_statements(model.source) if item.kind == "jump"]


def _rest(model: Model) -> list[str]:
    """The statements `rest`, as they were written."""
    return [item.name for item in read_statements(model.source) if item.kind == "rest"] if model.source else []


def _said(model: Model) -> list[str]:
    """The statements `noise`, `prior` and `linear`."""
    found = [item for item in read_statements(model.source) if item.kind in ("noise", "prior", "linear")]
    words = [[word for word in item.arguments if word and word != GIVEN] for item in found]
    return [" ".join([item.kind, *each]).lower() for item, each in zip(found, words, strict=True)]


def derivatives(model: Model, unicode: bool = True, width: int = 80) -> str:
    """All partial derivatives that are not zero, by states and parameters."""
    from parfit.model.calculus.readable import partial_derivatives  # takes sympy

    style = UNICODE if unicode else READABLE
    found = partial_derivatives(model.template or model)
    titles = ("quantities", "the equations", "the initial values", "the aux quantities")
    parts = []
    for title, partials in zip(titles, found, strict=True):
        rows = [(each.label, expression_text(each.expression, style)) for each in partials]
        if rows:
            parts.append(_section(f"Derivatives of {title}", rows, width))
    text = "\n\n".join(parts) or "All derivatives are zero."
    return text if unicode else text.replace("∂", "d")


# ---- what is written


def definitions(model: Model) -> dict[str, list[Definition]]:
    """Equations, quantities, functions, constants, aux and initial values under their titles, as they were written."""
    return _from_source(model) if model.source else _from_model(model)


def _from_model(model: Model) -> dict[str, list[Definition]]:
    return {
        "Equations": [(f"{name}'", node) for name, node in zip(model.states, model.equations, strict=True)],
        "Quantities": list(model.quantities),
        "Aux quantities": list(model.aux),
        _initial_title(model): [(f"{name}(0)", node) for name, node in zip(model.states, model.initial, strict=True)],
    }


def _from_source(model: Model) -> dict[str, list[Definition]]:
    """The definitions as they were written, with constants and functions by their names."""
    statements, written = read_statements(model.source), model.template or model
    spelled = {item.key: item.name for item in statements if item.kind not in ("aux", "initial value", "option")}

    def rows(*kinds: str, form: str = "{}") -> dict[str, Definition]:
        found = [item for item in statements if item.kind in kinds]
        return {item.key: (form.format(item.name), _respelled(item, spelled)) for item in found}

    initial = rows("initial value", form="{}(0)")
    statements_of_aux = [item for item in statements if item.kind == "aux"]
    aux = {item.key: (item.name, _respelled(item, spelled)) for item in reversed(statements_of_aux)}  # first counts
    functions = [
        (f"{item.name}({', '.join(item.arguments)})", _respelled(item, spelled))
        for item in statements
        if item.kind == "function"
    ]
    starts = [
        (f"{name}(0)", initial.get(name.lower(), ("", Number(0.0)))[1])
        for name in written.states
        if name not in written.held
    ]
    return {
        "Equations": list(rows("state", form="{}'").values()),
        "Quantities": list(rows("quantity", "derived quantity").values()),
        "Functions": functions,
        "Constants": list(rows("constant").values()),
        "Aux quantities": list(reversed(aux.values())),
        _initial_title(model): starts,
    }


def _respelled(item: Statement, spelled: Mapping[str, str]) -> Expression:
    """The body of a statement with names as they were defined; arguments of a function are its own."""
    names = dict(spelled) | {argument.lower(): argument for argument in item.arguments}

    def walk(node: Expression) -> Expression:
        if isinstance(node, Name):
            return Name(names.get(node.name.lower(), node.name))
        if isinstance(node, Call):
            return Call(names.get(node.function, node.function), tuple(walk(each) for each in node.arguments))
        return node

    return walk(item.body)


def _initial_title(model: Model) -> str:
    return f"Initial values at t = {number_text(model.t0, READABLE)}"


def _head(model: Model, width: int) -> str:
    """The name, the comment at the top of the file, and what the reader passed over."""
    comments = re.match(r"(?:[ \t]*#[^\r\n]*(?:\r\n|\r|\n|$))*", model.source)
    lines = [line.strip(" \t#") for line in re.split(r"[\r\n]+", comments[0])] if comments else []
    texts = [model.name, *lines, *(f"Remark: {remark}" for remark in model.remarks)]
    return "\n".join(textwrap.fill(text, max(width, 20)) for text in texts if text)


def _tables(model: Model) -> Iterable[str]:
    words = {item.name: " ".join(item.arguments) for item in read_statements(model.source) if item.kind == "table"}
    for name, curve in model.tables:
        first, last = (number_text(float(time), READABLE) for time in curve.breaks[[0, -1]])
        origin = f" from {words[name]}," if name in words else ""
        yield f"{INDENT}{name}(t){origin} t = {first} to {last}"


# ---- how it is laid out


def _section(title: str, rows: Rows, width: int) -> str:
    label_width = max((len(label) for label, _ in rows if len(label) <= MAX_LABEL), default=0)
    return "\n".join([title, *(_row(label.ljust(label_width), text, width) for label, text in rows)])


def _row(label: str, text: str, width: int) -> str:
    start = f"{INDENT}{label} = "
    room = max(width - len(start), 20)
    return start + ("\n" + " " * len(start)).join(broken(text, room))


def broken(text: str, room: int) -> list[str]:
    """An expression in lines of at most so many characters, broken at its outermost operators as far as possible."""
    lines = []
    while len(text) > room:
        place = _best_break(text, room)
        if place is None:
            break
        lines.append(text[:place].rstrip())
        text = text[place:].lstrip()
    return [*lines, text]


def _best_break(text: str, room: int) -> int | None:
    """A break that fits, in as few parentheses as possible; better a sum than a product, better late than early."""
    breaks: list[tuple[int, bool, int]] = []  # depth, whether in a product, place
    depth = position = 0
    for match in _BREAK.finditer(text, 1):
        between = text[position : match.start()]
        depth += between.count("(") - between.count(")")
        position = match.start()
        breaks.append((depth, match[0] == "", position))
        if position > room:
            break
    good = [each for each in breaks if room // 3 <= each[2] <= room]
    if good:
        return min(good, key=lambda each: (each[0], each[1], -each[2]))[2]
    fitting = [place for _, _, place in breaks if place <= room] or [place for _, _, place in breaks]
    return max(fitting, default=None)


def _grid(cells: Sequence[str], width: int) -> str:
    """Cells in columns of equal width, row by row."""
    column = max(map(len, cells)) + 3
    count = max(1, (width - len(INDENT) + 3) // column)
    rows = [cells[k : k + count] for k in range(0, len(cells), count)]
    return "\n".join(INDENT + "".join(cell.ljust(column) for cell in row).rstrip() for row in rows)
