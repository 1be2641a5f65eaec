"""`parfit book`, `parfit tour` and `parfit guide`: what can be read without having a problem of one's own."""

from __future__ import annotations

import argparse
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from parfit.book.experiment import Experiment, chosen, tour
from parfit.book.playing import played
from parfit.book.reading import Recorder, paragraphs
from parfit.errors import DONE, FAILED
from parfit.library import guide
from parfit.session.runs.past import new_folder

if TYPE_CHECKING:
    from parfit.session.interpreter import Interpreter
    from parfit.terminal.prompt import Terminal

HOW_TO_READ = "RETURN plays the command that is shown; type others in between as you like. Ctrl-D ends."
TODAY = "Today's problems: several experiments, doses, rest (simulated data)"
GO_ON = "The session ends here, and everything in it is yours to try: HELP lists the commands, QUIT ends."


def main(words: Sequence[str]) -> int:
    """Obey `book`, `tour` or `guide`; gives the exit code."""
    options = _parser().parse_args(words)
    console = Recorder()
    if options.what == "guide":
        console.say(guide())
        return DONE
    if options.what == "tour":
        return _read([tour()], console)
    book = chosen(options.number)
    if options.check:
        return _check(book, console)
    if options.number:
        return _read(book, console)
    console.say(contents(book, console.width))
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="parfit", description="Experiments of the literature, to be read and tried.")
    words = parser.add_subparsers(dest="what", required=True)
    book = words.add_parser("book", help="list the experiments, replay or check them")
    book.add_argument("number", nargs="*", help="experiments: 4.3, peide-2, or a name of the list")
    book.add_argument("--check", action="store_true", help="replay in batch; published against computed numbers")
    words.add_parser("tour", help="five minutes for newcomers")
    words.add_parser("guide", help="which command when: the user's guide")
    return parser


def contents(book: Sequence[Experiment], width: int) -> str:
    """The experiments with their titles."""
    indent = 2 + max(len(each.name) for each in book)
    old, new = ([_entry(each, indent, width) for each in book if each.is_of_today is which] for which in (False, True))
    lines = [*old, *(["", TODAY, *new] if new else [])]
    foot = (
        "`parfit book 4.3` plays the experiments of a section, or one by its name; `parfit book --check` compares "
        "all published numbers with computed ones."
    )
    return "\n".join([*lines, "", paragraphs(foot, width)])


def _entry(experiment: Experiment, indent: int, width: int) -> str:
    """The name of an experiment and its title, whose lines begin below each other."""
    return textwrap.fill(f"{experiment.name:{indent}}{experiment.title}", width, subsequent_indent=" " * indent)


def _read(book: Sequence[Experiment], console: Recorder) -> int:
    """Play experiments at the reader's speed, or through if nobody is there."""
    is_somebody = sys.stdin is not None and sys.stdin.isatty() and console.is_terminal
    for experiment in book:
        gap = "" if experiment is book[0] else "\n"
        head = f"{gap}{experiment.number}  {experiment.title}\n{paragraphs(experiment.source, console.width)}"
        console.say(f"{head}\n\n{paragraphs(HOW_TO_READ, console.width)}" if is_somebody else head)
        with (
            _folder(experiment, is_somebody) as folder,
            played(experiment, console, folder, _terminal if is_somebody else None) as result,
        ):
            if is_somebody and experiment is book[-1] and not result.left_early:
                console.say(paragraphs(GO_ON, console.width))
                result.interpreter.converse(_terminal(result.interpreter))
        if result.left_early:
            break
    return DONE


@contextmanager
def _folder(experiment: Experiment, is_somebody: bool) -> Iterator[Path]:
    """Where the files of a run go; those of a run that nobody has seen go nowhere."""
    if is_somebody:
        yield new_folder(experiment.opened[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "run"


def _terminal(interpreter: Interpreter) -> Terminal:
    from parfit.terminal.prompt import terminal_of

    return terminal_of(interpreter, obeys_pastes=False)


def _check(book: Sequence[Experiment], console: Recorder) -> int:
    """Play experiments in batch and compare their numbers."""
    from parfit.book.checking import check_all, table, verdict

    begun = time.monotonic()
    rows = 0

    def progress(line: str) -> None:
        nonlocal rows
        if console.is_live:
            rows = console.redraw(line[: console.width], rows)

    results = check_all(book, progress)
    if console.is_live:
        console.redraw("", rows)
    console.say(table(results))
    console.say(f"\n{verdict(results)}; {time.monotonic() - begun:.0f} s")
    return DONE if all(each.passed for each in results) else FAILED
