"""Statements about experiments: `experiment low: init a=1`, `local k1 low+mid, high` and `rest ligand=0`."""

from __future__ import annotations

import re

from parfit.errors import ModelError
from parfit.model.language.expression import Expression
from parfit.model.language.jumping import entries_of
from parfit.model.language.syntax import NAME, parse, short

# What may differ between experiments.
ALLOWED = ("initial value", "parameter", "constant", "jump", "rest", "noise", "table")
LOCAL = "local k1, k2 or, for groups that share, local k1 low+mid, high"
EXPERIMENT = "experiment low, high: init a=1 (or par, number, set, dose, rest, table, noise)"
REST = "rest, or rest ligand=0, a(0)=1"
_SETTING = re.compile(rf"\s*({NAME})\s*(\(\s*0\s*\))?\s*=(?!=)(.+)", re.DOTALL)
_NAMED = re.compile(r"[^\s,+:\[\]]+")


def read_scope(rest: str, code: str) -> tuple[tuple[str, ...], str]:
    """The experiments of `experiment low, high: init a=1`, and the statement that holds in them only."""
    names, colon, inner = rest.partition(":")
    found = tuple(name.strip() for name in names.split(","))
    if not colon or not inner.strip() or not all(_NAMED.fullmatch(name) for name in found):
        raise ModelError(f"`{short(code)}`: expected {EXPERIMENT}")
    return found, inner.strip()


def read_rest(rest: str, code: str) -> list[tuple[str, bool, Expression]]:
    """What is set while the equations come to rest: names, whether these are of initial values, and what they are."""
    found = []
    for entry in entries_of(rest) if rest.strip() else ():
        match = _SETTING.fullmatch(entry)
        if match is None:
            raise ModelError(f"`{short(code)}`: `{short(entry)}` sets nothing; expected {REST}")
        found.append((match[1], match[2] is not None, parse(match[3])))
    return found


def read_local(rest: str, code: str) -> list[tuple[str, tuple[str, ...]]]:
    """The parameters that have several values, each with the groups of experiments that share one: `low+mid`."""
    entries = [entry.split() for entry in rest.split(",")]
    if not all(entries) or any(len(words) != 1 for words in entries[1:]) or len(entries[0]) > 2:
        raise ModelError(f"`{short(code)}`: expected {LOCAL}")
    if len(entries[0]) == 1:
        names = [words[0] for words in entries]
        if not all(re.fullmatch(NAME, name) for name in names):
            raise ModelError(f"`{short(code)}`: expected names of parameters; {LOCAL}")
        return [(name, ()) for name in names]
    name, first = entries[0]
    groups = (first, *(words[0] for words in entries[1:]))
    members = [each for group in groups for each in group.split("+")]
    if not re.fullmatch(NAME, name) or not all(_NAMED.fullmatch(each) for each in members):
        raise ModelError(f"`{short(code)}`: expected {LOCAL}")
    if len(set(members)) < len(members):
        raise ModelError(f"`{short(code)}`: an experiment belongs to two groups; expected each once")
    return [(name, groups)]
