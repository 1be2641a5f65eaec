"""Files of other programs, which are told by their content: what they are, and what to do with them."""

from __future__ import annotations

import re

BEGINNING = 4000  # bytes of a file that are looked at
MODEL_LINE = re.compile(r"^\s*(par\w*\s+\w+\s*=|\w+'\s*=|d\w+/dt\s*=|init\s+\w+\s*=|aux\s+\w+\s*=)", re.M | re.I)
DATA_LINE = re.compile(r"^\s*[-+.\d]+([eE][-+]?\d+)?\s*[,;\t]")
KINDS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"PK\x03\x04"), "is a workbook of a spreadsheet (or a zip file); save the sheet as CSV"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "is a workbook of an old spreadsheet; save the sheet as CSV"),
    (re.compile(rb"(?s).*<sbml\b"), "is a model in SBML; give it in the place of the model"),
    (re.compile(rb"\s*<\?xml|\s*<!DOCTYPE|\s*<html"), "is XML or HTML; expected plain text"),
    (re.compile(rb"(?s)(.*\n)?format_version\s*:"), "is a PEtab problem; give it in the place of the model, alone"),
    (
        re.compile(rb"(?s).*observableId\t.*simulationConditionId"),
        "is a table of PEtab; give the YAML file of its problem, in the place of the model",
    ),
)


def foreign(data: bytes) -> str:
    """What a file of another program is; nothing if it is none that is known."""
    head = data[:BEGINNING]
    return next((said for pattern, said in KINDS if pattern.match(head)), "")


def looks_like_model(data: bytes) -> bool:
    """Whether a file holds equations rather than data."""
    return MODEL_LINE.search(data[:BEGINNING].decode("utf-8", "replace")) is not None


def looks_like_data(data: bytes) -> bool:
    """Whether a file holds columns of numbers below a line of names."""
    lines = [line for line in data[:BEGINNING].decode("utf-8", "replace").split("\n") if line.strip()]
    numbers = [line for line in lines[1:] if DATA_LINE.match(line)]
    return len(lines) > 1 and len(numbers) >= len(lines[1:]) / 2 and not looks_like_model(data)
