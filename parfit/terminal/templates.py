"""`parfit new`: files of a model and of data to begin with, for states that are asked for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from typing import TypeVar

from parfit.commands.format_text import data_template, model_template
from parfit.errors import ParfitError
from parfit.model.language.reader import model_from_text
from parfit.model.textfile import write_text
from parfit.session.console import Console
from parfit.session.line import Source

NAME, STATES = "NAME OF THE MODEL", "NAMES OF THE STATES"
Asked = TypeVar("Asked")


def write_templates(console: Console, source: Source | None, words: Sequence[str]) -> None:
    """Write both files; `words` are the name and the states, what is not among them is asked for if there is a source.

    What will not do is asked for again if it was typed, and an error if it was not.
    """
    name = _given(console, source, words[:1], NAME, "model", _unused)
    states = _given(console, source, words[1:], STATES, "x", _states)
    write_text(f"{name}.ode", model_template(states))
    write_text(f"{name}.csv", data_template(states))
    files = [shlex.quote(f"{name}{ending}") for ending in (".ode", ".csv")]
    console.say(f"{' and '.join(files)} are written; change them, and then: parfit {' '.join(files)}")


def _given(
    console: Console,
    source: Source | None,
    words: Sequence[str],
    question: str,
    default: str,
    check: Callable[[Sequence[str]], Asked],
) -> Asked:
    if words or source is None:
        return check(words or [default])
    while True:
        answer = source.read(f"[{default}]: ", question)
        try:
            return check(answer.replace(",", " ").split() or [default])
        except ParfitError as error:
            console.warn(error.told)


def _unused(words: Sequence[str]) -> str:
    """A name for files that are not there yet."""
    name = " ".join(words).removesuffix(".ode").removesuffix(".csv")
    for path in (f"{name}.ode", f"{name}.csv"):
        if os.path.lexists(path):
            raise ParfitError(f"{path} exists already; give another name")
    return name


def _states(words: Sequence[str]) -> list[str]:
    """Names that a model can have for its states."""
    try:
        model_from_text(model_template(words))
    except ParfitError as error:
        raise ParfitError(
            f"{', '.join(word or repr(word) for word in words)} will not do as names of states: {error.told}"
        ) from None
    return list(words)
