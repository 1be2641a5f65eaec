"""Changing a model within the conversation: one statement replaces, adds or removes a definition in its text.

Only the definition itself is touched; comments, order and layout of the rest stay. The new text is read like any
model, so the reader decides what is right, and the old model is never changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import NoReturn

from parfit.errors import ModelError
from parfit.model.language.locating import Placed, line_start, lines_of, placed
from parfit.model.language.names import used_keys
from parfit.model.language.operations import FUNCTIONS
from parfit.model.language.reader import model_from_text
from parfit.model.language.statements import logical_lines
from parfit.model.language.syntax import short
from parfit.model.language.writing import model_text
from parfit.model.model import Model
from parfit.model.textfile import Read, exact, file_bytes

_REMOVE = re.compile(r"(?:remove|delete)\s+([^\s=].*)", re.IGNORECASE)
_START = re.compile(r"(.+)\(\s*0*\.?0*\s*\)")  # y1(0)
_KIND_WORDS = re.compile(r"par\w*|aux|init|num\w*|table|function|quantity|state|constant", re.IGNORECASE)
# One of these may become another: a constant is fitted once it is a parameter, and fixed once it is a constant.
_MOVABLE = ("parameter", "constant", "quantity", "derived quantity")
_FORMULAS = ("quantity", "derived quantity")
_LIST_WORDS = {"parameter": "par ", "constant": "number ", "initial value": "init ", "option": "@ ", "local": "local "}
_WHOLE = ("jump", "rest", "experiment", "noise", "prior", "linear")  # statements that are named by all that they say
_LOCAL = re.compile(r"local\s+(.+)", re.IGNORECASE)
_EXPECTED = "expected a statement such as x'=-k*x, k=2, par k=1, aux sum=x+y, x(0)=1, or remove NAME"


def edit(model: Model, change: str, folder: str | PathLike[str] | None = None, read: Read = file_bytes) -> Model:
    """The model with one statement changed, added or (`remove NAME`) taken out; tables are looked for in `folder`."""
    old = text_of(model)
    try:
        new = edited(old, change)
    except ModelError as error:
        raise ModelError(error.message) from None
    try:
        return model_from_text(new, model.name, folder=folder, read=read)
    except ModelError as error:
        raise ModelError(_explained(error, old, new)) from None


def text_of(model: Model) -> str:
    """The `.ode` text of a model: its source, or one written from its expressions."""
    return model.source or model_text(model)


def text_with_values(model: Model, values: Mapping[str, float]) -> str:
    """The text with other values of parameters, where they differ; those of single experiments are not in it."""
    written = model.template or model
    text = text_of(written)
    for name, before in zip(written.parameters, written.values.tolist(), strict=True):
        if values.get(name, before) != before:
            text = edited(text, f"par {name}={exact(values[name])}")
    return text


# ---- changing


def edited(text: str, change: str) -> str:
    """The text of a model with one statement changed, added or taken out, whether it is complete or not."""
    removal = _REMOVE.fullmatch(change.partition("#")[0].strip())
    return _removed(text, removal[1]) if removal else _changed(text, change)


def _changed(text: str, change: str) -> str:
    lines = list(logical_lines("\n" + change))  # not line 1, where a lone number has a meaning of its own
    new = [item for item in placed("\n" + change) if item.kind != "set"]  # of marks there is MARK
    if not lines:
        raise ModelError(f"there is nothing to change; {_EXPECTED}")
    if lines[-1].ends:
        raise ModelError(f"`{short(change)}`: {_EXPECTED}")
    if not new:
        raise ModelError(f"`{short(change)}` has no meaning here; {_EXPECTED}")
    for item in new:
        text = _with(text, item)
    return text


def _with(text: str, new: Placed) -> str:
    """The text with one definition replaced or added."""
    if new.kind == "experiment":
        return _with_scope(text, new)
    same = [item for item in placed(text) if item.key == new.key]
    kind = _meant(new, same)
    old = [item for item in same if item.kind == kind]
    if old and kind == "local":  # which may have other groups
        same_groups = old[-1].statement.arguments == new.statement.arguments
        return text if same_groups else _added(_without(text, old[-1]), kind, new)
    if old:
        # Of several the last counts, but of aux labels the first.
        return _replaced(text, old[0] if kind == "aux" else old[-1], new)
    moved = [item for item in same if item.kind in _MOVABLE and kind in _MOVABLE]
    if not moved:
        return _added(text, kind, new)
    if kind in _FORMULAS and moved[0].kind in _FORMULAS:
        return _spliced(text, moved[0].in_text(moved[0].span), new.code)
    return _added(_without(text, moved[0]), kind, new, new.body or moved[0].body)


def _with_scope(text: str, new: Placed) -> str:
    """The text with a statement for some experiments, in place of one about the same in the same experiments."""

    def about(item: Placed) -> tuple[object, ...]:
        inner = tuple((each.kind, each.key) for each in item.statement.inner)
        return item.kind, tuple(map(str.lower, item.statement.arguments)), inner

    old = [item for item in placed(text) if about(item) == about(new)]
    is_set = old and all(each.kind != "jump" for each in new.statement.inner)  # of doses there may be several
    return _spliced(text, old[-1].in_text(old[-1].span), new.code) if is_set else _added(text, new.kind, new)


def _meant(new: Placed, same: Sequence[Placed]) -> str:
    """The kind of definition that is meant: `k=3.5` is a new value if k is a parameter or a constant."""
    kinds = [item.kind for item in same]
    if new.kind != "quantity" or "quantity" in kinds:
        return new.kind
    name = new.statement.name
    if "state" in kinds:
        raise ModelError(f"`{name}` is a state; write {name}'=... for its equation or {name}(0)=... for its start")
    return next((kind for kind in ("parameter", "constant", "aux") if kind in kinds), "quantity")


def _replaced(text: str, old: Placed, new: Placed) -> str:
    if old.kind in (
        "function",
        "table",
        "noise",
        "prior",
        "linear",
    ):  # what stands left of = or behind the name may change too
        return _spliced(text, old.in_text(old.span), new.code)
    if new.body is None:  # `par k` says nothing new about a parameter k
        return text
    body = new.body if old.body is not None else f"={new.body}"
    return _spliced(text, old.in_text(old.body_span), body)


def _added(text: str, kind: str, new: Placed, body: str | None = None) -> str:
    """The text with a definition of its own: parameters at the end of their list, everything else before `done`."""
    body = body or new.body
    entry = new.statement.name + ("" if body is None else f"={body}")
    parameters = [item for item in placed(text) if item.kind == "parameter"]
    if kind == "parameter" and parameters:
        _, end = parameters[-1].in_text(parameters[-1].span)
        return _spliced(text, (end, end), f", {entry}")
    in_list = new.siblings or kind in ("parameter", "constant")
    return _with_line(text, _LIST_WORDS[kind] + entry if in_list else new.code)


def _with_line(text: str, code: str) -> str:
    end = next((line for line in logical_lines(text) if line.ends), None)
    newline = "\r\n" if "\r\n" in text else "\n"
    if end is not None:
        place = line_start(text, end.places[0])
        return _spliced(text, (place, place), code + newline)
    text += "" if text.endswith(("\n", "\r")) else newline
    own = any(line.code == code for line in logical_lines(text + code))
    return text + ("" if own else newline) + code + newline  # an empty line ends what is continued


def _spliced(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


# ---- removing


def _removed(text: str, words: str) -> str:
    whole = [item for item in placed(text) if item.kind in _WHOLE and item.key == " ".join(words.lower().split())]
    if whole:
        return _without(text, whole[-1])
    local = _LOCAL.fullmatch(words)
    if local and not _named(text, "local"):
        return _shared(text, local[1])
    names = re.split(r"[\s,]+", words.strip(" ,"))
    if len(names) > 1 and _KIND_WORDS.fullmatch(names[0]) and not _named(text, names[0]):
        names = names[1:]  # remove par k
    gone: list[Placed] = []
    for name in names:
        items = _named(text, name) or _unknown(text, name)
        gone += items
        while items:
            text = _without(text, items[-1])
            items = _named(text, name)
    for item in gone:
        _require_unused(text, item)
    return text


def _shared(text: str, words: str) -> str:
    """The text without what makes parameters local."""
    for name in re.split(r"[\s,]+", words.strip(" ,")):
        items = [item for item in placed(text) if item.kind == "local" and item.key == name.lower()]
        if not items:
            raise ModelError(f"`{short(name)}` is not local, so that there is nothing to remove")
        text = _without(text, items[-1])
    return text


def _named(text: str, name: str) -> list[Placed]:
    """The definitions that are meant by x, x' (the state), f(x) (the function) or x(0) (the initial values)."""
    items = placed(text)
    exact = [item for item in items if item.key == name.lower()]  # labels of aux can look like anything
    start = _START.fullmatch(name)
    if exact or not start:
        plain = name.lower().partition("(")[0].rstrip("'")
        return exact or [item for item in items if item.key == plain]
    return [item for item in items if item.key == start[1].lower() and item.kind == "initial value"]


def _without(text: str, item: Placed) -> str:
    """The text without a definition: without its whole line, or its entry with one separator."""
    if _alone(item):
        return _spliced(text, lines_of(text, item), "")
    k = item.siblings.index(item.span)
    first, last = item.span
    if k + 1 < len(item.siblings):
        last = item.siblings[k + 1][0]
        return _spliced(text, (item.in_text(item.span)[0], item.line.places[last]), "")
    if k:
        first = item.siblings[k - 1][1]
    return _spliced(text, item.in_text((first, last)), "")


def _alone(item: Placed) -> bool:
    """Whether nothing else stands on its line."""
    if item.kind == "option":
        return not item.line.code.replace(item.code, "").strip("@ \t,")
    return len(item.siblings) < 2


def _require_unused(text: str, removed: Placed) -> None:
    """Refuse to remove what others need, in words that name one of them."""
    remaining = placed(text)
    key = removed.key
    if removed.kind in ("initial value", "option") or key in FUNCTIONS or any(item.key == key for item in remaining):
        return
    user = next((item for item in remaining if key in used_keys(item.statement)), None)
    if user is not None:
        raise ModelError(
            f"`{removed.statement.name}` is used in `{short(user.code)}`; change or remove that first, "
            f"or give `{removed.statement.name}` another definition"
        )


def _unknown(text: str, name: str) -> NoReturn:
    known = {item.key: item.statement.name for item in placed(text)}
    near = [f"`{known[key]}`" for key in difflib.get_close_matches(name.lower(), known)]
    remedy = f"did you mean {' or '.join(near)}?" if near else f"expected one of {short(', '.join(known.values()))}"
    raise ModelError(f"there is no `{short(name)}` to remove; {remedy}")


# ---- errors


def _explained(error: ModelError, old: str, new: str) -> str:
    """The message for someone who typed one line: without a place, but with the line if it is another one."""
    if error.line is None or not new:
        return f"the model {error.message}" if re.match(r"(has|is) ", error.message) else error.message
    codes = {line.number: line.code for line in logical_lines(new)}
    code = codes.get(error.line)
    if code is None or all(code != line.code for line in logical_lines(old)):
        return error.message
    return f"{error.message} (in `{short(code)}`)"
