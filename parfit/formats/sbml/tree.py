"""XML as a tree that knows its lines. Entities, document types and more than a model needs are refused."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from parfit.errors import ModelError
from parfit.model.textfile import real

MOST_ELEMENTS = 1_000_000  # the largest models of whole cells have some 100,000
PASSED_OVER = ("annotation", "notes")  # what is for people and for other programs
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(slots=True, eq=False)
class Element:
    """One element: its parts, and the pieces of text before, between and behind them."""

    tag: str
    space: str  # the namespace
    attributes: dict[str, str]
    line: int
    parts: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=lambda: [""])

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def get(self, name: str) -> str | None:
        """An attribute without the blanks around it."""
        found = self.attributes.get(name)
        return None if found is None else found.strip()

    def required(self, name: str) -> str:
        found = self.get(name)
        if not found:
            raise refused(self, f"has no `{name}`")
        return found

    @property
    def id(self) -> str:
        """What it is called, which formulas may name; nothing where it is not called anything."""
        found = self.get("id")
        if found is None:
            return ""
        if not IDENTIFIER.fullmatch(found):
            raise refused(self, "has an id that is none; expected letters, digits and underscores")
        return found

    def truth(self, name: str, default: bool) -> bool:
        found = self.get(name)
        if found is not None and found not in TRUTH:
            raise refused(self, f'has {name}="{found}"; expected true or false')
        return default if found is None else TRUTH[found]

    def number(self, name: str) -> float | None:
        """A number, or None where there is none; NaN counts as none."""
        found = self.get(name)
        if found is None or found == "NaN":
            return None
        value = {"INF": math.inf, "-INF": -math.inf}.get(found, real(found))
        if value is None:
            raise refused(self, f'has {name}="{found}"; expected a number')
        return value

    def first(self, tag: str) -> Element | None:
        return next((part for part in self.parts if part.tag == tag), None)

    def listed(self, tag: str) -> list[Element]:
        """The parts of a list such as listOfSpecies; nothing where there is none."""
        found = self.first(tag)
        return [] if found is None else found.parts


def refused(element: Element, what: str) -> ModelError:
    """What is wrong with an element, or that it is not supported, with its line and what it is called."""
    attributes = element.attributes
    called = next((attributes[name] for name in ("id", "symbol", "variable", "species") if name in attributes), "")
    shown = " ".join(called.split())
    return ModelError(f"<{element.tag}>{f' `{shown}`' if shown else ''} {what}", None, element.line)


def read_tree(data: bytes) -> Element:
    """The root of an XML text."""
    growing = _Growing()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = lambda *_: _refuse_types(parser.CurrentLineNumber)
    parser.EntityDeclHandler = lambda *_: _refuse_types(parser.CurrentLineNumber)
    parser.StartElementHandler = lambda name, attributes: growing.start(name, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = growing.end
    parser.CharacterDataHandler = growing.characters
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelError(f"is not well-formed XML: {expat.ErrorString(error.code)}", None, error.lineno) from None
    except (ValueError, LookupError) as error:  # such as an encoding that Python does not know
        raise ModelError(f"is not well-formed XML: {error}", None, parser.CurrentLineNumber) from None
    assert growing.root is not None
    return growing.root


def _refuse_types(line: int) -> NoReturn:
    raise ModelError("has a document type or entities, which are not read; remove <!DOCTYPE ...>", None, line)


class _Growing:
    """The tree while it is read; elements may nest as deep as they like."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []
        self._skipped = 0  # how deep we are in what is passed over
        self._count = 0

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        space, _, tag = name.rpartition(" ")
        if self._skipped or (self._open and tag in PASSED_OVER):
            self._skipped += 1
            return
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise ModelError(f"has more than {MOST_ELEMENTS} elements, which is no model", None, line)
        element = Element(tag, space, attributes, line)
        if self._open:
            self._open[-1].parts.append(element)
            self._open[-1].pieces.append("")
        else:
            self.root = element
        self._open.append(element)

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        else:
            self._open.pop()

    def characters(self, text: str) -> None:
        if self._open and not self._skipped:
            self._open[-1].pieces[-1] += text
