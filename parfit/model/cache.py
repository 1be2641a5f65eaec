"""Derivations on disk, so that a model that was differentiated once does not wait for sympy again.

A cache file is plain data (JSON behind a checksum) that is looked at closely before it is used. A file that is
damaged, foreign or old counts as none, and a folder that cannot be written is no error: the cache only saves time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from parfit.kernel.tape import OPCODES
from parfit.model.derivation import Derivation, Equations
from parfit.model.expression import Call, Expression, Name, Number
from parfit.model.graph import UNUSED, Graph, Node, arguments
from parfit.model.model import Model

FORMAT = 1  # of the files; a new number makes the old ones void
MAX_FILES = 200
# What makes a derivation: a change in any of these files makes old ones void.
_MAKERS = ("symbolic.py", "operations.py", "graph.py", "expression.py")
_OURS = re.compile(r"[0-9a-f]{64}\.json|\w+\.tmp")


def derivation(model: Model) -> Derivation:
    """The derivation of a model, from the cache if it is there."""
    path = _path(model)
    found = None if path is None else _load(path, model)
    if found is None:
        from parfit.model.symbolic import derive

        found = derive(model)
        if path is not None:
            _store(path, found)
    return found


# ---- where


def folder() -> Path | None:
    """Where derivations are kept, None if there is no such place."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # others are to be ignored, says the XDG specification
        return Path(base) / "parfit" / "derivations"
    home = os.environ.get("HOME", os.path.expanduser("~"))  # an empty HOME is none, and not the root folder
    return Path(home) / ".cache" / "parfit" / "derivations" if os.path.isabs(home) else None


def _path(model: Model) -> Path | None:
    place = folder()
    if place is None or not model.source:  # what was traced may be huge when written out
        return None
    try:
        return place / f"{_key(model)}.json"
    except (OSError, RecursionError):
        return None


def _key(model: Model) -> str:
    """A digest of all that a derivation depends on.

    It takes the expressions and not the text, because a table at a fixed time, as in x(0)=z(0), is a number in
    them: such a derivation depends on what is in the file of the table.
    """
    records: list[object] = [FORMAT, model.states, model.parameters, [name for name, _ in model.tables]]
    numbers: dict[int, int] = {}
    for group in (model.equations, model.initial):
        records.append([_record(node, records, numbers) for node in group])
    for definitions in (model.quantities, model.aux):
        records.append([(name, _record(node, records, numbers)) for name, node in definitions])
    digest = hashlib.sha256(json.dumps(records).encode())
    for path in _makers():
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _record(node: Expression, records: list[object], numbers: dict[int, int]) -> int:
    """Append an expression, each shared part once, and give its number."""
    if id(node) not in numbers:
        if isinstance(node, Call):
            records.append([node.function, *(_record(argument, records, numbers) for argument in node.arguments)])
        elif isinstance(node, Name):
            records.append({"name": node.name})
        elif isinstance(node, Number):
            records.append({"number": node.value})
        numbers[id(node)] = len(records)
    return numbers[id(node)]


def _makers() -> list[Path]:
    """The files that make a derivation, one of sympy's with its version among them."""
    files = [Path(__file__).with_name(name) for name in _MAKERS]
    sympy = find_spec("sympy")  # does not import it
    if sympy is not None and sympy.origin is not None:
        files.append(Path(sympy.origin).with_name("release.py"))
    return files


# ---- reading


def _load(path: Path, model: Model) -> Derivation | None:
    try:
        checksum, _, text = path.read_bytes().partition(b"\n")
        if checksum.decode() != _checksum(path, text):
            return None
        found = _derivation(json.loads(text))
        if not _fits(found, model):
            return None
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    with suppress(OSError):
        os.utime(path)  # the oldest files are dropped first
    return found


def _checksum(path: Path, text: bytes) -> str:
    """Of the contents and the name, so that a file under another name is not taken for it."""
    return hashlib.sha256(path.stem.encode() + text).hexdigest()


def _derivation(data: dict[str, Any]) -> Derivation:
    nodes: list[Node] = [(op, a, b, c) for op, a, b, c in data["nodes"]]
    known = {node: k for k, node in enumerate(nodes)}
    graph = Graph(data["n_states"], data["n_params"], nodes, known)
    parts = [
        Equations(tuple(part["values"]), _entries(part["by_state"]), _entries(part["by_parameter"]))
        for part in data["equations"]
    ]
    return Derivation(graph, *parts)


def _entries(rows: list[list[int]]) -> dict[tuple[int, int], int]:
    return {(i, j): node for i, j, node in rows}


def _fits(found: Derivation, model: Model) -> bool:
    """Whether a derivation is sound and of this model's size: the kernel trusts its subscripts."""
    n, m, nodes = len(model.states), len(model.parameters), found.graph.nodes
    if (found.graph.n_states, found.graph.n_params) != (n, m):
        return False
    if nodes[: 1 + n + m] != [("input", k, UNUSED, UNUSED) for k in range(1 + n + m)]:
        return False
    if not all(_sound(k, node, len(model.tables)) for k, node in enumerate(nodes) if k > n + m):
        return False
    sizes = ((found.dynamics, n), (found.initial, n), (found.outputs, len(model.aux)))
    return all(_in_range(part, rows, n, m, len(nodes)) for part, rows in sizes)


def _sound(k: int, node: Node, n_tables: int) -> bool:
    op, a, b, c = node
    if op == "constant":
        return type(a) is float and (b, c) == (UNUSED, UNUSED)
    if op not in OPCODES or any(type(each) is not int or each < UNUSED for each in (a, b, c)):
        return False
    return all(0 <= each < k for each in arguments(node)) and (op not in ("curve", "slope") or 0 <= b < n_tables)


def _in_range(part: Equations, rows: int, n: int, m: int, n_nodes: int) -> bool:
    places = [*part.by_state.items(), *part.by_parameter.items()]
    used = [*part.values, *(node for _, node in places)]
    subscripts = [*used, *(each for key, _ in places for each in key)]
    return (
        all(type(each) is int and each >= 0 for each in subscripts)
        and all(node < n_nodes for node in used)
        and len(part.values) == rows
        and all(i < rows and j < n for i, j in part.by_state)
        and all(i < rows and j < m for i, j in part.by_parameter)
    )


# ---- writing


def _store(path: Path, found: Derivation) -> None:
    """Write a file so that others see it whole or not at all."""
    text = json.dumps(_data(found), separators=(",", ":")).encode()
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(suffix=".tmp", prefix="", dir=path.parent)
        try:
            with open(handle, "wb") as file:
                file.write(_checksum(path, text).encode() + b"\n" + text)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
        _prune(path.parent)


def _data(found: Derivation) -> dict[str, object]:
    return {
        "n_states": found.graph.n_states,
        "n_params": found.graph.n_params,
        "nodes": found.graph.nodes,
        "equations": [
            {
                "values": part.values,
                "by_state": [(*key, node) for key, node in part.by_state.items()],
                "by_parameter": [(*key, node) for key, node in part.by_parameter.items()],
            }
            for part in (found.dynamics, found.initial, found.outputs)
        ],
    }


def _prune(place: Path) -> None:
    """Drop the files that were not used for longest."""
    ours = [entry for entry in os.scandir(place) if _OURS.fullmatch(entry.name)]
    by_age = sorted(ours, key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in by_age[MAX_FILES:]:
        with suppress(OSError):
            os.unlink(entry.path)
