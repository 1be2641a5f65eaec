"""Playing a session: its prose, its commands one after another, and its published numbers beside the computed ones.

With somebody at a terminal every command waits for RETURN, and other commands can be typed in between; what they
changed is taken back before the session goes on. Elsewhere it plays through by itself.
"""

from __future__ import annotations

import re
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from parfit.book.experiment import Experiment
from parfit.book.figures import PRINTED, SIGN, Comparison, compare, parse
from parfit.console import Console
from parfit.dialogue import EndOfInput
from parfit.errors import ParfitError
from parfit.interpreter import PROMPT, Interpreter
from parfit.opening import open_run
from parfit.sources import cleaned
from parfit.timeline import Timeline

if TYPE_CHECKING:
    from parfit.terminal.prompt import Terminal

HOW = "RETURN plays the command that is shown; type others in between as you like. Ctrl-D ends."
TAKEN_BACK = "# what you changed is taken back, so that the session can go on"
LEAVING = "QUIT"
Meet = Callable[[Interpreter], "Terminal | None"]  # who is at the terminal, if anybody


@dataclass(frozen=True)
class Played:
    """A session that was played: where it ended, and its numbers."""

    interpreter: Interpreter
    comparisons: tuple[Comparison, ...]
    left_early: bool


class Listener(Console):
    """A console that remembers what the last command has shown."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None, quiet: bool = False):
        super().__init__(out, err, quiet)
        self.heard: list[str] = []

    def typed(self, text: str) -> None:
        super().typed(text)
        self.heard.append(text)


class Reading:
    """The lines of an experiment, with its prose shown, and somebody who may type other commands in between."""

    def __init__(self, experiment: Experiment, interpreter: Interpreter, console: Listener, terminal: Terminal | None):
        self._experiment = experiment
        self._interpreter, self._console, self._terminal = interpreter, console, terminal
        self._at = 0  # the line that comes next
        self._before = 0  # where what came before the last line began: empty lines and prose
        self._passing = False  # whether such lines are being passed over
        self._waiting: tuple[str, str] | None = None  # the command that comes next, and a remark on it
        self._agreed = False  # whether RETURN was given for it already
        self._left: Timeline | None = None  # where the session was when somebody else's command began
        self.interactive = False  # whether the present command was typed by somebody
        self.echoed = terminal is not None
        self.left_early = False
        self.comparisons: list[Comparison] = []
        self._n_compared = 0  # lines of published numbers

    @property
    def place(self) -> str:
        return f"{self._experiment.path}:{self._experiment.n_head + self._at}"

    def read(self, prompt: str, text: str = "") -> str:
        if prompt != PROMPT:
            return self._answer(prompt, text)
        if self._waiting is None:
            self._waiting = self._next_command()
        self._console.heard.clear()
        typed = "" if self._agreed else self._typed(*self._waiting)
        self._agreed = False
        self.interactive = bool(typed)
        if typed:
            self._left = self._left or self._interpreter.timeline
            return typed
        if self._left is not None:
            back, self._left = _way_back(self._left, self._interpreter.timeline), None
            if back:
                self._console.say(f"{TAKEN_BACK}\n{PROMPT}{back}")
                self._agreed = True
                return back
        (line, _), self._waiting, self._passing = self._waiting, None, False
        return line

    def unread(self) -> None:
        self._at = self._before

    def _line(self) -> str:
        if self._at == len(self._experiment.lines):
            raise EndOfInput
        self._at += 1
        return self._experiment.lines[self._at - 1]

    def _answer(self, prompt: str, text: str) -> str:
        """An answer of the session to a question of its command, or of who has typed the command."""
        if self.interactive and self._terminal is not None:
            return self._terminal.read(prompt, text)
        self._before = self._before if self._passing else self._at
        while True:
            line = self._line()
            answer = cleaned(line, prompt if line.startswith("|") else "")
            if answer or not line.strip():
                break
        self._passing = not answer
        if not self._interpreter.table.has(answer.partition(" ")[0]):  # then it is no answer but the next command
            self._console.say(f"{text}\n{prompt}{answer}" if text else f"{prompt}{answer}")
        return answer

    def _typed(self, command: str, remark: str) -> str:
        """What somebody types instead of the next command; nothing to have that one."""
        if self._terminal is None:
            return ""
        line = self._terminal.read(PROMPT, placeholder=f"{command}  {remark}".rstrip())
        if line.upper() == LEAVING:
            self.left_early = True
            raise EndOfInput
        return "" if line == command else line

    def _next_command(self) -> tuple[str, str]:
        """The next command and a remark on it, after its prose and the published numbers of the one before."""
        prose: list[str] = []
        found: list[Comparison] = []
        try:
            while True:
                line = self._line()
                if line.startswith(SIGN):
                    found += self._compared(line)
                elif line.startswith("#") or not line.strip():
                    prose.append(line.removeprefix("#").strip())
                else:
                    break
        finally:
            self._show(prose, found)
        command = cleaned(line)
        return command, line.partition(command)[2].strip()

    def refuse_missed(self) -> None:
        """Raise an error if numbers stand where nobody compares them: among the answers of a command."""
        n_given = sum(line.startswith(SIGN) for line in self._experiment.lines)
        if self._n_compared < n_given and not self.left_early:
            missed = f"{n_given - self._n_compared} of {n_given} lines of published numbers"
            raise ParfitError(f"{self._experiment.path}: {missed} stand among the answers of a command")

    def _compared(self, line: str) -> list[Comparison]:
        self._n_compared += 1
        shown = "\n".join(self._console.heard)
        return [compare(figure, self._interpreter.env, shown) for figure in parse(line, self.place)]

    def _show(self, prose: list[str], found: list[Comparison]) -> None:
        self.comparisons += found
        if found:
            self._console.say("\n".join(beside(each) for each in found))
        text = paragraphs("\n".join(prose), self._console.width)
        if text:
            self._console.say(f"\n{_tinted(text, self._console)}\n")


def beside(comparison: Comparison) -> str:
    """A published number and the computed one in a line."""
    figure = comparison.figure
    why = figure.remark if comparison.agreement != PRINTED else ""
    line = f"  {figure.label}: published {figure.published}, computed {comparison.computed}"
    return f"{line} ({comparison.agreement}{': ' if why else ''}{why})"


def paragraphs(text: str, width: int) -> str:
    """Prose filled to a width; empty lines part paragraphs."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(textwrap.fill(" ".join(part.split()), width) for part in parts)


def _tinted(text: str, console: Console) -> str:
    """Prose in another colour than what the program says, where there are colours."""
    return "\n".join(f"\x1b[36m{line}\x1b[0m" for line in text.split("\n")) if console.colour else text


def _way_back(left: Timeline, now: Timeline) -> str:
    """The command that leads back to where the session was, nothing if there is none or no need of one."""
    if now.present is left.present:
        return ""
    if left.present in now.past:
        return f"UNDO {len(now.past) - now.past.index(left.present)}"
    if left.present in now.future:
        return f"REDO {now.future.index(left.present) + 1}"
    return ""


def play(experiment: Experiment, console: Listener, folder: Path, meet: Meet = lambda interpreter: None) -> Played:
    """Play an experiment to its end, to who is met at a terminal; a command that fails unexpectedly is an error."""
    interpreter = open_run(experiment.opened, folder, console)
    try:
        reading = Reading(experiment, interpreter, console, meet(interpreter))
        if interpreter.converse(reading):
            raise ParfitError(f"{reading.place}: the session stopped here")
        reading.refuse_missed()
    except BaseException:
        interpreter.run.close()
        raise
    return Played(interpreter, tuple(reading.comparisons), reading.left_early)


def check(experiment: Experiment) -> tuple[Comparison, ...]:
    """Play an experiment without anybody, and give its numbers."""
    said = StringIO()
    with tempfile.TemporaryDirectory() as folder:
        console = Listener(said, said, quiet=True)
        try:
            played = play(experiment, console, Path(folder) / "run")
        except ParfitError as error:
            raise ParfitError(f"{error}\n{said.getvalue().rstrip()}") from None
        played.interpreter.run.close()
    return played.comparisons
